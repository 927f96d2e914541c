/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include <cjson/cJSON.h>
#include <glacier/spirv.h>

#include <stdlib.h>
#include <string.h>

static enum glacier_status read_module(struct kernel_file *kernel, const struct launch *launch)
{
	struct glacier_text text = {kernel->file.name, kernel->file.data, kernel->file.size};
	struct glacier_read_options read = {
		.defines = launch->defines,
		.define_count = launch->define_count,
		.include = include_find,
		.include_user = &kernel->includes,
	};
	struct glacier_stream_options stream = {0};
	enum glacier_status status;

	if (cli_has_suffix(launch->file, ".stream.json")) {
		if (launch->define_count)
			cli_bad_usage("-D %s: a stream has no spec constants", launch->defines[0].name);
		stream.name = cli_kernel_name(launch->file);
		status = glacier_module_read_stream(kernel->module, &text, &stream, &kernel->diag);
		free((char *)stream.name);
		return status;
	}
	if (cli_has_suffix(launch->file, ".json"))
		return glacier_module_read_json(kernel->module, &text, &read, &kernel->diag);
	return glacier_module_read_text(kernel->module, &text, &read, &kernel->diag);
}

/* The name of the only kernel, for messages; with several, which there are. */
static void name_kernel(struct launch *launch)
{
	struct glacier_buffer reflection = {0};
	const cJSON *kernels, *item;
	char names[1024] = "";
	size_t used = 0;
	cJSON *root;

	if (glacier_module_reflect(launch->read->module, &reflection) != GLACIER_OK)
		cli_die("out of memory");
	root = cJSON_ParseWithLength((const char *)reflection.data, reflection.size);
	kernels = cJSON_GetObjectItemCaseSensitive(root, "kernels");
	if (!cJSON_IsArray(kernels))
		cli_die("out of memory");
	cJSON_ArrayForEach(item, kernels) {
		const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));

		if (name && used < sizeof names)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
	}
	if (cJSON_GetArraySize(kernels) > 1)
		cli_bad_usage("%s: which kernel? -k takes one of %s", launch->file, names);
	launch->kernel = cli_strdup(names);
	cJSON_Delete(root);
	glacier_buffer_fini(&reflection);
}

static bool is_code(const char *path)
{
	return cli_has_suffix(path, ".spv") || cli_has_suffix(path, ".ptx");
}

/* Whether the file is the one that there is a reflection for. */
static void check_reflection(const struct launch *launch)
{
	if (is_code(launch->file) && !launch->reflect)
		cli_bad_usage("%s: what do its kernels take? gc-asm --reflect writes it, for --reflect=FILE", launch->file);
	if (!is_code(launch->file) && launch->reflect)
		cli_bad_usage("%s: only a .spv or .ptx needs a reflection", launch->file);
}

bool kernels_are_prebuilt(const struct job *job)
{
	for (size_t i = 0; i < job->launch_count; i++)
		if (is_code(job->launches[i].file))
			return true;
	return false;
}

/* Drivers trust what they are given, and end the process where it is wrong. */
static enum glacier_status check_spirv(struct kernel_file *kernel)
{
	struct glacier_memory memory;
	enum glacier_status status;

	glacier_memory_init(&memory, NULL, 0);
	status = glacier_spirv_validate(&memory, kernel->file.data, kernel->file.size, NULL, &kernel->diag);
	glacier_memory_fini(&memory);
	return status;
}

enum glacier_status kernels_pipeline(struct launch *launch, struct glacier_device *device, const struct options *options,
				     struct glacier_pipeline **out)
{
	struct kernel_file *kernel = launch->read;
	const struct glacier_prebuilt prebuilt = {
		.code = kernel->file.data,
		.code_bytes = kernel->file.size,
		.reflection = {kernel->reflection.name, kernel->reflection.data, kernel->reflection.size},
		.defines = launch->defines,
		.define_count = launch->define_count,
	};
	enum glacier_status status;

	if (kernel->module)
		return glacier_pipeline_get(device, kernel->module, launch->kernel, &options->write, out, &kernel->diag);
	if (cli_has_suffix(launch->file, ".spv") && glacier_device_describe(device)->kind == GLACIER_DEVICE_VULKAN) {
		status = check_spirv(kernel);
		if (status)
			return status;
	}
	status = glacier_pipeline_get_prebuilt(device, &prebuilt, launch->kernel, out, &kernel->diag);
	if (status == GLACIER_OK && !launch->kernel)
		launch->kernel = cli_strdup(glacier_pipeline_kernel(*out));
	return status;
}

void kernels_read(struct job *job, const struct options *options)
{
	for (size_t i = 0; i < job->launch_count; i++) {
		struct launch *launch = &job->launches[i];
		struct kernel_file *kernel;

		check_reflection(launch);
		kernel = cli_alloc(sizeof *kernel);
		*kernel = (struct kernel_file){.file = cli_read(launch->file)};
		launch->read = kernel;
		kernel->diag = options_diag(options, &kernel->file);
		if (launch->reflect) {
			if (options->dump)
				cli_bad_usage("--dump shows the code of a kernel, and %s is code", launch->file);
			kernel->reflection = cli_read(launch->reflect);
			continue;
		}
		if (glacier_module_create(NULL, &kernel->module) != GLACIER_OK)
			cli_die("out of memory");
		if (read_module(kernel, launch) != GLACIER_OK)
			cli_exit(CLI_WRONG);
		if (!launch->kernel && !options->dump)
			name_kernel(launch);
	}
}

void kernels_fini(struct job *job)
{
	for (size_t i = 0; i < job->launch_count; i++) {
		struct kernel_file *kernel = job->launches[i].read;

		if (!kernel)
			continue;
		glacier_module_destroy(kernel->module);
		includes_fini(&kernel->includes);
		cli_release(&kernel->file);
		cli_release(&kernel->reflection);
		free(kernel);
	}
}

void kernels_dump(const struct job *job, const struct options *options)
{
	struct kernel_file *kernel = job->launches[0].read;
	struct glacier_buffer code = {0};
	struct glacier_target target;

	if (glacier_target_parse(options->dump, &target, &kernel->diag) != GLACIER_OK)
		cli_bad_usage(NULL);
	if (glacier_module_write(kernel->module, &target, &options->write, &code, &kernel->diag) != GLACIER_OK)
		cli_exit(CLI_WRONG);
	if (!cli_stage(NULL, code.data, code.size, target.kind == GLACIER_TARGET_SPIRV) || !cli_commit())
		cli_exit(CLI_TROUBLE);
	glacier_buffer_fini(&code);
}
