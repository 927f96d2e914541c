/* SPDX-License-Identifier: MIT */
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct maker *make_module(void)
{
	struct maker *m = calloc(1, sizeof *m);

	if (!m)
		abort();
	m->ir.memory = &m->memory;
	m->ir.kernels = m->kernels;
	return m;
}

void free_module(struct maker *m)
{
	glacier_memory_fini(&m->memory);
	free(m);
}

static char *copy_name(struct maker *m, const char *name)
{
	char *copy = glc_bump(&m->memory, strlen(name) + 1);

	return copy ? strcpy(copy, name) : NULL;
}

uint32_t add_object(struct maker *m, enum glc_object_kind kind, enum glc_type type, const char *name,
		    uint32_t length)
{
	struct glc_object *object = &m->objects[m->kernel->object_count];

	if (m->kernel->object_count == MOST_OBJECTS)
		abort();
	*object = (struct glc_object){
		.name = {copy_name(m, name), (uint32_t)strlen(name)},
		.kind = (uint8_t)kind,
		.type = (uint8_t)type,
		.access = GLC_READWRITE,
		.used = GLC_READWRITE,
		.length = {length, GLC_NO_VALUE},
	};
	return m->kernel->object_count++;
}

void begin_kernel(struct maker *m, const char *name, uint32_t x, uint32_t y, uint32_t z)
{
	if (m->ir.kernel_count == MOST_KERNELS)
		abort();
	m->kernel = &m->kernels[m->ir.kernel_count++];
	*m->kernel = (struct glc_kernel){
		.name = {copy_name(m, name), (uint32_t)strlen(name)},
		.workgroup = {{x, GLC_NO_VALUE}, {y, GLC_NO_VALUE}, {z, GLC_NO_VALUE}},
	};
	m->objects = glc_bump_zero(&m->memory, MOST_OBJECTS * sizeof *m->objects);
	memset(&m->insts, 0, sizeof m->insts);
	memset(&m->edges, 0, sizeof m->edges);
	m->kernel->objects = m->objects;
	for (uint32_t i = 0; i < 6; i++) {
		char buffer[16];

		snprintf(buffer, sizeof buffer, "buf_%s", glc_types[memory_types[i]].name);
		add_object(m, GLC_OBJECT_BUFFER, memory_types[i], buffer, 0);
	}
	for (uint32_t i = 0; i < 7; i++) {
		char scalar[16];

		snprintf(scalar, sizeof scalar, "n_%s", glc_types[all_types[i]].name);
		add_object(m, GLC_OBJECT_SCALAR, all_types[i], scalar, 0);
	}
}

void end_kernel(struct maker *m)
{
	m->kernel->insts = m->insts.at;
	m->kernel->inst_count = m->insts.count;
	m->kernel->edge_values = m->edges.at;
	m->kernel->edge_value_count = m->edges.count;
	m->ir.consts = m->consts.at;
	m->ir.const_count = m->consts.count;
}

glc_value constant(struct maker *m, enum glc_type type, uint64_t bits)
{
	struct glc_const *value = GLC_PUSH(&m->memory, &m->consts);

	*value = (struct glc_const){.bits = bits & glc_type_mask(type), .type = type};
	return (m->consts.count - 1) | GLC_CONST_BIT;
}

glc_value add(struct maker *m, struct glc_inst inst)
{
	struct glc_inst *place = GLC_PUSH(&m->memory, &m->insts);

	*place = inst;
	return m->insts.count - 1;
}

glc_value op(struct maker *m, enum glc_op opcode, enum glc_type type, glc_value a, glc_value b, glc_value c)
{
	struct glc_inst inst = {.op = (uint16_t)opcode, .type = (uint8_t)type, .from = (uint8_t)type,
				.arg = {a, b, c, GLC_NO_VALUE}};

	if (glc_ops[opcode].result == 'B')
		inst.type = GLC_BOOL;
	else if (glc_ops[opcode].result == 'U')
		inst.type = GLC_U32;
	else if (glc_ops[opcode].result == 'W')
		inst.type = type == GLC_I32 ? GLC_I64 : GLC_U64;
	return add(m, inst);
}

static uint32_t index_of(enum glc_type type)
{
	uint32_t i = 0;

	while (all_types[i] != type)
		i++;
	return i;
}

glc_value parameter(struct maker *m, enum glc_type type)
{
	return add(m, (struct glc_inst){.op = GLC_OP_Param, .type = (uint8_t)type,
					.object = (uint16_t)(SCALARS + index_of(type))});
}

glc_value load(struct maker *m, enum glc_type type, glc_value index)
{
	glc_value value;

	if (type != GLC_BOOL)
		return add(m, (struct glc_inst){.op = GLC_OP_LoadGlobal, .type = (uint8_t)type,
						.object = (uint16_t)index_of(type), .arg = {index}});
	value = load(m, GLC_U32, index);
	return op(m, GLC_OP_Ne, GLC_U32, value, constant(m, GLC_U32, 0), GLC_NO_VALUE);
}

void store(struct maker *m, enum glc_type type, glc_value index, glc_value value)
{
	if (type == GLC_BOOL) {
		value = op(m, GLC_OP_Select, GLC_U32, value, constant(m, GLC_U32, 1), constant(m, GLC_U32, 0));
		type = GLC_U32;
	}
	add(m, (struct glc_inst){.op = GLC_OP_StoreGlobal, .type = (uint8_t)type,
				 .object = (uint16_t)index_of(type), .arg = {index, value}});
}

uint32_t edge(struct maker *m, const glc_value *values, uint32_t count)
{
	uint32_t first = m->edges.count;

	for (uint32_t i = 0; i < count; i++) {
		glc_value *place = GLC_PUSH(&m->memory, &m->edges);

		*place = values[i];
	}
	return first;
}

static char code[8];

const char *last_code(void)
{
	return code;
}

static void print(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	printf("%s [%s]\n", diagnostic->message, diagnostic->code);
	snprintf(code, sizeof code, "%s", diagnostic->code);
}

/* sm_NN, or sm_NN:M.m: as glacier_target_parse reads it behind "ptx:". */
static struct glacier_target read_target(const char *name)
{
	struct glacier_target target = {.kind = GLACIER_TARGET_PTX};
	unsigned arch = 0, major = 0, minor = 0;
	int read = sscanf(name, "sm_%u:%u.%u", &arch, &major, &minor);

	target.arch = (uint16_t)arch;
	target.major = (uint8_t)major;
	target.minor = (uint8_t)minor;
	target.version_given = read == 3;
	return target;
}

char *write_module(struct maker *m, const char *target_name, enum glacier_status *status)
{
	struct glacier_target target = read_target(target_name);
	struct glacier_write_options options = {0};
	struct glc_backend_input input = {
		.ir = &m->ir, .target = &target, .options = &options, .memory = &m->memory};
	struct glacier_diag diag = {.report = print};
	struct glacier_buffer buffer = {0};

	*status = glc_ptx_write(&input, &buffer, &diag);
	if (*status != GLACIER_OK || !glc_buffer_reserve(&buffer, 1)) {
		glacier_buffer_fini(&buffer);
		return NULL;
	}
	buffer.data[buffer.size] = '\0';
	return (char *)buffer.data;
}

int assemble(const char *text, const char *arch)
{
	char path[] = "/tmp/glacier-ptx-XXXXXX", command[128];
	int fd, status;
	size_t bytes = strlen(text);

	if (system("command -v ptxas >/dev/null 2>&1"))
		return 77;
	fd = mkstemp(path);
	if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes)
		return 99;
	close(fd);
	snprintf(command, sizeof command, "ptxas -O1 -arch=%s %s -o /dev/null", arch, path);
	status = system(command);
	unlink(path);
	return status ? 1 : 0;
}
