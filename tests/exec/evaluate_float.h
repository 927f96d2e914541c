/* SPDX-License-Identifier: MIT */
/*
 * The float instructions for one width; evaluate.c includes this twice.
 *
 *	F          float or double        M(name)     the C library's function of that width
 *	OF, BITS   between bits and F     NAME(name)  this width's own name
 *	KIND       its enumerator         NEXT(x, n)  the float n steps on
 *	SMALLEST   the least normal       R, R_TYPE   a wider type and its functions, for references
 */

static F NAME(min)(F x, F y)
{
	return x != x ? y : y != y ? x : x < y ? x : y;
}

static F NAME(max)(F x, F y)
{
	return x != x ? y : y != y ? x : x > y ? x : y;
}

/* Both zeros compare equal: strictly -0 is the smaller, elsewhere either may come out. */
static void NAME(add_minmax)(struct answer *a, bool want_max, F x, F y)
{
	bool zeros = x == 0 && y == 0 && signbit(x) != signbit(y);

	/* IEEE 754-2008, minNum: a signaling NaN does not lose; a device may go by that. */
	if (a->rules == EV_VULKAN && (is_signaling(KIND, BITS(x)) || is_signaling(KIND, BITS(y))))
		add(a, BITS((F)NAN));
	if (!zeros)
		add(a, BITS(want_max ? NAME(max)(x, y) : NAME(min)(x, y)));
	if (zeros && (want_max || a->rules == EV_VULKAN))
		add(a, BITS((F)0.0));
	if (zeros && (!want_max || a->rules == EV_VULKAN))
		add(a, BITS((F)-0.0));
}

static F NAME(round_even)(F x)
{
	F whole = M(floor)(x), part = x - whole;

	if (part > (F)0.5 || (part == (F)0.5 && M(fmod)(whole, 2) != 0))
		whole += 1;
	return M(copysign)(whole, x);
}

/* What a quotient may be: exact, or a few steps to either side. */
static unsigned NAME(quotients)(const struct answer *a, F x, F y, F out[7])
{
	F exact = x / y;
	unsigned n = 0;

	out[n++] = exact;
	if (a->rules == EV_VULKAN && exact == exact && exact - exact == 0)
		for (int step = 1; step <= 3; step++) {
			out[n++] = NEXT(exact, step);
			out[n++] = NEXT(exact, -step);
		}
	return n;
}

/* Nothing is promised of a quotient whose divisor is this. */
static bool NAME(divides_freely)(const struct answer *a, F y)
{
	return a->rules == EV_VULKAN && KIND == EV_F32 && (M(fabs)(y) > (F)0x1p126 || M(fabs)(y) < (F)0x1p-126) && y != 0 &&
	       y - y == 0;
}

static void NAME(classify)(int op, F x, struct answer *a)
{
	bool infinite = x - x != 0 && x == x;

	add(a, op == OP_IsNan ? x != x : op == OP_IsInf ? infinite : x - x == 0);
}

static void NAME(compare)(int op, F x, F y, struct answer *a)
{
	switch (op) {
	case OP_Eq: add(a, x == y); break;
	case OP_Ne: add(a, x != y); break;
	case OP_Lt: add(a, x < y); break;
	case OP_Le: add(a, x <= y); break;
	case OP_Gt: add(a, x > y); break;
	default: add(a, x >= y); break;
	}
}

static void NAME(transcendental)(int op, F x, F y, struct answer *a)
{
	switch (op) {
	case OP_Exp: approach(a, R(exp)((R_TYPE)x)); break;
	case OP_Exp2: approach(a, R(exp2)((R_TYPE)x)); break;
	case OP_Log: approach(a, R(log)((R_TYPE)x)); break;
	case OP_Log2: approach(a, R(log2)((R_TYPE)x)); break;
	case OP_Pow: approach(a, R(pow)((R_TYPE)x, (R_TYPE)y)); break;
	case OP_Sin: approach(a, R(sin)((R_TYPE)x)); break;
	case OP_Cos: approach(a, R(cos)((R_TYPE)x)); break;
	case OP_Tan: approach(a, R(tan)((R_TYPE)x)); break;
	case OP_Tanh: approach(a, R(tanh)((R_TYPE)x)); break;
	case OP_Sinh: approach(a, R(sinh)((R_TYPE)x)); break;
	case OP_Cosh: approach(a, R(cosh)((R_TYPE)x)); break;
	case OP_Asin: approach(a, R(asin)((R_TYPE)x)); break;
	case OP_Acos: approach(a, R(acos)((R_TYPE)x)); break;
	case OP_Atan: approach(a, R(atan)((R_TYPE)x)); break;
	case OP_Atan2: approach(a, R(atan2)((R_TYPE)x, (R_TYPE)y)); break;
	default: approach(a, R(erf)((R_TYPE)x)); break;
	}
}

/* One choice of flushed or kept operands; adds every answer that it makes right. */
static void NAME(choice)(int op, F x, F y, F z, const uint64_t arg[4], struct answer *a)
{
	struct answer inner = {.rules = a->rules};
	F q[7];
	unsigned n;

	switch (op) {
	case OP_Add: add(a, BITS(x + y)); break;
	case OP_Sub: add(a, BITS(x - y)); break;
	case OP_Mul: add(a, BITS(x * y)); break;
	case OP_Div:
		add(a, BITS(x / y));
		a->steps = a->rules == EV_VULKAN ? 3 : 0;   /* 2.5 ULP of the exact quotient */
		a->open = a->open || NAME(divides_freely)(a, y);
		break;
	case OP_Rem:
		a->open = a->open || NAME(divides_freely)(a, y);
		n = NAME(quotients)(a, x, y, q);
		for (unsigned i = 0; i < n; i++)
			add(a, BITS(x - y * M(trunc)(q[i])));
		break;
	case OP_Fma:
		add(a, BITS(M(fma)(x, y, z)));
		if (a->rules == EV_VULKAN)
			add(a, BITS(x * y + z));
		break;
	case OP_Neg: add(a, BITS(-x)); break;
	case OP_Abs: add(a, BITS(M(fabs)(x))); break;
	case OP_Min: NAME(add_minmax)(a, false, x, y); break;
	case OP_Max: NAME(add_minmax)(a, true, x, y); break;
	case OP_Clamp:
		NAME(add_minmax)(&inner, true, x, y);
		for (unsigned i = 0; i < inner.count; i++)
			NAME(add_minmax)(a, false, OF(inner.bits[i]), z);
		break;
	case OP_Sqrt:
		add(a, BITS(M(sqrt)(x)));
		a->steps = a->rules == EV_VULKAN ? 3 : 0;
		break;
	case OP_Rcp:
		a->open = a->open || NAME(divides_freely)(a, x);
		add(a, BITS(1 / x));
		a->steps = a->rules == EV_VULKAN ? 3 : 0;
		break;
	case OP_Rsqrt:
		q[0] = M(sqrt)(x);
		add(a, BITS(1 / q[0]));
		if (a->rules == EV_VULKAN && q[0] > 0 && q[0] - q[0] == 0) {
			add(a, BITS(1 / NEXT(q[0], 3)));
			add(a, BITS(1 / NEXT(q[0], -3)));
		}
		a->steps = a->rules == EV_VULKAN ? 4 : 0;
		break;
	case OP_Floor: add(a, BITS(M(floor)(x))); break;
	case OP_Ceil: add(a, BITS(M(ceil)(x))); break;
	case OP_Trunc: add(a, BITS(M(trunc)(x))); break;
	case OP_Round: add(a, BITS(NAME(round_even)(x))); break;
	case OP_Fract: add(a, BITS(x - M(floor)(x))); break;
	case OP_Sign:
		add(a, BITS(x > 0 ? (F)1 : x < 0 ? (F)-1 : x));
		/* Taken for a zero, and handed on as it is. */
		if (a->rules == EV_VULKAN && x != 0 && M(fabs)(x) < SMALLEST)
			add(a, BITS(x));
		break;
	case OP_CopySign: add(a, BITS(M(copysign)(x, y))); break;
	case OP_Ldexp: add(a, BITS(M(ldexp)(x, (int32_t)arg[1]))); break;
	case OP_Eq: case OP_Ne: case OP_Lt: case OP_Le: case OP_Gt: case OP_Ge:
		NAME(compare)(op, x, y, a);
		break;
	case OP_IsNan: case OP_IsInf: case OP_IsFinite: NAME(classify)(op, x, a); break;
	default: NAME(transcendental)(op, x, y, a); break;
	}
}

static bool NAME(is_subnormal)(F x)
{
	return x != 0 && M(fabs)(x) < SMALLEST;
}

static void NAME(evaluate)(int op, const uint64_t arg[4], unsigned operands, struct answer *a)
{
	F value[3] = {0, 0, 0};

	for (unsigned i = 0; i < operands; i++)
		value[i] = OF(arg[i]);
	/* Each subset of the operands may be flushed; only subnormal ones change by it. */
	for (unsigned flush = 0; flush < 1u << operands; flush++) {
		F now[3] = {value[0], value[1], value[2]};
		bool differs = true;

		for (unsigned i = 0; i < operands; i++)
			if (flush >> i & 1) {
				differs = differs && NAME(is_subnormal)(value[i]);
				now[i] = M(copysign)(0, value[i]);
			}
		if (flush && (a->rules == EV_STRICT || !differs))
			continue;
		NAME(choice)(op, now[0], now[1], now[2], arg, a);
	}
}
