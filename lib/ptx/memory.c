/* SPDX-License-Identifier: MIT */
/*
 * Buffers, arrays, atomics. A base address is loaded once, in the prologue, into a register
 * of 64 bits, or of 32 for shared memory, whose window is small.
 */
#include "ptx/emit.h"

#include <stdlib.h>

static const uint64_t CONST_BANK_BYTES = 65536;

uint32_t glc_ptx_object(struct emitter *e, uint32_t index)
{
	const struct glc_object *object = &e->kernel->objects[index];
	struct object_state *state = &e->objects[index];

	if (state->base)
		return state->base;
	state->base = new_register(e, object->kind == GLC_OBJECT_SHARED   ? CLASS_R
				      : object->kind == GLC_OBJECT_SCALAR ? glc_ptx_class[object->type]
									  : CLASS_RD);
	if (object->kind == GLC_OBJECT_SCALAR && object->type == GLC_BOOL)
		state->number = new_register(e, CLASS_R);
	return state->base;
}

uint32_t glc_ptx_length(struct emitter *e, uint32_t index)
{
	struct object_state *state = &e->objects[index];

	if (!state->length)
		state->length = new_register(e, CLASS_RD);
	return state->length;
}

/* A prefix is mostly shorter, and is then copied whole, with what stands behind it. */
enum { PREFIX_ROOM = 16 };

bool glc_ptx_prefix(struct emitter *e)
{
	const struct glc_name *name = &e->kernel->name;
	uint32_t underscores = glc_ptx_underscores(e->ir, e->kernel);
	char *prefix = glc_bump(e->input->memory, (size_t)name->bytes + underscores + PREFIX_ROOM);

	if (!prefix)
		return false;
	memcpy(prefix, name->at, name->bytes);
	memset(prefix + name->bytes, '_', underscores);
	prefix[name->bytes + underscores] = '$';
	e->prefix = (struct glc_name){prefix, name->bytes + underscores + 1};
	return true;
}

/* Most names are short, and not worth a call: their ends are copied, which overlap. */
static inline unsigned char *put_name(unsigned char *at, struct glc_name name)
{
	if (name.bytes > 16) {
		memcpy(at, name.at, name.bytes);
	} else if (name.bytes >= 8) {
		memcpy(at, name.at, 8);
		memcpy(at + name.bytes - 8, name.at + name.bytes - 8, 8);
	} else if (name.bytes >= 4) {
		memcpy(at, name.at, 4);
		memcpy(at + name.bytes - 4, name.at + name.bytes - 4, 4);
	} else if (name.bytes) {
		at[0] = (unsigned char)name.at[0];
		at[name.bytes / 2] = (unsigned char)name.at[name.bytes / 2];
		at[name.bytes - 1] = (unsigned char)name.at[name.bytes - 1];
	}
	return at + name.bytes;
}

/* Behind a name the rest of a line. */
void glc_ptx_name(struct emitter *e, struct glc_name name)
{
	glc_need(&e->out, (size_t)name.bytes + LINE_BYTES);
	if (!e->out.failed)
		e->out.at = put_name(e->out.at, name);
}

void glc_ptx_symbol(struct emitter *e, uint32_t object)
{
	const struct glc_name *name = &e->kernel->objects[object].name;

	glc_need(&e->out, (size_t)e->prefix.bytes + name->bytes + LINE_BYTES);
	if (e->out.failed)
		return;
	memcpy(e->out.at, e->prefix.at, PREFIX_ROOM);
	if (e->prefix.bytes > PREFIX_ROOM)
		memcpy(e->out.at, e->prefix.at, e->prefix.bytes);
	e->out.at = put_name(e->out.at + e->prefix.bytes, *name);
}

struct address {
	uint32_t base;
	int64_t offset;    /* bytes; fits in 32 bits */
};

/* What the instruction formats of all architectures have room for. */
static const int64_t LARGEST_OFFSET = 1 << 20;

/*
 * The constants that an index of 32 bits adds are taken off it, and are bytes of the offset. In the
 * window of shared memory addresses wrap as indices do. An address of 64 bits is another one
 * where the index wraps: there only additions count of which it is known that they do not.
 */
static glc_value take_offset(const struct emitter *e, glc_value index, uint32_t bytes, bool wide, int64_t *offset)
{
	const struct glc_inst *inst;

	for (; !glc_is_const(index); index = inst->arg[0]) {
		int64_t more;

		inst = &e->kernel->insts[index];
		if ((inst->op != GLC_OP_Add && inst->op != GLC_OP_Sub) || inst->type != GLC_U32 ||
		    glc_is_const(inst->arg[0]) || !glc_is_const(inst->arg[1]) || (wide && !(inst->mods & GLC_MOD_RAW)))
			break;
		more = (int32_t)glc_const_at(e->ir, inst->arg[1])->bits;
		more = *offset + (inst->op == GLC_OP_Add ? more : -more) * (int64_t)bytes;
		if (more > LARGEST_OFFSET || more < -LARGEST_OFFSET)
			break;
		*offset = more;
	}
	return index;
}

/* The index of 32 bits times the size, in 64. */
static uint32_t scaled_index(struct emitter *e, uint32_t index, uint32_t bytes)
{
	struct written_address *product = &e->product;
	unsigned char *at;

	if (product->index == index && product->bytes == bytes && product->section == e->section)
		return product->reg;
	*product = (struct written_address){0, index, bytes, new_register(e, CLASS_RD), e->section};
	at = TEXT(begin_line(e), "\tmul.wide.u32 ");
	at = TEXT(put_register(at, product->reg), ", ");
	at = TEXT(put_register(at, index), ", ");
	*at++ = (unsigned char)('0' + bytes);
	end_line(e, at);
	return product->reg;
}

/*
 * base + index * bytes, in a register. Kernels access several elements near one index, and ptxas does
 * not find all of them.
 */
static uint32_t sum_of(struct emitter *e, uint32_t base, uint32_t index, uint32_t bytes)
{
	struct written_address *known = &e->addresses[(base + index) % ADDRESSES];
	bool wide = REGISTER_CLASS(base) == CLASS_RD;
	uint32_t product, sum;
	unsigned char *at;

	if (known->base == base && known->index == index && known->section == e->section)
		return known->reg;
	/* ptxas makes one instruction of a product and a sum, and two of mad.wide. */
	product = wide ? scaled_index(e, index, bytes) : 0;
	sum = new_register(e, wide ? CLASS_RD : CLASS_R);
	at = wide ? TEXT(begin_line(e), "\tadd.s64 ") : TEXT(begin_line(e), "\tmad.lo.u32 ");
	at = TEXT(put_register(at, sum), ", ");
	if (wide) {
		at = TEXT(put_register(at, base), ", ");
		end_line(e, put_register(at, product));
	} else {
		at = TEXT(put_register(at, index), ", ");
		*at++ = (unsigned char)('0' + bytes);
		at = TEXT(at, ", ");
		end_line(e, put_register(at, base));
	}
	*known = (struct written_address){base, index, bytes, sum, e->section};
	return sum;
}

static struct address address_of(struct emitter *e, const struct glc_inst *inst, enum glc_type element)
{
	struct address address = {.base = glc_ptx_object(e, inst->object)};
	uint32_t bytes = glc_types[element].bytes, index, sum;
	bool wide = REGISTER_CLASS(address.base) == CLASS_RD;
	unsigned char *at;

	index = operand(e, take_offset(e, inst->arg[0], bytes, wide, &address.offset));
	if (glc_is_const(index)) {
		/* Beyond 2^64 bytes is out of bounds: any address will do. */
		uint64_t offset = glc_const_at(e->ir, index)->bits * bytes;

		if (offset <= INT32_MAX) {
			address.offset = (int64_t)offset;
			return address;
		}
		sum = new_register(e, wide ? CLASS_RD : CLASS_R);
		at = wide ? TEXT(begin_line(e), "\tadd.u64 ") : TEXT(begin_line(e), "\tadd.u32 ");
		at = TEXT(put_register(at, sum), ", ");
		at = TEXT(put_register(at, address.base), ", ");
		end_line(e, glc_decimal(at, wide ? offset : (uint32_t)offset));
		address.base = sum;
		return address;
	}
	if (wide && REGISTER_CLASS(index) == CLASS_RD) {
		sum = new_register(e, CLASS_RD);
		glc_ptx_expand(e, bytes == 8   ? "\tshl.b64 $l, $a, 3;\n\tadd.s64 $d, $b, $l;\n"
				  : bytes == 4 ? "\tshl.b64 $l, $a, 2;\n\tadd.s64 $d, $b, $l;\n"
				  : bytes == 2 ? "\tshl.b64 $l, $a, 1;\n\tadd.s64 $d, $b, $l;\n"
					       : "\tadd.s64 $d, $b, $a;\n",
			       sum, index, address.base, 0);
		address.base = sum;
		return address;
	}
	if (REGISTER_CLASS(index) == CLASS_RD) {
		uint32_t narrow = new_register(e, CLASS_R);

		glc_ptx_expand(e, "\tcvt.u32.u64 $d, $a;\n", narrow, index, 0, 0);
		index = narrow;
	}
	address.base = sum_of(e, address.base, index, bytes);
	return address;
}

static unsigned char *put_address(unsigned char *at, struct address address)
{
	*at++ = '[';
	at = put_register(at, address.base);
	if (address.offset) {
		*at++ = '+';
		if (address.offset < 0)
			*at++ = '-';
		at = glc_decimal(at, (uint64_t)llabs(address.offset));
	}
	*at++ = ']';
	return at;
}

static unsigned char *put_suffix(unsigned char *at, enum glc_type type)
{
	memcpy(at, glc_ptx_suffix[type], 4);
	at[4] = ' ';
	return at + 5;
}

static void load(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	const struct glc_object *object = &e->kernel->objects[inst->object];
	struct address address = address_of(e, inst, inst->type);
	uint32_t d = new_register(e, glc_ptx_class[inst->type]);
	unsigned char *at = begin_line(e);

	switch ((enum glc_op)inst->op) {
	case GLC_OP_LoadShared: at = TEXT(at, "\tld.shared"); break;
	case GLC_OP_LoadLocal: at = TEXT(at, "\tld.local"); break;
	case GLC_OP_LoadConst:
		at = e->consts.at[e->objects[inst->object].array - 1].spilled ? TEXT(at, "\tld.global.nc") : TEXT(at, "\tld.const");
		break;
	default:
		/* Nobody writes it while the kernel runs: the language forbids overlap. */
		at = object->access == GLC_READ ? TEXT(at, "\tld.global.nc") : TEXT(at, "\tld.global");
		break;
	}
	at = put_suffix(at, inst->type);
	at = TEXT(put_register(at, d), ", ");
	end_line(e, put_address(at, address));
	e->places[index] = d;
}

static void store(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = &e->kernel->insts[index];
	struct address address = address_of(e, inst, inst->type);
	unsigned char *at = begin_line(e);

	switch ((enum glc_op)inst->op) {
	case GLC_OP_StoreShared: at = TEXT(at, "\tst.shared"); break;
	case GLC_OP_StoreLocal: at = TEXT(at, "\tst.local"); break;
	default: at = TEXT(at, "\tst.global"); break;
	}
	at = put_suffix(at, inst->type);
	at = TEXT(put_address(at, address), ", ");
	end_line(e, put_value(e, at, inst->arg[1]));
}

void glc_ptx_memory(struct emitter *e, uint32_t index)
{
	switch ((enum glc_op)e->kernel->insts[index].op) {
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
	case GLC_OP_StoreLocal:
		store(e, index);
		return;
	default:
		load(e, index);
		return;
	}
}

void glc_ptx_atomic_add(struct emitter *e, uint32_t index)
{
	static const char orders[4][8] = {"relaxed", "acquire", "release", "acq_rel"};
	static const char scopes[4][4] = {"", "cta", "gpu", "sys"};
	const struct glc_inst *inst = &e->kernel->insts[index];
	bool shared = e->kernel->objects[inst->object].kind == GLC_OBJECT_SHARED;
	enum glc_order order = GLC_DETAIL_ORDER(inst->detail);
	enum glc_scope scope = GLC_DETAIL_SCOPE(inst->detail);
	/* red has no acquire: then the old value is fetched and left. */
	bool reduce = inst->mods & GLC_MOD_UNUSED && (order == GLC_ORDER_RELAXED || order == GLC_ORDER_RELEASE);
	struct address address = address_of(e, inst, inst->type);
	unsigned char *at;

	if (scope == GLC_SCOPE_NONE)
		scope = shared ? GLC_SCOPE_WORKGROUP : GLC_SCOPE_DEVICE;
	glc_ptx_require(e, reduce ? FEATURE_RED : FEATURE_ATOM, inst->pos);
	at = begin_line(e);
	at = reduce ? TEXT(at, "\tred.") : TEXT(at, "\tatom.");
	at = (unsigned char *)memcpy(at, orders[order], 7) + 7;
	*at++ = '.';
	at = (unsigned char *)memcpy(at, scopes[scope], 3) + 3;
	at = shared ? TEXT(at, ".shared.add") : TEXT(at, ".global.add");
	/* Wrapping is the same for both signs; .s32 is there, .s64 is not. */
	at = put_suffix(at, glc_is_int(inst->type) ? glc_unsigned_of(inst->type) : inst->type);
	if (!reduce) {
		uint32_t d = new_register(e, glc_ptx_class[inst->type]);

		at = TEXT(put_register(at, d), ", ");
		e->places[index] = d;
	}
	at = TEXT(put_address(at, address), ", ");
	end_line(e, put_value(e, at, inst->arg[1]));
}

/* The slot of an array with these values, or the free one where it belongs. */
static uint32_t slot_of(const struct emitter *e, const uint64_t *values, uint8_t type)
{
	uint32_t slot = (uint32_t)(((uint64_t)(uintptr_t)values >> 4) * 0x9e3779b97f4a7c15u >> 32);

	for (slot &= e->const_mask; e->const_slots[slot]; slot = (slot + 1) & e->const_mask) {
		const struct written_const *array = &e->consts.at[e->const_slots[slot] - 1];

		if (array->values == values && array->type == type)
			break;
	}
	return slot;
}

static bool grow_slots(struct emitter *e)
{
	uint32_t size = e->const_slots ? (e->const_mask + 1) * 2 : 64;

	if (e->const_slots && e->consts.count < size / 4)
		return true;
	e->const_slots = glc_bump_zero(e->input->memory, size * sizeof *e->const_slots);
	if (!e->const_slots)
		return false;
	e->const_mask = size - 1;
	for (uint32_t i = 0; i < e->consts.count; i++)
		e->const_slots[slot_of(e, e->consts.at[i].values, e->consts.at[i].type)] = i + 1;
	return true;
}

static void write_array(struct emitter *e, uint32_t index, bool spilled)
{
	const struct glc_object *object = &e->kernel->objects[index];
	uint32_t count = object->length.value;
	bool wide = glc_bits(object->type) == 64;
	unsigned char *at = begin_line(e);

	at = spilled ? TEXT(at, ".global .align 16 ") : TEXT(at, ".const .align 16 ");
	e->out.at = wide ? TEXT(at, ".b64 ") : TEXT(at, ".b32 ");
	glc_ptx_symbol(e, index);
	at = begin_line(e);
	*at++ = '[';
	e->out.at = TEXT(glc_decimal(at, count), "] = {");
	for (uint32_t i = 0; i < count; i++) {
		at = begin_line(e);
		if (i)
			*at++ = ',';
		at = i % 8 ? TEXT(at, " ") : TEXT(at, "\n\t");
		e->out.at = glc_decimal(at, object->values[i]);
	}
	glc_puts(&e->out, "\n};\n");
}

/* A constant array that the kernel loads from: written now, unless a kernel before did. */
static bool need_array(struct emitter *e, uint32_t index)
{
	const struct glc_object *object = &e->kernel->objects[index];
	struct object_state *state = &e->objects[index];
	struct written_const *array;
	uint64_t bytes;
	uint32_t slot;

	if (state->array)
		return true;
	if (!grow_slots(e))
		return false;
	slot = slot_of(e, object->values, object->type);
	if (!e->const_slots[slot]) {
		array = GLC_PUSH(e->input->memory, &e->consts);
		if (!array)
			return false;
		e->const_slots[slot] = e->consts.count;
		bytes = ((uint64_t)object->length.value * glc_types[object->type].bytes + 15) & ~UINT64_C(15);
		*array = (struct written_const){
			.values = object->values,
			.prefix = e->prefix,
			.name = object->name,
			.type = object->type,
			.spilled = bytes > CONST_BANK_BYTES - e->const_bytes,
		};
		if (!array->spilled)
			e->const_bytes += bytes;
		write_array(e, index, array->spilled);
	}
	array = &e->consts.at[e->const_slots[slot] - 1];
	state->array = e->const_slots[slot];
	return true;
}

bool glc_ptx_const_arrays(struct emitter *e)
{
	const struct glc_kernel *kernel = e->kernel;

	if (!(e->kinds >> GLC_OBJECT_CONST & 1))
		return true;
	for (uint32_t i = 0; i < kernel->inst_count; i++)
		if (kernel->insts[i].op == GLC_OP_LoadConst && !need_array(e, kernel->insts[i].object))
			return false;
	return true;
}
