/* SPDX-License-Identifier: MIT */
#include "arguments.h"

#include "kernels.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- What the kernel takes, for people -------------------------------------------------- */

static const char *access_name(const struct glacier_parameter *parameter)
{
	return parameter->reads && parameter->writes ? "readwrite" : parameter->writes ? "write" : "read";
}

static void print_signature(FILE *out, const struct launch *launch, const struct glacier_pipeline *pipeline)
{
	struct glacier_parameter parameter;
	uint32_t size[3];

	fprintf(out, "kernel %s(", launch->kernel);
	for (size_t i = 0; glacier_pipeline_parameter(pipeline, i, &parameter); i++) {
		fprintf(out, "%s@%s: ", i ? ", " : "", parameter.name);
		if (parameter.is_buffer)
			fprintf(out, "buffer %s %s", parameter.type, access_name(&parameter));
		else
			fprintf(out, "%s", parameter.type);
	}
	glacier_pipeline_workgroup(pipeline, size);
	fprintf(out, ") workgroup %u", size[0]);
	for (int i = 1; i < 3 && (size[1] > 1 || size[2] > 1); i++)
		fprintf(out, " %u", size[i]);
	fputc('\n', out);
}

static const struct value *find_value(const struct launch *launch, const char *name)
{
	for (size_t i = 0; i < launch->value_count; i++)
		if (!strcmp(launch->values[i].name, name))
			return &launch->values[i];
	return NULL;
}

/* A command that runs as it stands: what was given, and generators for the rest. */
static void print_command(FILE *out, const struct job *job, const struct launch *launch,
			  const struct glacier_pipeline *pipeline)
{
	enum { ELEMS = 1024 };
	struct glacier_parameter parameter;
	bool standard_output = true;

	fprintf(out, "try: gc-run %s", launch->file);
	if (launch->reflect)
		fprintf(out, " --reflect=%s", launch->reflect);
	fprintf(out, " -k %s", launch->kernel);
	if (launch->has_size)
		fprintf(out, " %s=%u,%u,%u", launch->in_invocations ? "--global" : "--groups", launch->size[0],
			launch->size[1], launch->size[2]);
	else
		fprintf(out, " --global=%d", ELEMS);
	for (size_t i = 0; glacier_pipeline_parameter(pipeline, i, &parameter); i++) {
		const struct value *value = find_value(launch, parameter.name);
		bool is_float = types[glacier_type_find(parameter.type)].klass == TYPE_FLOAT;
		bool output_alone = parameter.writes && !parameter.reads && !value;

		if (value)
			fprintf(out, " %s=%s", value->name,
				value->literal ? value->literal : job->arrays[value->array].text);
		else if (!parameter.is_buffer)
			fprintf(out, " %s=%s", parameter.name,
				is_float ? "0.5" : !strcmp(parameter.type, "bool") ? "true" : "1024");
		else if (!output_alone)
			fprintf(out, " %s=:%s:%d", parameter.name, is_float ? "uniform" : "iota", ELEMS);
		if (!parameter.writes)
			continue;
		/* Quoted: to a shell, brackets are a pattern. */
		fprintf(out, " -o '%s=%s%s", parameter.name, standard_output ? "-" : parameter.name,
			standard_output ? "" : ".npy");
		if (output_alone)
			fprintf(out, ":%s[%d]", parameter.type, ELEMS);
		fputc('\'', out);
		standard_output = false;
	}
	fputc('\n', out);
}

/* The message was given; now what to do about it. */
static _Noreturn void explain(const struct job *job, const struct launch *launch,
			      const struct glacier_pipeline *pipeline, bool with_command)
{
	if (!cli.json_diagnostics) {
		cli_begin_message();
		print_signature(stderr, launch, pipeline);
		if (with_command)
			print_command(stderr, job, launch, pipeline);
	}
	cli_exit(CLI_TROUBLE);
}

/* --- Resolving -------------------------------------------------------------------------- */

static bool find_parameter(const struct glacier_pipeline *pipeline, const char *name,
			   struct glacier_parameter *parameter)
{
	for (size_t i = 0; glacier_pipeline_parameter(pipeline, i, parameter); i++)
		if (!strcmp(parameter->name, name))
			return true;
	return false;
}

static void check_names(const struct job *job, const struct launch *launch, const struct glacier_pipeline *pipeline,
			const struct options *options)
{
	struct glacier_parameter parameter;
	char missing[1024] = "";
	size_t used = 0, count = 0;

	for (size_t i = 0; i < launch->value_count; i++) {
		if (find_parameter(pipeline, launch->values[i].name, &parameter))
			continue;
		cli_error("%s: the kernel has no parameter named %s", launch->file, launch->values[i].name);
		explain(job, launch, pipeline, false);
	}
	for (size_t i = 0; glacier_pipeline_parameter(pipeline, i, &parameter); i++) {
		if (find_value(launch, parameter.name))
			continue;
		if (used < sizeof missing)
			used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s", count ? ", " : "",
						 parameter.name);
		count++;
	}
	if (!count)
		return;
	cli_error("%s: without a value: %s", launch->file, missing);
	explain(job, launch, pipeline, !options->job);
}

static void bind_array(struct job *job, const struct launch *launch, const struct value *value,
		       const struct glacier_parameter *parameter, struct glacier_argument *argument, size_t *index)
{
	enum glacier_type type = glacier_type_find(parameter->type);
	struct array *array = &job->arrays[value->array];

	if (!parameter->is_buffer)
		cli_wrong("%s: @%s is a scalar of type %s: %s=%s is no literal", launch->file, parameter->name,
			  parameter->type, value->name, array->text);
	if (array->type == GLACIER_VOID)
		array_decide(array, type);
	if (array->type != type)
		cli_wrong("%s: @%s is a buffer of %s, and %s holds %s", launch->file, parameter->name,
			  parameter->type, array->source == ARRAY_FILE ? array->file.name : array->text,
			  glacier_type_name(array->type));
	array->written |= parameter->writes;
	*index = value->array;
	*argument = (struct glacier_argument){.name = value->name};
}

/* A sink that keeps the message: it becomes part of one that says whose value is wrong. */
static void keep_message(void *user, const struct glacier_diagnostic *diagnostic)
{
	char **kept = user;

	free(*kept);
	*kept = cli_strdup(diagnostic->message);
}

static void bind_literal(const struct launch *launch, const struct value *value,
			 const struct glacier_parameter *parameter, struct glacier_argument *argument)
{
	char *fault = NULL;
	struct glacier_diag diag = {.report = keep_message, .user = &fault};

	if (parameter->is_buffer)
		cli_wrong("%s: @%s is a buffer of %s: it takes @FILE or a generator, as %s=:zeros:1024, not %s",
			  launch->file, parameter->name, parameter->type, value->name, value->literal);
	*argument = (struct glacier_argument){.name = value->name};
	if (glacier_literal_read(glacier_type_find(parameter->type), value->literal, &argument->bits, &diag) !=
	    GLACIER_OK)
		cli_wrong("%s: @%s is a scalar of type %s: %s", launch->file, parameter->name, parameter->type, fault);
}

static void set_groups(struct launch *launch, const struct glacier_pipeline *pipeline)
{
	uint32_t size[3];

	if (!launch->has_size)
		cli_bad_usage("how many workgroups? Give -g X[,Y[,Z]], or --global for invocations");
	glacier_pipeline_workgroup(pipeline, size);
	for (int i = 0; i < 3; i++) {
		launch->groups[i] = launch->size[i];
		if (launch->in_invocations)
			launch->groups[i] = launch->size[i] / size[i] + (launch->size[i] % size[i] != 0);
	}
}

void arguments_resolve(struct job *job, struct launch *launch, const struct glacier_pipeline *pipeline,
		       const struct options *options)
{
	struct glacier_parameter parameter;

	check_names(job, launch, pipeline, options);
	launch->arguments = cli_alloc(launch->value_count * sizeof *launch->arguments);
	launch->argument_arrays = cli_alloc(launch->value_count * sizeof *launch->argument_arrays);
	for (size_t i = 0; i < launch->value_count; i++) {
		const struct value *value = &launch->values[i];

		find_parameter(pipeline, value->name, &parameter);
		launch->argument_arrays[i] = SIZE_MAX;
		if (value->literal)
			bind_literal(launch, value, &parameter, &launch->arguments[i]);
		else
			bind_array(job, launch, value, &parameter, &launch->arguments[i],
				   &launch->argument_arrays[i]);
	}
	launch->argument_count = launch->value_count;
	set_groups(launch, pipeline);
}

static void check_output(const struct job *job, const struct output *output)
{
	size_t index = job_find_array(job, output->array);
	const struct array *array;
	char has[256], wants[256];

	if (index == SIZE_MAX)
		cli_bad_usage("-o %s: no array has that name", output->array);
	array = &job->arrays[index];
	if (output->type == GLACIER_VOID)
		return;
	if (output->type != array->type || output->shape.elems != array->shape.elems) {
		shape_spell(&array->shape, has, sizeof has);
		shape_spell(&output->shape, wants, sizeof wants);
		cli_wrong("-o %s: the array is %s%s, and %s%s is asked for", output->array,
			  glacier_type_name(array->type), has, glacier_type_name(output->type), wants);
	}
}

void arguments_check(struct job *job, const struct options *options)
{
	for (size_t i = 0; i < job->array_count; i++)
		if (job->arrays[i].type == GLACIER_VOID)
			cli_wrong("no launch uses the array %s, and nothing says what it holds", job->arrays[i].name);
	for (size_t i = 0; i < job->output_count; i++)
		check_output(job, &job->outputs[i]);
	for (size_t i = 0; i < options->expected.count; i++)
		if (job_find_array(job, options->expected.at[i].name) == SIZE_MAX)
			cli_bad_usage("--expect %s: no array has that name", options->expected.at[i].name);
}
