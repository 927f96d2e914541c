/* SPDX-License-Identifier: MIT */
/*
 * Literals: from spelling to bits. Nothing here depends on the locale, so that the same
 * text means the same everywhere: decimal floats are rounded by our own exact algorithm.
 *
 * Short decimals (up to 19 digits, a power of ten that a double holds exactly, a mantissa
 * below 2^53) need one multiplication or division of exact doubles. All others are scaled
 * as big integers: the quotient's bits and the remainder decide the rounding exactly.
 */
#include "ir/tree.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Binary formats by type: fraction bits and exponent bias. */
struct format {
	int fraction_bits, exponent_bits;
};

static struct format format_of(enum glc_type type)
{
	return type == GLC_F64 ? (struct format){52, 11} : (struct format){23, 8};
}

/*
 * The float nearest to mantissa * 2^exponent, plus something in (0, 1) units of the
 * mantissa's last place if `sticky`. Ties to even; false on overflow.
 */
static bool round_binary(uint64_t mantissa, int64_t exponent, bool sticky, enum glc_type type,
			 uint64_t *bits)
{
	struct format format = format_of(type);
	int64_t bias = (1 << (format.exponent_bits - 1)) - 1, scale, drop;
	uint64_t rest, half;

	if (!mantissa) {
		*bits = 0;
		return true;
	}
	while (!(mantissa >> 63)) {
		mantissa <<= 1;
		exponent--;
	}
	scale = exponent + 63;                      /* value is 1.xxx * 2^scale */
	drop = 63 - format.fraction_bits;
	if (scale < 1 - bias)
		drop += 1 - bias - scale;           /* subnormal: fewer bits stay */
	if (drop > 64) {
		*bits = 0;
		return true;
	}
	if (drop == 64) {
		rest = mantissa;
		mantissa = 0;
		half = UINT64_C(1) << 63;
	} else {
		rest = mantissa & ((UINT64_C(1) << drop) - 1);
		mantissa >>= drop;
		half = UINT64_C(1) << (drop - 1);
	}
	if (rest > half || (rest == half && (sticky || (mantissa & 1))))
		mantissa++;
	/* A carry out of the fraction adds one to the exponent field, as it should. */
	if (scale < 1 - bias) {
		*bits = mantissa;
		return true;
	}
	*bits = ((uint64_t)(scale + bias) << format.fraction_bits) +
		(mantissa - (UINT64_C(1) << format.fraction_bits));
	return *bits >> format.fraction_bits < (UINT64_C(1) << format.exponent_bits) - 1;
}

/* --- Big integers: just what decimal conversion needs -------------------- */

/* Digits beyond this many cannot change the rounding: they are folded into one sticky digit. */
enum { MAX_DIGITS = 800, BIG_WORDS = 160 };

struct big {
	uint32_t word[BIG_WORDS];  /* least significant first */
	int count;
};

static void big_multiply_add(struct big *big, uint32_t factor, uint32_t add)
{
	uint64_t carry = add;

	for (int i = 0; i < big->count; i++) {
		carry += (uint64_t)big->word[i] * factor;
		big->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry)
		big->word[big->count++] = (uint32_t)carry;
}

static void big_shift_left(struct big *big, int bits)
{
	int words = bits / 32, rest = bits % 32;

	if (!big->count)
		return;
	for (int i = big->count; i-- > 0;)
		big->word[i + words] = big->word[i];
	memset(big->word, 0, (size_t)words * sizeof big->word[0]);
	big->count += words;
	if (rest)
		big_multiply_add(big, 1u << rest, 0);
}

static int big_bits(const struct big *big)
{
	return big->count ? big->count * 32 - __builtin_clz(big->word[big->count - 1]) : 0;
}

static int big_compare(const struct big *a, const struct big *b)
{
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (int i = a->count; i-- > 0;)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

static void big_subtract(struct big *a, const struct big *b)
{
	int64_t borrow = 0;

	for (int i = 0; i < a->count; i++) {
		int64_t difference = (int64_t)a->word[i] - (i < b->count ? b->word[i] : 0) + borrow;

		a->word[i] = (uint32_t)difference;
		borrow = difference >> 32;
	}
	while (a->count && !a->word[a->count - 1])
		a->count--;
}

static void big_power_of_ten(struct big *big, int power)
{
	for (; power >= 9; power -= 9)
		big_multiply_add(big, 1000000000u, 0);
	for (; power > 0; power--)
		big_multiply_add(big, 10, 0);
}

/* digits * 10^power as a float, exactly rounded. */
static bool round_decimal(const char *digits, int count, int64_t power, bool sticky,
			  enum glc_type type, uint64_t *bits)
{
	struct big numerator = {.count = 0}, denominator = {.word = {1}, .count = 1};
	uint64_t quotient = 0;
	int shift;

	/* Far outside of double's range: the answer is known, and the integers would be too large. */
	if (count + power > 310)
		return false;
	if (count + power < -400) {
		*bits = 0;
		return true;
	}
	for (int i = 0; i < count; i++) {
		uint32_t digit = (uint32_t)(digits[i] - '0');

		if (!numerator.count && digit) {
			numerator.word[0] = digit;
			numerator.count = 1;
		} else {
			big_multiply_add(&numerator, 10, digit);
		}
	}
	if (power > 0)
		big_power_of_ten(&numerator, (int)power);
	else
		big_power_of_ten(&denominator, (int)-power);

	/* Scale so that 2^63 < quotient < 2^65, then divide one bit at a time from 2^64 down. */
	shift = 64 - (big_bits(&numerator) - big_bits(&denominator));
	if (shift > 0)
		big_shift_left(&numerator, shift);
	else
		big_shift_left(&denominator, -shift);
	big_shift_left(&denominator, 64);
	for (int i = 0; i < 65; i++) {
		quotient <<= 1;
		if (big_compare(&numerator, &denominator) >= 0) {
			big_subtract(&numerator, &denominator);
			quotient |= 1;
		}
		big_shift_left(&numerator, 1);
		/* The bit of 2^64 was set: 64 bits are complete, the last one goes to the rest. */
		if (i == 63 && quotient >> 63) {
			shift -= 1;
			break;
		}
	}
	return round_binary(quotient, -shift, sticky || numerator.count, type, bits);
}

static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* text is digits with an optional point and exponent, already known to have that form. */
static bool decimal_float(const char *at, const char *end, enum glc_type type, uint64_t *bits)
{
	char digits[MAX_DIGITS];
	int count = 0;
	int64_t power = 0, exponent = 0;
	bool point = false, sticky = false, negative = false;
	uint64_t small = 0;

	for (; at < end && (is_digit(*at) || *at == '.'); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		if (count || *at != '0') {
			if (count < MAX_DIGITS) {
				digits[count++] = *at;
				if (count <= 19)
					small = small * 10 + (uint64_t)(*at - '0');
			} else {
				sticky = sticky || *at != '0';
				power++;
			}
		}
		power -= point;
	}
	if (at < end) {
		at++;
		negative = *at == '-';
		at += *at == '-' || *at == '+';
		for (; at < end; at++)
			if (exponent < 100000000)
				exponent = exponent * 10 + (*at - '0');
		power += negative ? -exponent : exponent;
	}
	if (!count) {
		*bits = 0;
		return true;
	}
	/* Into a double one operation rounds exactly; into a float it would round a second time. */
	if (count <= 19 && small < UINT64_C(1) << 53 && power >= -22 && power <= 22) {
		double value = (double)small;

		value = power < 0 ? value / exact_powers[-power] : value * exact_powers[power];
		memcpy(bits, &value, sizeof *bits);
		if (type == GLC_F64)
			return true;
		/* Rounding again is harmless except where the double lies on a tie of floats. */
		if ((*bits & 0x1fffffff) != 0x10000000) {
			float single = (float)value;
			uint32_t low;

			memcpy(&low, &single, sizeof low);
			if (low > 0x00800000 && low < 0x7f800000) {
				*bits = low;
				return true;
			}
		}
	}
	return round_decimal(digits, count, power, sticky, type, bits);
}

/* 0x1.8p1: hex digits with an optional point, then p and a decimal exponent. */
static enum glc_literal_fault hex_float(const char *at, const char *end, enum glc_type type,
					uint64_t *bits)
{
	uint64_t mantissa = 0;
	int64_t power = 0, exponent = 0;
	bool point = false, sticky = false, any = false, negative;

	for (; at < end && (hex_digit(*at) >= 0 || *at == '.'); at++) {
		if (*at == '.') {
			if (point)
				return GLC_LITERAL_FORM;
			point = true;
			continue;
		}
		any = true;
		if (mantissa >> 60) {
			sticky = sticky || *at != '0';
			power += 4;
		} else {
			mantissa = mantissa << 4 | (uint64_t)hex_digit(*at);
		}
		power -= point ? 4 : 0;
	}
	if (!any || at == end || (*at | 0x20) != 'p')
		return GLC_LITERAL_FORM;
	at++;
	negative = at < end && *at == '-';
	at += at < end && (*at == '-' || *at == '+');
	if (at == end)
		return GLC_LITERAL_FORM;
	for (; at < end; at++) {
		if (!is_digit(*at))
			return GLC_LITERAL_FORM;
		if (exponent < 100000000)
			exponent = exponent * 10 + (*at - '0');
	}
	power += negative ? -exponent : exponent;
	if (power > 100000000)
		power = 100000000;
	return round_binary(mantissa, power, sticky, type, bits) ? GLC_LITERAL_OK : GLC_LITERAL_RANGE;
}

/* An integer's magnitude; false beyond 64 bits. */
static bool magnitude(const char *at, const char *end, unsigned base, uint64_t *value)
{
	*value = 0;
	for (; at < end; at++)
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)hex_digit(*at), value))
			return false;
	return true;
}

static enum glc_literal_fault fit_int(uint64_t value, bool negative, bool hex, enum glc_type type,
				      uint64_t *bits)
{
	uint64_t mask = glc_type_mask(type), top = mask ^ mask >> 1;

	if (hex && !negative) {
		/* A pattern: 0xFFFFFFFF is -1 for i32. */
		if (value > mask)
			return GLC_LITERAL_RANGE;
		*bits = value;
		return GLC_LITERAL_OK;
	}
	if (negative) {
		if (value && (!glc_is_signed(type) || value > top))
			return GLC_LITERAL_RANGE;
		*bits = (0 - value) & mask;
		return GLC_LITERAL_OK;
	}
	if (value > (glc_is_signed(type) ? mask >> 1 : mask))
		return GLC_LITERAL_RANGE;
	*bits = value;
	return GLC_LITERAL_OK;
}

/* An integer of more than 64 bits for a float: 18446744073709551616 is 2^64, which any holds. */
static enum glc_literal_fault large_integer(const char *at, const char *end, bool negative, bool hex,
					    enum glc_type type, uint64_t *bits)
{
	struct format format = format_of(type);
	struct big big = {.count = 0};
	uint64_t value = 0;
	int excess;

	while (*at == '0')
		at++;
	/* 16^309 and 10^309 are beyond every float, and so many digits fit the big integer. */
	if (end - at > 309)
		return GLC_LITERAL_RANGE;
	for (; at < end; at++)
		big_multiply_add(&big, hex ? 16 : 10, (uint32_t)hex_digit(*at));
	excess = big_bits(&big) - 64;
	for (int i = 0; i < big.count * 32; i++) {
		uint64_t bit = big.word[i / 32] >> i % 32 & 1;

		if (i >= excess)
			value |= i - excess < 64 ? bit << (i - excess) : 0;
		else if (bit)
			return GLC_LITERAL_INEXACT;
	}
	if (64 - __builtin_ctzll(value) > format.fraction_bits + 1)
		return GLC_LITERAL_INEXACT;
	if (!round_binary(value, excess, false, type, bits))
		return GLC_LITERAL_RANGE;
	if (negative)
		*bits |= UINT64_C(1) << (glc_bits(type) - 1);
	return GLC_LITERAL_OK;
}

static enum glc_literal_fault integer(const char *at, const char *end, bool negative, bool hex,
				      enum glc_type type, uint64_t *bits)
{
	struct format format;
	uint64_t value;

	if (type == GLC_BOOL)
		return GLC_LITERAL_TYPE;
	if (!magnitude(at, end, hex ? 16 : 10, &value))
		return glc_is_float(type) ? large_integer(at, end, negative, hex, type, bits)
					  : GLC_LITERAL_RANGE;
	if (!glc_is_float(type))
		return fit_int(value, negative, hex, type, bits);
	/* An integer may stand for a float if the float can hold it. */
	format = format_of(type);
	if (value && 64 - __builtin_clzll(value) - __builtin_ctzll(value) > format.fraction_bits + 1)
		return GLC_LITERAL_INEXACT;
	round_binary(value, 0, false, type, bits);
	if (negative)
		*bits |= UINT64_C(1) << (glc_bits(type) - 1);
	return GLC_LITERAL_OK;
}

/* 0h, 0f, 0d and exactly 4, 8, 16 digits: the pattern itself, no sign. */
static enum glc_literal_fault pattern(const char *at, const char *end, char kind,
				      enum glc_type type, uint64_t *bits)
{
	uint32_t width = kind == 'h' ? 16 : kind == 'f' ? 32 : 64;

	for (const char *c = at; c < end; c++)
		if (hex_digit(*c) < 0)
			return GLC_LITERAL_FORM;
	if ((uint32_t)(end - at) != width / 4)
		return GLC_LITERAL_DIGITS;
	if (glc_bits(type) != width)
		return GLC_LITERAL_TYPE;
	magnitude(at, end, 16, bits);
	return GLC_LITERAL_OK;
}

static bool is_word(const char *at, const char *end, const char *word)
{
	return (size_t)(end - at) == strlen(word) && !memcmp(at, word, (size_t)(end - at));
}

static enum glc_literal_fault special(const char *at, const char *end, bool negative,
				      enum glc_type type, uint64_t *bits)
{
	struct format format = format_of(type);
	uint64_t infinity = ((UINT64_C(1) << format.exponent_bits) - 1) << format.fraction_bits;

	if (!negative && (is_word(at, end, "true") || is_word(at, end, "false"))) {
		*bits = *at == 't';
		return type == GLC_BOOL ? GLC_LITERAL_OK : GLC_LITERAL_TYPE;
	}
	if (is_word(at, end, "inf"))
		*bits = infinity | (negative ? UINT64_C(1) << (glc_bits(type) - 1) : 0);
	else if (!negative && is_word(at, end, "nan"))
		*bits = infinity | UINT64_C(1) << (format.fraction_bits - 1);
	else
		return GLC_LITERAL_FORM;
	return type == GLC_F32 || type == GLC_F64 ? GLC_LITERAL_OK : GLC_LITERAL_TYPE;
}

enum glc_literal_fault glc_literal_bits(struct glc_name text, enum glc_type type, uint64_t *bits)
{
	const char *at = text.at, *end = at + text.bytes, *c;
	bool negative, fraction = false;
	enum glc_literal_fault fault;

	negative = at < end && *at == '-';
	at += negative;
	if (at == end)
		return GLC_LITERAL_FORM;
	if (!is_digit(*at))
		return special(at, end, negative, type, bits);
	if (*at == '0' && end - at > 1) {
		char kind = at[1];

		if (!negative && (kind == 'h' || kind == 'f' || kind == 'd'))
			return pattern(at + 2, end, kind, type, bits);
		if (kind == 'x' || kind == 'X') {
			for (c = at + 2; c < end && hex_digit(*c) >= 0; c++)
				;
			if (c == end)
				return c == at + 2 ? GLC_LITERAL_FORM
						   : integer(at + 2, end, negative, true, type, bits);
			if (type != GLC_F32 && type != GLC_F64) {
				uint64_t ignored;

				fault = hex_float(at + 2, end, GLC_F64, &ignored);
				return fault == GLC_LITERAL_FORM ? fault : GLC_LITERAL_TYPE;
			}
			fault = hex_float(at + 2, end, type, bits);
			if (fault == GLC_LITERAL_OK && negative)
				*bits |= UINT64_C(1) << (glc_bits(type) - 1);
			return fault;
		}
	}
	for (c = at; c < end && is_digit(*c); c++)
		;
	if (c == end)
		return integer(at, end, negative, false, type, bits);
	if (*c == '.') {
		fraction = true;
		c++;
		if (c == end || !is_digit(*c))
			return GLC_LITERAL_FORM;
		while (c < end && is_digit(*c))
			c++;
	}
	if (c < end && (*c | 0x20) == 'e') {
		fraction = true;
		c++;
		c += c < end && (*c == '-' || *c == '+');
		if (c == end || !is_digit(*c))
			return GLC_LITERAL_FORM;
		while (c < end && is_digit(*c))
			c++;
	}
	if (c < end || !fraction)
		return GLC_LITERAL_FORM;
	if (type != GLC_F32 && type != GLC_F64)
		return GLC_LITERAL_TYPE;
	if (!decimal_float(at, end, type, bits))
		return GLC_LITERAL_RANGE;
	if (negative)
		*bits |= UINT64_C(1) << (glc_bits(type) - 1);
	return GLC_LITERAL_OK;
}
