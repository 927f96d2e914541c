/* SPDX-License-Identifier: MIT */
/*
 * Every access to memory is predicated on gid < n, and control flow stays uniform, so that
 * barriers and shuffles in the stream are defined for the last, partial workgroup too. A
 * predicated-off load gives 0. Accesses that follow one another share one test.
 */
#include "ir/stream.h"

#include <string.h>

/* What A, B and the destination mean, by opcode. */
static const struct shape {
	char a, b, d;  /* f value register, r index register, n buffer, k float bits, m mask, - nothing */
} shapes[GLC_LEGACY_OP_COUNT] = {
	[GLC_OP_Nop] = {'-', '-', '-'},
	[GLC_OP_Add] = {'f', 'f', 'f'},
	[GLC_OP_Sub] = {'f', 'f', 'f'},
	[GLC_OP_Mul] = {'f', 'f', 'f'},
	[GLC_OP_Div] = {'f', 'f', 'f'},
	[GLC_OP_Fma] = {'f', 'f', 'f'},
	[GLC_OP_Neg] = {'f', '-', 'f'},
	[GLC_OP_Abs] = {'f', '-', 'f'},
	[GLC_OP_Min] = {'f', 'f', 'f'},
	[GLC_OP_Max] = {'f', 'f', 'f'},
	[GLC_OP_Sqrt] = {'f', '-', 'f'},
	[GLC_OP_Rsqrt] = {'f', '-', 'f'},
	[GLC_OP_Exp] = {'f', '-', 'f'},
	[GLC_OP_Log] = {'f', '-', 'f'},
	[GLC_OP_Tanh] = {'f', '-', 'f'},
	[GLC_OP_LoadGlobal] = {'n', 'r', 'f'},
	[GLC_OP_StoreGlobal] = {'f', 'r', '-'},
	[GLC_OP_LoadShared] = {'-', 'r', 'f'},
	[GLC_OP_StoreShared] = {'f', 'r', '-'},
	[GLC_OP_LoadConstant] = {'k', '-', 'f'},
	[GLC_OP_ShflSyncBfly] = {'f', 'm', 'f'},
	[GLC_OP_BarrierSync] = {'-', '-', '-'},
	[GLC_OP_LocalId] = {'-', '-', 'r'},
	[GLC_OP_GlobalId] = {'-', '-', 'r'},
	[GLC_OP_AtomicAdd] = {'f', 'r', 'f'},
	[GLC_OP_Return] = {'-', '-', '-'},
};

/* In the order of the legacy signature; SMEM follows the parameters. */
enum { INPUT_A, INPUT_B, OUTPUT, COUNT, SMEM };

static const struct {
	char name[8];
	uint8_t kind, type, access;
} legacy[] = {
	[INPUT_A] = {"input_a", GLC_OBJECT_BUFFER, GLC_F32, GLC_READ},
	[INPUT_B] = {"input_b", GLC_OBJECT_BUFFER, GLC_F32, GLC_READ},
	[OUTPUT] = {"output", GLC_OBJECT_BUFFER, GLC_F32, GLC_WRITE},
	[COUNT] = {"n", GLC_OBJECT_SCALAR, GLC_U32, 0},
	[SMEM] = {"smem", GLC_OBJECT_SHARED, GLC_F32, 0},
};

enum { REGISTERS = 64 };

/* The names of both files. Nothing looks them up: they are for messages, -g and dumps. */
#define TEN(file, tens) file tens "0", file tens "1", file tens "2", file tens "3", file tens "4", \
			file tens "5", file tens "6", file tens "7", file tens "8", file tens "9"
#define FILE_NAMES(file) {TEN(file, ""), TEN(file, "1"), TEN(file, "2"), TEN(file, "3"), \
			  TEN(file, "4"), TEN(file, "5"), TEN(file, "6")}
static const char register_names[2][70][4] = {FILE_NAMES("f"), FILE_NAMES("r")};

struct registers {
	uint64_t named;                /* which have an index */
	uint64_t set;                  /* which hold a value by now */
	uint8_t index[REGISTERS];      /* in the kernel's registers */
};

struct stream {
	struct glc_tree *tree;
	struct glc_tree_kernel *kernel;
	const struct glc_row *row;
	uint32_t index;                /* of the row, for messages */
	struct registers f, r;
	struct glc_operand zero;       /* the literal */
	uint32_t in;                   /* the register that holds gid < n; GLC_NO_VALUE: not yet made */
};

static struct glc_name fixed(const char *text)
{
	return (struct glc_name){text, (uint32_t)strlen(text)};
}

/* Declared without symbols: no text in a stream names anything. */
void glc_stream_begin(struct glc_tree *tree)
{
	struct glc_tree_kernel *kernel = glc_tree_current(tree);

	kernel->is_stream = true;
	kernel->first_row = tree->rows.count;
	if (!GLC_RESERVE(tree->memory, &kernel->decls, SMEM + 1)) {
		tree->failed = true;
		return;
	}
	for (int i = 0; i <= SMEM; i++)
		kernel->decls.at[i] = (struct glc_decl){
			.name = fixed(legacy[i].name),
			.pos = kernel->pos,
			.kind = legacy[i].kind,
			.type = legacy[i].type,
			.access = legacy[i].access,
		};
	kernel->decls.at[SMEM].extent = glc_tree_literal(tree, fixed("1024"), kernel->pos);
	kernel->decls.count = SMEM + 1;
	kernel->param_count = SMEM;
}

/* --- Statements ---------------------------------------------------------- */

static struct glc_operand object(const struct stream *s, int which)
{
	return (struct glc_operand){.kind = GLC_OBJECT, .index = (uint32_t)which, .pos = s->row->pos};
}

static struct glc_operand reg(const struct stream *s, uint32_t index)
{
	return (struct glc_operand){.kind = GLC_REGISTER, .index = index, .pos = s->row->pos};
}

static struct glc_stmt *begin(struct stream *s, enum glc_op op, enum glc_type type, uint32_t result)
{
	struct glc_stmt *stmt = glc_tree_stmt(s->tree, op, s->row->pos);

	stmt->type = stmt->from = (uint8_t)type;
	stmt->result = result;
	return stmt;
}

static struct glc_operand bits(struct stream *s, uint32_t value)
{
	char *text = glc_bump(s->tree->memory, 10);

	if (!text) {
		s->tree->failed = true;
		return s->zero;
	}
	text[0] = '0';
	text[1] = 'f';
	for (int i = 0; i < 8; i++)
		text[2 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
	return glc_tree_literal(s->tree, (struct glc_name){text, 10}, s->row->pos);
}

static struct glc_operand lane_mask(struct stream *s, uint32_t mask)
{
	static const char digits[] = "012345678910111213141516171819202122232425262728293031";
	struct glc_name text;

	if (!mask)
		mask = 16;
	text = mask < 10 ? (struct glc_name){digits + mask, 1}
			 : (struct glc_name){digits + 10 + (mask - 10) * 2, 2};
	return glc_tree_literal(s->tree, text, s->row->pos);
}

/* --- Registers ----------------------------------------------------------- */

static uint32_t add_register(struct stream *s, const char *name, uint32_t bytes)
{
	struct glc_name *at = GLC_PUSH(s->tree->memory, &s->kernel->registers);

	if (!at) {
		s->tree->failed = true;
		return 0;
	}
	*at = (struct glc_name){name, bytes};
	return s->kernel->registers.count - 1;
}

static inline struct registers *file_of(struct stream *s, char file)
{
	return file == 'f' ? &s->f : &s->r;
}

static inline uint32_t index_of(struct stream *s, char file, int64_t number)
{
	struct registers *registers = file_of(s, file);

	if (!(registers->named >> number & 1)) {
		registers->named |= UINT64_C(1) << number;
		registers->index[number] = (uint8_t)add_register(s, register_names[file == 'r'][number],
								 number < 10 ? 2 : 3);
	}
	return registers->index[number];
}

static void set_zero(struct stream *s, char file, uint32_t index)
{
	struct glc_stmt *stmt = begin(s, GLC_OP_LoadConstant, file == 'f' ? GLC_F32 : GLC_U32, index);

	if (s->zero.kind != GLC_LITERAL)
		s->zero = glc_tree_literal(s->tree, fixed("0"), s->row->pos);
	glc_tree_operand(s->tree, stmt, s->zero);
}

/* A register that will be read: it holds 0 if nothing was written to it before. */
static inline void ready(struct stream *s, char file, int64_t number)
{
	struct registers *registers = file_of(s, file);

	if (registers->set >> number & 1)
		return;
	registers->set |= UINT64_C(1) << number;
	glc_warn(s->tree->diag, GLC_GA_ROW_UNSET, s->row->pos, s->index, file, (int)number);
	set_zero(s, file, index_of(s, file, number));
}

static inline void written(struct stream *s, char file, int64_t number)
{
	file_of(s, file)->set |= UINT64_C(1) << number;
}

/* --- Rows ---------------------------------------------------------------- */

static bool is_register(struct stream *s, char file, char which, int64_t value)
{
	if (value >= 0 && value < REGISTERS)
		return true;
	glc_fail(s->tree->diag, GLC_GA_ROW_REGISTER, s->row->pos, s->index, which, (long long)value, file);
	return false;
}

/* Everything that can be wrong with a row; false after a diagnostic. */
static bool check_row(struct stream *s)
{
	const int64_t *v = s->row->value;
	struct glacier_diag *diag = s->tree->diag;
	struct shape shape;

	if (v[0] < 0 || v[0] >= GLC_LEGACY_OP_COUNT) {
		glc_fail(diag, GLC_GA_ROW_OPCODE, s->row->pos, s->index, (long long)v[0]);
		return false;
	}
	shape = shapes[v[0]];
	if (shape.a == 'f' && !is_register(s, 'f', 'A', v[1]))
		return false;
	if (shape.a == 'n' && (v[1] < 0 || v[1] > 1)) {
		glc_fail(diag, GLC_GA_ROW_BUFFER, s->row->pos, s->index, (long long)v[1]);
		return false;
	}
	if (shape.a == 'k' && (v[1] < INT32_MIN || v[1] > UINT32_MAX)) {
		glc_fail(diag, GLC_GA_ROW_BITS, s->row->pos, s->index, (long long)v[1]);
		return false;
	}
	if ((shape.b == 'f' || shape.b == 'r') && !is_register(s, shape.b, 'B', v[2]))
		return false;
	if (shape.b == 'm' && (v[2] < 0 || v[2] > 31)) {
		glc_fail(diag, GLC_GA_ROW_MASK, s->row->pos, s->index, (long long)v[2]);
		return false;
	}
	return shape.d == '-' || is_register(s, shape.d, 'D', v[3]);
}

static void plain_row(struct stream *s)
{
	struct glc_tree *tree = s->tree;
	const int64_t *v = s->row->value;
	enum glc_op op = (enum glc_op)v[0];
	struct shape shape = shapes[op];
	struct glc_stmt *stmt;
	uint32_t result = GLC_NO_VALUE;

	if (shape.a == 'f')
		ready(s, 'f', v[1]);
	if (shape.b == 'f')
		ready(s, 'f', v[2]);
	if (op == GLC_OP_Fma)
		ready(s, 'f', v[3]);
	if (shape.d != '-') {
		result = index_of(s, shape.d, v[3]);
		written(s, shape.d, v[3]);
	}

	stmt = begin(s, op, shape.d == 'f' ? GLC_F32 : GLC_VOID, result);
	if (shape.a == 'f')
		glc_tree_operand(tree, stmt, reg(s, index_of(s, 'f', v[1])));
	if (shape.a == 'k')
		glc_tree_operand(tree, stmt, bits(s, (uint32_t)v[1]));
	if (shape.b == 'f')
		glc_tree_operand(tree, stmt, reg(s, index_of(s, 'f', v[2])));
	if (op == GLC_OP_Fma)
		glc_tree_operand(tree, stmt, reg(s, result));
	if (shape.b == 'm') {
		glc_tree_operand(tree, stmt, lane_mask(s, (uint32_t)v[2]));
		s->kernel->has_subgroup = true;
	}
}

static inline bool is_memory(const struct glc_row *row)
{
	int64_t op = row->value[0];

	return op >= 0 && op < GLC_LEGACY_OP_COUNT && shapes[op].b == 'r';
}

/* What an access wants to hold a value before the test; what it writes does so behind it. */
static void prepare_access(struct stream *s)
{
	const int64_t *v = s->row->value;
	struct shape shape = shapes[v[0]];

	ready(s, 'r', v[2]);
	if (shape.a == 'f')
		ready(s, 'f', v[1]);
	if (shape.d == 'f') {
		index_of(s, 'f', v[3]);
		written(s, 'f', v[3]);
	}
}

static void access(struct stream *s)
{
	struct glc_tree *tree = s->tree;
	const int64_t *v = s->row->value;
	enum glc_op op = (enum glc_op)v[0];
	struct shape shape = shapes[op];
	int which = op == GLC_OP_LoadGlobal ? (int)v[1]
		    : op == GLC_OP_LoadShared || op == GLC_OP_StoreShared ? SMEM : OUTPUT;
	struct glc_stmt *stmt =
		begin(s, op, GLC_F32, shape.d == 'f' ? index_of(s, 'f', v[3]) : GLC_NO_VALUE);

	glc_tree_operand(tree, stmt, object(s, which));
	glc_tree_operand(tree, stmt, reg(s, index_of(s, 'r', v[2])));
	if (shape.a == 'f')
		glc_tree_operand(tree, stmt, reg(s, index_of(s, 'f', v[1])));
	if (op == GLC_OP_AtomicAdd)
		s->kernel->decls.at[OUTPUT].access = GLC_READWRITE;
}

/* `if gid < n {`; the test itself is made before the first. */
static void open_guard(struct stream *s)
{
	struct glc_stmt *stmt;

	if (s->in == GLC_NO_VALUE) {
		uint32_t gid = add_register(s, "gid", 3);

		s->in = add_register(s, "in", 2);
		begin(s, GLC_OP_GlobalId, GLC_VOID, gid);
		stmt = begin(s, GLC_OP_Lt, GLC_U32, s->in);
		glc_tree_operand(s->tree, stmt, reg(s, gid));
		glc_tree_operand(s->tree, stmt, object(s, COUNT));
	}
	stmt = begin(s, GLC_OP_If, GLC_VOID, GLC_NO_VALUE);
	glc_tree_operand(s->tree, stmt, reg(s, s->in));
	glc_tree_enter(s->tree, GLC_MAX_NESTING);
}

static void go_to(struct stream *s, uint32_t index)
{
	s->index = index;
	s->row = &s->tree->rows.at[s->kernel->first_row + index];
}

/* The accesses from this row on, up to `end`, under one test. Gives the row behind them. */
static uint32_t memory_rows(struct stream *s, uint32_t first, uint32_t end)
{
	uint32_t next = first;
	bool loads = false;

	for (; next < end; next++) {
		go_to(s, next);
		if (!is_memory(s->row))
			break;
		if (!check_row(s))
			return next + 1;
		prepare_access(s);
		loads |= shapes[s->row->value[0]].d == 'f';
	}
	go_to(s, first);
	open_guard(s);
	for (uint32_t i = first; i < next; i++) {
		go_to(s, i);
		access(s);
	}
	if (loads)
		glc_tree_else(s->tree, s->row->pos);
	for (uint32_t i = first; loads && i < next; i++) {
		go_to(s, i);
		if (shapes[s->row->value[0]].d == 'f')
			set_zero(s, 'f', index_of(s, 'f', s->row->value[3]));
	}
	glc_tree_end(s->tree, s->row->pos);
	return next;
}

void glc_stream_end(struct glc_tree *tree)
{
	struct glc_tree_kernel *kernel = glc_tree_current(tree);
	struct stream s = {.tree = tree, .kernel = kernel, .in = GLC_NO_VALUE};
	uint32_t count = kernel->row_count = tree->rows.count - kernel->first_row, i = 0;

	while (i < count && !tree->failed && tree->diag->errors < glc_max_errors(tree->diag)) {
		go_to(&s, i);
		if (is_memory(s.row)) {
			i = memory_rows(&s, i, count);
			continue;
		}
		if (check_row(&s))
			plain_row(&s);
		i++;
	}
	if (kernel->has_subgroup)
		kernel->subgroup = glc_tree_literal(tree, fixed("32"), kernel->pos);
}
