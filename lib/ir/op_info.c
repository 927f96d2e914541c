/* SPDX-License-Identifier: MIT */
/* The opcode table as callers see it, and as a list for people and programs. */
#include <glacier/opcode.h>

#include "base/buf.h"
#include "ir/ops.h"

#include <string.h>

/* The public numbers are those of ops.def, which a C program does not have. */
#define SAME(NAME, name) _Static_assert((int)GLACIER_OP_##NAME == (int)GLC_OP_##name, #name);
SAME(NOP, Nop)
SAME(ADD, Add)
SAME(SUB, Sub)
SAME(MUL, Mul)
SAME(DIV, Div)
SAME(FMA, Fma)
SAME(NEG, Neg)
SAME(ABS, Abs)
SAME(MIN, Min)
SAME(MAX, Max)
SAME(SQRT, Sqrt)
SAME(RSQRT, Rsqrt)
SAME(EXP, Exp)
SAME(LOG, Log)
SAME(TANH, Tanh)
SAME(LOAD_GLOBAL, LoadGlobal)
SAME(STORE_GLOBAL, StoreGlobal)
SAME(LOAD_SHARED, LoadShared)
SAME(STORE_SHARED, StoreShared)
SAME(LOAD_CONSTANT, LoadConstant)
SAME(SHFL_SYNC_BFLY, ShflSyncBfly)
SAME(BARRIER_SYNC, BarrierSync)
SAME(LOCAL_ID, LocalId)
SAME(GLOBAL_ID, GlobalId)
SAME(ATOMIC_ADD, AtomicAdd)
SAME(RETURN, Return)
SAME(MOV, Mov)
SAME(SELECT, Select)
SAME(REM, Rem)
SAME(CLAMP, Clamp)
SAME(MUL_HI, MulHi)
SAME(MUL_WIDE, MulWide)
SAME(ADD_CARRY, AddCarry)
SAME(SUB_BORROW, SubBorrow)
SAME(RCP, Rcp)
SAME(FLOOR, Floor)
SAME(CEIL, Ceil)
SAME(TRUNC, Trunc)
SAME(ROUND, Round)
SAME(FRACT, Fract)
SAME(SIGN, Sign)
SAME(COPY_SIGN, CopySign)
SAME(LDEXP, Ldexp)
SAME(EXP2, Exp2)
SAME(LOG2, Log2)
SAME(POW, Pow)
SAME(SIN, Sin)
SAME(COS, Cos)
SAME(TAN, Tan)
SAME(SINH, Sinh)
SAME(COSH, Cosh)
SAME(ASIN, Asin)
SAME(ACOS, Acos)
SAME(ATAN, Atan)
SAME(ATAN2, Atan2)
SAME(ERF, Erf)
SAME(AND, And)
SAME(OR, Or)
SAME(XOR, Xor)
SAME(NOT, Not)
SAME(SHL, Shl)
SAME(SHR, Shr)
SAME(POP_COUNT, PopCount)
SAME(COUNT_LEADING_ZEROS, CountLeadingZeros)
SAME(COUNT_TRAILING_ZEROS, CountTrailingZeros)
SAME(REVERSE_BITS, ReverseBits)
SAME(EXTRACT_BITS, ExtractBits)
SAME(INSERT_BITS, InsertBits)
SAME(EQ, Eq)
SAME(NE, Ne)
SAME(LT, Lt)
SAME(LE, Le)
SAME(GT, Gt)
SAME(GE, Ge)
SAME(IS_NAN, IsNan)
SAME(IS_INF, IsInf)
SAME(IS_FINITE, IsFinite)
SAME(CVT, Cvt)
SAME(BITCAST, Bitcast)
SAME(LOAD_LOCAL, LoadLocal)
SAME(STORE_LOCAL, StoreLocal)
SAME(LOAD_CONST, LoadConst)
SAME(LENGTH, Length)
SAME(FENCE, Fence)
SAME(GROUP_ID, GroupId)
SAME(WORKGROUP_SIZE, WorkgroupSize)
SAME(GROUP_COUNT, GroupCount)
SAME(GLOBAL_SIZE, GlobalSize)
SAME(LOCAL_INDEX, LocalIndex)
SAME(SUBGROUP_SIZE, SubgroupSize)
SAME(SUBGROUP_ID, SubgroupId)
SAME(LANE_ID, LaneId)
#undef SAME
_Static_assert((int)GLACIER_OP_COUNT == (int)GLC_OP_Param, "an opcode has no public number");
_Static_assert((int)GLACIER_TYPE_COUNT == (int)GLC_TYPE_COUNT && (int)GLACIER_F64 == (int)GLC_F64,
	       "a type has no public number");

static const char operand_letters[] = "vbisuefnghmlk";
_Static_assert(sizeof operand_letters - 1 == GLACIER_OPERAND_KIND_COUNT, "a kind of operand has no letter");

static const char result_letters[] = "-T?BWU";
_Static_assert(sizeof result_letters - 1 == GLACIER_RESULT_KIND_COUNT, "a kind of result has no letter");

static const struct {
	uint8_t row, given;
} flags[] = {
	{GLC_PURE, GLACIER_OPCODE_PURE},   {GLC_COMMUTES, GLACIER_OPCODE_COMMUTES},
	{GLC_DIM, GLACIER_OPCODE_DIMENSION}, {GLC_SCOPE, GLACIER_OPCODE_SCOPE},
	{GLC_TWO, GLACIER_OPCODE_FROM},    {GLC_CONVERGE, GLACIER_OPCODE_CONVERGES},
	{GLC_NATIVE, GLACIER_OPCODE_APPROX},
};

bool glacier_opcode_info(enum glacier_opcode opcode, struct glacier_opcode_info *info)
{
	const struct glc_op_facts *facts;

	if ((unsigned)opcode >= GLACIER_OP_COUNT)
		return false;
	facts = &glc_ops[opcode];
	memset(info, 0, sizeof *info);
	info->name = glc_op_name((enum glc_op)opcode);
	info->opcode = opcode;
	info->result = (enum glacier_result_kind)(strchr(result_letters, facts->result) - result_letters);
	for (const char *letter = facts->operands; *letter; letter++)
		info->operands[info->operand_count++] =
			(enum glacier_operand_kind)(strchr(operand_letters, *letter) - operand_letters);
	info->types = facts->types;
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (facts->flags & flags[i].row)
			info->flags |= flags[i].given;
	if ((int)opcode < (int)GLC_LEGACY_OP_COUNT)
		info->flags |= GLACIER_OPCODE_STREAM;
	return true;
}

enum glacier_opcode glacier_opcode_find(const char *name)
{
	for (int op = 0; op < GLACIER_OP_COUNT; op++)
		if (!strcmp(name, glc_op_name((enum glc_op)op)))
			return (enum glacier_opcode)op;
	return GLACIER_OP_COUNT;
}

const char *glacier_type_name(enum glacier_type type)
{
	return glc_types[(unsigned)type < GLACIER_TYPE_COUNT ? (enum glc_type)type : GLC_VOID].name;
}

/* --- The list ------------------------------------------------------------ */

static const char operand_names[GLACIER_OPERAND_KIND_COUNT][14] = {
	[GLACIER_OPERAND_VALUE] = "value",   [GLACIER_OPERAND_BOOL] = "bool",
	[GLACIER_OPERAND_INDEX] = "index",   [GLACIER_OPERAND_SHIFT] = "amount",
	[GLACIER_OPERAND_U32] = "u32",       [GLACIER_OPERAND_I32] = "i32",
	[GLACIER_OPERAND_FROM] = "from",     [GLACIER_OPERAND_LITERAL] = "literal",
	[GLACIER_OPERAND_BUFFER] = "@buffer", [GLACIER_OPERAND_SHARED] = "@shared",
	[GLACIER_OPERAND_MEMORY] = "@memory", [GLACIER_OPERAND_LOCAL] = "@local",
	[GLACIER_OPERAND_CONST] = "@const",
};

static const char result_names[GLACIER_RESULT_KIND_COUNT][10] = {
	[GLACIER_RESULT_NONE] = "",          [GLACIER_RESULT_TYPE] = "type",
	[GLACIER_RESULT_OPTIONAL] = "[type]", [GLACIER_RESULT_BOOL] = "bool",
	[GLACIER_RESULT_WIDE] = "wide",      [GLACIER_RESULT_U32] = "u32",
};

static const char flag_names[8][10] = {
	"pure", "commutes", "dimension", "scope", "from", "converges", "approx", "stream",
};

/* "Add.type value, value", and what is before it: the result. */
static void spell(char out[80], const struct glacier_opcode_info *info)
{
	char *at = out;

	if (info->result != GLACIER_RESULT_NONE)
		at = stpcpy(stpcpy(at, result_names[info->result]), " = ");
	at = stpcpy(at, info->name);
	if (info->types)
		at = stpcpy(at, ".type");
	if (info->flags & GLACIER_OPCODE_FROM)
		at = stpcpy(at, ".from");
	if (info->flags & GLACIER_OPCODE_APPROX)
		at = stpcpy(at, "[.approx]");
	if (info->flags & GLACIER_OPCODE_DIMENSION)
		at = stpcpy(at, "[.x|.y|.z]");
	if (info->flags & GLACIER_OPCODE_SCOPE)
		at = stpcpy(at, "[.order][.scope]");
	for (uint32_t i = 0; i < info->operand_count; i++)
		at = stpcpy(stpcpy(at, i ? ", " : " "), operand_names[info->operands[i]]);
	*at = '\0';
}

/* The names of the bits that are set, with `between` between them and `quote` around each. */
static void put_types(struct glc_writer *out, uint32_t types, const char *between, const char *quote)
{
	bool first = true;

	for (int type = GLACIER_BOOL; type < GLACIER_TYPE_COUNT; type++) {
		if (!(types >> type & 1))
			continue;
		glc_printf(out, "%s%s%s%s", first ? "" : between, quote, glc_types[type].name, quote);
		first = false;
	}
}

static void put_line(struct glc_writer *out, const struct glacier_opcode_info *info)
{
	char number[24] = "-", form[80];

	spell(form, info);
	if (info->flags & GLACIER_OPCODE_STREAM)
		*glc_decimal((unsigned char *)number, (uint64_t)info->opcode) = '\0';
	glc_printf(out, info->types ? "%2s  %-63s" : "%2s  %s", number, form);
	put_types(out, info->types, " ", "");
	glc_putc(out, '\n');
}

static void put_object(struct glc_writer *out, const struct glacier_opcode_info *info)
{
	bool first = true;

	glc_printf(out, "  {\"name\": \"%s\", \"number\": ", info->name);
	if (info->flags & GLACIER_OPCODE_STREAM)
		glc_printf(out, "%d", (int)info->opcode);
	else
		glc_puts(out, "null");
	glc_printf(out, ", \"result\": \"%s\", \"operands\": [", result_names[info->result]);
	for (uint32_t i = 0; i < info->operand_count; i++)
		glc_printf(out, "%s\"%s\"", i ? ", " : "", operand_names[info->operands[i]]);
	glc_puts(out, "], \"types\": [");
	put_types(out, info->types, ", ", "\"");
	glc_puts(out, "], \"flags\": [");
	for (int bit = 0; bit < 8; bit++) {
		if (!(info->flags >> bit & 1))
			continue;
		glc_printf(out, "%s\"%s\"", first ? "" : ", ", flag_names[bit]);
		first = false;
	}
	glc_puts(out, "]}");
}

enum glacier_status glacier_opcode_list(bool json, struct glacier_buffer *buffer)
{
	struct glacier_opcode_info info;
	struct glc_writer out;

	glc_writer_begin(&out, buffer);
	if (json)
		glc_puts(&out, "[\n");
	for (int op = 0; op < GLACIER_OP_COUNT; op++) {
		glacier_opcode_info((enum glacier_opcode)op, &info);
		if (json) {
			put_object(&out, &info);
			glc_printf(&out, op + 1 < GLACIER_OP_COUNT ? ",\n" : "\n");
		} else {
			put_line(&out, &info);
		}
	}
	if (json)
		glc_puts(&out, "]\n");
	return glc_writer_end(&out) ? GLACIER_OK : GLACIER_ERR_NOMEM;
}
