/* SPDX-License-Identifier: MIT */
/*
 * libcuda, opened when it is first asked for: its functions, the primary context of each
 * device, and nothing else. Which memory, which stream, which code: lib/device.
 *
 * The declarations are our own, of what the CUDA Driver API promises to keep: no header of
 * NVIDIA's is needed to build. Names and numbers are those of the API's reference.
 */
#ifndef GLC_DRIVER_CUDA_H
#define GLC_DRIVER_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CUresult. Those that are looked at; glc_cuda_result_name knows the others. */
typedef int glc_cu_result;
enum {
	GLC_CU_SUCCESS = 0,
	GLC_CU_INVALID_VALUE = 1,
	GLC_CU_OUT_OF_MEMORY = 2,
	GLC_CU_DEINITIALIZED = 4,
	GLC_CU_STUB_LIBRARY = 34,
	GLC_CU_NO_DEVICE = 100,
	GLC_CU_INVALID_IMAGE = 200,
	GLC_CU_NO_BINARY_FOR_GPU = 209,
	GLC_CU_INVALID_PTX = 218,
	GLC_CU_UNSUPPORTED_PTX_VERSION = 222,
	GLC_CU_INVALID_SOURCE = 300,
	GLC_CU_NOT_FOUND = 500,
	GLC_CU_NOT_READY = 600,
	GLC_CU_HOST_MEMORY_ALREADY_REGISTERED = 712,
	GLC_CU_UNKNOWN = 999,
};

typedef int glc_cu_device;                    /* CUdevice: an ordinal */
typedef uint64_t glc_cu_address;              /* CUdeviceptr */
typedef struct glc_cu_context_ *glc_cu_context;
typedef struct glc_cu_module_ *glc_cu_module;
typedef struct glc_cu_function_ *glc_cu_function;
typedef struct glc_cu_stream_ *glc_cu_stream;
typedef struct glc_cu_event_ *glc_cu_event;
typedef struct glc_cu_link_ *glc_cu_link;     /* CUlinkState */

/* CUdevice_attribute */
enum {
	GLC_CU_MAX_THREADS_PER_BLOCK = 1,
	GLC_CU_MAX_BLOCK_DIM_X = 2,           /* y and z: the next two */
	GLC_CU_MAX_GRID_DIM_X = 5,            /* likewise */
	GLC_CU_MAX_SHARED_MEMORY_PER_BLOCK = 8,
	GLC_CU_WARP_SIZE = 10,
	GLC_CU_MULTIPROCESSOR_COUNT = 16,
	GLC_CU_CAN_MAP_HOST_MEMORY = 19,
	GLC_CU_COMPUTE_MODE = 20,
	GLC_CU_UNIFIED_ADDRESSING = 41,
	GLC_CU_COMPUTE_CAPABILITY_MAJOR = 75,
	GLC_CU_COMPUTE_CAPABILITY_MINOR = 76,
	GLC_CU_MANAGED_MEMORY = 83,
	GLC_CU_CONCURRENT_MANAGED_ACCESS = 89,
	GLC_CU_HOST_REGISTER_SUPPORTED = 99,
	GLC_CU_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
	GLC_CU_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
};

enum { GLC_CU_COMPUTE_MODE_PROHIBITED = 2 };

/* CU_MEMHOSTALLOC_*, CU_MEMHOSTREGISTER_*, CU_MEM_ATTACH_* */
enum {
	GLC_CU_HOST_ALLOC_DEVICEMAP = 2,
	GLC_CU_HOST_REGISTER_DEVICEMAP = 2,
	GLC_CU_HOST_REGISTER_READ_ONLY = 8,
	GLC_CU_ATTACH_GLOBAL = 1,
};

/* CU_STREAM_*, CU_EVENT_* */
enum { GLC_CU_STREAM_NON_BLOCKING = 1, GLC_CU_EVENT_DEFAULT = 0, GLC_CU_EVENT_DISABLE_TIMING = 2 };

/* CUjit_option, CUjitInputType */
enum {
	GLC_CU_JIT_ERROR_LOG_BUFFER = 5,
	GLC_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
	GLC_CU_JIT_OPTIMIZATION_LEVEL = 7,    /* 0 to 4, 4 by default */
	GLC_CU_JIT_GENERATE_LINE_INFO = 13,
	GLC_CU_JIT_INPUT_PTX = 1,
};

/* What stands in cuLaunchKernel's last argument: CU_LAUNCH_PARAM_* */
#define GLC_CU_LAUNCH_PARAM_END ((void *)0)
#define GLC_CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define GLC_CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

struct glc_cu_uuid {
	unsigned char bytes[16];
};

/* Memory that is mapped piece by piece: CUmemLocation, CUmemAllocationProp, CUmemAccessDesc. */
struct glc_cu_location {
	int type;                             /* 1: a device */
	int id;
};

struct glc_cu_allocation {
	int type;                             /* 1: pinned, which device memory always is */
	int handle_types;                     /* 0: not exported */
	struct glc_cu_location location;
	void *win32_handle_metadata;
	struct {
		unsigned char compression, rdma;
		unsigned short usage;
		unsigned char reserved[4];
	} flags;
};

struct glc_cu_access {
	struct glc_cu_location location;
	int flags;                            /* 3: read and write */
};

enum {
	GLC_CU_LOCATION_DEVICE = 1,
	GLC_CU_ALLOCATION_PINNED = 1,
	GLC_CU_ACCESS_READWRITE = 3,
	GLC_CU_GRANULARITY_MINIMUM = 0,
};

/* Every function that is called: name of ours, the library's, arguments. All return CUresult. */
#define GLC_CUDA_FUNCTIONS(X)                                                                                  \
	X(Init, "cuInit", (unsigned flags))                                                                    \
	X(DriverGetVersion, "cuDriverGetVersion", (int *version))                                              \
	X(GetErrorName, "cuGetErrorName", (glc_cu_result result, const char **name))                           \
	X(DeviceGetCount, "cuDeviceGetCount", (int *count))                                                    \
	X(DeviceGet, "cuDeviceGet", (glc_cu_device * device, int ordinal))                                     \
	X(DeviceGetName, "cuDeviceGetName", (char *name, int bytes, glc_cu_device device))                     \
	X(DeviceGetUuid, "cuDeviceGetUuid", (struct glc_cu_uuid * uuid, glc_cu_device device))                 \
	X(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *bytes, glc_cu_device device))                        \
	X(DeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, glc_cu_device device))       \
	X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (glc_cu_context * context, glc_cu_device device)) \
	X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (glc_cu_device device))                     \
	X(CtxSetCurrent, "cuCtxSetCurrent", (glc_cu_context context))                                          \
	X(CtxGetCurrent, "cuCtxGetCurrent", (glc_cu_context * context))                                        \
	X(MemGetInfo, "cuMemGetInfo_v2", (size_t *free_bytes, size_t *total_bytes))                            \
	X(MemAlloc, "cuMemAlloc_v2", (glc_cu_address * address, size_t bytes))                                 \
	X(MemFree, "cuMemFree_v2", (glc_cu_address address))                                                   \
	X(MemAllocManaged, "cuMemAllocManaged", (glc_cu_address * address, size_t bytes, unsigned flags))      \
	X(MemHostAlloc, "cuMemHostAlloc", (void **host, size_t bytes, unsigned flags))                         \
	X(MemFreeHost, "cuMemFreeHost", (void *host))                                                          \
	X(MemHostRegister, "cuMemHostRegister_v2", (void *host, size_t bytes, unsigned flags))                 \
	X(MemHostUnregister, "cuMemHostUnregister", (void *host))                                              \
	X(MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2",                                             \
	  (glc_cu_address * address, void *host, unsigned flags))                                              \
	X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                             \
	  (glc_cu_address to, const void *from, size_t bytes, glc_cu_stream stream))                           \
	X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                                             \
	  (void *to, glc_cu_address from, size_t bytes, glc_cu_stream stream))                                 \
	X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                                             \
	  (glc_cu_address to, glc_cu_address from, size_t bytes, glc_cu_stream stream))                        \
	X(MemsetD8Async, "cuMemsetD8Async",                                                                    \
	  (glc_cu_address to, unsigned char value, size_t bytes, glc_cu_stream stream))                        \
	X(StreamCreate, "cuStreamCreate", (glc_cu_stream * stream, unsigned flags))                            \
	X(StreamDestroy, "cuStreamDestroy_v2", (glc_cu_stream stream))                                         \
	X(StreamSynchronize, "cuStreamSynchronize", (glc_cu_stream stream))                                    \
	X(StreamQuery, "cuStreamQuery", (glc_cu_stream stream))                                                \
	X(StreamWaitEvent, "cuStreamWaitEvent", (glc_cu_stream stream, glc_cu_event event, unsigned flags))    \
	X(EventCreate, "cuEventCreate", (glc_cu_event * event, unsigned flags))                                \
	X(EventDestroy, "cuEventDestroy_v2", (glc_cu_event event))                                             \
	X(EventRecord, "cuEventRecord", (glc_cu_event event, glc_cu_stream stream))                            \
	X(EventElapsedTime, "cuEventElapsedTime", (float *ms, glc_cu_event begin, glc_cu_event end))           \
	X(LinkCreate, "cuLinkCreate_v2",                                                                       \
	  (unsigned option_count, int *options, void **values, glc_cu_link *link))                             \
	X(LinkAddData, "cuLinkAddData_v2",                                                                     \
	  (glc_cu_link link, int type, void *data, size_t bytes, const char *name, unsigned option_count,      \
	   int *options, void **values))                                                                       \
	X(LinkComplete, "cuLinkComplete", (glc_cu_link link, void **cubin, size_t *bytes))                     \
	X(LinkDestroy, "cuLinkDestroy", (glc_cu_link link))                                                    \
	X(ModuleLoadData, "cuModuleLoadData", (glc_cu_module * module, const void *image))                     \
	X(ModuleUnload, "cuModuleUnload", (glc_cu_module module))                                              \
	X(ModuleGetFunction, "cuModuleGetFunction",                                                            \
	  (glc_cu_function * function, glc_cu_module module, const char *name))                                \
	X(FuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, glc_cu_function function))       \
	X(LaunchKernel, "cuLaunchKernel",                                                                      \
	  (glc_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,      \
	   unsigned block_y, unsigned block_z, unsigned shared_bytes, glc_cu_stream stream, void **params,     \
	   void **extra))

/* Newer than the rest (CUDA 10.2): NULL where the driver has no such thing. */
#define GLC_CUDA_OPTIONAL(X)                                                                                   \
	X(MemAddressReserve, "cuMemAddressReserve",                                                            \
	  (glc_cu_address * address, size_t bytes, size_t align, glc_cu_address wish, unsigned long long flags)) \
	X(MemAddressFree, "cuMemAddressFree", (glc_cu_address address, size_t bytes))                          \
	X(MemCreate, "cuMemCreate",                                                                            \
	  (unsigned long long *handle, size_t bytes, const struct glc_cu_allocation *allocation,               \
	   unsigned long long flags))                                                                          \
	X(MemRelease, "cuMemRelease", (unsigned long long handle))                                             \
	X(MemMap, "cuMemMap",                                                                                  \
	  (glc_cu_address address, size_t bytes, size_t offset, unsigned long long handle,                     \
	   unsigned long long flags))                                                                          \
	X(MemUnmap, "cuMemUnmap", (glc_cu_address address, size_t bytes))                                      \
	X(MemSetAccess, "cuMemSetAccess",                                                                      \
	  (glc_cu_address address, size_t bytes, const struct glc_cu_access *access, size_t count))            \
	X(MemGetAllocationGranularity, "cuMemGetAllocationGranularity",                                        \
	  (size_t *bytes, const struct glc_cu_allocation *allocation, int option))

struct glc_cuda {
	bool opened;             /* the library is there, with every function that is not optional */
	glc_cu_result result;    /* of cuInit; GLC_CU_SUCCESS: all below can be used */
	const char *missing;     /* a function that the library lacks, or NULL */
	int version;             /* of the driver's interface: 12040 for CUDA 12.4 */
	char build[32];          /* of the driver itself, "580.159.04", as its file is named; "" where it is not told */
#define GLC_CUDA_MEMBER(name, symbol, arguments) glc_cu_result(*name) arguments;
	GLC_CUDA_FUNCTIONS(GLC_CUDA_MEMBER)
	GLC_CUDA_OPTIONAL(GLC_CUDA_MEMBER)
#undef GLC_CUDA_MEMBER
};

/* The one table; opens the library in the first call. Any thread. */
const struct glc_cuda *glc_cuda(void);

/*
 * The primary context of a device, which is shared with whatever else in the process uses
 * the device; made when nobody has it. Each gets it once more, and gives it back once. It
 * is not made current.
 */
glc_cu_result glc_cuda_context_get(int ordinal, glc_cu_context *context);
void glc_cuda_context_put(int ordinal);

/* Whether every function of GLC_CUDA_OPTIONAL is there. */
bool glc_cuda_has_mapping(const struct glc_cuda *cuda);

/* "CUDA_ERROR_LAUNCH_FAILED". A static string. */
const char *glc_cuda_result_name(glc_cu_result result);

#endif
