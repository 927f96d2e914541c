/* SPDX-License-Identifier: MIT */
#include "ir/ir_print.h"

#include "ir/print.h"

static const char mod_names[8][14] = {
	".approx", ".raw", ".unused", ".unreachable", ".open", ".unroll", ".dead", ".rest",
};

static void value(struct glc_writer *out, const struct glc_ir *ir, glc_value v)
{
	const struct glc_const *c;

	/* An edge's slot without a Phi may hold a register that was never set. */
	if (v == GLC_NO_VALUE || (glc_is_const(v) && (v & ~GLC_CONST_BIT) >= ir->const_count)) {
		glc_putc(out, '_');
		return;
	}
	if (!glc_is_const(v)) {
		glc_putc(out, '%');
		glc_print_number(out, v);
		return;
	}
	c = glc_const_at(ir, v);
	if (c->type == GLC_BOOL)
		glc_print_string(out, c->bits ? "true" : "false");
	else if (c->type == GLC_F32)
		glc_printf(out, "0f%08llx", (unsigned long long)c->bits);
	else if (c->type == GLC_F64)
		glc_printf(out, "0d%016llx", (unsigned long long)c->bits);
	else if (c->type == GLC_I32)
		glc_printf(out, "%d", (int32_t)c->bits);
	else if (c->type == GLC_I64)
		glc_printf(out, "%lld", (long long)c->bits);
	else
		glc_print_number(out, c->bits);
	/* A literal does not say its type, and nothing is inferred. */
	glc_printf(out, ":%s", glc_types[c->type].name);
}

static void values(struct glc_writer *out, const struct glc_ir *ir, const struct glc_inst *inst, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		glc_print_string(out, i ? ", " : " ");
		value(out, ir, inst->arg[i]);
	}
}

/* What goes along an edge: the values for the Phis behind Continuing or EndLoop. */
static void edge(struct glc_writer *out, const struct glc_ir *ir, const struct glc_kernel *kernel,
		 uint32_t list, uint32_t slots)
{
	glc_puts(out, " (");
	for (uint32_t i = 0; i < slots; i++) {
		glc_print_string(out, i ? ", " : "");
		value(out, ir, kernel->edge_values[list + i]);
	}
	glc_putc(out, ')');
}

static uint32_t arg_count(const struct glc_inst *inst)
{
	uint32_t count = 4;

	while (count && inst->arg[count - 1] == GLC_NO_VALUE)
		count--;
	return count;
}

static void structure(struct glc_writer *out, const struct glc_ir *ir, const struct glc_kernel *kernel,
		      const struct glc_inst *inst, const struct glc_inst *loop)
{
	switch (inst->op) {
	case GLC_OP_If:
		values(out, ir, inst, 1);
		break;
	case GLC_OP_Break:
	case GLC_OP_Continue:
		edge(out, ir, kernel, inst->arg[0], loop->arg[0]);
		break;
	case GLC_OP_Continuing:
		if (inst->mods & GLC_MOD_OPEN)
			edge(out, ir, kernel, inst->arg[1], loop->arg[0]);
		break;
	case GLC_OP_EndLoop:
		if (inst->arg[0] == GLC_NO_VALUE)
			break;
		glc_puts(out, " leave if");
		values(out, ir, inst, 1);
		edge(out, ir, kernel, inst->arg[1], loop->arg[0]);
		break;
	}
}

static void phi(struct glc_writer *out, const struct glc_ir *ir, const struct glc_kernel *kernel, uint32_t index)
{
	uint32_t owner = index;

	while (kernel->insts[owner].op == GLC_OP_Phi)
		owner--;
	if (kernel->insts[owner].op == GLC_OP_Continuing || kernel->insts[owner].op == GLC_OP_EndLoop)
		glc_printf(out, " slot %u", kernel->insts[index].arg[0]);
	else
		values(out, ir, &kernel->insts[index], 2);
}

static bool is_structure(enum glc_op op)
{
	return op >= GLC_OP_If;
}

static bool has_object(const struct glc_inst *inst)
{
	static const char letters[] = "ghmlk";
	const char *operands = glc_ops[inst->op].operands;

	return inst->op == GLC_OP_Param || inst->op == GLC_OP_Spec || (*operands && strchr(letters, *operands));
}

void glc_print_inst(const struct glc_ir *ir, const struct glc_kernel *kernel, uint32_t index,
		    uint32_t loop, struct glc_writer *out)
{
	const struct glc_inst *inst = &kernel->insts[index];
	const struct glc_op_facts *facts = &glc_ops[inst->op];
	bool has_result = facts->result != '-' && !(inst->mods & GLC_MOD_UNUSED);
	bool compares = facts->result == 'B' || facts->result == 'W';
	uint32_t detail = inst->detail;

	if (has_result)
		glc_printf(out, "%%%u: %s = ", index, glc_types[inst->type].name);
	glc_print_string(out, glc_op_name(inst->op));
	if (facts->types && inst->op != GLC_OP_Phi)
		glc_printf(out, ".%s", glc_types[compares ? inst->from : inst->type].name);
	if (facts->flags & GLC_TWO)
		glc_printf(out, ".%s", glc_types[inst->from].name);
	if (facts->flags & GLC_DIM)
		glc_printf(out, ".%c", 'x' + (int)detail);
	if ((facts->flags & GLC_SCOPE) && detail)
		glc_printf(out, ".order%u.scope%u", (unsigned)GLC_DETAIL_ORDER(detail),
			   (unsigned)GLC_DETAIL_SCOPE(detail));
	for (int bit = 0; bit < 8; bit++)
		if (inst->mods >> bit & 1)
			glc_print_string(out, mod_names[bit]);
	if (has_object(inst)) {
		glc_puts(out, " @");
		glc_print_name(out, kernel->objects[inst->object].name);
	}
	if (inst->op == GLC_OP_Phi)
		phi(out, ir, kernel, index);
	else if (is_structure(inst->op))
		structure(out, ir, kernel, inst, &kernel->insts[loop]);
	else {
		if (has_object(inst) && arg_count(inst))
			glc_putc(out, ',');
		values(out, ir, inst, arg_count(inst));
	}
}

static void object(struct glc_writer *out, const struct glc_object *object)
{
	static const char kinds[][8] = {"buffer", "scalar", "spec", "shared", "local", "const"};

	glc_puts(out, "  @");
	glc_print_name(out, object->name);
	glc_printf(out, ": %s %s", kinds[object->kind], glc_types[object->type].name);
	switch (object->kind) {
	case GLC_OBJECT_BUFFER:
		glc_printf(out, " %s set %u binding %u", glc_access_name(object->access), object->set,
			   object->binding);
		if (object->atomic)
			glc_puts(out, " atomic");
		if (object->length_taken)
			glc_puts(out, " length");
		break;
	case GLC_OBJECT_SCALAR:
		glc_printf(out, " offset %u", object->offset);
		break;
	case GLC_OBJECT_SPEC:
		glc_printf(out, " id %u bits 0x%llx", object->spec_id, (unsigned long long)object->spec_bits);
		break;
	default:
		glc_printf(out, "[%u]", object->length.value);
	}
	glc_putc(out, '\n');
}

/* The Loops around the line that is being written. */
struct nest {
	struct glacier_memory *memory;
	GLC_ARRAY(uint32_t) loops;
};

static uint32_t innermost(const struct nest *nest)
{
	return nest->loops.count ? nest->loops.at[nest->loops.count - 1] : 0;
}

static void kernel_ir(const struct glc_ir *ir, const struct glc_kernel *kernel, struct nest *nest,
		      struct glc_writer *out)
{
	uint32_t depth = 1, *loop;

	glc_puts(out, "kernel ");
	glc_print_name(out, kernel->name);
	glc_printf(out, " workgroup %u %u %u", kernel->workgroup[0].value, kernel->workgroup[1].value,
		   kernel->workgroup[2].value);
	if (kernel->subgroup)
		glc_printf(out, " subgroup %u", kernel->subgroup);
	glc_puts(out, " {\n");
	for (uint32_t i = 0; i < kernel->object_count; i++)
		object(out, &kernel->objects[i]);
	for (uint32_t i = 0; i < kernel->inst_count; i++) {
		enum glc_op op = kernel->insts[i].op;
		bool closes = op == GLC_OP_Else || op == GLC_OP_EndIf || op == GLC_OP_Continuing ||
			      op == GLC_OP_EndLoop;
		bool opens = op == GLC_OP_If || op == GLC_OP_Else || op == GLC_OP_Loop ||
			     op == GLC_OP_Continuing;

		depth -= closes && depth > 1;
		glc_print_spaces(out, 2 * depth);
		glc_print_inst(ir, kernel, i, innermost(nest), out);
		glc_putc(out, '\n');
		depth += opens;
		if (op == GLC_OP_EndLoop)
			nest->loops.count--;
		if (op != GLC_OP_Loop)
			continue;
		loop = GLC_PUSH(nest->memory, &nest->loops);
		if (!loop) {
			out->failed = true;
			return;
		}
		*loop = i;
	}
	glc_puts(out, "}\n");
}

void glc_print_ir(const struct glc_ir *ir, struct glacier_memory *memory, struct glc_writer *out)
{
	struct nest nest = {.memory = memory};

	for (uint32_t i = 0; i < ir->kernel_count; i++) {
		glc_put(out, "\n", i > 0);
		kernel_ir(ir, &ir->kernels[i], &nest, out);
	}
}
