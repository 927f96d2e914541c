/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <glacier/device.h>

#include <dlfcn.h>
#include <stdlib.h>

/* Addresses that nothing stands behind. */
static const glacier_addr nowhere = UINT64_C(1) << 46;

/* Opened for the first cell that needs it, once: that takes longer than most cells. */
static struct {
	struct glacier_device *device;
	bool tried;
	char why[256];
} opened;

static void note(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	if (!opened.why[0])
		snprintf(opened.why, sizeof opened.why, "%s", diagnostic->message);
}

/* What stands behind the arena is a device's. NULL, or why there is none. */
static const char *take_memory(enum backing backing, uint64_t bytes, struct glacier_range *range)
{
	enum glacier_device_kind kind = backing == BACKING_VULKAN ? GLACIER_DEVICE_VULKAN : GLACIER_DEVICE_CUDA;
	struct glacier_diag diag = {.report = note};

	if (!opened.tried) {
		opened.tried = true;
		if (glacier_device_open(kind, 0, NULL, &opened.device, &diag) != GLACIER_OK)
			opened.device = NULL;
	}
	if (!opened.device)
		return opened.why;
	opened.why[0] = '\0';
	return glacier_device_backing(opened.device, backing == BACKING_PINNED ? GLACIER_BACKING_PINNED : backing == BACKING_VIRTUAL
				      ? GLACIER_BACKING_VIRTUAL : GLACIER_BACKING_DEVICE, bytes, range, &diag) == GLACIER_OK ? NULL : opened.why;
}

void target_close_device(void)
{
	glacier_device_close(opened.device);
	opened.device = NULL;
	opened.tried = false;
}

void target_name(char name[TARGET_NAME], const struct options *opt, enum glacier_tier tier)
{
	snprintf(name, TARGET_NAME, "%s%s%s", glacier_tier_name(tier),
		 opt->fit == GLACIER_FIT_RUN && tier != GLACIER_TIER_RING && tier != GLACIER_TIER_RESERVOIR ? ", fit=run" : "",
		 opt->sub_bins && (tier == GLACIER_TIER_SLAB || tier == GLACIER_TIER_POOL) ? ", sub-bins" : "");
}

const char *target_over(const struct options *opt, enum backing backing, struct glacier_arena_options *options, uint64_t bytes,
			struct target *target)
{
	struct glacier_range range = {.base = nowhere, .bytes = bytes};
	enum glacier_status status;
	const char *why;

	*target = (struct target){.tier = options->tier, .writable = true};
	options->bytes = bytes;
	options->fit = opt->fit;
	options->sub_bins = opt->sub_bins;
	switch (backing) {
	case BACKING_HOST: break;
	case BACKING_THP: options->huge_pages = true; break;
	case BACKING_NULL:
		options->range = &range;
		target->writable = false;
		break;
	case BACKING_VIRTUAL:
		if (options->tier != GLACIER_TIER_RESERVOIR)
			return "memory that is mapped as it is asked for is for the reservoir alone";
		/* fall through */
	default:
		why = take_memory(backing, bytes, &range);
		if (why)
			return why;
		options->range = &range;
		target->writable = backing == BACKING_PINNED;
		break;
	}
	status = glacier_arena_create(options, &target->arena);
	if (!status)
		return NULL;
	return status == GLACIER_ERR_NOMEM ? "there is no memory for it" : bytes > nowhere ? "the arena is too large" : "the arena is too small for this tier";
}

const char *target_arena(struct target *target, const struct options *opt, enum glacier_tier tier, uint64_t bytes)
{
	struct glacier_arena_options options = {.tier = tier};

	if (tier == GLACIER_TIER_POOL) {
		options.ring_bytes = bytes / 16;
		options.reservoir_bytes = bytes / 2;
	}
	if (tier == GLACIER_TIER_RING)
		options.chunk_bytes = 65536;
	return target_over(opt, opt->backing, &options, bytes, target);
}

const char *target_compared(struct target *target, const char *what)
{
	const char *library = what[0] == 'd' ? what + 7 : NULL;
	void *handle;

	*target = (struct target){.tier = GLACIER_TIER_POOL, .writable = true};
	if (!library) {
		target->take = malloc;
		target->give = free;
		return NULL;
	}
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return "the library cannot be opened";
	target->take = (void *(*)(size_t))dlsym(handle, "malloc");
	target->give = (void (*)(void *))dlsym(handle, "free");
	return target->take && target->give ? NULL : "the library has no malloc and free";
}

void target_fini(struct target *target)
{
	glacier_arena_destroy(target->arena);
	target->arena = NULL;
}
