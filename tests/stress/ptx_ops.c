/* SPDX-License-Identifier: MIT */
/*
 * Every row of ops.def that lowering leaves for PTX, with each type that it allows, its
 * operands in registers and as literals: ptxas is the judge, for three architectures.
 */
#include "ptx.h"
#include "stress.h"

/* What lower.h promises never to hand over; structure has its own test. */
static bool is_lowered_away(enum glc_op opcode)
{
	switch (opcode) {
	case GLC_OP_Nop: case GLC_OP_Mov: case GLC_OP_LoadConstant: case GLC_OP_Clamp: case GLC_OP_AddCarry:
	case GLC_OP_SubBorrow: case GLC_OP_Fract: case GLC_OP_Sign: case GLC_OP_CopySign: case GLC_OP_Ldexp:
	case GLC_OP_WorkgroupSize: case GLC_OP_GlobalSize: case GLC_OP_GlobalId: case GLC_OP_LocalIndex:
	case GLC_OP_SubgroupSize: case GLC_OP_SubgroupId: case GLC_OP_LaneId: case GLC_OP_Spec:
	case GLC_OP_AtomicLoad: case GLC_OP_AtomicCompareExchange: case GLC_OP_Pow: case GLC_OP_Tan:
	case GLC_OP_Sinh: case GLC_OP_Cosh: case GLC_OP_Asin: case GLC_OP_Acos: case GLC_OP_Atan:
	case GLC_OP_Atan2: case GLC_OP_Erf: case GLC_OP_Return: case GLC_OP_Phi: case GLC_OP_If:
	case GLC_OP_Else: case GLC_OP_EndIf: case GLC_OP_Loop: case GLC_OP_Continuing: case GLC_OP_EndLoop:
	case GLC_OP_Break: case GLC_OP_Continue:
		return true;
	default:
		return false;
	}
}

/* Values that are hard to spell: each type's least and greatest, minus zero, NaN. */
static uint64_t literal_bits(enum glc_type type, uint32_t which)
{
	static const uint64_t f32[3] = {0x80000000, 0x7fc00000, 0x00000001};
	static const uint64_t f64[3] = {0x8000000000000000, 0x7ff8000000000000, 0x3ff0000000000000};
	uint64_t mask = glc_type_mask(type);

	if (type == GLC_F32)
		return f32[which];
	if (type == GLC_F64)
		return f64[which];
	if (type == GLC_BOOL)
		return which & 1;
	return which == 0 ? mask : which == 1 ? (mask >> 1) + 1 : 3;
}

struct row {
	enum glc_op opcode;
	enum glc_type to, from;
	bool literals, approx;
};

static glc_value operand_of(struct maker *m, const struct row *row, char letter, uint32_t which, glc_value index)
{
	enum glc_type type = row->to;
	uint64_t small = which + 1;

	switch (letter) {
	case 'b': type = GLC_BOOL; break;
	case 's':
	case 'u':
		return row->literals ? constant(m, GLC_U32, small) : load(m, GLC_U32, index);
	case 'f': type = row->from; break;
	default: break;
	}
	return row->literals ? constant(m, type, literal_bits(type, which)) : load(m, type, index);
}

static void store_result(struct maker *m, const struct row *row, glc_value index, glc_value value)
{
	enum glc_type type = glc_type_of(&m->ir, m->kernel, value);

	(void)row;
	store(m, type, index, value);
}

static bool takes_memory(enum glc_op opcode)
{
	return glc_ops[opcode].operands[0] && strchr("ghmlk", glc_ops[opcode].operands[0]);
}

static void make_plain(struct maker *m, const struct row *row, glc_value index)
{
	const struct glc_op_facts *facts = &glc_ops[row->opcode];
	struct glc_inst inst = {.op = (uint16_t)row->opcode, .type = (uint8_t)row->to, .from = (uint8_t)row->to,
				.mods = row->approx ? GLC_MOD_APPROX : 0};
	glc_value value;

	for (uint32_t i = 0; i < 4; i++)
		inst.arg[i] = facts->operands[i] && i < strlen(facts->operands)
				      ? operand_of(m, row, facts->operands[i], i % 3, index)
				      : GLC_NO_VALUE;
	if (facts->flags & GLC_TWO)
		inst.from = (uint8_t)row->from;
	if (facts->result == 'B')
		inst.type = GLC_BOOL;
	if (facts->result == 'U')
		inst.type = GLC_U32;
	if (facts->result == 'W')
		inst.type = row->to == GLC_I32 ? GLC_I64 : GLC_U64;
	value = add(m, inst);
	/* glc_type_of looks at the kernel's instructions. */
	m->kernel->insts = m->insts.at;
	m->ir.consts = m->consts.at;
	if (facts->result != '-')
		store_result(m, row, index, value);
}

/* Loads, stores, atomics: indices of 32 and 64 bits, small, large and dynamic. */
static void make_memory(struct maker *m, const struct row *row, glc_value index)
{
	static const uint64_t words[2] = {1, 2};
	static uint64_t many[10000];
	const struct glc_op_facts *facts = &glc_ops[row->opcode];
	bool atomic = row->opcode == GLC_OP_AtomicAdd;
	uint32_t objects[2] = {0, 0}, count = 0;
	glc_value indices[5], value = load(m, row->to, index);

	indices[0] = index;
	indices[1] = add(m, (struct glc_inst){.op = GLC_OP_Cvt, .type = GLC_U64, .from = GLC_U32, .arg = {index}});
	indices[2] = constant(m, GLC_U32, 5);
	indices[3] = constant(m, GLC_U32, 0xffffffff);
	indices[4] = constant(m, GLC_U64, UINT64_C(0x300000000));
	if (facts->operands[0] == 'h' || atomic)
		objects[count++] = add_object(m, GLC_OBJECT_SHARED, row->to, "tile", 64);
	if (facts->operands[0] == 'g' || atomic) {
		objects[count] = add_object(m, GLC_OBJECT_BUFFER, row->to, "data", 0);
		if (row->opcode == GLC_OP_LoadGlobal && row->literals)
			m->objects[objects[count]].access = m->objects[objects[count]].used = GLC_READ;
		if (row->opcode == GLC_OP_Length)
			m->objects[objects[count]].length_taken = true;
		count++;
	}
	if (facts->operands[0] == 'l')
		objects[count++] = add_object(m, GLC_OBJECT_LOCAL, row->to, "mine", 8);
	if (facts->operands[0] == 'k') {
		objects[count] = add_object(m, GLC_OBJECT_CONST, row->to, "few", 2);
		m->objects[objects[count++]].values = words;
		objects[count] = add_object(m, GLC_OBJECT_CONST, row->to, "many", 10000);
		m->objects[objects[count++]].values = many;
	}
	if (row->opcode == GLC_OP_Length) {
		store(m, row->to, index, add(m, (struct glc_inst){.op = GLC_OP_Length, .type = (uint8_t)row->to,
								   .object = (uint16_t)objects[0]}));
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < 5; j++) {
			struct glc_inst inst = {.op = (uint16_t)row->opcode, .type = (uint8_t)row->to,
						.from = j == 1 || j == 4 ? GLC_U64 : GLC_U32,
						.object = (uint16_t)objects[i], .arg = {indices[j], GLC_NO_VALUE}};
			glc_value result;

			if (strchr(facts->operands, 'v'))
				inst.arg[1] = row->literals ? constant(m, row->to, literal_bits(row->to, j % 3)) : value;
			if (atomic && j % 2)
				inst.mods = GLC_MOD_UNUSED;
			result = add(m, inst);
			if (facts->result != '-' && !(inst.mods & GLC_MOD_UNUSED))
				store(m, row->to, index, result);
		}
		/* Every order with every scope, the old value read and unread. */
		for (uint32_t detail = 0; atomic && detail < 32; detail++)
			add(m, (struct glc_inst){.op = GLC_OP_AtomicAdd, .type = (uint8_t)row->to,
						 .mods = detail < 16 ? GLC_MOD_UNUSED : 0, .detail = detail % 16,
						 .object = (uint16_t)objects[i], .arg = {index, value}});
	}
}

static uint32_t kernels;

static void make(struct maker *m, struct row row)
{
	char name[96];
	glc_value index;

	snprintf(name, sizeof name, "k%u_%s_%s_%s%s%s", kernels++, glc_op_name(row.opcode), glc_types[row.to].name,
		 glc_types[row.from].name, row.literals ? "_literals" : "", row.approx ? "_approx" : "");
	/* Sizes in turn, so that shuffles see full and partial warps. */
	begin_kernel(m, name, kernels % 3 == 0 ? 64 : kernels % 3 == 1 ? 20 : 10, kernels % 3 == 2 ? 5 : 1, 1);
	index = add(m, (struct glc_inst){.op = GLC_OP_LocalId, .type = GLC_U32, .detail = (uint8_t)(kernels % 3)});
	if (takes_memory(row.opcode))
		make_memory(m, &row, index);
	else
		make_plain(m, &row, index);
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	end_kernel(m);
}

static bool convertible(enum glc_op opcode, enum glc_type to, enum glc_type from)
{
	if (!(GLC_TYPES_NUMBER >> to & 1) || !(GLC_TYPES_NUMBER >> from & 1) || to == from)
		return false;
	if (opcode == GLC_OP_Bitcast)
		return glc_bits(to) == glc_bits(from);
	return !(glc_is_int(to) && glc_is_int(from) && glc_bits(to) == glc_bits(from));
}

static bool is_approx_only(enum glc_op opcode)
{
	return (glc_ops[opcode].flags & GLC_NATIVE) != 0;
}

static void make_all(struct maker *m)
{
	for (uint32_t o = 0; o < GLC_OP_COUNT; o++) {
		enum glc_op opcode = (enum glc_op)o;

		if (is_lowered_away(opcode))
			continue;
		for (int literals = 0; literals < 2; literals++) {
			struct row row = {.opcode = opcode, .literals = literals};

			if (glc_ops[o].types == GLC_TYPES_NONE) {
				row.to = row.from = GLC_U32;
				make(m, row);
				continue;
			}
			for (int to = 0; to < GLC_TYPE_COUNT; to++) {
				if (!(glc_ops[o].types >> to & 1))
					continue;
				row.to = row.from = (enum glc_type)to;
				if (is_approx_only(opcode)) {
					row.approx = true;
					if (to == GLC_F32)
						make(m, row);
					continue;
				}
				if (opcode == GLC_OP_Rem && glc_is_float(row.to))
					continue;
				if (opcode == GLC_OP_Param)
					continue;
				if (!(glc_ops[o].flags & GLC_TWO)) {
					make(m, row);
					continue;
				}
				for (int from = 0; from < GLC_TYPE_COUNT; from++) {
					row.from = (enum glc_type)from;
					if (convertible(opcode, row.to, row.from))
						make(m, row);
				}
			}
		}
	}
}

/* Parameters of every type arrive. */
static void make_parameters(struct maker *m)
{
	begin_kernel(m, "parameters", 32, 1, 1);
	for (uint32_t i = 0; i < 7; i++)
		store(m, all_types[i], constant(m, GLC_U32, 0), parameter(m, all_types[i]));
	for (uint32_t i = 0; i < 3; i++)
		for (int o = 0; o < 3; o++)
			store(m, GLC_U32, constant(m, GLC_U32, i),
			      add(m, (struct glc_inst){.op = o == 0   ? GLC_OP_LocalId
							     : o == 1 ? GLC_OP_GroupId
								      : GLC_OP_GroupCount,
						       .type = GLC_U32, .detail = (uint8_t)i}));
	end_kernel(m);
}

int main(void)
{
	static const char arches[3][8] = {"sm_80", "sm_89", "sm_90"};
	struct maker *m = make_module();

	make_all(m);
	make_parameters(m);
	printf("%u kernels\n", m->ir.kernel_count);
	for (uint32_t i = 0; i < 3; i++) {
		enum glacier_status status;
		char *text = write_module(m, arches[i], &status);
		int verdict;

		CHECK(text, "%s: status %d", arches[i], (int)status);
		if (getenv("GLACIER_SHOW"))
			fputs(text, stdout);
		verdict = assemble(text, arches[i]);
		free(text);
		if (verdict == 77)
			return 77;
		CHECK(verdict == 0, "ptxas refuses it for %s", arches[i]);
	}
	free_module(m);
	return 0;
}
