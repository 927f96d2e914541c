/* SPDX-License-Identifier: MIT */
/* Each limit of a device: a kernel that is just inside, and one that is just over. */
#include <glacier/kernel.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

struct told {
	char text[2048];  /* "GA0083 the message;" for each */
	size_t size;
};

static void tell(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct told *told = user;

	told->size += (size_t)snprintf(told->text + told->size, sizeof told->text - told->size, "%s %s;",
				       diagnostic->code ? diagnostic->code : "-", diagnostic->message);
}

/* What reading and writing the kernel says; the statuses go to *status. */
static const char *compile(const char *text, const char *target_name, const struct glacier_limits *limits,
			   enum glacier_status *status)
{
	static struct told told;
	struct glacier_diag diag = {.report = tell, .user = &told};
	struct glacier_write_options options = {.limits = limits};
	struct glacier_text input = {.text = text, .size = strlen(text)};
	struct glacier_buffer buffer = {0};
	struct glacier_module *module;
	struct glacier_target target;

	told = (struct told){0};
	cr_assert(eq(int, glacier_target_parse(target_name, &target, NULL), GLACIER_OK));
	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	*status = glacier_module_read_text(module, &input, NULL, &diag);
	cr_assert(GLACIER_OK == *status, "%s", told.text);
	*status = glacier_module_write(module, &target, &options, &buffer, &diag);
	cr_expect(buffer.size ? *status == GLACIER_OK : *status != GLACIER_OK, "nothing is written when it fails");
	glacier_buffer_fini(&buffer);
	glacier_module_destroy(module);
	return told.text;
}

#define SHARED(elements) \
	"kernel k() workgroup 1 {\n  shared @a: u32[1]\n  shared @b: u32[" #elements "]\n  Return\n}\n"
#define WORKGROUP(sizes) "kernel k() workgroup " sizes " {\n  Return\n}\n"
#define SCALARS(more) "kernel k(@a: u64, @b: u32" more ") workgroup 1 {\n  Return\n}\n"
#define BUFFERS(more) "kernel k(@a: buffer f32 read, @b: buffer f32 read" more ") workgroup 1 {\n  Return\n}\n"
#define STORE(index) \
	"kernel k(@a: buffer u64 write) workgroup 1 {\n  StoreGlobal.u64 @a, " #index ", 0\n  Return\n}\n"
#define ATOMIC(index) \
	"kernel k(@a: buffer u32 readwrite) workgroup 1 {\n  AtomicAdd.u32 @a, " #index ", 1\n  Return\n}\n"

Test(compile_limits, has_a_bound_that_can_be_reached_and_not_passed)
{
	static const struct {
		struct glacier_limits limits;
		const char *inside, *over, *said;
	} rows[] = {
		/* The second array begins at byte 16. */
		{{.compute_shared_memory_bytes = 1024}, SHARED(252), SHARED(253),
		 "GA0083 the shared arrays of k take 1028 bytes; maxComputeSharedMemorySize is 1024;"},
		{{.compute_workgroup_invocations = 128}, WORKGROUP("8 8 2"), WORKGROUP("43 3"),
		 "GA0084 the workgroup of k has 129 invocations; maxComputeWorkGroupInvocations is 128;"},
		{{.compute_workgroup_invocations = 128}, WORKGROUP("1"), WORKGROUP("4194304 4194304 4194304"),
		 "GA0084 the workgroup of k has 18446744073709551615 invocations; maxComputeWorkGroupInvocations is 128;"},
		{{.compute_workgroup_size = {8, 8, 2}}, WORKGROUP("8 8 2"), WORKGROUP("9 8 3"),
		 "GA0085 the workgroup of k is 9 in x; maxComputeWorkGroupSize[0] is 8;"
		 "GA0085 the workgroup of k is 3 in z; maxComputeWorkGroupSize[2] is 2;"},
		{{.push_constants_bytes = 16}, SCALARS(", @c: u32"), SCALARS(", @c: u32, @d: u32"),
		 "GA0086 the scalar parameters of k take 20 bytes; maxPushConstantsSize is 16;"},
		{{.storage_buffer_range_bytes = 1024}, STORE(127), STORE(128),
		 "GA0087 there is no element 128 of @a: with maxStorageBufferRange 1024 a buffer has at most 128;"},
		{{.storage_buffer_range_bytes = 1027}, ATOMIC(255), ATOMIC(256),
		 "GA0087 there is no element 256 of @a: with maxStorageBufferRange 1027 a buffer has at most 256;"},
		{{.per_stage_storage_buffers = 2}, BUFFERS(""), BUFFERS(", @c: buffer f32 read"),
		 "GA0088 k has 3 buffers; maxPerStageDescriptorStorageBuffers is 2;"},
		{{.descriptor_set_storage_buffers = 2}, BUFFERS(""), BUFFERS(", @c: buffer f32 read"),
		 "GA0088 k has 3 buffers; maxDescriptorSetStorageBuffers is 2;"},
		{{.per_stage_resources = 2}, BUFFERS(""), BUFFERS(", @c: buffer f32 read"),
		 "GA0088 k has 3 buffers; maxPerStageResources is 2;"},
		{{.bound_descriptor_sets = 4}, BUFFERS(", @c: buffer f32 read set 3"),
		 BUFFERS(", @c: buffer f32 read set 4"), "GA0089 @c is in set 4; maxBoundDescriptorSets is 4;"},
	};
	static const struct glacier_limits unknown;
	enum glacier_status status;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *said = compile(rows[i].inside, "spirv", &rows[i].limits, &status);

		cr_expect(status == GLACIER_OK && !*said, "row %zu: %s", i, said);
		said = compile(rows[i].over, "spirv", &rows[i].limits, &status);
		cr_expect(status == GLACIER_ERR_LIMIT && !strcmp(said, rows[i].said), "row %zu: %s", i, said);
		said = compile(rows[i].over, "spirv", &unknown, &status);
		cr_expect(status == GLACIER_OK && !*said, "row %zu is not known, but: %s", i, said);
	}
}

Test(compile_limits, leaves_to_the_launch_what_a_constant_decides)
{
	static const struct glacier_limits limits = {
		.compute_shared_memory_bytes = 16,
		.compute_workgroup_invocations = 16,
		.compute_workgroup_size = {16, 16, 16},
	};
	static const char text[] = "kernel k(@n: spec u32 = 64) workgroup @n {\n"
				   "  shared @a: u32[@n]\n  Return\n}\n";
	enum glacier_status status;
	const char *said = compile(text, "spirv", &limits, &status);

	cr_expect(status == GLACIER_OK && !*said, "%s", said);
}

#define SIX(n) ", @" #n "0: u64, @" #n "1: u64, @" #n "2: u64, @" #n "3: u64, @" #n "4: u64, @" #n "5: u64"

Test(compile_limits, promises_128_bytes_of_push_constants)
{
	static const struct glacier_limits more = {.push_constants_bytes = 256};
	static const char inside[] = SCALARS(", @c: u32" SIX(d) SIX(e) ", @f: u64, @g: u64");
	static const char over[] = SCALARS(", @c: u32" SIX(d) SIX(e) ", @f: u64, @g: u64, @h: u32");
	enum glacier_status status;
	const char *said = compile(inside, "spirv", NULL, &status);

	cr_expect(status == GLACIER_OK && !*said, "%s", said);
	said = compile(over, "spirv", NULL, &status);
	cr_expect(status == GLACIER_ERR_LIMIT && !strncmp(said, "GA0077 the scalar parameters of k take 132", 42), "%s", said);
	said = compile(over, "spirv", &more, &status);
	cr_expect(status == GLACIER_OK && !*said, "the device has more: %s", said);
	said = compile(over, "ptx", NULL, &status);
	cr_expect(status == GLACIER_OK && !*said, "PTX has other limits: %s", said);
}

Test(compile_limits, warns_of_much_shared_memory_on_every_target)
{
	static const char names[][8] = {"spirv", "ptx"};
	enum glacier_status status;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *said = compile(SHARED(8188), names[i], NULL, &status);

		cr_expect(status == GLACIER_OK && !*said, "%s: %s", names[i], said);
		said = compile(SHARED(8189), names[i], NULL, &status);
		cr_expect(status == GLACIER_OK && !strcmp(said, "GA0081 the shared arrays of k take 32772 bytes; many devices have 32768;"),
			  "%s: %s", names[i], said);
	}
}
