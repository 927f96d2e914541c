/* SPDX-License-Identifier: MIT */
/*
 * Limits of a device: workgroups, shared memory, push constants, buffers.
 *
 * Source: Vulkan, "Limits"; VUID-RuntimeSpirv-x-06429 to -06432, -Workgroup-06530.
 */
#include "spirv/val/val.h"

static uint32_t size_of(const struct val *v, uint32_t id, uint64_t *bytes)
{
	uint64_t times = 1;
	const spv_inst *t;

	/* Arrays of arrays multiply; a structure's members are added up one level at a time. */
	while (is(v, id, T_ARRAY)) {
		uint64_t count = 1;

		spv_integer(v, word(v, def(v, id), 3), &count);
		times = times > UINT32_MAX ? times : times * count;
		id = type(v, id)->inner;
	}
	t = def(v, id);
	if (t && t->op == OpTypeStruct) {
		for (uint32_t i = 2; i < t->words; i++)
			if (!is(v, word(v, t, i), T_STRUCT | T_ARRAY))
				*bytes += times * type(v, word(v, t, i))->dim * (type(v, word(v, t, i))->width / 8u);
		return 0;
	}
	if (is(v, id, T_MATRIX))
		*bytes += times * type(v, id)->dim * type(v, type(v, id)->inner)->dim * (type(v, id)->width / 8u);
	else
		*bytes += times * type(v, id)->dim * (type(v, id)->width < 8 ? 4u : type(v, id)->width / 8u);
	return 0;
}

static bool above(struct val *v, const spv_inst *inst, const char *what, uint64_t have, uint64_t limit)
{
	return limit && have > limit && (SPV_FAIL(v, inst, DEVICE_LIMIT, NULL, what, (unsigned long long)have, (unsigned long long)limit), true);
}

static void check_workgroup(struct val *v, const spv_inst *inst)
{
	const struct glacier_limits *limits = v->options.limits;
	uint64_t all = 1;

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t size = word(v, inst, 3 + i);

		if (inst->op == OpExecutionModeId && !spv_constant(v, size, &size))
			return;
		if (above(v, inst, "the workgroup's size", size, limits->compute_workgroup_size[i]))
			return;
		all *= size;
	}
	above(v, inst, "invocations of a workgroup", all, limits->compute_workgroup_invocations);
}

/* What each entry point uses counts; here all that any uses, which one entry point makes the same. */
void spv_check_limits(struct val *v)
{
	const struct glacier_limits *limits = v->options.limits;
	uint64_t shared = 0;
	uint32_t buffers = 0;

	if (!limits || !v->vulkan)
		return;
	for (uint32_t i = 0; i < v->types_to; i++) {
		const spv_inst *inst = &v->module.insts[i];
		uint32_t mode = inst->words > 5 ? word(v, inst, 2) : 0;
		const struct spv_decoration *d;

		if ((inst->op == OpExecutionMode && mode == ExecutionModeLocalSize) ||
		    (inst->op == OpExecutionModeId && mode == ExecutionModeLocalSizeId))
			check_workgroup(v, inst);
		if (inst->op != OpVariable || !(v->flags[inst->id] & ID_USED))
			continue;
		switch (word(v, inst, 3)) {
		case StorageClassWorkgroup:
			size_of(v, type(v, inst->type)->inner, &shared);
			if (above(v, inst, "bytes of shared memory", shared, limits->compute_shared_memory_bytes))
				return;
			break;
		case StorageClassPushConstant: {
			uint64_t bytes = v->push_constant_bytes;

			above(v, inst, "bytes of push constants", bytes, limits->push_constants_bytes);
			break;
		}
		case StorageClassStorageBuffer:
			if (above(v, inst, "storage buffers", ++buffers, limits->per_stage_storage_buffers))
				return;
			d = spv_decoration(v, inst->id, DecorationDescriptorSet, SPV_ANY);
			if (d && above(v, inst, "a descriptor set's number", param(v, d, 0) + 1ull, limits->bound_descriptor_sets))
				return;
			break;
		default:
			break;
		}
	}
}
