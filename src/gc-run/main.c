/* SPDX-License-Identifier: MIT */
/*
 * gc-run: read the kernels and arrays of a job, run it on a device, or on two and compare,
 * and let all outputs appear together, or none of them.
 */
#include "arguments.h"
#include "bench.h"
#include "compare.h"
#include "devices.h"
#include "kernels.h"
#include "output.h"
#include "session.h"

/* The processor last: without --subgroup it takes the size that the other has. */
static void open_sessions(struct session sessions[2], struct job *job, struct options *opt)
{
	uint32_t subgroup_size = 0;

	for (size_t i = 0; i < opt->device_count; i++) {
		/* Also one that computes on the processor: there is no other way to run it. */
		if (opt->devices[i].automatic && kernels_are_prebuilt(job))
			opt->devices[i] = (struct device_name){.text = "vulkan", .kind = GLACIER_DEVICE_VULKAN};
		devices_choose(&opt->devices[i]);
	}
	for (int cpu = 0; cpu < 2; cpu++)
		for (size_t i = 0; i < opt->device_count; i++) {
			if ((opt->devices[i].kind == GLACIER_DEVICE_CPU) != cpu)
				continue;
			session_open(&sessions[i], job, opt, &opt->devices[i], subgroup_size);
			subgroup_size = glacier_device_describe(sessions[i].device)->subgroup_size;
		}
	for (size_t i = 0; i < job->launch_count; i++)
		arguments_resolve(job, &job->launches[i], sessions[0].pipelines[i], opt);
	arguments_check(job, opt);
}

static void write_outputs(struct session *session, struct job *job)
{
	for (size_t i = 0; i < job->output_count; i++) {
		struct output *output = &job->outputs[i];
		size_t index = job_find_array(job, output->array);
		const struct array *array = &job->arrays[index];

		output_stage(output, array->type, output->type ? &output->shape : &array->shape,
			     session_elems(session, index));
	}
	if (!cli_commit())
		cli_exit(CLI_TROUBLE);
}

/* false: results differ, or something was found. */
static bool run(struct session sessions[2], struct job *job, const struct options *opt)
{
	bool same = true;

	for (size_t i = 0; i < opt->device_count; i++) {
		session_run(&sessions[i], job, opt, opt->device_count == 2);
		same &= session_is_clean(&sessions[i]);
	}
	if (opt->device_count == 2)
		same &= compare_sessions(sessions, job, opt);
	same &= compare_expected(&sessions[0], job, opt);
	write_outputs(&sessions[0], job);
	if (opt->time)
		session_print_times(sessions, opt->device_count, job);
	return same;
}

int main(int argc, char **argv)
{
	struct session sessions[2];
	struct options opt;
	struct job job;
	bool same = true;

	options_parse(&opt, argc, argv);
	if (opt.list_devices) {
		devices_list();
		cli_exit(CLI_OK);
	}
	if (opt.bench) {
		if (opt.device_given)
			devices_choose(&opt.devices[0]);
		same = bench_run(&opt);
		options_fini(&opt);
		cli_exit(same ? CLI_OK : CLI_WRONG);
	}
	opt.job ? job_from_file(&job, opt.job) : job_from_options(&job, &opt);
	kernels_read(&job, &opt);
	if (opt.dump) {
		kernels_dump(&job, &opt);
		cli_exit(CLI_OK);
	}

	open_sessions(sessions, &job, &opt);
	if (opt.dry_run)
		session_print_plan(&sessions[0], &job);
	else
		same = run(sessions, &job, &opt);
	for (size_t i = 0; i < opt.device_count; i++)
		session_close(&sessions[i]);
	kernels_fini(&job);
	job_fini(&job);
	options_fini(&opt);
	cli_exit(same ? CLI_OK : CLI_WRONG);
}
