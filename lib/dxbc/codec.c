/* SPDX-License-Identifier: MIT */
#include "dxbc/codec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Failures ------------------------------------------------------------ */

void codec_report(struct codec *c, uint32_t at, const char *format, ...)
{
	char message[256];
	va_list args;

	if (c->failed)
		return;
	c->failed = true;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	if (c->encoding)
		glc_fail(c->diag, GLC_DX_JSON, GLC_NOWHERE, c->part, message);
	else
		glc_fail(c->diag, GLC_DX_PART_FORM, c->where + at, c->part, message);
}

static void no_memory(struct codec *c)
{
	if (!c->failed)
		glc_fail(c->diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
	c->failed = true;
}

/* Encoding: room for a field. A part of gigabytes is a mistake of the document. */
static bool grow(struct codec *c, uint64_t end)
{
	unsigned char *grown;
	uint64_t capacity;

	if (end <= c->bytes)
		return true;
	if (end > 0x40000000) {
		codec_fail(c, 0, "an offset or size is too large");
		return false;
	}
	if (end > c->capacity) {
		capacity = end < 256 ? 512 : end * 2;
		grown = realloc(c->data, capacity);
		if (!grown) {
			no_memory(c);
			return false;
		}
		memset(grown + c->capacity, 0, capacity - c->capacity);
		c->data = grown;
		c->capacity = (uint32_t)capacity;
	}
	c->bytes = (uint32_t)end;
	return true;
}

bool codec_need(struct codec *c, uint32_t at, uint32_t bytes, const char *what)
{
	if (c->failed)
		return false;
	if (c->encoding)
		return grow(c, (uint64_t)at + bytes);
	if (at <= c->bytes && bytes <= c->bytes - at) {
		for (uint32_t i = at; c->covered && i < at + bytes; i++)
			c->covered[i / 8] |= (unsigned char)(1 << i % 8);
		return true;
	}
	codec_fail(c, at <= c->bytes ? at : c->bytes, "%s at %" PRIu32 " takes %" PRIu32 " bytes, and the part has %" PRIu32,
		   what ? what : "a field", at, bytes, c->bytes);
	return false;
}

/* --- The tree ------------------------------------------------------------ */

bool codec_spend(struct codec *c, uint64_t bytes)
{
	c->shown += bytes;
	if (!c->failed && !c->encoding && c->shown > 32 * (uint64_t)c->bytes + 65536)
		codec_fail(c, 0, "its structures overlap so often that they tell more than 32 times its bytes");
	return !c->failed;
}

/* Whether a member is to be made. Where only the form is asked for, the same is spent, and nothing is made. */
static bool shows(struct codec *c)
{
	return codec_spend(c, 2) && c->node;
}

static void add(struct codec *c, const char *name, cJSON *item)
{
	if (!item || !cJSON_AddItemToObject(c->node, name, item)) {
		cJSON_Delete(item);
		no_memory(c);
	}
}

static cJSON *member(const struct codec *c, const char *name)
{
	return c->failed ? NULL : cJSON_GetObjectItemCaseSensitive(c->node, name);
}

/* Whole numbers that a double does not hold, and bits, are strings: "0x..." or decimal. */
static bool number_of(struct codec *c, const cJSON *item, const char *name, uint64_t most, uint64_t *value)
{
	char *end = NULL;
	bool good = true;

	errno = 0;
	*value = 0;
	if (!item)
		return true;
	if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble == floor(item->valuedouble) &&
	    item->valuedouble < 9007199254740993.0)
		*value = (uint64_t)item->valuedouble;
	else if (cJSON_IsString(item) && *item->valuestring >= '0' && *item->valuestring <= '9')
		*value = strtoull(item->valuestring, &end, 0);
	else
		good = false;
	if (!good || (end && errno == ERANGE) || (end && *end) || *value > most) {
		codec_fail(c, 0, "'%s' must be a whole number up to %" PRIu64, name, most);
		return false;
	}
	return true;
}

static cJSON *make_number(uint64_t value)
{
	char text[24];

	if (value < UINT64_C(9007199254740992))
		return cJSON_CreateNumber((double)value);
	snprintf(text, sizeof text, "0x%" PRIx64, value);
	return cJSON_CreateString(text);
}

bool codec_optional(struct codec *c, const char *name, bool present)
{
	return c->encoding ? member(c, name) != NULL : present;
}

void codec_note(struct codec *c, const char *name, const char *text)
{
	if (!c->encoding && shows(c))
		add(c, name, cJSON_CreateString(text));
}

void codec_note_number(struct codec *c, const char *name, double number)
{
	if (!c->encoding && shows(c))
		add(c, name, cJSON_CreateNumber(number));
}

void codec_nested(struct codec *c, codec_fn *fn, const char *name, unsigned char *data, uint32_t bytes, uint32_t at)
{
	struct codec inner = {
		.whole = c->whole,
		.part = c->part,
		.fourcc = c->fourcc,
		.diag = c->diag,
		.where = c->where + at,
		.data = data,
		.bytes = bytes,
		.node = c->node ? cJSON_AddObjectToObject(c->node, name) : NULL,
	};

	if (inner.node || !c->node)
		fn(&inner);
	else
		no_memory(c);
	c->failed = c->failed || inner.failed;
}

cJSON *codec_enter(struct codec *c, const char *name)
{
	cJSON *before = c->node, *inner;

	if (c->failed)
		return before;
	if (c->encoding) {
		inner = member(c, name);
		if (!cJSON_IsObject(inner)) {
			codec_fail(c, 0, "'%s' must be an object", name);
			return before;
		}
	} else {
		inner = c->node ? cJSON_AddObjectToObject(c->node, name) : NULL;
		if (!inner && c->node) {
			no_memory(c);
			return before;
		}
	}
	c->node = inner;
	return before;
}

cJSON *codec_enter_element(struct codec *c, const char *array, uint32_t index)
{
	cJSON *before = c->node, *list = member(c, array), *inner;

	if (c->failed)
		return before;
	if (c->encoding) {
		/* In order, one after the other, so that an array is walked once. */
		inner = index && c->list == list && c->index + 1 == index ? c->item->next
									   : cJSON_GetArrayItem(list, (int)index);
		if (!cJSON_IsObject(inner)) {
			codec_fail(c, 0, "'%s' must be an array of objects", array);
			return before;
		}
		c->list = list;
		c->item = inner;
		c->index = index;
	} else {
		if (!shows(c))
			return before;
		inner = cJSON_CreateObject();
		if (!inner || !cJSON_AddItemToArray(list, inner)) {
			cJSON_Delete(inner);
			no_memory(c);
			return before;
		}
	}
	c->node = inner;
	return before;
}

void codec_leave(struct codec *c, cJSON *before)
{
	c->node = before;
}

/* --- Numbers ------------------------------------------------------------- */

static uint64_t load(const struct codec *c, uint32_t at, uint32_t bytes)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < bytes; i++)
		value |= (uint64_t)c->data[at + i] << 8 * i;
	return value;
}

static void store(struct codec *c, uint32_t at, uint32_t bytes, uint64_t value)
{
	for (uint32_t i = 0; i < bytes; i++)
		c->data[at + i] = (unsigned char)(value >> 8 * i);
}

static uint64_t most_of(uint32_t bytes)
{
	return bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

static uint64_t number(struct codec *c, uint32_t at, uint32_t bytes, const char *name)
{
	uint64_t value = 0;

	if (!codec_need(c, at, bytes, name))
		return 0;
	if (!c->encoding) {
		value = load(c, at, bytes);
		if (name && shows(c))
			add(c, name, make_number(value));
	} else if (name && number_of(c, member(c, name), name, most_of(bytes), &value)) {
		store(c, at, bytes, value);
	}
	return value;
}

uint8_t codec_u8(struct codec *c, uint32_t at, const char *name)
{
	return (uint8_t)number(c, at, 1, name);
}

uint16_t codec_u16(struct codec *c, uint32_t at, const char *name)
{
	return (uint16_t)number(c, at, 2, name);
}

uint32_t codec_u32(struct codec *c, uint32_t at, const char *name)
{
	return (uint32_t)number(c, at, 4, name);
}

uint64_t codec_u64(struct codec *c, uint32_t at, const char *name)
{
	return number(c, at, 8, name);
}

void codec_reserved(struct codec *c, uint32_t at, uint32_t bytes, const char *name)
{
	uint64_t value = 0;

	if (!codec_need(c, at, bytes, name))
		return;
	if (c->encoding) {
		if (number_of(c, member(c, name), name, most_of(bytes), &value))
			store(c, at, bytes, value);
	} else if (load(c, at, bytes) && shows(c)) {
		add(c, name, make_number(load(c, at, bytes)));
	}
}

static const char *name_of(const struct codec_name *names, uint64_t value)
{
	for (; names && names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}

/* The number of a name, or of a number. */
static bool value_of(struct codec *c, const cJSON *item, const char *what, const struct codec_name *names, uint64_t most,
		     uint64_t *value)
{
	if (cJSON_IsString(item))
		for (const struct codec_name *n = names; n && n->name; n++)
			if (!strcmp(n->name, item->valuestring)) {
				*value = n->value;
				return true;
			}
	if (names && cJSON_IsString(item) && (*item->valuestring < '0' || *item->valuestring > '9')) {
		codec_fail(c, 0, "'%s' has no value '%s'", what, item->valuestring);
		return false;
	}
	return number_of(c, item, what, most, value);
}

static void add_named(struct codec *c, const char *name, uint64_t value, const struct codec_name *names)
{
	const char *known;

	if (!shows(c))
		return;
	known = name_of(names, value);
	add(c, name, known ? cJSON_CreateString(known) : make_number(value));
}

uint32_t codec_enum(struct codec *c, uint32_t at, uint32_t bytes, const char *name, const struct codec_name *names)
{
	uint64_t value = 0;

	if (!codec_need(c, at, bytes, name))
		return 0;
	if (c->encoding) {
		if (value_of(c, member(c, name), name, names, most_of(bytes), &value))
			store(c, at, bytes, value);
	} else {
		value = load(c, at, bytes);
		add_named(c, name, value, names);
	}
	return (uint32_t)value;
}

uint32_t codec_bits(struct codec *c, uint32_t at, uint32_t bytes, uint32_t shift, uint32_t width, const char *name,
		    const struct codec_name *names)
{
	uint64_t mask = (UINT64_C(1) << width) - 1, value = 0;

	if (!codec_need(c, at, bytes, name))
		return 0;
	if (c->encoding) {
		if (value_of(c, member(c, name), name, names, mask, &value))
			store(c, at, bytes, (load(c, at, bytes) & ~(mask << shift)) | value << shift);
	} else {
		value = load(c, at, bytes) >> shift & mask;
		add_named(c, name, value, names);
	}
	return (uint32_t)value;
}

/* Names of bits: those above 31 by their number, with the top bit set as a mark. */
static uint64_t bit_of(const struct codec_name *name)
{
	return name->value & 0x80000000u && name->value != 0x80000000u ? UINT64_C(1) << (name->value & 63) : name->value;
}

static void add_flags(struct codec *c, const char *name, uint64_t value, const struct codec_name *names)
{
	cJSON *list;
	char text[24];

	if (!c->node)
		return;
	list = cJSON_AddArrayToObject(c->node, name);
	for (; list && names->name; names++) {
		if (!(value & bit_of(names)))
			continue;
		value &= ~bit_of(names);
		if (!cJSON_AddItemToArray(list, cJSON_CreateString(names->name)))
			list = NULL;
	}
	snprintf(text, sizeof text, "0x%" PRIx64, value);
	if (list && value && !cJSON_AddItemToArray(list, cJSON_CreateString(text)))
		list = NULL;
	if (!list)
		no_memory(c);
}

uint64_t codec_flags(struct codec *c, uint32_t at, uint32_t bytes, const char *name, const struct codec_name *names)
{
	uint64_t value = 0, one;
	const cJSON *item, *list;

	if (!codec_need(c, at, bytes, name))
		return 0;
	if (!c->encoding) {
		value = load(c, at, bytes);
		add_flags(c, name, value, names);
		return value;
	}
	list = member(c, name);
	if (list && !cJSON_IsArray(list) && !number_of(c, list, name, most_of(bytes), &value))
		return 0;
	for (item = cJSON_IsArray(list) ? list->child : NULL; item; item = item->next) {
		const struct codec_name *n = names;

		while (n->name && !(cJSON_IsString(item) && !strcmp(n->name, item->valuestring)))
			n++;
		if (n->name)
			value |= bit_of(n);
		else if (number_of(c, item, name, most_of(bytes), &one))
			value |= one;
		else
			return 0;
	}
	store(c, at, bytes, value);
	return value;
}

/* A float that JSON can hold to the last bit is a number; NaNs and infinities are their bits. */
void codec_float(struct codec *c, uint32_t at, const char *name)
{
	uint32_t bits;
	uint64_t given;
	float value;
	char text[16];
	const cJSON *item;

	if (!codec_need(c, at, 4, name))
		return;
	if (!c->encoding) {
		if (!shows(c))
			return;
		bits = (uint32_t)load(c, at, 4);
		memcpy(&value, &bits, 4);
		snprintf(text, sizeof text, "0x%08" PRIx32, bits);
		add(c, name, isfinite(value) && !(bits == 0x80000000) ? cJSON_CreateNumber((double)value)
								      : cJSON_CreateString(text));
		return;
	}
	item = member(c, name);
	if (cJSON_IsNumber(item)) {
		value = (float)item->valuedouble;
		memcpy(&bits, &value, 4);
		store(c, at, 4, bits);
	} else if (number_of(c, item, name, UINT32_MAX, &given)) {
		store(c, at, 4, given);
	}
}

void codec_words(struct codec *c, uint32_t at, uint32_t n, const char *name)
{
	cJSON *list;
	const cJSON *item;
	uint64_t value;

	if (c->failed)
		return;
	if (!c->encoding) {
		if (n > UINT32_MAX / 4 || !codec_need(c, at, 4 * n, name))
			return;
		if (!codec_spend(c, 4 * (uint64_t)n) || !c->node)
			return;
		list = cJSON_AddArrayToObject(c->node, name);
		for (uint32_t i = 0; list && i < n; i++)
			if (!cJSON_AddItemToArray(list, cJSON_CreateNumber((double)load(c, at + 4 * i, 4))))
				list = NULL;
		if (!list)
			no_memory(c);
		return;
	}
	list = member(c, name);
	if (!codec_need(c, at, 4 * n, name))
		return;
	item = list ? list->child : NULL;
	for (uint32_t i = 0; i < n && item && !c->failed; i++, item = item->next)
		if (number_of(c, item, name, UINT32_MAX, &value))
			store(c, at + 4 * i, 4, value);
}

uint32_t codec_word_array(struct codec *c, uint32_t at, const char *name)
{
	uint32_t count = 0;

	if (!codec_need(c, at, 4, name))
		return at;
	if (c->encoding) {
		count = (uint32_t)cJSON_GetArraySize(member(c, name));
		store(c, at, 4, count);
	} else {
		count = (uint32_t)load(c, at, 4);
		if (count > (c->bytes - at - 4) / 4) {
			codec_fail(c, at, "%" PRIu32 " %s are claimed, and %" PRIu32 " bytes are left", count, name, c->bytes - at - 4);
			return at;
		}
	}
	codec_words(c, at + 4, count, name);
	return at + 4 + 4 * count;
}

void codec_constant(struct codec *c, uint32_t at, uint32_t bytes, uint32_t value, const char *what)
{
	if (!codec_need(c, at, bytes, what))
		return;
	if (c->encoding)
		store(c, at, bytes, value);
	else if (load(c, at, bytes) != value)
		codec_fail(c, at, "%s is %" PRIu64 ", not %" PRIu32, what, load(c, at, bytes), value);
}

/* --- Bytes --------------------------------------------------------------- */

static int hex_digit(char d)
{
	return d >= '0' && d <= '9' ? d - '0' : d >= 'a' && d <= 'f' ? d - 'a' + 10 : d >= 'A' && d <= 'F' ? d - 'A' + 10 : -1;
}

static cJSON *make_hex(const unsigned char *data, uint32_t bytes)
{
	char *text = malloc((size_t)bytes * 2 + 1);
	cJSON *item;

	if (!text)
		return NULL;
	for (uint32_t i = 0; i < bytes; i++) {
		text[2 * i] = "0123456789abcdef"[data[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[data[i] & 15];
	}
	text[2 * (size_t)bytes] = '\0';
	item = cJSON_CreateString(text);
	free(text);
	return item;
}

/* Stores the bytes of a hex string; false, told, when it is none. */
static bool store_hex(struct codec *c, uint32_t at, const cJSON *item, const char *name, uint32_t *bytes)
{
	const char *text = cJSON_GetStringValue(item);
	size_t length = text ? strlen(text) : 0;

	*bytes = 0;
	if (!item)
		return true;
	if (!text || length % 2 || length / 2 > UINT32_MAX / 4 || strspn(text, "0123456789abcdefABCDEF") != length) {
		codec_fail(c, 0, "'%s' must be bytes in hex", name);
		return false;
	}
	*bytes = (uint32_t)(length / 2);
	if (!codec_need(c, at, *bytes, name))
		return false;
	for (uint32_t i = 0; i < *bytes; i++)
		c->data[at + i] = (unsigned char)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
	return true;
}

void codec_hex(struct codec *c, uint32_t at, uint32_t bytes, const char *name)
{
	uint32_t given;

	if (!codec_need(c, at, c->encoding ? 0 : bytes, name))
		return;
	if (!c->encoding && !codec_spend(c, 2 * (uint64_t)bytes))
		return;
	if (!c->encoding) {
		if (shows(c))
			add(c, name, make_hex(c->data + at, bytes));
	} else if (store_hex(c, at, member(c, name), name, &given) && given > bytes) {
		codec_fail(c, at, "'%s' has %" PRIu32 " bytes where %" PRIu32 " belong", name, given, bytes);
	} else {
		codec_need(c, at, bytes, name);
	}
}

void codec_bulk(struct codec *c, uint32_t at, uint32_t bytes, const char *name)
{
	char text[40];

	if (c->encoding || c->whole) {
		codec_hex(c, at, bytes, name);
		return;
	}
	if (!codec_need(c, at, bytes, name) || !shows(c))
		return;
	snprintf(text, sizeof text, "%" PRIu32 " bytes", bytes);
	add(c, name, cJSON_CreateString(text));
}

/* Strings of people, as far as JSON goes: bytes that are no ASCII are kept as hex. */
static bool is_text(const unsigned char *at, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		if ((at[i] < 0x20 && at[i] != '\t' && at[i] != '\n' && at[i] != '\r') || at[i] >= 0x7f)
			return false;
	return true;
}

enum { KEY = 64 };

/* The name of a member that goes with another. */
static void join(char key[KEY], const char *name, const char *suffix)
{
	size_t bytes = strnlen(name, KEY - strlen(suffix) - 1);

	memcpy(key, name, bytes);
	memcpy(key + bytes, suffix, strlen(suffix) + 1);
}

uint32_t codec_string(struct codec *c, uint32_t at, const char *name)
{
	const unsigned char *end;
	const char *text;
	uint32_t bytes;
	char key[KEY];

	join(key, name, "_hex");
	if (c->failed)
		return 0;
	if (c->encoding) {
		const cJSON *item = member(c, name);

		if (!item && member(c, key)) {
			if (!store_hex(c, at, member(c, key), key, &bytes))
				return 0;
		} else {
			text = item ? cJSON_GetStringValue(item) : "";
			if (!text) {
				codec_fail(c, 0, "'%s' must be a string", name);
				return 0;
			}
			bytes = (uint32_t)strlen(text);
			if (!codec_need(c, at, bytes, name))
				return 0;
			memcpy(c->data + at, text, bytes);
		}
		return codec_need(c, at + bytes, 1, name) ? bytes + 1 : 0;
	}
	end = at < c->bytes ? memchr(c->data + at, 0, c->bytes - at) : NULL;
	if (!end) {
		codec_fail(c, at < c->bytes ? at : c->bytes, "the string '%s' at %" PRIu32 " does not end in the part", name, at);
		return 0;
	}
	bytes = (uint32_t)(end - (c->data + at));
	codec_need(c, at, bytes + 1, name);
	if (!codec_spend(c, bytes))
		return 0;
	if (!shows(c))
		return c->failed ? 0 : bytes + 1;
	if (is_text(c->data + at, bytes))
		add(c, name, cJSON_CreateString((const char *)c->data + at));
	else
		add(c, key, make_hex(c->data + at, bytes));
	return bytes + 1;
}

void codec_string_ref(struct codec *c, uint32_t at, uint32_t base, const char *name)
{
	uint32_t offset;
	char key[KEY];

	join(key, name, "_offset");
	offset = codec_u32(c, at, key);
	if (offset > UINT32_MAX - base)
		codec_fail(c, at, "the offset of '%s' is %" PRIu32, name, offset);
	else
		codec_string(c, base + offset, name);
}

/* --- Arrays -------------------------------------------------------------- */

uint32_t codec_elements(struct codec *c, uint32_t count, uint32_t first, uint32_t stride, const char *array)
{
	const cJSON *list;

	if (c->failed)
		return 0;
	if (c->encoding) {
		list = member(c, array);
		if (list && !cJSON_IsArray(list)) {
			codec_fail(c, 0, "'%s' must be an array", array);
			return 0;
		}
		return list ? (uint32_t)cJSON_GetArraySize(list) : 0;
	}
	if (count && stride && (first > c->bytes || count > (c->bytes - first) / stride)) {
		codec_fail(c, first < c->bytes ? first : c->bytes,
			   "%" PRIu32 " %s of %" PRIu32 " bytes from %" PRIu32 " on are claimed, and the part has %" PRIu32, count,
			   array, stride, first, c->bytes);
		return 0;
	}
	if (c->node && !cJSON_AddArrayToObject(c->node, array))
		no_memory(c);
	return count;
}

uint32_t codec_count(struct codec *c, uint32_t at, uint32_t first, uint32_t stride, const char *array)
{
	uint32_t count;

	if (!codec_need(c, at, 4, array))
		return 0;
	count = codec_elements(c, c->encoding ? 0 : (uint32_t)load(c, at, 4), first, stride, array);
	if (c->encoding && !c->failed)
		store(c, at, 4, count);
	return count;
}
