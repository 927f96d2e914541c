/* SPDX-License-Identifier: MIT */
/*
 * The Vulkan device, inside.
 *
 *	vulkan_list.c      which devices there are, and what they can do
 *	vulkan_open.c      opening one; the table
 *	vulkan_array.c     memory, imported or its own, and the copies between two
 *	vulkan_pipeline.c  from IR to something that can be bound
 *	vulkan_cache.c     what is kept on disk
 *	vulkan_launch.c    slots of work under way: launches and copies
 */
#ifndef GLC_DEVICE_VULKAN_H
#define GLC_DEVICE_VULKAN_H

#include "device/device.h"
#include "driver/vulkan.h"

#include <stdatomic.h>

enum {
	/*
	 * Launches and copies that can be under way at once; the next one waits for the oldest. So
	 * many that a GPU is busy for longer than it takes to hear that the oldest has ended.
	 */
	GLC_VK_SLOTS = 64,
	/* A fence costs more than a short launch: while work is under way, one in so many has one. */
	GLC_VK_FENCED = 16,
};

/* What an optional part of the API says, filled where the device has it. */
struct glc_vk_features {
	VkPhysicalDeviceFeatures2 core;
	VkPhysicalDeviceMaintenance4Features maintenance4;
	VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size;
	VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types;
	VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
	VkBool32 subgroup_basic, subgroup_ballot, subgroup_shuffle;   /* properties, in fact */
};

enum glc_vk_fma { GLC_VK_FMA_UNKNOWN, GLC_VK_FMA_ONE_ROUNDING, GLC_VK_FMA_TWO_ROUNDINGS };

/* A device as the driver lists it. Made once a process, and kept. */
struct glc_vk_physical {
	VkPhysicalDevice handle;
	struct glacier_device_info info;    /* as far as it is known without opening it */
	struct glc_vk_features has;
	VkPhysicalDeviceMemoryProperties memories;
	uint32_t version;                   /* of Vulkan */
	uint32_t family;                    /* the queues that are used */
	uint64_t time_mask;                 /* the bits of a time stamp that count; 0: there are none */
	double time_ns;                     /* of one tick */
	uint64_t buffer_align;              /* of what is bound */
	uint64_t piece_bytes;               /* the most that one buffer on one allocation has */
	uint64_t import_align;              /* of host memory; 0: it cannot be imported */
	uint32_t subgroup_min, subgroup_max, subgroups_max;   /* that can be demanded; 0: none */
	bool unified;                       /* the device's own memory is the host's, through its cache */
	bool atomic_float, subgroup_size_extension;
	uint32_t vendor, model, driver_version;
	unsigned char cache_uuid[VK_UUID_SIZE];
	_Atomic int fma;                    /* enum glc_vk_fma */
};

/* The devices, best first, at an address that stays; NULL and 0 when there are none. */
struct glc_vk_physical *glc_vk_physicals(uint32_t *count);

/* Link the members that the device has, for vkGetPhysicalDeviceFeatures2 and vkCreateDevice. */
void glc_vk_link_features(const struct glc_vk_physical *physical, struct glc_vk_features *features);

/*
 * Work that was given to the queue: one launch or one copy. A launch that is the same as the
 * slot's last is submitted as it was recorded.
 */
struct glc_vk_slot {
	VkCommandBuffer commands;
	VkFence fence;
	bool fenced, timed;
	const struct glc_vk_pipeline *recorded;   /* NULL: no launch can be repeated */
	uint32_t groups[3];                       /* of the recorded launch */
};

struct glc_vk {
	struct glc_vulkan_calls call;
	struct glc_vk_physical *physical;
	struct glc_vk_features has;          /* what is enabled */
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	bool timed;                          /* launches are, where there are time stamps */
	VkQueryPool times;                   /* two a slot, if they are */
	struct glc_vk_slot slots[GLC_VK_SLOTS];
	uint32_t oldest, busy;               /* the first slot that is under way, and how many are */
	VkFence last;                        /* behind all of them, where the newest has no fence */
	uint64_t launch_ns;                  /* of the last launch that ended */
	bool separate;                       /* host and device share no memory */
	bool import;                         /* but may be asked to share the caller's */
	bool stuck;                          /* a launch did not end in time, and may still run */
	uint64_t memories;                   /* made so far */
	struct glc_vk *next_stuck;
};

/* What one array has on the device. */
struct glc_vk_memory {
	uint64_t number;                     /* of the device's memories, from 1: a freed buffer's handle comes again */
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint64_t offset_bytes;               /* of the array in the buffer */
	VkBuffer staging;                    /* what the host sees, where it cannot see the buffer */
	VkDeviceMemory staging_memory;
	unsigned char *mapped;               /* of the staging, or else of the buffer */
};

/* One buffer of a kernel, and what each slot's descriptor of it says. */
struct glc_vk_bound {
	uint64_t memory;                     /* its number; 0: none yet */
	uint64_t offset_bytes, bytes;
};

struct glc_vk_pipeline {
	VkPipeline pipeline;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkShaderModule module;               /* only while the pipeline is made */
	VkDescriptorSetLayout *set_layouts;
	VkDescriptorSet *sets;               /* set_count a slot */
	uint32_t set_count;
	uint32_t buffer_count;
	uint32_t *objects;                   /* of the buffers, in the kernel */
	struct glc_vk_bound *bound;          /* buffer_count a slot */
	VkDescriptorBufferInfo *infos;       /* for vkUpdateDescriptorSets */
	VkWriteDescriptorSet *writes;
	unsigned char *push;                 /* of the launch that is being made */
	unsigned char *pushed;               /* push_bytes a slot: of what is recorded there */
	uint32_t push_bytes;
};

static inline struct glc_vk *glc_vk_of(const struct glacier_device *device)
{
	return device->state;
}

/* Reports what a function of the driver gave; after some of it the device is lost. */
enum glacier_status glc_vk_fail(struct glacier_device *device, struct glacier_diag *diag, const char *function,
				VkResult result);

/* Call a function of the driver, and leave the function at hand when it fails. */
#define GLC_VK_TRY(device, diag, name, ...)                                                  \
	do {                                                                                 \
		VkResult result_ = glc_vk_of(device)->call.name(__VA_ARGS__);                \
		if (result_ != VK_SUCCESS)                                                   \
			return glc_vk_fail(device, diag, "vk" #name, result_);               \
	} while (0)

/* vulkan_launch.c: a slot whose commands are being recorded anew, behind all that was given before. */
enum glacier_status glc_vk_begin(struct glacier_device *device, struct glc_vk_slot **out, struct glacier_diag *diag);
enum glacier_status glc_vk_submit(struct glacier_device *device, struct glc_vk_slot *slot, struct glacier_diag *diag);
enum glacier_status glc_vk_launch(struct glacier_device *device, const struct glc_launch *launch,
				  struct glacier_diag *diag);
enum glacier_status glc_vk_wait(struct glacier_device *device, uint64_t timeout_ns, uint64_t *device_ns,
				struct glacier_diag *diag);

/*
 * vulkan_cache.c: a pipeline cache with what the disk has for the key (filled), or empty; NULL
 * where nothing is kept. The caller destroys it.
 */
void glc_vk_cache_key(const struct glacier_device *device, const struct glc_kernel *kernel,
		      const struct glacier_buffer *code, unsigned char key[GLC_HASH_BYTES]);
VkPipelineCache glc_vk_cache_open(struct glacier_device *device, const unsigned char key[GLC_HASH_BYTES], bool *filled);
void glc_vk_cache_store(struct glacier_device *device, const unsigned char key[GLC_HASH_BYTES],
			VkPipelineCache cache);
/* Of the device's kind of Fma, where it is not known yet. */
void glc_vk_cache_read_fma(struct glacier_device *device);
void glc_vk_cache_store_fma(struct glacier_device *device);

enum glacier_status glc_vk_array_create(struct glacier_array *array, struct glacier_diag *diag);
void glc_vk_array_free(struct glacier_array *array);
enum glacier_status glc_vk_backing_create(struct glacier_array *array, enum glacier_backing kind, glacier_addr *base,
					  struct glacier_diag *diag);
void glc_vk_backing_place(const struct glacier_array *array, struct glacier_place *place);
enum glacier_status glc_vk_copy_to_device(struct glacier_array *array, uint32_t queue,
					  struct glacier_diag *diag);
enum glacier_status glc_vk_copy_to_host(struct glacier_array *array, struct glacier_diag *diag);

enum glacier_status glc_vk_pipeline_build(struct glacier_pipeline *pipeline,
					  const struct glacier_write_options *options, struct glacier_diag *diag);
void glc_vk_pipeline_free(struct glacier_pipeline *pipeline);

#endif
