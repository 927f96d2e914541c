/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's memory snapshots, as torch.cuda.memory._dump_snapshot pickles them, or the same tree as JSON:
 * device_traces holds for each device a list of what happened, of which alloc and free_completed move
 * memory. A trace is a ring: a free without its alloc began before the record did.
 */
#include "pickle.h"
#include "trace.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>

struct happened {
	struct trace *trace;
	const struct cli_file *file;
	struct addressed addressed;
	uint64_t number;           /* of the entry, over all devices */
};

struct entry {
	size_t device, at;         /* at: in the device's list */
	const char *action;        /* length bytes */
	size_t length;
	bool has_addr;
	uint64_t addr, bytes;      /* bytes 0: none, or no whole number above 0 */
};

static bool is(const struct entry *e, const char *action)
{
	return e->length == strlen(action) && !memcmp(e->action, action, e->length);
}

static void add(struct happened *h, const struct entry *e)
{
	bool allocates = is(e, "alloc");
	uint32_t device = (uint32_t)e->device;
	uint64_t key;

	h->number++;
	if (is(e, "oom"))
		h->trace->failures++;
	if (!allocates && !is(e, "free_completed"))
		return;
	if (!e->has_addr)
		cli_wrong("%s: entry %zu of device %zu has no addr that is a whole number", h->file->name, e->at, e->device);
	if (!e->bytes)
		cli_wrong("%s: entry %zu of device %zu has no size that is a whole number above 0", h->file->name, e->at, e->device);
	/* Devices may have the same addresses. */
	key = e->addr ^ (uint64_t)device << 56;
	if (allocates)
		addressed_alloc(&h->addressed, key, e->bytes, device, h->number);
	else if (!addressed_free(&h->addressed, key, device, h->number))
		cli_wrong("%s: event %zu, entry %zu of device %zu, frees 0x%" PRIx64 ", which was freed before", h->file->name,
			  h->trace->count + 1, e->at, e->device, e->addr);
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

		if (list->kind != VALUE_LIST)
			cli_wrong("%s: device %zu has no list", h->file->name, device);
		for (size_t i = 0; i < list->count; i++) {
			const struct value *action = pickle_member(list->item[i], "action"), *addr = pickle_member(list->item[i], "addr");
			const struct value *size = pickle_member(list->item[i], "size");
			struct entry e = {.device = device, .at = i};

			if (!action || action->kind != VALUE_TEXT)
				cli_wrong("%s: entry %zu of device %zu has no action", h->file->name, i, device);
			e.action = action->text;
			e.length = action->count;
			e.has_addr = addr && addr->kind == VALUE_INT;
			e.addr = e.has_addr ? (uint64_t)addr->number : 0;
			e.bytes = size && size->kind == VALUE_INT && size->number > 0 ? (uint64_t)size->number : 0;
			add(h, &e);
		}
	}
	pickle_fini(&pickle);
}

/* False, and 0: it is no whole number. */
static bool whole(const cJSON *item, uint64_t *value)
{
	double number = cJSON_IsNumber(item) ? item->valuedouble : -1;

	*value = number >= 0 && number < 0x1p63 ? (uint64_t)number : 0;
	if ((double)*value == number)
		return true;
	*value = 0;
	return false;
}

static void from_json(struct happened *h)
{
	cJSON *top = cJSON_ParseWithLength(h->file->data, h->file->size);
	const cJSON *devices = cJSON_GetObjectItemCaseSensitive(top, "device_traces"), *list, *item;
	struct entry e = {0};

	if (!top)
		cli_wrong("%s: this is no JSON document", h->file->name);
	if (!cJSON_IsArray(devices))
		cli_wrong("%s: there is no list device_traces in it", h->file->name);
	cJSON_ArrayForEach(list, devices) {
		if (!cJSON_IsArray(list))
			cli_wrong("%s: device %zu has no list", h->file->name, e.device);
		e.at = 0;
		cJSON_ArrayForEach(item, list) {
			e.action = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "action"));
			if (!e.action)
				cli_wrong("%s: entry %zu of device %zu has no action", h->file->name, e.at, e.device);
			e.length = strlen(e.action);
			e.has_addr = whole(cJSON_GetObjectItemCaseSensitive(item, "addr"), &e.addr);
			whole(cJSON_GetObjectItemCaseSensitive(item, "size"), &e.bytes);
			add(h, &e);
			e.at++;
		}
		e.device++;
	}
	cJSON_Delete(top);
}

void read_pytorch(struct trace *trace, const struct cli_file *file)
{
	struct happened h = {.trace = trace, .file = file, .addressed.trace = trace};

	const char *data = file->data;

	/* Older protocols have no number in front: they begin with a mark, or an empty dictionary or list, as no JSON does. */
	if (file->size && (data[0] == '(' || data[0] == '}' || data[0] == ']'))
		cli_wrong("%s: a pickle of protocol 0 or 1: protocols 2 to 5 are read", file->name);
	if (file->size && (unsigned char)data[0] == 0x80)
		from_pickle(&h);
	else
		from_json(&h);
	addressed_fini(&h.addressed);
}
