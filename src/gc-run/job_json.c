/* SPDX-License-Identifier: MIT */
/*
 * --job: {"arrays":{"x":"@x.npy"},
 *	   "launches":[{"file":"k.gasm","kernel":"saxpy","groups":[4096],"args":{"x":"x","a":2.5}}],
 *	   "outputs":{"x":"x.npy"}}
 * Read strictly: an unknown or repeated key is a mistake, and is named by its path.
 */
#include "job.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *job_path;

#define WRONG(format, ...) cli_wrong("%s: " format, job_path, __VA_ARGS__)

enum { MOST_KEYS = 4096 };  /* of an object: each is compared with all others */

static void check_repeated(const cJSON *object, const char *where)
{
	if (cJSON_GetArraySize(object) > MOST_KEYS)
		WRONG("%s: more than %d keys", where, MOST_KEYS);
	for (const cJSON *a = object->child; a; a = a->next)
		for (const cJSON *b = a->next; b; b = b->next)
			if (!strcmp(a->string, b->string))
				WRONG("%s: '%s' stands twice", where, a->string);
}

/* keys: separated by spaces, one at each end. */
static void check_object(const cJSON *object, const char *where, const char *keys)
{
	char key[64];

	if (!cJSON_IsObject(object))
		WRONG("%s is no object", where);
	for (const cJSON *item = object->child; item && keys; item = item->next) {
		snprintf(key, sizeof key, " %s ", item->string);
		if (!strstr(keys, key))
			WRONG("%s: there is no key '%s'", where, item->string);
	}
	check_repeated(object, where);
}

static const char *text_of(const cJSON *item, const char *where, const char *key)
{
	if (!cJSON_IsString(item) || !*item->valuestring)
		WRONG("%s.%s: a string is wanted", where, key);
	return item->valuestring;
}

static void read_arrays(struct job *job, const cJSON *arrays)
{
	if (!arrays)
		return;
	check_object(arrays, "arrays", NULL);
	for (const cJSON *item = arrays->child; item; item = item->next) {
		const char *text = text_of(item, "arrays", item->string);

		if (*text != '@' && *text != ':')
			WRONG("arrays.%s: '%s' is neither @FILE nor a generator", item->string, text);
		job_add_array(job, item->string, text);
	}
}

static void read_size(struct launch *launch, const cJSON *size, const char *where)
{
	int count = cJSON_IsArray(size) ? cJSON_GetArraySize(size) : 0;

	if (launch->has_size)
		WRONG("%s: groups and global stand both", where);
	if (count < 1 || count > 3)
		WRONG("%s.%s: one to three numbers are wanted", where, size->string);
	for (int i = 0; i < 3; i++) {
		const cJSON *item = i < count ? cJSON_GetArrayItem(size, i) : NULL;
		double value = item ? item->valuedouble : 1;

		if ((item && !cJSON_IsNumber(item)) || !(value >= 1 && value <= UINT32_MAX) || value != floor(value))
			WRONG("%s.%s[%d]: a whole number from 1 to %u is wanted", where, size->string, i, UINT32_MAX);
		launch->size[i] = (uint32_t)value;
	}
	launch->has_size = true;
	launch->in_invocations = !strcmp(size->string, "global");
}

/* A number or truth value as a literal of the language; free it. */
static char *spell_literal(const cJSON *item, const char *where)
{
	char text[32];

	if (cJSON_IsBool(item))
		return cli_strdup(cJSON_IsTrue(item) ? "true" : "false");
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
		WRONG("%s.%s: a number, true, false, a literal as a string or an array's name is wanted", where,
		      item->string);
	if (item->valuedouble == floor(item->valuedouble) && fabs(item->valuedouble) <= 0x1p53)
		snprintf(text, sizeof text, "%.0f", item->valuedouble);
	else if (item->valuedouble == floor(item->valuedouble))
		WRONG("%s.%s: write a whole number beyond 2^53 as a string", where, item->string);
	else
		cli_spell_real(item->valuedouble, text);
	return cli_strdup(text);
}

static void read_arguments(struct job *job, struct launch *launch, const cJSON *arguments, const char *launch_path)
{
	char where[64];

	snprintf(where, sizeof where, "%s.args", launch_path);
	check_object(arguments, where, NULL);
	for (const cJSON *item = arguments->child; item; item = item->next) {
		struct value *value = job_add_value(launch, item->string);
		size_t array = cJSON_IsString(item) ? job_find_array(job, item->valuestring) : SIZE_MAX;

		if (array != SIZE_MAX)
			value->array = array;
		else if (cJSON_IsString(item))
			value->literal = cli_strdup(item->valuestring);
		else
			value->literal = spell_literal(item, where);
	}
}

static void read_defines(struct launch *launch, const cJSON *defines, const char *launch_path)
{
	char where[64];
	const cJSON *item;

	snprintf(where, sizeof where, "%s.defines", launch_path);
	check_object(defines, where, NULL);
	cJSON_ArrayForEach(item, defines)
		job_add_define(launch, item->string,
			       cJSON_IsString(item) ? cli_strdup(item->valuestring) : spell_literal(item, where));
}

static void read_launch(struct job *job, const cJSON *item, size_t index)
{
	struct launch *launch = job_add_launch(job);
	const cJSON *part;
	char where[32];

	snprintf(where, sizeof where, "launches[%zu]", index);
	check_object(item, where, " file reflect kernel groups global args defines ");
	launch->file = cli_strdup(text_of(cJSON_GetObjectItemCaseSensitive(item, "file"), where, "file"));
	part = cJSON_GetObjectItemCaseSensitive(item, "reflect");
	if (part)
		launch->reflect = cli_strdup(text_of(part, where, "reflect"));
	part = cJSON_GetObjectItemCaseSensitive(item, "kernel");
	if (part)
		launch->kernel = cli_strdup(text_of(part, where, "kernel"));
	for (part = item->child; part; part = part->next)
		if (!strcmp(part->string, "groups") || !strcmp(part->string, "global"))
			read_size(launch, part, where);
	if (!launch->has_size)
		WRONG("%s: groups or global is missing", where);
	part = cJSON_GetObjectItemCaseSensitive(item, "args");
	if (part)
		read_arguments(job, launch, part, where);
	part = cJSON_GetObjectItemCaseSensitive(item, "defines");
	if (part)
		read_defines(launch, part, where);
}

void job_from_file(struct job *job, const char *path)
{
	struct cli_file file = cli_read(path);
	const cJSON *launches, *outputs, *item;
	const char *end = NULL;
	size_t index = 0;
	cJSON *root;

	*job = (struct job){0};
	job_path = file.name;
	root = cJSON_ParseWithLengthOpts(file.data, file.size, &end, false);
	if (!root)
		WRONG("no JSON, from byte %zu on", end ? (size_t)(end - (const char *)file.data) : 0);
	while (end < (const char *)file.data + file.size)
		if (!strchr(" \t\r\n", *end++))
			WRONG("something stands behind the document, at byte %zu",
			      (size_t)(end - 1 - (const char *)file.data));
	check_object(root, "the job", " arrays launches outputs ");
	read_arrays(job, cJSON_GetObjectItemCaseSensitive(root, "arrays"));
	outputs = cJSON_GetObjectItemCaseSensitive(root, "outputs");
	if (outputs) {
		check_object(outputs, "outputs", NULL);
		cJSON_ArrayForEach(item, outputs)
			job_add_output(job, item->string, text_of(item, "outputs", item->string));
	}
	job_add_missing_outputs(job);
	launches = cJSON_GetObjectItemCaseSensitive(root, "launches");
	if (!cJSON_IsArray(launches) || !launches->child)
		WRONG("%s", "launches: an array of at least one launch is wanted");
	cJSON_ArrayForEach(item, launches)
		read_launch(job, item, index++);
	cJSON_Delete(root);
	cli_release(&file);
}
