/* SPDX-License-Identifier: MIT */
/*
 * Arrays on a Vulkan device. Where device and host share memory an array is one buffer
 * that both use; the caller's memory is imported as it is. Else the device has a buffer of
 * its own, and a staging buffer that the host sees lies between the two.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE  /* mincore */
#endif

#include "device/vulkan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* No buffer is empty (VUID-VkBufferCreateInfo-size-00912), and vkCmdFillBuffer takes whole words. */
enum { UNIT_BYTES = 16 };

#define DEVICE VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define VISIBLE (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED VK_MEMORY_PROPERTY_HOST_CACHED_BIT

/* What memory must have, and what it should have as well. */
struct wish {
	VkMemoryPropertyFlags must, should;
};

static uint32_t choose_type(const struct glc_vk *vk, uint32_t allowed, struct wish wish)
{
	const VkPhysicalDeviceMemoryProperties *memories = &vk->physical->memories;
	const VkMemoryPropertyFlags tries[] = {wish.must | wish.should, wish.must};

	for (int t = 0; t < 2; t++)
		for (uint32_t i = 0; i < memories->memoryTypeCount; i++)
			if (allowed >> i & 1 && (memories->memoryTypes[i].propertyFlags & tries[t]) == tries[t])
				return i;
	return UINT32_MAX;
}

/* A buffer on memory of its own; reserved gets what is really held. */
static enum glacier_status create_buffer(struct glacier_device *device, uint64_t bytes, struct wish wish,
					 VkBuffer *buffer, VkDeviceMemory *memory, uint64_t *reserved,
					 struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = bytes < UNIT_BYTES ? UNIT_BYTES : (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
			 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements requirements;

	GLC_VK_TRY(device, diag, CreateBuffer, vk->device, &info, NULL, buffer);
	vk->call.GetBufferMemoryRequirements(vk->device, *buffer, &requirements);
	allocation.allocationSize = requirements.size;
	allocation.memoryTypeIndex = choose_type(vk, requirements.memoryTypeBits, wish);
	if (allocation.memoryTypeIndex == UINT32_MAX)
		return glc_fail(diag, GLC_DV_VK_NO_MEMORY_TYPE, GLC_NOWHERE, device->info.name);
	GLC_VK_TRY(device, diag, AllocateMemory, vk->device, &allocation, NULL, memory);
	GLC_VK_TRY(device, diag, BindBufferMemory, vk->device, *buffer, *memory, 0);
	*reserved = requirements.size;
	return GLACIER_OK;
}

static enum glacier_status map(struct glacier_device *device, VkDeviceMemory memory, unsigned char **mapped,
			       struct glacier_diag *diag)
{
	void *at;

	GLC_VK_TRY(device, diag, MapMemory, glc_vk_of(device)->device, memory, 0, VK_WHOLE_SIZE, 0, &at);
	*mapped = at;
	return GLACIER_OK;
}

/* --- The caller's memory -------------------------------------------------- */

/* What the device takes around the caller's bytes may be more than their pages: is all of it there? */
static bool is_mapped(uintptr_t begin, uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), before = begin % page;
	unsigned char *resident = malloc((before + bytes) / page + 1);
	bool mapped = resident && mincore((void *)(begin - before), before + bytes, resident) == 0;

	free(resident);
	return mapped;
}

/*
 * Try to make a buffer of the caller's memory itself. False leaves nothing behind: the
 * driver may refuse for reasons of its own (pages that it cannot pin, or may not write).
 */
static bool import(struct glacier_device *device, struct glacier_array *array, struct glc_vk_memory *memory)
{
	struct glc_vk *vk = glc_vk_of(device);
	const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
	uint64_t align = vk->physical->import_align;
	uintptr_t base = (uintptr_t)array->host, begin = base / align * align;
	uint64_t bytes = (base + array->bytes - begin + align - 1) / align * align;
	VkMemoryHostPointerPropertiesEXT properties = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
	};
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = type,
	};
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &external,
		.size = bytes,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
	};
	VkImportMemoryHostPointerInfoEXT pointer = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = type,
		.pHostPointer = (void *)begin,
	};
	VkMemoryAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &pointer,
		.allocationSize = bytes,
	};
	VkMemoryRequirements requirements;

	/* A descriptor can begin only at multiples of this; an empty range has no pages. */
	if (!array->bytes || (base - begin) % vk->physical->buffer_align || !is_mapped(begin, bytes))
		return false;
	if (vk->call.GetMemoryHostPointerPropertiesEXT(vk->device, type, pointer.pHostPointer, &properties) !=
	    VK_SUCCESS)
		return false;
	if (vk->call.CreateBuffer(vk->device, &info, NULL, &memory->buffer) != VK_SUCCESS)
		return false;
	vk->call.GetBufferMemoryRequirements(vk->device, memory->buffer, &requirements);
	allocation.memoryTypeIndex = choose_type(vk, requirements.memoryTypeBits & properties.memoryTypeBits,
						 (struct wish){VISIBLE, CACHED});
	if (allocation.memoryTypeIndex != UINT32_MAX && requirements.size <= bytes &&
	    begin % requirements.alignment == 0 &&
	    vk->call.AllocateMemory(vk->device, &allocation, NULL, &memory->memory) == VK_SUCCESS &&
	    vk->call.BindBufferMemory(vk->device, memory->buffer, memory->memory, 0) == VK_SUCCESS) {
		memory->offset_bytes = base - begin;
		array->reserved_bytes = bytes;
		array->shared = true;
		return true;
	}
	vk->call.DestroyBuffer(vk->device, memory->buffer, NULL);
	vk->call.FreeMemory(vk->device, memory->memory, NULL);
	*memory = (struct glc_vk_memory){.number = memory->number};
	return false;
}

/* --- Arrays --------------------------------------------------------------- */

/* One buffer that both see. */
static enum glacier_status create_unified(struct glacier_device *device, struct glacier_array *array,
					  struct glc_vk_memory *memory, struct glacier_diag *diag)
{
	enum glacier_status status = create_buffer(device, array->bytes, (struct wish){VISIBLE, DEVICE | CACHED},
						   &memory->buffer, &memory->memory, &array->reserved_bytes, diag);

	return status == GLACIER_OK ? map(device, memory->memory, &memory->mapped, diag) : status;
}

/* Zeroes before the first launch; the host's copy is zeroed by the host. */
static enum glacier_status fill(struct glacier_device *device, VkBuffer buffer, struct glacier_diag *diag)
{
	struct glc_vk_slot *slot;
	enum glacier_status status = glc_vk_begin(device, &slot, diag);

	if (status != GLACIER_OK)
		return status;
	glc_vk_of(device)->call.CmdFillBuffer(slot->commands, buffer, 0, VK_WHOLE_SIZE, 0);
	return glc_vk_submit(device, slot, diag);
}

static enum glacier_status create_separate(struct glacier_device *device, struct glacier_array *array,
					   struct glc_vk_memory *memory, struct glacier_diag *diag)
{
	uint64_t staging_bytes;
	enum glacier_status status = create_buffer(device, array->bytes, (struct wish){DEVICE, 0}, &memory->buffer,
						   &memory->memory, &array->reserved_bytes, diag);

	if (status == GLACIER_OK)
		status = create_buffer(device, array->bytes, (struct wish){VISIBLE, CACHED}, &memory->staging,
				       &memory->staging_memory, &staging_bytes, diag);
	if (status == GLACIER_OK)
		status = map(device, memory->staging_memory, &memory->mapped, diag);
	if (status == GLACIER_OK && !array->wrapped)
		status = fill(device, memory->buffer, diag);
	return status;
}

enum glacier_status glc_vk_array_create(struct glacier_array *array, struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	struct glc_vk *vk = glc_vk_of(device);
	struct glc_vk_memory *memory = calloc(1, sizeof *memory);
	enum glacier_status status;

	if (!memory)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	memory->number = ++vk->memories;
	array->backing = memory;
	if (array->wrapped && vk->import && import(device, array, memory))
		return GLACIER_OK;
	status = vk->separate ? create_separate(device, array, memory, diag)
			      : create_unified(device, array, memory, diag);
	if (status != GLACIER_OK) {
		glc_vk_array_free(array);
		return status;
	}
	if (array->wrapped)
		return GLACIER_OK;
	array->host = memset(memory->mapped, 0, array->bytes);
	array->shared = !vk->separate;
	array->fresh = GLC_FRESH_BOTH;
	return GLACIER_OK;
}

void glc_vk_array_free(struct glacier_array *array)
{
	struct glc_vk *vk = glc_vk_of(array->device);
	struct glc_vk_memory *memory = array->backing;

	if (!vk->stuck) {
		vk->call.DestroyBuffer(vk->device, memory->buffer, NULL);
		vk->call.DestroyBuffer(vk->device, memory->staging, NULL);
		vk->call.FreeMemory(vk->device, memory->memory, NULL);
		vk->call.FreeMemory(vk->device, memory->staging_memory, NULL);
	}
	free(memory);
}

/* --- Memory for arenas ---------------------------------------------------- */

/*
 * Addresses of buffers' bytes, for arenas to count with: no pointers, and in the part of the
 * address space that no processor can map, so that taking one for a pointer cannot do harm.
 */
static glacier_addr take_addresses(uint64_t bytes)
{
	static _Atomic uint64_t next = UINT64_C(1) << 60;
	const uint64_t granule = UINT64_C(1) << 21;

	return atomic_fetch_add(&next, (bytes + granule - 1) / granule * granule);
}

enum glacier_status glc_vk_backing_create(struct glacier_array *array, enum glacier_backing kind, glacier_addr *base,
					  struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	struct glc_vk *vk = glc_vk_of(device);
	struct glc_vk_memory *memory;
	enum glacier_status status;

	if (kind != GLACIER_BACKING_DEVICE)
		return glc_fail(diag, GLC_DV_BACKING_KIND, GLC_NOWHERE, "vulkan", device->info.index);
	if (array->bytes > vk->physical->piece_bytes)
		return glc_fail(diag, GLC_DV_BACKING_LARGE, GLC_NOWHERE, device->info.name,
				(unsigned long long)array->bytes, (unsigned long long)vk->physical->piece_bytes);
	memory = calloc(1, sizeof *memory);
	if (!memory)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	memory->number = ++vk->memories;
	array->backing = memory;
	status = create_buffer(device, array->bytes, (struct wish){DEVICE, 0}, &memory->buffer, &memory->memory,
			       &array->reserved_bytes, diag);
	if (status != GLACIER_OK) {
		glc_vk_array_free(array);
		return status;
	}
	*base = take_addresses(array->bytes);
	return GLACIER_OK;
}

void glc_vk_backing_place(const struct glacier_array *array, struct glacier_place *place)
{
	const struct glc_vk_memory *memory = array->backing;

	place->vulkan_buffer = (uint64_t)(uintptr_t)memory->buffer;
	place->vulkan_memory = (uint64_t)(uintptr_t)memory->memory;
	place->vulkan_device = glc_vk_of(array->device)->device;
}

/* --- Copies --------------------------------------------------------------- */

static enum glacier_status transfer(struct glacier_array *array, VkBuffer from, VkBuffer to,
				    struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	const VkBufferCopy all = {.size = array->bytes};
	struct glc_vk_slot *slot;
	enum glacier_status status = glc_vk_begin(device, &slot, diag);

	if (status != GLACIER_OK)
		return status;
	glc_vk_of(device)->call.CmdCopyBuffer(slot->commands, from, to, 1, &all);
	return glc_vk_submit(device, slot, diag);
}

/* Not waited for: the host changes the array only after it waited for everything. */
enum glacier_status glc_vk_copy_to_device(struct glacier_array *array, uint32_t queue, struct glacier_diag *diag)
{
	const struct glc_vk_memory *memory = array->backing;

	(void)queue;   /* there is one */
	if (!array->bytes)
		return GLACIER_OK;
	if (array->host != memory->mapped)
		memcpy(memory->mapped, array->host, array->bytes);
	return memory->staging ? transfer(array, memory->staging, memory->buffer, diag) : GLACIER_OK;
}

enum glacier_status glc_vk_copy_to_host(struct glacier_array *array, struct glacier_diag *diag)
{
	const struct glc_vk_memory *memory = array->backing;
	enum glacier_status status = GLACIER_OK;

	if (!array->bytes)
		return GLACIER_OK;
	if (memory->staging)
		status = transfer(array, memory->buffer, memory->staging, diag);
	if (status == GLACIER_OK)
		status = glc_vk_wait(array->device, 0, NULL, diag);
	if (status == GLACIER_OK && array->host != memory->mapped)
		memcpy(array->host, memory->mapped, array->bytes);
	return status;
}
