/* SPDX-License-Identifier: MIT */
/* Built-ins: their types, storage classes and models. Source: Vulkan, "Built-In Variables". */
#include "spirv/val/val.h"

#include <stdio.h>

enum shape { ANY, I1, I3, I4, F1, F2, F3, F4, BOOL, I1S, F1A /* or an array of it */, F1S /* an array of it, for each vertex or not */, NEVER /* in Vulkan */ };

enum { M_DISTANCE = M_VERTEX | M_CONTROL | M_EVALUATION | M_GEOMETRY | M_FRAGMENT | M_MESH | M_MESH_NV };

/* By number, for find(). */
static const struct built_in {
	uint16_t number;
	uint8_t shape;
	uint8_t input;               /* 1: in Input alone; 2: in Input or Output */
	bool no_member;              /* not on members */
	uint32_t models;
	const char *name;
} built_ins[] = {
	{BuiltInPosition, ANY, 2, false, M_VERTEX | M_CONTROL | M_EVALUATION | M_GEOMETRY | M_MESH | M_MESH_NV, "Position-04318"},
	{BuiltInPointSize, F1A, 2, false, M_VERTEX | M_CONTROL | M_EVALUATION | M_GEOMETRY | M_MESH | M_MESH_NV, "PointSize-04314"},
	{BuiltInClipDistance, F1S, 2, false, M_DISTANCE, "ClipDistance-04187"},
	{BuiltInCullDistance, F1S, 2, false, M_DISTANCE, "CullDistance-04196"},
	{BuiltInVertexId, NEVER, 0, false, M_ALL, "VertexId"},
	{BuiltInInstanceId, NEVER, 0, false, M_ALL, "InstanceId"},
	{BuiltInPrimitiveId, I1S, 0, false, M_ALL & ~(M_COMPUTE | M_VERTEX | M_KERNEL), "PrimitiveId-04330"},
	{BuiltInInvocationId, I1, 1, false, M_CONTROL | M_GEOMETRY, "InvocationId-04257"},
	{BuiltInLayer, I1S, 0, false, M_ALL & ~(M_COMPUTE | M_KERNEL | M_CONTROL), "Layer-04272"},
	{BuiltInViewportIndex, I1S, 0, false, M_ALL & ~(M_COMPUTE | M_KERNEL | M_CONTROL), "ViewportIndex-04404"},
	{BuiltInTessLevelOuter, ANY, 0, false, M_CONTROL | M_EVALUATION, "TessLevelOuter-04390"},
	{BuiltInTessLevelInner, ANY, 0, false, M_CONTROL | M_EVALUATION, "TessLevelInner-04394"},
	{BuiltInTessCoord, F3, 1, false, M_EVALUATION, "TessCoord-04387"},
	{BuiltInPatchVertices, I1, 1, false, M_CONTROL | M_EVALUATION, "PatchVertices-04308"},
	{BuiltInFragCoord, F4, 1, false, M_FRAGMENT, "FragCoord-04210"},
	{BuiltInPointCoord, F2, 1, false, M_FRAGMENT, "PointCoord-04311"},
	{BuiltInFrontFacing, BOOL, 1, false, M_FRAGMENT, "FrontFacing-04229"},
	{BuiltInSampleId, I1, 1, false, M_FRAGMENT, "SampleId-04354"},
	{BuiltInSamplePosition, F2, 1, false, M_FRAGMENT, "SamplePosition-04360"},
	{BuiltInSampleMask, ANY, 0, false, M_FRAGMENT, "SampleMask-04357"},
	{BuiltInFragDepth, F1, 0, false, M_FRAGMENT, "FragDepth-04213"},
	{BuiltInHelperInvocation, BOOL, 1, false, M_FRAGMENT, "HelperInvocation-04239"},
	{BuiltInNumWorkgroups, I3, 1, true, M_GROUPS, "NumWorkgroups-04296"},
	{BuiltInWorkgroupId, I3, 1, true, M_GROUPS, "WorkgroupId-04422"},
	{BuiltInLocalInvocationId, I3, 1, true, M_GROUPS, "LocalInvocationId-04281"},
	{BuiltInGlobalInvocationId, I3, 1, true, M_GROUPS, "GlobalInvocationId-04236"},
	{BuiltInLocalInvocationIndex, I1, 1, true, M_GROUPS, "LocalInvocationIndex-04284"},
	{BuiltInSubgroupSize, I1, 1, true, M_ALL, "SubgroupSize-04382"},
	{BuiltInNumSubgroups, I1, 1, true, M_GROUPS, "NumSubgroups-04293"},
	{BuiltInSubgroupId, I1, 1, true, M_GROUPS, "SubgroupId-04367"},
	{BuiltInSubgroupLocalInvocationId, I1, 1, true, M_ALL, "SubgroupLocalInvocationId-04380"},
	{BuiltInVertexIndex, I1, 1, false, M_VERTEX, "VertexIndex-04398"},
	{BuiltInInstanceIndex, I1, 1, false, M_VERTEX, "InstanceIndex-04263"},
	{BuiltInSubgroupEqMask, I4, 1, true, M_ALL, "SubgroupEqMask-04370"},
	{BuiltInSubgroupGeMask, I4, 1, true, M_ALL, "SubgroupGeMask-04372"},
	{BuiltInSubgroupGtMask, I4, 1, true, M_ALL, "SubgroupGtMask-04374"},
	{BuiltInSubgroupLeMask, I4, 1, true, M_ALL, "SubgroupLeMask-04376"},
	{BuiltInSubgroupLtMask, I4, 1, true, M_ALL, "SubgroupLtMask-04378"},
	{BuiltInBaseVertex, I1, 1, false, M_VERTEX, "BaseVertex-04184"},
	{BuiltInBaseInstance, I1, 1, false, M_VERTEX, "BaseInstance-04181"},
	{BuiltInDrawIndex, I1, 1, false, M_VERTEX | M_TASK | M_MESH | M_TASK_NV | M_MESH_NV, "DrawIndex-04207"},
	{BuiltInPrimitiveShadingRateKHR, I1S, 0, false, M_VERTEX | M_GEOMETRY | M_MESH | M_MESH_NV, "PrimitiveShadingRateKHR-04484"},
	{BuiltInDeviceIndex, I1, 1, false, M_ALL, "DeviceIndex-04205"},
	{BuiltInViewIndex, I1, 1, false, M_ALL & ~M_COMPUTE, "ViewIndex-04401"},
	{BuiltInShadingRateKHR, I1, 1, false, M_FRAGMENT, "ShadingRateKHR-04490"},
};

static const struct built_in *find(uint32_t number)
{
	enum { ROWS = sizeof built_ins / sizeof built_ins[0] };

	/* Numbers ascend: a row stands at its number's place or before. */
	for (uint32_t i = number < ROWS ? number + 1 : ROWS; i-- > 0 && built_ins[i].number >= number;)
		if (built_ins[i].number == number)
			return &built_ins[i];
	return NULL;
}

static bool has_shape(const struct val *v, uint32_t id, uint8_t shape)
{
	static const struct {
		uint32_t mask;
		uint8_t dim, width;
	} shapes[] = {
		[I1] = {T_INT, 1, 32}, [I3] = {T_INTS, 3, 32}, [I4] = {T_INTS, 4, 32}, [F1] = {T_FLOAT, 1, 32},
		[F2] = {T_FLOATS, 2, 32}, [F3] = {T_FLOATS, 3, 32}, [F4] = {T_FLOATS, 4, 32}, [BOOL] = {T_BOOL, 1, 1},
	};
	const struct spv_type *t = type(v, id);

	if (shape == NEVER)
		return false;
	if (shape == F1S) {
		if (!(t->mask & T_ARRAY))
			return false;
		t = type(v, t->inner)->mask & T_ARRAY ? type(v, type(v, t->inner)->inner) : type(v, t->inner);
		shape = F1;
	}
	if (shape == I1S || shape == F1A) {
		t = t->mask & T_ARRAY ? type(v, t->inner) : t;
		shape = shape == I1S ? I1 : F1;
	}
	return shape == ANY || ((t->mask & T_KIND & shapes[shape].mask) && t->dim == shapes[shape].dim && t->width == shapes[shape].width);
}

static bool fails(struct val *v, const struct spv_decoration *d, const char *name, const char *clause, const char *what)
{
	char vuid[96];

	/* "FragCoord-04210" stands for VUID-FragCoord-FragCoord-04210. */
	snprintf(vuid, sizeof vuid, "VUID-%.*s-%s", (int)strcspn(clause, "-"), clause, clause);
	return SPV_FAIL(v, &v->module.insts[d->inst], BUILT_IN, vuid, name, what);
}

static const char *name_of(uint32_t number)
{
	const struct spv_enumerant *row = spv_enumerant_find(KindBuiltIn, number);

	return row ? spv_string(row->name) : "a built-in";
}

static bool check_workgroup_size(struct val *v, const struct spv_decoration *d, const spv_inst *to)
{
	if (!is_constant(to->op) || !has_shape(v, to->type, I3))
		return fails(v, d, "WorkgroupSize", "WorkgroupSize-04425", "a constant of three 32-bit integers");
	return true;
}

static bool check_definition(struct val *v, const struct spv_decoration *d, uint32_t member, const spv_inst *to)
{
	uint32_t number = param(v, d, 0), t;
	const struct built_in *row = find(number);
	uint8_t shape = row ? row->shape : ANY;

	/* spirv-val 2023.1 does not know that mesh shaders have one for each primitive. */
	if (number == BuiltInPrimitiveShadingRateKHR && v->compat)
		shape = I1;
	if (number == BuiltInWorkgroupSize)
		return check_workgroup_size(v, d, to);
	/* spirv-val 2023.1 lets it be anything. */
	if (!row || (number == BuiltInLocalInvocationIndex && v->compat))
		return true;
	if (member != SPV_NO_MEMBER) {
		if (row->no_member)
			return fails(v, d, name_of(number), row->name, "not on a member");
		if (to->op != OpTypeStruct || member >= member_count(to))
			return true;
		t = word(v, to, 2 + member);
		/* In arrays for the stages that have them. */
		return shape == ANY || has_shape(v, t, shape) || fails(v, d, name_of(number), row->name, "of another type");
	}
	t = to->op == OpVariable ? type(v, to->type)->inner : to->type;
	if (!has_shape(v, t, shape))
		return fails(v, d, name_of(number), row->name, "of another type");
	if (row->input && to->op == OpVariable && word(v, to, 3) != StorageClassInput &&
	    !(row->input == 2 && word(v, to, 3) == StorageClassOutput))
		return fails(v, d, name_of(number), row->name, row->input == 2 ? "in Input or Output" : "in Input");
	return true;
}

/* Functions that name a variable are reached from models that have the built-in. */
static void check_models(struct val *v)
{
	for (uint32_t f = 0; f < v->functions.count; f++) {
		const struct spv_function *function = &v->functions.at[f];

		for (uint32_t i = 0; i < function->global_count && function->models; i++) {
			uint32_t id = v->globals.at[function->globals + i];
			const struct spv_decoration *d = spv_decoration(v, id, DecorationBuiltIn, SPV_NO_MEMBER);
			const struct built_in *row = d ? find(param(v, d, 0)) : NULL;

			if (row && row->number == BuiltInLocalInvocationIndex && v->compat)
				continue;
			if (row && (function->models & ~row->models)) {
				fails(v, d, name_of(param(v, d, 0)), row->name, "of another model than an entry point that uses it");
				return;
			}
		}
	}
}

void spv_check_built_ins(struct val *v)
{
	if (!v->vulkan)
		return;
	for (uint32_t id = 1; id < v->module.id_count && v->decorations.count; id++) {
		const spv_inst *to = may_have(v, id, SPV_BIT(DecorationBuiltIn)) ? def(v, id) : NULL;
		struct spv_decoration_walk walk;
		const struct spv_decoration *d;

		if (!to || v->diag->errors >= v->most_errors || to->op == OpDecorationGroup || (v->flags[id] & ID_BROKEN))
			continue;
		walk = spv_decorations(v, id);
		while ((d = spv_next_decoration(v, &walk)))
			if (d->kind == DecorationBuiltIn && !check_definition(v, d, walk.member, to))
				break;
	}
	check_models(v);
}
