/* SPDX-License-Identifier: MIT */
/*
 * A tree as JSON text. cJSON prints each number by trying digits until they read back, which
 * costs more than decoding the part did; nearly all numbers here are whole.
 */
#include "base/buf.h"
#include "dxbc/codec.h"

static void put_string(struct glc_writer *w, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	static const char from[] = "\b\f\n\r\t", to[] = "bfnrt";

	glc_putc(w, '"');
	for (;;) {
		const char *begin = text, *known;

		while ((unsigned char)*text >= 0x20 && *text != '"' && *text != '\\')
			text++;
		glc_put(w, begin, (size_t)(text - begin));
		if (!*text)
			break;
		glc_putc(w, '\\');
		known = strchr(from, *text);
		if (known) {
			glc_putc(w, to[known - from]);
		} else if ((unsigned char)*text < 0x20) {
			glc_puts(w, "u00");
			glc_putc(w, digits[*text >> 4]);
			glc_putc(w, digits[*text & 15]);
		} else {
			glc_putc(w, *text);
		}
		text++;
	}
	glc_putc(w, '"');
}

static void put_number(struct glc_writer *w, const cJSON *item)
{
	double value = item->valuedouble;
	char *text;

	/* A zero may have a sign. */
	if ((value >= 1 && value < 1e15 && value == (double)(uint64_t)value) || (value == 0 && 1 / value > 0)) {
		glc_need(w, 20);
		w->at = glc_decimal(w->at, (uint64_t)value);
		return;
	}
	text = cJSON_PrintUnformatted(item);
	if (text)
		glc_put(w, text, strlen(text));
	else
		w->failed = true;
	cJSON_free(text);
}

static void put_value(struct glc_writer *w, const cJSON *item)
{
	const cJSON *child;
	bool object = cJSON_IsObject(item);

	if (cJSON_IsNumber(item)) {
		put_number(w, item);
	} else if (cJSON_IsString(item)) {
		put_string(w, item->valuestring);
	} else if (cJSON_IsBool(item)) {
		if (cJSON_IsTrue(item))
			glc_puts(w, "true");
		else
			glc_puts(w, "false");
	} else if (object || cJSON_IsArray(item)) {
		glc_putc(w, object ? '{' : '[');
		cJSON_ArrayForEach(child, item) {
			if (child != item->child)
				glc_putc(w, ',');
			if (object) {
				put_string(w, child->string);
				glc_putc(w, ':');
			}
			put_value(w, child);
		}
		glc_putc(w, object ? '}' : ']');
	} else {
		glc_puts(w, "null");
	}
}

enum glacier_status glc_json_take(cJSON *tree, enum glacier_status status, struct glacier_buffer *buffer,
				  struct glacier_diag *diag)
{
	struct glc_writer w;

	if (status == GLACIER_OK) {
		glc_writer_begin(&w, buffer);
		put_value(&w, tree);
		if (!glc_writer_end(&w)) {
			glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
			status = GLACIER_ERR_NOMEM;
		}
	}
	cJSON_Delete(tree);
	return status;
}
