/* SPDX-License-Identifier: MIT */
/*
 * The statements of a kernel that a watched program looks at, with their places in the
 * source: the module, whose map knows places, may be gone when something is told.
 */
#include "device/check.h"

#include <stdlib.h>
#include <string.h>

static bool is_watched(enum glc_op op)
{
	switch (op) {
	case GLC_OP_LoadGlobal:
	case GLC_OP_StoreGlobal:
	case GLC_OP_LoadShared:
	case GLC_OP_StoreShared:
	case GLC_OP_LoadLocal:
	case GLC_OP_StoreLocal:
	case GLC_OP_LoadConst:
	case GLC_OP_AtomicAdd:
	case GLC_OP_BarrierSync:
	case GLC_OP_ShflSyncBfly:
		return true;
	default:
		return false;
	}
}

static uint8_t class_of(enum glc_op op)
{
	switch (op) {
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
	case GLC_OP_StoreLocal: return GLC_ACCESS_STORE;
	case GLC_OP_AtomicAdd: return GLC_ACCESS_ATOMIC;
	case GLC_OP_BarrierSync:
	case GLC_OP_ShflSyncBfly: return GLC_ACCESS_NONE;
	default: return GLC_ACCESS_LOAD;
	}
}

/* By their place in the source. What is inlined or unrolled several times is one site. */
static int compare(const void *left, const void *right)
{
	const struct glc_check_site *a = left, *b = right;

	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	return a->object == b->object ? 0 : a->object < b->object ? -1 : 1;
}

static struct glc_check_site site_of(const struct glc_kernel *kernel, const struct glc_inst *inst)
{
	enum glc_scope scope = GLC_DETAIL_SCOPE(inst->detail);
	bool shared = inst->op == GLC_OP_AtomicAdd && kernel->objects[inst->object].kind == GLC_OBJECT_SHARED;

	return (struct glc_check_site){
		.pos = inst->pos,
		.op = inst->op,
		.object = inst->object,
		.klass = class_of((enum glc_op)inst->op),
		.in_workgroup = inst->op == GLC_OP_AtomicAdd && !shared && scope == GLC_SCOPE_WORKGROUP,
	};
}

/* false: memory ran out. */
static bool keep(struct glacier_memory *memory, const char **text, size_t bytes)
{
	char *copy;

	if (!*text)
		return true;
	copy = glc_bump(memory, bytes + 1);
	if (!copy)
		return false;
	memcpy(copy, *text, bytes);
	copy[bytes] = '\0';
	*text = copy;
	return true;
}

static bool locate(struct glc_check_site *site, const struct glc_source_map *map, struct glacier_memory *memory)
{
	struct glacier_location *location = &site->location;

	glc_source_locate(map, site->pos, location);
	return keep(memory, &location->source, location->source ? strlen(location->source) : 0) &&
	       keep(memory, &location->source_line, location->source_line_bytes) &&
	       keep(memory, &location->path, location->path ? strlen(location->path) : 0);
}

enum glacier_status glc_check_find_sites(struct glacier_pipeline *pipeline, const struct glc_source_map *map,
					 struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	struct glc_check_site *sites;
	uint32_t found = 0, count = 0;

	for (uint32_t i = 0; i < kernel->inst_count; i++)
		found += is_watched((enum glc_op)kernel->insts[i].op);
	sites = glc_bump(&pipeline->memory, (size_t)found * sizeof *sites);
	if (!sites)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	found = 0;
	for (uint32_t i = 0; i < kernel->inst_count; i++)
		if (is_watched((enum glc_op)kernel->insts[i].op))
			sites[found++] = site_of(kernel, &kernel->insts[i]);
	qsort(sites, found, sizeof *sites, compare);
	for (uint32_t i = 0; i < found; i++)
		if (!count || compare(&sites[count - 1], &sites[i]))
			sites[count++] = sites[i];
	if (count > GLC_MOST_SITES)
		return glc_fail(diag, GLC_CK_SITES, GLC_NOWHERE, (int)kernel->name.bytes, kernel->name.at, count,
				(unsigned)GLC_MOST_SITES);
	for (uint32_t i = 0; i < count; i++)
		if (!locate(&sites[i], map, &pipeline->memory))
			return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	pipeline->sites = sites;
	pipeline->site_count = count;
	return GLACIER_OK;
}

uint32_t glc_check_site(const struct glacier_pipeline *pipeline, const struct glc_inst *inst)
{
	struct glc_check_site key = site_of(&pipeline->ir->kernels[0], inst);
	const struct glc_check_site *site =
		bsearch(&key, pipeline->sites, pipeline->site_count, sizeof key, compare);

	return (uint32_t)(site - pipeline->sites);
}
