/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include "library.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_VALID
#include "tests/diff/valid.h"
#endif

static _Noreturn void die(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(99);
}

void script_clear(struct script *script)
{
	script->size = 0;
	if (script->at)
		script->at[0] = 0;
}

void script_add(struct script *script, const char *format, ...)
{
	for (;;) {
		size_t room = script->capacity - script->size;
		va_list args;
		int bytes;

		va_start(args, format);
		bytes = vsnprintf(script->at ? script->at + script->size : NULL, room, format, args);
		va_end(args);
		if (bytes < 0)
			die("a format is wrong");
		if ((size_t)bytes < room) {
			script->size += (size_t)bytes;
			return;
		}
		script->capacity = 2 * (script->capacity + (size_t)bytes) + 4096;
		script->at = realloc(script->at, script->capacity);
		if (!script->at)
			die("out of memory");
	}
}

enum { SIGNED_ZERO_INF_NAN_PRESERVE = 4466 };

static void open_device(struct kernels *kernels)
{
	enum glacier_device_kind kind = library_kind();

	snprintf(kernels->target, sizeof kernels->target, "spirv:1.6");
	if (kind != GLACIER_DEVICE_KIND_COUNT) {
		kernels->runs = library_open(kind, &kernels->library, kernels->why, sizeof kernels->why) == EXEC_OK;
		kernels->strict = kernels->runs && kind != GLACIER_DEVICE_VULKAN;
		if (kernels->runs)
			library_target(kernels->library, kernels->target, sizeof kernels->target);
		return;
	}
#ifdef WITH_EXEC
	kernels->runs = exec_open(&kernels->exec, kernels->why, sizeof kernels->why) == EXEC_OK;
	/* Without it zeros have any sign, also on lavapipe: 0 + x becomes x. */
	if (kernels->runs && exec_has_capability(kernels->exec, SIGNED_ZERO_INF_NAN_PRESERVE))
		strcat(kernels->target, "+signed-zero-inf-nan");
#else
	snprintf(kernels->why, sizeof kernels->why, "built without Vulkan headers");
#endif
}

void kernels_open(struct kernels *kernels)
{
	memset(kernels, 0, sizeof *kernels);
	if (glacier_module_create(NULL, &kernels->module) != GLACIER_OK)
		die("out of memory");
#ifdef WITH_VALID
	kernels->valid[3] = valid_create("vulkan1.1");
	kernels->valid[4] = valid_create("vulkan1.1spv1.4");
	kernels->valid[5] = valid_create("vulkan1.2");
	kernels->valid[6] = valid_create("vulkan1.3");
#endif
	open_device(kernels);
}

void kernels_close(struct kernels *kernels)
{
	library_close(kernels->library);
#ifdef WITH_EXEC
	exec_close(kernels->exec);
#endif
#ifdef WITH_VALID
	for (int i = 0; i < KERNEL_TARGETS; i++)
		valid_destroy(kernels->valid[i]);
#endif
	glacier_buffer_fini(&kernels->code);
	glacier_module_destroy(kernels->module);
}

int kernels_finish(struct kernels *kernels)
{
	unsigned failures = kernels->failures;

	printf("%u failed\n", failures);
	if (failures) {
		/* A driver whose kernel never ended would wait for it. */
		fflush(stdout);
		_Exit(1);
	}
	kernels_close(kernels);
	return 0;
}

void kernels_fail(struct kernels *kernels, const char *text, const char *format, ...)
{
	enum { MOST_PRINTED = 60, MOST_TEXTS = 4, LONGEST_TEXT = 3000 };
	va_list args;

	if (kernels->failures++ >= MOST_PRINTED)
		return;
	fputs("FAIL: ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	if (text && strlen(text) < LONGEST_TEXT && kernels->failures <= MOST_TEXTS)
		printf("%s\n", text);
}

static void note(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct kernels *kernels = user;

	if (diagnostic->severity != GLACIER_ERROR || kernels->error[0])
		return;
	snprintf(kernels->error, sizeof kernels->error, "%s", diagnostic->code);
	snprintf(kernels->message, sizeof kernels->message, "line %u: %s", diagnostic->location.line,
		 diagnostic->message);
}

bool kernels_read(struct kernels *kernels, const char *text, const char *const *defines)
{
	struct glacier_text input = {.name = "test", .text = text, .size = strlen(text)};
	struct glacier_diag diag = {.report = note, .user = kernels};
	static struct glacier_define list[16];   /* -O0 reads it again when the module is written */
	struct glacier_read_options options = {.defines = list};

	kernels->error[0] = kernels->message[0] = 0;
	kernels->text = text;
	for (; defines && defines[2 * options.define_count]; options.define_count++)
		list[options.define_count] = (struct glacier_define){
			defines[2 * options.define_count], defines[2 * options.define_count + 1]};
	return glacier_module_read_text(kernels->module, &input, &options, &diag) == GLACIER_OK;
}

bool kernels_write(struct kernels *kernels, const char *target, bool optimize)
{
	struct glacier_diag diag = {.report = note, .user = kernels};
	struct glacier_write_options options = {
		.optimize = optimize ? GLACIER_OPTIMIZE_SAFE : GLACIER_OPTIMIZE_NONE};
	struct glacier_target parsed;

	kernels->error[0] = kernels->message[0] = 0;
	kernels->code.size = 0;
	if (glacier_target_parse(target, &parsed, &diag) != GLACIER_OK)
		return false;
	if (glacier_module_write(kernels->module, &parsed, &options, &kernels->code, &diag) != GLACIER_OK)
		return false;
#ifdef WITH_VALID
	if (parsed.kind == GLACIER_TARGET_SPIRV && kernels->valid[parsed.minor]) {
		char message[512];

		if (!valid_spirv(kernels->valid[parsed.minor], (const uint32_t *)(const void *)kernels->code.data,
				 kernels->code.size / 4, message, sizeof message))
			kernels_fail(kernels, kernels->text, "%s -O%d: the validator says: %s", target, optimize, message);
	}
#endif
	return true;
}

static bool write_older(struct kernels *kernels, bool optimize)
{
	return kernels_write(kernels, "spirv:1.3", optimize) && kernels_write(kernels, "spirv:1.4", optimize) &&
	       kernels_write(kernels, "spirv:1.5", optimize);
}

static bool dispatch(struct kernels *kernels, bool optimize, struct exec_run *run)
{
	if (kernels->library) {
		if (library_run(kernels->library, kernels->module, optimize, run) == EXEC_OK)
			return true;
		snprintf(kernels->message, sizeof kernels->message, "%s", library_message(kernels->library));
		return false;
	}
#ifdef WITH_EXEC
	run->words = (const uint32_t *)(const void *)kernels->code.data;
	run->word_count = kernels->code.size / 4;
	if (exec_run(kernels->exec, run) == EXEC_OK)
		return true;
	snprintf(kernels->message, sizeof kernels->message, "%s", exec_message(kernels->exec));
#endif
	return false;
}

bool kernels_run(struct kernels *kernels, const char *text, bool optimize, struct exec_run *run)
{
	return kernels_run_with(kernels, text, NULL, optimize, run);
}

bool kernels_run_with(struct kernels *kernels, const char *text, const char *const *defines, bool optimize,
		      struct exec_run *run)
{
	if (kernels->library && run->spec_count)
		return false;
	if (!kernels_read(kernels, text, defines) || (kernels->older && !write_older(kernels, optimize)) ||
	    !kernels_write(kernels, kernels->target, optimize)) {
		kernels_fail(kernels, text, "%s: %s", kernels->error, kernels->message);
		return false;
	}
	if (dispatch(kernels, optimize, run))
		return true;
	kernels_fail(kernels, text, "-O%d: %s", optimize, kernels->message);
	return false;
}

uint32_t kernels_subgroup_size(const struct kernels *kernels)
{
#ifdef WITH_EXEC
	if (kernels->exec)
		return exec_subgroup_size(kernels->exec);
#endif
	return kernels->library ? library_info(kernels->library)->subgroup_size : 0;
}

int kernels_assemble(const struct glacier_buffer *ptx, const char *arch)
{
	const char *folder = getenv("TMPDIR");
	char path[512], command[1200];
	int file, status;
	ssize_t written;

	if (system("command -v ptxas >/dev/null 2>&1") != 0)
		return 77;
	snprintf(path, sizeof path, "%s/glacier-ptx-XXXXXX", folder ? folder : "/tmp");
	file = mkstemp(path);
	if (file < 0)
		return 77;
	written = write(file, ptx->data, ptx->size);
	close(file);
	/* The lowest level of its own optimiser: the text is judged, not the machine code. */
	snprintf(command, sizeof command, "ptxas -O0 -arch=%s -o /dev/null '%s'", arch, path);
	status = written == (ssize_t)ptx->size ? system(command) : 0;
	if (status == 0)
		unlink(path);
	else
		printf("ptxas refuses %s for %s\n", path, arch);
	return status != 0;
}
