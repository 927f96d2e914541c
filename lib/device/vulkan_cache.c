/* SPDX-License-Identifier: MIT */
/*
 * What the Vulkan device keeps in the cache folder: machine code, as the driver's pipeline
 * caches hold it, and what running told about the device.
 */
#include "device/vulkan.h"

#include "base/buf.h"

#include <string.h>

/* Of every pipeline cache (Vulkan 1.3, table 10.1); one of these bytes alone holds no pipeline. */
enum { HEADER_BYTES = 16 + VK_UUID_SIZE };

/* The driver promises to take back what it gave under the same of these (Vulkan 1.3, 10.7.4). */
static void add_driver(struct glc_hash *hash, const struct glc_vk_physical *physical)
{
	glc_hash_add_u64(hash, (uint64_t)physical->vendor << 32 | physical->model);
	glc_hash_add_u64(hash, physical->driver_version);
	glc_hash_add_field(hash, physical->cache_uuid, sizeof physical->cache_uuid);
	glc_hash_add_field(hash, physical->info.driver, strlen(physical->info.driver));
	glc_hash_add_field(hash, physical->info.name, strlen(physical->info.name));
}

/* --- Pipelines ------------------------------------------------------------ */

/*
 * The code is what the kernel, its name, the options and the specialization constants became;
 * but code that was made elsewhere is told the values of these.
 */
void glc_vk_cache_key(const struct glacier_device *device, const struct glc_kernel *kernel,
		      const struct glacier_buffer *code, unsigned char key[GLC_HASH_BYTES])
{
	struct glc_hash hash;

	glc_hash_init(&hash, NULL);
	glc_hash_add_field(&hash, "vulkan pipeline 1", 17);
	add_driver(&hash, glc_vk_of(device)->physical);
	glc_hash_add_field(&hash, kernel->name.at, kernel->name.bytes);
	glc_hash_add_u64(&hash, kernel->subgroup);
	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].kind == GLC_OBJECT_SPEC) {
			glc_hash_add_u64(&hash, kernel->objects[i].spec_id);
			glc_hash_add_u64(&hash, kernel->objects[i].spec_bits);
		}
	glc_hash_add_field(&hash, code->data, code->size);
	glc_hash_end(&hash, key);
}

static VkPipelineCache create(const struct glc_vk *vk, const struct glacier_buffer *data)
{
	VkPipelineCacheCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
		.initialDataSize = data->size,
		.pInitialData = data->data,
	};
	VkPipelineCache cache;

	return vk->call.CreatePipelineCache(vk->device, &info, NULL, &cache) == VK_SUCCESS ? cache : VK_NULL_HANDLE;
}

VkPipelineCache glc_vk_cache_open(struct glacier_device *device, const unsigned char key[GLC_HASH_BYTES], bool *filled)
{
	struct glc_vk *vk = glc_vk_of(device);
	struct glacier_buffer data = {0};
	VkPipelineCache cache = VK_NULL_HANDLE;

	*filled = false;
	if (!device->cache)
		return VK_NULL_HANDLE;
	if (glc_disk_cache_get(device->cache, key, &data)) {
		cache = create(vk, &data);
		*filled = cache != VK_NULL_HANDLE;
	}
	data.size = 0;
	if (cache == VK_NULL_HANDLE)
		cache = create(vk, &data);
	glacier_buffer_fini(&data);
	return cache;
}

/* A cache that cannot be kept costs the next process time, and nobody else anything. */
void glc_vk_cache_store(struct glacier_device *device, const unsigned char key[GLC_HASH_BYTES],
			VkPipelineCache cache)
{
	struct glc_vk *vk = glc_vk_of(device);
	struct glacier_buffer data = {0};
	size_t bytes = 0;

	if (vk->call.GetPipelineCacheData(vk->device, cache, &bytes, NULL) == VK_SUCCESS && bytes > HEADER_BYTES &&
	    glc_buffer_reserve(&data, bytes) &&
	    vk->call.GetPipelineCacheData(vk->device, cache, &bytes, data.data) == VK_SUCCESS && bytes > HEADER_BYTES)
		glc_disk_cache_put(device->cache, key, data.data, bytes);
	glacier_buffer_fini(&data);
}

/* --- How many times Fma rounds -------------------------------------------- */

static void fma_key(const struct glc_vk_physical *physical, unsigned char key[GLC_HASH_BYTES])
{
	struct glc_hash hash;

	glc_hash_init(&hash, NULL);
	glc_hash_add_field(&hash, "vulkan fma 1", 12);
	add_driver(&hash, physical);
	glc_hash_end(&hash, key);
}

void glc_vk_cache_read_fma(struct glacier_device *device)
{
	struct glc_vk_physical *physical = glc_vk_of(device)->physical;
	unsigned char key[GLC_HASH_BYTES];
	struct glacier_buffer data = {0};

	if (!device->cache || physical->fma != GLC_VK_FMA_UNKNOWN)
		return;
	fma_key(physical, key);
	if (glc_disk_cache_get(device->cache, key, &data) && data.size == 1 &&
	    (data.data[0] == GLC_VK_FMA_ONE_ROUNDING || data.data[0] == GLC_VK_FMA_TWO_ROUNDINGS))
		physical->fma = data.data[0];
	glacier_buffer_fini(&data);
}

void glc_vk_cache_store_fma(struct glacier_device *device)
{
	const struct glc_vk_physical *physical = glc_vk_of(device)->physical;
	unsigned char key[GLC_HASH_BYTES], answer = (unsigned char)physical->fma;

	if (!device->cache)
		return;
	fma_key(physical, key);
	glc_disk_cache_put(device->cache, key, &answer, 1);
}
