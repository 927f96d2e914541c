/* SPDX-License-Identifier: MIT */
/* Images and samplers. Source: SPIR-V 3.49.10, Image Instructions; 3.49.6, OpTypeImage; Vulkan, StandaloneSpirv. */
#include "spirv/val/val.h"

struct image {
	uint32_t sampled_type, dim, depth, arrayed, multisampled, sampled, format;
};

static bool read_image(const struct val *v, uint32_t id, struct image *image)
{
	const spv_inst *t = def(v, id);

	if (t && t->op == OpTypeSampledImage)
		t = def(v, word(v, t, 2));
	if (!t || t->op != OpTypeImage)
		return false;
	*image = (struct image){word(v, t, 2), word(v, t, 3), word(v, t, 4), word(v, t, 5), word(v, t, 6), word(v, t, 7), word(v, t, 8)};
	return true;
}

static bool image_fails(struct val *v, const spv_inst *inst, const char *what, const char *clause)
{
	return SPV_FAIL(v, inst, IMAGE, clause, spv_op_name(inst->op), what);
}

/* --- Classes of opcodes -------------------------------------------------- */

enum {
	IMPLICIT = 1, EXPLICIT = 2, PROJECTIVE = 4, DEPTH = 8, SPARSE = 16, FETCH = 32, GATHER = 64, READ = 128, WRITE = 256,
};

static uint32_t traits(uint32_t op)
{
	switch (op) {
	case OpImageSampleImplicitLod: return IMPLICIT;
	case OpImageSampleExplicitLod: return EXPLICIT;
	case OpImageSampleDrefImplicitLod: return IMPLICIT | DEPTH;
	case OpImageSampleDrefExplicitLod: return EXPLICIT | DEPTH;
	case OpImageSampleProjImplicitLod: return IMPLICIT | PROJECTIVE;
	case OpImageSampleProjExplicitLod: return EXPLICIT | PROJECTIVE;
	case OpImageSampleProjDrefImplicitLod: return IMPLICIT | PROJECTIVE | DEPTH;
	case OpImageSampleProjDrefExplicitLod: return EXPLICIT | PROJECTIVE | DEPTH;
	case OpImageSparseSampleImplicitLod: return IMPLICIT | SPARSE;
	case OpImageSparseSampleExplicitLod: return EXPLICIT | SPARSE;
	case OpImageSparseSampleDrefImplicitLod: return IMPLICIT | DEPTH | SPARSE;
	case OpImageSparseSampleDrefExplicitLod: return EXPLICIT | DEPTH | SPARSE;
	case OpImageFetch: return FETCH;
	case OpImageSparseFetch: return FETCH | SPARSE;
	case OpImageGather: return GATHER;
	case OpImageDrefGather: return GATHER | DEPTH;
	case OpImageSparseGather: return GATHER | SPARSE;
	case OpImageSparseDrefGather: return GATHER | DEPTH | SPARSE;
	case OpImageRead: return READ;
	case OpImageSparseRead: return READ | SPARSE;
	case OpImageWrite: return WRITE;
	default: return 0;
	}
}

static uint32_t plane_size(uint32_t dim)
{
	return dim == Dim1D || dim == DimBuffer ? 1 : dim == Dim3D || dim == DimCube ? 3 : 2;
}

static bool has_levels(uint32_t dim)
{
	return dim <= DimCube;
}

/* --- Types --------------------------------------------------------------- */

bool spv_check_image_type(struct val *v, const spv_inst *inst)
{
	struct image image;
	const struct spv_type *t;

	if (!read_image(v, inst->id, &image))
		return image_fails(v, inst, "an image type", NULL);
	if (inst->op == OpTypeSampledImage) {
		if (!is(v, word(v, inst, 2), T_IMAGE))
			return image_fails(v, inst, "of an image", NULL);
		if (image.sampled > 1)
			return image_fails(v, inst, "of an image with Sampled 0 or 1", "VUID-StandaloneSpirv-OpTypeSampledImage-06671");
		return v->version < 0x10600 || image.dim != DimBuffer || image_fails(v, inst, "not of Dim Buffer", NULL);
	}
	t = type(v, image.sampled_type);
	if ((t->mask & T_INT) && t->width == 64 && !has(v, HasInt64ImageEXT))
		return SPV_FAIL(v, inst, CAPABILITY, NULL, "an image of 64-bit integers", "Int64ImageEXT");
	if (v->vulkan ? !((t->mask & T_INT && (t->width == 32 || t->width == 64)) || (t->mask & T_FLOAT && t->width == 32)) :
			!(t->mask & (T_VOID | T_INT | T_FLOAT)))
		return image_fails(v, inst, "of 32-bit numbers or 64-bit integers", "VUID-StandaloneSpirv-OpTypeImage-04656");
	if (image.depth > 2 || image.arrayed > 1 || image.multisampled > 1 || image.sampled > 2)
		return image_fails(v, inst, "of a depth, arrays, samples and a use that exist", NULL);
	if (image.dim == DimSubpassData) {
		if (image.sampled != 2 || image.format != ImageFormatUnknown || (v->vulkan && image.arrayed))
			return image_fails(v, inst, "of Dim SubpassData: Sampled 2, format Unknown, no array",
					   "VUID-StandaloneSpirv-OpTypeImage-06214");
	} else if (image.multisampled && image.sampled == 2 && !has(v, HasStorageImageMultisample)) {
		return SPV_FAIL(v, inst, CAPABILITY, NULL, "a multisampled storage image", "StorageImageMultisample");
	}
	return !v->vulkan || image.sampled || image_fails(v, inst, "with Sampled 1 or 2", "VUID-StandaloneSpirv-OpTypeImage-04657");
}

/* --- Image operands ------------------------------------------------------ */

struct operands {
	const spv_inst *inst;
	const struct image *image;
	uint32_t mask, traits, next;   /* next: the word of the next operand */
};

static uint32_t take(struct val *v, struct operands *o)
{
	return o->next < o->inst->words ? word(v, o->inst, o->next++) : 0;
}

static bool check_lods(struct val *v, struct operands *o)
{
	const spv_inst *inst = o->inst;
	bool amd_gather = (o->traits & GATHER) && !(o->traits & DEPTH) && has(v, HasImageGatherBiasLodAMD);
	bool read_lod = (o->traits & (READ | WRITE)) && has(v, HasImageReadWriteLodAMD);

	if (o->mask & ImageOperandsBiasMask) {
		if (!(o->traits & IMPLICIT) && !amd_gather)
			return image_fails(v, inst, "without Bias", NULL);
		if (!is(v, type_of(v, take(v, o)), T_FLOAT) || !has_levels(o->image->dim))
			return image_fails(v, inst, "with a scalar float as Bias, of an image with levels", NULL);
	}
	if (o->mask & ImageOperandsLodMask) {
		bool real = (o->traits & EXPLICIT) || amd_gather;

		if ((!(o->traits & (EXPLICIT | FETCH)) && !read_lod && !amd_gather) || (o->mask & ImageOperandsGradMask))
			return image_fails(v, inst, "without Lod", NULL);
		if (!is(v, type_of(v, take(v, o)), real ? T_FLOAT : T_INT) || !has_levels(o->image->dim))
			return image_fails(v, inst, "with a scalar as Lod, of an image with levels", NULL);
	}
	if (o->mask & ImageOperandsGradMask) {
		uint32_t dx = type_of(v, take(v, o)), dy = type_of(v, take(v, o)), size = plane_size(o->image->dim);

		if (!(o->traits & EXPLICIT) || !is(v, dx, T_FLOAT_LIKE) || !is(v, dy, T_FLOAT_LIKE) || type(v, dx)->dim != size ||
		    type(v, dy)->dim != size)
			return image_fails(v, inst, "with floats for each coordinate as Grad", NULL);
	}
	return true;
}

static bool check_offset(struct val *v, struct operands *o, bool constant)
{
	uint32_t id = take(v, o), t = type_of(v, id);

	if (o->image->dim == DimCube || !is(v, t, T_INT_LIKE) || type(v, t)->dim != plane_size(o->image->dim) ||
	    (constant && !is_constant(op_of(v, id))))
		return image_fails(v, o->inst, "with an integer for each coordinate as offset", NULL);
	if (!constant && v->vulkan && !v->options.before_hlsl_legalization && !(o->traits & GATHER))
		return image_fails(v, o->inst, "with Offset when it gathers", "VUID-StandaloneSpirv-Offset-04663");
	return true;
}

static bool check_offsets(struct val *v, struct operands *o)
{
	uint32_t id = take(v, o);
	const spv_inst *array = def(v, type_of(v, id));
	uint64_t count = 0;

	if (!(o->traits & GATHER) || o->image->dim == DimCube || !array || array->op != OpTypeArray ||
	    !spv_integer(v, word(v, array, 3), &count) || count != 4 || !is(v, word(v, array, 2), T_INTS) ||
	    type(v, word(v, array, 2))->dim != 2 || !is_constant(op_of(v, id)))
		return image_fails(v, o->inst, "with a constant array of four pairs of integers as ConstOffsets", NULL);
	return true;
}

static bool check_sample(struct val *v, struct operands *o)
{
	if (o->mask & ImageOperandsSampleMask) {
		if (!(o->traits & (FETCH | READ | WRITE)) || !o->image->multisampled || !is(v, type_of(v, take(v, o)), T_INT))
			return image_fails(v, o->inst, "with Sample, an integer, of a multisampled image", NULL);
	}
	if (o->mask & ImageOperandsMinLodMask) {
		if ((!(o->traits & IMPLICIT) && !(o->mask & ImageOperandsGradMask)) || !is(v, type_of(v, take(v, o)), T_FLOAT) ||
		    !has_levels(o->image->dim) || o->image->multisampled)
			return image_fails(v, o->inst, "with MinLod, a float, of an image with levels", NULL);
	}
	return true;
}

static bool check_texel_scopes(struct val *v, struct operands *o)
{
	bool shared = o->mask & ImageOperandsNonPrivateTexelMask;

	if (o->mask & ImageOperandsMakeTexelAvailableMask) {
		if (o->inst->op != OpImageWrite || !shared)
			return image_fails(v, o->inst, "with MakeTexelAvailable when it writes what is not private", NULL);
		if (!spv_check_memory_scope(v, o->inst, take(v, o)))
			return false;
	}
	if (o->mask & ImageOperandsMakeTexelVisibleMask) {
		if (!(o->traits & READ) || !shared)
			return image_fails(v, o->inst, "with MakeTexelVisible when it reads what is not private", NULL);
		return spv_check_memory_scope(v, o->inst, take(v, o));
	}
	return true;
}

/* at: the word of the mask, when there is one. */
static bool check_operands(struct val *v, const spv_inst *inst, const struct image *image, uint32_t at)
{
	uint32_t mask = at < inst->words ? word(v, inst, at) : 0, offsets;
	struct operands o = {inst, image, mask, traits(inst->op), at + 1};

	if (image->multisampled && !(mask & ImageOperandsSampleMask))
		return image_fails(v, inst, "with Sample, its image being multisampled", NULL);
	if (!mask)
		return true;
	offsets = mask & (ImageOperandsOffsetMask | ImageOperandsConstOffsetMask | ImageOperandsConstOffsetsMask | ImageOperandsOffsetsMask);
	if (offsets & (offsets - 1))
		return image_fails(v, inst, "with one kind of offset", NULL);
	if (!check_lods(v, &o))
		return false;
	if ((mask & ImageOperandsConstOffsetMask) && !check_offset(v, &o, true))
		return false;
	if ((mask & ImageOperandsOffsetMask) && !check_offset(v, &o, false))
		return false;
	if ((mask & ImageOperandsConstOffsetsMask) && !check_offsets(v, &o))
		return false;
	return check_sample(v, &o) && check_texel_scopes(v, &o);
}

/* --- Sampling, fetching, reading, writing -------------------------------- */

/* The texel's type; of a sparse operation the second member of its result. 0, reported: none. */
static uint32_t texel_type(struct val *v, const spv_inst *inst)
{
	const spv_inst *t = def(v, inst->type);

	if (!(traits(inst->op) & SPARSE))
		return inst->type;
	if (t->op != OpTypeStruct || member_count(t) != 2 || !is(v, word(v, t, 2), T_INT))
		return spv_result_fails(v, inst, "a structure of an integer and a texel", NULL), 0;
	return word(v, t, 3);
}

static uint32_t component_of(const struct val *v, uint32_t id)
{
	return is(v, id, T_VECTOR) ? type(v, id)->inner : id;
}

static bool check_coordinate(struct val *v, const spv_inst *inst, const struct image *image, uint32_t n, uint32_t mask)
{
	uint32_t t = type_of(v, operand(v, inst, n)), k = traits(inst->op);
	uint32_t least = image->dim == DimCube && (k & (READ | WRITE)) ? 3 :
			 plane_size(image->dim) + image->arrayed + !!(k & PROJECTIVE);

	if (!spv_operand_is(v, inst, n, mask))
		return false;
	return type(v, t)->dim >= least || spv_operand_fails(v, inst, n, "a coordinate for each dimension of the image", NULL);
}

static bool check_depth_reference(struct val *v, const spv_inst *inst, const struct image *image)
{
	const struct spv_type *t = value_type(v, operand(v, inst, 4));

	if (!(t->mask & T_FLOAT) || t->width != 32)
		return spv_operand_fails(v, inst, 4, "a 32-bit float", NULL);
	return !v->vulkan || image->dim != Dim3D || image_fails(v, inst, "not of a 3D image", "VUID-StandaloneSpirv-OpImage-04777");
}

static bool check_sampling(struct val *v, const spv_inst *inst)
{
	uint32_t k = traits(inst->op), texel = texel_type(v, inst);
	uint32_t coordinates = (k & EXPLICIT) && !(k & DEPTH) && v->kernel ? T_FLOAT_LIKE | T_INT_LIKE : T_FLOAT_LIKE;
	struct image image;

	if (!texel)
		return false;
	if (!spv_result_is(v, inst, texel, k & DEPTH ? T_INT | T_FLOAT : T_INTS | T_FLOATS))
		return false;
	if (!(k & DEPTH) && type(v, texel)->dim != 4)
		return spv_result_fails(v, inst, "of four components", NULL);
	if (!spv_operand_is(v, inst, 2, T_SAMPLED_IMAGE) || !read_image(v, type_of(v, operand(v, inst, 2)), &image))
		return false;
	if ((k & PROJECTIVE) && ((image.dim > Dim3D && image.dim != DimRect) || image.arrayed))
		return image_fails(v, inst, "of a flat image without arrays, when it projects", NULL);
	if (image.multisampled)
		return image_fails(v, inst, "not of a multisampled image", NULL);
	if (((k & DEPTH) || !is(v, image.sampled_type, T_VOID)) && component_of(v, texel) != image.sampled_type)
		return spv_result_fails(v, inst, "of the image's sampled type", NULL);
	if (!check_coordinate(v, inst, &image, 3, coordinates))
		return false;
	if ((k & DEPTH) && !check_depth_reference(v, inst, &image))
		return false;
	if (!check_operands(v, inst, &image, k & DEPTH ? 6 : 5))
		return false;
	return !(k & IMPLICIT) || spv_needs_derivatives(v, inst);
}

static bool check_fetch(struct val *v, const spv_inst *inst)
{
	uint32_t texel = texel_type(v, inst);
	struct image image;

	if (!texel || !spv_result_is(v, inst, texel, T_INTS | T_FLOATS))
		return false;
	if (type(v, texel)->dim != 4)
		return spv_result_fails(v, inst, "of four components", NULL);
	if (!spv_operand_is(v, inst, 2, T_IMAGE) || !read_image(v, type_of(v, operand(v, inst, 2)), &image))
		return false;
	if (!is(v, image.sampled_type, T_VOID) && component_of(v, texel) != image.sampled_type)
		return spv_result_fails(v, inst, "of the image's sampled type", NULL);
	if (image.dim == DimCube || image.sampled != 1)
		return image_fails(v, inst, "of an image with Sampled 1 and not of Dim Cube", NULL);
	return check_coordinate(v, inst, &image, 3, T_INT_LIKE) && check_operands(v, inst, &image, 5);
}

static bool check_gather(struct val *v, const spv_inst *inst)
{
	uint32_t k = traits(inst->op), texel = texel_type(v, inst);
	struct image image;

	if (!texel || !spv_result_is(v, inst, texel, T_INTS | T_FLOATS))
		return false;
	if (type(v, texel)->dim != 4)
		return spv_result_fails(v, inst, "of four components", NULL);
	if (!spv_operand_is(v, inst, 2, T_SAMPLED_IMAGE) || !read_image(v, type_of(v, operand(v, inst, 2)), &image))
		return false;
	if (image.multisampled || (image.dim != Dim2D && image.dim != DimCube && image.dim != DimRect))
		return image_fails(v, inst, "of Dim 2D, Cube or Rect, not multisampled", NULL);
	if (((k & DEPTH) || !is(v, image.sampled_type, T_VOID)) && component_of(v, texel) != image.sampled_type)
		return spv_result_fails(v, inst, "of the image's sampled type", NULL);
	if (!check_coordinate(v, inst, &image, 3, T_FLOAT_LIKE))
		return false;
	if (k & DEPTH) {
		if (!check_depth_reference(v, inst, &image))
			return false;
	} else {
		const struct spv_type *t = value_type(v, operand(v, inst, 4));

		if (!(t->mask & T_INT) || t->width != 32 || (v->vulkan && !is_constant(op_of(v, operand(v, inst, 4)))))
			return spv_operand_fails(v, inst, 4, "a 32-bit integer, constant in Vulkan",
						 "VUID-StandaloneSpirv-OpImageGather-04664");
	}
	return check_operands(v, inst, &image, 6);
}

static bool check_storage(struct val *v, const spv_inst *inst, const struct image *image)
{
	static const struct {
		uint32_t dim, arrayed;
		uint16_t needs;
		const char *name;
	} needs[] = {
		{Dim1D, 2, HasImage1D, "Image1D"}, {DimRect, 2, HasImageRect, "ImageRect"},
		{DimBuffer, 2, HasImageBuffer, "ImageBuffer"}, {DimCube, 1, HasImageCubeArray, "ImageCubeArray"},
	};

	if (image->sampled == 1)
		return image_fails(v, inst, "of an image with Sampled 0 or 2", NULL);
	for (int i = 0; i < 4 && image->sampled == 2; i++)
		if (needs[i].dim == image->dim && (needs[i].arrayed == 2 || image->arrayed == 1) && !has(v, needs[i].needs))
			return SPV_FAIL(v, inst, CAPABILITY, NULL, spv_op_name(inst->op), needs[i].name);
	return true;
}

static bool check_read(struct val *v, const spv_inst *inst)
{
	uint32_t texel = texel_type(v, inst);
	struct image image;

	if (!texel || !spv_result_is(v, inst, texel, T_INT_LIKE | T_FLOAT_LIKE))
		return false;
	if (v->vulkan && type(v, texel)->dim != 4)
		return spv_result_fails(v, inst, "of four components", "VUID-StandaloneSpirv-Result-04780");
	if (!spv_operand_is(v, inst, 2, T_IMAGE) || !read_image(v, type_of(v, operand(v, inst, 2)), &image))
		return false;
	if (image.dim == DimSubpassData &&
	    ((traits(inst->op) & SPARSE) ? !image_fails(v, inst, "not of Dim SubpassData", NULL) :
					   !spv_only_models(v, inst, M_FRAGMENT, NULL)))
		return false;
	if (!is(v, image.sampled_type, T_VOID) && component_of(v, texel) != image.sampled_type)
		return spv_result_fails(v, inst, "of the image's sampled type", NULL);
	if (!check_storage(v, inst, &image) || !check_coordinate(v, inst, &image, 3, T_INT_LIKE))
		return false;
	if (v->vulkan && image.format == ImageFormatUnknown && image.dim != DimSubpassData && !has(v, HasStorageImageReadWithoutFormat))
		return SPV_FAIL(v, inst, CAPABILITY, NULL, "reading an image without a format", "StorageImageReadWithoutFormat");
	return check_operands(v, inst, &image, 5);
}

static bool check_write(struct val *v, const spv_inst *inst)
{
	uint32_t texel = type_of(v, operand(v, inst, 2));
	struct image image;

	if (!spv_operand_is(v, inst, 0, T_IMAGE) || !read_image(v, type_of(v, operand(v, inst, 0)), &image))
		return false;
	if (image.dim == DimSubpassData)
		return image_fails(v, inst, "not of Dim SubpassData", NULL);
	if (!check_storage(v, inst, &image) || !check_coordinate(v, inst, &image, 1, T_INT_LIKE) ||
	    !spv_operand_is(v, inst, 2, T_INT_LIKE | T_FLOAT_LIKE))
		return false;
	if (!is(v, image.sampled_type, T_VOID) && component_of(v, texel) != image.sampled_type)
		return spv_operand_fails(v, inst, 2, "of the image's sampled type", NULL);
	if (v->vulkan && image.format == ImageFormatUnknown && !has(v, HasStorageImageWriteWithoutFormat))
		return SPV_FAIL(v, inst, CAPABILITY, NULL, "writing an image without a format", "StorageImageWriteWithoutFormat");
	return check_operands(v, inst, &image, 4);
}

/* --- Images themselves --------------------------------------------------- */

/* OpSampledImage's result stays in its block and goes into few instructions. */
static bool takes_sampled_image(const struct val *v, uint32_t op)
{
	uint32_t k = traits(op);

	return (k & (IMPLICIT | EXPLICIT | GATHER)) || op == OpSampledImage || op == OpImage || op == OpImageQueryLod ||
	       op == OpCopyObject || (op == OpStore && has(v, HasBindlessTextureNV));
}

bool spv_check_sampled_use(struct val *v, const spv_inst *inst, uint32_t id)
{
	const spv_inst *used = def(v, id);
	uint32_t here = v->block_of[inst - v->module.insts];

	if (used->op != OpSampledImage)
		return true;
	if (spv_is_annotation(inst->op) || spv_is_debug(inst->op))
		return true;
	return (here == v->block_of[used - v->module.insts] && takes_sampled_image(v, inst->op)) ||
	       SPV_FAIL(v, inst, SAMPLED_IMAGE_USE, NULL);
}

static bool check_sampled_image(struct val *v, const spv_inst *inst)
{
	struct image image;

	if (!spv_result_is(v, inst, inst->type, T_SAMPLED_IMAGE) || !spv_operand_is(v, inst, 2, T_IMAGE))
		return false;
	read_image(v, type_of(v, operand(v, inst, 2)), &image);
	if (image.dim == DimSubpassData || (v->vulkan ? image.sampled != 1 : image.sampled > 1))
		return image_fails(v, inst, "of an image with Sampled 1", "VUID-StandaloneSpirv-OpTypeSampledImage-06671");
	return spv_operand_is(v, inst, 3, T_SAMPLER);
}

static bool check_texel_pointer(struct val *v, const spv_inst *inst)
{
	uint32_t result = type(v, inst->type)->inner, pointer = type_of(v, operand(v, inst, 2)), coordinate, size;
	struct image image;
	uint64_t sample;

	if (!spv_result_is(v, inst, inst->type, T_POINTER))
		return false;
	if (pointer_class(v, inst->type) != StorageClassImage || !is(v, result, T_INT | T_FLOAT | T_VOID))
		return spv_result_fails(v, inst, "a pointer to a scalar number in Image", NULL);
	if (!is(v, pointer, T_POINTER) || !is(v, type(v, pointer)->inner, T_IMAGE))
		return spv_operand_fails(v, inst, 2, "a pointer to an image", NULL);
	read_image(v, type(v, pointer)->inner, &image);
	if (image.sampled_type != result || image.dim == DimSubpassData || (image.arrayed && image.dim > Dim2D && image.dim != DimCube))
		return image_fails(v, inst, "of an image of the result's type, not of Dim SubpassData", NULL);
	coordinate = type_of(v, operand(v, inst, 3));
	size = plane_size(image.dim) + (image.arrayed && image.dim != DimCube);
	if (!is(v, coordinate, T_INT_LIKE) || type(v, coordinate)->dim != size)
		return spv_operand_fails(v, inst, 3, "an integer for each dimension of the image", NULL);
	if (!spv_operand_is(v, inst, 4, T_INT))
		return false;
	if (!image.multisampled && (!spv_integer(v, operand(v, inst, 4), &sample) || sample))
		return spv_operand_fails(v, inst, 4, "0, the image not being multisampled", NULL);
	if (v->vulkan && image.format != ImageFormatR64i && image.format != ImageFormatR64ui && image.format != ImageFormatR32f &&
	    image.format != ImageFormatR32i && image.format != ImageFormatR32ui)
		return image_fails(v, inst, "of format R64i, R64ui, R32f, R32i or R32ui", "VUID-StandaloneSpirv-OpImageTexelPointer-04658");
	return true;
}

static bool check_query(struct val *v, const spv_inst *inst)
{
	bool lod = inst->op == OpImageQuerySizeLod, size = lod || inst->op == OpImageQuerySize;
	uint32_t t = type_of(v, operand(v, inst, 2));
	struct image image = {0};

	if (!spv_result_is(v, inst, inst->type, size ? T_INT_LIKE : T_INT) || !spv_operand_is(v, inst, 2, T_IMAGE) ||
	    !read_image(v, t, &image))
		return false;
	if (size) {
		uint32_t components = image.arrayed + (image.dim == Dim1D || image.dim == DimBuffer ? 1 : image.dim == Dim3D ? 3 : 2);

		if (image.dim == DimSubpassData || (lod && !has_levels(image.dim)) || (lod && image.multisampled) ||
		    (lod && v->vulkan && image.sampled != 1))
			return image_fails(v, inst, "of an image with a size, and with levels if it takes one",
					   lod ? "VUID-StandaloneSpirv-OpImageQuerySizeLod-04659" : NULL);
		if (!lod && has_levels(image.dim) && image.multisampled != 1 && image.sampled == 1)
			return image_fails(v, inst, "of an image without levels", NULL);
		if (type(v, inst->type)->dim != components)
			return spv_result_fails(v, inst, "of a component for each dimension of the image", NULL);
		return !lod || spv_operand_is(v, inst, 3, T_INT);
	}
	if (inst->op == OpImageQueryLevels && (!has_levels(image.dim) || (v->vulkan && image.sampled != 1)))
		return image_fails(v, inst, "of an image with levels", "VUID-StandaloneSpirv-OpImageQuerySizeLod-04659");
	if (inst->op == OpImageQuerySamples && (image.dim != Dim2D || image.multisampled != 1))
		return image_fails(v, inst, "of a multisampled 2D image", NULL);
	return true;
}

static bool check_query_lod(struct val *v, const spv_inst *inst)
{
	struct image image;

	if (!is(v, inst->type, T_FLOATS) || type(v, inst->type)->dim != 2)
		return spv_result_fails(v, inst, "a vector of two floats", NULL);
	if (!spv_operand_is(v, inst, 2, T_SAMPLED_IMAGE) || !read_image(v, type_of(v, operand(v, inst, 2)), &image))
		return false;
	if (!has_levels(image.dim))
		return image_fails(v, inst, "of an image with levels", NULL);
	if (!spv_operand_is(v, inst, 3, v->kernel ? T_FLOAT_LIKE | T_INT_LIKE : T_FLOAT_LIKE))
		return false;
	if (value_type(v, operand(v, inst, 3))->dim < plane_size(image.dim))
		return spv_operand_fails(v, inst, 3, "a coordinate for each dimension of the image", NULL);
	return spv_needs_derivatives(v, inst);
}

bool spv_check_image(struct val *v, const spv_inst *inst)
{
	uint32_t k = traits(inst->op);

	if (k & (IMPLICIT | EXPLICIT))
		return check_sampling(v, inst);
	if (k & FETCH)
		return check_fetch(v, inst);
	if (k & GATHER)
		return check_gather(v, inst);
	if (k & READ)
		return check_read(v, inst);
	switch (inst->op) {
	case OpImageWrite: return check_write(v, inst);
	case OpSampledImage: return check_sampled_image(v, inst);
	case OpImageTexelPointer: return check_texel_pointer(v, inst);
	case OpImageQueryLod: return check_query_lod(v, inst);
	case OpImage:
		if (!spv_result_is(v, inst, inst->type, T_IMAGE) || !spv_operand_is(v, inst, 2, T_SAMPLED_IMAGE))
			return false;
		return type(v, type_of(v, operand(v, inst, 2)))->inner == inst->type || spv_result_fails(v, inst, "the sampled image's", NULL);
	case OpImageSparseTexelsResident:
		return spv_result_is(v, inst, inst->type, T_BOOL) && spv_operand_is(v, inst, 2, T_INT);
	default: return check_query(v, inst);
	}
}
