/* SPDX-License-Identifier: MIT */
/*
 * Buffers: their decorations and their explicit layout (std140, std430, relaxed, scalar).
 *
 * Sizes and alignments are worked out once for each structure, in the order of their
 * declarations. A structure's own rules depend on where it lies by a few bits alone, so a
 * structure in arrays in structures is looked at 64 times at most.
 *
 * Source: Vulkan, "Offset and Stride Assignment"; StandaloneSpirv-06674 to -06677.
 */
#include "spirv/val/val.h"

enum { NO_OFFSET = UINT32_MAX };

struct member {
	uint32_t type, offset, matrix_stride, next;   /* next: the index of the member that comes here by offset */
	bool row_major;
};

struct layout {
	uint32_t first, count, size;
	uint32_t scalar, base, base_rounded;   /* alignments; rounded up for uniform blocks */
	bool lacks_offset, lacks_array_stride, lacks_matrix_stride, lacks_major;
	uint64_t done[4];                      /* by rules: where it was looked at, modulo 64 */
};

struct blocks {
	struct val *v;
	uint32_t *layout_of;                   /* by id: layout + 1 */
	GLC_ARRAY(struct layout) layouts;
	GLC_ARRAY(struct member) members;
	struct {
		uint32_t structure, offset;
	} *work;
	uint32_t pointer_bytes;
};

struct rules {
	bool uniform, scalar;
	const spv_inst *variable;
	const char *name;
};

static uint32_t align(uint32_t value, uint32_t to)
{
	return to ? (value + to - 1) / to * to : value;
}

static const struct layout *layout(const struct blocks *b, uint32_t id)
{
	return b->layout_of[id] ? &b->layouts.at[b->layout_of[id] - 1] : NULL;
}

static uint32_t stride_of(const struct val *v, uint32_t array)
{
	const struct spv_decoration *d = spv_decoration(v, array, DecorationArrayStride, SPV_ANY);

	return d ? param(v, d, 0) : 0;
}

static uint32_t element_of(const struct val *v, uint32_t id)
{
	while (is(v, id, T_ARRAY | T_RUNTIME_ARRAY))
		id = type(v, id)->inner;
	return id;
}

static uint32_t scalar_alignment(const struct blocks *b, uint32_t id)
{
	const struct spv_type *t = type(b->v, element_of(b->v, id));

	if (t->mask & T_STRUCT)
		return layout(b, element_of(b->v, id)) ? layout(b, element_of(b->v, id))->scalar : 1;
	if (t->mask & T_POINTER)
		return b->pointer_bytes;
	return t->mask & (T_INT_LIKE | T_FLOAT_LIKE | T_MATRIX) ? t->width / 8 : 1;
}

static uint32_t base_alignment(const struct blocks *b, uint32_t id, bool round_up, bool row_major)
{
	const struct val *v = b->v;
	uint32_t element = element_of(v, id), n, alignment;
	const struct spv_type *t = type(v, element);
	bool rounded = element != id || (t->mask & (T_MATRIX | T_STRUCT));

	if (t->mask & T_STRUCT) {
		const struct layout *l = layout(b, element);

		return l ? round_up ? l->base_rounded : l->base : 1;
	}
	if (t->mask & T_POINTER) {
		alignment = b->pointer_bytes;
	} else {
		n = t->mask & T_MATRIX ? row_major ? t->dim : type(v, t->inner)->dim : t->dim;
		alignment = t->mask & (T_INT_LIKE | T_FLOAT_LIKE | T_MATRIX) ? t->width / 8u * (n == 3 ? 4 : n) : 1;
	}
	return round_up && rounded ? align(alignment, 16) : alignment;
}

static uint32_t size_of(const struct blocks *b, uint32_t id, uint32_t matrix_stride, bool row_major)
{
	const struct val *v = b->v;
	uint32_t total = 0;
	const struct spv_type *t;

	for (; is(v, id, T_ARRAY); id = type(v, id)->inner) {
		const spv_inst *length = def(v, word(v, def(v, id), 3));

		if (!length || length->op != OpConstant)
			return total;
		total += (word(v, length, 3) - 1) * stride_of(v, id);
	}
	t = type(v, id);
	if (t->mask & T_RUNTIME_ARRAY)
		return total;
	if (t->mask & T_STRUCT)
		return total + (layout(b, id) ? layout(b, id)->size : 0);
	if (t->mask & T_POINTER)
		return total + b->pointer_bytes;
	if (t->mask & T_MATRIX)
		return total + (row_major ? (type(v, t->inner)->dim - 1u) * matrix_stride + t->dim * (t->width / 8u) :
					    t->dim * matrix_stride);
	return total + (t->mask & (T_INT_LIKE | T_FLOAT_LIKE) ? t->width / 8u * t->dim : 0);
}

/* --- Facts of structures ------------------------------------------------- */

static void read_members(struct blocks *b, const struct layout *l, const spv_inst *inst)
{
	struct val *v = b->v;
	struct spv_decoration_walk walk = spv_decorations(v, inst->id);
	const struct spv_decoration *d;
	struct member *members = b->members.at + l->first;

	while ((d = spv_next_decoration(v, &walk))) {
		if (walk.member >= l->count)
			continue;
		switch (d->kind) {
		case DecorationOffset: members[walk.member].offset = param(v, d, 0); break;
		case DecorationMatrixStride: members[walk.member].matrix_stride = param(v, d, 0); break;
		case DecorationRowMajor: members[walk.member].row_major = true; break;
		default: break;
		}
	}
}

/* Which members have a decoration of the kind; for what every matrix and array must have. */
static bool all_have(const struct val *v, const spv_inst *inst, uint32_t mask, uint32_t kind, uint32_t other, bool *seen)
{
	struct spv_decoration_walk walk = spv_decorations(v, inst->id);
	const struct spv_decoration *d;

	memset(seen, 0, member_count(inst));
	while ((d = spv_next_decoration(v, &walk)))
		if ((d->kind == kind || d->kind == other) && walk.member < member_count(inst))
			seen[walk.member] = true;
	for (uint32_t i = 0; i < member_count(inst); i++) {
		uint32_t id = word(v, inst, 2 + i);

		if (is(v, id, mask) && !seen[i] && !decorated(v, id, kind) && !decorated(v, id, other))
			return false;
	}
	return true;
}

/* Indices by offset; equal ones in their order. Gaps that shrink: no memory, nearly linear. */
static void sort_members(struct member *members, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		members[i].next = i;
	for (uint32_t gap = count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) {
		for (uint32_t i = gap; i < count; i++) {
			uint32_t index = members[i].next, k = i;

			for (; k >= gap; k -= gap) {
				uint32_t before = members[k - gap].next;

				if (members[before].offset < members[index].offset ||
				    (members[before].offset == members[index].offset && before < index))
					break;
				members[k].next = before;
			}
			members[k].next = index;
		}
	}
}

static void add_facts(struct blocks *b, struct layout *l, const spv_inst *inst, bool *seen)
{
	struct val *v = b->v;
	const struct member *last;
	uint32_t kinds = 0;

	l->scalar = l->base = l->base_rounded = 1;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct member *m = &b->members.at[l->first + i];
		uint32_t a = scalar_alignment(b, m->type), e = element_of(v, m->type);
		const struct layout *inner = is(v, e, T_STRUCT) ? layout(b, e) : NULL;

		kinds |= type(v, m->type)->mask;
		l->scalar = a > l->scalar ? a : l->scalar;
		a = base_alignment(b, m->type, false, m->row_major);
		l->base = a > l->base ? a : l->base;
		a = base_alignment(b, m->type, true, m->row_major);
		l->base_rounded = a > l->base_rounded ? a : l->base_rounded;
		l->lacks_offset |= m->offset == NO_OFFSET || (inner && inner->lacks_offset);
		if (!inner || e != m->type)
			continue;
		l->lacks_array_stride |= inner->lacks_array_stride;
		l->lacks_matrix_stride |= inner->lacks_matrix_stride;
		l->lacks_major |= inner->lacks_major;
	}
	l->base_rounded = align(l->base_rounded, 16);
	if (kinds & T_ARRAY)
		l->lacks_array_stride |= !all_have(v, inst, T_ARRAY, DecorationArrayStride, DecorationArrayStride, seen);
	if (kinds & T_MATRIX) {
		l->lacks_matrix_stride |= !all_have(v, inst, T_MATRIX, DecorationMatrixStride, DecorationMatrixStride, seen);
		l->lacks_major |= !all_have(v, inst, T_MATRIX, DecorationRowMajor, DecorationColMajor, seen);
	}
	if (!l->count)
		return;
	last = &b->members.at[l->first + l->count - 1];
	/* spirv-val 2023.1 forgets the stride of a matrix that ends a structure. */
	l->size = last->offset + size_of(b, last->type, v->compat ? 0 : last->matrix_stride, !v->compat && last->row_major);
}

static bool add_layout(struct blocks *b, const spv_inst *inst)
{
	struct val *v = b->v;
	uint32_t count = member_count(inst);
	struct glc_mark mark;
	struct layout *l;
	bool *seen;

	if (!GLC_RESERVE(v->memory, &b->members, count + 1))   /* a place even for none */
		return false;
	l = GLC_PUSH(v->memory, &b->layouts);
	if (!l)
		return false;
	*l = (struct layout){.first = b->members.count, .count = count};
	for (uint32_t i = 0; i < count; i++)
		b->members.at[b->members.count++] = (struct member){.type = word(v, inst, 2 + i), .offset = NO_OFFSET};
	read_members(b, l, inst);
	sort_members(b->members.at + l->first, count);
	mark = glc_bump_mark(v->memory);
	seen = glc_bump(v->memory, count);
	if (!seen)
		return false;
	add_facts(b, l, inst, seen);
	glc_bump_release(v->memory, mark);
	b->layout_of[inst->id] = b->layouts.count;
	return true;
}

/* --- Checking a layout --------------------------------------------------- */

static bool is_aligned(uint32_t offset, uint32_t alignment)
{
	return alignment ? offset % alignment == 0 : offset == 0;
}

static bool fails(struct blocks *b, const struct rules *r, uint32_t structure, uint32_t member, const char *what)
{
	return SPV_FAIL(b->v, def(b->v, structure), LAYOUT, r->name, member, what);
}

static bool straddles(uint32_t offset, uint32_t size)
{
	return size <= 16 ? offset >> 4 != (offset + size - 1) >> 4 : offset % 16 != 0;
}

static uint32_t alignment_of(const struct blocks *b, const struct rules *r, uint32_t id, bool row_major)
{
	return r->scalar ? scalar_alignment(b, id) : base_alignment(b, id, r->uniform, row_major);
}

static void push(struct blocks *b, const struct rules *r, uint32_t structure, uint32_t offset, uint32_t *work)
{
	struct layout *l = b->layout_of[structure] ? &b->layouts.at[b->layout_of[structure] - 1] : NULL;
	uint64_t *done = l ? &l->done[r->uniform + 2 * r->scalar] : NULL;

	if (!l || *done >> offset % 64 & 1)
		return;
	*done |= UINT64_C(1) << offset % 64;
	b->work[*work].structure = structure;
	b->work[(*work)++].offset = offset;
}

/* A member's arrays, from the outermost in: strides, and structures at each of their places. */
static bool check_arrays(struct blocks *b, const struct rules *r, uint32_t structure, uint32_t index, uint32_t offset,
			 uint32_t *work)
{
	struct val *v = b->v;
	const struct member *m = &b->members.at[layout(b, structure)->first + index];
	uint32_t id = m->type, alignment = alignment_of(b, r, id, m->row_major);

	while (is(v, id, T_ARRAY | T_RUNTIME_ARRAY)) {
		uint32_t element = type(v, id)->inner, stride = stride_of(v, id), count = 1;

		if (decorated(v, id, DecorationArrayStride) && !stride)
			return fails(b, r, structure, index, "is an array with stride 0");
		if (stride && !is_aligned(stride, alignment))
			return fails(b, r, structure, index, "is an array whose stride is not aligned");
		if (is(v, id, T_ARRAY) && (!spv_constant(v, word(v, def(v, id), 3), &count) || !count))
			count = 1;
		if (is(v, element, T_STRUCT))
			for (uint32_t i = 0, seen = 0; i < count && !(seen >> (i * stride + offset) % 16 & 1); i++) {
				seen |= 1u << (i * stride + offset) % 16;
				push(b, r, element, i * stride + offset, work);
			}
		id = element;
		alignment = alignment_of(b, r, id, m->row_major);
		if (size_of(b, id, m->matrix_stride, m->row_major) > stride)
			return fails(b, r, structure, index, "is an array with elements larger than its stride");
	}
	return true;
}

static bool check_member(struct blocks *b, const struct rules *r, uint32_t structure, uint32_t index, uint32_t offset,
			 uint32_t *free_from, uint32_t *work)
{
	struct val *v = b->v;
	const struct member *m = &b->members.at[layout(b, structure)->first + index];
	uint32_t alignment = alignment_of(b, r, m->type, m->row_major);
	uint32_t size = size_of(b, m->type, m->matrix_stride, m->row_major);
	bool relaxed_vector = !r->scalar && v->relaxed && is(v, m->type, T_VECTOR);

	if (!is_aligned(offset, relaxed_vector ? scalar_alignment(b, m->type) : alignment))
		return fails(b, r, structure, index, "is not aligned");
	if (offset < *free_from)
		return fails(b, r, structure, index, "overlaps another");
	if (relaxed_vector && straddles(offset, size))
		return fails(b, r, structure, index, "is a vector that straddles 16 bytes");
	if (is(v, m->type, T_STRUCT))
		push(b, r, m->type, offset, work);
	if (is(v, m->type, T_MATRIX) && !is_aligned(m->matrix_stride, alignment))
		return fails(b, r, structure, index, "is a matrix whose stride is not aligned");
	if (!check_arrays(b, r, structure, index, offset, work))
		return false;
	*free_from = offset + size;
	if (!r->scalar && is(v, m->type, T_ARRAY | T_STRUCT))
		*free_from = align(*free_from, alignment);
	return true;
}

static bool check_layout(struct blocks *b, const struct rules *r, uint32_t structure)
{
	uint32_t work = 0;

	push(b, r, structure, 0, &work);
	while (work) {
		uint32_t id = b->work[--work].structure, at = b->work[work].offset, free_from = 0;
		const struct layout *l = layout(b, id);

		for (uint32_t i = 0; i < l->count; i++) {
			uint32_t index = b->members.at[l->first + i].next;

			if (!check_member(b, r, id, index, at + b->members.at[l->first + index].offset, &free_from, &work))
				return false;
		}
	}
	return true;
}

/* --- Buffers ------------------------------------------------------------- */

static bool check_explicit(struct blocks *b, const struct rules *r, uint32_t structure)
{
	struct val *v = b->v;
	const struct layout *l = layout(b, structure);
	const spv_inst *inst = def(v, structure);

	if (!l)
		return true;
	if (l->lacks_offset)
		return SPV_FAIL(v, inst, NOT_LAID_OUT, NULL, "Offset");
	if (l->lacks_array_stride)
		return SPV_FAIL(v, inst, NOT_LAID_OUT, NULL, "ArrayStride");
	if (l->lacks_matrix_stride)
		return SPV_FAIL(v, inst, NOT_LAID_OUT, NULL, "MatrixStride");
	if (l->lacks_major)
		return SPV_FAIL(v, inst, NOT_LAID_OUT, NULL, "RowMajor or ColMajor");
	return !v->vulkan || v->options.skip_block_layout || check_layout(b, r, structure);
}

static bool check_binding(struct val *v, const spv_inst *inst)
{
	if (!(v->flags[inst->id] & ID_USED) || !v->vulkan)
		return true;
	if (decorated(v, inst->id, DecorationDescriptorSet) && decorated(v, inst->id, DecorationBinding))
		return true;
	return SPV_FAIL(v, inst, NO_BINDING, NULL);
}

static void check_variable(struct blocks *b, const spv_inst *inst)
{
	struct val *v = b->v;
	uint32_t storage = word(v, inst, 3), id = type(v, inst->type)->inner;
	bool uniform = storage == StorageClassUniform, push_constant = storage == StorageClassPushConstant;
	bool buffer = storage == StorageClassStorageBuffer, block, buffer_block;
	bool workgroup = storage == StorageClassWorkgroup && has(v, HasWorkgroupMemoryExplicitLayoutKHR);
	struct rules rules = {.variable = inst};

	if (storage == StorageClassUniformConstant) {
		check_binding(v, inst);
		return;
	}
	if (!uniform && !push_constant && !buffer && !workgroup)
		return;
	if (!workgroup && is(v, id, T_ARRAY | T_RUNTIME_ARRAY))
		id = type(v, id)->inner;
	if (!is(v, id, T_STRUCT) || (v->flags[id] & ID_BROKEN))
		return;
	if (push_constant && layout(b, id) && layout(b, id)->size > v->push_constant_bytes)
		v->push_constant_bytes = layout(b, id)->size;
	block = decorated(v, id, DecorationBlock);
	buffer_block = decorated(v, id, DecorationBufferBlock);
	if (v->vulkan) {
		bool nested = type(v, id)->mask & T_HAS_BLOCK;

		if ((buffer && buffer_block) || ((push_constant || buffer) && !block && !nested)) {
			SPV_FAIL(v, inst, NO_BLOCK, "VUID-StandaloneSpirv-PushConstant-06675", "Block");
			return;
		}
		if (uniform && !block && !buffer_block && !nested) {
			SPV_FAIL(v, inst, NO_BLOCK, "VUID-StandaloneSpirv-Uniform-06676", "Block or BufferBlock");
			return;
		}
		if ((uniform || buffer) && !check_binding(v, inst))
			return;
	}
	if (uniform && block)
		v->flags[inst->type] |= ID_UNIFORM_BLOCK;
	if ((uniform && buffer_block) || (buffer && block))
		v->flags[inst->type] |= ID_STORAGE_BLOCK;
	if (!(block || (uniform && buffer_block)))
		return;
	rules.uniform = uniform && block && !v->options.uniform_buffer_standard_layout;
	rules.scalar = workgroup ? v->options.workgroup_scalar_block_layout : v->options.scalar_block_layout;
	rules.name = rules.scalar ? "scalar layout" : rules.uniform ? "std140: layout of uniform blocks" :
								      "std430: layout of storage blocks";
	check_explicit(b, &rules, id);
}

void spv_check_buffers(struct val *v)
{
	struct blocks b = {.v = v, .pointer_bytes = v->addressing == AddressingModelPhysical32 ? 4 : 8};
	uint32_t i, structures = 0;

	b.layout_of = glc_bump_zero(v->memory, ((size_t)v->module.id_count + 1) * 4);
	if (!b.layout_of)
		goto fail;
	for (i = v->types_from; i < v->types_to; i++) {
		const spv_inst *inst = &v->module.insts[i];

		if (inst->op == OpTypeStruct && !(v->flags[inst->id] & ID_BROKEN)) {
			structures++;
			if (!add_layout(&b, inst))
				goto fail;
		}
	}
	/* Each structure waits once for each of the 64 places of a mode. */
	b.work = glc_bump(v->memory, (size_t)structures * 64 * sizeof *b.work);
	if (!b.work)
		goto fail;
	for (i = v->types_from; i < v->types_to; i++) {
		const spv_inst *inst = &v->module.insts[i];

		if (inst->op == OpVariable && !(v->flags[inst->id] & ID_BROKEN) && v->diag->errors < v->most_errors)
			check_variable(&b, inst);
	}
	return;
fail:
	v->out_of_memory = true;
}
