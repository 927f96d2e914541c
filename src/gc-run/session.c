/* SPDX-License-Identifier: MIT */
#include "session.h"

#include "devices.h"
#include "kernels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void open_device(struct session *session, const struct job *job, const struct options *options,
			const struct device_name *name, uint32_t subgroup_size)
{
	struct glacier_device_options device = options->device;
	struct glacier_diag diag = options_diag(options, NULL);
	uint32_t own_size;

	*session = (struct session){0};
	device_spell(name->kind, name->index, session->name, sizeof session->name);
	if (!device.subgroup_size && name->kind == GLACIER_DEVICE_CPU)
		device.subgroup_size = subgroup_size;
	if (glacier_device_open(name->kind, name->index, &device, &session->device, &diag) != GLACIER_OK)
		cli_exit(CLI_TROUBLE);
	own_size = glacier_device_describe(session->device)->subgroup_size;
	if (device.subgroup_size && device.subgroup_size != own_size)
		cli_die("%s has subgroups of %u: --subgroup=%u cannot be had there", session->name, own_size,
			device.subgroup_size);
	session->pipelines = cli_alloc(job->launch_count * sizeof *session->pipelines);
	session->device_ns = cli_alloc(job->launch_count * sizeof *session->device_ns);
	session->host_ns = cli_alloc(job->launch_count * sizeof *session->host_ns);
}

void session_open_bounded(struct session *session, struct job *job, const struct options *options,
			  uint32_t subgroup_size)
{
	static const struct device_name cpu = {.text = "cpu", .kind = GLACIER_DEVICE_CPU};

	open_device(session, job, options, &cpu, subgroup_size);
	session->bounded = true;
	for (size_t i = 0; i < job->launch_count; i++) {
		struct launch *launch = &job->launches[i];

		if (glacier_pipeline_get_bounded(session->device, launch->read->module, launch->kernel,
						 job->launch_count > 1, &session->pipelines[i],
						 &launch->read->diag) != GLACIER_OK)
			cli_exit(CLI_TROUBLE);
	}
}

void session_open(struct session *session, struct job *job, const struct options *options,
		  const struct device_name *name, uint32_t subgroup_size)
{
	open_device(session, job, options, name, subgroup_size);
	for (size_t i = 0; i < job->launch_count; i++) {
		struct glacier_device_counts before, after;
		enum glacier_status status;

		glacier_device_count(session->device, &before);
		status = kernels_pipeline(&job->launches[i], session->device, options, &session->pipelines[i]);
		glacier_device_count(session->device, &after);
		/* Code for another kind of device is nothing that a correction of it would cure. */
		if (status != GLACIER_OK)
			cli_exit(status == GLACIER_ERR_UNSUPPORTED && job->launches[i].reflect ? CLI_TROUBLE : CLI_WRONG);
		if (after.code_found != before.code_found)
			cli_say("%s on %s: machine code from the cache", job->launches[i].kernel, session->name);
		else if (after.code_made != before.code_made)
			cli_say("%s on %s: machine code by the driver", job->launches[i].kernel, session->name);
	}
}

/* --- Arrays ----------------------------------------------------------------------------- */

/*
 * The file's own pages, where the kernel can use them as they are. They are private: what
 * it writes is not seen in the file.
 */
static bool wrap_file(struct session *session, const struct array *array, struct glacier_array **out,
		      struct glacier_diag *diag)
{
	unsigned char *elems = (unsigned char *)array->file.data + array->offset;
	uint64_t bytes = array_bytes(array);

	if (!bytes || (uintptr_t)elems % types[array->type].bytes)
		return false;
	if (array->written && array->file.mapped &&
	    mprotect((void *)array->file.data, array->file.size, PROT_READ | PROT_WRITE))
		return false;
	if (glacier_array_wrap(session->device, elems, bytes, !array->written, out, diag) != GLACIER_OK)
		cli_exit(CLI_WRONG);
	return true;
}

static struct glacier_array *make_array(struct session *session, const struct array *array, uint64_t seed,
					bool keep_inputs, bool check, struct glacier_diag *diag)
{
	struct glacier_array *made;
	void *host;

	if (array->source == ARRAY_FILE && !keep_inputs && wrap_file(session, array, &made, diag))
		return made;
	if (glacier_array_create(session->device, array_bytes(array), &made, diag) != GLACIER_OK)
		cli_exit(CLI_WRONG);
	/* Zeros are there already; who watches wants to know whether somebody asked for them. */
	if (array->source == ARRAY_GENERATOR && array->generator.rule == GENERATE_ZEROS && (array->implied || !check))
		return made;
	host = glacier_array_host(made, true, diag);
	if (!host)
		cli_exit(CLI_TROUBLE);
	if (array->source == ARRAY_GENERATOR)
		generator_fill(&array->generator, array->type, seed, host);
	else if (array_bytes(array))
		memcpy(host, (const unsigned char *)array->file.data + array->offset, array_bytes(array));
	return made;
}

/* Each array has a seed of its own, so that two of one size differ. */
static uint64_t seed_of(const struct options *options, size_t array)
{
	return options->seed * UINT64_C(0xd1342543de82ef95) + array * UINT64_C(0x2545f4914f6cdd1d);
}

const void *session_elems(struct session *session, size_t array)
{
	struct glacier_diag diag = cli_diag(NULL);
	const void *elems = glacier_array_host(session->arrays[array], false, &diag);

	if (!elems && glacier_array_bytes(session->arrays[array]))
		cli_exit(CLI_TROUBLE);
	return elems;
}

/* --- Running ---------------------------------------------------------------------------- */

/*
 * The kernel still runs, and a GPU cannot be told to stop: closing the device, or the
 * driver's own cleaning up at exit, would wait for it.
 */
static _Noreturn void leave_at_once(void)
{
	cli_drop_staged();
	cli_json_report_end();
	fflush(stdout);
	fflush(stderr);
	_exit(CLI_TROUBLE);
}

static void wait_for(struct session *session, uint64_t timeout_ns, uint64_t *device_ns, struct glacier_diag *diag)
{
	static const uint64_t all_warnings = UINT64_MAX;
	struct glacier_diag quiet = *diag;
	enum glacier_status status;

	/* The run that is compared has told them. */
	if (session->bounded)
		quiet.disabled = &all_warnings;
	status = glacier_device_wait(session->device, timeout_ns, device_ns, session->bounded ? &quiet : diag);

	if (status == GLACIER_ERR_TIMEOUT)
		leave_at_once();
	if (status != GLACIER_OK)
		cli_exit(CLI_TROUBLE);
}

/* The array of a job that a buffer of a launch is given. */
static size_t array_of(const struct launch *launch, const char *name, size_t bytes)
{
	for (size_t i = 0; i < launch->argument_count; i++)
		if (launch->argument_arrays[i] != SIZE_MAX && strlen(launch->arguments[i].name) == bytes &&
		    !memcmp(launch->arguments[i].name, name, bytes))
			return launch->argument_arrays[i];
	return SIZE_MAX;
}

static struct glacier_array *zeros(struct session *session, uint64_t bytes)
{
	struct glacier_diag diag = cli_diag(NULL);
	struct glacier_array *array;

	if (glacier_array_create(session->device, bytes, &array, &diag) != GLACIER_OK)
		cli_exit(CLI_TROUBLE);
	return array;
}

/* What a pipeline with bounds takes besides: NAME.bound and .lost. */
static size_t add_bounds(struct session *session, const struct job *job, size_t index, size_t count,
			 struct glacier_argument *arguments)
{
	struct glacier_parameter parameter;

	for (size_t i = 0; glacier_pipeline_parameter(session->pipelines[index], i, &parameter); i++) {
		const char *dot = strchr(parameter.name, '.');
		size_t array;

		if (!dot)
			continue;
		arguments[count] = (struct glacier_argument){.name = parameter.name};
		if (dot == parameter.name) {
			arguments[count++].array = session->lost;
			continue;
		}
		array = array_of(&job->launches[index], parameter.name, (size_t)(dot - parameter.name));
		if (!session->bounds[array])
			session->bounds[array] = zeros(session, job->arrays[array].shape.elems * sizeof(double));
		arguments[count++].array = session->bounds[array];
	}
	return count;
}

static void start(struct session *session, const struct job *job, size_t index)
{
	const struct launch *launch = &job->launches[index];
	size_t count = launch->argument_count;
	/* Bounds take at most one more for each, and one. */
	struct glacier_argument *arguments = cli_alloc((2 * count + 1) * sizeof *arguments);

	if (launch->argument_count)
		memcpy(arguments, launch->arguments, launch->argument_count * sizeof *arguments);
	for (size_t i = 0; i < launch->argument_count; i++)
		if (launch->argument_arrays[i] != SIZE_MAX)
			arguments[i].array = session->arrays[launch->argument_arrays[i]];
	if (session->bounded)
		count = add_bounds(session, job, index, count, arguments);
	if (glacier_launch(session->pipelines[index], arguments, count, launch->groups, &launch->read->diag) !=
	    GLACIER_OK)
		cli_exit(CLI_WRONG);
	free(arguments);
}

void session_run(struct session *session, const struct job *job, const struct options *options, bool keep_inputs)
{
	struct glacier_diag diag = options_diag(options, NULL);

	session->arrays = cli_alloc(job->array_count * sizeof *session->arrays);
	if (session->bounded) {
		session->bounds = cli_alloc(job->array_count * sizeof *session->bounds);
		memset(session->bounds, 0, job->array_count * sizeof *session->bounds);
		session->lost = zeros(session, 2 * sizeof(uint32_t));
	}
	for (size_t i = 0; i < job->array_count; i++)
		session->arrays[i] = make_array(session, &job->arrays[i], seed_of(options, i), keep_inputs,
						options->device.check, &diag);

	for (size_t i = 0; i < job->launch_count; i++) {
		uint64_t began = cli_now_ns();

		start(session, job, i);
		/* Launches follow each other on the device without the host, unless each is asked about. */
		if (options->time || options->device.check || i + 1 == job->launch_count)
			wait_for(session, options->timeout_ns, &session->device_ns[i], &job->launches[i].read->diag);
		session->host_ns[i] = cli_now_ns() - began;
	}
}

static const void *host_of(struct glacier_array *array)
{
	struct glacier_diag diag = cli_diag(NULL);
	const void *host = glacier_array_host(array, false, &diag);

	if (!host)
		cli_exit(CLI_TROUBLE);
	return host;
}

const double *session_bounds(struct session *session, size_t array)
{
	return session->bounds[array] ? host_of(session->bounds[array]) : NULL;
}

bool session_is_lost(struct session *session)
{
	return *(const uint32_t *)host_of(session->lost);
}

bool session_is_clean(const struct session *session)
{
	struct glacier_device_counts counts;

	glacier_device_count(session->device, &counts);
	return !counts.findings;
}

void session_close(struct session *session)
{
	glacier_device_close(session->device);
	free(session->pipelines);
	free(session->arrays);
	free(session->bounds);
	free(session->device_ns);
	free(session->host_ns);
}

/* --- What people ask for ------------------------------------------------------------------ */

void session_print_times(const struct session *sessions, size_t count, const struct job *job)
{
	static const struct cli_column columns[] = {
		{"kernel", "KERNEL", CLI_CELL_TEXT, 0},
		{"device", "DEVICE", CLI_CELL_TEXT, 0},
		{"device_ns", "DEVICE ns", CLI_CELL_UINT, 0},
		{"host_ns", "HOST ns", CLI_CELL_UINT, 0},
	};
	struct cli_table table;

	cli_table_init(&table, "glacier-run-times", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < count * job->launch_count; i++) {
		const struct session *session = &sessions[i / job->launch_count];
		size_t launch = i % job->launch_count;

		cli_table_add(&table, (const union cli_cell[]){
					      {.text = job->launches[launch].kernel},
					      {.text = session->name},
					      {.u = session->device_ns[launch]},
					      {.u = session->host_ns[launch]},
				      });
	}
	/* Text keeps out of the way of what -o NAME=- prints. */
	cli_table_print(&table, cli.json ? CLI_TABLE_JSON : CLI_TABLE_TEXT, cli.json ? stdout : stderr);
	cli_table_fini(&table);
}

void session_print_plan(const struct session *session, const struct job *job)
{
	for (size_t i = 0; i < job->launch_count; i++) {
		const struct launch *launch = &job->launches[i];

		printf("%s on %s: %u x %u x %u workgroups\n", launch->kernel, session->name, launch->groups[0],
		       launch->groups[1], launch->groups[2]);
		for (size_t j = 0; j < launch->argument_count; j++) {
			const struct value *value = &launch->values[j];
			const struct array *array = value->literal ? NULL : &job->arrays[value->array];
			char shape[256];

			if (!array) {
				printf("  %s = %s\n", value->name, value->literal);
				continue;
			}
			shape_spell(&array->shape, shape, sizeof shape);
			printf("  %s = %s: %s%s\n", value->name, array->text, glacier_type_name(array->type), shape);
		}
	}
}
