/* SPDX-License-Identifier: MIT */
/* glacier-exec: run a SPIR-V compute kernel on a Vulkan device, with buffers from the command line. */
#include "vk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BUFFERS = 64, MAX_OUTPUTS = 64, MAX_SPECS = 64, PUSH_BYTES = 256 };
enum { RIGHT = 0, WRONG = 1, TROUBLE = 2, SKIPPED = 77 };

enum type { F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, TYPE_COUNT };

static const struct {
	char name[4];
	unsigned char bytes;
} types[TYPE_COUNT] = {
	[F32] = {"f32", 4}, [F64] = {"f64", 8},
	[I8] = {"i8", 1}, [I16] = {"i16", 2}, [I32] = {"i32", 4}, [I64] = {"i64", 8},
	[U8] = {"u8", 1}, [U16] = {"u16", 2}, [U32] = {"u32", 4}, [U64] = {"u64", 8},
};

/* -o SET:BINDING=FILE, or -P SET:BINDING=TYPE[:COUNT] when file is NULL. */
struct output {
	uint32_t set, binding;
	const char *file;
	enum type type;
	size_t count;
};

struct options {
	const char *kernel;
	struct exec_run run;
	struct exec_buffer buffers[MAX_BUFFERS];
	struct exec_spec specs[MAX_SPECS];
	struct output outputs[MAX_OUTPUTS];
	size_t output_count;
	unsigned char push[PUSH_BYTES];
	size_t push_bytes;
	unsigned long repeat;
};

static const char help[] =
	"Usage: glacier-exec KERNEL.spv -g X[,Y,Z] [OPTION]...\n"
	"Run a SPIR-V compute kernel on a Vulkan device.\n"
	"\n"
	"  -e NAME                        entry point (default: the only one)\n"
	"  -g X[,Y[,Z]]                   workgroups\n"
	"  -b SET:BINDING=FILE            a buffer with a file's bytes\n"
	"  -b SET:BINDING=zero:BYTES      ... of zeros\n"
	"  -b SET:BINDING=iota:TYPE:COUNT ... of 0, 1, 2, ...\n"
	"  -b SET:BINDING=fill:TYPE:VALUE:COUNT\n"
	"  -p TYPE:VALUE                  next push constant, at its natural alignment\n"
	"  -s ID=TYPE:VALUE               specialization constant\n"
	"  -S SIZE                        demand subgroups of that size\n"
	"  -r TIMES                       dispatch so often on the same buffers\n"
	"  -o SET:BINDING=FILE            write a buffer afterwards\n"
	"  -P SET:BINDING=TYPE[:COUNT]    print its first elements, one a line\n"
	"  -d                             print the device's name and subgroup size first\n"
	"\n"
	"TYPE is one of f32 f64 i8 i16 i32 i64 u8 u16 u32 u64. GLACIER_VK_DEVICE picks a device by\n"
	"index; GLACIER_VK_VALIDATE=1 loads the validation layer.\n"
	"Exit status: 0 done, 1 the kernel is wrong or failed, 2 trouble, 77 no device that can.\n";

static _Noreturn void die(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static _Noreturn void die(int code, const char *format, ...)
{
	va_list args;

	fputs("glacier-exec: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(code);
}

static void *allocate(size_t bytes)
{
	void *memory = calloc(bytes ? bytes : 1, 1);

	if (!memory)
		die(TROUBLE, "out of memory");
	return memory;
}

static void *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	size_t capacity = 1 << 16;
	char *data;

	if (!file)
		die(TROUBLE, "%s: %s", path, strerror(errno));
	data = allocate(capacity);
	*bytes = 0;
	for (;;) {
		size_t got = fread(data + *bytes, 1, capacity - *bytes, file);

		*bytes += got;
		if (got == 0)
			break;
		if (*bytes == capacity) {
			capacity *= 2;
			data = realloc(data, capacity);
			if (!data)
				die(TROUBLE, "out of memory");
		}
	}
	if (ferror(file))
		die(TROUBLE, "%s: %s", path, strerror(errno));
	fclose(file);
	return data;
}

static void write_file(const char *path, const void *data, size_t bytes)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
		die(TROUBLE, "%s: %s", path, strerror(errno));
}

static uint64_t number(const char *text, char stop, const char **rest)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end != stop || *text == '-')
		die(TROUBLE, "'%s' is no number", text);
	*rest = end + (stop != 0);
	return value;
}

static uint32_t number32(const char *text, char stop, const char **rest)
{
	uint64_t value = number(text, stop, rest);

	if (value > UINT32_MAX)
		die(TROUBLE, "'%s' is out of range", text);
	return (uint32_t)value;
}

static enum type type_name(const char *text, const char **rest)
{
	size_t length = strcspn(text, ":");

	for (int type = 0; type < TYPE_COUNT; type++)
		if (strlen(types[type].name) == length && memcmp(types[type].name, text, length) == 0) {
			*rest = text + length + (text[length] == ':');
			return (enum type)type;
		}
	die(TROUBLE, "'%.*s' is no type", (int)length, text);
}

/* A value's bits, in the low bytes of the result (the host is little-endian, as SPIR-V here). */
static uint64_t value_bits(enum type type, const char *text, char stop, const char **rest)
{
	char *end = (char *)text;
	uint64_t bits = 0;

	errno = 0;
	if (type == F32) {
		float value = strtof(text, &end);

		memcpy(&bits, &value, sizeof value);
	} else if (type == F64) {
		double value = strtod(text, &end);

		memcpy(&bits, &value, sizeof value);
	} else {
		bits = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
		if (errno)
			die(TROUBLE, "'%s' is out of range", text);
	}
	if (end == text || *end != stop)
		die(TROUBLE, "'%s' is no value", text);
	*rest = end + (stop != 0);
	return bits;
}

static void fill_iota(unsigned char *data, enum type type, size_t count)
{
	for (size_t i = 0; i < count; i++, data += types[type].bytes) {
		float f32 = (float)i;
		double f64 = (double)i;
		uint64_t integer = i;
		const void *value = type == F32 ? (const void *)&f32 : type == F64 ? (const void *)&f64 : &integer;

		memcpy(data, value, types[type].bytes);
	}
}

static bool prefixed(const char *text, const char *prefix, const char **rest)
{
	size_t length = strlen(prefix);

	if (strncmp(text, prefix, length) != 0)
		return false;
	*rest = text + length;
	return true;
}

static void add_buffer(struct options *options, const char *text)
{
	struct exec_buffer *buffer = &options->buffers[options->run.buffer_count];
	enum type type;
	uint64_t bits;
	size_t count;

	if (options->run.buffer_count++ == MAX_BUFFERS)
		die(TROUBLE, "too many buffers");
	buffer->set = number32(text, ':', &text);
	buffer->binding = number32(text, '=', &text);
	if (prefixed(text, "zero:", &text)) {
		buffer->bytes = number32(text, 0, &text);
		buffer->data = allocate(buffer->bytes);
	} else if (prefixed(text, "iota:", &text)) {
		type = type_name(text, &text);
		count = number32(text, 0, &text);
		buffer->bytes = count * types[type].bytes;
		buffer->data = allocate(buffer->bytes);
		fill_iota(buffer->data, type, count);
	} else if (prefixed(text, "fill:", &text)) {
		type = type_name(text, &text);
		bits = value_bits(type, text, ':', &text);
		count = number32(text, 0, &text);
		buffer->bytes = count * types[type].bytes;
		buffer->data = allocate(buffer->bytes);
		for (size_t i = 0; i < count; i++)
			memcpy((unsigned char *)buffer->data + i * types[type].bytes, &bits, types[type].bytes);
	} else {
		buffer->data = read_file(text, &buffer->bytes);
	}
}

static void add_push(struct options *options, const char *text)
{
	enum type type = type_name(text, &text);
	uint64_t bits = value_bits(type, text, 0, &text);
	/* A bool, 8- or 16-bit scalar travels as 32 bits. */
	size_t bytes = types[type].bytes < 4 ? 4 : types[type].bytes;
	size_t at = (options->push_bytes + bytes - 1) / bytes * bytes;

	if (at + bytes > PUSH_BYTES)
		die(TROUBLE, "too many push constants");
	memcpy(options->push + at, &bits, bytes);
	options->push_bytes = at + bytes;
}

static void add_spec(struct options *options, const char *text)
{
	struct exec_spec *spec = &options->specs[options->run.spec_count];
	enum type type;

	if (options->run.spec_count++ == MAX_SPECS)
		die(TROUBLE, "too many specialization constants");
	spec->id = number32(text, '=', &text);
	type = type_name(text, &text);
	spec->bytes = types[type].bytes < 4 ? 4 : types[type].bytes;
	spec->value = value_bits(type, text, 0, &text);
}

static void add_output(struct options *options, const char *text, bool print)
{
	struct output *output = &options->outputs[options->output_count];

	if (options->output_count++ == MAX_OUTPUTS)
		die(TROUBLE, "too many outputs");
	output->set = number32(text, ':', &text);
	output->binding = number32(text, '=', &text);
	if (!print) {
		output->file = text;
		return;
	}
	output->type = type_name(text, &text);
	output->count = *text ? number32(text, 0, &text) : SIZE_MAX;
}

static void set_groups(struct exec_run *run, const char *text)
{
	int axis = 0;

	run->groups[0] = run->groups[1] = run->groups[2] = 1;
	for (; axis < 3; axis++) {
		bool more = strchr(text, ',') != NULL;

		run->groups[axis] = number32(text, more ? ',' : 0, &text);
		if (!more)
			return;
	}
	die(TROUBLE, "at most three group counts");
}

static bool parse_options(struct options *options, int argc, char **argv)
{
	const char *rest;
	bool device = false;
	int option;

	options->repeat = 1;
	while ((option = getopt(argc, argv, "b:de:g:ho:p:P:r:s:S:")) != -1) {
		switch (option) {
		case 'b': add_buffer(options, optarg); break;
		case 'd': device = true; break;
		case 'e': options->run.entry = optarg; break;
		case 'g': set_groups(&options->run, optarg); break;
		case 'h': fputs(help, stdout); exit(RIGHT);
		case 'o': add_output(options, optarg, false); break;
		case 'p': add_push(options, optarg); break;
		case 'P': add_output(options, optarg, true); break;
		case 'r': options->repeat = number32(optarg, 0, &rest); break;
		case 's': add_spec(options, optarg); break;
		case 'S': options->run.subgroup_size = number32(optarg, 0, &rest); break;
		default: fputs("Try 'glacier-exec -h'.\n", stderr); exit(TROUBLE);
		}
	}
	if (optind + 1 != argc)
		die(TROUBLE, "one kernel is needed; try 'glacier-exec -h'");
	if (options->run.groups[0] == 0)
		die(TROUBLE, "-g X[,Y,Z] is needed");
	options->kernel = argv[optind];
	options->run.buffers = options->buffers;
	options->run.specs = options->specs;
	options->run.push = options->push;
	options->run.push_bytes = options->push_bytes;
	return device;
}

static void print_value(enum type type, const unsigned char *at)
{
	union {
		float f32;
		double f64;
		int8_t i8; int16_t i16; int32_t i32; int64_t i64;
		uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
	} value;

	memcpy(&value, at, types[type].bytes);
	switch (type) {
	case F32: printf("%.9g\n", (double)value.f32); break;
	case F64: printf("%.17g\n", value.f64); break;
	case I8: printf("%d\n", value.i8); break;
	case I16: printf("%d\n", value.i16); break;
	case I32: printf("%" PRId32 "\n", value.i32); break;
	case I64: printf("%" PRId64 "\n", value.i64); break;
	case U8: printf("%u\n", value.u8); break;
	case U16: printf("%u\n", value.u16); break;
	case U32: printf("%" PRIu32 "\n", value.u32); break;
	case U64: printf("%" PRIu64 "\n", value.u64); break;
	case TYPE_COUNT: break;
	}
}

static void give_output(const struct options *options, const struct output *output)
{
	for (size_t i = 0; i < options->run.buffer_count; i++) {
		const struct exec_buffer *buffer = &options->buffers[i];
		size_t bytes = types[output->type].bytes;

		if (buffer->set != output->set || buffer->binding != output->binding)
			continue;
		if (output->file) {
			write_file(output->file, buffer->data, buffer->bytes);
			return;
		}
		for (size_t k = 0; k < output->count && k < buffer->bytes / bytes; k++)
			print_value(output->type, (unsigned char *)buffer->data + k * bytes);
		return;
	}
	die(TROUBLE, "there is no buffer at set %u, binding %u", output->set, output->binding);
}

static int exit_code(enum exec_status status)
{
	switch (status) {
	case EXEC_OK: return RIGHT;
	case EXEC_UNAVAILABLE:
	case EXEC_UNSUPPORTED: return SKIPPED;
	case EXEC_WRONG:
	case EXEC_FAILED: return WRONG;
	}
	return TROUBLE;
}

int main(int argc, char **argv)
{
	static struct options options;
	bool device = parse_options(&options, argc, argv);
	struct exec *exec = NULL;
	char message[1024];
	size_t bytes;
	void *words = read_file(options.kernel, &bytes);
	enum exec_status status = exec_open(&exec, message, sizeof message);

	if (status != EXEC_OK)
		die(exit_code(status), "%s", message);
	options.run.words = words;
	options.run.word_count = bytes / 4;
	if (device)
		printf("%s, subgroups of %u\n", exec_device_name(exec), exec_subgroup_size(exec));
	for (unsigned long i = 0; i < options.repeat && status == EXEC_OK; i++)
		status = exec_run(exec, &options.run);
	if (status != EXEC_OK) {
		fprintf(stderr, "glacier-exec: %s: %s\n", options.kernel, exec_message(exec));
		fflush(stdout);
		/* A driver whose kernel never ended would wait for it in exit. */
		if (status == EXEC_FAILED)
			_exit(exit_code(status));
	}
	for (size_t i = 0; i < options.output_count && status == EXEC_OK; i++)
		give_output(&options, &options.outputs[i]);
	exec_close(exec);
	for (size_t i = 0; i < options.run.buffer_count; i++)
		free(options.buffers[i].data);
	free(words);
	if (fflush(stdout) != 0)
		die(TROUBLE, "standard output: %s", strerror(errno));
	return exit_code(status);
}
