/* SPDX-License-Identifier: MIT */
/*
 * A module and a reflection that were made from different kernels run all the same, over
 * the wrong bytes: everything that one says of the other is compared before.
 */
#include "device/prebuilt.h"

#include "spirv/enum.h"

#include <string.h>

#define NAME(thing) (int)(thing)->name.bytes, (thing)->name.at

/* --- Constants ------------------------------------------------------------- */

static const struct glc_object *find_spec(const struct glc_kernel *kernel, uint32_t id)
{
	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].kind == GLC_OBJECT_SPEC && kernel->objects[i].spec_id == id)
			return &kernel->objects[i];
	return NULL;
}

/* The value of an integer constant, as the launch will have it. */
static bool value_of(const struct glc_spv_interface *m, const struct glc_kernel *kernel, uint32_t id, uint32_t *value)
{
	const uint32_t *inst = glc_spv_definition(m, id, GLC_SPV_Constant);
	const struct glc_object *spec = NULL;

	if (!inst) {
		inst = glc_spv_definition(m, id, GLC_SPV_SpecConstant);
		spec = inst ? find_spec(kernel, m->marks[id].spec_id) : NULL;
	}
	if (!inst)
		return false;
	*value = spec ? (uint32_t)spec->spec_bits : inst[3];
	return true;
}

/* Bools have instructions of their own. */
static bool is_spec_of(const struct glc_spv_interface *m, uint32_t id, const struct glc_object *object)
{
	const uint32_t *inst = glc_spv_definition(m, id, GLC_SPV_SpecConstant);
	bool is_float;

	if (object->type == GLC_BOOL)
		return glc_spv_definition(m, id, GLC_SPV_SpecConstantTrue) ||
		       glc_spv_definition(m, id, GLC_SPV_SpecConstantFalse);
	return inst && glc_spv_width(m, inst[1], &is_float) == glc_bits(object->type) &&
	       is_float == glc_is_float(object->type);
}

static enum glacier_status match_specs(const struct glc_spv_interface *m, const struct glc_kernel *kernel,
				       struct glacier_diag *diag)
{
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		bool found = false;

		if (object->kind != GLC_OBJECT_SPEC)
			continue;
		for (uint32_t id = 1; id < m->bound && !found; id++)
			found = m->marks[id].spec_id == object->spec_id && is_spec_of(m, id, object);
		if (!found)
			return glc_fail(diag, GLC_DV_SPV_SPEC, GLC_NOWHERE, NAME(object), object->spec_id,
					glc_types[object->type].name);
	}
	return GLACIER_OK;
}

/* --- The workgroup --------------------------------------------------------- */

/* From the built-in WorkgroupSize, which comes first, LocalSizeId or LocalSize. */
static bool read_workgroup(const struct glc_spv_interface *m, const struct glc_kernel *kernel, uint32_t entry,
			   uint32_t size[3])
{
	const uint32_t *inst;

	for (uint32_t id = 1; id < m->bound; id++) {
		if (m->marks[id].built_in != GLC_SPV_WORKGROUP_SIZE)
			continue;
		inst = glc_spv_definition(m, id, GLC_SPV_ConstantComposite);
		if (!inst)
			inst = glc_spv_definition(m, id, GLC_SPV_SpecConstantComposite);
		return inst && inst[0] >> 16 == 6 && value_of(m, kernel, inst[3], &size[0]) &&
		       value_of(m, kernel, inst[4], &size[1]) && value_of(m, kernel, inst[5], &size[2]);
	}
	for (uint32_t at = 5, count; (inst = glc_spv_next(m, &at, &count)) != NULL;) {
		bool by_id = glc_spv_op(inst) == GLC_SPV_ExecutionModeId;

		if ((!by_id && glc_spv_op(inst) != GLC_SPV_ExecutionMode) || inst[1] != entry || count != 6 ||
		    inst[2] != (by_id ? GLC_SPV_MODE_LOCAL_SIZE_ID : GLC_SPV_MODE_LOCAL_SIZE))
			continue;
		for (int i = 0; i < 3; i++) {
			size[i] = inst[3 + i];
			if (by_id && !value_of(m, kernel, inst[3 + i], &size[i]))
				return false;
		}
		return true;
	}
	return false;
}

static enum glacier_status match_workgroup(const struct glc_spv_interface *m, const struct glc_kernel *kernel,
					   uint32_t entry, struct glacier_diag *diag)
{
	uint32_t size[3] = {0}, wanted[3];
	bool found = read_workgroup(m, kernel, entry, size);

	for (int i = 0; i < 3; i++)
		wanted[i] = kernel->workgroup[i].value;
	if (found && !memcmp(size, wanted, sizeof size))
		return GLACIER_OK;
	return glc_fail(diag, GLC_DV_SPV_WORKGROUP, GLC_NOWHERE, size[0], size[1], size[2], wanted[0], wanted[1],
			wanted[2]);
}

/* --- Buffers --------------------------------------------------------------- */

struct element {
	uint32_t structure, width, stride;
	bool is_float;
};

/* A buffer is a structure whose first member is an array without end. */
static bool read_element(const struct glc_spv_interface *m, const uint32_t *variable, struct element *out)
{
	const uint32_t *pointer = glc_spv_definition(m, variable[1], GLC_SPV_TypePointer);
	const uint32_t *structure = pointer ? glc_spv_definition(m, pointer[3], GLC_SPV_TypeStruct) : NULL;
	const uint32_t *array;

	if (!structure || structure[0] >> 16 != 3)
		return false;
	array = glc_spv_definition(m, structure[2], GLC_SPV_TypeRuntimeArray);
	if (!array)
		return false;
	out->structure = pointer[3];
	out->width = glc_spv_width(m, array[2], &out->is_float);
	out->stride = m->marks[structure[2]].stride;
	return true;
}

static enum glacier_status match_buffer(const struct glc_spv_interface *m, const uint32_t *variable,
					const struct glc_object *object, struct glacier_diag *diag)
{
	const struct glc_spv_marks *marks = &m->marks[variable[2]];
	struct element element = {0};
	bool read_only;

	if (!read_element(m, variable, &element) || element.width != glc_bits(object->type) ||
	    element.is_float != glc_is_float(object->type) || element.stride != glc_types[object->type].bytes)
		return glc_fail(diag, GLC_DV_SPV_ELEMENT, GLC_NOWHERE, NAME(object), glc_types[object->type].name,
				element.is_float ? "floats" : "integers", element.width, element.stride);
	read_only = marks->non_writable || m->marks[element.structure].non_writable;
	if (read_only != (object->access == GLC_READ))
		return glc_fail(diag, GLC_DV_SPV_ACCESS, GLC_NOWHERE, NAME(object),
				object->access == GLC_READ ? "only read" : "written",
				read_only ? "cannot be written" : "may be written");
	return GLACIER_OK;
}

/* Each variable that the entry point reaches has its parameter. */
static enum glacier_status match_variables(const struct glc_prebuilt *prebuilt, const struct glc_kernel *kernel,
					   const uint32_t *entry, struct glacier_diag *diag)
{
	const struct glc_spv_interface *m = &prebuilt->code;
	const uint32_t *inst;

	for (uint32_t at = 5, count; (inst = glc_spv_next(m, &at, &count)) != NULL;) {
		const struct glc_object *object = NULL;
		const struct glc_spv_marks *marks;
		enum glacier_status status;

		/* Without an interface that says it, another kernel's buffer cannot be told from one of this. */
		if (glc_spv_op(inst) != GLC_SPV_Variable || inst[3] != GLC_SPV_STORAGE_BUFFER ||
		    !glc_spv_reaches(m, entry, inst[2]))
			continue;
		marks = &m->marks[inst[2]];
		for (uint32_t i = 0; i < kernel->object_count; i++)
			if (kernel->objects[i].kind == GLC_OBJECT_BUFFER && kernel->objects[i].set == marks->set &&
			    kernel->objects[i].binding == marks->binding)
				object = &kernel->objects[i];
		if (!object && m->version >= 0x00010400)
			return glc_fail(diag, GLC_DV_SPV_BUFFER, GLC_NOWHERE, marks->set, marks->binding);
		status = object ? match_buffer(m, inst, object, diag) : GLACIER_OK;
		if (status != GLACIER_OK)
			return status;
	}
	return GLACIER_OK;
}

/* And each parameter its variable. */
static enum glacier_status match_parameters(const struct glc_prebuilt *prebuilt, const struct glc_kernel *kernel,
					    const uint32_t *entry, struct glacier_diag *diag)
{
	const struct glc_spv_interface *m = &prebuilt->code;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		const uint32_t *inst;
		bool found = false;

		if (object->kind != GLC_OBJECT_BUFFER)
			continue;
		for (uint32_t at = 5, count; (inst = glc_spv_next(m, &at, &count)) != NULL;)
			found = found || (glc_spv_op(inst) == GLC_SPV_Variable && inst[3] == GLC_SPV_STORAGE_BUFFER &&
					  glc_spv_reaches(m, entry, inst[2]) && m->marks[inst[2]].set == object->set &&
					  m->marks[inst[2]].binding == object->binding);
		if (!found)
			return glc_fail(diag, GLC_DV_SPV_NO_BUFFER, GLC_NOWHERE, NAME(object), object->set,
					object->binding);
	}
	return GLACIER_OK;
}

/* --- Push constants -------------------------------------------------------- */

static const uint32_t *find_push_constants(const struct glc_spv_interface *m, const uint32_t *entry)
{
	const uint32_t *inst, *pointer;

	for (uint32_t at = 5, count; (inst = glc_spv_next(m, &at, &count)) != NULL;)
		if (glc_spv_op(inst) == GLC_SPV_Variable && inst[3] == GLC_SPV_PUSH_CONSTANT &&
		    glc_spv_reaches(m, entry, inst[2])) {
			pointer = glc_spv_definition(m, inst[1], GLC_SPV_TypePointer);
			return pointer ? glc_spv_definition(m, pointer[3], GLC_SPV_TypeStruct) : NULL;
		}
	return NULL;
}

static enum glacier_status match_push_constants(const struct glc_spv_interface *m, const struct glc_kernel *kernel,
						const uint32_t *entry, struct glacier_diag *diag)
{
	enum { MOST_MEMBERS = 1024 };
	const uint32_t *structure = find_push_constants(m, entry);
	uint32_t members = structure ? (structure[0] >> 16) - 2 : 0, end = 0;
	uint32_t offsets[MOST_MEMBERS], bytes[MOST_MEMBERS];
	bool is_float;

	if (members > MOST_MEMBERS)
		return glc_fail(diag, GLC_DV_SPV_PUSH_END, GLC_NOWHERE, UINT32_MAX, kernel->push_bytes);
	if (structure)
		glc_spv_offsets(m, structure[1], offsets, members);
	for (uint32_t i = 0; i < members; i++) {
		bytes[i] = glc_spv_width(m, structure[2 + i], &is_float) / 8;
		/* What is no scalar, or lies nowhere, is at least not within what the reflection has. */
		if (!bytes[i] || offsets[i] > UINT32_MAX - bytes[i])
			end = UINT32_MAX;
		else if (offsets[i] + bytes[i] > end)
			end = offsets[i] + bytes[i];
	}
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		uint32_t size = object->type == GLC_BOOL ? 4 : glc_types[object->type].bytes;
		bool found = false;

		if (object->kind != GLC_OBJECT_SCALAR)
			continue;
		for (uint32_t j = 0; j < members; j++)
			found = found || (offsets[j] == object->offset && bytes[j] == size);
		if (!found)
			return glc_fail(diag, GLC_DV_SPV_PUSH, GLC_NOWHERE, NAME(object), size, object->offset);
	}
	if (end > kernel->push_bytes)
		return glc_fail(diag, GLC_DV_SPV_PUSH_END, GLC_NOWHERE, end, kernel->push_bytes);
	return GLACIER_OK;
}

enum glacier_status glc_prebuilt_match(const struct glc_prebuilt *prebuilt, const struct glc_kernel *kernel,
				       struct glacier_diag *diag)
{
	const struct glc_spv_interface *m = &prebuilt->code;
	const uint32_t *entry = glc_spv_entry_point(m, prebuilt->symbol);
	enum glacier_status status;
	char names[512];

	if (!entry) {
		glc_spv_entry_names(m, names, sizeof names);
		return glc_fail(diag, GLC_DV_SPV_ENTRY, GLC_NOWHERE, prebuilt->symbol, names);
	}
	status = match_specs(m, kernel, diag);
	if (status == GLACIER_OK)
		status = match_workgroup(m, kernel, entry[2], diag);
	if (status == GLACIER_OK)
		status = match_parameters(prebuilt, kernel, entry, diag);
	if (status == GLACIER_OK)
		status = match_variables(prebuilt, kernel, entry, diag);
	if (status == GLACIER_OK)
		status = match_push_constants(m, kernel, entry, diag);
	return status;
}
