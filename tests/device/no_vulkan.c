/* SPDX-License-Identifier: MIT */
/* A build without Vulkan's headers, whose device file is linked here in place of the other. */
#include "vk.h"

int main(void)
{
	struct glacier_device_info *infos = NULL;
	struct glacier_device *device;
	size_t count = 0;

	OK(glacier_device_list(NULL, 0, &count));
	infos = calloc(count + 1, sizeof *infos);
	CHECK(infos);
	OK(glacier_device_list(infos, count, &count));
	for (size_t i = 0; i < count; i++)
		CHECK(infos[i].kind != GLACIER_DEVICE_VULKAN);
	free(infos);
	CHECK(glacier_device_open(GLACIER_DEVICE_VULKAN, 0, NULL, &device, quiet()) == GLACIER_ERR_UNAVAILABLE);
	CHECK(!strcmp(last_code, "DV0050"));
	printf("no_vulkan: passed\n");
	return 0;
}
