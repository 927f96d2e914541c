/* SPDX-License-Identifier: MIT */
/* What the tests of the Vulkan device share: every step or the end of the test. */
#ifndef TESTS_DEVICE_VK_H
#define TESTS_DEVICE_VK_H

#include <glacier/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...) \
	do { \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
		fprintf(stderr, __VA_ARGS__); \
		fputc('\n', stderr); \
		exit(1); \
	} while (0)

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			FAIL("not so: %s", #condition); \
	} while (0)

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The first diagnostic that the last call gave. */
static char last_code[8], last_message[512];

static inline void note_diagnostic(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	if (last_code[0])
		return;
	snprintf(last_code, sizeof last_code, "%s", diagnostic->code ? diagnostic->code : "");
	snprintf(last_message, sizeof last_message, "%s", diagnostic->message);
}

static inline struct glacier_diag *quiet(void)
{
	static struct glacier_diag diag;

	diag = (struct glacier_diag){.report = note_diagnostic};
	last_code[0] = last_message[0] = '\0';
	return &diag;
}

#define OK(call) \
	do { \
		enum glacier_status ok_ = (call); \
		if (ok_ != GLACIER_OK) \
			FAIL("%s: %s: %s [%s]", #call, glacier_status_name(ok_), last_message, last_code); \
	} while (0)

/* The call is refused with this code, and its message has these words. */
#define REFUSED(call, code, words) \
	do { \
		if ((call) == GLACIER_OK) \
			FAIL("%s: accepted", #call); \
		if (strcmp(last_code, code) || !strstr(last_message, words)) \
			FAIL("%s: %s [%s], not %s with '%s'", #call, last_message, last_code, code, words); \
	} while (0)

/* The first Vulkan device; without one the test is skipped. */
static inline struct glacier_device *open_vulkan_with(const struct glacier_device_options *options)
{
	struct glacier_device *device;
	enum glacier_status status = glacier_device_open(GLACIER_DEVICE_VULKAN, 0, options, &device, quiet());

	if (status == GLACIER_ERR_UNAVAILABLE) {
		printf("SKIP: %s\n", last_message);
		exit(77);
	}
	if (status != GLACIER_OK)
		FAIL("vulkan:0 cannot be opened: %s [%s]", last_message, last_code);
	return device;
}

static inline struct glacier_device *open_vulkan(bool no_host_wrap)
{
	return open_vulkan_with(&(const struct glacier_device_options){.no_host_wrap = no_host_wrap, .timed = true});
}

static inline struct glacier_module *read_module(const char *text)
{
	const struct glacier_text input = {.text = text, .size = strlen(text)};
	struct glacier_module *module;

	OK(glacier_module_create(NULL, &module));
	OK(glacier_module_read_text(module, &input, NULL, quiet()));
	return module;
}

/* The pipeline of a text's only kernel. */
static inline struct glacier_pipeline *pipeline_of(struct glacier_device *device, const char *text)
{
	struct glacier_module *module = read_module(text);
	struct glacier_pipeline *pipeline;

	OK(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()));
	glacier_module_destroy(module);
	return pipeline;
}

static inline struct glacier_array *create(struct glacier_device *device, uint64_t bytes)
{
	struct glacier_array *array;

	OK(glacier_array_create(device, bytes, &array, quiet()));
	return array;
}

static inline struct glacier_array *wrap(struct glacier_device *device, void *base, uint64_t bytes)
{
	struct glacier_array *array;

	OK(glacier_array_wrap(device, base, bytes, false, &array, quiet()));
	return array;
}

static inline void *host(struct glacier_array *array, bool writing)
{
	void *at = glacier_array_host(array, writing, quiet());

	if (!at)
		FAIL("no host bytes: %s [%s]", last_message, last_code);
	return at;
}

static inline struct glacier_device_counts counts_of(const struct glacier_device *device)
{
	struct glacier_device_counts counts;

	glacier_device_count(device, &counts);
	return counts;
}

#define LAUNCH(pipeline, x, ...) \
	OK(glacier_launch(pipeline, (const struct glacier_argument[]){__VA_ARGS__}, \
			  COUNT(((const struct glacier_argument[]){__VA_ARGS__})), \
			  (const uint32_t[3]){x, 1, 1}, quiet()))

#endif
