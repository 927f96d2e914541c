/* SPDX-License-Identifier: MIT */
/*
 * The order of a module: its sections, functions and blocks. Builds what later rules look
 * up: blocks with their branches, functions with their calls.
 *
 * Source: SPIR-V 2.4, Logical Layout of a Module.
 */
#include "spirv/val/val.h"

enum section {
	IN_CAPABILITIES, IN_EXTENSIONS, IN_IMPORTS, IN_MEMORY_MODEL, IN_SAMPLER_MODE, IN_ENTRY_POINTS,
	IN_MODES, IN_DEBUG_1, IN_DEBUG_2, IN_DEBUG_3, IN_ANNOTATIONS, IN_TYPES, IN_DECLARATIONS, IN_DEFINITIONS,
};

struct order {
	struct val *v;
	enum section section;
	struct spv_function *function;   /* that is open */
	struct spv_block *block;         /* that is open */
	uint32_t functions_named;
};

/* Where an opcode belongs: a section + SECTIONS, or one of these; 0: in definitions. */
enum { FLOATING = 1, FUNCTIONS, SECTIONS };

static const uint8_t sections[SPV_NEAR] = {
	[OpUndef] = FLOATING,
	[OpSourceContinued ... OpSourceExtension] = SECTIONS + IN_DEBUG_1,
	[OpName ... OpMemberName] = SECTIONS + IN_DEBUG_2,
	[OpString] = SECTIONS + IN_DEBUG_1,
	[OpLine] = FLOATING,
	[OpExtension] = SECTIONS + IN_EXTENSIONS,
	[OpExtInstImport] = SECTIONS + IN_IMPORTS,
	[OpExtInst] = FLOATING,
	[OpMemoryModel] = SECTIONS + IN_MEMORY_MODEL,
	[OpEntryPoint] = SECTIONS + IN_ENTRY_POINTS,
	[OpExecutionMode] = SECTIONS + IN_MODES,
	[OpCapability] = SECTIONS + IN_CAPABILITIES,
	[OpTypeVoid ... OpTypeForwardPointer] = SECTIONS + IN_TYPES,
	[OpConstantTrue ... OpSpecConstantOp] = SECTIONS + IN_TYPES,
	[OpFunction ... OpFunctionEnd] = FUNCTIONS,
	[OpVariable] = FLOATING,
	[OpDecorate ... OpGroupMemberDecorate] = SECTIONS + IN_ANNOTATIONS,
	[OpNoLine] = FLOATING,
	[OpTypePipeStorage] = SECTIONS + IN_TYPES,
	[OpTypeNamedBarrier] = SECTIONS + IN_TYPES,
	[OpModuleProcessed] = SECTIONS + IN_DEBUG_3,
	[OpExecutionModeId] = SECTIONS + IN_MODES,
	[OpDecorateId] = SECTIONS + IN_ANNOTATIONS,
};

/* Some may stand in several sections. */
static enum section section_of(enum section now, uint32_t op)
{
	uint32_t at = op < SPV_NEAR ? sections[op] : 0;

	if (at >= SECTIONS)
		return (enum section)(at - SECTIONS);
	if (at == FLOATING)
		return now == IN_TYPES ? IN_TYPES : IN_DEFINITIONS;
	if (at == FUNCTIONS)
		return now == IN_DECLARATIONS ? IN_DECLARATIONS : IN_DEFINITIONS;
	if (op < SPV_NEAR)
		return IN_DEFINITIONS;
	if (is_type_op(op))
		return IN_TYPES;
	if (op == OpSamplerImageAddressingModeNV)
		return IN_SAMPLER_MODE;
	return spv_is_annotation(op) ? IN_ANNOTATIONS : IN_DEFINITIONS;
}

static bool misplaced(struct order *o, const spv_inst *inst)
{
	return SPV_FAIL(o->v, inst, SECTION, NULL, spv_op_name(inst->op));
}

static bool outside(struct order *o, const spv_inst *inst)
{
	return SPV_FAIL(o->v, inst, OUTSIDE_BLOCK, NULL, spv_op_name(inst->op));
}

static bool ill_formed(struct order *o, const spv_inst *inst, const char *how)
{
	o->v->broken = true;
	return SPV_FAIL(o->v, inst, FUNCTION_FORM, NULL, how);
}

/* OpExtInst stands by its set: in blocks; debug information in types too; non-semantic from there on. */
static bool place_extended(struct order *o, const spv_inst *inst)
{
	struct val *v = o->v;

	if (spv_is_debug_info(v, inst)) {
		uint32_t number = word(v, inst, 4);
		uint32_t bytes;
		bool shader = spv_is_non_semantic(v, inst), opencl;
		bool local;

		spv_text(&v->module, def(v, word(v, inst, 3)), 2, &bytes);
		opencl = bytes > 9;
		/* Scope, NoScope, Declare, Value; Line, NoLine, FunctionDefinition of the shader's set. */
		local = (opencl && number >= 23 && number <= 24) || (opencl && (number == 28 || number == 29)) ||
			(!opencl && (number == 23 || number == 24 || number == 28 || number == 29)) ||
			(shader && (number == 101 || number == 103 || number == 104));
		if (local)
			return o->function || misplaced(o, inst);
		return (o->section >= IN_TYPES && o->section < IN_DECLARATIONS) || misplaced(o, inst);
	}
	if (spv_is_non_semantic(v, inst)) {
		if (o->section < IN_TYPES)
			return misplaced(o, inst);
		return !o->function || o->block || outside(o, inst);
	}
	return o->block || outside(o, inst);
}

/* --- Functions ----------------------------------------------------------- */

static bool open_function(struct order *o, const spv_inst *inst, uint32_t index)
{
	struct val *v = o->v;

	if (o->function)
		return ill_formed(o, inst, "it begins inside of another");
	if (!v->functions.count)
		v->types_to = index;
	o->function = GLC_PUSH(v->memory, &v->functions);
	if (!o->function) {
		v->out_of_memory = true;
		return false;
	}
	*o->function = (struct spv_function){.id = inst->id, .first = index, .block = v->blocks.count,
		.call = v->calls.count, .globals = v->globals.count};
	if (inst->id < v->module.id_count)
		v->function_of[inst->id] = v->functions.count;
	return true;
}

static bool close_function(struct order *o, const spv_inst *inst, uint32_t index)
{
	bool good = true;

	if (!o->function)
		return ill_formed(o, inst, "OpFunctionEnd stands outside of a function");
	if (o->block)
		good = ill_formed(o, inst, "it ends inside of a block");
	else if (!o->function->block_count && o->section == IN_DEFINITIONS)
		good = ill_formed(o, inst, "a declaration stands behind a definition");
	o->function->last = index;
	o->function->call_count = o->v->calls.count - o->function->call;
	o->function = NULL;
	o->block = NULL;
	return good;
}

static bool open_block(struct order *o, const spv_inst *inst, uint32_t index)
{
	struct val *v = o->v;
	struct spv_block *block;

	if (!o->function)
		return ill_formed(o, inst, "a block stands outside of a function");
	if (o->block) {
		o->block = NULL;
		return ill_formed(o, inst, "a block has no terminator");
	}
	block = GLC_PUSH(v->memory, &v->blocks);
	if (!block) {
		v->out_of_memory = true;
		return false;
	}
	*block = (struct spv_block){.label = index, .header = SPV_NO_BLOCK, .loop = SPV_NO_BLOCK,
		.dominator = SPV_NO_BLOCK, .s_dominator = SPV_NO_BLOCK, .p_dominator = SPV_NO_BLOCK,
		.latch = SPV_NO_BLOCK, .enclosing = SPV_NO_BLOCK};
	o->block = block;
	o->function->block_count++;
	o->function->defined = true;
	if (inst->id < v->module.id_count)
		v->blocks_of[inst->id] = v->blocks.count;
	return true;
}

static void add_edge(struct val *v, uint32_t label)
{
	uint32_t *edge = GLC_PUSH(v->memory, &v->edges);

	if (edge)
		*edge = label;
	else
		v->out_of_memory = true;
}

/* Ids of labels for now; flow.c makes them blocks. */
static void close_block(struct order *o, const spv_inst *inst, uint32_t index)
{
	struct val *v = o->v;
	struct spv_block *block = o->block;
	const spv_inst *merge = index ? inst - 1 : NULL;

	block->terminator = index;
	block->structural = v->edges.count;
	if (merge && (merge->op == OpLoopMerge || merge->op == OpSelectionMerge)) {
		block->merge = index - 1;
		add_edge(v, word(v, merge, 1));
		if (merge->op == OpLoopMerge)
			add_edge(v, word(v, merge, 2));
		block->is_loop = merge->op == OpLoopMerge;
		block->is_selection = !block->is_loop;
	}
	block->next = v->edges.count;
	for (uint32_t i = 0; i < operand_count(inst) && spv_is_branch(inst->op); i++)
		if (v->module.operands[inst->operands + i].kind == KindIdRef && !(inst->op != OpBranch && i == 0))
			add_edge(v, operand(v, inst, i));
	block->next_count = v->edges.count - block->next;
	block->structural_count = v->edges.count - block->structural;
	o->block = NULL;
}

/* --- Sections ------------------------------------------------------------ */

static bool in_functions(struct order *o, const spv_inst *inst, uint32_t index)
{
	if (o->section == IN_DECLARATIONS && section_of(IN_DECLARATIONS, inst->op) != IN_DECLARATIONS)
		o->section = IN_DEFINITIONS;
	if (section_of(o->section, inst->op) != o->section)
		return misplaced(o, inst);
	switch (inst->op) {
	case OpFunction:
		return open_function(o, inst, index);
	case OpFunctionParameter:
		if (!o->function || o->function->block_count)
			return ill_formed(o, inst, "a parameter does not follow OpFunction");
		o->function->parameters++;
		return true;
	case OpFunctionEnd:
		return close_function(o, inst, index);
	case OpLine: case OpNoLine:
		return true;
	case OpLabel:
		return open_block(o, inst, index);
	case OpExtInst:
		return place_extended(o, inst);
	default:
		return o->block || outside(o, inst);
	}
}

static bool place(struct order *o, const spv_inst *inst, uint32_t index)
{
	if (o->section < IN_DECLARATIONS) {
		if (section_of(o->section, inst->op) == o->section && inst->op != OpExtInst)
			return true;
		if (inst->op == OpExtInst && !(o->section >= IN_TYPES && spv_is_non_semantic(o->v, inst)) &&
		    !spv_is_debug_info(o->v, inst))
			return outside(o, inst);
		if (inst->op == OpExtInst && !place_extended(o, inst))
			return false;
		while (o->section < IN_DECLARATIONS && section_of(o->section, inst->op) != o->section) {
			if (section_of(o->section, inst->op) < o->section)
				return misplaced(o, inst);
			o->section++;
			if (o->section == IN_TYPES)
				o->v->types_from = index;
			if (o->section == IN_MEMORY_MODEL && inst->op != OpMemoryModel)
				return misplaced(o, inst);
		}
	}
	return o->section < IN_DECLARATIONS || in_functions(o, inst, index);
}

static bool add_call(struct val *v, uint32_t callee)
{
	uint32_t *call = GLC_PUSH(v->memory, &v->calls);

	if (!call) {
		v->out_of_memory = true;
		return false;
	}
	*call = callee;
	if (callee < v->module.id_count)
		v->flags[callee] |= ID_CALLED;
	return true;
}

static bool add_entry(struct val *v, const spv_inst *inst, uint32_t index)
{
	struct spv_entry *entry = GLC_PUSH(v->memory, &v->entries);

	if (!entry) {
		v->out_of_memory = true;
		return false;
	}
	*entry = (struct spv_entry){.inst = index};
	if (word(v, inst, 2) < v->module.id_count)
		v->flags[word(v, inst, 2)] |= ID_ENTRY;
	return true;
}

/* False, reported, when it stands where it may not. */
static bool step(struct order *o, const spv_inst *inst, uint32_t index, uint32_t traits)
{
	struct val *v = o->v;
	bool in_block = o->block != NULL;

	if (!place(o, inst, index)) {
		v->broken |= o->section >= IN_DECLARATIONS;
		if (traits & OP_TERMINATOR)
			o->block = NULL;
		return false;
	}
	if (o->section >= IN_DECLARATIONS)
		v->block_of[index] = in_block || o->block ? v->blocks.count : 0;
	if (in_block && o->block && (traits & OP_TERMINATOR))
		close_block(o, inst, index);
	switch (inst->op) {
	case OpFunctionCall: add_call(v, word(v, inst, 3)); break;
	case OpEntryPoint: add_entry(v, inst, index); break;
	case OpSampledImage: v->samples = true; break;
	default: break;
	}
	return !v->out_of_memory;
}

/* Most of what names something that comes later: what is decorated or named may be nearly anything. */
static inline bool names_target(const struct val *v, const spv_inst *inst)
{
	const struct glacier_spirv_operand *last = v->module.operands + inst->operands + inst->operand_count - 1;
	const spv_inst *used;

	if (inst->op != OpDecorate && inst->op != OpMemberDecorate && inst->op != OpName && inst->op != OpMemberName)
		return false;
	/* A parameter that is an id is looked at. */
	if (inst->operand_count > 2 && last->kind >= KindIdResultType && last->kind < KindLiteralInteger)
		return false;
	used = def(v, word(v, inst, 1));
	return used && used->op != OpFunction && used->op != OpDecorationGroup;
}

void spv_check_order(struct val *v)
{
	struct order o = {.v = v};
	uint32_t count = v->module.inst_count;
	static const spv_inst end = {.op = OpNop};

	v->types_to = count;
	GLC_PRESIZE(v->memory, &v->functions, 4);
	GLC_PRESIZE(v->memory, &v->blocks, 16);
	GLC_PRESIZE(v->memory, &v->edges, 64);
	GLC_PRESIZE(v->memory, &v->globals, 32);
	for (uint32_t i = 0; i < count; i++) {
		const spv_inst *inst = &v->module.insts[i];
		uint32_t traits = spv_traits(inst->op);

		if (v->spoilt && v->diag->errors >= v->most_errors) {
			v->broken = true;   /* what comes after this was not looked at, its ids neither */
			return;
		}
		/* Nothing has room for what is above the bound; spv_check_ids says so where it gets there. */
		if (!inst->settled)
			v->broken |= inst->id >= v->module.id_count;
		if (o.block && (traits & OP_PLAIN))
			v->block_of[i] = v->blocks.count;
		else if (!step(&o, inst, i, traits))
			goto refused;
		if (!inst->settled && !names_target(v, inst) && !spv_check_ids(v, inst, i))
			goto refused;
		if (inst->gated)
			spv_check_gate(v, inst);
		continue;
refused:
		if (v->out_of_memory)
			return;
	}
	if (v->memory_models != 1 && v->diag->errors < v->most_errors) {
		const spv_inst *at = count ? &v->module.insts[count - 1] : &end;

		SPV_FAIL(v, at, MEMORY_MODELS, NULL, v->memory_models);
	}
	if (o.function) {
		v->broken = true;
		SPV_FAIL(v, &v->module.insts[count - 1], FUNCTION_FORM, NULL, "it has no OpFunctionEnd");
	}
}
