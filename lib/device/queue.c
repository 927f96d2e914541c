/* SPDX-License-Identifier: MIT */
/* Queues: their numbers, and waiting for one. What runs on them: launch.c. */
#include "device/device.h"

static void free_number(struct glacier_device *device, uint32_t number)
{
	device->queues_used &= ~(UINT32_C(1) << number);
}

enum glacier_status glacier_queue_create(struct glacier_device *device, struct glacier_queue **out,
					 struct glacier_diag *diag)
{
	uint32_t number = 0;

	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	while (number < GLC_QUEUES && device->queues_used >> number & 1)
		number++;
	if (number == GLC_QUEUES)
		return glc_fail(diag, GLC_DV_QUEUES_MANY, GLC_NOWHERE, GLC_QUEUES - 1);
	if (device->table->queue_create) {
		enum glacier_status status = device->table->queue_create(device, number, diag);

		if (status != GLACIER_OK)
			return status;
	}
	/* As long as there was one queue, nobody noted what it works on. */
	for (struct glacier_array *array = device->arrays; array && device->queues_used == 1; array = array->next)
		array->writer = array->readers = 1;
	device->queues_used |= UINT32_C(1) << number;
	device->queues[number] = (struct glacier_queue){device, number};
	*out = &device->queues[number];
	return GLACIER_OK;
}

void glacier_queue_free(struct glacier_queue *queue)
{
	if (!queue)
		return;
	if (!queue->device->lost)
		glacier_queue_wait(queue, 0, NULL, NULL);
	free_number(queue->device, queue->number);
}

enum glacier_status glacier_queue_wait(struct glacier_queue *queue, uint64_t timeout_ns, uint64_t *device_ns,
				       struct glacier_diag *diag)
{
	struct glacier_device *device = queue->device;
	enum glacier_status status;
	uint64_t ns = 0;

	if (!device->table->queue_wait)
		return glacier_device_wait(device, timeout_ns, device_ns, diag);
	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	status = device->table->queue_wait(device, queue->number, timeout_ns, &ns, diag);
	if (status != GLACIER_OK)
		device->lost = true;
	if (device_ns)
		*device_ns = ns;
	return status;
}
