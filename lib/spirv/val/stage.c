/* SPDX-License-Identifier: MIT */
/*
 * Instructions of rays and of mesh shaders, and the modes that a stage must have, or may
 * have once.
 *
 * Source: SPV_KHR_ray_tracing; SPV_EXT_mesh_shader; SPIR-V 2.16.2, Validation Rules for Shader Capabilities.
 */
#include "spirv/val/val.h"

/* --- Rays, queries and meshes ----------------------------------------------------- */

/* What an operand is. */
enum shape {
	NONE, INT, UNSIGNED, FLOAT, FLOAT2, FLOAT3, BOOLEAN, MATRIX43, ACCELERATION, PAYLOAD, CALLABLE, TASK_PAYLOAD, QUERY, CONSTANT,
};

enum { OPERANDS = 11 };

static const struct row {
	uint16_t op;
	uint8_t result;
	uint32_t models;
	uint8_t shapes[OPERANDS];        /* of the operands that are no type and no result */
} rows[] = {
	{OpTraceRayKHR, NONE, M_RAY_GENERATION | M_CLOSEST_HIT | M_MISS,
	 {ACCELERATION, INT, INT, INT, INT, INT, FLOAT3, FLOAT, FLOAT3, FLOAT, PAYLOAD}},
	{OpExecuteCallableKHR, NONE, M_RAY_GENERATION | M_CLOSEST_HIT | M_MISS | M_CALLABLE, {UNSIGNED, CALLABLE}},
	{OpRayQueryInitializeKHR, NONE, M_ALL, {QUERY, ACCELERATION, INT, INT, FLOAT3, FLOAT, FLOAT3, FLOAT}},
	{OpRayQueryTerminateKHR, NONE, M_ALL, {QUERY}},
	{OpRayQueryGenerateIntersectionKHR, NONE, M_ALL, {QUERY, FLOAT}},
	{OpRayQueryConfirmIntersectionKHR, NONE, M_ALL, {QUERY}},
	{OpRayQueryProceedKHR, BOOLEAN, M_ALL, {QUERY}},
	{OpRayQueryGetIntersectionTypeKHR, INT, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetRayTMinKHR, FLOAT, M_ALL, {QUERY}},
	{OpRayQueryGetRayFlagsKHR, INT, M_ALL, {QUERY}},
	{OpRayQueryGetIntersectionTKHR, FLOAT, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionInstanceCustomIndexKHR, INT, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionInstanceIdKHR, INT, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR, INT, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionGeometryIndexKHR, INT, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionPrimitiveIndexKHR, INT, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionBarycentricsKHR, FLOAT2, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionFrontFaceKHR, BOOLEAN, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionCandidateAABBOpaqueKHR, BOOLEAN, M_ALL, {QUERY}},
	{OpRayQueryGetIntersectionObjectRayDirectionKHR, FLOAT3, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionObjectRayOriginKHR, FLOAT3, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetWorldRayDirectionKHR, FLOAT3, M_ALL, {QUERY}},
	{OpRayQueryGetWorldRayOriginKHR, FLOAT3, M_ALL, {QUERY}},
	{OpRayQueryGetIntersectionObjectToWorldKHR, MATRIX43, M_ALL, {QUERY, CONSTANT}},
	{OpRayQueryGetIntersectionWorldToObjectKHR, MATRIX43, M_ALL, {QUERY, CONSTANT}},
	{OpEmitMeshTasksEXT, NONE, M_TASK, {UNSIGNED, UNSIGNED, UNSIGNED, TASK_PAYLOAD}},
	{OpSetMeshOutputsEXT, NONE, M_MESH, {UNSIGNED, UNSIGNED}},
	{OpReportIntersectionKHR, BOOLEAN, M_INTERSECTION, {FLOAT, UNSIGNED}},
};

static const struct {
	uint32_t mask;           /* of types; or: */
	uint8_t dim;
	uint8_t classes[2];      /* a variable in one of these */
	const char *name;
} shapes[] = {
	[INT] = {T_INT, 1, {0}, "a 32-bit integer"},
	[UNSIGNED] = {T_INT | T_UNSIGNED, 1, {0}, "an unsigned 32-bit integer"},
	[FLOAT] = {T_FLOAT, 1, {0}, "a 32-bit float"},
	[FLOAT2] = {T_FLOATS, 2, {0}, "a vector of two 32-bit floats"},
	[FLOAT3] = {T_FLOATS, 3, {0}, "a vector of three 32-bit floats"},
	[BOOLEAN] = {T_BOOL, 1, {0}, "a scalar bool"},
	[MATRIX43] = {T_MATRIX, 4, {0}, "a matrix of four columns of three 32-bit floats"},
	[ACCELERATION] = {T_ACCELERATION, 1, {0}, "an acceleration structure"},
	[PAYLOAD] = {0, 0, {1, 2}, "a variable in RayPayloadKHR or IncomingRayPayloadKHR"},
	[CALLABLE] = {0, 0, {3, 4}, "a variable in CallableDataKHR or IncomingCallableDataKHR"},
	[TASK_PAYLOAD] = {0, 0, {5, 5}, "a variable in TaskPayloadWorkgroupEXT"},
	[QUERY] = {0, 0, {0}, "a variable that is a ray query"},
	[CONSTANT] = {T_INT, 1, {0}, "a 32-bit integer constant"},
};

static const uint32_t classes[] = {
	0, StorageClassRayPayloadKHR, StorageClassIncomingRayPayloadKHR, StorageClassCallableDataKHR,
	StorageClassIncomingCallableDataKHR, StorageClassTaskPayloadWorkgroupEXT,
};

static bool type_has_shape(const struct val *v, uint32_t id, uint32_t shape)
{
	const struct spv_type *t = type(v, id);
	uint32_t mask = shapes[shape].mask;

	if (!(t->mask & T_KIND & mask) || ((mask & T_UNSIGNED) && !(t->mask & T_UNSIGNED)) || t->dim != shapes[shape].dim)
		return false;
	if (shape == MATRIX43 && type(v, t->inner)->dim != 3)
		return false;
	return !(mask & (T_INT | T_FLOAT | T_FLOATS | T_MATRIX)) || t->width == 32;
}

static bool is_query(const struct val *v, uint32_t id)
{
	uint32_t pointer = type_of(v, id), op = op_of(v, id);

	return (op == OpVariable || op == OpFunctionParameter || op == OpAccessChain) && is(v, pointer, T_POINTER) &&
	       is(v, type(v, pointer)->inner, T_RAY_QUERY);
}

static bool has_shape(const struct val *v, uint32_t id, uint32_t shape)
{
	const spv_inst *inst = def(v, id);

	switch (shape) {
	case QUERY:
		return is_query(v, id);
	case PAYLOAD: case CALLABLE: case TASK_PAYLOAD:
		return inst && inst->op == OpVariable && (word(v, inst, 3) == classes[shapes[shape].classes[0]] ||
							  word(v, inst, 3) == classes[shapes[shape].classes[1]]);
	case CONSTANT:
		return inst && is_constant(inst->op) && type_has_shape(v, inst->type, shape);
	default:
		return type_has_shape(v, type_of(v, id), shape);
	}
}

bool spv_check_stage_op(struct val *v, const spv_inst *inst)
{
	const struct row *row = rows;
	uint32_t first = inst->id ? 2 : 0;

	while (row->op != inst->op)
		row++;
	if (!spv_only_models(v, inst, row->models, NULL))
		return false;
	if (row->result && !type_has_shape(v, inst->type, row->result))
		return spv_result_fails(v, inst, shapes[row->result].name, NULL);
	for (uint32_t i = 0; first + i < operand_count(inst) && i < OPERANDS && row->shapes[i]; i++)
		if (!has_shape(v, operand(v, inst, first + i), row->shapes[i]))
			return spv_operand_fails(v, inst, first + i, shapes[row->shapes[i]].name, NULL);
	return true;
}

/* --- Modes --------------------------------------------------------------- */

enum { MOST_MODES = 8 };

static const struct modes {
	uint32_t models;
	uint8_t least, most;             /* of these */
	uint16_t modes[MOST_MODES];
	const char *what;
} mode_sets[] = {
	{M_FRAGMENT, 0, 1, {ExecutionModeDepthGreater, ExecutionModeDepthLess, ExecutionModeDepthUnchanged},
	 "at most one of DepthGreater, DepthLess and DepthUnchanged"},
	{M_FRAGMENT, 0, 1, {ExecutionModePixelInterlockOrderedEXT, ExecutionModePixelInterlockUnorderedEXT,
			    ExecutionModeSampleInterlockOrderedEXT, ExecutionModeSampleInterlockUnorderedEXT,
			    ExecutionModeShadingRateInterlockOrderedEXT, ExecutionModeShadingRateInterlockUnorderedEXT},
	 "at most one mode of interlock"},
	{M_CONTROL | M_EVALUATION, 0, 1, {ExecutionModeSpacingEqual, ExecutionModeSpacingFractionalEven,
					  ExecutionModeSpacingFractionalOdd}, "at most one spacing"},
	{M_CONTROL | M_EVALUATION, 0, 1, {ExecutionModeTriangles, ExecutionModeQuads, ExecutionModeIsolines},
	 "at most one of Triangles, Quads and Isolines"},
	{M_CONTROL | M_EVALUATION, 0, 1, {ExecutionModeVertexOrderCw, ExecutionModeVertexOrderCcw}, "at most one order of vertices"},
	{M_GEOMETRY, 1, 1, {ExecutionModeInputPoints, ExecutionModeInputLines, ExecutionModeInputLinesAdjacency,
			    ExecutionModeTriangles, ExecutionModeInputTrianglesAdjacency}, "one input primitive"},
	{M_GEOMETRY, 1, 1, {ExecutionModeOutputPoints, ExecutionModeOutputLineStrip, ExecutionModeOutputTriangleStrip},
	 "one output primitive"},
	{M_MESH, 1, 1, {ExecutionModeOutputPoints, ExecutionModeOutputLinesEXT, ExecutionModeOutputTrianglesEXT},
	 "one of OutputPoints, OutputLinesEXT and OutputTrianglesEXT"},
	{M_MESH, 1, 1, {ExecutionModeOutputPrimitivesEXT}, "OutputPrimitivesEXT"},
	{M_MESH, 1, 1, {ExecutionModeOutputVertices}, "OutputVertices"},
};

/* The mode's bit in the set; 0: it is not of it. */
static uint32_t bit_of(const struct modes *set, uint32_t mode)
{
	for (uint32_t i = 0; i < MOST_MODES && (set->modes[i] || !i); i++)
		if (set->modes[i] == mode)
			return 1u << i;
	return 0;
}

bool spv_check_stage_modes(struct val *v, const spv_inst *entry)
{
	enum { SETS = sizeof mode_sets / sizeof mode_sets[0] };
	uint32_t model = 1u << spv_model(word(v, entry, 1)), seen[SETS] = {0};

	if (!(model & (M_FRAGMENT | M_CONTROL | M_EVALUATION | M_GEOMETRY | M_MESH)))
		return true;
	for (uint32_t i = v->entries.at[0].inst; i < v->module.inst_count; i++) {
		const spv_inst *inst = &v->module.insts[i];

		if (inst->op != OpEntryPoint && inst->op != OpExecutionMode && inst->op != OpExecutionModeId)
			break;
		for (uint32_t k = 0; inst->op == OpExecutionMode && word(v, inst, 1) == word(v, entry, 2) && k < SETS; k++)
			seen[k] |= bit_of(&mode_sets[k], word(v, inst, 2));
	}
	for (uint32_t k = 0; k < SETS; k++) {
		uint32_t count = (uint32_t)__builtin_popcount(seen[k]);

		if ((mode_sets[k].models & model) && (count < mode_sets[k].least || count > mode_sets[k].most))
			return SPV_FAIL(v, entry, STAGE_MODES, NULL, mode_sets[k].what, count);
	}
	return true;
}
