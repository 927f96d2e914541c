/* SPDX-License-Identifier: MIT */
/*
 * Which values are the same in all lanes of a tile, which grow evenly from lane to lane, and
 * which regions lanes take apart. Shapes only fall, from uniform to varying, so passes are
 * repeated until nothing changes.
 *
 * All lanes of a tile run in step: a value that those who are still there compute alike is
 * uniform, wherever they go afterwards. A join makes it varying where lanes come by
 * different ways, the end of a loop where they come in different rounds.
 */
#include "device/cpu_compile.h"

static bool lower(struct cpu_compile *c, uint32_t index, enum glc_shape shape, int32_t stride)
{
	struct cpu_value *value = &c->values[index];

	if (shape == GLC_AFFINE && value->shape == GLC_AFFINE && value->stride != stride)
		shape = GLC_VARYING;
	if (shape == GLC_AFFINE && value->shape == GLC_UNIFORM)
		shape = GLC_VARYING;
	if (shape <= value->shape)
		return false;
	value->shape = (uint8_t)shape;
	value->stride = stride;
	return true;
}

/* --- Regions -------------------------------------------------------------- */

static void find_regions(struct cpu_compile *c)
{
	const struct glc_kernel *kernel = c->kernel;
	uint32_t n = kernel->inst_count, open = GLC_NOWHERE_32, owner = 0;

	c->regions = glc_bump_zero(c->memory, ((size_t)n / 3 + 1) * sizeof *c->regions);
	c->region_of = glc_bump(c->memory, (size_t)n * sizeof *c->region_of);
	c->owner = glc_bump_zero(c->memory, (size_t)n * sizeof *c->owner);
	if (!c->regions || !c->region_of || !c->owner) {
		c->failed = true;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint16_t op = kernel->insts[i].op;

		if (op == GLC_OP_Phi)
			c->owner[i] = owner;
		else
			owner = i;
		c->region_of[i] = open;
		switch (op) {
		case GLC_OP_If:
		case GLC_OP_Loop:
			c->regions[c->region_count] = (struct cpu_region){
				.begin = i, .parent = open, .is_loop = op == GLC_OP_Loop};
			open = c->region_count++;
			break;
		case GLC_OP_Else:
		case GLC_OP_Continuing:
			c->regions[open].middle = i;
			break;
		case GLC_OP_EndIf:
		case GLC_OP_EndLoop:
			c->regions[open].end = i;
			open = c->regions[open].parent;
			break;
		case GLC_OP_Return:
			for (uint32_t r = open; r != GLC_NOWHERE_32; r = c->regions[r].parent)
				c->regions[r].returns = true;
			break;
		default:
			break;
		}
		/* A region's own marks belong to it. */
		if (op == GLC_OP_If || op == GLC_OP_Loop)
			c->region_of[i] = open;
	}
}

/* Whether lanes are apart between `index` and the loop around it; gives that loop. */
static uint32_t loop_around(const struct cpu_compile *c, uint32_t index, bool *apart)
{
	uint32_t r = c->region_of[index];

	*apart = false;
	for (; r != GLC_NOWHERE_32 && !c->regions[r].is_loop; r = c->regions[r].parent)
		*apart = *apart || c->regions[r].varying;
	return r;
}

/* --- Values --------------------------------------------------------------- */

/* Of ids: how the lanes of a tile are numbered decides. */
static enum glc_shape id_shape(const struct cpu_compile *c, const struct glc_inst *inst)
{
	const struct glc_cpu_program *p = c->program;
	bool in_group = p->layout == GLC_LAYOUT_GROUPS || p->workgroup[0] % GLC_TILE == 0;
	bool row = p->workgroup[1] == 1 && p->workgroup[2] == 1;
	uint32_t d = inst->detail;

	if (p->layout == GLC_LAYOUT_PACKED)
		return GLC_VARYING;
	switch (inst->op) {
	case GLC_OP_GroupId:
		return in_group || d ? GLC_UNIFORM : GLC_VARYING;
	case GLC_OP_GlobalId:
		if (d == 0)
			return row ? GLC_AFFINE : GLC_VARYING;
		return p->workgroup[d] == 1 ? GLC_UNIFORM : GLC_VARYING;
	case GLC_OP_LocalId:
		if (d == 0)
			return row && in_group ? GLC_AFFINE : GLC_VARYING;
		return p->workgroup[d] == 1 ? GLC_UNIFORM : GLC_VARYING;
	case GLC_OP_LocalIndex:
		return in_group ? GLC_AFFINE : GLC_VARYING;
	default:
		return GLC_VARYING;
	}
}

static bool is_id(enum glc_op op)
{
	return op == GLC_OP_GroupId || op == GLC_OP_GlobalId || op == GLC_OP_LocalId ||
	       op == GLC_OP_LocalIndex || op == GLC_OP_SubgroupId || op == GLC_OP_LaneId;
}

/* Affine values through Add, Sub, and Mul and Shl by a constant: false, when the result is varying. */
static bool affine_stride(const struct cpu_compile *c, const struct glc_inst *inst, int32_t *stride)
{
	glc_value a = cpu_same(c, inst->arg[0]), b = cpu_same(c, inst->arg[1]);
	uint32_t sa, sb, s;

	if (inst->type != GLC_U32 && inst->type != GLC_I32)
		return false;
	sa = glc_is_const(a) || c->values[a].shape != GLC_AFFINE ? 0 : (uint32_t)c->values[a].stride;
	sb = glc_is_const(b) || c->values[b].shape != GLC_AFFINE ? 0 : (uint32_t)c->values[b].stride;
	switch (inst->op) {
	case GLC_OP_Add:
		s = sa + sb;
		break;
	case GLC_OP_Sub:
		s = sa - sb;
		break;
	case GLC_OP_Mul:
		if (glc_is_const(a))
			s = sb * (uint32_t)glc_const_at(c->ir, a)->bits;
		else if (glc_is_const(b))
			s = sa * (uint32_t)glc_const_at(c->ir, b)->bits;
		else
			return false;
		break;
	case GLC_OP_Shl:
		if (!glc_is_const(b))
			return false;
		s = sa << (glc_const_at(c->ir, b)->bits & 31);
		break;
	default:
		return false;
	}
	*stride = (int32_t)s;
	return *stride > -65536 && *stride < 65536;
}

static bool lower_pure(struct cpu_compile *c, uint32_t index)
{
	const struct glc_inst *inst = &c->kernel->insts[index];
	enum glc_shape shape = GLC_UNIFORM;
	int32_t stride = 0;

	for (int i = 0; i < 4; i++) {
		enum glc_shape of;

		if (inst->arg[i] == GLC_NO_VALUE)
			continue;
		of = cpu_shape(c, inst->arg[i]);
		if (of > shape)
			shape = of;
	}
	if (shape == GLC_AFFINE && !affine_stride(c, inst, &stride))
		shape = GLC_VARYING;
	return lower(c, index, shape, stride);
}

static bool lower_phi(struct cpu_compile *c, uint32_t index, const struct cpu_region *region)
{
	const struct glc_kernel *kernel = c->kernel;
	uint32_t owner = c->owner[index], ways = 0;
	enum glc_shape shape = GLC_NOT_KNOWN;
	int32_t stride = 0;

	for (struct glc_ways w = glc_ways(kernel, owner, index); glc_way(&w);) {
		glc_value value = cpu_same(c, w.value);
		enum glc_shape of = cpu_shape(c, value);

		ways++;
		if (of == GLC_NOT_KNOWN)
			continue;
		if (of == GLC_AFFINE && shape == GLC_NOT_KNOWN)
			stride = c->values[value].stride;
		else if (shape != GLC_NOT_KNOWN &&
			 (of != shape || (of == GLC_AFFINE && c->values[value].stride != stride)))
			of = GLC_VARYING;
		shape = of;
		if (shape == GLC_VARYING)
			break;
	}
	if (region->varying && kernel->insts[owner].op != GLC_OP_Loop &&
	    (ways > 1 || kernel->insts[owner].op == GLC_OP_EndLoop))
		shape = GLC_VARYING;
	return lower(c, index, shape, stride);
}

/* The region that ends or begins at the instruction. */
static struct cpu_region *region_at(struct cpu_compile *c, uint32_t index)
{
	return &c->regions[c->region_of[index]];
}

static bool spread(struct cpu_region *region, bool varying)
{
	bool changed = varying && !region->varying;

	region->varying = region->varying || varying;
	return changed;
}

static bool visit(struct cpu_compile *c, uint32_t index)
{
	const struct glc_inst *inst = &c->kernel->insts[index];
	bool apart;
	uint32_t loop;

	if (c->options->single && glc_ops[inst->op].result != '-')
		return lower(c, index, GLC_UNIFORM, 0);
	switch (inst->op) {
	case GLC_OP_If:
		return spread(region_at(c, index), cpu_shape(c, inst->arg[0]) >= GLC_AFFINE);
	case GLC_OP_EndLoop:
		return inst->arg[0] != GLC_NO_VALUE &&
		       spread(region_at(c, index), cpu_shape(c, inst->arg[0]) >= GLC_AFFINE);
	case GLC_OP_Break:
	case GLC_OP_Continue:
		loop = loop_around(c, index, &apart);
		return spread(&c->regions[loop], apart);
	case GLC_OP_Phi:
		return lower_phi(c, index, region_at(c, c->owner[index]));
	case GLC_OP_LoadGlobal:
	case GLC_OP_LoadShared:
	case GLC_OP_LoadConst:
		return lower(c, index,
			     cpu_shape(c, inst->arg[0]) == GLC_UNIFORM ? GLC_UNIFORM : GLC_VARYING, 0);
	case GLC_OP_LoadLocal:
	case GLC_OP_AtomicAdd:
	case GLC_OP_ShflSyncBfly:
		return lower(c, index, GLC_VARYING, 0);
	default:
		break;
	}
	if (glc_ops[inst->op].result == '-')
		return false;
	if (is_id(inst->op))
		return lower(c, index, id_shape(c, inst), 1);
	return lower_pure(c, index);
}

void cpu_classify(struct cpu_compile *c)
{
	bool changed;

	find_regions(c);
	if (c->failed)
		return;
	do {
		changed = false;
		for (uint32_t i = 0; i < c->kernel->inst_count; i++)
			changed = visit(c, i) || changed;
	} while (changed);
}
