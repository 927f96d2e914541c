/* SPDX-License-Identifier: MIT */
/*
 * A module: its header, and for each kernel the entry's head and body. The head declares
 * registers and loads what the body turned out to need, so the body is written first,
 * behind a gap that is large enough, and moved up to the head once that is there.
 */
#include "ptx/emit.h"

#include "base/watch.h"

static const uint64_t STATIC_SHARED_BYTES = 49152, LOCAL_BYTES = 512 * 1024;

enum { ARRAYS = 1 << GLC_OBJECT_SHARED | 1 << GLC_OBJECT_LOCAL };

static uint64_t array_bytes(const struct glc_object *object)
{
	return (uint64_t)object->length.value * glc_types[object->type].bytes;
}

static bool is_param(const struct glc_object *object)
{
	return object->kind == GLC_OBJECT_BUFFER || object->kind == GLC_OBJECT_SCALAR;
}

/* Narrow scalars travel as 32 bits. */
static enum glc_type param_type(const struct glc_object *object)
{
	if (object->kind == GLC_OBJECT_BUFFER)
		return GLC_U64;
	return object->type == GLC_BOOL ? GLC_U32 : object->type;
}

static uint64_t param_bytes(const struct glc_kernel *kernel)
{
	uint64_t bytes = 0, lengths = 0;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		uint32_t size;

		if (!is_param(object))
			continue;
		size = glc_types[param_type(object)].bytes;
		bytes = ((bytes + size - 1) & ~(uint64_t)(size - 1)) + size;
		lengths += object->length_taken ? 8 : 0;
	}
	return lengths ? ((bytes + 7) & ~UINT64_C(7)) + lengths : bytes;
}

static enum glacier_status check_limits(struct glacier_diag *diag, const struct glc_kernel *kernel)
{
	const struct glc_extent *size = kernel->workgroup;
	uint64_t shared = 0, local = 0;

	for (uint32_t dim = 0; dim < 3; dim++)
		if (!size[dim].value)
			return glc_fail(diag, GLC_GA_PTX_WORKGROUP_ZERO, kernel->pos, 'x' + (int)dim);
	if (size[0].value > 1024 || size[1].value > 1024 || size[2].value > 1024 ||
	    (uint64_t)size[0].value * size[1].value * size[2].value > 1024)
		return glc_fail(diag, GLC_GA_PTX_WORKGROUP_SIZE, kernel->pos, size[0].value, size[1].value,
				size[2].value);
	if (size[2].value > 64)
		return glc_fail(diag, GLC_GA_PTX_WORKGROUP_DEPTH, kernel->pos, size[2].value);
	if (kernel->subgroup && kernel->subgroup != 32)
		return glc_fail(diag, GLC_GA_PTX_SUBGROUP, kernel->pos, kernel->subgroup);

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];

		if (object->kind == GLC_OBJECT_SHARED)
			shared = ((shared + 15) & ~UINT64_C(15)) + array_bytes(object);
		else if (object->kind == GLC_OBJECT_LOCAL)
			local = ((local + 15) & ~UINT64_C(15)) + array_bytes(object);
		else
			continue;
		if (shared > STATIC_SHARED_BYTES)
			return glc_fail(diag, GLC_GA_PTX_SHARED, object->pos, (size_t)shared);
		if (local > LOCAL_BYTES)
			return glc_fail(diag, GLC_GA_PTX_LOCAL, object->pos, (size_t)local);
	}
	return GLACIER_OK;
}

/* KERNEL$OBJECT, and what stands behind it for a hidden length. */
static void put_symbol(struct emitter *e, uint32_t object, bool length)
{
	glc_ptx_symbol(e, object);
	if (length)
		glc_puts(&e->out, "$length");
}

static void write_param(struct emitter *e, uint32_t object, enum glc_type type, bool length, bool *first)
{
	unsigned char *at = begin_line(e);

	if (!*first)
		*at++ = ',';
	*first = false;
	at = TEXT(at, "\n\t.param ");
	memcpy(at, glc_ptx_suffix[type], 4);
	at[4] = ' ';
	e->out.at = at + 5;
	put_symbol(e, object, length);
}

static void write_params(struct emitter *e)
{
	const struct glc_kernel *kernel = e->kernel;
	bool first = true, lengths = false;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		if (!is_param(&kernel->objects[i]))
			continue;
		write_param(e, i, param_type(&kernel->objects[i]), false, &first);
		lengths |= kernel->objects[i].length_taken;
	}
	for (uint32_t i = 0; lengths && i < kernel->object_count; i++)
		if (kernel->objects[i].length_taken)
			write_param(e, i, GLC_U64, true, &first);
}

static void write_registers(struct emitter *e)
{
	static const char text[CLASS_COUNT][16] = {
		"\t.reg .pred %p<", "\t.reg .b32 %r<", "\t.reg .b64 %rd<", "\t.reg .f32 %f<", "\t.reg .f64 %fd<",
	};
	static const uint8_t bytes[CLASS_COUNT] = {15, 14, 15, 14, 15};

	for (uint32_t klass = 0; klass < CLASS_COUNT; klass++) {
		unsigned char *at;

		if (!e->counts[klass])
			continue;
		at = begin_line(e);
		memcpy(at, text[klass], 16);
		at = glc_decimal(at + bytes[klass], e->counts[klass] + 1);
		e->out.at = TEXT(at, ">;\n");
	}
}

static void write_array(struct emitter *e, uint32_t object)
{
	bool shared = e->kernel->objects[object].kind == GLC_OBJECT_SHARED;
	unsigned char *at = begin_line(e);

	e->out.at = shared ? TEXT(at, "\t.shared .align 16 .b8 ") : TEXT(at, "\t.local .align 16 .b8 ");
	put_symbol(e, object, false);
	at = begin_line(e);
	*at++ = '[';
	at = glc_decimal(at, array_bytes(&e->kernel->objects[object]));
	*at++ = ']';
	end_line(e, at);
}

/* MNEMONIC reg, [symbol]; or without brackets. */
static void write_load(struct emitter *e, enum glc_type type, uint32_t reg, uint32_t object, bool length)
{
	unsigned char *at = TEXT(begin_line(e), "\tld.param");

	memcpy(at, glc_ptx_suffix[type], 4);
	at[4] = ' ';
	at = put_register(at + 5, reg);
	e->out.at = TEXT(at, ", [");
	put_symbol(e, object, length);
	at = begin_line(e);
	*at++ = ']';
	end_line(e, at);
}

static void write_buffer(struct emitter *e, uint32_t object)
{
	uint32_t base = e->objects[object].base;
	unsigned char *at;

	write_load(e, GLC_U64, base, object, false);
	at = put_register(TEXT(begin_line(e), "\tcvta.to.global.u64 "), base);
	end_line(e, put_register(TEXT(at, ", "), base));
}

static void write_address(struct emitter *e, uint32_t object)
{
	const struct object_state *state = &e->objects[object];
	bool wide = REGISTER_CLASS(state->base) == CLASS_RD;
	unsigned char *at = begin_line(e);

	at = put_register(wide ? TEXT(at, "\tmov.u64 ") : TEXT(at, "\tmov.u32 "), state->base);
	e->out.at = TEXT(at, ", ");
	if (state->array) {
		const struct written_const *array = &e->consts.at[state->array - 1];

		glc_put(&e->out, array->prefix.at, array->prefix.bytes);
		glc_put(&e->out, array->name.at, array->name.bytes);
	} else {
		put_symbol(e, object, false);
	}
	end_line(e, begin_line(e));
}

static void write_scalar(struct emitter *e, uint32_t object)
{
	const struct object_state *state = &e->objects[object];

	if (e->kernel->objects[object].type != GLC_BOOL) {
		write_load(e, e->kernel->objects[object].type, state->base, object, false);
		return;
	}
	write_load(e, GLC_U32, state->number, object, false);
	glc_ptx_expand(e, "\tsetp.ne.u32 $d, $a, 0;\n", state->base, state->number, 0, 0);
}

/* Loads what the body turned out to use. */
static void write_prologue(struct emitter *e)
{
	for (uint32_t i = 0; i < e->kernel->object_count; i++) {
		const struct glc_object *object = &e->kernel->objects[i];
		const struct object_state *state = &e->objects[i];

		if (state->length)
			write_load(e, GLC_U64, state->length, i, true);
		if (!state->base)
			continue;
		switch ((enum glc_object_kind)object->kind) {
		case GLC_OBJECT_BUFFER:
			write_buffer(e, i);
			break;
		case GLC_OBJECT_SCALAR:
			write_scalar(e, i);
			break;
		default:
			write_address(e, i);
			break;
		}
	}
	glc_ptx_lanes_prologue(e);
}

static void write_head(struct emitter *e)
{
	const struct glc_kernel *kernel = e->kernel;
	unsigned char *at;

	e->out.at = TEXT(begin_line(e), "\n.visible .entry ");
	glc_ptx_name(e, (struct glc_name){e->prefix.at, e->prefix.bytes - 1});
	*e->out.at++ = '(';
	write_params(e);
	at = TEXT(begin_line(e), ")\n.reqntid ");
	at = glc_decimal(at, kernel->workgroup[0].value);
	at = glc_decimal(TEXT(at, ", "), kernel->workgroup[1].value);
	at = glc_decimal(TEXT(at, ", "), kernel->workgroup[2].value);
	e->out.at = TEXT(at, "\n{\n");
	write_registers(e);
	for (uint32_t i = 0; e->kinds & ARRAYS && i < kernel->object_count; i++)
		if (e->objects[i].base && (kernel->objects[i].kind == GLC_OBJECT_SHARED ||
					   kernel->objects[i].kind == GLC_OBJECT_LOCAL))
			write_array(e, i);
}

/* No head is longer: fixed text, and for each object its declarations and its part of the prologue. */
static size_t head_bound(const struct emitter *e)
{
	size_t bytes = 1024 + e->prefix.bytes;

	for (uint32_t i = 0; i < e->kernel->object_count; i++) {
		uint32_t array = e->objects[i].array;

		bytes += 2 * LINE_BYTES + 4 * ((size_t)e->prefix.bytes + e->kernel->objects[i].name.bytes);
		if (array)
			bytes += e->consts.at[array - 1].prefix.bytes + e->consts.at[array - 1].name.bytes;
	}
	return bytes;
}

/* The body first, behind a gap for the head; then the head, and the rest of the gap closed. */
static void write_entry(struct emitter *e)
{
	size_t gap = head_bound(e), head, body, head_end, body_bytes;
	struct glacier_buffer *buffer = e->out.buffer;

	glc_need(&e->out, gap + LINE_BYTES);
	if (e->out.failed)
		return;
	head = (size_t)(e->out.at - buffer->data);
	body = head + gap;
	e->out.at += gap;
	if (!glc_ptx_body(e) || e->status != GLACIER_OK)
		return;
	e->out.at = TEXT(begin_line(e), "}\n");
	/* From here on nothing may move the bytes: a line is asked for in full. */
	glc_need(&e->out, LINE_BYTES);
	if (e->out.failed)
		return;
	body_bytes = (size_t)(e->out.at - buffer->data) - body;
	e->out.at = buffer->data + head;
	write_head(e);
	write_prologue(e);
	head_end = (size_t)(e->out.at - buffer->data);
	memmove(buffer->data + head_end, buffer->data + body, body_bytes);
	e->out.at += body_bytes;
}

static enum glacier_status write_kernel(struct emitter *e, const struct glc_kernel *kernel)
{
	struct glacier_memory *memory = e->input->memory;
	enum glacier_status status = check_limits(e->diag, kernel);

	if (status != GLACIER_OK)
		return status;
	e->kernel = kernel;
	e->kinds = 0;
	for (uint32_t i = 0; i < kernel->object_count; i++)
		e->kinds |= 1u << kernel->objects[i].kind;
	/* One more of each: nothing is asked for in no bytes. */
	e->places = glc_bump(memory, ((size_t)kernel->inst_count + 1) * sizeof *e->places);
	e->spellings = glc_bump_zero(memory, ((size_t)kernel->inst_count + 1) * sizeof *e->spellings);
	e->objects = glc_bump_zero(memory, ((size_t)kernel->object_count + 1) * sizeof *e->objects);
	if (!e->places || !e->spellings || !e->objects || !glc_ptx_prefix(e))
		return glc_fail(e->diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	memset(e->counts, 0, sizeof e->counts);
	memset(&e->lanes, 0, sizeof e->lanes);
	e->labels = 0;
	e->section++;
	e->source = NULL;
	if (glc_ptx_const_arrays(e))
		write_entry(e);
	else
		e->out.failed = true;
	return e->status;
}

static enum glacier_status write_header(struct emitter *e)
{
	const struct glacier_target *target = e->input->target;
	uint64_t most_bytes = 0;
	uint32_t pos = 0;
	enum glacier_status status;
	unsigned char *at;

	for (uint32_t i = 0; i < e->ir->kernel_count; i++) {
		uint64_t bytes;

		/* Eight bytes each, and as many for the length: of some, nothing needs to be added up. */
		if (e->ir->kernels[i].object_count <= GLC_PTX_SMALL_PARAM_BYTES / 16)
			continue;
		bytes = param_bytes(&e->ir->kernels[i]);
		if (bytes > most_bytes) {
			most_bytes = bytes;
			pos = e->ir->kernels[i].pos;
		}
	}
	status = glc_ptx_choose_isa(e, most_bytes, pos);
	if (status != GLACIER_OK)
		return status;
	at = glc_decimal(TEXT(begin_line(e), ".version "), e->isa / 10);
	*at++ = '.';
	at = glc_decimal(at, e->isa % 10);
	at = glc_decimal(TEXT(at, "\n.target sm_"), target->arch);
	e->out.at = TEXT(at, "\n.address_size 64\n");
	if (e->input->options->debug)
		glc_ptx_files(e);
	return GLACIER_OK;
}

static uint64_t written(const struct emitter *e)
{
	return e->out.failed ? 0 : (uint64_t)(e->out.at - e->out.buffer->data);
}

enum glacier_status glc_ptx_write(const struct glc_backend_input *input,
				  struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	struct emitter e = {.input = input, .ir = input->ir, .diag = diag};
	enum glacier_status status;

	glc_writer_begin(&e.out, buffer);
	status = write_header(&e);
	for (uint32_t i = 0; i < input->ir->kernel_count && status == GLACIER_OK && !e.out.failed; i++) {
		struct glc_watch watch = glc_watch_start(input->options->stats);
		uint64_t begun = written(&e);

		status = write_kernel(&e, &input->ir->kernels[i]);
		if (status == GLACIER_OK)
			glc_watch_stop_kernel(&watch, GLACIER_PHASE_WRITE, input->target, &input->ir->kernels[i],
					      written(&e) - begun);
	}
	if (!glc_writer_end(&e.out) && status == GLACIER_OK)
		status = glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	return status;
}
