/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's memory snapshots, as torch.cuda.memory._dump_snapshot pickles them, or the same tree as JSON:
 * device_traces holds for each device a list of what happened, of which alloc and free_completed move
 * memory. A free without its alloc began before the record did.
 */
#include "pickle.h"
#include "trace.h"

#include <cjson/cJSON.h>
#include <string.h>

struct happened {
	struct trace *trace;
	const struct cli_file *file;
	struct ids ids;
	uint64_t number;           /* of the entry, over all devices */
};

static void add(struct happened *h, uint32_t device, const char *action, size_t length, uint64_t addr, uint64_t bytes)
{
	uint32_t *place;

	h->number++;
	if (length == 3 && !memcmp(action, "oom", 3)) {
		h->trace->failures++;
	} else if (length == 5 && !memcmp(action, "alloc", 5)) {
		if (!bytes)
			return;
		/* Devices may have the same addresses. */
		place = ids_place(&h->ids, addr ^ (uint64_t)device << 56);
		if (*place && *place != UINT32_MAX) {
			h->trace->twice++;
			trace_add(h->trace, (struct event){.op = EVENT_FREE, .thread = device, .id = *place - 1, .line = h->number});
		}
		*place = ++h->trace->ids;
		trace_add(h->trace, (struct event){.op = EVENT_ALLOC, .thread = device, .id = *place - 1, .bytes = bytes, .line = h->number});
	} else if (length == 14 && !memcmp(action, "free_completed", 14)) {
		place = ids_place(&h->ids, addr ^ (uint64_t)device << 56);
		if (*place && *place != UINT32_MAX)
			trace_add(h->trace, (struct event){.op = EVENT_FREE, .thread = device, .id = *place - 1, .line = h->number});
		else
			h->trace->unknown_frees++;
		*place = UINT32_MAX;
	}
}

static void from_pickle(struct happened *h)
{
	struct pickle pickle;
	const struct value *devices;

	if (!pickle_read(&pickle, h->file->data, h->file->size))
		cli_wrong("%s:0x%zx: %s", h->file->name, pickle.error_at, pickle.error);
	devices = pickle_member(pickle.top, "device_traces");
	if (!devices || devices->kind != VALUE_LIST)
		cli_wrong("%s: there is no list device_traces in it", h->file->name);
	for (size_t device = 0; device < devices->count; device++) {
		const struct value *list = devices->item[device];

		for (size_t i = 0; list->kind == VALUE_LIST && i < list->count; i++) {
			const struct value *action = pickle_member(list->item[i], "action"), *addr = pickle_member(list->item[i], "addr");
			const struct value *size = pickle_member(list->item[i], "size");

			if (!action || action->kind != VALUE_TEXT)
				cli_wrong("%s: entry %zu of device %zu has no action", h->file->name, i, device);
			add(h, (uint32_t)device, action->text, action->count, addr && addr->kind == VALUE_INT ? (uint64_t)addr->number : 0,
			    size && size->kind == VALUE_INT && size->number > 0 ? (uint64_t)size->number : 0);
		}
	}
	pickle_fini(&pickle);
}

static uint64_t whole(const cJSON *item)
{
	return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 0x1p63 ? (uint64_t)item->valuedouble : 0;
}

static void from_json(struct happened *h)
{
	cJSON *top = cJSON_ParseWithLength(h->file->data, h->file->size);
	const cJSON *devices = cJSON_GetObjectItemCaseSensitive(top, "device_traces"), *list, *entry;
	uint32_t device = 0;

	if (!top)
		cli_wrong("%s: this is no JSON document", h->file->name);
	if (!cJSON_IsArray(devices))
		cli_wrong("%s: there is no list device_traces in it", h->file->name);
	cJSON_ArrayForEach(list, devices) {
		cJSON_ArrayForEach(entry, list) {
			const char *action = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "action"));

			if (!action)
				cli_wrong("%s: an entry of device %u has no action", h->file->name, (unsigned)device);
			add(h, device, action, strlen(action), whole(cJSON_GetObjectItemCaseSensitive(entry, "addr")),
			    whole(cJSON_GetObjectItemCaseSensitive(entry, "size")));
		}
		device++;
	}
	cJSON_Delete(top);
}

void read_pytorch(struct trace *trace, const struct cli_file *file)
{
	struct happened h = {.trace = trace, .file = file};

	if (file->size && *(const unsigned char *)file->data == 0x80)
		from_pickle(&h);
	else
		from_json(&h);
	ids_fini(&h.ids);
}
