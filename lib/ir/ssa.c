/* SPDX-License-Identifier: MIT */
/* The walk over a kernel's statements. */
#include "ir/ssa.h"
#include "ir/stream.h"

#include "base/watch.h"

#include <string.h>

enum {
	MAX_UNROLL = 1024,
	MAX_INSTS = 1 << 22,   /* of one kernel: unrolling in unrolling must end somewhere */
};

/* --- Instructions -------------------------------------------------------- */

static const char *kind_name(uint8_t kind)
{
	switch (kind) {
	case GLC_OBJECT_BUFFER: return "a buffer";
	case GLC_OBJECT_SCALAR: return "a scalar";
	case GLC_OBJECT_SPEC: return "a specialization constant";
	case GLC_OBJECT_SHARED: return "a shared array";
	case GLC_OBJECT_LOCAL: return "a local array";
	}
	return "a const array";
}

static bool fits(char letter, uint8_t kind)
{
	switch (letter) {
	case 'g': return kind == GLC_OBJECT_BUFFER;
	case 'h': return kind == GLC_OBJECT_SHARED;
	case 'l': return kind == GLC_OBJECT_LOCAL;
	case 'k': return kind == GLC_OBJECT_CONST;
	}
	return kind == GLC_OBJECT_BUFFER || kind == GLC_OBJECT_SHARED;
}

static const char *wanted_kind(char letter)
{
	switch (letter) {
	case 'g': return "a buffer";
	case 'h': return "a shared array";
	case 'l': return "a local array";
	case 'k': return "a const array";
	}
	return "a buffer or a shared array";
}

/* What an opcode does with its memory object. */
static enum glc_access access_of(enum glc_op op)
{
	switch (op) {
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
	case GLC_OP_StoreLocal:
		return GLC_WRITE;
	case GLC_OP_AtomicAdd:
		return GLC_READWRITE;
	case GLC_OP_Length:
		return 0;
	default:
		return GLC_READ;
	}
}

static bool memory_object(struct ssa *s, const struct glc_stmt *stmt, struct glc_operand operand,
			  char letter, struct glc_inst *inst)
{
	static const char *const texts[] = {"", "read", "written", "read and written"};
	struct glc_object *object;
	enum glc_access access = access_of(stmt->op);

	if (operand.kind != GLC_OBJECT) {
		struct glc_name name = glc_operand_name(s->tree, s->source, operand);

		glc_fail(s->diag, GLC_GA_WANTS_OBJECT, operand.pos, glc_op_name(stmt->op),
			 wanted_kind(letter), operand.kind == GLC_REGISTER ? "%" : "",
			 (int)name.bytes > 64 ? 64 : (int)name.bytes, name.at);
		return false;
	}
	object = &s->kernel->objects[operand.index];
	if (!fits(letter, object->kind)) {
		glc_fail(s->diag, GLC_GA_WRONG_OBJECT, operand.pos, glc_op_name(stmt->op),
			 wanted_kind(letter), (int)object->name.bytes, object->name.at,
			 kind_name(object->kind));
		return false;
	}
	inst->object = (uint16_t)operand.index;
	if (stmt->op == GLC_OP_Length) {
		object->length_taken = true;
		return true;
	}
	if (object->type != stmt->type) {
		glc_fail(s->diag, GLC_GA_ELEMENT_TYPE, operand.pos, (int)object->name.bytes,
			 object->name.at, glc_types[object->type].name, glc_op_name(stmt->op),
			 glc_types[stmt->type].name);
		return false;
	}
	if (object->kind == GLC_OBJECT_BUFFER && (access & ~object->access)) {
		glc_fail(s->diag, GLC_GA_ACCESS, operand.pos, (int)object->name.bytes, object->name.at,
			 texts[access]);
		return false;
	}
	object->used |= (uint8_t)access;
	if (stmt->op == GLC_OP_AtomicAdd)
		object->atomic = true;
	return true;
}

/* Reads the operands that the row asks for into inst. */
static bool read_operands(struct ssa *s, const struct glc_stmt *stmt, struct glc_inst *inst)
{
	const struct glc_operand *operands = &s->tree->operands.at[stmt->operands];
	const char *letters = glc_ops[stmt->op].operands;
	uint32_t wanted = glc_ops[stmt->op].operand_count, args = 0;
	enum glc_type index_type;
	bool good = true;

	if (stmt->operand_count != wanted) {
		glc_fail(s->diag, GLC_GA_OPERAND_COUNT, stmt->pos, glc_op_name(stmt->op), wanted,
			 stmt->operand_count);
		return false;
	}
	for (uint32_t i = 0; i < wanted; i++) {
		struct glc_operand operand = operands[i];
		glc_value *arg = &inst->arg[args];

		switch (letters[i]) {
		case 'v':
			good &= glc_ssa_value(s, operand, stmt->type, arg);
			break;
		case 'f':
			good &= glc_ssa_value(s, operand, stmt->from, arg);
			break;
		case 'b':
			good &= glc_ssa_value(s, operand, GLC_BOOL, arg);
			break;
		case 'u':
			good &= glc_ssa_value(s, operand, GLC_U32, arg);
			break;
		case 'e':
			good &= glc_ssa_value(s, operand, GLC_I32, arg);
			break;
		case 's':
			good &= glc_ssa_shift(s, operand, stmt->type, arg);
			break;
		case 'i':
			good &= glc_ssa_index(s, operand, arg, &index_type);
			inst->from = (uint8_t)index_type;
			break;
		case 'n':
			if (operand.kind != GLC_LITERAL) {
				glc_fail(s->diag, GLC_GA_WANTS_LITERAL, operand.pos,
					 glc_op_name(stmt->op));
				good = false;
				break;
			}
			good &= glc_ssa_value(s, operand, stmt->type, arg);
			break;
		default:
			/* The wrong object tells nothing of the others: often two have changed places. */
			if (!memory_object(s, stmt, operand, letters[i], inst))
				return false;
			continue;   /* an object is no argument */
		}
		args++;
	}
	return good;
}

/* The type of the result, or GLC_VOID when the row has none. */
static enum glc_type result_type(const struct glc_stmt *stmt)
{
	char result = glc_ops[stmt->op].result;

	if (result == 'T' || result == '?')
		return stmt->type;
	switch (result) {
	case 'B': return GLC_BOOL;
	case 'U': return GLC_U32;
	case 'W': return stmt->type == GLC_I32 ? GLC_I64 : GLC_U64;
	}
	return GLC_VOID;
}

/* What cannot be said by the table. */
static bool check_special(struct ssa *s, const struct glc_stmt *stmt)
{
	if (stmt->op == GLC_OP_Bitcast && glc_bits(stmt->type) != glc_bits(stmt->from)) {
		glc_fail(s->diag, GLC_GA_BITCAST_WIDTH, stmt->pos, glc_types[stmt->type].name,
			 glc_types[stmt->from].name);
		return false;
	}
	return true;
}

/* An element of a const array, known where its index is. */
static glc_value load_const(struct ssa *s, const struct glc_inst *inst)
{
	const struct glc_object *object = &s->kernel->objects[inst->object];
	uint64_t index;

	if (s->b.optimize && glc_is_const(inst->arg[0])) {
		index = s->b.consts.at[inst->arg[0] & ~GLC_CONST_BIT].bits;
		if (index < object->length.value)
			return glc_const_bits(&s->b, object->type, object->values[index]);
	}
	return glc_emit_inst(&s->b, inst);
}

static void instruction(struct ssa *s, const struct glc_stmt *stmt)
{
	const struct glc_op_facts *facts = &glc_ops[stmt->op];
	enum glc_type type = result_type(stmt);
	struct glc_inst inst = {
		.op = stmt->op,
		.type = type == GLC_VOID ? stmt->type : (uint8_t)type,
		.from = stmt->from,
		.mods = stmt->mods,
		/* The fence of every target orders both ways: an order that is written asks for no more. */
		.detail = stmt->op == GLC_OP_Fence ? GLC_DETAIL_SCOPE(stmt->detail) : stmt->detail,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};
	bool good = read_operands(s, stmt, &inst) && check_special(s, stmt);
	glc_value value;

	if (stmt->result == GLC_NO_VALUE && type != GLC_VOID && facts->result != '?') {
		glc_fail(s->diag, GLC_GA_NO_RESULT, stmt->pos, glc_op_name(stmt->op));
		return;
	}
	if (stmt->result != GLC_NO_VALUE && type == GLC_VOID) {
		glc_fail(s->diag, GLC_GA_STRAY_RESULT, stmt->result_pos, glc_op_name(stmt->op));
		return;
	}
	if (!good) {
		/* The result has its type all the same: one mistake, one message. */
		if (stmt->result != GLC_NO_VALUE && s->regs[stmt->result].type == GLC_VOID)
			glc_ssa_define(s, stmt->result, type, glc_const_bits(&s->b, type, 0), stmt->result_pos);
		else if (stmt->result != GLC_NO_VALUE && !s->regs[stmt->result].counter)
			glc_ssa_write(s, stmt->result,
				      glc_const_bits(&s->b, s->regs[stmt->result].type, 0));
		return;
	}
	if (facts->flags & GLC_CONVERGE)
		s->kernel->converges = true;
	if (stmt->op == GLC_OP_BarrierSync || stmt->op == GLC_OP_Fence ||
	    (stmt->op == GLC_OP_AtomicAdd && GLC_DETAIL_ORDER(stmt->detail) != GLC_ORDER_RELAXED))
		s->kernel->coherent = true;

	switch (stmt->op) {
	case GLC_OP_Nop:
		return;
	case GLC_OP_Mov:
	case GLC_OP_LoadConstant:
		value = inst.arg[0];
		break;
	case GLC_OP_LoadConst:
		value = load_const(s, &inst);
		break;
	case GLC_OP_AtomicAdd:
		if (stmt->result == GLC_NO_VALUE)
			inst.mods |= GLC_MOD_UNUSED;
		value = glc_emit_inst(&s->b, &inst);
		break;
	default:
		value = glc_emit_inst(&s->b, &inst);
	}
	if (stmt->result != GLC_NO_VALUE)
		glc_ssa_define(s, stmt->result, type, value, stmt->result_pos);
}

/* --- For and unrolling --------------------------------------------------- */

static bool constant(const struct ssa *s, glc_value value, uint64_t *bits)
{
	if (!glc_is_const(value))
		return false;
	*bits = s->b.consts.at[value & ~GLC_CONST_BIT].bits;
	return true;
}

static int64_t extend(enum glc_type type, uint64_t bits)
{
	uint32_t shift = 64 - glc_bits(type);

	return glc_is_signed(type) ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
}

/* How many rounds a loop with literal bounds runs. */
static uint64_t rounds_of(enum glc_type type, uint64_t from, uint64_t to, uint64_t step)
{
	bool down = glc_is_signed(type) && extend(type, step) < 0;
	uint64_t first = down ? to : from, last = down ? from : to, size, span;

	if (glc_is_signed(type) ? extend(type, first) >= extend(type, last) : first >= last)
		return 0;
	span = (last - first) & glc_type_mask(type);
	size = (down ? 0 - step : step) & glc_type_mask(type);
	return span / size + (span % size != 0);
}

static bool bounds(struct ssa *s, const struct glc_stmt *stmt, glc_value value[3])
{
	const struct glc_operand *operands = &s->tree->operands.at[stmt->operands];
	uint64_t bits;

	value[2] = glc_const_int(&s->b, stmt->type, 1);
	for (uint32_t i = 0; i < stmt->operand_count; i++)
		if (!glc_ssa_value(s, operands[i], stmt->type, &value[i]))
			return false;
	if (stmt->operand_count == 3) {
		struct glc_operand step = operands[2];
		const struct glc_object *object =
			step.kind == GLC_OBJECT ? &s->kernel->objects[step.index] : NULL;

		if (step.kind == GLC_REGISTER || (object && object->kind != GLC_OBJECT_SPEC)) {
			glc_fail(s->diag, GLC_GA_STEP, step.pos);
			return false;
		}
		if (object ? !object->spec_bits : constant(s, value[2], &bits) && !bits) {
			glc_fail(s->diag, GLC_GA_ZERO_STEP, step.pos);
			return false;
		}
	}
	return true;
}

static bool has_literal_bounds(const struct ssa *s, const struct glc_stmt *stmt)
{
	for (uint32_t i = 0; i < stmt->operand_count; i++)
		if (s->tree->operands.at[stmt->operands + i].kind != GLC_LITERAL)
			return false;
	return true;
}

/* Begins a for: gives the statement to go on with. */
static uint32_t begin_for(struct ssa *s, uint32_t index)
{
	const struct glc_stmt *stmt = &s->tree->stmts.at[index];
	struct ssa_register *counter = &s->regs[stmt->result];
	glc_value value[3];
	uint64_t from = 0, to = 0, step = 0, rounds = 0;
	bool literal, once;

	if (counter->type != GLC_VOID) {
		struct glc_name name = s->source->registers.at[stmt->result];

		glc_fail(s->diag, GLC_GA_COUNTER_TAKEN, stmt->result_pos, (int)name.bytes, name.at);
		return stmt->end + 1;
	}
	if (!bounds(s, stmt, value))
		return stmt->end + 1;
	/* Literals as written, not what folding makes of registers: -O must not change what is valid. */
	literal = has_literal_bounds(s, stmt) && constant(s, value[0], &from) &&
		  constant(s, value[1], &to) && constant(s, value[2], &step);
	if (literal)
		rounds = rounds_of(stmt->type, from, to, step);
	once = literal && rounds;
	counter->type = stmt->type;
	counter->pos = stmt->result_pos;
	counter->counter = true;

	if (stmt->mods & GLC_MOD_UNROLL) {
		if (!literal) {
			glc_fail(s->diag, GLC_GA_UNROLL_BOUNDS, stmt->pos);
			rounds = 1;
		} else if (rounds > MAX_UNROLL) {
			glc_fail(s->diag, GLC_GA_UNROLL_COPIES, stmt->pos, (unsigned long long)rounds,
				 MAX_UNROLL);
			rounds = 1;
		}
		/* With a break or continue of its own it stays a loop, marked for the target. */
		if (rounds && !s->loops[index - s->source->first].leaves) {
			struct ssa_frame *frame = GLC_PUSH(s->memory, &s->frames);

			if (!frame) {
				s->failed = true;
				return stmt->end + 1;
			}
			memset(frame, 0, sizeof *frame);
			frame->kind = SSA_UNROLL;
			frame->stmt = index;
			frame->rounds = rounds - 1;
			frame->value = from;
			frame->step = value[2];
			counter->now = value[0];
			return index + 1;
		}
	}
	if (!once) {
		enum glc_type type = stmt->type;
		glc_value enter = glc_emit2(&s->b, GLC_OP_Lt, type, value[0], value[1]);

		if (constant(s, value[2], &step) ? extend(type, step) < 0 && glc_is_signed(type)
						 : glc_is_signed(type)) {
			glc_value falls = glc_emit2(&s->b, GLC_OP_Gt, type, value[0], value[1]);
			glc_value rising = glc_emit2(&s->b, GLC_OP_Gt, type, value[2],
						     glc_const_int(&s->b, type, 0));

			enter = glc_is_const(value[2]) ? falls
						       : glc_select(&s->b, GLC_BOOL, rising, enter, falls);
		}
		glc_ssa_if(s, index, enter);
	}
	glc_ssa_for(s, index, value[0], value[1], value[2]);
	return index + 1;
}

/* The end of an unrolled body: the next copy, or what follows. */
static uint32_t end_unroll(struct ssa *s, uint32_t index)
{
	struct ssa_frame *frame = glc_ssa_top(s);
	const struct glc_stmt *stmt = &s->tree->stmts.at[frame->stmt];
	struct ssa_register *counter = &s->regs[stmt->result];
	uint64_t step = s->b.consts.at[frame->step & ~GLC_CONST_BIT].bits;

	s->replay += !frame->in_else;
	frame->in_else = true;   /* one of the copies was made */
	/* A copy counts by itself: empty bodies multiply as well. */
	if (s->b.insts.count + ++s->copies > MAX_INSTS && !s->diag->errors)
		glc_fail(s->diag, GLC_GA_UNROLL_SIZE, stmt->pos, MAX_INSTS);
	/* An error ends all unrolling: one copy is enough to find the others. */
	if (frame->rounds && s->reachable && !s->diag->errors) {
		frame->rounds--;
		frame->value = (frame->value + step) & glc_type_mask(stmt->type);
		counter->now = glc_const_bits(&s->b, stmt->type, frame->value);
		return frame->stmt + 1;
	}
	counter->counter = false;
	counter->type = GLC_VOID;
	counter->now = GLC_NO_VALUE;
	s->replay--;
	s->frames.count--;
	return index + 1;
}

/* --- The walk ------------------------------------------------------------ */

static bool condition(struct ssa *s, const struct glc_stmt *stmt, glc_value *value)
{
	if (stmt->operand_count != 1) {
		glc_fail(s->diag, GLC_GA_OPERAND_COUNT, stmt->pos, "a condition", 1u, stmt->operand_count);
		return false;
	}
	return glc_ssa_value(s, s->tree->operands.at[stmt->operands], GLC_BOOL, value);
}

static void leave_if(struct ssa *s, uint32_t index, enum glc_op op)
{
	const struct glc_stmt *stmt = &s->tree->stmts.at[index];
	glc_value value;

	if (!condition(s, stmt, &value))
		return;
	glc_ssa_if(s, index, value);
	glc_ssa_leave(s, op, stmt->pos);
	glc_ssa_end_if(s);
}

static void do_return(struct ssa *s)
{
	struct glc_inst inst = {
		.op = GLC_OP_Return,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	glc_append(&s->b, &inst);
	s->reachable = false;
}

/* After a statement that leaves: to the Else or End of its block. */
static __attribute__((noinline)) uint32_t skip_unreachable(struct ssa *s, uint32_t index, uint32_t end)
{
	const struct glc_stmt *stmts = s->tree->stmts.at;

	if (index < end && stmts[index].op != GLC_STMT_END && stmts[index].op != GLC_OP_Else && !s->replay)
		glc_warn(s->diag, GLC_GA_UNREACHABLE, stmts[index].pos);
	while (index < end && stmts[index].op != GLC_STMT_END && stmts[index].op != GLC_OP_Else) {
		uint32_t op = stmts[index].op;

		if (op == GLC_OP_If || op == GLC_OP_Loop || op == GLC_STMT_FOR) {
			index = stmts[index].end;
			if (stmts[index].op == GLC_OP_Else)
				index = stmts[index].end;
		}
		index++;
	}
	return index;
}

static uint32_t end_block(struct ssa *s, uint32_t index)
{
	switch (glc_ssa_top(s)->kind) {
	case SSA_IF:
		glc_ssa_end_if(s);
		break;
	case SSA_LOOP:
	case SSA_FOR:
		glc_ssa_end_loop(s);
		break;
	case SSA_UNROLL:
		return end_unroll(s, index);
	}
	return index + 1;
}

static uint32_t statement(struct ssa *s, uint32_t index)
{
	const struct glc_stmt *stmt = &s->tree->stmts.at[index];
	glc_value value;

	s->b.pos = stmt->pos;
	switch (stmt->op) {
	case GLC_OP_If:
		if (!condition(s, stmt, &value))
			value = glc_const_bits(&s->b, GLC_BOOL, 1);
		glc_ssa_if(s, index, value);
		break;
	case GLC_OP_Else:
		glc_ssa_else(s);
		break;
	case GLC_OP_Loop:
		glc_ssa_loop(s, index);
		break;
	case GLC_STMT_FOR:
		return begin_for(s, index);
	case GLC_STMT_END:
		return end_block(s, index);
	case GLC_OP_Break:
	case GLC_OP_Continue:
		glc_ssa_leave(s, stmt->op, stmt->pos);
		break;
	case GLC_STMT_BREAK_IF:
		leave_if(s, index, GLC_OP_Break);
		break;
	case GLC_STMT_CONTINUE_IF:
		leave_if(s, index, GLC_OP_Continue);
		break;
	case GLC_OP_Return:
		if (stmt->operand_count)
			glc_fail(s->diag, GLC_GA_OPERAND_COUNT, stmt->pos, "Return", 0u,
				 stmt->operand_count);
		do_return(s);
		break;
	default:
		instruction(s, stmt);
	}
	return index + 1;
}

static void walk(struct ssa *s)
{
	uint32_t index = s->source->first, end = index + s->source->count;

	uint32_t max_errors = glc_max_errors(s->diag);

	s->reachable = true;
	while (index < end && !(s->failed | s->b.failed) && s->diag->errors < max_errors) {
		if (!s->reachable) {
			index = skip_unreachable(s, index, end);
			if (index == end)
				break;
			/* Else and End are reached by their other ways. */
		}
		index = statement(s, index);
	}
	if (s->reachable) {
		s->b.pos = s->source->pos;
		do_return(s);
	}
}

/* Every -D must name a specialization constant of some kernel. */
static void check_defines(struct ssa *s, const struct glc_ir *ir)
{
	for (size_t d = 0; s->options && d < s->options->define_count; d++) {
		const char *name = s->options->defines[d].name;
		bool found = false;

		for (uint32_t k = 0; k < ir->kernel_count && !found; k++)
			for (uint32_t i = 0; i < ir->kernels[k].object_count && !found; i++) {
				const struct glc_object *object = &ir->kernels[k].objects[i];

				found = object->kind == GLC_OBJECT_SPEC &&
					object->name.bytes == strlen(name) &&
					!memcmp(object->name.at, name, object->name.bytes);
			}
		if (!found)
			glc_fail(s->diag, GLC_GA_UNKNOWN_DEFINE, GLC_NOWHERE, name);
	}
}

void glc_ssa_build(const struct glc_tree *tree, const struct glacier_read_options *options,
		   bool optimize, struct glacier_memory *memory, struct glc_ir *ir,
		   struct glacier_diag *diag)
{
	struct ssa s = {.tree = tree, .options = options, .memory = memory, .diag = diag};
	const struct glacier_stats *stats = options ? options->stats : NULL;

	memset(ir, 0, sizeof *ir);
	ir->memory = memory;
	ir->kernels = glc_bump(memory, tree->kernels.count * sizeof *ir->kernels);
	if (!ir->kernels || !glc_builder_init(&s.b, memory, optimize, tree->stmts.count + tree->rows.count)) {
		glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
		return;
	}
	if (tree->stmts.count) {   /* streams need none of these */
		GLC_PRESIZE(memory, &s.journal, 32);
		GLC_PRESIZE(memory, &s.joins, 32);
		GLC_PRESIZE(memory, &s.frames, 4);
		GLC_PRESIZE(memory, &s.reasons, 16);
	}
	glc_ssa_check_constants(&s);
	if (diag->errors)
		return;
	for (uint32_t i = 0; i < tree->kernels.count && diag->errors < glc_max_errors(diag); i++) {
		struct glc_watch watch = glc_watch_start(stats);

		s.source = &tree->kernels.at[i];
		s.kernel = &ir->kernels[i];
		s.stamp = s.last_stamp = s.last_mark = 0;
		s.journal.count = s.joins.count = s.frames.count = s.write_sets.count = 0;
		s.replay = s.copies = 0;
		/* Most statements are an instruction each; around a stream's accesses stand some more. */
		glc_builder_restart(&s.b, s.source->is_stream ? s.source->live_rows + 16 : s.source->count);
		if (!glc_ssa_declare(&s) || !glc_ssa_scan_loops(&s)) {
			s.failed = true;
			break;
		}
		ir->kernel_count = i + 1;
		if (s.source->is_stream)
			glc_stream_build(&s);
		else
			walk(&s);
		if (s.failed || s.b.failed)
			break;
		s.kernel->insts = s.b.insts.at;
		s.kernel->inst_count = s.b.insts.count;
		s.kernel->edge_values = s.b.edge_values.at;
		s.kernel->edge_value_count = s.b.edge_values.count;
		glc_watch_stop_kernel(&watch, GLACIER_PHASE_CHECK, NULL, s.kernel,
				      glc_kernel_bytes(s.kernel));
	}
	if ((s.failed || s.b.failed) && !diag->errors)
		glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	if (!diag->errors)
		check_defines(&s, ir);
	ir->consts = s.b.consts.at;
	ir->const_count = s.b.consts.count;
}
