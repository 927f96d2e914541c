/* SPDX-License-Identifier: MIT */
/*
 * The CUDA device, inside.
 *
 *	cuda_open.c      which devices there are; opening one; the table
 *	cuda_array.c     memory of the device's and the host's, and the copies between
 *	cuda_mapping.c   addresses that get memory granule by granule
 *	cuda_pipeline.c  from IR to a function of the driver's
 *	cuda_launch.c    launches on queues, their order, and waiting for them
 */
#ifndef GLC_DEVICE_CUDA_H
#define GLC_DEVICE_CUDA_H

#include "device/device.h"
#include "driver/cuda.h"

/* A stream of the driver's. Kept when its number is free again. */
struct glc_cuda_queue {
	glc_cu_stream stream;        /* NULL: not made yet */
	glc_cu_event order;          /* for other queues to wait for */
	glc_cu_event begin, end;     /* around the last launch, where launches are timed */
	bool timed;                  /* begin and end are of a launch */
};

struct glc_cuda_state {
	const struct glc_cuda *call;
	int ordinal;
	glc_cu_context context;
	struct glc_cuda_queue queues[GLC_QUEUES];
	uint32_t last;               /* the queue that was launched on last */
	enum glacier_device_memory memory;
	uint64_t managed_bytes;      /* in use */
	bool timed;                  /* every launch is */
	bool registers;              /* uses the caller's memory as it is */
	bool registers_read_only;    /* also what cannot be written */
	bool stuck;                  /* a launch did not end in time, and may still run */
	unsigned char uuid[16];
	struct glc_cuda_state *next_stuck;
};

/* How an array is in memory. */
enum glc_cuda_home {
	GLC_CUDA_SEPARATE,           /* on the device, and a copy on the host */
	GLC_CUDA_REGISTERED,         /* the caller's, reached over the bus */
	GLC_CUDA_PINNED,             /* the driver's host memory, likewise */
	GLC_CUDA_MANAGED,
	GLC_CUDA_MAPPED,             /* addresses, and memory behind some of them: cuda_mapping.c */
};

struct glc_cuda_memory {
	enum glc_cuda_home home;
	glc_cu_address address;      /* what kernels are given */
	bool host_mapped;            /* array->host is from mmap */
	bool host_registered;        /* and locked into memory, for faster copies */
	uint32_t copies;             /* so far */
	bool *mapped;                /* where home is MAPPED: granules that have memory */
	/* Where home is REGISTERED: the pages that are, in the list of them. */
	int ordinal;
	uintptr_t begin, end;
	struct glc_cuda_memory *next;
};

/* A parameter as cuLaunchKernel takes it. */
struct glc_cuda_param {
	uint32_t object;
	uint32_t offset;             /* in the list */
	enum { GLC_CUDA_ADDRESS, GLC_CUDA_LENGTH, GLC_CUDA_SCALAR4, GLC_CUDA_SCALAR8 } kind;
};

struct glc_cuda_pipeline {
	glc_cu_module module;
	glc_cu_function function;
	uint32_t block[3];
	struct glc_cuda_param *params;
	uint32_t param_count;
	unsigned char *list;         /* of the launch that is being made */
	size_t list_bytes;
};

static inline struct glc_cuda_state *glc_cuda_of(const struct glacier_device *device)
{
	return device->state;
}

/* Reports what a function of the driver gave; after some of it the device is lost. */
enum glacier_status glc_cuda_fail(struct glacier_device *device, struct glacier_diag *diag, const char *function,
				  glc_cu_result result);

/* Call a function of the driver, and leave the function at hand when it fails. */
#define GLC_CUDA_TRY(device, diag, name, ...)                                                \
	do {                                                                                 \
		glc_cu_result result_ = glc_cuda_of(device)->call->name(__VA_ARGS__);        \
		if (result_ != GLC_CU_SUCCESS)                                               \
			return glc_cuda_fail(device, diag, "cu" #name, result_);             \
	} while (0)

/* The calling thread's context is the device's from here on. */
enum glacier_status glc_cuda_enter(struct glacier_device *device, struct glacier_diag *diag);

enum glacier_status glc_cuda_array_create(struct glacier_array *array, struct glacier_diag *diag);
void glc_cuda_array_free(struct glacier_array *array);
enum glacier_status glc_cuda_backing_create(struct glacier_array *array, enum glacier_backing kind, glacier_addr *base,
					    struct glacier_diag *diag);
/* Addresses for array->bytes, whole granules. */
enum glacier_status glc_cuda_mapping_create(struct glacier_array *array, struct glc_cuda_memory *memory,
					    struct glacier_diag *diag);
/* The driver's part alone. */
void glc_cuda_mapping_free(struct glacier_array *array);
bool glc_cuda_mapping_commit(struct glacier_array *array, uint64_t offset, uint64_t bytes);
void glc_cuda_mapping_decommit(struct glacier_array *array, uint64_t offset, uint64_t bytes);
void glc_cuda_backing_place(const struct glacier_array *array, struct glacier_place *place);
enum glacier_status glc_cuda_copy_to_device(struct glacier_array *array, uint32_t queue, struct glacier_diag *diag);
enum glacier_status glc_cuda_copy_to_host(struct glacier_array *array, struct glacier_diag *diag);

enum glacier_status glc_cuda_pipeline_build(struct glacier_pipeline *pipeline,
					    const struct glacier_write_options *options, struct glacier_diag *diag);
void glc_cuda_pipeline_free(struct glacier_pipeline *pipeline);

enum glacier_status glc_cuda_queue_create(struct glacier_device *device, uint32_t queue, struct glacier_diag *diag);
void glc_cuda_queues_destroy(struct glacier_device *device);
enum glacier_status glc_cuda_queue_order(struct glacier_device *device, uint32_t queue, uint32_t other,
					 struct glacier_diag *diag);
enum glacier_status glc_cuda_launch(struct glacier_device *device, const struct glc_launch *launch,
				    struct glacier_diag *diag);
enum glacier_status glc_cuda_wait(struct glacier_device *device, uint64_t timeout_ns, uint64_t *device_ns,
				  struct glacier_diag *diag);
enum glacier_status glc_cuda_queue_wait(struct glacier_device *device, uint32_t queue, uint64_t timeout_ns,
					uint64_t *device_ns, struct glacier_diag *diag);

#endif
