/* SPDX-License-Identifier: MIT */
/* Objects of a kernel as variables and constants of the module; its entry point. */
#include "spirv/module.h"

static void name(struct sp *sp, uint32_t id, struct glc_name text)
{
	if (sp->input->options->debug)
		sp_put_string(sp, &sp->names, GLC_SPV_Name, &id, 1, text.at, text.bytes);
}

static uint32_t variable(struct sp *sp, uint32_t pointer, enum glc_spv_storage storage, uint32_t initializer)
{
	uint32_t id = sp_id(sp), *at = sp_put(sp, &sp->types, GLC_SPV_Variable, initializer ? 5 : 4);

	at[1] = pointer;
	at[2] = id;
	at[3] = storage;
	if (initializer)
		at[4] = initializer;
	return id;
}

static uint32_t pointer(struct sp *sp, enum glc_spv_storage storage, uint32_t to)
{
	uint32_t id = sp_id(sp), *at = sp_put(sp, &sp->types, GLC_SPV_TypePointer, 4);

	at[1] = id;
	at[2] = storage;
	at[3] = to;
	return id;
}

/* struct Block { T at[]; }, one for each type of element. */
static uint32_t buffer_pointer(struct sp *sp, enum glc_type type)
{
	uint32_t element, array, block, *at;

	type = sp_plain(type);
	if (sp->buffer_pointers[type])
		return sp->buffer_pointers[type];
	element = sp_type(sp, type);
	array = sp_id(sp);
	at = sp_put(sp, &sp->types, GLC_SPV_TypeRuntimeArray, 3);
	at[1] = array;
	at[2] = element;
	sp_decorate1(sp, array, GLC_SPV_ARRAY_STRIDE, glc_types[type].bytes);
	block = sp_id(sp);
	at = sp_put(sp, &sp->types, GLC_SPV_TypeStruct, 3);
	at[1] = block;
	at[2] = array;
	sp_decorate(sp, block, GLC_SPV_BLOCK);
	at = sp_put(sp, &sp->decorations, GLC_SPV_MemberDecorate, 5);
	at[1] = block;
	at[2] = 0;
	at[3] = GLC_SPV_OFFSET;
	at[4] = 0;
	sp->buffer_pointers[type] = pointer(sp, GLC_SPV_STORAGE_BUFFER, block);
	return sp->buffer_pointers[type];
}

static inline uint32_t *put_decoration(uint32_t *at, uint32_t id, enum glc_spv_decoration decoration)
{
	at[0] = 3u << 16 | GLC_SPV_Decorate;
	at[1] = id;
	at[2] = decoration;
	return at + 3;
}

static inline uint32_t *put_decoration1(uint32_t *at, uint32_t id, enum glc_spv_decoration decoration,
					uint32_t value)
{
	at = put_decoration(at, id, decoration);
	at[-3] = 4u << 16 | GLC_SPV_Decorate;
	*at = value;
	return at + 1;
}

static void declare_buffer(struct sp *sp, uint32_t index)
{
	enum { MOST = 4 + 4 + 3 + 3 };   /* words, of the four decorations that it may have */
	const struct glc_object *object = &sp->kernel->objects[index];
	uint32_t id = variable(sp, buffer_pointer(sp, object->type), GLC_SPV_STORAGE_BUFFER, 0), *at;

	sp->objects[index] = id;
	name(sp, id, object->name);
	if (!GLC_RESERVE(sp->memory, &sp->decorations, MOST)) {
		sp->failed = true;
		return;
	}
	at = sp->decorations.at + sp->decorations.count;
	at = put_decoration1(at, id, GLC_SPV_DESCRIPTOR_SET, object->set);
	at = put_decoration1(at, id, GLC_SPV_BINDING, object->binding);
	if (object->access != GLC_READWRITE)
		at = put_decoration(at, id, object->access == GLC_READ ? GLC_SPV_NON_WRITABLE : GLC_SPV_NON_READABLE);
	if (glc_is_coherent(sp->kernel, object))
		at = put_decoration(at, id, GLC_SPV_COHERENT);
	sp->decorations.count = (uint32_t)(at - sp->decorations.at);
}

static void declare_spec(struct sp *sp, uint32_t index)
{
	const struct glc_object *object = &sp->kernel->objects[index];
	uint32_t type = sp_type(sp, object->type), id = sp_id(sp), *at;
	bool wide = glc_bits(object->type) == 64;

	if (object->type == GLC_BOOL) {
		at = sp_put(sp, &sp->types,
			    object->spec_bits ? GLC_SPV_SpecConstantTrue : GLC_SPV_SpecConstantFalse, 3);
	} else {
		at = sp_put(sp, &sp->types, GLC_SPV_SpecConstant, wide ? 5 : 4);
		at[3] = (uint32_t)object->spec_bits;
		if (wide)
			at[4] = (uint32_t)(object->spec_bits >> 32);
	}
	at[1] = type;
	at[2] = id;
	sp->objects[index] = id;
	sp_decorate1(sp, id, GLC_SPV_SPEC_ID, object->spec_id);
	name(sp, id, object->name);
}

static uint32_t extent(struct sp *sp, struct glc_extent extent)
{
	return extent.spec == GLC_NO_VALUE ? sp_const_u32(sp, extent.value) : sp->objects[extent.spec];
}

static uint32_t array_type(struct sp *sp, const struct glc_object *object)
{
	uint32_t element = sp_type(sp, object->type), length = extent(sp, object->length), *at;
	struct sp_array *made;

	for (uint32_t i = 0; i < sp->arrays.count; i++)
		if (sp->arrays.at[i].element == element && sp->arrays.at[i].length == length)
			return sp->arrays.at[i].id;
	made = GLC_PUSH(sp->memory, &sp->arrays);
	if (!made) {
		sp->failed = true;
		return 0;
	}
	*made = (struct sp_array){element, length, sp_id(sp)};
	at = sp_put(sp, &sp->types, GLC_SPV_TypeArray, 4);
	at[1] = made->id;
	at[2] = element;
	at[3] = length;
	return made->id;
}

/* The list of a const array's values, as the initializer of a private variable. */
static uint32_t composite(struct sp *sp, const struct glc_object *object, uint32_t type)
{
	uint32_t count = object->length.value, id, first;

	/* The constants first: making them writes to the same section. */
	for (uint32_t i = 0; i < count; i++)
		sp_const_bits(sp, object->type, object->values[i]);
	if (count > UINT16_MAX - 3) {
		glc_fail(sp->diag, GLC_GA_TOO_MANY, object->pos, "elements of a const array", UINT16_MAX - 3);
		return 0;
	}
	id = sp_id(sp);
	first = sp->types.count;
	if (!GLC_RESERVE(sp->memory, &sp->types, count + 3)) {
		sp->failed = true;
		return 0;
	}
	sp->types.count += count + 3;
	sp->types.at[first] = (count + 3) << 16 | GLC_SPV_ConstantComposite;
	sp->types.at[first + 1] = type;
	sp->types.at[first + 2] = id;
	for (uint32_t i = 0; i < count; i++)
		sp->types.at[first + 3 + i] = sp_const_bits(sp, object->type, object->values[i]);
	return id;
}

static void declare_array(struct sp *sp, uint32_t index)
{
	const struct glc_object *object = &sp->kernel->objects[index];
	uint32_t type = array_type(sp, object), initializer = 0;
	enum glc_spv_storage storage = object->kind == GLC_OBJECT_SHARED  ? GLC_SPV_WORKGROUP
				       : object->kind == GLC_OBJECT_CONST ? GLC_SPV_PRIVATE
									  : GLC_SPV_FUNCTION;

	if (object->kind == GLC_OBJECT_CONST)
		initializer = composite(sp, object, type);
	type = pointer(sp, storage, type);
	if (object->kind == GLC_OBJECT_LOCAL) {
		/* Its variable stands in the function: the body makes it, of this type. */
		sp->objects[index] = type;
		return;
	}
	sp->objects[index] = variable(sp, type, storage, initializer);
	name(sp, sp->objects[index], object->name);
}

/* struct Block { scalars }, at the offsets that the language fixes. */
static void declare_push_constants(struct sp *sp)
{
	const struct glc_kernel *kernel = sp->kernel;
	uint32_t count = 0, block, first, *at;

	sp->push_constants = 0;
	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].kind == GLC_OBJECT_SCALAR) {
			sp->members[i] = count++;
			sp_type(sp, kernel->objects[i].type == GLC_BOOL ? GLC_U32 : kernel->objects[i].type);
		}
	if (!count)
		return;
	block = sp_id(sp);
	first = sp->types.count;
	sp_put(sp, &sp->types, GLC_SPV_TypeStruct, count + 2)[1] = block;
	sp_decorate(sp, block, GLC_SPV_BLOCK);
	for (uint32_t i = 0; i < kernel->object_count && !sp->failed; i++) {
		const struct glc_object *object = &kernel->objects[i];

		if (object->kind != GLC_OBJECT_SCALAR)
			continue;
		sp->types.at[first + 2 + sp->members[i]] =
			sp_type(sp, object->type == GLC_BOOL ? GLC_U32 : object->type);
		at = sp_put(sp, &sp->decorations, GLC_SPV_MemberDecorate, 5);
		at[1] = block;
		at[2] = sp->members[i];
		at[3] = GLC_SPV_OFFSET;
		at[4] = object->offset;
		if (sp->input->options->debug)
			sp_put_string(sp, &sp->names, GLC_SPV_MemberName,
				      (const uint32_t[]){block, sp->members[i]}, 2, object->name.at,
				      object->name.bytes);
	}
	sp->push_constants = variable(sp, pointer(sp, GLC_SPV_PUSH_CONSTANT, block), GLC_SPV_PUSH_CONSTANT, 0);
}

bool sp_declare_objects(struct sp *sp)
{
	const struct glc_kernel *kernel = sp->kernel;

	sp->objects = glc_bump_zero(sp->memory, ((size_t)kernel->object_count + 1) * sizeof *sp->objects);
	sp->members = glc_bump_zero(sp->memory, ((size_t)kernel->object_count + 1) * sizeof *sp->members);
	if (!sp->objects || !sp->members) {
		sp->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < kernel->object_count && !sp->failed; i++) {
		switch (kernel->objects[i].kind) {
		case GLC_OBJECT_BUFFER:
			declare_buffer(sp, i);
			break;
		case GLC_OBJECT_SPEC:
			declare_spec(sp, i);
			break;
		case GLC_OBJECT_SCALAR:
			break;
		default:
			if (kernel->objects[i].used)   /* what nothing touches takes no memory */
				declare_array(sp, i);
		}
	}
	declare_push_constants(sp);
	return !sp->failed;
}

/* --- The entry point ----------------------------------------------------- */

static void interface(struct sp *sp, uint32_t id)
{
	uint32_t *at = GLC_PUSH(sp->memory, &sp->entry);

	if (at)
		*at = id;
	else
		sp->failed = true;
}

static bool has_specialized_size(const struct glc_kernel *kernel)
{
	return kernel->workgroup[0].spec != GLC_NO_VALUE || kernel->workgroup[1].spec != GLC_NO_VALUE ||
	       kernel->workgroup[2].spec != GLC_NO_VALUE;
}

static void workgroup_size(struct sp *sp)
{
	const struct glc_kernel *kernel = sp->kernel;
	uint32_t ids[3], vector, id, *at;

	if (has_specialized_size(kernel)) {
		for (int i = 0; i < 3; i++)
			ids[i] = extent(sp, kernel->workgroup[i]);
		if (sp->input->target->minor >= 6) {
			at = sp_put(sp, &sp->modes, GLC_SPV_ExecutionModeId, 6);
			at[1] = sp->function;
			at[2] = GLC_SPV_MODE_LOCAL_SIZE_ID;
			for (int i = 0; i < 3; i++)
				at[3 + i] = ids[i];
			return;
		}
		/* Before 1.6 by a constant that is decorated WorkgroupSize, which the module has once. */
		if (sp->ir->kernel_count > 1)
			glc_fail(sp->diag, GLC_GA_SPEC_WORKGROUP, kernel->pos);
		vector = sp_vector3(sp);
		id = sp_id(sp);
		at = sp_put(sp, &sp->types, GLC_SPV_SpecConstantComposite, 6);
		at[1] = vector;
		at[2] = id;
		for (int i = 0; i < 3; i++)
			at[3 + i] = ids[i];
		sp_decorate1(sp, id, GLC_SPV_BUILT_IN, GLC_SPV_WORKGROUP_SIZE);
	}
	at = sp_put(sp, &sp->modes, GLC_SPV_ExecutionMode, 6);
	at[1] = sp->function;
	at[2] = GLC_SPV_MODE_LOCAL_SIZE;
	for (int i = 0; i < 3; i++)
		at[3 + i] = kernel->workgroup[i].value;
}

/* Of a float type that the module has: zeros keep their signs, infinities and NaNs are what they are. */
static void preserve(struct sp *sp, enum glc_type type)
{
	uint32_t *at;

	if (!(sp->input->target->features & GLACIER_FEATURE_SIGNED_ZERO_INF_NAN) || !sp->types_by_type[type])
		return;
	sp->float_controls = true;
	at = sp_put(sp, &sp->modes, GLC_SPV_ExecutionMode, 4);
	at[1] = sp->function;
	at[2] = GLC_SPV_MODE_SIGNED_ZERO_INF_NAN_PRESERVE;
	at[3] = glc_bits(type);
}

void sp_declare_entry(struct sp *sp)
{
	const struct glc_kernel *kernel = sp->kernel;
	uint32_t begin = sp->entry.count;
	bool all = sp->input->target->minor >= 4;   /* every global variable, not only inputs */

	sp_put_string(sp, &sp->entry, GLC_SPV_EntryPoint,
		      (const uint32_t[]){GLC_SPV_EXECUTION_MODEL_GLCOMPUTE, sp->function}, 2,
		      kernel->name.at, kernel->name.bytes);
	for (uint32_t i = 0; i < SP_BUILT_IN_COUNT; i++)
		if (sp->used_built_ins >> i & 1)
			interface(sp, sp->built_ins[i]);
	for (uint32_t i = 0; all && i < kernel->object_count; i++) {
		uint8_t kind = kernel->objects[i].kind;

		if (sp->objects[i] &&
		    (kind == GLC_OBJECT_BUFFER || kind == GLC_OBJECT_SHARED || kind == GLC_OBJECT_CONST))
			interface(sp, sp->objects[i]);
	}
	if (all && sp->push_constants)
		interface(sp, sp->push_constants);
	if (sp->failed)
		return;
	if (sp->entry.count - begin > UINT16_MAX) {
		glc_fail(sp->diag, GLC_GA_TOO_MANY, kernel->pos, "objects of a kernel", UINT16_MAX);
		return;
	}
	sp->entry.at[begin] = (sp->entry.count - begin) << 16 | GLC_SPV_EntryPoint;
	workgroup_size(sp);
	preserve(sp, GLC_F32);
	preserve(sp, GLC_F64);
	name(sp, sp->function, kernel->name);
}
