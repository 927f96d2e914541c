/* SPDX-License-Identifier: MIT */
/*
 * Fences and shuffles.
 *
 * The member mask of a shuffle is the lanes that exist: all 32, except in the last warp of a
 * workgroup whose size is no multiple of 32. (activemask says who happens to be here.) PTX
 * takes the lane mask modulo 32 and its predicate output stays true for a lane that never
 * existed, so that "outside: the own value" is a comparison of our own.
 */
#include "ptx/emit.h"

void glc_ptx_fence(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	unsigned char *at;

	glc_ptx_require(e, FEATURE_FENCE, inst->pos);
	at = TEXT(begin_line(e), "\tfence.acq_rel.");
	switch ((enum glc_scope)inst->detail) {
	case GLC_SCOPE_SYSTEM: at = TEXT(at, "sys"); break;
	case GLC_SCOPE_DEVICE: at = TEXT(at, "gpu"); break;
	default: at = TEXT(at, "cta"); break;
	}
	end_line(e, at);
}

static uint32_t workgroup_lanes(const struct glc_kernel *kernel)
{
	return kernel->workgroup[0].value * kernel->workgroup[1].value * kernel->workgroup[2].value;
}

static void use_lanes(struct emitter *e)
{
	uint32_t lanes = workgroup_lanes(e->kernel);

	if (e->lanes.used)
		return;
	e->lanes = (struct lanes){.used = true, .fixed_count = 32, .fixed_mask = UINT32_MAX};
	if (lanes % 32 == 0)
		return;
	e->lanes.lane = new_register(e, CLASS_R);
	for (uint32_t dim = 1; dim < 3; dim++)
		if (e->kernel->workgroup[dim].value > 1)
			e->lanes.id[dim] = new_register(e, CLASS_R);
	if (lanes < 32) {
		e->lanes.fixed_count = lanes;
		e->lanes.fixed_mask = (UINT32_C(1) << lanes) - 1;
		return;
	}
	e->lanes.count = new_register(e, CLASS_R);
	e->lanes.mask = new_register(e, CLASS_R);
	e->lanes.last = new_register(e, CLASS_P);
}

/* The number of the invocation in its workgroup decides lane and warp. */
void glc_ptx_lanes_prologue(struct emitter *e)
{
	const struct glc_extent *size = e->kernel->workgroup;
	uint32_t lane = e->lanes.lane, lanes;
	unsigned char *at;

	if (!lane)
		return;
	lanes = workgroup_lanes(e->kernel);
	glc_ptx_expand(e, "\tmov.u32 $d, %tid.x;\n", lane, 0, 0, 0);
	for (uint32_t dim = 1; dim < 3; dim++) {
		uint32_t id = e->lanes.id[dim];

		if (!id)
			continue;
		glc_ptx_expand(e, dim == 1 ? "\tmov.u32 $d, %tid.y;\n" : "\tmov.u32 $d, %tid.z;\n", id, 0, 0, 0);
		at = put_register(TEXT(begin_line(e), "\tmad.lo.u32 "), lane);
		at = put_register(TEXT(at, ", "), id);
		at = glc_decimal(TEXT(at, ", "), dim == 1 ? size[0].value : size[0].value * size[1].value);
		end_line(e, put_register(TEXT(at, ", "), lane));
	}
	if (e->lanes.count) {
		uint32_t last = e->lanes.last;

		at = put_register(TEXT(begin_line(e), "\tsetp.ge.u32 "), last);
		at = put_register(TEXT(at, ", "), lane);
		end_line(e, glc_decimal(TEXT(at, ", "), lanes & ~31u));
		at = put_register(TEXT(begin_line(e), "\tselp.u32 "), e->lanes.count);
		at = glc_decimal(TEXT(at, ", "), lanes & 31);
		end_line(e, put_register(TEXT(at, ", 32, "), last));
		at = put_register(TEXT(begin_line(e), "\tselp.u32 "), e->lanes.mask);
		at = glc_decimal(TEXT(at, ", "), (UINT32_C(1) << (lanes & 31)) - 1);
		end_line(e, put_register(TEXT(at, ", 4294967295, "), last));
	}
	if (lanes > 32)
		glc_ptx_expand(e, "\tand.b32 $d, $d, 31;\n", lane, 0, 0, 0);
}

static void shuffle_word(struct emitter *e, uint32_t d, uint32_t a, uint32_t distance)
{
	unsigned char *at = put_register(TEXT(begin_line(e), "\tshfl.sync.bfly.b32 "), d);

	at = put_operand(e, TEXT(at, ", "), a);
	at = put_operand(e, TEXT(at, ", "), distance);
	at = TEXT(at, ", 31, ");
	end_line(e, e->lanes.mask ? put_register(at, e->lanes.mask) : glc_decimal(at, e->lanes.fixed_mask));
}

/* $p: whether lane XOR distance is a lane of this warp. */
static uint32_t lane_exists(struct emitter *e, uint32_t distance)
{
	uint32_t source = distance, exists = new_register(e, CLASS_P);
	unsigned char *at;

	if (e->lanes.lane) {
		source = new_register(e, CLASS_R);
		glc_ptx_expand(e, "\txor.b32 $d, $a, $b;\n", source, e->lanes.lane, distance, 0);
	}
	at = put_register(TEXT(begin_line(e), "\tsetp.lt.u32 "), exists);
	at = put_register(TEXT(at, ", "), source);
	at = TEXT(at, ", ");
	end_line(e, e->lanes.count ? put_register(at, e->lanes.count) : glc_decimal(at, e->lanes.fixed_count));
	return exists;
}

void glc_ptx_shuffle(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	enum register_class klass = glc_ptx_class[inst->type];
	uint32_t a = operand(e, inst->arg[0]), distance = operand(e, inst->arg[1]);
	bool literal = glc_is_const(distance);
	uint32_t d, exists;

	/* Every lane's partner is outside: the own value, and nobody waits for anybody. */
	if (literal && glc_const_at(e->ir, distance)->bits >= 32) {
		e->places[index] = glc_ptx_in_register(e, a, inst->type);
		return;
	}
	glc_ptx_require(e, FEATURE_SHFL, inst->pos);
	use_lanes(e);
	a = glc_ptx_in_register(e, a, inst->type);
	d = new_register(e, klass);
	if (glc_bits(inst->type) == 64) {
		uint32_t low = new_register(e, CLASS_R), high = new_register(e, CLASS_R);

		glc_ptx_expand(e, "\tmov.b64 {$a, $b}, $c;\n", 0, low, high, a);
		shuffle_word(e, low, low, distance);
		shuffle_word(e, high, high, distance);
		glc_ptx_expand(e, "\tmov.b64 $d, {$a, $b};\n", d, low, high, 0);
	} else {
		shuffle_word(e, d, a, distance);
	}
	e->places[index] = d;
	if (literal && !e->lanes.lane)
		return;
	exists = lane_exists(e, distance);
	e->places[index] = new_register(e, klass);
	glc_ptx_expand(e, klass == CLASS_R    ? "\tselp.b32 $d, $a, $b, $c;\n"
			  : klass == CLASS_RD ? "\tselp.b64 $d, $a, $b, $c;\n"
			  : klass == CLASS_F  ? "\tselp.f32 $d, $a, $b, $c;\n"
					      : "\tselp.f64 $d, $a, $b, $c;\n",
		       e->places[index], d, a, exists);
}
