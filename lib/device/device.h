/* SPDX-License-Identifier: MIT */
/*
 * Devices behind one table. device.c, array.c and launch.c hold what is the same for all:
 * arrays and their two copies, arguments and their checks, the pipelines that were built.
 * A device's file does what differs, through the functions below.
 */
#ifndef GLC_DEVICE_DEVICE_H
#define GLC_DEVICE_DEVICE_H

#include <glacier/device.h>

#include "base/diag.h"
#include "base/source.h"
#include "device/disk_cache.h"
#include "ir/ir.h"

/* Where the present bytes of an array are. */
enum glc_fresh { GLC_FRESH_BOTH, GLC_FRESH_HOST, GLC_FRESH_DEVICE };

/* Memory that glacier_device_backing took: what the range's release gets. */
/* What a reservoir takes at a time, and the granularity of every device so far. */
enum { GLC_BACKING_GRANULE = 2 << 20 };

struct glc_backing {
	struct glacier_array *array;     /* launches know the memory as this; NULL: the device was closed */
	glacier_addr base;
	void *pages;                     /* the processor's */
	uint64_t page_bytes;
};

struct glacier_array {
	struct glacier_device *device;
	struct glacier_array *next;      /* of the device's arrays */
	unsigned char *host;             /* what glacier_array_host gives */
	uint64_t bytes, reserved_bytes;
	bool wrapped, read_only;
	bool shared;                     /* the device works on host itself: nothing is ever copied */
	enum glc_fresh fresh;            /* when not shared */
	uint8_t *stored;                 /* check: a bit for each byte that has got a value; NULL: all have */
	uint32_t writer, readers;        /* queues with work on it since the device last waited: bits */
	struct glc_backing *owner;       /* memory for an arena; host may be NULL, and nothing is kept in step */
	void *backing;                   /* the device file's own */
};

/* What one buffer parameter is bound to at a launch. */
struct glc_binding {
	struct glacier_array *array;
	uint64_t offset_bytes, bytes;
};

struct glacier_pipeline {
	struct glacier_device *device;
	struct glacier_pipeline *next;
	uint64_t hash[2];
	const void *key;                 /* the content it was built from, compared in full */
	size_t key_bytes;
	const struct glc_ir *ir;         /* as the device was given it; kernels[0] is the one */
	const char *name;                /* the kernel's, terminated */
	const char **names;              /* of its objects, likewise */
	const uint8_t *types;            /* of its objects as the source has them: lowering may retype */
	/* Of the launch that is being made. */
	struct glc_binding *bindings;
	uint64_t *scalars;
	bool *given;
	struct glacier_memory memory;    /* holds all of this */
	bool adds_floats;                /* atomically: the order, and so the sum, is nobody's */
	const struct glc_prebuilt *prebuilt;  /* prebuilt.h; NULL: code is made from ir */
	const struct glc_check_site *sites;   /* check.h; NULL: not watched */
	uint32_t site_count;
	void *built;                     /* the device file's own */
};

/* Of a kernel as it was checked: lowering makes loops of such additions. */
bool glc_adds_floats(const struct glc_kernel *kernel);

/* The arrays are the device's to read until its launch function returns, and no longer. */
struct glc_launch {
	const struct glacier_pipeline *pipeline;
	const struct glc_binding *bindings;   /* by object of the kernel; scalars: unused */
	const uint64_t *scalars;              /* by object: bit patterns */
	uint32_t groups[3];
	uint32_t queue;
};

/* Of a device; number 0 is the one that launches take when none is named. */
enum { GLC_QUEUES = 32 };

struct glacier_queue {
	struct glacier_device *device;
	uint32_t number;
};

struct glc_device_table {
	enum glacier_device_kind kind;
	/* How many there are; fills the info of each. */
	size_t (*list)(struct glacier_device_info *out, size_t capacity);
	enum glacier_status (*open)(struct glacier_device *device, uint32_t index,
				    const struct glacier_device_options *options, struct glacier_diag *diag);
	void (*close)(struct glacier_device *device);
	/*
	 * array->bytes, host (wrapped) are set, and fresh says that the host has the bytes; fills host
	 * (own, zeroed), reserved_bytes, shared, backing, and fresh where the device is zeroed too.
	 */
	enum glacier_status (*array_create)(struct glacier_array *array, struct glacier_diag *diag);
	void (*array_free)(struct glacier_array *array);
	/*
	 * As array_create, for memory that an arena divides, as nobody touched it: fills backing,
	 * reserved_bytes, host where there is one, and base. NULL: pages of the host are the device's.
	 */
	enum glacier_status (*backing_create)(struct glacier_array *array, enum glacier_backing kind, glacier_addr *base,
					      struct glacier_diag *diag);
	/* Of a virtual one: whole granules. From any thread, one at a time; all or nothing. NULL: there are none. */
	bool (*backing_commit)(struct glacier_array *array, uint64_t offset, uint64_t bytes);
	void (*backing_decommit)(struct glacier_array *array, uint64_t offset, uint64_t bytes);
	/* The device file's part of a place whose array and offset are set. */
	void (*backing_place)(const struct glacier_array *array, struct glacier_place *place);
	/* NULL, both, where arrays are always shared. */
	enum glacier_status (*copy_to_device)(struct glacier_array *array, uint32_t queue,
					      struct glacier_diag *diag);
	enum glacier_status (*copy_to_host)(struct glacier_array *array, struct glacier_diag *diag);
	/* The kernel of ir->kernels[0], lowered for info.target where there is one. */
	enum glacier_status (*pipeline_build)(struct glacier_pipeline *pipeline,
					      const struct glacier_write_options *options,
					      struct glacier_diag *diag);
	void (*pipeline_free)(struct glacier_pipeline *pipeline);   /* only where built is set */
	enum glacier_status (*launch)(struct glacier_device *device, const struct glc_launch *launch,
				      struct glacier_diag *diag);
	enum glacier_status (*wait)(struct glacier_device *device, uint64_t timeout_ns, uint64_t *device_ns,
				    struct glacier_diag *diag);
	/* NULL, all three, where everything runs in one order. Making one that is there does nothing. */
	enum glacier_status (*queue_create)(struct glacier_device *device, uint32_t queue,
					    struct glacier_diag *diag);
	/* What comes next on `queue` waits for all that is now on `other`. */
	enum glacier_status (*queue_order)(struct glacier_device *device, uint32_t queue, uint32_t other,
					   struct glacier_diag *diag);
	enum glacier_status (*queue_wait)(struct glacier_device *device, uint32_t queue, uint64_t timeout_ns,
					  uint64_t *device_ns, struct glacier_diag *diag);
};

extern const struct glc_device_table glc_cpu_device, glc_cuda_device, glc_vulkan_device;

struct glacier_device {
	const struct glc_device_table *table;
	struct glacier_device_info info;
	struct glacier_device_counts counts;
	struct glacier_array *arrays;
	struct glacier_pipeline *pipelines;
	bool check;                      /* cpu: accesses are watched */
	struct glacier_queue queues[GLC_QUEUES];
	uint32_t queues_used;            /* bits; that of queue 0 is set */
	struct glc_disk_cache *cache;    /* of machine code, or NULL */
	bool lost;                       /* it failed or timed out: only closing is left */
	void *state;                     /* the device file's own */
};

/* array.c: an array of the device's, whosever it is. */
void glc_array_free(struct glacier_array *array);
/* backing.c: the array is gone, and what its owner has besides goes as well. */
void glc_backing_detach(struct glc_backing *backing);

/* launch.c: with what the device file made for it. */
void glc_pipeline_free(struct glacier_pipeline *pipeline);
/* Of a kernel whose specialization constants have their values. map: where its positions lie. */
enum glacier_status glc_pipeline_check_limits(const struct glacier_device *device, const struct glc_kernel *kernel,
					      const struct glc_source_map *map, struct glacier_diag *diag);
/*
 * The device's pipeline of that content, as glacier_pipeline_get finds it; when there is none, a new
 * one is built, by the caller's function as far as ir, and then by the device.
 */
enum glacier_status glc_pipeline_find(struct glacier_device *device, const struct glacier_buffer *key,
				      enum glacier_status (*make)(struct glacier_pipeline *pipeline, const void *source,
								  const struct glc_kernel **kernel,
								  struct glacier_diag *diag),
				      const void *source, const struct glacier_write_options *options,
				      struct glacier_pipeline **out, struct glacier_diag *diag);

#endif
