/* SPDX-License-Identifier: MIT */
#include "devices.h"

#include <stdlib.h>

void device_spell(enum glacier_device_kind kind, uint32_t index, char *text, size_t bytes)
{
	if (kind == GLACIER_DEVICE_CPU)
		snprintf(text, bytes, "%s", glacier_device_kind_name(kind));
	else
		snprintf(text, bytes, "%s:%u", glacier_device_kind_name(kind), index);
}

struct glacier_device_info *devices_find(size_t *count)
{
	struct glacier_device_info *devices;
	size_t capacity = 0, found;

	for (;;) {
		devices = cli_alloc(capacity * sizeof *devices);
		if (glacier_device_list(devices, capacity, &found) != GLACIER_OK)
			cli_die("out of memory");
		if (found <= capacity) {
			*count = found;
			return devices;
		}
		free(devices);
		capacity = found;
	}
}

void devices_list(void)
{
	static const struct cli_column columns[] = {
		{"device", "DEVICE", CLI_CELL_TEXT, 0},
		{"name", "NAME", CLI_CELL_TEXT, 0},
		{"driver", "DRIVER", CLI_CELL_TEXT, 0},
		{"software", "SOFTWARE", CLI_CELL_BOOL, 0},
		{"subgroup_size", "SUBGROUP", CLI_CELL_UINT, 0},
		{"shared_bytes", "SHARED", CLI_CELL_UINT, 0},
		{"buffer_bytes", "BUFFER", CLI_CELL_UINT, 0},
		{"has_i64", "I64", CLI_CELL_BOOL, 0},
		{"has_f64", "F64", CLI_CELL_BOOL, 0},
		{"wraps_host", "NO-COPY", CLI_CELL_BOOL, 0},
	};
	size_t count;
	struct glacier_device_info *devices = devices_find(&count);
	struct cli_table table;

	cli_table_init(&table, "glacier-devices", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < count; i++) {
		const struct glacier_device_info *device = &devices[i];
		char name[32];

		device_spell(device->kind, device->index, name, sizeof name);
		cli_table_add(&table, (const union cli_cell[]){
					      {.text = name},
					      {.text = device->name},
					      {.text = device->driver},
					      {.yes = device->software},
					      {.u = device->subgroup_size},
					      {.u = device->limits.compute_shared_memory_bytes},
					      {.u = device->buffer_bytes},
					      {.yes = device->has_i64},
					      {.yes = device->has_f64},
					      {.yes = device->wraps_host},
				      });
	}
	cli_table_print(&table, cli.json ? CLI_TABLE_JSON : CLI_TABLE_TEXT, stdout);
	cli_table_fini(&table);
	free(devices);
}

void devices_choose(struct device_name *device)
{
	size_t count, best = 0;
	struct glacier_device_info *devices;

	if (!device->automatic)
		return;
	devices = devices_find(&count);
	if (!count)
		cli_die("there is no device");
	/* A graphics driver that computes on the processor only stands in our own device's way. */
	for (size_t i = 0; i < count && devices[0].software; i++)
		if (devices[i].kind == GLACIER_DEVICE_CPU)
			best = i;
	device->automatic = false;
	device->kind = devices[best].kind;
	device->index = devices[best].index;
	free(devices);
}
