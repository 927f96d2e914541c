/* SPDX-License-Identifier: MIT */
/*
 * Instructions that make a value from values. Most are one line: the mnemonic of ops.def,
 * a type suffix, the operands in the order of the language. The rest are patterns.
 */
#include "ptx/emit.h"

const uint8_t glc_ptx_class[GLC_TYPE_COUNT] = {
	[GLC_BOOL] = CLASS_P, [GLC_I32] = CLASS_R,  [GLC_U32] = CLASS_R,  [GLC_I64] = CLASS_RD,
	[GLC_U64] = CLASS_RD, [GLC_F32] = CLASS_F,  [GLC_F64] = CLASS_FD,
};

const char glc_ptx_suffix[GLC_TYPE_COUNT][4] = {
	[GLC_I32] = ".s32", [GLC_U32] = ".u32", [GLC_I64] = ".s64",
	[GLC_U64] = ".u64", [GLC_F32] = ".f32", [GLC_F64] = ".f64",
};

const char glc_ptx_bits_suffix[GLC_TYPE_COUNT][4] = {
	[GLC_I32] = ".b32", [GLC_U32] = ".b32", [GLC_I64] = ".b64",
	[GLC_U64] = ".b64", [GLC_F32] = ".b32", [GLC_F64] = ".b64",
};

/* ops.def's mnemonics by class. Copied 16 bytes at a time, whatever they need. */
static const struct row {
	char text[GLC_CLASS_COUNT][17];
	uint8_t bytes[GLC_CLASS_COUNT];
	uint8_t operands;
} rows[GLC_OP_COUNT] = {
#define OP(name, operands_, result, types, flags, sf, ss, su, sb, f, s, u, b)              \
	{.text = {f, s, u, b},                                                             \
	 .bytes = {sizeof f - 1, sizeof s - 1, sizeof u - 1, sizeof b - 1},                \
	 .operands = sizeof operands_ - 1},
#include "ir/ops.def"
#undef OP
};

static inline unsigned char *put_mnemonic(unsigned char *at, uint32_t op, enum glc_type type)
{
	const struct row *row = &rows[op];
	uint32_t klass = glc_types[type].klass;

	*at++ = '\t';
	memcpy(at, row->text[klass], 16);
	return at + row->bytes[klass];
}

static inline unsigned char *put_suffix(unsigned char *at, const char (*suffix)[4], enum glc_type type)
{
	return (unsigned char *)memcpy(at, suffix[type], 4) + 4;
}

static inline unsigned char *comma(unsigned char *at)
{
	return TEXT(at, ", ");
}

const char glc_ptx_register_prefix[CLASS_COUNT][4] = {"%p", "%r", "%rd", "%f", "%fd"};
const uint8_t glc_ptx_prefix_bytes[CLASS_COUNT] = {2, 2, 3, 2, 3};

/* Eight digits at once: a nibble in each byte, the first one lowest, and what is above 9 moved to the letters. */
static unsigned char *put_hex(unsigned char *at, uint64_t bits, uint32_t digits)
{
	for (uint32_t shift = digits * 4; shift; at += 8) {
		uint64_t nibbles, letters;
		unsigned char text[8];

		shift -= 32;
		nibbles = (uint32_t)(bits >> shift);
		nibbles = (nibbles << 16 | nibbles) & 0x0000ffff0000ffffu;
		nibbles = (nibbles << 8 | nibbles) & 0x00ff00ff00ff00ffu;
		nibbles = (nibbles << 4 | nibbles) & 0x0f0f0f0f0f0f0f0fu;
		letters = (nibbles + 0x0606060606060606u) >> 4 & 0x0101010101010101u;
		nibbles += 0x3030303030303030u + letters * ('A' - '9' - 1);
		for (int i = 0; i < 8; i++)
			text[i] = (unsigned char)(nibbles >> (56 - 8 * i));
		memcpy(at, text, 8);
	}
	return at;
}

unsigned char *glc_ptx_constant(const struct emitter *e, unsigned char *at, uint32_t constant)
{
	const struct glc_const *value = glc_const_at(e->ir, constant);
	int64_t number;

	switch ((enum glc_type)value->type) {
	case GLC_F32:
		return put_hex(TEXT(at, "0f"), value->bits, 8);
	case GLC_F64:
		return put_hex(TEXT(at, "0d"), value->bits, 16);
	case GLC_I32:
		number = (int32_t)(uint32_t)value->bits;
		break;
	case GLC_I64:
		number = (int64_t)value->bits;
		/* Its magnitude is no signed number, so that a minus before it says something else. */
		if (number == INT64_MIN)
			return TEXT(at, "0x8000000000000000");
		break;
	default:
		return glc_decimal(at, value->bits);
	}
	if (number < 0) {
		*at++ = '-';
		number = -number;
	}
	return glc_decimal(at, (uint64_t)number);
}

static unsigned char *put_mov(unsigned char *at, enum register_class klass)
{
	static const char text[CLASS_COUNT][16] = {
		"\tmov.pred ", "\tmov.b32 ", "\tmov.b64 ", "\tmov.f32 ", "\tmov.f64 ",
	};

	memcpy(at, text[klass], 16);
	return at + (klass == CLASS_P ? 10 : 9);
}

uint32_t glc_ptx_in_register(struct emitter *e, uint32_t op, enum glc_type type)
{
	uint32_t reg;
	unsigned char *at;

	if (!glc_is_const(op))
		return op;
	reg = new_register(e, glc_ptx_class[type]);
	at = put_mov(begin_line(e), glc_ptx_class[type]);
	at = comma(put_register(at, reg));
	end_line(e, put_operand(e, at, op));
	return reg;
}

void glc_ptx_move(struct emitter *e, uint32_t d, uint32_t a, struct guard guard)
{
	unsigned char *at = begin_line(e);

	if (guard.reg) {
		at = guard.negated ? TEXT(at, "\t@!") : TEXT(at, "\t@");
		at = put_register(at, guard.reg);
		*at = ' ';
		/* The blank takes the place of the tab. */
		at = put_mov(at, REGISTER_CLASS(d));
		at[REGISTER_CLASS(d) == CLASS_P ? -10 : -9] = ' ';
	} else {
		at = put_mov(at, REGISTER_CLASS(d));
	}
	at = comma(put_register(at, d));
	end_line(e, put_operand(e, at, a));
}

static uint32_t fresh(struct emitter *e, uint32_t temps[32], unsigned char letter)
{
	if (!temps[letter & 31])
		temps[letter & 31] = new_register(e, letter == 'p' || letter == 'q'   ? CLASS_P
						: letter == 'r' || letter == 's' ? CLASS_R
						: letter == 'l'                  ? CLASS_RD
										 : CLASS_F);
	return temps[letter & 31];
}

void glc_ptx_expand(struct emitter *e, const char *pattern, uint32_t d, uint32_t a, uint32_t b,
		    uint32_t c)
{
	uint32_t operands[32] = {['d' & 31] = d, ['a' & 31] = a, ['b' & 31] = b, ['c' & 31] = c};
	unsigned char *at = begin_line(e);

	for (; *pattern; pattern++) {
		if (*pattern != '$') {
			*at++ = (unsigned char)*pattern;
			if (*pattern != '\n')
				continue;
			e->out.at = at;
			at = begin_line(e);
			continue;
		}
		pattern++;
		at = put_operand(e, at,
				 *pattern <= 'd' ? operands[*pattern & 31]
						 : fresh(e, operands, (unsigned char)*pattern));
	}
	e->out.at = at;
}

/* MNEMONIC.type d, a, b, c */
static void plain(struct emitter *e, uint32_t index, const char (*suffix)[4])
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	enum glc_type type = inst->type;
	unsigned char *at = put_suffix(put_mnemonic(begin_line(e), inst->op, type), suffix, type);
	uint32_t d = new_register(e, glc_ptx_class[type]);

	*at++ = ' ';
	at = put_register(at, d);
	for (uint32_t i = 0; i < rows[inst->op].operands; i++)
		at = put_value(e, comma(at), inst->arg[i]);
	end_line(e, at);
	e->places[index] = d;
}

static inline bool is_plain(const struct glc_inst *inst)
{
	const uint64_t two = UINT64_C(1) << GLC_OP_Add | UINT64_C(1) << GLC_OP_Sub | UINT64_C(1) << GLC_OP_Mul |
			     UINT64_C(1) << GLC_OP_Div | UINT64_C(1) << GLC_OP_Min | UINT64_C(1) << GLC_OP_Max;

	return inst->op < 64 && two >> inst->op & 1 && !(inst->mods & GLC_MOD_APPROX);
}

uint32_t glc_ptx_plain_run(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index], *end = &e->kernel->insts[e->kernel->inst_count];
	struct spelling *spellings = e->spellings;
	enum register_class klass = CLASS_P;
	uint32_t number = e->counts[klass], first_register = 0, prefix = 0, prefix_bytes = 0, *places = e->places;
	unsigned char lead[32], *at = e->out.at, *room = e->out.end, *behind;   /* "\tadd.rn.f32 " */
	uint64_t head, last = UINT64_MAX;   /* all that the lead depends on: no opcode is all ones */
	size_t lead_bytes = 0;

	for (; inst < end; inst++, index++) {
		struct spelling *made = &spellings[index];

		_Static_assert(offsetof(struct glc_inst, arg) == sizeof head, "what stands before the arguments");
		memcpy(&head, inst, sizeof head);
		if (head != last) {
			if (!is_plain(inst))
				break;
			last = head;
			e->counts[klass] = number;
			klass = glc_ptx_class[inst->type];
			number = e->counts[klass];
			first_register = REGISTER(klass, 0);
			memcpy(&prefix, glc_ptx_register_prefix[klass], sizeof prefix);
			prefix_bytes = glc_ptx_prefix_bytes[klass];
			lead_bytes = (size_t)(put_suffix(put_mnemonic(lead, inst->op, inst->type), glc_ptx_suffix,
							 inst->type) - lead);
			lead[lead_bytes++] = ' ';
		}
		if ((size_t)(room - at) < LINE_BYTES) {
			e->out.at = at;
			at = begin_line(e);
			room = e->out.end;
		}
		memcpy(at, lead, 16);
		at += lead_bytes;
		places[index] = first_register + ++number;
		memcpy(made->text, &prefix, sizeof prefix);
		behind = comma(glc_decimal(made->text + prefix_bytes, number));
		made->bytes = (uint8_t)(behind - made->text);
		memcpy(at, made, sizeof *made);
		at += made->bytes;
		at = put_listed(e, spellings, at, inst->arg[0]);
		at = TEXT(put_listed(e, spellings, at, inst->arg[1]) - 2, ";\n");
	}
	e->counts[klass] = number;
	e->out.at = at;
	return index;
}

/* setp and testp: the suffix is the operands', the result a predicate. */
static void compare(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	enum glc_type type = inst->from;
	unsigned char *at = put_suffix(put_mnemonic(begin_line(e), inst->op, type), glc_ptx_suffix, type);
	uint32_t d = new_register(e, CLASS_P);

	*at++ = ' ';
	at = put_register(at, d);
	for (uint32_t i = 0; i < rows[inst->op].operands; i++)
		at = put_value(e, comma(at), inst->arg[i]);
	end_line(e, at);
	e->places[index] = d;
}

/* Bits, or bools: selp, lop and setp have no predicate operands, so those are patterns. */
static void pattern(struct emitter *e, uint32_t index, const char *text, enum glc_type type)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	uint32_t args[3] = {0, 0, 0}, d;

	for (uint32_t i = 0; i < rows[inst->op].operands && i < 3; i++) {
		args[i] = operand(e, inst->arg[i]);
		if (type == GLC_BOOL)
			args[i] = glc_ptx_in_register(e, args[i], GLC_BOOL);
	}
	d = new_register(e, glc_ptx_class[inst->type]);
	glc_ptx_expand(e, text, d, args[0], args[1], args[2]);
	e->places[index] = d;
}

static void logic(struct emitter *e, uint32_t index)
{
	const char *text = NULL;

	switch ((enum glc_op)e->kernel->insts[index].op) {
	case GLC_OP_And: text = "\tand.pred $d, $a, $b;\n"; break;
	case GLC_OP_Or: text = "\tor.pred $d, $a, $b;\n"; break;
	case GLC_OP_Not: text = "\tnot.pred $d, $a;\n"; break;
	case GLC_OP_Eq: text = "\txor.pred $p, $a, $b;\n\tnot.pred $d, $p;\n"; break;
	case GLC_OP_Select:
		text = "\tand.pred $p, $a, $b;\n\tnot.pred $q, $a;\n"
		       "\tand.pred $q, $q, $c;\n\tor.pred $d, $p, $q;\n";
		break;
	default: text = "\txor.pred $d, $a, $b;\n"; break;  /* Xor, Ne */
	}
	pattern(e, index, text, GLC_BOOL);
}

static void select_value(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	enum glc_type type = inst->type;
	uint32_t condition = glc_ptx_in_register(e, operand(e, inst->arg[0]), GLC_BOOL);
	unsigned char *at = put_suffix(TEXT(begin_line(e), "\tselp"), glc_ptx_suffix, type);
	uint32_t d = new_register(e, glc_ptx_class[type]);

	*at++ = ' ';
	at = comma(put_register(at, d));
	at = comma(put_value(e, at, inst->arg[1]));
	at = comma(put_value(e, at, inst->arg[2]));
	end_line(e, put_register(at, condition));
	e->places[index] = d;
}

/* Counts of 64 bits come as 32. */
static void count_bits(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	bool wide = glc_bits(inst->type) == 64;
	const char *text;

	switch ((enum glc_op)inst->op) {
	case GLC_OP_PopCount:
		text = wide ? "\tpopc.b64 $r, $a;\n\tcvt.u64.u32 $d, $r;\n" : "\tpopc.b32 $d, $a;\n";
		break;
	case GLC_OP_CountLeadingZeros:
		text = wide ? "\tclz.b64 $r, $a;\n\tcvt.u64.u32 $d, $r;\n" : "\tclz.b32 $d, $a;\n";
		break;
	default:
		text = wide ? "\tbrev.b64 $l, $a;\n\tclz.b64 $r, $l;\n\tcvt.u64.u32 $d, $r;\n"
			    : "\tbrev.b32 $r, $a;\n\tclz.b32 $d, $r;\n";
		break;
	}
	pattern(e, index, text, inst->type);
}

/* bfi takes the new bits first, the language what they go into. */
static void insert_bits(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	enum glc_type type = inst->type;
	unsigned char *at = put_suffix(TEXT(begin_line(e), "\tbfi"), glc_ptx_bits_suffix, type);
	uint32_t d = new_register(e, glc_ptx_class[type]);

	*at++ = ' ';
	at = comma(put_register(at, d));
	at = comma(put_value(e, at, inst->arg[1]));
	at = comma(put_value(e, at, inst->arg[0]));
	at = comma(put_value(e, at, inst->arg[2]));
	end_line(e, put_value(e, at, inst->arg[3]));
	e->places[index] = d;
}

/* mul.wide has the narrow type in its name. */
static void mul_wide(struct emitter *e, uint32_t index)
{
	bool is_signed = e->kernel->insts[index].type == GLC_I64;

	pattern(e, index, is_signed ? "\tmul.wide.s32 $d, $a, $b;\n" : "\tmul.wide.u32 $d, $a, $b;\n",
		GLC_U32);
}

/* The native forms: f32 alone; base 2 is the machine's, base e a product away. */
static void approximate(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	const char *text;

	switch ((enum glc_op)inst->op) {
	case GLC_OP_Rsqrt: text = "\trsqrt.approx.f32 $d, $a;\n"; break;
	case GLC_OP_Rcp: text = "\trcp.approx.f32 $d, $a;\n"; break;
	case GLC_OP_Sin: text = "\tsin.approx.f32 $d, $a;\n"; break;
	case GLC_OP_Cos: text = "\tcos.approx.f32 $d, $a;\n"; break;
	case GLC_OP_Exp2: text = "\tex2.approx.f32 $d, $a;\n"; break;
	case GLC_OP_Log2: text = "\tlg2.approx.f32 $d, $a;\n"; break;
	case GLC_OP_Exp:  /* log2(e) */
		text = "\tmul.rn.f32 $f, $a, 0f3FB8AA3B;\n\tex2.approx.f32 $d, $f;\n";
		break;
	case GLC_OP_Log:  /* ln(2) */
		text = "\tlg2.approx.f32 $f, $a;\n\tmul.rn.f32 $d, $f, 0f3F317218;\n";
		break;
	default:
		glc_ptx_require(e, FEATURE_TANH, inst->pos);
		text = "\ttanh.approx.f32 $d, $a;\n";
		break;
	}
	pattern(e, index, text, inst->type);
}

/* Rounding: only from float to integer, to a float from an integer or a wider one. */
static void convert(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	enum glc_type to = inst->type, from = inst->from;
	unsigned char *at = TEXT(begin_line(e), "\tcvt");
	uint32_t d = new_register(e, glc_ptx_class[to]);

	if (glc_is_float(from) && !glc_is_float(to))
		at = TEXT(at, ".rzi");
	else if (glc_is_float(to) && (!glc_is_float(from) || glc_bits(to) < glc_bits(from)))
		at = TEXT(at, ".rn");
	at = put_suffix(put_suffix(at, glc_ptx_suffix, to), glc_ptx_suffix, from);
	*at++ = ' ';
	at = comma(put_register(at, d));
	end_line(e, put_value(e, at, inst->arg[0]));
	e->places[index] = d;
}

/* Signed and unsigned share registers: then nothing is to be done. */
static void bitcast(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	uint32_t a = operand(e, inst->arg[0]), d;
	enum register_class klass = glc_ptx_class[inst->type];
	unsigned char *at;

	if (!glc_is_const(a) && REGISTER_CLASS(a) == klass) {
		e->places[index] = a;
		return;
	}
	d = new_register(e, klass);
	at = put_suffix(TEXT(begin_line(e), "\tmov"), glc_ptx_bits_suffix, inst->type);
	*at++ = ' ';
	at = comma(put_register(at, d));
	end_line(e, put_operand(e, at, a));
	e->places[index] = d;
}

static void round_float(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	unsigned char *at = put_mnemonic(begin_line(e), inst->op, inst->type);
	uint32_t d = new_register(e, glc_ptx_class[inst->type]);

	at = put_suffix(put_suffix(at, glc_ptx_suffix, inst->type), glc_ptx_suffix, inst->type);
	*at++ = ' ';
	at = comma(put_register(at, d));
	end_line(e, put_value(e, at, inst->arg[0]));
	e->places[index] = d;
}

static void special_register(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	uint32_t d = new_register(e, CLASS_R);
	unsigned char *at = comma(put_register(TEXT(begin_line(e), "\tmov.u32 "), d));

	switch ((enum glc_op)inst->op) {
	case GLC_OP_LocalId: at = TEXT(at, "%tid."); break;
	case GLC_OP_GroupId: at = TEXT(at, "%ctaid."); break;
	default: at = TEXT(at, "%nctaid."); break;
	}
	*at++ = (unsigned char)('x' + inst->detail);
	end_line(e, at);
	e->places[index] = d;
}

/* %ctaid * size + %tid. The size is the one in .reqntid, so a literal serves. */
static void global_id(struct emitter *e, uint32_t index)
{
	uint32_t dim = e->kernel->insts[index].detail, d = new_register(e, CLASS_R), thread;
	unsigned char *at = comma(put_register(TEXT(begin_line(e), "\tmov.u32 "), d));

	at = TEXT(at, "%ctaid.");
	*at++ = (unsigned char)('x' + dim);
	end_line(e, at);
	thread = new_register(e, CLASS_R);
	at = comma(put_register(TEXT(begin_line(e), "\tmov.u32 "), thread));
	at = TEXT(at, "%tid.");
	*at++ = (unsigned char)('x' + dim);
	end_line(e, at);
	e->places[index] = new_register(e, CLASS_R);
	at = comma(put_register(TEXT(begin_line(e), "\tmad.lo.u32 "), e->places[index]));
	at = comma(put_register(at, d));
	at = comma(glc_decimal(at, e->kernel->workgroup[dim].value));
	end_line(e, put_register(at, thread));
}

static void length(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	uint32_t count = glc_ptx_length(e, inst->object);

	e->places[index] = count;
	if (inst->type == GLC_U32) {
		e->places[index] = new_register(e, CLASS_R);
		glc_ptx_expand(e, "\tcvt.u32.u64 $d, $a;\n", e->places[index], count, 0, 0);
	}
}

void glc_ptx_value(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];

	if (inst->mods & GLC_MOD_APPROX) {
		approximate(e, index);
		return;
	}
	switch ((enum glc_op)inst->op) {
	case GLC_OP_And:
	case GLC_OP_Or:
	case GLC_OP_Xor:
	case GLC_OP_Not:
		if (inst->type == GLC_BOOL)
			logic(e, index);
		else
			plain(e, index, glc_ptx_bits_suffix);
		return;
	case GLC_OP_Shl:
	case GLC_OP_ReverseBits:
		plain(e, index, glc_ptx_bits_suffix);
		return;
	case GLC_OP_Eq:
	case GLC_OP_Ne:
		if (inst->from == GLC_BOOL) {
			logic(e, index);
			return;
		}
		compare(e, index);
		return;
	case GLC_OP_Lt:
	case GLC_OP_Le:
	case GLC_OP_Gt:
	case GLC_OP_Ge:
	case GLC_OP_IsNan:
	case GLC_OP_IsInf:
	case GLC_OP_IsFinite:
		compare(e, index);
		return;
	case GLC_OP_Select:
		if (inst->type == GLC_BOOL)
			logic(e, index);
		else
			select_value(e, index);
		return;
	case GLC_OP_PopCount:
	case GLC_OP_CountLeadingZeros:
	case GLC_OP_CountTrailingZeros:
		count_bits(e, index);
		return;
	case GLC_OP_InsertBits:
		insert_bits(e, index);
		return;
	case GLC_OP_MulWide:
		mul_wide(e, index);
		return;
	case GLC_OP_Floor:
	case GLC_OP_Ceil:
	case GLC_OP_Trunc:
	case GLC_OP_Round:
		round_float(e, index);
		return;
	case GLC_OP_Cvt:
		convert(e, index);
		return;
	case GLC_OP_Bitcast:
		bitcast(e, index);
		return;
	case GLC_OP_LocalId:
	case GLC_OP_GroupId:
	case GLC_OP_GroupCount:
		special_register(e, index);
		return;
	case GLC_OP_GlobalId:
		global_id(e, index);
		return;
	case GLC_OP_Param:
		e->places[index] = glc_ptx_object(e, inst->object);
		return;
	case GLC_OP_Length:
		length(e, index);
		return;
	case GLC_OP_LoadGlobal:
	case GLC_OP_StoreGlobal:
	case GLC_OP_LoadShared:
	case GLC_OP_StoreShared:
	case GLC_OP_LoadLocal:
	case GLC_OP_StoreLocal:
	case GLC_OP_LoadConst:
		glc_ptx_memory(e, index);
		return;
	case GLC_OP_AtomicAdd:
		glc_ptx_atomic_add(e, index);
		return;
	case GLC_OP_ShflSyncBfly:
		glc_ptx_shuffle(e, index);
		return;
	case GLC_OP_BarrierSync:
		end_line(e, TEXT(begin_line(e), "\tbar.sync 0"));
		return;
	case GLC_OP_Fence:
		glc_ptx_fence(e, index);
		return;
	default:
		plain(e, index, glc_ptx_suffix);
		return;
	}
}
