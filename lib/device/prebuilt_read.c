/* SPDX-License-Identifier: MIT */
/*
 * Reflections: glacier-kernel(7), REFLECTION. Read strictly, since a buffer that is bound
 * in the wrong place is not noticed by a GPU: every key must be known, there once, and of
 * its form; what is wrong is told with its path in the document.
 */
#include "device/prebuilt.h"

#include "compile/module.h"
#include "ir/json.h"

#include <glacier/literal.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_PARAMETERS = 256,
	MOST_SETS = 256,
	MOST_BINDINGS = 1 << 16,
	MOST_PUSH_BYTES = 1 << 16,
	MOST_NAME_BYTES = 128,
	PATH_BYTES = 256,
};

/* A position that is no place in the text. */
#define AT_PATH 0xfffffff0u

enum form { TEXT, NUMBER, NUMBER_OR_NULL, EXTENT, LIST, OBJECT, ANYTHING, FORM_COUNT };

static const char wanted[FORM_COUNT][48] = {
	[TEXT] = "a string of 1 to 128 bytes",
	[NUMBER] = "a whole number below 2^32",
	[NUMBER_OR_NULL] = "a whole number below 2^32, or null",
	[EXTENT] = "a whole number, or {\"spec\", \"value\"},",
	[LIST] = "an array",
	[OBJECT] = "an object",
};

struct key {
	char name[24];
	uint8_t form;
	bool optional;
};

static const struct key document_keys[] = {{"schema", TEXT, false}, {"version", NUMBER, false}, {"kernels", LIST, false}};
static const struct key kernel_keys[] = {
	{"name", TEXT, false},
	{"symbols", OBJECT, false},
	{"workgroup", LIST, false},
	{"subgroup", NUMBER_OR_NULL, false},
	{"params", LIST, false},
	{"ptx_lengths", LIST, false},
	{"arrays", LIST, false},
	{"shared_bytes", NUMBER, false},
	{"push_constant_bytes", NUMBER, false},
};
static const struct key symbol_keys[] = {{"ptx", TEXT, false}, {"spirv", TEXT, false}};
static const struct key extent_keys[] = {{"spec", TEXT, false}, {"value", NUMBER, false}};
static const struct key buffer_keys[] = {
	{"name", TEXT, false}, {"kind", TEXT, false},   {"type", TEXT, false},       {"access", TEXT, false},
	{"set", NUMBER, false}, {"binding", NUMBER, false}, {"ptx_offset", NUMBER, true},
};
static const struct key scalar_keys[] = {
	{"name", TEXT, false},    {"kind", TEXT, false},
	{"type", TEXT, false},    {"bytes", NUMBER, false},
	{"push_constant_offset", NUMBER, false}, {"ptx_offset", NUMBER, true},
};
static const struct key spec_keys[] = {
	{"name", TEXT, false}, {"kind", TEXT, false}, {"type", TEXT, false},
	{"id", NUMBER, false}, {"bits", TEXT, false}, {"value", ANYTHING, true},
};
static const struct key length_keys[] = {{"buffer", TEXT, false}, {"type", TEXT, false}, {"ptx_offset", NUMBER, false}};
static const struct key array_keys[] = {
	{"name", TEXT, false},     {"kind", TEXT, false},   {"type", TEXT, false},
	{"length", EXTENT, false}, {"bytes", NUMBER, false},
};

#define KEYS(table) table, sizeof(table) / sizeof *(table)

struct reader {
	struct glc_relay relay;
	struct glc_source source;
	struct glc_source_map map;
	struct glacier_memory *memory;
	const struct glacier_prebuilt *from;
	enum glacier_target_kind target;
	struct glc_kernel kernel;
	const char *symbol;
	uint32_t ptx_end;        /* of the parameters that were read, as PTX lays them out */
	uint32_t dimension;      /* of the workgroup's sizes that were read */
	char path[PATH_BYTES];
	size_t path_bytes;
};

/* Told with the path; false. No code of these is GLACIER_OK. */
#define WRONG(r, code, ...) (glc_fail(&(r)->relay.diag, code, AT_PATH __VA_OPT__(, ) __VA_ARGS__) == GLACIER_OK)

static void locate(const struct glc_source_map *map, uint32_t position, struct glacier_location *location)
{
	const struct reader *r = map->context;
	struct glc_source_map text = {.sources = &r->source, .count = 1};

	if (position != AT_PATH) {
		glc_source_locate(&text, position, location);
		return;
	}
	location->source = r->source.name;
	location->kind = r->path_bytes ? GLACIER_LOCATION_PATH : GLACIER_LOCATION_NONE;
	location->path = r->path;
}

/* Goes down to a member, or to an element of an array; gives what goes back up. */
static size_t go_to(struct reader *r, const char *name, int index)
{
	size_t before = r->path_bytes;
	int bytes = index < 0 ? snprintf(r->path + before, PATH_BYTES - before, "%s%s", before ? "." : "", name)
			      : snprintf(r->path + before, PATH_BYTES - before, "[%d]", index);

	/* Nothing is nested so deep that a path would not fit; keys are cut. */
	r->path_bytes = before + (size_t)bytes < PATH_BYTES ? before + (size_t)bytes : PATH_BYTES - 1;
	return before;
}

static void go_back(struct reader *r, size_t before)
{
	r->path_bytes = before;
	r->path[before] = '\0';
}

/* --- Forms ----------------------------------------------------------------- */

static bool is_number(const cJSON *value)
{
	return cJSON_IsNumber(value) && value->valuedouble >= 0 && value->valuedouble <= UINT32_MAX &&
	       value->valuedouble == floor(value->valuedouble);
}

static bool has_form(const cJSON *value, uint8_t form)
{
	size_t bytes;

	switch ((enum form)form) {
	case TEXT:
		bytes = cJSON_IsString(value) ? strlen(value->valuestring) : 0;
		return bytes && bytes <= MOST_NAME_BYTES;
	case NUMBER: return is_number(value);
	case NUMBER_OR_NULL: return cJSON_IsNull(value) || is_number(value);
	case EXTENT: return cJSON_IsObject(value) || is_number(value);
	case LIST: return cJSON_IsArray(value);
	case OBJECT: return cJSON_IsObject(value);
	default: return true;
	}
}

static const cJSON *get(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static uint32_t number(const cJSON *object, const char *name)
{
	return (uint32_t)get(object, name)->valuedouble;
}

static const char *text(const cJSON *object, const char *name)
{
	return get(object, name)->valuestring;
}

static bool check_member(struct reader *r, const cJSON *object, const cJSON *member, const struct key *keys,
			 size_t count)
{
	size_t before, i = 0;
	bool good;

	while (i < count && strcmp(keys[i].name, member->string))
		i++;
	if (i == count)
		return WRONG(r, GLC_DV_RF_KEY, member->string);
	if (get(object, member->string) != member)
		return WRONG(r, GLC_DV_RF_TWICE, member->string);
	if (has_form(member, keys[i].form))
		return true;
	before = go_to(r, member->string, -1);
	good = WRONG(r, GLC_DV_RF_SHAPE, wanted[keys[i].form]);
	go_back(r, before);
	return good;
}

/* Behind this, members that must be there are, and all have their forms. */
static bool check_object(struct reader *r, const cJSON *object, const struct key *keys, size_t count)
{
	const cJSON *member;

	if (!cJSON_IsObject(object))
		return WRONG(r, GLC_DV_RF_SHAPE, wanted[OBJECT]);
	cJSON_ArrayForEach(member, object)
		if (!check_member(r, object, member, keys, count))
			return false;
	for (size_t i = 0; i < count; i++)
		if (!keys[i].optional && !get(object, keys[i].name))
			return WRONG(r, GLC_DV_RF_MISSING, keys[i].name);
	return true;
}

/* One of a few words, or a number out of its range: told at the member. */
static bool wrong_member(struct reader *r, const char *name, const char *what)
{
	size_t before = go_to(r, name, -1);
	bool good = WRONG(r, GLC_DV_RF_SHAPE, what);

	go_back(r, before);
	return good;
}

/* --- Parts of a kernel ----------------------------------------------------- */

/* A copy: the document goes away. NULL, reported, without memory. */
static const char *keep(struct reader *r, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char *copy = glc_bump(r->memory, bytes);

	if (!copy) {
		glc_fail(&r->relay.diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
		return NULL;
	}
	return memcpy(copy, name, bytes);
}

static bool read_type(struct reader *r, const cJSON *item, bool in_memory, struct glc_object *object)
{
	const char *name = text(item, "type");
	enum glc_type type = glc_type_find(name, (uint32_t)strlen(name));

	object->type = (uint8_t)type;
	if (type == GLC_VOID || (!glc_types[type].bytes && (in_memory || type != GLC_BOOL)))
		return wrong_member(r, "type", in_memory ? "a type of memory, as \"f32\"," : "a type, as \"f32\",");
	return true;
}

static bool read_buffer(struct reader *r, const cJSON *item, struct glc_object *object)
{
	static const char names[][12] = {[GLC_READ] = "read", [GLC_WRITE] = "write", [GLC_READWRITE] = "readwrite"};

	object->kind = GLC_OBJECT_BUFFER;
	for (uint8_t access = GLC_READ; access <= GLC_READWRITE; access++)
		if (!strcmp(text(item, "access"), names[access]))
			object->access = object->used = access;
	if (!object->access)
		return wrong_member(r, "access", "\"read\", \"write\" or \"readwrite\"");
	object->set = number(item, "set");
	object->binding = number(item, "binding");
	if (object->set >= MOST_SETS)
		return wrong_member(r, "set", "a number below 256");
	if (object->binding >= MOST_BINDINGS)
		return wrong_member(r, "binding", "a number below 65536");
	for (uint32_t i = 0; i < r->kernel.object_count; i++) {
		const struct glc_object *other = &r->kernel.objects[i];

		if (other->kind == GLC_OBJECT_BUFFER && other->set == object->set && other->binding == object->binding)
			return wrong_member(r, "binding", "a place that no other buffer has");
	}
	return read_type(r, item, true, object);
}

static bool read_scalar(struct reader *r, const cJSON *item, struct glc_object *object)
{
	uint32_t bytes;

	object->kind = GLC_OBJECT_SCALAR;
	if (!read_type(r, item, false, object))
		return false;
	bytes = object->type == GLC_BOOL ? 4 : glc_types[object->type].bytes;
	object->offset = number(item, "push_constant_offset");
	if (number(item, "bytes") != bytes)
		return wrong_member(r, "bytes", "the size of the type");
	if (object->offset % bytes || object->offset > r->kernel.push_bytes ||
	    bytes > r->kernel.push_bytes - object->offset)
		return wrong_member(r, "push_constant_offset", "a multiple of the size, within push_constant_bytes,");
	for (uint32_t i = 0; i < r->kernel.object_count; i++) {
		const struct glc_object *other = &r->kernel.objects[i];
		uint32_t end = other->offset + (other->type == GLC_BOOL ? 4 : glc_types[other->type].bytes);

		if (other->kind == GLC_OBJECT_SCALAR && other->offset < object->offset + bytes && object->offset < end)
			return wrong_member(r, "push_constant_offset", "a place that no other scalar has");
	}
	return true;
}

static bool read_bits(const char *text, uint64_t *bits)
{
	char *end;

	if (strncmp(text, "0x", 2) || strlen(text) > 18 || strspn(text + 2, "0123456789abcdefABCDEF") != strlen(text + 2))
		return false;
	*bits = strtoull(text, &end, 16);
	return end > text + 2 && !*end;
}

static bool read_spec(struct reader *r, const cJSON *item, struct glc_object *object)
{
	object->kind = GLC_OBJECT_SPEC;
	object->spec_id = number(item, "id");
	if (!read_type(r, item, false, object))
		return false;
	if (!read_bits(text(item, "bits"), &object->spec_bits) || object->spec_bits & ~glc_type_mask(object->type) ||
	    (object->type == GLC_BOOL && object->spec_bits > 1))
		return wrong_member(r, "bits", "\"0x\" and the bits of a value of the type");
	return true;
}

/* For a launch of PTX: where the device will put the parameter. */
static bool check_ptx_offset(struct reader *r, const cJSON *item, uint32_t bytes)
{
	if (r->target != GLACIER_TARGET_PTX)
		return true;
	r->ptx_end = (r->ptx_end + bytes - 1) / bytes * bytes;
	if (!get(item, "ptx_offset") || number(item, "ptx_offset") != r->ptx_end)
		return wrong_member(r, "ptx_offset", "the next multiple of the parameter's size");
	r->ptx_end += bytes;
	return true;
}

static bool read_parameter(struct reader *r, const cJSON *item)
{
	static const struct {
		char kind[8];
		const struct key *keys;
		size_t count;
		bool (*read)(struct reader *r, const cJSON *item, struct glc_object *object);
	} kinds[] = {
		{"buffer", KEYS(buffer_keys), read_buffer},
		{"scalar", KEYS(scalar_keys), read_scalar},
		{"spec", KEYS(spec_keys), read_spec},
	};
	const cJSON *kind = cJSON_IsObject(item) ? get(item, "kind") : NULL;
	struct glc_object *object = &r->kernel.objects[r->kernel.object_count];
	size_t i = 0;

	while (i < 3 && !(cJSON_IsString(kind) && !strcmp(kind->valuestring, kinds[i].kind)))
		i++;
	if (i == 3)
		return kind ? wrong_member(r, "kind", "\"buffer\", \"scalar\" or \"spec\"")
			    : WRONG(r, GLC_DV_RF_MISSING, "kind");
	if (!check_object(r, item, kinds[i].keys, kinds[i].count))
		return false;
	*object = (struct glc_object){.length.spec = GLC_NO_VALUE};
	object->name.at = keep(r, text(item, "name"));
	if (!object->name.at)
		return false;
	object->name.bytes = (uint32_t)strlen(object->name.at);
	for (uint32_t j = 0; j < r->kernel.object_count; j++)
		if (!strcmp(r->kernel.objects[j].name.at, object->name.at))
			return wrong_member(r, "name", "a name that no other parameter has");
	if (!kinds[i].read(r, item, object))
		return false;
	r->kernel.object_count++;
	return object->kind == GLC_OBJECT_SPEC || check_ptx_offset(r, item, object->kind == GLC_OBJECT_BUFFER
									   ? 8
									   : number(item, "bytes"));
}

static bool each(struct reader *r, const cJSON *object, const char *name,
		 bool (*read)(struct reader *r, const cJSON *item))
{
	size_t before = go_to(r, name, -1);
	const cJSON *item;
	int index = 0;

	cJSON_ArrayForEach(item, get(object, name)) {
		size_t list = go_to(r, name, index++);

		if (!read(r, item))
			return false;
		go_back(r, list);
	}
	go_back(r, before);
	return true;
}

/* A number, or the present value of the specialization constant that stands for it. */
static bool read_extent(struct reader *r, const cJSON *value, struct glc_extent *extent)
{
	*extent = (struct glc_extent){.spec = GLC_NO_VALUE};
	if (is_number(value)) {
		extent->value = (uint32_t)value->valuedouble;
		return true;
	}
	if (!check_object(r, value, KEYS(extent_keys)))
		return false;
	for (uint32_t i = 0; i < r->kernel.object_count; i++) {
		const struct glc_object *object = &r->kernel.objects[i];

		if (object->kind == GLC_OBJECT_SPEC && object->type == GLC_U32 &&
		    !strcmp(object->name.at, text(value, "spec"))) {
			extent->value = (uint32_t)object->spec_bits;
			extent->spec = i;
			return true;
		}
	}
	return wrong_member(r, "spec", "the name of a specialization constant of type u32");
}

static bool read_array(struct reader *r, const cJSON *item)
{
	struct glc_object *object = &r->kernel.objects[r->kernel.object_count];
	size_t before;

	if (!check_object(r, item, KEYS(array_keys)))
		return false;
	/* Only shared memory is limited. */
	if (strcmp(text(item, "kind"), "shared"))
		return true;
	*object = (struct glc_object){.kind = GLC_OBJECT_SHARED, .name = {"", 0}};
	if (!read_type(r, item, true, object))
		return false;
	before = go_to(r, "length", -1);
	if (!read_extent(r, get(item, "length"), &object->length))
		return false;
	go_back(r, before);
	r->kernel.object_count++;
	return true;
}

static bool read_length(struct reader *r, const cJSON *item)
{
	if (!check_object(r, item, KEYS(length_keys)) || !check_ptx_offset(r, item, 8))
		return false;
	for (uint32_t i = 0; i < r->kernel.object_count; i++) {
		struct glc_object *object = &r->kernel.objects[i];

		if (object->kind != GLC_OBJECT_BUFFER || strcmp(object->name.at, text(item, "buffer")))
			continue;
		/* In the order of the buffers, as they are passed. */
		for (uint32_t j = i; j < r->kernel.object_count; j++)
			if (r->kernel.objects[j].length_taken)
				return wrong_member(r, "buffer", "a buffer behind those before");
		object->length_taken = true;
		return true;
	}
	return wrong_member(r, "buffer", "the name of a buffer");
}

static bool read_workgroup(struct reader *r, const cJSON *item)
{
	uint32_t dimension = r->dimension++;

	if (!has_form(item, EXTENT))
		return WRONG(r, GLC_DV_RF_SHAPE, wanted[EXTENT]);
	return read_extent(r, item, &r->kernel.workgroup[dimension]);
}

/* -D: the values of specialization constants, before sizes are made of them. */
static bool define_all(struct reader *r)
{
	for (size_t i = 0; i < r->from->define_count; i++) {
		const struct glacier_define *define = &r->from->defines[i];
		struct glc_object *object = NULL;

		if (r->target == GLACIER_TARGET_PTX) {
			glc_fail(&r->relay.diag, GLC_DV_PTX_DEFINE, GLC_NOWHERE, define->name);
			return false;
		}
		for (uint32_t j = 0; j < r->kernel.object_count; j++)
			if (r->kernel.objects[j].kind == GLC_OBJECT_SPEC &&
			    !strcmp(r->kernel.objects[j].name.at, define->name))
				object = &r->kernel.objects[j];
		if (!object) {
			glc_fail(&r->relay.diag, GLC_DV_RF_DEFINE, GLC_NOWHERE, (int)r->kernel.name.bytes,
				 r->kernel.name.at, define->name);
			return false;
		}
		if (glacier_literal_read(glacier_type_find(glc_types[object->type].name), define->value,
					 &object->spec_bits, &r->relay.diag) != GLACIER_OK)
			return false;
	}
	return true;
}

static bool read_kernel(struct reader *r, const cJSON *item)
{
	const cJSON *subgroup = get(item, "subgroup");
	size_t most = (size_t)cJSON_GetArraySize(get(item, "params")) + (size_t)cJSON_GetArraySize(get(item, "arrays"));
	size_t before;

	if (most > MOST_PARAMETERS)
		return WRONG(r, GLC_DV_RF_SHAPE, "at most 256 parameters and arrays");
	r->kernel.push_bytes = number(item, "push_constant_bytes");
	if (r->kernel.push_bytes > MOST_PUSH_BYTES)
		return wrong_member(r, "push_constant_bytes", "a number up to 65536");
	r->kernel.objects = glc_bump(r->memory, (most + 1) * sizeof *r->kernel.objects);
	r->kernel.name.at = keep(r, text(item, "name"));
	if (!r->kernel.objects || !r->kernel.name.at) {
		glc_fail(&r->relay.diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
		return false;
	}
	r->kernel.name.bytes = (uint32_t)strlen(r->kernel.name.at);
	before = go_to(r, "symbols", -1);
	if (!check_object(r, get(item, "symbols"), KEYS(symbol_keys)))
		return false;
	go_back(r, before);
	r->symbol = keep(r, text(get(item, "symbols"), glacier_target_kind_name(r->target)));
	if (!r->symbol || !each(r, item, "params", read_parameter) || !define_all(r))
		return false;
	if (cJSON_GetArraySize(get(item, "workgroup")) != 3)
		return wrong_member(r, "workgroup", "an array of three sizes");
	if (!each(r, item, "workgroup", read_workgroup) || !each(r, item, "arrays", read_array) ||
	    !each(r, item, "ptx_lengths", read_length))
		return false;
	r->kernel.subgroup = cJSON_IsNull(subgroup) ? 0 : (uint32_t)subgroup->valuedouble;
	return true;
}

/* --- The document ---------------------------------------------------------- */

static bool read_document(struct reader *r, const cJSON *root, const char *name)
{
	const cJSON *kernels, *item, *chosen = NULL;
	int index = 0;
	size_t list;

	if (!check_object(r, root, KEYS(document_keys)))
		return false;
	if (strcmp(text(root, "schema"), "glacier-reflection") || number(root, "version") != 1)
		return WRONG(r, GLC_DV_RF_SCHEMA);
	kernels = get(root, "kernels");
	list = go_to(r, "kernels", -1);
	cJSON_ArrayForEach(item, kernels) {
		size_t before = go_to(r, "", index++);

		if (!check_object(r, item, KEYS(kernel_keys)))
			return false;
		go_back(r, before);
	}
	if (!name && cJSON_GetArraySize(kernels) != 1) {
		glc_fail(&r->relay.diag, GLC_DV_WHICH_KERNEL, GLC_NOWHERE, (unsigned)cJSON_GetArraySize(kernels));
		return false;
	}
	index = 0;
	cJSON_ArrayForEach(item, kernels) {
		if (!name || !strcmp(text(item, "name"), name)) {
			chosen = item;
			break;
		}
		index++;
	}
	if (!chosen) {
		glc_fail(&r->relay.diag, GLC_DV_NO_KERNEL, GLC_NOWHERE, name);
		return false;
	}
	go_to(r, "", index);
	if (!read_kernel(r, chosen))
		return false;
	go_back(r, list);
	return true;
}

static bool read_text(struct reader *r, const char *kernel)
{
	const struct glacier_text *document = &r->from->reflection;
	cJSON *root;
	bool good;

	if (document->size > GLC_MAX_JSON_BYTES) {
		glc_fail(&r->relay.diag, GLC_GA_JSON_LARGE, GLC_NOWHERE, document->size, (int)GLC_MAX_JSON_BYTES);
		return false;
	}
	if (!glc_json_scan(&r->relay.diag, document->text, document->size, 0))
		return false;
	root = cJSON_ParseWithLength(document->text, document->size);
	if (!root) {
		glc_fail(&r->relay.diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
		return false;
	}
	good = read_document(r, root, kernel);
	cJSON_Delete(root);
	return good;
}

enum glacier_status glc_prebuilt_read(const struct glacier_prebuilt *source, const char *kernel,
				      enum glacier_target_kind target, struct glacier_memory *memory, struct glc_ir *out, const char **symbol,
				      struct glacier_diag *diag)
{
	struct reader r = {
		.source = {source->reflection.name, source->reflection.text, source->reflection.size, 0},
		.memory = memory,
		.from = source,
		.target = target,
	};
	struct glc_kernel *copy;
	enum glacier_status status;
	bool good;

	r.map = (struct glc_source_map){.locate = locate, .context = &r};
	glc_relay_begin(&r.relay, diag, &r.map);
	good = read_text(&r, kernel);
	status = glc_relay_end(&r.relay);
	if (!good)
		return status != GLACIER_OK ? status : GLACIER_ERR_INVALID;
	copy = glc_bump(memory, sizeof *copy);
	if (!copy)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	*copy = r.kernel;
	*out = (struct glc_ir){.memory = memory, .kernels = copy, .kernel_count = 1};
	*symbol = r.symbol;
	return GLACIER_OK;
}
