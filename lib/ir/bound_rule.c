/* SPDX-License-Identifier: MIT */
/*
 * Bounds of single instructions. A bound e of x says that the other device has some x' with
 * |x' - x| <= e. Everything is computed in f64, whose own rounding is far below what
 * is bounded in f32; for f64 kernels each sum carries a unit more than it needs.
 *
 * Sources: Vulkan 1.3, Precision of Individual Operations (2.5 ULP for Div with a divisor
 * from 2^-126 to 2^126, 3 for Sqrt), to which half a unit of the processor's comes.
 */
#include "ir/bound.h"

#include <float.h>
#include <math.h>

enum { DIV_HALF_ULPS = 6, SQRT_HALF_ULPS = 7, MATH_ULPS = 8 };

/* --- Spelling -------------------------------------------------------------- */

static glc_value real(struct glc_builder *b, double value)
{
	return glc_const_f64(b, value);
}

static glc_value op2(struct glc_builder *b, enum glc_op op, glc_value x, glc_value y)
{
	return glc_emit2(b, op, GLC_F64, x, y);
}

static glc_value add(struct glc_builder *b, glc_value x, glc_value y)
{
	return op2(b, GLC_OP_Add, x, y);
}

static glc_value sub(struct glc_builder *b, glc_value x, glc_value y)
{
	return op2(b, GLC_OP_Sub, x, y);
}

static glc_value mul(struct glc_builder *b, glc_value x, glc_value y)
{
	return op2(b, GLC_OP_Mul, x, y);
}

static glc_value divide(struct glc_builder *b, glc_value x, glc_value y)
{
	return op2(b, GLC_OP_Div, x, y);
}

static glc_value largest(struct glc_builder *b, glc_value x, glc_value y)
{
	return op2(b, GLC_OP_Max, x, y);
}

static glc_value size_of(struct glc_builder *b, glc_value x)
{
	return glc_emit1(b, GLC_OP_Abs, GLC_F64, x);
}

/* x > y; false where one is NaN. */
static glc_value above(struct glc_builder *b, glc_value x, glc_value y)
{
	return op2(b, GLC_OP_Gt, x, y);
}

static glc_value not(struct glc_builder *b, glc_value p)
{
	return glc_emit1(b, GLC_OP_Not, GLC_BOOL, p);
}

static glc_value both(struct glc_builder *b, glc_value p, glc_value q)
{
	return glc_emit2(b, GLC_OP_And, GLC_BOOL, p, q);
}

static glc_value choose(struct glc_builder *b, glc_value p, glc_value yes, glc_value no)
{
	return glc_select(b, GLC_F64, p, yes, no);
}

static glc_value infinite_if(struct glc_builder *b, glc_value p)
{
	return choose(b, p, real(b, INFINITY), real(b, 0));
}

/* --- Operands -------------------------------------------------------------- */

struct rule {
	struct glc_builder *b;
	const struct glc_inst *inst;
	glc_value r;                   /* the result as f64, where it is a float */
	glc_value x[3], e[3], any;     /* operands as f64, their bounds, and the sum of these */
	double unit, tiny, least;      /* of the result's type: ULP of 1, least normal, least number */
};

static double unit_of(enum glc_type type)
{
	return type == GLC_F64 ? DBL_EPSILON : FLT_EPSILON;
}

static double tiny_of(enum glc_type type)
{
	return type == GLC_F64 ? DBL_MIN : FLT_MIN;
}

static glc_value widen(struct glc_builder *b, glc_value value, enum glc_type type)
{
	return type == GLC_F32 ? glc_cvt(b, GLC_F64, GLC_F32, value) : value;
}

/* What is lost where a subnormal number is taken for 0. */
static glc_value flushed(struct glc_builder *b, glc_value x, double tiny)
{
	glc_value size = size_of(b, x);

	return choose(b, above(b, real(b, tiny), size), size, real(b, 0));
}

static glc_value bound_of(struct glc_builder *b, const struct glc_bound_operand *operand)
{
	return operand->bound == GLC_NO_VALUE ? real(b, 0) : operand->bound;
}

/* What is computed with x may have begun with 0 for it. */
static glc_value bound_at_use(struct glc_builder *b, const struct glc_bound_operand *operand, glc_value x)
{
	return add(b, bound_of(b, operand), flushed(b, x, tiny_of(operand->type)));
}

/* Whether an x beyond all doubt is on no other side of a limit than x + e and x - e are. */
static glc_value jumps(struct rule *r, enum glc_op op)
{
	glc_value up = glc_emit1(r->b, op, GLC_F64, add(r->b, r->x[0], r->e[0]));
	glc_value down = glc_emit1(r->b, op, GLC_F64, sub(r->b, r->x[0], r->e[0]));

	return size_of(r->b, sub(r->b, up, down));
}

/* --- Rules: the difference that operands bring, before the result is rounded - */

static glc_value of_sum(struct rule *r)
{
	return r->any;
}

static glc_value of_product(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value sum = add(b, mul(b, size_of(b, r->x[0]), r->e[1]), mul(b, size_of(b, r->x[1]), r->e[0]));

	return add(b, sum, mul(b, r->e[0], r->e[1]));
}

static glc_value of_fma(struct rule *r)
{
	return add(r->b, of_product(r), r->e[2]);
}

/* (ex + |q| ey) / (|y| - ey): infinite where y may be 0. */
static glc_value quotient(struct glc_builder *b, glc_value q, glc_value ex, glc_value y, glc_value ey)
{
	glc_value room = sub(b, size_of(b, y), ey);
	glc_value e = divide(b, add(b, ex, mul(b, size_of(b, q), ey)), room);

	return choose(b, above(b, room, real(b, 0)), e, real(b, INFINITY));
}

static glc_value of_quotient(struct rule *r)
{
	return quotient(r->b, r->r, r->e[0], r->x[1], r->e[1]);
}

static glc_value of_reciprocal(struct rule *r)
{
	return quotient(r->b, r->r, real(r->b, 0), r->x[0], r->e[0]);
}

/* |sqrt(x') - sqrt(x)| <= e / sqrt(x), and <= sqrt(e) where x is 0. Below 0 it is NaN. */
static glc_value root(struct glc_builder *b, glc_value x, glc_value e)
{
	glc_value s = glc_emit1(b, GLC_OP_Sqrt, GLC_F64, x);
	glc_value bound = op2(b, GLC_OP_Min, divide(b, e, s), glc_emit1(b, GLC_OP_Sqrt, GLC_F64, e));

	return choose(b, op2(b, GLC_OP_Ge, x, e), bound, real(b, INFINITY));
}

static glc_value of_root(struct rule *r)
{
	return root(r->b, r->x[0], r->e[0]);
}

static glc_value of_reciprocal_root(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value s = glc_emit1(b, GLC_OP_Sqrt, GLC_F64, r->x[0]);
	glc_value es = add(b, choose(b, above(b, r->e[0], real(b, 0)), root(b, r->x[0], r->e[0]), real(b, 0)),
			   mul(b, s, real(b, SQRT_HALF_ULPS / 2.0 * r->unit)));

	return quotient(b, r->r, real(b, 0), s, es);
}

/*
 * x - y trunc(x / y): where the quotient may be beyond a whole number, another multiple of
 * y is taken away.
 */
static glc_value of_remainder(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value q = divide(b, r->x[0], r->x[1]), n = glc_emit1(b, GLC_OP_Trunc, GLC_F64, q);
	glc_value eq = add(b, choose(b, above(b, r->any, real(b, 0)), quotient(b, q, r->e[0], r->x[1], r->e[1]),
				     real(b, 0)),
			   mul(b, size_of(b, q), real(b, 2 * DIV_HALF_ULPS / 2.0 * r->unit)));
	glc_value up = glc_emit1(b, GLC_OP_Trunc, GLC_F64, add(b, q, eq));
	glc_value down = glc_emit1(b, GLC_OP_Trunc, GLC_F64, sub(b, q, eq));
	glc_value steps = size_of(b, sub(b, up, down));
	glc_value e = mul(b, steps, add(b, size_of(b, r->x[1]), r->e[1]));

	/* Nothing of it at all where the operands are the same: the product may be infinite. */
	return add(b, choose(b, above(b, steps, real(b, 0)), e, real(b, 0)),
		   choose(b, above(b, r->any, real(b, 0)), add(b, r->e[0], mul(b, size_of(b, n), r->e[1])), real(b, 0)));
}

static glc_value of_steps(struct rule *r)
{
	return jumps(r, (enum glc_op)r->inst->op);
}

static glc_value of_fract(struct rule *r)
{
	return choose(r->b, above(r->b, jumps(r, GLC_OP_Floor), real(r->b, 0)), real(r->b, 1), r->e[0]);
}

static glc_value of_sign(struct rule *r)
{
	return choose(r->b, above(r->b, size_of(r->b, r->x[0]), r->e[0]), real(r->b, 0), real(r->b, 2));
}

static glc_value of_copy_sign(struct rule *r)
{
	glc_value turns = choose(r->b, above(r->b, size_of(r->b, r->x[1]), r->e[1]), real(r->b, 0),
				 mul(r->b, real(r->b, 2), size_of(r->b, r->x[0])));

	return add(r->b, r->e[0], choose(r->b, above(r->b, r->e[1], real(r->b, 0)), turns, real(r->b, 0)));
}

static glc_value of_largest(struct rule *r)
{
	return largest(r->b, r->e[0], largest(r->b, r->e[1], r->e[2]));
}

/* Of two that are apart beyond doubt the one that is taken counts alone. */
static glc_value of_extreme(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value first = op2(b, r->inst->op == GLC_OP_Min ? GLC_OP_Lt : GLC_OP_Gt, r->x[0], r->x[1]);

	return choose(b, above(b, size_of(b, sub(b, r->x[0], r->x[1])), r->any), choose(b, first, r->e[0], r->e[1]),
		      largest(b, r->e[0], r->e[1]));
}

static glc_value of_itself(struct rule *r)
{
	return r->e[0];
}

/* f'(x) times e for smooth functions: `slope` bounds the derivative where e is at most 1/4. */
static glc_value smooth(struct rule *r, glc_value slope)
{
	return choose(r->b, above(r->b, real(r->b, 0.25), r->e[0]), mul(r->b, slope, r->e[0]), real(r->b, INFINITY));
}

/* e^(1/4) < 1.3, and 2^(1/4) ln 2 is less. */
static glc_value of_exponential(struct rule *r)
{
	return smooth(r, mul(r->b, real(r->b, 1.3), size_of(r->b, r->r)));
}

/* |sinh'| = cosh <= |sinh| + 1, and the other way round. */
static glc_value of_hyperbola(struct rule *r)
{
	return smooth(r, mul(r->b, real(r->b, 1.4), add(r->b, size_of(r->b, r->r), real(r->b, 1))));
}

/* log2 has a slope of 1.45 / x. */
static glc_value of_logarithm(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value room = sub(b, r->x[0], r->e[0]);

	return choose(b, above(b, room, real(b, 0)), mul(b, real(b, 1.45), divide(b, r->e[0], room)), real(b, INFINITY));
}

/* Sin, Cos, Tanh, Atan: slopes of at most 1; Erf: 1.13. */
static glc_value of_gentle(struct rule *r)
{
	return mul(r->b, real(r->b, r->inst->op == GLC_OP_Erf ? 1.13 : 1), r->e[0]);
}

/* 1 + tan^2, doubled, as long as that much further does not reach twice as far. */
static glc_value of_tangent(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value slope = mul(b, real(b, 2), add(b, real(b, 1), mul(b, r->r, r->r)));
	glc_value reach = mul(b, r->e[0], add(b, real(b, 1), size_of(b, r->r)));

	return choose(b, above(b, real(b, 0.25), reach), mul(b, slope, r->e[0]), real(b, INFINITY));
}

/* acos(1 - d) is at most 2.3 sqrt(d) on the whole range; outside of it is NaN. */
static glc_value of_arc(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value inside = op2(b, GLC_OP_Le, add(b, size_of(b, r->x[0]), r->e[0]), real(b, 1));

	return choose(b, inside, mul(b, real(b, 2.3), glc_emit1(b, GLC_OP_Sqrt, GLC_F64, r->e[0])), real(b, INFINITY));
}

static glc_value of_nothing_known(struct rule *r)
{
	return real(r->b, INFINITY);
}

/*
 * round: the result is rounded by each device, half a unit each. own: half units by which
 * it may differ though the operands do not. math: and a few units where they do.
 */
static const struct {
	uint8_t op, own;
	bool round, math;
	glc_value (*rule)(struct rule *r);
} rules[] = {
	{GLC_OP_Add, 0, true, false, of_sum},
	{GLC_OP_Sub, 0, true, false, of_sum},
	{GLC_OP_Mul, 0, true, false, of_product},
	{GLC_OP_Fma, 0, true, false, of_fma},
	{GLC_OP_Div, DIV_HALF_ULPS, true, false, of_quotient},
	{GLC_OP_Rcp, DIV_HALF_ULPS, true, false, of_reciprocal},
	{GLC_OP_Sqrt, SQRT_HALF_ULPS, true, false, of_root},
	{GLC_OP_Rsqrt, DIV_HALF_ULPS, true, false, of_reciprocal_root},
	{GLC_OP_Rem, 0, true, false, of_remainder},
	{GLC_OP_Neg, 0, false, false, of_itself},
	{GLC_OP_Abs, 0, false, false, of_itself},
	{GLC_OP_Mov, 0, false, false, of_itself},
	{GLC_OP_Min, 0, false, false, of_extreme},
	{GLC_OP_Max, 0, false, false, of_extreme},
	{GLC_OP_Clamp, 0, false, false, of_largest},
	{GLC_OP_Floor, 0, false, false, of_steps},
	{GLC_OP_Ceil, 0, false, false, of_steps},
	{GLC_OP_Trunc, 0, false, false, of_steps},
	{GLC_OP_Round, 0, false, false, of_steps},
	{GLC_OP_Fract, 0, true, false, of_fract},
	{GLC_OP_Sign, 0, false, false, of_sign},
	{GLC_OP_CopySign, 0, false, false, of_copy_sign},
	{GLC_OP_Exp, 0, false, true, of_exponential},
	{GLC_OP_Exp2, 0, false, true, of_exponential},
	{GLC_OP_Sinh, 0, false, true, of_hyperbola},
	{GLC_OP_Cosh, 0, false, true, of_hyperbola},
	{GLC_OP_Log, 0, false, true, of_logarithm},
	{GLC_OP_Log2, 0, false, true, of_logarithm},
	{GLC_OP_Sin, 0, false, true, of_gentle},
	{GLC_OP_Cos, 0, false, true, of_gentle},
	{GLC_OP_Tanh, 0, false, true, of_gentle},
	{GLC_OP_Atan, 0, false, true, of_gentle},
	{GLC_OP_Erf, 0, false, true, of_gentle},
	{GLC_OP_Tan, 0, false, true, of_tangent},
	{GLC_OP_Asin, 0, false, true, of_arc},
	{GLC_OP_Acos, 0, false, true, of_arc},
};

static size_t rule_of(enum glc_op op)
{
	size_t i = 0;

	while (i < sizeof rules / sizeof *rules && rules[i].op != op)
		i++;
	return i;
}

bool glc_bound_begins(const struct glc_inst *inst)
{
	/* Any arithmetic may flush; and these differ in any case. */
	return glc_is_float(inst->type) && glc_ops[inst->op].flags & GLC_PURE && inst->op != GLC_OP_Mov &&
	       inst->op != GLC_OP_LoadConstant && inst->op != GLC_OP_Select && inst->op != GLC_OP_Param &&
	       inst->op != GLC_OP_Spec && inst->op != GLC_OP_Bitcast;
}

/* --- Floats ---------------------------------------------------------------- */

/* Vulkan bounds a quotient only where its divisor is neither tiny nor huge. */
static glc_value own_difference(struct rule *r, uint8_t half_ulps)
{
	struct glc_builder *b = r->b;
	glc_value own = mul(b, size_of(b, r->r), real(b, half_ulps / 2.0 * r->unit)), y, inside;

	own = add(b, own, choose(b, above(b, size_of(b, r->r), real(b, 0)), real(b, half_ulps * r->least), real(b, 0)));
	if (r->inst->op != GLC_OP_Div && r->inst->op != GLC_OP_Rcp)
		return own;
	y = size_of(b, r->inst->op == GLC_OP_Div ? r->x[1] : r->x[0]);
	inside = both(b, op2(b, GLC_OP_Ge, y, real(b, r->tiny)), op2(b, GLC_OP_Le, y, real(b, 1 / r->tiny)));
	return choose(b, inside, own, real(b, INFINITY));
}

static glc_value float_bound(struct rule *r, size_t row)
{
	struct glc_builder *b = r->b;
	bool is_known = row < sizeof rules / sizeof *rules;
	bool always = is_known && (r->inst->op == GLC_OP_Rem || r->inst->op == GLC_OP_Rsqrt);
	glc_value size = size_of(b, r->r), e = is_known ? rules[row].rule(r) : of_nothing_known(r), more;
	/* These differ inside, too, where their operands do not. */
	glc_value cause = always ? e : r->any;

	/* What each device's rounding of the moved result adds. */
	more = mul(b, add(b, size, e), real(b, is_known && rules[row].math ? MATH_ULPS * r->unit : 2 * r->unit));
	if (!is_known || rules[row].round || rules[row].math)
		e = add(b, e, add(b, more, real(b, r->least)));
	e = choose(b, above(b, cause, real(b, 0)), e, real(b, 0));
	if (is_known && rules[row].own)
		e = add(b, e, own_difference(r, rules[row].own));
	/* An infinity or NaN times 0 may be 0. */
	if (r->inst->op == GLC_OP_Mul)
		e = choose(b, op2(b, GLC_OP_Eq, r->r, r->r), e, real(b, INFINITY));
	e = add(b, e, flushed(b, r->r, r->tiny));
	return choose(b, op2(b, GLC_OP_Le, e, real(b, DBL_MAX)), e, real(b, INFINITY));
}

/* --- What is no arithmetic ------------------------------------------------- */

/* Both operands may be the other way round. */
static glc_value comparison(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value apart = above(b, size_of(b, sub(b, r->x[0], r->x[1])), r->any);

	return infinite_if(b, both(b, above(b, r->any, real(b, 0)), not(b, apart)));
}

static glc_value classification(struct rule *r)
{
	struct glc_builder *b = r->b;
	glc_value inside = op2(b, GLC_OP_Le, add(b, size_of(b, r->x[0]), r->e[0]),
			       real(b, r->inst->from == GLC_F64 ? DBL_MAX : FLT_MAX));

	return infinite_if(b, both(b, above(b, r->e[0], real(b, 0)), not(b, inside)));
}

static glc_value conversion(struct rule *r)
{
	struct glc_builder *b = r->b;
	enum glc_type to = r->inst->type;
	glc_value e = r->e[0];

	if (to == GLC_BOOL)
		return infinite_if(b, both(b, above(b, e, real(b, 0)), not(b, above(b, size_of(b, r->x[0]), e))));
	if (!glc_is_float(to))
		return infinite_if(b, above(b, jumps(r, GLC_OP_Trunc), real(b, 0)));
	if (to == GLC_F32)
		e = choose(b, above(b, e, real(b, 0)),
			   add(b, e, add(b, mul(b, add(b, size_of(b, r->r), e), real(b, 2 * r->unit)), real(b, r->least))), e);
	e = add(b, e, flushed(b, r->r, r->tiny));
	return choose(b, op2(b, GLC_OP_Le, e, real(b, DBL_MAX)), e, real(b, INFINITY));
}

static glc_value selection(struct rule *r, const struct glc_bound_operand operands[4])
{
	struct glc_builder *b = r->b;
	glc_value yes = bound_of(b, &operands[1]), no = bound_of(b, &operands[2]);
	glc_value e = choose(b, operands[0].value, yes, no), either;

	if (operands[0].bound == GLC_NO_VALUE)
		return operands[1].bound == GLC_NO_VALUE && operands[2].bound == GLC_NO_VALUE ? GLC_NO_VALUE : e;
	either = real(b, INFINITY);
	if (glc_is_float(r->inst->type)) {
		either = size_of(b, sub(b, widen(b, operands[1].value, r->inst->type),
					widen(b, operands[2].value, r->inst->type)));
		either = add(b, either, largest(b, yes, no));
		either = choose(b, op2(b, GLC_OP_Le, either, real(b, DBL_MAX)), either, real(b, INFINITY));
	}
	return choose(b, above(b, operands[0].bound, real(b, 0)), either, e);
}

/* Integers, truth values, bits: the same, or nothing is known. */
static glc_value exact(struct glc_builder *b, const struct glc_bound_operand operands[4])
{
	glc_value sum = GLC_NO_VALUE;

	for (int i = 0; i < 4; i++)
		if (operands[i].bound != GLC_NO_VALUE)
			sum = sum == GLC_NO_VALUE ? operands[i].bound : add(b, sum, operands[i].bound);
	return sum == GLC_NO_VALUE ? sum : infinite_if(b, above(b, sum, real(b, 0)));
}

/* --- All ------------------------------------------------------------------- */

static bool is_comparison(enum glc_op op)
{
	return op >= GLC_OP_Eq && op <= GLC_OP_Ge;
}

static bool is_classification(enum glc_op op)
{
	return op == GLC_OP_IsNan || op == GLC_OP_IsInf || op == GLC_OP_IsFinite;
}

static void prepare(struct rule *r, const struct glc_bound_operand operands[4], bool flushes)
{
	glc_value zero = real(r->b, 0);

	r->any = zero;
	for (int i = 0; i < 3; i++) {
		r->x[i] = r->e[i] = zero;
		if (operands[i].value == GLC_NO_VALUE)
			continue;
		if (glc_is_float(operands[i].type)) {
			r->x[i] = widen(r->b, operands[i].value, operands[i].type);
			r->e[i] = flushes ? bound_at_use(r->b, &operands[i], r->x[i]) : bound_of(r->b, &operands[i]);
		} else {
			r->e[i] = bound_of(r->b, &operands[i]);
		}
		r->any = add(r->b, r->any, r->e[i]);
	}
}

glc_value glc_bound_rule(struct glc_builder *b, const struct glc_inst *inst, glc_value result,
			 const struct glc_bound_operand operands[4])
{
	bool from_float = glc_is_float(inst->from);
	struct rule r = {
		.b = b,
		.inst = inst,
		.unit = unit_of(inst->type),
		.tiny = tiny_of(inst->type),
		.least = inst->type == GLC_F64 ? 0x1p-1074 : 0x1p-149,
	};

	if (inst->op == GLC_OP_Select)
		return selection(&r, operands);
	if (inst->op == GLC_OP_Mov || inst->op == GLC_OP_LoadConstant)
		return operands[0].bound;
	if (inst->op == GLC_OP_Bitcast || (!glc_is_float(inst->type) && !from_float))
		return exact(b, operands);
	prepare(&r, operands, true);
	if (glc_is_float(inst->type))
		r.r = widen(b, result, inst->type);
	if (is_comparison(inst->op))
		return comparison(&r);
	if (is_classification(inst->op))
		return classification(&r);
	if (inst->op == GLC_OP_Cvt)
		return conversion(&r);
	return float_bound(&r, inst->mods & GLC_MOD_APPROX ? SIZE_MAX : rule_of((enum glc_op)inst->op));
}
