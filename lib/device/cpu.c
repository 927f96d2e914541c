/* SPDX-License-Identifier: MIT */
/*
 * The processor behind the table of devices. One thread of its own takes launches in their
 * order and runs each over the pool; the caller is free until it waits.
 */
#include "device/cpu_launch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

enum { MAX_SUBGROUP = 128, DEFAULT_SUBGROUP = 32, MAX_INVOCATIONS = 65536, ALIGNMENT = 64 };

struct cpu_state {
	enum glc_cpu_level level;
	struct glc_pool *pool;
	pthread_t thread;
	pthread_mutex_t lock;            /* of the members below */
	pthread_cond_t changed;          /* a job was queued or has ended, or quit */
	struct glc_cpu_job *first, *last;
	bool busy, quit;
	atomic_bool stop;                /* give up what runs */
	uint64_t last_ns;
	uint64_t out_of_bounds;          /* not told yet */
	const struct glc_kernel *culprit;
	struct glc_check_log log;        /* written by the thread while it is busy */
};

/* What a pipeline is: a program for tiles of many lanes, and one for a lane alone. */
struct cpu_built {
	struct glc_cpu_crew many, single;
};

/* --- What there is -------------------------------------------------------- */

static void describe(struct glacier_device_info *info, enum glc_cpu_level level, uint32_t subgroup)
{
	*info = (struct glacier_device_info){
		.kind = GLACIER_DEVICE_CPU,
		.limits.compute_workgroup_invocations = MAX_INVOCATIONS,
		.group_count = {INT32_MAX, INT32_MAX, INT32_MAX},
		.subgroup_size = subgroup,
		.software = true,
		.has_i64 = true,
		.has_f64 = true,
		.wraps_host = true,
		.target.kind = GLACIER_TARGET_KIND_COUNT,
	};
	snprintf(info->driver, sizeof info->driver, "%s", glc_cpu_level_name(level));
	snprintf(info->name, sizeof info->name, "processor");
#if defined __x86_64__
	unsigned r[12];

	/* The brand string, in three pieces: Intel SDM volume 2, CPUID. */
	for (unsigned i = 0; i < 3; i++)
		if (!__get_cpuid(0x80000002 + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2], &r[4 * i + 3]))
			return;
	snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof r, (const char *)r);
#endif
}

static size_t cpu_list(struct glacier_device_info *out, size_t capacity)
{
	if (capacity)
		describe(out, glc_cpu_level(), DEFAULT_SUBGROUP);
	return 1;
}

/* --- The thread that runs launches ---------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void run_one(struct cpu_state *state, struct glc_cpu_job *job)
{
	uint64_t begin = now_ns(), outside;

	glc_cpu_job_run(job);
	outside = atomic_load(&job->out_of_bounds);
	pthread_mutex_lock(&state->lock);
	state->last_ns = now_ns() - begin;
	if (outside && !state->out_of_bounds)
		state->culprit = job->crew->program.kernel;
	state->out_of_bounds += outside;
	pthread_mutex_unlock(&state->lock);
}

static void free_job(struct glc_cpu_job *job)
{
	glc_check_destroy(job->check);
	free(job);
}

static void *work(void *argument)
{
	struct cpu_state *state = argument;

	pthread_mutex_lock(&state->lock);
	while (!state->quit) {
		struct glc_cpu_job *job = state->first;

		if (!job) {
			pthread_cond_wait(&state->changed, &state->lock);
			continue;
		}
		state->first = job->next;
		state->busy = true;
		pthread_mutex_unlock(&state->lock);
		run_one(state, job);
		free_job(job);
		pthread_mutex_lock(&state->lock);
		state->busy = false;
		pthread_cond_broadcast(&state->changed);
	}
	pthread_mutex_unlock(&state->lock);
	return NULL;
}

static void cpu_close(struct glacier_device *device)
{
	struct cpu_state *state = device->state;

	pthread_mutex_lock(&state->lock);
	state->quit = true;
	pthread_cond_broadcast(&state->changed);
	pthread_mutex_unlock(&state->lock);
	pthread_join(state->thread, NULL);
	while (state->first) {
		struct glc_cpu_job *next = state->first->next;

		free_job(state->first);
		state->first = next;
	}
	glc_pool_destroy(state->pool);
	pthread_cond_destroy(&state->changed);
	pthread_mutex_destroy(&state->lock);
	free(state);
}

static bool is_subgroup(uint32_t size)
{
	return size && size <= MAX_SUBGROUP && !(size & (size - 1));
}

static bool start_thread(struct cpu_state *state)
{
	pthread_condattr_t attributes;
	sigset_t all, before;
	int error;

	pthread_mutex_init(&state->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&state->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	/* Signals from outside are for the program's own threads. */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&state->thread, NULL, work, state);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error)
		return true;
	pthread_cond_destroy(&state->changed);
	pthread_mutex_destroy(&state->lock);
	return false;
}

static enum glacier_status cpu_open(struct glacier_device *device, uint32_t index,
				    const struct glacier_device_options *options, struct glacier_diag *diag)
{
	uint32_t subgroup = options->subgroup_size ? options->subgroup_size : DEFAULT_SUBGROUP;
	enum glc_cpu_level level = glc_cpu_level();
	struct cpu_state *state;
	enum glacier_status status;

	if (index)
		return glc_fail(diag, GLC_DV_NO_DEVICE, GLC_NOWHERE, "cpu", index);
	if (options->isa && (!glc_cpu_level_find(options->isa, &level) || !glc_cpu_has(level)))
		return glc_fail(diag, GLC_DV_BAD_ISA, GLC_NOWHERE, options->isa);
	if (!is_subgroup(subgroup))
		return glc_fail(diag, GLC_DV_BAD_SUBGROUP, GLC_NOWHERE, subgroup);
	state = calloc(1, sizeof *state);
	if (!state)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	state->level = level;
	status = glc_pool_create(options->threads, &state->pool);
	if (status == GLACIER_OK && !start_thread(state)) {
		glc_pool_destroy(state->pool);
		status = GLACIER_ERR_LIMIT;
	}
	if (status != GLACIER_OK) {
		free(state);
		return status == GLACIER_ERR_LIMIT
			       ? glc_fail(diag, GLC_DV_NO_THREADS, GLC_NOWHERE, options->threads)
			       : glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	}
	describe(&device->info, level, subgroup);
	device->state = state;
	return GLACIER_OK;
}

/* --- Arrays: the host's memory is the device's ---------------------------- */

/* No process has so many addresses: refused without asking, and no sum below can wrap. */
static const uint64_t MOST_BYTES = UINT64_C(1) << 46;

static enum glacier_status cpu_array_create(struct glacier_array *array, struct glacier_diag *diag)
{
	uintptr_t at;

	array->shared = true;
	array->reserved_bytes = array->bytes;
	if (array->wrapped)
		return GLACIER_OK;
	if (array->bytes > MOST_BYTES)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	array->reserved_bytes = (array->bytes + ALIGNMENT) & ~(uint64_t)(ALIGNMENT - 1);
	/* calloc, for pages that are zero until they are touched; it aligns to 16 only. */
	array->backing = calloc(1, array->reserved_bytes + ALIGNMENT);
	if (!array->backing)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	at = ((uintptr_t)array->backing + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
	array->host = (unsigned char *)array->backing + (at - (uintptr_t)array->backing);
	if (!array->device->check)
		return GLACIER_OK;
	array->stored = calloc(1, array->bytes / 8 + 1);
	if (!array->stored) {
		free(array->backing);
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	}
	return GLACIER_OK;
}

static void cpu_array_free(struct glacier_array *array)
{
	free(array->stored);
	free(array->backing);
}

/* --- Pipelines ------------------------------------------------------------ */

static bool build(struct glacier_pipeline *pipeline, struct glc_cpu_crew *crew, bool single)
{
	const struct cpu_state *state = pipeline->device->state;
	uint32_t demanded = pipeline->ir->kernels[0].subgroup;
	struct glc_cpu_options options = {
		.subgroup = demanded ? demanded : pipeline->device->info.subgroup_size,
		.level = state->level,
		.single = single,
		.watched = pipeline->device->check ? pipeline : NULL,
	};

	return glc_cpu_compile(pipeline->ir, &options, &pipeline->memory, &crew->program) &&
	       glc_cpu_crew_init(crew, pipeline->device->check ? 1 : glc_pool_threads(state->pool));
}

static enum glacier_status cpu_pipeline_build(struct glacier_pipeline *pipeline,
					      const struct glacier_write_options *options,
					      struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	struct cpu_built *built;

	(void)options;
	if (kernel->subgroup && !is_subgroup(kernel->subgroup))
		return glc_fail(diag, GLC_DV_SUBGROUP, GLC_NOWHERE, (int)kernel->name.bytes, kernel->name.at,
				kernel->subgroup, pipeline->device->info.subgroup_size);
	built = glc_bump_zero(&pipeline->memory, sizeof *built);
	if (!built || !build(pipeline, &built->many, false))
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	pipeline->built = built;
	return GLACIER_OK;
}

static void cpu_pipeline_free(struct glacier_pipeline *pipeline)
{
	struct cpu_built *built = pipeline->built;

	glc_cpu_crew_fini(&built->many);
	glc_cpu_crew_fini(&built->single);
}

/* --- Launches ------------------------------------------------------------- */

static void bind(const struct glc_launch *launch, struct glc_cpu_job *job)
{
	const struct glc_cpu_program *p = &job->crew->program;

	for (uint32_t i = 0; i < p->object_count; i++) {
		const struct glc_binding *binding = &launch->bindings[i];
		const struct glc_cpu_object *object = &p->objects[i];

		job->scalars[i] = launch->scalars[i];
		job->bounds[i] = (struct glc_bound){.length = object->length};
		if (object->kind == GLC_OBJECT_BUFFER)
			job->bounds[i] = (struct glc_bound){binding->array->host + binding->offset_bytes,
							    binding->bytes / object->elem_bytes};
		else if (object->kind == GLC_OBJECT_CONST)
			/* Only loads reach it. */
			job->bounds[i].at = (unsigned char *)(uintptr_t)object->values;
	}
}

static bool is_single(const struct glc_cpu_program *p, const uint32_t groups[3])
{
	return p->lanes == 1 &&
	       (p->layout == GLC_LAYOUT_GROUPS || (groups[0] == 1 && p->layout == GLC_LAYOUT_ROWS));
}

static enum glacier_status cpu_launch(struct glacier_device *device, const struct glc_launch *launch,
				      struct glacier_diag *diag)
{
	/* Pipelines change only in the caller's thread. */
	struct glacier_pipeline *pipeline = (struct glacier_pipeline *)launch->pipeline;
	struct cpu_built *built = pipeline->built;
	struct cpu_state *state = device->state;
	uint32_t objects = built->many.program.object_count;
	struct glc_cpu_crew *crew = &built->many;
	enum glacier_status status;
	struct glc_cpu_job *job;

	if (is_single(&crew->program, launch->groups)) {
		if (!built->single.ready && !build(pipeline, &built->single, true))
			return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
		crew = &built->single;
	}
	job = malloc(sizeof *job + objects * (sizeof *job->bounds + sizeof *job->scalars));
	if (!job)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	*job = (struct glc_cpu_job){
		.crew = crew,
		.pool = state->pool,
		.groups = {launch->groups[0], launch->groups[1], launch->groups[2]},
		.stop = &state->stop,
		.bounds = (struct glc_bound *)(job + 1),
		.scalars = (uint64_t *)((struct glc_bound *)(job + 1) + objects),
	};
	if (!glc_cpu_job_size(job)) {
		free(job);
		return glc_fail(diag, GLC_DV_GROUPS_MANY, GLC_NOWHERE, launch->groups[2], 'z', 1);
	}
	bind(launch, job);
	if (device->check) {
		job->check = glc_check_create(launch, &crew->program, &state->log, &status, diag);
		if (!job->check) {
			free(job);
			return status;
		}
	}
	pthread_mutex_lock(&state->lock);
	if (state->first)
		state->last->next = job;
	else
		state->first = job;
	state->last = job;
	pthread_cond_broadcast(&state->changed);
	pthread_mutex_unlock(&state->lock);
	return GLACIER_OK;
}

/* Holding the lock. false: the time is up. */
static bool wait_idle(struct cpu_state *state, uint64_t deadline_ns)
{
	struct timespec deadline = {
		.tv_sec = (time_t)(deadline_ns / 1000000000),
		.tv_nsec = (long)(deadline_ns % 1000000000),
	};

	while (state->first || state->busy) {
		if (!deadline_ns)
			pthread_cond_wait(&state->changed, &state->lock);
		else if (pthread_cond_timedwait(&state->changed, &state->lock, &deadline) == ETIMEDOUT)
			return !state->first && !state->busy;
	}
	return true;
}

static enum glacier_status cpu_wait(struct glacier_device *device, uint64_t timeout_ns, uint64_t *device_ns,
				    struct glacier_diag *diag)
{
	struct cpu_state *state = device->state;
	uint64_t now = timeout_ns ? now_ns() : 0, outside;
	const struct glc_kernel *culprit;
	bool in_time;

	pthread_mutex_lock(&state->lock);
	in_time = wait_idle(state, timeout_ns > UINT64_MAX - now ? UINT64_MAX : timeout_ns ? now + timeout_ns : 0);
	if (!in_time) {
		/* Kernels ask at each round of a loop; the launches behind it end at once. */
		atomic_store(&state->stop, true);
		wait_idle(state, 0);
	}
	*device_ns = state->last_ns;
	outside = state->out_of_bounds;
	culprit = state->culprit;
	state->out_of_bounds = 0;
	pthread_mutex_unlock(&state->lock);
	device->counts.out_of_bounds += outside;
	device->counts.findings += state->log.all;
	state->log.all = 0;
	glc_check_tell(&state->log, diag);
	if (outside && !device->check)
		glc_warn(diag, GLC_DV_OUT_OF_BOUNDS, GLC_NOWHERE, (int)culprit->name.bytes, culprit->name.at,
			 (unsigned long long)outside);
	if (!in_time)
		return glc_fail(diag, GLC_DV_TIMEOUT, GLC_NOWHERE, (unsigned long long)(timeout_ns / 1000000));
	return GLACIER_OK;
}

const struct glc_device_table glc_cpu_device = {
	.kind = GLACIER_DEVICE_CPU,
	.list = cpu_list,
	.open = cpu_open,
	.close = cpu_close,
	.array_create = cpu_array_create,
	.array_free = cpu_array_free,
	.pipeline_build = cpu_pipeline_build,
	.pipeline_free = cpu_pipeline_free,
	.launch = cpu_launch,
	.wait = cpu_wait,
};
