/* SPDX-License-Identifier: MIT */
/*
 * Structure: every shape of if and loop, left and joined in every way; ptxas is the judge of
 * the text, and the moves of an edge are run here, on names, against what "all at once" means.
 * GLACIER_SHOW=1 prints the module; each kernel reads u32 element tid, writes element tid + 32.
 */
#include "ptx.h"
#include "stress.h"

#define NONE GLC_NO_VALUE

static struct maker *m;

static glc_value u32(uint32_t value)
{
	return constant(m, GLC_U32, value);
}

static glc_value binary(enum glc_op opcode, glc_value a, glc_value b)
{
	return op(m, opcode, GLC_U32, a, b, NONE);
}

static glc_value begin_if(glc_value condition)
{
	return add(m, (struct glc_inst){.op = GLC_OP_If, .arg = {condition, NONE, NONE, NONE}});
}

static void begin_else(bool open)
{
	add(m, (struct glc_inst){.op = GLC_OP_Else, .mods = open ? GLC_MOD_OPEN : 0});
}

static void end_if(bool open, bool unreachable)
{
	add(m, (struct glc_inst){.op = GLC_OP_EndIf, .mods = (uint8_t)((open ? GLC_MOD_OPEN : 0) |
								      (unreachable ? GLC_MOD_UNREACHABLE : 0))});
}

static glc_value phi(enum glc_type type, glc_value a, glc_value b)
{
	return add(m, (struct glc_inst){.op = GLC_OP_Phi, .type = (uint8_t)type, .arg = {a, b, NONE, NONE}});
}

/* An open loop: its chains are closed when its parts are written. */
struct loop {
	glc_value at, continues, breaks, continuing;
	uint32_t continue_count;
};

static struct loop begin_loop(uint32_t slots)
{
	struct loop loop = {.continues = NONE, .breaks = NONE};

	loop.at = add(m, (struct glc_inst){.op = GLC_OP_Loop, .arg = {slots, NONE, NONE, NONE}});
	return loop;
}

static void leave(struct loop *loop, enum glc_op opcode, const glc_value *values, uint32_t count)
{
	glc_value *chain = opcode == GLC_OP_Break ? &loop->breaks : &loop->continues;

	*chain = add(m, (struct glc_inst){.op = (uint16_t)opcode,
					  .arg = {edge(m, values, count), *chain, NONE, NONE}});
	loop->continue_count += opcode == GLC_OP_Continue;
}

static void continuing(struct loop *loop, bool open, const glc_value *values, uint32_t count)
{
	loop->continuing = add(m, (struct glc_inst){
		.op = GLC_OP_Continuing, .mods = open ? GLC_MOD_OPEN : 0,
		.arg = {loop->continues, open ? edge(m, values, count) : NONE, loop->continue_count + open, NONE}});
	m->insts.at[loop->at].arg[2] = loop->continuing;
}

static void end_loop(struct loop *loop, glc_value condition, const glc_value *values, uint32_t count)
{
	glc_value end = add(m, (struct glc_inst){
		.op = GLC_OP_EndLoop, .arg = {condition, edge(m, values, count), loop->breaks, NONE}});

	m->insts.at[loop->at].arg[1] = end;
}

static void set_back(glc_value head_phi, glc_value value)
{
	m->insts.at[head_phi].arg[1] = value;
}

static glc_value tid, x;

static void begin(const char *name)
{
	begin_kernel(m, name, 32, 1, 1);
	tid = add(m, (struct glc_inst){.op = GLC_OP_LocalId, .type = GLC_U32});
	x = load(m, GLC_U32, tid);
}

static void write_out(glc_value value)
{
	store(m, GLC_U32, binary(GLC_OP_Add, tid, u32(32)), value);
}

static void end(glc_value value)
{
	if (value != NONE)
		write_out(value);
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	end_kernel(m);
}

/* --- Ifs ---------------------------------------------------------------- */

static void if_else(void)
{
	glc_value a, b;

	begin("if_else");  /* x < 5 ? x * 3 : x + 7 */
	begin_if(binary(GLC_OP_Lt, x, u32(5)));
	a = binary(GLC_OP_Mul, x, u32(3));
	begin_else(true);
	b = binary(GLC_OP_Add, x, u32(7));
	end_if(true, false);
	end(phi(GLC_U32, a, b));
}

static void if_alone(void)
{
	glc_value a;

	begin("if_alone");  /* x < 5 ? x + 100 : x */
	begin_if(binary(GLC_OP_Lt, x, u32(5)));
	a = binary(GLC_OP_Add, x, u32(100));
	begin_else(true);
	end_if(true, false);
	end(phi(GLC_U32, a, x));
	begin("else_alone");  /* x < 5 ? 9 : x + 100 */
	begin_if(binary(GLC_OP_Lt, x, u32(5)));
	begin_else(true);
	a = binary(GLC_OP_Add, x, u32(100));
	end_if(true, false);
	end(phi(GLC_U32, u32(9), a));
	begin("if_store");  /* only x < 5 writes */
	begin_if(binary(GLC_OP_Lt, x, u32(5)));
	write_out(x);
	begin_else(true);
	end_if(true, false);
	end(NONE);
	begin("if_nothing");  /* x */
	begin_if(binary(GLC_OP_Lt, x, u32(5)));
	begin_else(true);
	end_if(true, false);
	end(x);
}

static void if_empty_arms(void)
{
	glc_value condition, p, q, f, w, r;

	begin("if_empty_arms");  /* x < 5 ? 1 + 2 + 4 + 8 : 2 */
	condition = binary(GLC_OP_Lt, x, u32(5));
	begin_if(condition);
	begin_else(true);
	end_if(true, false);
	p = phi(GLC_BOOL, constant(m, GLC_BOOL, 1), constant(m, GLC_BOOL, 0));
	q = phi(GLC_U32, u32(2), u32(1));
	f = phi(GLC_F32, constant(m, GLC_F32, 0x40800000), constant(m, GLC_F32, 0x3f800000));
	w = phi(GLC_U64, constant(m, GLC_U64, 8), constant(m, GLC_U64, 0));
	r = op(m, GLC_OP_Select, GLC_U32, p, u32(1), u32(0));
	r = binary(GLC_OP_Add, r, q);
	r = binary(GLC_OP_Add, r, add(m, (struct glc_inst){.op = GLC_OP_Cvt, .type = GLC_U32, .from = GLC_F32, .arg = {f}}));
	end(binary(GLC_OP_Add, r, add(m, (struct glc_inst){.op = GLC_OP_Cvt, .type = GLC_U32, .from = GLC_U64, .arg = {w}})));
}

static void if_nested(void)
{
	glc_value a, b, c;

	begin("if_nested");  /* x < 16 ? (x < 8 ? 1 : 2) * x : 3 */
	begin_if(binary(GLC_OP_Lt, x, u32(16)));
	begin_if(binary(GLC_OP_Lt, x, u32(8)));
	a = binary(GLC_OP_Mul, x, u32(1));
	begin_else(true);
	b = binary(GLC_OP_Mul, x, u32(2));
	end_if(true, false);
	c = phi(GLC_U32, a, b);
	begin_else(true);
	end_if(true, false);
	end(phi(GLC_U32, c, u32(3)));
}

static void returns(void)
{
	begin("return_first");  /* x < 5: nothing written; else x */
	begin_if(binary(GLC_OP_Lt, x, u32(5)));
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	begin_else(false);
	end_if(true, false);
	end(x);
	begin("return_second");
	begin_if(binary(GLC_OP_Lt, x, u32(5)));
	write_out(x);
	begin_else(true);
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	end_if(false, false);
	end(NONE);
	begin("return_both");  /* x < 5 ? 1 : 2 */
	begin_if(binary(GLC_OP_Lt, x, u32(5)));
	write_out(u32(1));
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	begin_else(false);
	write_out(u32(2));
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	end_if(false, true);
	end_kernel(m);
	begin("return_both_alone");
	begin_if(constant(m, GLC_BOOL, 1));
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	begin_else(false);
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	end_if(false, true);
	end_kernel(m);
}

/* --- Loops -------------------------------------------------------------- */

static void do_while(bool out, bool back)
{
	struct loop loop;
	glc_value k, sum, next, total, values[2], result;

	/* sum of 0 .. x; with `out` the old sum and the new; without `back` one round */
	begin(out ? back ? "do_while_out_back" : "do_while_out" : back ? "do_while_back" : "do_while");
	loop = begin_loop(2);
	k = phi(GLC_U32, u32(0), NONE);
	sum = phi(GLC_U32, u32(0), NONE);
	total = binary(GLC_OP_Add, sum, k);
	next = binary(GLC_OP_Add, k, u32(1));
	continuing(&loop, true, NULL, 0);
	set_back(k, back ? next : k);
	set_back(sum, back ? total : sum);
	values[0] = sum;
	values[1] = total;
	end_loop(&loop, binary(GLC_OP_Gt, next, back ? x : u32(0)), values, out ? 2 : 0);
	if (!out) {
		end(u32(77));
		return;
	}
	result = phi(GLC_U32, 0, NONE);
	total = phi(GLC_U32, 1, NONE);
	end(binary(GLC_OP_Add, binary(GLC_OP_Mul, result, u32(1000)), total));
}

static void fibonacci(void)
{
	struct loop loop;
	glc_value k, a, b, sum, next, r;

	begin("fibonacci");  /* a, b = b, a + b; x times */
	loop = begin_loop(1);
	k = phi(GLC_U32, u32(0), NONE);
	a = phi(GLC_U32, u32(0), NONE);
	b = phi(GLC_U32, u32(1), NONE);
	begin_if(binary(GLC_OP_Ge, k, x));
	leave(&loop, GLC_OP_Break, &a, 1);
	begin_else(false);
	end_if(true, false);
	sum = binary(GLC_OP_Add, a, b);
	next = binary(GLC_OP_Add, k, u32(1));
	continuing(&loop, true, NULL, 0);
	set_back(k, next);
	set_back(a, b);
	set_back(b, sum);
	end_loop(&loop, NONE, NULL, 0);
	r = phi(GLC_U32, 0, NONE);
	end(r);
}

/* a, b = b, a and p, q = q, p, through casts that cost nothing. */
static void swap(void)
{
	struct loop loop;
	glc_value k, a, b, p, q, a_cast, b_cast, values[3], next, r;

	begin("swap");  /* x odd: 20 * 16 + 10 + 1000, else 10 * 16 + 20 */
	loop = begin_loop(3);
	a = phi(GLC_U32, u32(10), NONE);
	b = phi(GLC_I32, constant(m, GLC_I32, 20), NONE);
	p = phi(GLC_BOOL, constant(m, GLC_BOOL, 0), NONE);
	q = phi(GLC_BOOL, constant(m, GLC_BOOL, 1), NONE);
	k = phi(GLC_U32, u32(0), NONE);
	b_cast = add(m, (struct glc_inst){.op = GLC_OP_Bitcast, .type = GLC_U32, .from = GLC_I32, .arg = {b}});
	values[0] = a;
	values[1] = b_cast;
	values[2] = p;
	begin_if(binary(GLC_OP_Ge, k, x));
	leave(&loop, GLC_OP_Break, values, 3);
	begin_else(false);
	end_if(true, false);
	continuing(&loop, true, NULL, 0);
	a_cast = add(m, (struct glc_inst){.op = GLC_OP_Bitcast, .type = GLC_I32, .from = GLC_U32, .arg = {a}});
	next = binary(GLC_OP_Add, k, u32(1));
	set_back(a, b_cast);
	set_back(b, a_cast);
	set_back(p, q);
	set_back(q, p);
	set_back(k, next);
	end_loop(&loop, NONE, NULL, 0);
	a = phi(GLC_U32, 0, NONE);
	b = phi(GLC_U32, 1, NONE);
	p = phi(GLC_BOOL, 2, NONE);
	r = binary(GLC_OP_Add, binary(GLC_OP_Mul, a, u32(16)), b);
	end(binary(GLC_OP_Add, r, op(m, GLC_OP_Select, GLC_U32, p, u32(1000), u32(0))));
}

static void breaks_and_continues(void)
{
	struct loop loop;
	glc_value k, sum, k2, step, values[2], c, r, w;

	/*
	 * for (k = 0;; k += step) { if (k > 100) { r = sum, w = 1; break; }  step = 1;
	 *   if (k % 3 == 0) { step = 2; continue; }  if (sum > 50 + x) { r = k, w = 2; break; }
	 *   sum += k; }   write r * 4 + w
	 */
	begin("breaks_and_continues");
	loop = begin_loop(2);
	k = phi(GLC_U32, u32(0), NONE);
	sum = phi(GLC_U32, u32(0), NONE);
	begin_if(binary(GLC_OP_Gt, k, u32(100)));
	values[0] = sum;
	values[1] = u32(1);
	leave(&loop, GLC_OP_Break, values, 2);
	begin_else(false);
	end_if(true, false);
	begin_if(op(m, GLC_OP_Eq, GLC_U32, binary(GLC_OP_Rem, k, u32(3)), u32(0), NONE));
	values[0] = u32(2);
	values[1] = sum;
	leave(&loop, GLC_OP_Continue, values, 2);
	begin_else(false);
	end_if(true, false);
	begin_if(binary(GLC_OP_Gt, sum, binary(GLC_OP_Add, x, u32(50))));
	values[0] = k;
	values[1] = u32(2);
	leave(&loop, GLC_OP_Break, values, 2);
	begin_else(false);
	end_if(true, false);
	values[0] = u32(1);
	values[1] = binary(GLC_OP_Add, sum, k);
	continuing(&loop, true, values, 2);
	step = phi(GLC_U32, 0, NONE);
	c = phi(GLC_U32, 1, NONE);
	k2 = binary(GLC_OP_Add, k, step);
	set_back(k, k2);
	set_back(sum, c);
	end_loop(&loop, NONE, NULL, 0);
	r = phi(GLC_U32, 0, NONE);
	w = phi(GLC_U32, 1, NONE);
	end(binary(GLC_OP_Add, binary(GLC_OP_Mul, r, u32(4)), w));
}

/* Both arms leave; a lone Continue in the second arm. */
static void both_leave(void)
{
	struct loop loop;
	glc_value k, next;

	begin("both_leave");  /* counts up to x + 1 */
	loop = begin_loop(1);
	k = phi(GLC_U32, u32(0), NONE);
	next = binary(GLC_OP_Add, k, u32(1));
	begin_if(binary(GLC_OP_Gt, next, x));
	leave(&loop, GLC_OP_Break, &next, 1);
	begin_else(false);
	leave(&loop, GLC_OP_Continue, &next, 1);
	end_if(false, true);
	continuing(&loop, false, NULL, 0);
	next = phi(GLC_U32, 0, NONE);
	set_back(k, next);
	end_loop(&loop, NONE, NULL, 0);
	end(phi(GLC_U32, 0, NONE));
}

static void no_break(void)
{
	struct loop loop;
	glc_value k, next;

	begin("no_break");  /* writes the first power of 2 above x, then returns out of the loop */
	loop = begin_loop(0);
	k = phi(GLC_U32, u32(1), NONE);
	begin_if(binary(GLC_OP_Gt, k, x));
	write_out(k);
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	begin_else(false);
	end_if(true, false);
	next = binary(GLC_OP_Add, k, k);
	continuing(&loop, true, NULL, 0);
	set_back(k, next);
	end_loop(&loop, NONE, NULL, 0);
	end_kernel(m);
}

static void always_leaves(void)
{
	struct loop loop;
	glc_value k, v;

	begin("always_leaves");  /* x * 2 + 5 */
	loop = begin_loop(1);
	k = phi(GLC_U32, u32(5), NONE);
	v = binary(GLC_OP_Add, k, binary(GLC_OP_Mul, x, u32(2)));
	leave(&loop, GLC_OP_Break, &v, 1);
	continuing(&loop, false, NULL, 0);
	end_loop(&loop, NONE, NULL, 0);
	end(phi(GLC_U32, 0, NONE));
}

static void nested_loops(void)
{
	struct loop outer, inner;
	glc_value i, j, sum, sum2, t, i2, j2, values[1];

	/*
	 * for (i = 0, sum = 0; i < x; i++) for (j = 0;; j++) { if (j == 7) break; if (j == i) continue;
	 *   if (sum > 90) break;  sum += i * j; }
	 */
	begin("nested_loops");
	outer = begin_loop(1);
	i = phi(GLC_U32, u32(0), NONE);
	sum = phi(GLC_U32, u32(0), NONE);
	begin_if(binary(GLC_OP_Ge, i, x));
	leave(&outer, GLC_OP_Break, &sum, 1);
	begin_else(false);
	end_if(true, false);
	inner = begin_loop(1);
	j = phi(GLC_U32, u32(0), NONE);
	sum2 = phi(GLC_U32, sum, NONE);
	begin_if(op(m, GLC_OP_Eq, GLC_U32, j, u32(7), NONE));
	leave(&inner, GLC_OP_Break, &sum2, 1);
	begin_else(false);
	end_if(true, false);
	begin_if(op(m, GLC_OP_Eq, GLC_U32, j, i, NONE));
	leave(&inner, GLC_OP_Continue, &sum2, 1);
	begin_else(false);
	end_if(true, false);
	begin_if(binary(GLC_OP_Gt, sum2, u32(90)));
	leave(&inner, GLC_OP_Break, &sum2, 1);
	begin_else(false);
	end_if(true, false);
	values[0] = binary(GLC_OP_Add, sum2, binary(GLC_OP_Mul, i, j));
	continuing(&inner, true, values, 1);
	t = phi(GLC_U32, 0, NONE);
	j2 = binary(GLC_OP_Add, j, u32(1));
	set_back(j, j2);
	set_back(sum2, t);
	end_loop(&inner, NONE, NULL, 0);
	t = phi(GLC_U32, 0, NONE);
	i2 = binary(GLC_OP_Add, i, u32(1));
	continuing(&outer, true, NULL, 0);
	set_back(i, i2);
	set_back(sum, t);
	end_loop(&outer, NONE, NULL, 0);
	end(phi(GLC_U32, 0, NONE));
}

/* Ways out that move nothing: branches under a predicate. */
static void lone_leaves(void)
{
	struct loop loop;
	glc_value k, next;

	begin("lone_leaves");  /* 3 for every x */
	loop = begin_loop(0);
	k = phi(GLC_U32, u32(0), NONE);
	next = binary(GLC_OP_Add, k, u32(1));
	begin_if(binary(GLC_OP_Gt, k, x));
	begin_else(true);
	leave(&loop, GLC_OP_Continue, NULL, 0);
	end_if(false, false);
	begin_if(binary(GLC_OP_Lt, k, u32(2)));
	leave(&loop, GLC_OP_Continue, NULL, 0);
	begin_else(false);
	leave(&loop, GLC_OP_Break, NULL, 0);
	end_if(false, true);
	continuing(&loop, false, NULL, 0);
	set_back(k, next);
	end_loop(&loop, binary(GLC_OP_Gt, next, u32(1000)), NULL, 0);
	end(u32(3));
}

static void make_shapes(void)
{
	if_else();
	if_alone();
	if_empty_arms();
	if_nested();
	returns();
	do_while(false, false);
	do_while(false, true);
	do_while(true, false);
	do_while(true, true);
	fibonacci();
	swap();
	breaks_and_continues();
	both_leave();
	no_break();
	always_leaves();
	nested_loops();
	lone_leaves();
}

/* --- The moves of an edge ------------------------------------------------ */

enum { MOST_PHIS = 40 };

static uint32_t seed = 12345;

static uint32_t random_below(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

struct tangle {
	uint32_t count;
	uint8_t types[MOST_PHIS];
	int32_t source[MOST_PHIS];  /* a Phi, or -1: the number 1000 + its own place */
};

static void make_tangle(struct tangle *t, uint32_t style)
{
	t->count = 1 + random_below(MOST_PHIS);
	for (uint32_t i = 0; i < t->count; i++) {
		t->types[i] = all_types[style == 0 ? 0 : random_below(7)];
		t->source[i] = -2;
	}
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t j = style == 1 ? random_below(t->count) : (i + 1) % t->count;

		if (style == 2)
			j = random_below(3) ? i : random_below(t->count);
		while (t->types[j] != t->types[i])
			j = (j + 1) % t->count;
		t->source[i] = (int32_t)j;
		if (t->types[i] < GLC_F16 && t->types[i] != GLC_BOOL && !random_below(6))
			t->source[i] = -1;
	}
}

static void write_tangle(const struct tangle *t)
{
	struct loop loop;
	glc_value phis[MOST_PHIS], stop;

	begin_kernel(m, "tangle", 32, 1, 1);
	stop = parameter(m, GLC_BOOL);
	loop = begin_loop(0);
	for (uint32_t i = 0; i < t->count; i++)
		phis[i] = phi(t->types[i], constant(m, t->types[i], 0), NONE);
	for (uint32_t i = 0; i < t->count; i++)
		set_back(phis[i], t->source[i] < 0 ? constant(m, t->types[i], 1000 + i) : phis[t->source[i]]);
	continuing(&loop, true, NULL, 0);
	end_loop(&loop, stop, NULL, 0);
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	end_kernel(m);
}

struct text_move {
	char to[16], from[32];
};

/* The moves between two places of the text; gives how many. */
static uint32_t read_moves(const char *text, const char *until, struct text_move *moves)
{
	uint32_t count = 0;

	for (const char *line = strstr(text, "\tmov."); line && line < until; line = strstr(line + 1, "\tmov.")) {
		CHECK(sscanf(line, "\tmov.%*[a-z0-9] %15[^,], %31[^;];", moves[count].to, moves[count].from) == 2,
		      "%.60s", line);
		count++;
	}
	return count;
}

static const char *value_of(struct text_move *values, uint32_t count, const char *name)
{
	for (uint32_t i = count; i-- > 0;)
		if (!strcmp(values[i].to, name))
			return values[i].from;
	return name;
}

static void check_tangle(const struct tangle *t, const char *text)
{
	static struct text_move entry[MOST_PHIS + 1], moves[4 * MOST_PHIS], values[4 * MOST_PHIS];
	const char *head = strstr(text, "$L1:"), *tail;
	uint32_t count;

	CHECK(head, "no loop in\n%s", text);
	tail = strstr(head, "bra $L1");
	CHECK(tail, "no way back in\n%s", text);
	CHECK(read_moves(text, head, entry) == t->count, "not one move a Phi in\n%s", text);
	count = read_moves(head, tail, moves);
	for (uint32_t i = 0; i < count; i++) {
		values[i] = moves[i];
		strcpy(values[i].from, value_of(values, i, moves[i].from));
	}
	for (uint32_t i = 0; i < t->count; i++) {
		char number[16];
		const char *want = t->source[i] < 0 ? number : entry[t->source[i]].to;

		snprintf(number, sizeof number, "%u", 1000 + i);
		CHECK(!strcmp(value_of(values, count, entry[i].to), want), "Phi %u is %s, not %s, in\n%s", i,
		      value_of(values, count, entry[i].to), want, text);
	}
}

static void run_tangles(void)
{
	for (uint32_t i = 0; i < 600; i++) {
		struct tangle t = {0};
		enum glacier_status status;
		char *text;

		m = make_module();
		make_tangle(&t, i % 3);
		write_tangle(&t);
		text = write_module(m, "sm_90", &status);
		CHECK(text, "status %d", (int)status);
		check_tangle(&t, text);
		free(text);
		free_module(m);
	}
}

int main(void)
{
	static const char arches[3][8] = {"sm_80", "sm_89", "sm_90"};

	run_tangles();
	m = make_module();
	make_shapes();
	for (uint32_t i = 0; i < 3; i++) {
		enum glacier_status status;
		char *text = write_module(m, arches[i], &status);
		int verdict;

		CHECK(text, "%s: status %d", arches[i], (int)status);
		if (getenv("GLACIER_SHOW") && i == 2)
			fputs(text, stdout);
		verdict = assemble(text, arches[i]);
		free(text);
		if (verdict == 77)
			return 77;
		CHECK(verdict == 0, "ptxas refuses it for %s", arches[i]);
	}
	free_module(m);
	return 0;
}
