/* SPDX-License-Identifier: MIT */
/*
 * Devices that run kernels: the processor (always), and CUDA and Vulkan where their
 * libraries are found.
 *
 * One program, whatever the device: open it, make arrays, get the pipeline of a kernel,
 * launch it with arguments by name, wait, read the arrays. Data moves only when one side
 * needs what the other wrote last, and every transfer is counted.
 *
 * A device, and all that was made with it, belongs to one thread at a time; different
 * devices are independent. Launches of one device run in the order in which they were made,
 * unless they are made on different queues.
 */
#ifndef GLACIER_DEVICE_H
#define GLACIER_DEVICE_H

#include <glacier/arena.h>
#include <glacier/base.h>
#include <glacier/diagnostic.h>
#include <glacier/kernel.h>
#include <glacier/limits.h>
#include <glacier/status.h>

GLACIER_BEGIN

struct glacier_device;
struct glacier_array;
struct glacier_pipeline;
struct glacier_queue;

enum glacier_device_kind {
	GLACIER_DEVICE_CPU,
	GLACIER_DEVICE_VULKAN,
	GLACIER_DEVICE_CUDA,
	GLACIER_DEVICE_KIND_COUNT
};

/* "cpu", "vulkan", "cuda". A static string. Since: 0.1 */
GLACIER_API const char *glacier_device_kind_name(enum glacier_device_kind kind);

struct glacier_device_info {
	enum glacier_device_kind kind;
	uint32_t index;               /* among the devices of its kind, from 0 */
	char name[256];               /* "llvmpipe (LLVM 15.0.6, 256 bits)" */
	char driver[256];             /* "Mesa 22.3.6 (LLVM 15.0.6)", "CUDA 13.0, driver 580.159.04"; cpu: the instruction set level */
	struct glacier_limits limits; /* 0: no limit */
	uint64_t buffer_bytes;        /* the largest array that one argument can be */
	uint32_t group_count[3];      /* the most workgroups of a launch */
	uint32_t subgroup_size;
	bool software;                /* runs on the processor */
	bool has_i64, has_f64;
	bool wraps_host;              /* glacier_array_wrap can be without a copy */
	struct glacier_target target; /* what kernels are written for; cpu: kind is GLACIER_TARGET_KIND_COUNT */
};

/*
 * The devices that are there, best first: CUDA, other hardware, software, the processor last.
 *
 * out       capacity entries; may be NULL when capacity is 0.
 * count     how many there are, also when more than fit.
 *
 * A library that is missing or a driver that fails means fewer devices, not an error.
 * Only running shows whether a target needs +soft-fma: it is said of devices that were
 * opened before, and of those that are open.
 * Returns GLACIER_OK or GLACIER_ERR_NOMEM.                                  Since: 0.1
 */
GLACIER_API enum glacier_status glacier_device_list(struct glacier_device_info *out, size_t capacity,
						    size_t *count);

/* cuda: where the arrays that the device makes itself are. */
enum glacier_device_memory {
	GLACIER_MEMORY_DEVICE,    /* the device's own, and a copy on the host that is kept in step */
	GLACIER_MEMORY_PINNED,    /* the host's, which kernels reach over the bus: never copied */
	GLACIER_MEMORY_MANAGED,   /* moved by the driver, page by page; at most 1 GiB of a device */
};

/* How a device is opened. Zero-initialise. */
struct glacier_device_options {
	uint32_t threads;         /* cpu: workers; 0: as many as the process may use */
	uint32_t subgroup_size;   /* cpu: 1 to 128, a power of two; 0: 32 */
	const char *isa;          /* cpu: force a level, as "baseline", "x86-64-v3"; NULL: the best there is */
	bool no_host_wrap;        /* copy where memory could be wrapped, or shared at all: for tests */
	bool check;               /* cpu: watch what kernels do to memory; see Checking below */
	enum glacier_device_memory memory;
	bool timed;               /* GPUs: measure launches on the device, at some cost each; the processor always does */
	/*
	 * Where machine code is kept for other processes: a folder, made when it is not there.
	 * NULL: nowhere. One that cannot be used is no error. Any number of processes may share
	 * it, and one that is killed harms none.
	 */
	const char *cache_folder;
	uint64_t cache_bytes;     /* what it may hold; 0: 256 MiB. The least recently used goes first */
};

/*
 * Open a device.
 *
 * options  NULL: all defaults.
 * out      written only when GLACIER_OK is returned; close it.
 * diag     told why it cannot be opened; NULL to stay silent.
 *
 * Returns GLACIER_OK, GLACIER_ERR_UNAVAILABLE (no such device), GLACIER_ERR_ARGUMENT,
 * GLACIER_ERR_UNSUPPORTED (check, on a device that cannot), GLACIER_ERR_DEVICE or
 * GLACIER_ERR_NOMEM.                                                        Since: 0.1
 */
GLACIER_API enum glacier_status glacier_device_open(enum glacier_device_kind kind, uint32_t index,
						    const struct glacier_device_options *options,
						    struct glacier_device **out,
						    struct glacier_diag *diag);

/*
 * Waits for what runs, frees its pipelines and the arrays not yet freed. NULL is allowed.
 * A device that failed can be opened again, but for CUDA's: a launch that failed there
 * spoils the device for the process (CUDA Driver API, CUDA_ERROR_ILLEGAL_ADDRESS).
 *                                                                           Since: 0.1
 */
GLACIER_API void glacier_device_close(struct glacier_device *device);

/* Lives as long as the device. Since: 0.1 */
GLACIER_API const struct glacier_device_info *glacier_device_describe(const struct glacier_device *device);

/* What was done since the device was opened. */
struct glacier_device_counts {
	uint64_t copies_to_device, bytes_to_device;
	uint64_t copies_to_host, bytes_to_host;
	uint64_t pipelines_built, pipelines_found;   /* by glacier_pipeline_get */
	uint64_t launches;
	uint64_t out_of_bounds;                      /* cpu: accesses that read 0 or were dropped */
	uint64_t findings;                           /* check: faults seen, those told and those only counted */
	uint64_t code_found, code_made;              /* pipelines from the cache folder; compiled by the driver */
};

GLACIER_API void glacier_device_count(const struct glacier_device *device,
				      struct glacier_device_counts *counts);   /* Since: 0.1 */

/* --- Arrays -------------------------------------------------------------- */

/*
 * Memory that the host and the device both know, zeroed.
 *
 * bytes  any number, 0 included; what Length sees. The device may reserve more.
 * out    written only when GLACIER_OK is returned; free it before the device is closed,
 *        or leave that to the closing.
 *
 * Returns GLACIER_OK, GLACIER_ERR_LIMIT or GLACIER_ERR_NOMEM.               Since: 0.1
 */
GLACIER_API enum glacier_status glacier_array_create(struct glacier_device *device, uint64_t bytes,
						     struct glacier_array **out, struct glacier_diag *diag);

/*
 * Let kernels use the caller's memory: without a copy where the device can, else through a
 * copy that is kept in step. base must stay valid, and be read and written by the host only
 * between glacier_array_host and the next launch, until the array is freed. read_only:
 * kernels may not write it, and the memory need not be writable.
 *
 * Returns GLACIER_OK, GLACIER_ERR_LIMIT, GLACIER_ERR_ARGUMENT (overlaps an array of this
 * device) or GLACIER_ERR_NOMEM.                                             Since: 0.1
 */
GLACIER_API enum glacier_status glacier_array_wrap(struct glacier_device *device, void *base, uint64_t bytes,
						   bool read_only, struct glacier_array **out,
						   struct glacier_diag *diag);

/*
 * Gives the memory back: ours is freed, the caller's is brought up to date and left alone.
 * Waits for launches that use it. An array that is not one of this device's, or was freed
 * before, is refused with GLACIER_ERR_ARGUMENT and nothing happens.         Since: 0.1
 */
GLACIER_API enum glacier_status glacier_array_free(struct glacier_device *device, struct glacier_array *array);

GLACIER_API uint64_t glacier_array_bytes(const struct glacier_array *array);            /* as asked for */
GLACIER_API uint64_t glacier_array_reserved_bytes(const struct glacier_array *array);   /* as held */

/*
 * The bytes on the host, after all launches so far. Waits, and copies only if the device
 * wrote them since. writing: the host will change them, so the device's copy is out of date
 * at the next launch. The pointer stays the same for the array's life; NULL, when the
 * device failed.                                                            Since: 0.1
 */
GLACIER_API void *glacier_array_host(struct glacier_array *array, bool writing, struct glacier_diag *diag);

/*
 * The array that a host pointer lies in, and how far behind its start; NULL when it is in
 * none of this device's.                                                    Since: 0.1
 */
GLACIER_API struct glacier_array *glacier_array_find(struct glacier_device *device, const void *pointer,
						     uint64_t *offset_bytes);

/* --- Memory for arenas --------------------------------------------------- */

enum glacier_backing {
	GLACIER_BACKING_DEVICE,   /* the device's own; the processor's: plain pages, zeroed */
	GLACIER_BACKING_PINNED,   /* cuda: the host's, locked into memory, which kernels reach over the bus */
	/*
	 * cuda: addresses alone, and memory of the device's behind what is allocated, as virtual memory management
	 * (CUDA 10.2) maps it. For an arena that is a reservoir, and much larger than what will be live.
	 */
	GLACIER_BACKING_VIRTUAL,
	GLACIER_BACKING_COUNT
};

/*
 * Memory of a device in one piece, as glacier_arena_create takes it. Nothing is copied, zeroed
 * (but for the processor's) or mapped to the host: what is in it is the program's and the kernels'.
 *
 * bytes  1 to 2^48 - 1. May be more than one argument of a launch can be. Virtual: rounded up to 2 MiB.
 * out    written only when GLACIER_OK is returned. out->release gives the memory back, once, after
 *        all launches so far: give the range to one arena, which calls it, also when it is refused,
 *        or call it yourself. That is a call to the device, in the thread that the device belongs to.
 *
 * What out->base is:
 *	processor       a pointer
 *	cuda            a CUdeviceptr; pinned: a pointer, which under unified addressing is that as well
 *	vulkan          a number of ours, no two ranges of a process the same: an address less the base
 *	                is the offset in the one VkBuffer behind it. Touched by mistake it faults
 * What is freed in a virtual range may be unmapped at once, by the thread that frees it: wait before for
 * the kernels that use it. Elsewhere it is only handed out again.
 *
 * A base is a multiple of 4 KiB, but where a driver of CUDA's aligns pinned or small memory to less.
 *
 * Close the device after the arena. When it is closed before, the memory is gone with it, and the
 * arena can only be destroyed.
 *
 * Returns GLACIER_OK; GLACIER_ERR_UNSUPPORTED for pinned and virtual memory of a device that is not CUDA's, or
 * has no virtual memory management;
 * GLACIER_ERR_ARGUMENT (0 bytes, no such kind), GLACIER_ERR_LIMIT, GLACIER_ERR_DEVICE or
 * GLACIER_ERR_NOMEM.                                                        Since: 0.1
 */
GLACIER_API enum glacier_status glacier_device_backing(struct glacier_device *device, enum glacier_backing kind,
						       uint64_t bytes, struct glacier_range *out,
						       struct glacier_diag *diag);

/* Where an address of such memory is, for launches and for calls to the driver. */
struct glacier_place {
	struct glacier_array *array;    /* for glacier_argument, with offset_bytes; glacier_array_free refuses it, and
					   glacier_array_host knows no bytes of the device's own memory */
	uint64_t offset_bytes, bytes;   /* from the base; from here to the end */
	uint64_t device_address;        /* cuda: CUdeviceptr; 0 elsewhere */
	/* vulkan: VkBuffer and VkDeviceMemory, which offset_bytes is of, and the VkDevice; else 0 */
	uint64_t vulkan_buffer, vulkan_memory;
	void *vulkan_device;
};

/*
 * place  written only when GLACIER_OK is returned; good until the memory is given back.
 *
 * Returns GLACIER_OK, or GLACIER_ERR_INVALID for an address that is in no memory that
 * glacier_device_backing took of this device.                               Since: 0.1
 */
GLACIER_API enum glacier_status glacier_device_place(struct glacier_device *device, glacier_addr addr,
						     struct glacier_place *place);

/* --- Launching ----------------------------------------------------------- */

/*
 * The pipeline of a kernel, ready to launch: built when it is first asked for, the same
 * object ever after for the same content, name and options. It belongs to the device.
 *
 * module   read before; not needed afterwards.
 * kernel   its name; NULL: the only one.
 * options  NULL: all defaults. debug keeps source positions for what is reported.
 *
 * Returns GLACIER_OK, GLACIER_ERR_ARGUMENT (no such kernel, or several), GLACIER_ERR_LIMIT
 * (more than the device has), GLACIER_ERR_UNSUPPORTED, GLACIER_ERR_DEVICE or
 * GLACIER_ERR_NOMEM, told to diag.                                          Since: 0.1
 */
GLACIER_API enum glacier_status glacier_pipeline_get(struct glacier_device *device,
						     struct glacier_module *module, const char *kernel,
						     const struct glacier_write_options *options,
						     struct glacier_pipeline **out,
						     struct glacier_diag *diag);

/* SPIR-V or PTX that is already made, and what gc-asm --reflect wrote of it. */
struct glacier_prebuilt {
	const void *code;               /* a module of code_bytes, or so much text */
	size_t code_bytes;
	struct glacier_text reflection; /* JSON: glacier-kernel(7), REFLECTION */
	const struct glacier_define *defines;   /* values for its specialization constants; PTX has none any more */
	size_t define_count;
};

/*
 * The pipeline of code that is already made, as glacier_pipeline_get gives that of a kernel.
 * Vulkan devices run SPIR-V, and CUDA's PTX. The module is held against the reflection: entry point, workgroup,
 * buffers with their places, elements and access, push constants, specialization constants;
 * PTX by its entry, the sizes of its parameters, and the workgroup.
 * What its functions do is for the driver: a module that spirv-val refuses may do anything.
 *
 * source   read before; not needed afterwards.
 * kernel   its name; NULL: the only one.
 * diag     told of faults of the reflection by its name and a path, of the module by the byte.
 *
 * Returns GLACIER_OK, GLACIER_ERR_UNSUPPORTED (no device of that kind; a feature it lacks),
 * GLACIER_ERR_MALFORMED, _INVALID or _LIMIT for what is wrong, GLACIER_ERR_ARGUMENT (no such
 * kernel), GLACIER_ERR_DEVICE or GLACIER_ERR_NOMEM.                         Since: 0.1
 */
GLACIER_API enum glacier_status glacier_pipeline_get_prebuilt(struct glacier_device *device,
							      const struct glacier_prebuilt *source,
							      const char *kernel,
							      struct glacier_pipeline **out,
							      struct glacier_diag *diag);

/* One argument of a launch, by the parameter's name without its @. */
struct glacier_argument {
	const char *name;
	struct glacier_array *array;   /* for a buffer */
	uint64_t offset_bytes, bytes;  /* the part of it that the kernel sees; bytes 0: to its end */
	uint64_t bits;                 /* for a scalar: its bit pattern; bool: 0 or 1 */
};

/*
 * Start a kernel on groups[0] * groups[1] * groups[2] workgroups, and return at once.
 *
 * arguments  every parameter once, in any order; the values are copied.
 *
 * Refused before anything runs, with the reason told to diag: an argument that is missing,
 * unknown, given twice or of the wrong kind; parts that overlap where one is written; a
 * part whose bytes are no whole number of elements; zero workgroups; more than the device
 * has of anything. GLACIER_OK, _ARGUMENT, _LIMIT, _DEVICE or _NOMEM.        Since: 0.1
 */
GLACIER_API enum glacier_status glacier_launch(struct glacier_pipeline *pipeline,
					       const struct glacier_argument *arguments, size_t count,
					       const uint32_t groups[3], struct glacier_diag *diag);

/*
 * A queue of the device: launches on one run in their order, launches on two may run at the
 * same time. Where one uses an array that the other writes, the later waits for the earlier,
 * so that every result is as if all had run in the order in which they were made. CUDA: a
 * stream each. The processor and Vulkan: the handles are there, and all run in one order.
 *
 * The queue belongs to the device, and closes with it. At most 31 at a time.
 * Returns GLACIER_OK, GLACIER_ERR_LIMIT, GLACIER_ERR_DEVICE or GLACIER_ERR_NOMEM. Since: 0.1
 */
GLACIER_API enum glacier_status glacier_queue_create(struct glacier_device *device, struct glacier_queue **out,
						     struct glacier_diag *diag);

/* Waits for its launches. NULL is allowed. Since: 0.1 */
GLACIER_API void glacier_queue_free(struct glacier_queue *queue);

/* As glacier_launch, on a queue of the pipeline's device; another's is refused with GLACIER_ERR_ARGUMENT. Since: 0.1 */
GLACIER_API enum glacier_status glacier_launch_on(struct glacier_queue *queue, struct glacier_pipeline *pipeline,
						  const struct glacier_argument *arguments, size_t count,
						  const uint32_t groups[3], struct glacier_diag *diag);

/* As glacier_device_wait, for the launches of one queue. Since: 0.1 */
GLACIER_API enum glacier_status glacier_queue_wait(struct glacier_queue *queue, uint64_t timeout_ns,
						   uint64_t *device_ns, struct glacier_diag *diag);

/*
 * Wait until everything has run.
 *
 * timeout_ns   give up after so long: GLACIER_ERR_TIMEOUT, and the device can only be closed
 *              (a kernel on the processor stops; on a GPU it cannot be stopped). 0: for ever.
 * device_ns    how long the last launch ran by the device's own clock; 0 where that was not
 *              measured; may be NULL.
 *
 * Returns GLACIER_OK, GLACIER_ERR_TIMEOUT or GLACIER_ERR_DEVICE.            Since: 0.1
 */
GLACIER_API enum glacier_status glacier_device_wait(struct glacier_device *device, uint64_t timeout_ns,
						    uint64_t *device_ns, struct glacier_diag *diag);

/*
 * Checking. A processor opened with options.check watches each access, barrier and shuffle,
 * and glacier_device_wait, or glacier_array_host, tells its diag, as errors with codes CK0001
 * to CK0006, of
 *
 *	an index that is not below the length
 *	a load where nothing was stored: in shared and private arrays, and in arrays that
 *	glacier_array_create made and neither the host (glacier_array_host, writing) nor a
 *	kernel has filled. An AtomicAdd there counts from the zeros that are promised
 *	two accesses to an element by two invocations, at least one of them no load and not
 *	both atomic: within a workgroup when no barrier lies between, between workgroups at
 *	any time, unless both workgroups pass a fence or an ordered atomic
 *	a barrier or shuffle that some invocations do not reach together with the others
 *
 * with the kernel, the place in its source, the element and the invocations; a note says
 * where the other access is. What is judged is which accesses are made, not what comes of
 * them: a run that gives the right values is told of all the same. One report is made for
 * each kind and pair of lines, 16 a wait, and the rest is counted. The wait itself succeeds.
 *
 * Everything runs in one thread, workgroup by workgroup, so that reports are the same each
 * time. An element takes 8 bytes more where it is stored to, 16 where it is stored to and
 * loaded, 16 where there are atomics; nothing in arrays that are only read. Launches of
 * 2^32 invocations and more, and kernels of 65,535 accesses and more, are refused.
 */

/* What a pipeline's kernel takes, for programs that ask their user. */
struct glacier_parameter {
	const char *name;        /* without the @; lives as long as the pipeline */
	const char *type;        /* "f32" */
	uint32_t elem_bytes;     /* of a buffer's element; of a scalar, bool: 4 */
	bool is_buffer, reads, writes;
};

/* The kernel's name, as long as the pipeline lives. Since: 0.1 */
GLACIER_API const char *glacier_pipeline_kernel(const struct glacier_pipeline *pipeline);
GLACIER_API size_t glacier_pipeline_parameter_count(const struct glacier_pipeline *pipeline);
GLACIER_API bool glacier_pipeline_parameter(const struct glacier_pipeline *pipeline, size_t index,
					    struct glacier_parameter *parameter);
GLACIER_API void glacier_pipeline_workgroup(const struct glacier_pipeline *pipeline, uint32_t size[3]);

/* Whether the results of a kernel may differ from those of another device: glacier-kernel(7), ONE ANSWER. */
struct glacier_variance {
	bool bounded;      /* arithmetic has a bound: glacier_pipeline_get_bounded computes what follows from it */
	bool zeros;        /* Min and Max of -0 and +0 may give either */
	bool unbounded;    /* .approx, f64 Fma, the order of float AtomicAdd, code already made: nothing is promised */
};

/* All false: equal bits are promised, but for NaNs, of which any is as good. Since: 0.1 */
GLACIER_API void glacier_pipeline_variance(const struct glacier_pipeline *pipeline,
					   struct glacier_variance *variance);

/*
 * A pipeline of the processor that computes the kernel's values and, for each element that
 * it stores, how far that may lie from the other device's: what ONE ANSWER allows to
 * single instructions (Div, Sqrt, subnormal numbers), carried through all that is computed with them.
 *
 * inputs_differ  an earlier launch may have left what differs in the buffers.
 *
 * Behind the kernel's own parameters come some more, buffers that must be given an array:
 *	NAME.bound   f64, as many elements as @NAME: stored for each element of @NAME that is
 *	             stored; 0: equal bits; infinity: no bound is known. Begins as zeros, or
 *	             as the launch before left it
 *	.lost        two u32: the first is not 0 when what the kernel did, a branch or an
 *	             index, depended on a value that may differ: then no bound counts
 *
 * Returns what glacier_pipeline_get does.                                   Since: 0.1
 */
GLACIER_API enum glacier_status glacier_pipeline_get_bounded(struct glacier_device *device,
							     struct glacier_module *module,
							     const char *kernel, bool inputs_differ,
							     struct glacier_pipeline **out,
							     struct glacier_diag *diag);

GLACIER_END

#endif
