/* SPDX-License-Identifier: MIT */
/*
 * Every access to memory is predicated on gid < n, and control flow stays uniform, so that
 * barriers and shuffles in the stream are defined for the last, partial workgroup too. A
 * predicated-off load gives 0.
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

struct stream {
	struct glc_tree *tree;
	const struct glc_row *row;
	uint32_t index;                         /* of the row, for messages */
	struct glc_operand f[REGISTERS], r[REGISTERS];
	uint64_t named_f, named_r;              /* which of those are filled */
	uint64_t set_f, set_r;                  /* which hold a value by now */
	struct glc_operand gid, in;
};

static struct glc_name fixed(const char *text)
{
	return (struct glc_name){text, (uint32_t)strlen(text)};
}

void glc_stream_begin(struct glc_tree *tree)
{
	struct glc_tree_kernel *kernel = glc_tree_current(tree);

	for (int i = 0; i <= SMEM; i++) {
		struct glc_decl *decl = glc_tree_decl(tree, fixed(legacy[i].name), kernel->pos,
						      legacy[i].kind, legacy[i].type);

		if (!decl)
			return;
		decl->access = legacy[i].access;
		if (i == SMEM)
			decl->extent = glc_tree_literal(tree, fixed("1024"), kernel->pos);
	}
	kernel->param_count = SMEM;
	kernel->is_stream = true;
	kernel->first_row = tree->rows.count;
}

static struct glc_operand object(int which, uint32_t pos)
{
	return (struct glc_operand){.kind = GLC_OBJECT, .index = (uint32_t)which, .pos = pos};
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
	char *text = glc_bump(s->tree->memory, 11);

	if (!text) {
		s->tree->failed = true;
		return (struct glc_operand){.kind = GLC_LITERAL};
	}
	text[0] = '0';
	text[1] = 'f';
	for (int i = 0; i < 8; i++)
		text[2 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
	return glc_tree_literal(s->tree, (struct glc_name){text, 10}, s->row->pos);
}

static struct glc_operand register_of(struct stream *s, struct glc_name name)
{
	return glc_tree_register(s->tree, name, glc_name_key(name, '%'), s->row->pos);
}

/* Register `number` of a file, named %f0 … or %r0 … */
static struct glc_operand name_register(struct stream *s, char file, uint32_t number)
{
	struct glc_operand *slot = file == 'f' ? &s->f[number] : &s->r[number];
	uint64_t *named = file == 'f' ? &s->named_f : &s->named_r;
	char *text;

	if (!(*named >> number & 1)) {
		uint32_t n = 0;

		text = glc_bump(s->tree->memory, 4);
		if (!text) {
			s->tree->failed = true;
			return *slot;
		}
		text[n++] = file;
		if (number >= 10)
			text[n++] = (char)('0' + number / 10);
		text[n++] = (char)('0' + number % 10);
		*slot = register_of(s, (struct glc_name){text, n});
		*named |= UINT64_C(1) << number;
	}
	slot->pos = s->row->pos;
	return *slot;
}

static bool number_of(struct stream *s, char file, char which, int64_t value)
{
	if (value >= 0 && value < REGISTERS)
		return true;
	glc_fail(s->tree->diag, GLC_GA_ROW_REGISTER, s->row->pos, s->index, which, (long long)value, file);
	return false;
}

static void set_zero(struct stream *s, char file, struct glc_operand reg)
{
	struct glc_stmt *stmt = begin(s, GLC_OP_LoadConstant, file == 'f' ? GLC_F32 : GLC_U32, reg.index);

	glc_tree_operand(s->tree, stmt, glc_tree_literal(s->tree, fixed("0"), s->row->pos));
}

/* A register that is read: it holds 0 if nothing was written to it before. */
static bool source(struct stream *s, char file, char which, int64_t value, struct glc_operand *reg)
{
	uint64_t *set = file == 'f' ? &s->set_f : &s->set_r;

	if (!number_of(s, file, which, value))
		return false;
	*reg = name_register(s, file, (uint32_t)value);
	if (!(*set >> value & 1)) {
		glc_warn(s->tree->diag, GLC_GA_ROW_UNSET, s->row->pos, s->index, file, (int)value);
		set_zero(s, file, *reg);
		*set |= UINT64_C(1) << value;
	}
	return true;
}

static bool target(struct stream *s, char file, int64_t value, struct glc_operand *reg)
{
	if (!number_of(s, file, 'D', value))
		return false;
	*reg = name_register(s, file, (uint32_t)value);
	*(file == 'f' ? &s->set_f : &s->set_r) |= UINT64_C(1) << value;
	return true;
}

static void open_guard(struct stream *s)
{
	struct glc_stmt *stmt = begin(s, GLC_OP_If, GLC_VOID, GLC_NO_VALUE);

	glc_tree_operand(s->tree, stmt, s->in);
	glc_tree_enter(s->tree, GLC_MAX_NESTING);
}

/* Memory: which object, how it is used. */
static bool memory_row(struct stream *s, enum glc_op op)
{
	struct glc_tree *tree = s->tree;
	struct glc_decl *decls = glc_tree_current(tree)->decls.at;
	const int64_t *v = s->row->value;
	struct glc_operand index, value, result = {0};
	bool shared = op == GLC_OP_LoadShared || op == GLC_OP_StoreShared;
	bool loads = op == GLC_OP_LoadGlobal || op == GLC_OP_LoadShared;
	int which = shared ? SMEM : loads ? (int)v[1] : OUTPUT;
	struct glc_stmt *stmt;

	if (op == GLC_OP_LoadGlobal && (v[1] < 0 || v[1] > 1)) {
		glc_fail(tree->diag, GLC_GA_ROW_BUFFER, s->row->pos, s->index, (long long)v[1]);
		return false;
	}
	if (!source(s, 'r', 'B', v[2], &index) || (!loads && !source(s, 'f', 'A', v[1], &value)))
		return false;
	if (loads || op == GLC_OP_AtomicAdd) {
		if (!target(s, 'f', v[3], &result))
			return false;
		if (op == GLC_OP_AtomicAdd)
			decls[OUTPUT].access = GLC_READWRITE;
		/* A store's value may be the register that takes the old one: zero it in the other arm. */
		else
			set_zero(s, 'f', result);
	}
	open_guard(s);
	stmt = begin(s, op, GLC_F32, loads || op == GLC_OP_AtomicAdd ? result.index : GLC_NO_VALUE);
	glc_tree_operand(tree, stmt, object(which, s->row->pos));
	glc_tree_operand(tree, stmt, index);
	if (!loads)
		glc_tree_operand(tree, stmt, value);
	if (op == GLC_OP_AtomicAdd) {
		glc_tree_else(tree, s->row->pos);
		set_zero(s, 'f', result);
	}
	glc_tree_end(tree, s->row->pos);
	return true;
}

static bool plain_row(struct stream *s, enum glc_op op)
{
	struct glc_tree *tree = s->tree;
	struct shape shape = shapes[op];
	const int64_t *v = s->row->value;
	struct glc_operand a, b, d = {0}, before;
	struct glc_stmt *stmt;

	if (shape.a == 'f' && !source(s, 'f', 'A', v[1], &a))
		return false;
	if (shape.b == 'f' && !source(s, 'f', 'B', v[2], &b))
		return false;
	if (op == GLC_OP_Fma && !source(s, 'f', 'D', v[3], &before))
		return false;
	if (shape.b == 'm' && (v[2] < 0 || v[2] > 31)) {
		glc_fail(tree->diag, GLC_GA_ROW_MASK, s->row->pos, s->index, (long long)v[2]);
		return false;
	}
	if (shape.a == 'k' && (v[1] < INT32_MIN || v[1] > UINT32_MAX)) {
		glc_fail(tree->diag, GLC_GA_ROW_BITS, s->row->pos, s->index, (long long)v[1]);
		return false;
	}
	if (shape.d != '-' && !target(s, shape.d, v[3], &d))
		return false;

	stmt = begin(s, op, shape.d == 'f' ? GLC_F32 : GLC_VOID,
		     shape.d == '-' ? GLC_NO_VALUE : d.index);
	if (shape.a == 'k')
		glc_tree_operand(tree, stmt, bits(s, (uint32_t)v[1]));
	if (shape.a == 'f')
		glc_tree_operand(tree, stmt, a);
	if (shape.b == 'f')
		glc_tree_operand(tree, stmt, b);
	if (op == GLC_OP_Fma)
		glc_tree_operand(tree, stmt, before);
	if (shape.b == 'm') {
		static const char digits[] = "012345678910111213141516171819202122232425262728293031";
		uint32_t mask = v[2] ? (uint32_t)v[2] : 16;
		struct glc_name text = mask < 10 ? (struct glc_name){digits + mask, 1}
						 : (struct glc_name){digits + 10 + (mask - 10) * 2, 2};

		glc_tree_operand(tree, stmt, glc_tree_literal(tree, text, s->row->pos));
		glc_tree_current(tree)->has_subgroup = true;
	}
	return true;
}

static void prologue(struct stream *s)
{
	struct glc_stmt *stmt;

	s->gid = register_of(s, fixed("gid"));
	s->in = register_of(s, fixed("in"));
	begin(s, GLC_OP_GlobalId, GLC_VOID, s->gid.index);
	stmt = begin(s, GLC_OP_Lt, GLC_U32, s->in.index);
	glc_tree_operand(s->tree, stmt, s->gid);
	glc_tree_operand(s->tree, stmt, object(COUNT, s->row->pos));
}

void glc_stream_end(struct glc_tree *tree)
{
	struct glc_tree_kernel *kernel = glc_tree_current(tree);
	struct glc_row start = {.pos = kernel->pos};
	struct stream s = {.tree = tree, .row = &start};

	kernel->row_count = tree->rows.count - kernel->first_row;
	prologue(&s);
	for (uint32_t i = 0; i < kernel->row_count && !tree->failed; i++) {
		int64_t op;

		s.row = &tree->rows.at[kernel->first_row + i];
		s.index = i;
		op = s.row->value[0];
		if (op < 0 || op >= GLC_LEGACY_OP_COUNT) {
			glc_fail(tree->diag, GLC_GA_ROW_OPCODE, s.row->pos, i, (long long)op);
		} else if (shapes[op].a == 'n' || shapes[op].b == 'r') {
			memory_row(&s, (enum glc_op)op);
		} else {
			plain_row(&s, (enum glc_op)op);
		}
		if (tree->diag->errors >= glc_max_errors(tree->diag))
			return;
	}
	if (kernel->has_subgroup)
		kernel->subgroup = glc_tree_literal(tree, fixed("32"), kernel->pos);
}
