/* SPDX-License-Identifier: MIT */
#include "job.h"

#include "output.h"

#include <stdlib.h>
#include <string.h>

/* --- Building ------------------------------------------------------------------------- */

static void read_file(struct array *array, const char *path)
{
	struct npy npy;

	array->source = ARRAY_FILE;
	array->file = cli_read(path);
	if (cli_has_suffix(path, ".raw"))
		return;
	npy_parse(&array->file, &npy);
	array->offset = npy.offset;
	array->type = npy.type;
	array->shape = npy.shape;
}

size_t job_add_array(struct job *job, const char *name, const char *text)
{
	struct array array = {.name = cli_strdup(name), .text = cli_strdup(text)};

	if (*text == '@') {
		read_file(&array, text + 1);
	} else {
		array.source = ARRAY_GENERATOR;
		generator_parse(name, text, &array.generator);
		if (array.generator.type != GLACIER_VOID)
			array_decide(&array, array.generator.type);
	}
	job->arrays = cli_realloc(job->arrays, (job->array_count + 1) * sizeof *job->arrays);
	job->arrays[job->array_count] = array;
	return job->array_count++;
}

struct launch *job_add_launch(struct job *job)
{
	struct launch *launch;

	job->launches = cli_realloc(job->launches, (job->launch_count + 1) * sizeof *job->launches);
	launch = &job->launches[job->launch_count++];
	*launch = (struct launch){0};
	return launch;
}

struct value *job_add_value(struct launch *launch, const char *name)
{
	struct value *value;

	launch->values = cli_realloc(launch->values, (launch->value_count + 1) * sizeof *launch->values);
	value = &launch->values[launch->value_count++];
	*value = (struct value){.name = cli_strdup(name)};
	return value;
}

void job_add_define(struct launch *launch, const char *name, char *value)
{
	launch->defines = cli_realloc(launch->defines, (launch->define_count + 1) * sizeof *launch->defines);
	launch->defines[launch->define_count++] = (struct glacier_define){cli_strdup(name), value};
}

void job_add_output(struct job *job, const char *array, const char *text)
{
	job->outputs = cli_realloc(job->outputs, (job->output_count + 1) * sizeof *job->outputs);
	output_parse(&job->outputs[job->output_count++], array, text);
}

size_t job_find_array(const struct job *job, const char *name)
{
	for (size_t i = 0; i < job->array_count; i++)
		if (!strcmp(job->arrays[i].name, name))
			return i;
	return SIZE_MAX;
}

void array_decide(struct array *array, enum glacier_type type)
{
	uint64_t elems = array->generator.elems;

	array->type = type;
	if (array->source == ARRAY_FILE) {
		if (array->file.size % types[type].bytes)
			cli_wrong("%s: %zu bytes are no whole number of %s", array->file.name, array->file.size,
				  glacier_type_name(type));
		elems = array->file.size / types[type].bytes;
	}
	shape_add(&array->shape, elems);
}

void job_add_missing_outputs(struct job *job)
{
	for (size_t i = 0; i < job->output_count; i++) {
		const struct output *output = &job->outputs[i];
		struct array *array;
		size_t index;

		if (output->type == GLACIER_VOID || job_find_array(job, output->array) != SIZE_MAX)
			continue;
		index = job_add_array(job, output->array, ":zeros:0");
		array = &job->arrays[index];
		array->implied = true;
		array->generator.elems = output->shape.elems;
		array->type = output->type;
		array->shape = output->shape;
	}
}

/* --- The command line as a job --------------------------------------------------------- */

void job_from_options(struct job *job, const struct options *options)
{
	struct launch *launch;

	*job = (struct job){0};
	launch = job_add_launch(job);
	launch->file = cli_strdup(options->file);
	launch->reflect = options->reflect ? cli_strdup(options->reflect) : NULL;
	launch->kernel = options->kernel ? cli_strdup(options->kernel) : NULL;
	memcpy(launch->size, options->size, sizeof launch->size);
	launch->in_invocations = options->in_invocations;
	launch->has_size = options->has_size;
	for (size_t i = 0; i < options->defines.count; i++)
		job_add_define(launch, options->defines.at[i].name, cli_strdup(options->defines.at[i].value));

	for (size_t i = 0; i < options->values.count; i++) {
		const char *name = options->values.at[i].name, *text = options->values.at[i].value;
		struct value *value;

		for (size_t j = 0; j < launch->value_count; j++)
			if (!strcmp(launch->values[j].name, name))
				cli_bad_usage("%s is given twice", name);
		value = job_add_value(launch, name);
		if (*text == '@' || *text == ':')
			value->array = job_add_array(job, name, text);
		else
			value->literal = cli_strdup(text);
	}
	for (size_t i = 0; i < options->outputs.count; i++)
		job_add_output(job, options->outputs.at[i].name, options->outputs.at[i].value);
	job_add_missing_outputs(job);
	/* They are arguments as if they had been given. */
	for (size_t i = 0; i < job->array_count; i++) {
		bool given = false;

		for (size_t j = 0; j < launch->value_count; j++)
			given |= !strcmp(launch->values[j].name, job->arrays[i].name);
		if (!given)
			job_add_value(launch, job->arrays[i].name)->array = i;
	}
}

void job_fini(struct job *job)
{
	for (size_t i = 0; i < job->array_count; i++) {
		free(job->arrays[i].name);
		free(job->arrays[i].text);
		cli_release(&job->arrays[i].file);
	}
	for (size_t i = 0; i < job->launch_count; i++) {
		struct launch *launch = &job->launches[i];

		for (size_t j = 0; j < launch->value_count; j++) {
			free(launch->values[j].name);
			free(launch->values[j].literal);
		}
		for (size_t j = 0; j < launch->define_count; j++) {
			free((char *)launch->defines[j].name);
			free((char *)launch->defines[j].value);
		}
		free(launch->values);
		free(launch->file);
		free(launch->reflect);
		free(launch->kernel);
		free(launch->defines);
		free(launch->arguments);
		free(launch->argument_arrays);
	}
	for (size_t i = 0; i < job->output_count; i++)
		output_fini(&job->outputs[i]);
	free(job->arrays);
	free(job->launches);
	free(job->outputs);
}
