/* SPDX-License-Identifier: MIT */
/* The signature of a stream, and all that can be wrong with its rows. */
#include "ir/stream.h"

#include <string.h>

const struct glc_row_shape glc_row_shapes[GLC_LEGACY_OP_COUNT] = {
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

static const struct {
	char name[8];
	uint8_t kind, type, access;
} legacy[] = {
	[GLC_INPUT_A] = {"input_a", GLC_OBJECT_BUFFER, GLC_F32, GLC_READ},
	[GLC_INPUT_B] = {"input_b", GLC_OBJECT_BUFFER, GLC_F32, GLC_READ},
	[GLC_OUTPUT] = {"output", GLC_OBJECT_BUFFER, GLC_F32, GLC_WRITE},
	[GLC_COUNT] = {"n", GLC_OBJECT_SCALAR, GLC_U32, 0},
	[GLC_SMEM] = {"smem", GLC_OBJECT_SHARED, GLC_F32, 0},
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
	if (!GLC_RESERVE(tree->memory, &kernel->decls, GLC_SMEM + 1)) {
		tree->failed = true;
		return;
	}
	for (int i = 0; i <= GLC_SMEM; i++)
		kernel->decls.at[i] = (struct glc_decl){
			.name = fixed(legacy[i].name),
			.pos = kernel->pos,
			.kind = legacy[i].kind,
			.type = legacy[i].type,
			.access = legacy[i].access,
		};
	kernel->decls.at[GLC_SMEM].extent = glc_tree_literal(tree, fixed("1024"), kernel->pos);
	kernel->decls.count = GLC_SMEM + 1;
	kernel->param_count = GLC_SMEM;
}

/* As for other kernels (kernel.c), at once: a stream is built only when it is written. */
bool glc_stream_workgroup(struct glc_tree *tree)
{
	const struct glc_tree_kernel *kernel = glc_tree_current(tree);
	static const char what[] = "a workgroup size";
	uint64_t size;

	for (uint32_t i = 0; i < kernel->workgroup_count; i++) {
		struct glc_operand operand = kernel->workgroup[i];
		struct glc_name name = glc_operand_name(tree, kernel, operand);

		if (operand.kind != GLC_LITERAL) {
			glc_fail(tree->diag, GLC_GA_NOT_AN_EXTENT, operand.pos, (int)name.bytes, name.at, what);
			return false;
		}
		if (!glc_literal_read(tree->diag, name, operand.pos, GLC_U32, &size))
			return false;
		if (!size) {
			glc_fail(tree->diag, GLC_GA_ZERO, operand.pos, what);
			return false;
		}
	}
	return true;
}

struct stream {
	struct glc_tree *tree;
	const struct glc_row *row;
	uint32_t index;                /* of the row, for messages */
	/* Which registers hold a value by now: a byte each, 0 or 1. */
	uint8_t set_f[GLC_STREAM_REGISTERS], set_r[GLC_STREAM_REGISTERS];
};

static bool is_register(struct stream *s, char file, char which, int64_t value)
{
	if (value >= 0 && value < GLC_STREAM_REGISTERS)
		return true;
	glc_fail(s->tree->diag, GLC_GA_ROW_REGISTER, s->row->pos, s->index, which, (long long)value, file);
	return false;
}

/* Everything that can be wrong with a row; false after a diagnostic. */
static bool check_row(struct stream *s)
{
	const int64_t *v = s->row->value;
	struct glacier_diag *diag = s->tree->diag;
	struct glc_row_shape shape;

	if (v[0] < 0 || v[0] >= GLC_LEGACY_OP_COUNT) {
		glc_fail(diag, GLC_GA_ROW_OPCODE, s->row->pos, s->index, (long long)v[0]);
		return false;
	}
	shape = glc_row_shapes[v[0]];
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

/* A register that is read: it holds 0 if nothing was written to it before. */
static inline void reads(struct stream *s, char file, int64_t number)
{
	uint8_t *set = file == 'f' ? s->set_f : s->set_r;

	if (set[number])
		return;
	set[number] = 1;
	glc_warn(s->tree->diag, GLC_GA_ROW_UNSET, s->row->pos, s->index, file, (int)number);
}

static void note_registers(struct stream *s)
{
	const int64_t *v = s->row->value;
	struct glc_row_shape shape = glc_row_shapes[v[0]];

	if (shape.a == 'f')
		reads(s, 'f', v[1]);
	if (shape.b == 'f' || shape.b == 'r')
		reads(s, shape.b, v[2]);
	if (v[0] == GLC_OP_Fma)
		reads(s, 'f', v[3]);
	if (shape.d != '-')
		(shape.d == 'f' ? s->set_f : s->set_r)[v[3]] = 1;
}

/* How many rows from `at` on are Add and its like, right, of registers that hold something. */
static uint32_t plain_rows(struct stream *s, const struct glc_row *at, uint32_t count)
{
	uint32_t n = 0;

	for (; n < count; n++) {
		const int64_t *v = at[n].value;

		if ((uint64_t)(v[0] - GLC_OP_Add) > GLC_OP_Div - GLC_OP_Add ||
		    ((uint64_t)v[1] | (uint64_t)v[2] | (uint64_t)v[3]) >= GLC_STREAM_REGISTERS ||
		    !(s->set_f[v[1]] & s->set_f[v[2]]))
			break;
		s->set_f[v[3]] = 1;
	}
	return n;
}

void glc_stream_end(struct glc_tree *tree)
{
	struct glc_tree_kernel *kernel = glc_tree_current(tree);
	uint32_t count = kernel->row_count = tree->rows.count - kernel->first_row;
	struct stream s = {.tree = tree};
	bool returned = false;

	for (uint32_t i = 0; i < count && tree->diag->errors < glc_max_errors(tree->diag); i++) {
		s.row = &tree->rows.at[kernel->first_row + i];
		if (!returned) {
			uint32_t plain = plain_rows(&s, s.row, count - i);

			i += plain;
			s.row += plain;
			kernel->live_rows = i;
			if (i == count)
				break;
		}
		s.index = i;
		if (!check_row(&s))
			continue;
		if (returned) {
			/* Said once, of the first; what follows is still checked, and dropped. */
			if (kernel->live_rows == i)
				glc_warn(tree->diag, GLC_GA_UNREACHABLE, s.row->pos);
			continue;
		}
		kernel->live_rows = i + 1;
		note_registers(&s);
		returned = s.row->value[0] == GLC_OP_Return;
		if (s.row->value[0] == GLC_OP_ShflSyncBfly)
			kernel->has_subgroup = true;
		if (s.row->value[0] == GLC_OP_AtomicAdd)
			kernel->decls.at[GLC_OUTPUT].access = GLC_READWRITE;
	}
	if (kernel->has_subgroup)
		kernel->subgroup = glc_tree_literal(tree, fixed("32"), kernel->pos);
}
