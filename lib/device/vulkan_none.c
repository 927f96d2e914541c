/* SPDX-License-Identifier: MIT */
/* The Vulkan device of a build without Vulkan's headers: there is none, and it says why. */
#include "device/device.h"

static size_t list(struct glacier_device_info *out, size_t capacity)
{
	(void)out;
	(void)capacity;
	return 0;
}

static enum glacier_status open_device(struct glacier_device *device, uint32_t index,
				       const struct glacier_device_options *options, struct glacier_diag *diag)
{
	(void)device;
	(void)index;
	(void)options;
	return glc_fail(diag, GLC_DV_VK_BUILD, GLC_NOWHERE);
}

const struct glc_device_table glc_vulkan_device = {
	.kind = GLACIER_DEVICE_VULKAN,
	.list = list,
	.open = open_device,
};
