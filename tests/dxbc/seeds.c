/* SPDX-License-Identifier: MIT */
#include "seeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void put8(struct bytes *b, uint32_t value)
{
	if (b->size == b->capacity) {
		b->capacity = b->capacity * 2 + 256;
		b->at = realloc(b->at, b->capacity);
		if (!b->at)
			abort();
	}
	b->at[b->size++] = (unsigned char)value;
}

void put16(struct bytes *b, uint32_t value)
{
	put8(b, value & 255);
	put8(b, value >> 8);
}

void put32(struct bytes *b, uint32_t value)
{
	put16(b, value & 65535);
	put16(b, value >> 16);
}

void put_bytes(struct bytes *b, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put8(b, ((const unsigned char *)data)[i]);
}

void put_text(struct bytes *b, const char *text)
{
	put_bytes(b, text, strlen(text) + 1);
}

void put_zeros(struct bytes *b, size_t to_multiple)
{
	while (b->size % to_multiple)
		put8(b, 0);
}

uint32_t get32(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void set32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

/* --- MD5, as RFC 1321 describes it --------------------------------------- */

static void md5_block(uint32_t state[4], const unsigned char *block)
{
	static const int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];

	for (int i = 0; i < 64; i++) {
		uint32_t f, k = (uint32_t)(long long)floor(fabs(sin(i + 1)) * 4294967296.0), sum, next;
		int word, shift = shifts[i / 16][i % 4];

		switch (i / 16) {
		case 0: f = (b & c) | (~b & d); word = i; break;
		case 1: f = (d & b) | (~d & c); word = (5 * i + 1) % 16; break;
		case 2: f = b ^ c ^ d; word = (3 * i + 5) % 16; break;
		default: f = c ^ (b | ~d); word = 7 * i % 16; break;
		}
		sum = a + f + k + get32(block + 4 * word);
		next = b + (sum << shift | sum >> (32 - shift));
		a = d;
		d = c;
		c = b;
		b = next;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

static void md5_all(const struct bytes *padded, unsigned char digest[16])
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

	for (size_t at = 0; at < padded->size; at += 64)
		md5_block(state, padded->at + at);
	for (int i = 0; i < 4; i++)
		set32(digest + 4 * i, state[i]);
}

void seed_md5(const unsigned char *data, size_t size, unsigned char digest[16])
{
	struct bytes padded = {0};

	put_bytes(&padded, data, size);
	put8(&padded, 0x80);
	while (padded.size % 64 != 56)
		put8(&padded, 0);
	put32(&padded, (uint32_t)(size * 8));
	put32(&padded, (uint32_t)((uint64_t)size * 8 >> 32));
	md5_all(&padded, digest);
	free(padded.at);
}

void seed_digest(unsigned char *container, size_t size)
{
	size_t n = size - 20, rest = n % 64;
	struct bytes padded = {0};

	put_bytes(&padded, container + 20, n - rest);
	if (rest < 56) {
		put32(&padded, (uint32_t)n * 8);
		put_bytes(&padded, container + 20 + n - rest, rest);
		put8(&padded, 0x80);
	} else {
		put_bytes(&padded, container + 20 + n - rest, rest);
		put8(&padded, 0x80);
		put_zeros(&padded, 64);
		put32(&padded, (uint32_t)n * 8);
	}
	while (padded.size % 64 != 60)
		put8(&padded, 0);
	put32(&padded, (uint32_t)n * 2 | 1);
	md5_all(&padded, container + 4);
	free(padded.at);
}

/* --- The frame ----------------------------------------------------------- */

void container_begin(struct bytes *b, uint32_t parts)
{
	put_bytes(b, "DXBC", 4);
	put_bytes(b, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	put32(b, 1);
	put32(b, 0);
	put32(b, parts);
	for (uint32_t i = 0; i < parts; i++)
		put32(b, 0);
}

/* The size of the part before is known now. */
static void close_part(struct bytes *b)
{
	uint32_t count = get32(b->at + 28);

	for (uint32_t i = count; i-- > 0;) {
		uint32_t offset = get32(b->at + 32 + 4 * i);

		if (!offset)
			continue;
		set32(b->at + offset + 4, (uint32_t)(b->size - offset - 8));
		return;
	}
}

void part_begin(struct bytes *b, const char *fourcc)
{
	uint32_t i = 0;

	close_part(b);
	while (get32(b->at + 32 + 4 * i))
		i++;
	set32(b->at + 32 + 4 * i, (uint32_t)b->size);
	put_bytes(b, fourcc, 4);
	put32(b, 0);
}

void container_end(struct bytes *b)
{
	close_part(b);
	set32(b->at + 24, (uint32_t)b->size);
	seed_digest(b->at, b->size);
}

/* --- Bitcode ------------------------------------------------------------- */

struct bits {
	struct bytes *out;
	uint64_t pending;
	int count;
};

static void put_bits(struct bits *w, uint64_t value, int width)
{
	for (int i = 0; i < width; i++) {
		w->pending |= (value >> i & 1) << w->count++;
		if (w->count == 8) {
			put8(w->out, (uint32_t)w->pending);
			w->pending = 0;
			w->count = 0;
		}
	}
}

static void put_vbr(struct bits *w, uint64_t value, int width)
{
	for (; value >> (width - 1); value >>= width - 1)
		put_bits(w, (value & ((1u << (width - 1)) - 1)) | 1u << (width - 1), width);
	put_bits(w, value, width);
}

static void align32(struct bits *w)
{
	while (w->count || w->out->size % 4)
		put_bits(w, 0, 1);
}

/* Gives where the block's length is to be stored. */
static size_t enter_block(struct bits *w, int width, uint32_t block, int inner)
{
	put_bits(w, 1, width);
	put_vbr(w, block, 8);
	put_vbr(w, (uint64_t)inner, 4);
	align32(w);
	put32(w->out, 0);
	return w->out->size;
}

static void leave_block(struct bits *w, int width, size_t begin)
{
	put_bits(w, 0, width);
	align32(w);
	set32(w->out->at + begin - 4, (uint32_t)(w->out->size - begin) / 4);
}

static void put_record(struct bits *w, int width, uint32_t code, const uint64_t *values, size_t count)
{
	put_bits(w, 3, width);
	put_vbr(w, code, 6);
	put_vbr(w, count, 6);
	for (size_t i = 0; i < count; i++)
		put_vbr(w, values[i], 6);
}

#define RECORD(w, width, code, ...) \
	put_record(w, width, code, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void put_chars(struct bits *w, int width, uint32_t code, uint64_t first, const char *text)
{
	uint64_t values[64];
	size_t count = 0;

	if (first != UINT64_MAX)
		values[count++] = first;
	while (*text)
		values[count++] = (unsigned char)*text++;
	put_record(w, width, code, values, count);
}

void seed_bitcode(struct bytes *b, const char *name)
{
	struct bytes out = {0};
	struct bits w = {.out = &out};
	size_t module, inner;

	put_bytes(&out, "BC\xc0\xde", 4);
	module = enter_block(&w, 2, 8, 3);                     /* MODULE */
	RECORD(&w, 3, 1, 1);                                   /* VERSION: relative ids */
	inner = enter_block(&w, 3, 17, 4);                     /* TYPE */
	RECORD(&w, 4, 1, 2);                                   /* NUMENTRY */
	put_record(&w, 4, 2, NULL, 0);                         /* VOID */
	RECORD(&w, 4, 21, 0, 0);                               /* FUNCTION: not variadic, returns type 0 */
	leave_block(&w, 4, inner);
	put_chars(&w, 3, 2, UINT64_MAX, "dxil-ms-dx");         /* TRIPLE */
	RECORD(&w, 3, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);   /* FUNCTION of type 1, defined */
	inner = enter_block(&w, 3, 12, 4);                     /* FUNCTION_BLOCK */
	RECORD(&w, 4, 1, 1);                                   /* DECLAREBLOCKS */
	put_record(&w, 4, 10, NULL, 0);                        /* RET */
	leave_block(&w, 4, inner);
	inner = enter_block(&w, 3, 14, 4);                     /* VALUE_SYMTAB */
	put_chars(&w, 4, 1, 0, name);                          /* ENTRY of value 0 */
	leave_block(&w, 4, inner);
	leave_block(&w, 3, module);
	put_bytes(b, out.at, out.size);
	free(out.at);
}

/* --- Parts --------------------------------------------------------------- */

static void features(struct bytes *b, uint32_t low, uint32_t high)
{
	part_begin(b, "SFI0");
	put32(b, low);
	put32(b, high);
}

/* kind: 0 pixel, 5 compute, 6 library. */
static void dxil(struct bytes *b, const char *fourcc, uint32_t kind, uint32_t minor, const char *name)
{
	struct bytes code = {0};

	seed_bitcode(&code, name);
	part_begin(b, fourcc);
	put32(b, kind << 16 | 6 << 4 | minor);
	put32(b, (uint32_t)(24 + code.size) / 4);
	put_bytes(b, "DXIL", 4);
	put32(b, 1 << 8 | minor);
	put32(b, 16);
	put32(b, (uint32_t)code.size);
	put_bytes(b, code.at, code.size);
	free(code.at);
}

static void hash(struct bytes *b, const char *name)
{
	struct bytes code = {0};
	unsigned char digest[16];

	seed_bitcode(&code, name);
	seed_md5(code.at, code.size, digest);
	part_begin(b, "HASH");
	put32(b, 0);
	put_bytes(b, digest, 16);
	free(code.at);
}

static void empty_signature(struct bytes *b, const char *fourcc)
{
	part_begin(b, fourcc);
	put32(b, 0);
	put32(b, 8);
}

/* One element: kinds by the last letter of the FourCC. */
static void signature(struct bytes *b, const char *fourcc, const char *name, uint32_t system, uint32_t type, uint32_t mask)
{
	uint32_t streams = fourcc[3] == '1' || fourcc[3] == '5', size = 24 + (streams ? 4 : 0) + (fourcc[3] == '1' ? 4 : 0);

	part_begin(b, fourcc);
	put32(b, 1);
	put32(b, 8);
	if (streams)
		put32(b, 0);
	put32(b, 8 + size);
	put32(b, 0);
	put32(b, system);
	put32(b, type);
	put32(b, 0);
	put8(b, mask);
	put8(b, 0);
	put16(b, 0);
	if (fourcc[3] == '1')
		put32(b, 0);
	put_text(b, name);
	put_zeros(b, 4);
}

static void psv_info(struct bytes *b, uint32_t bytes, uint32_t stage, uint32_t inputs, uint32_t outputs)
{
	part_begin(b, "PSV0");
	put32(b, bytes);
	for (int i = 0; i < 4; i++)
		put32(b, 0);
	put32(b, 0);
	put32(b, UINT32_MAX);
	put8(b, stage);
	put8(b, 0);
	put16(b, 0);
	put8(b, inputs);
	put8(b, outputs);
	put8(b, 0);
	put8(b, inputs);
	put8(b, outputs);
	put8(b, 0);
	put16(b, 0);
}

static void psv_element(struct bytes *b, uint32_t name, uint32_t semantic, uint32_t type)
{
	put32(b, name);
	put32(b, 0);
	put8(b, 1);
	put8(b, 0);
	put8(b, 4 | 1 << 6);
	put8(b, semantic);
	put8(b, type);
	put8(b, 2);
	put8(b, 0);
	put8(b, 0);
}

static void psv_pixel(struct bytes *b)
{
	psv_info(b, 36, 0, 1, 1);
	put32(b, 1);                  /* one resource, 16 bytes */
	put32(b, 16);
	put32(b, 3);
	put32(b, 0);
	put32(b, 0);
	put32(b, 0);
	put32(b, 8);                  /* strings: "", "COLOR", padded */
	put_text(b, "");
	put_text(b, "COLOR");
	put8(b, 0);
	put32(b, 1);                  /* one semantic index */
	put32(b, 0);
	put32(b, 16);
	psv_element(b, 1, 0, 3);
	psv_element(b, 0, 16, 3);
	for (int i = 0; i < 4; i++)   /* the output's components by each of the input's */
		put32(b, 1u << i);
}

static void psv_compute(struct bytes *b, uint32_t bytes)
{
	psv_info(b, bytes, 5, 0, 0);
	put32(b, 8);
	put32(b, 8);
	put32(b, 1);
	if (bytes >= 52)
		put32(b, 1);
	if (bytes >= 56)
		put32(b, 256);
	put32(b, 2);
	put32(b, 24);
	for (uint32_t i = 0; i < 2; i++) {
		put32(b, i ? 7 : 4);
		put32(b, 0);
		put32(b, i);
		put32(b, i);
		put32(b, 11);
		put32(b, 0);
	}
	if (bytes >= 52) {
		put32(b, 8);
		put_text(b, "");
		put_text(b, "main");
		put16(b, 0);
	} else {
		put32(b, 0);
	}
	put32(b, 0);
}

/* A table of one range, two constants, a root descriptor, a sampler. */
static void root_signature(struct bytes *b, uint32_t version)
{
	uint32_t range = version >= 2 ? 24 : 20, table = 24 + 3 * 12, constants = table + 8 + range, descriptor = constants + 12,
		 sampler = descriptor + (version >= 2 ? 12 : 8);

	part_begin(b, "RTS0");
	put32(b, version);
	put32(b, 3);
	put32(b, 24);
	put32(b, 1);
	put32(b, sampler);
	put32(b, 1);
	put32(b, 0), put32(b, 0), put32(b, table);
	put32(b, 1), put32(b, 5), put32(b, constants);
	put32(b, 2), put32(b, 0), put32(b, descriptor);
	put32(b, 1), put32(b, table + 8);
	put32(b, 1), put32(b, 2), put32(b, 3), put32(b, 4);
	if (version >= 2)
		put32(b, 1);
	put32(b, UINT32_MAX);
	put32(b, 7), put32(b, 8), put32(b, 9);
	put32(b, 10), put32(b, 11);
	if (version >= 2)
		put32(b, 8);
	put32(b, 0x15);
	put32(b, 1), put32(b, 2), put32(b, 3);
	put32(b, 0xbf800000);         /* -1.0 */
	put32(b, 16), put32(b, 8), put32(b, 1);
	put32(b, 0), put32(b, 0x7f7fffff);
	put32(b, 12), put32(b, 13), put32(b, 0);
	if (version >= 3)
		put32(b, 1);
}

static void runtime_data(struct bytes *b)
{
	part_begin(b, "RDAT");
	put32(b, 0x10);
	put32(b, 4);
	put32(b, 24), put32(b, 24 + 16), put32(b, 24 + 16 + 16), put32(b, 24 + 16 + 16 + 48);
	put32(b, 1), put32(b, 8);     /* strings */
	put_text(b, "");
	put_text(b, "buffer");
	put32(b, 2), put32(b, 8);     /* index arrays: one of one */
	put32(b, 1), put32(b, 0);
	put32(b, 3), put32(b, 40);    /* resources */
	put32(b, 1), put32(b, 32);
	put32(b, 1), put32(b, 11), put32(b, 0), put32(b, 0), put32(b, 0), put32(b, 0), put32(b, 1), put32(b, 2);
	put32(b, 4), put32(b, 52);    /* functions */
	put32(b, 1), put32(b, 44);
	put32(b, 1), put32(b, 1), put32(b, 0), put32(b, UINT32_MAX), put32(b, 5), put32(b, 0), put32(b, 0);
	put32(b, 1 << 14), put32(b, 0), put32(b, 1 << 5), put32(b, 5 << 16 | 0x60);
}

static void compiler_version(struct bytes *b)
{
	part_begin(b, "VERS");
	put16(b, 1), put16(b, 8);
	put32(b, 1);
	put32(b, 4711);
	put32(b, 16);
	put_text(b, "0123456789");
	put_text(b, "own");
	put8(b, 0);
}

/* "adler32" of RFC 1950, of few bytes. */
static uint32_t adler(const unsigned char *at, size_t bytes)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < bytes; i++) {
		a = (a + at[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

/* A zlib stream of one stored block, laid out by RFC 1950 and 1951: no compressor was needed. */
static void stored_stream(struct bytes *b, const struct bytes *content)
{
	uint32_t check = adler(content->at, content->size);

	put8(b, 0x78), put8(b, 0x01);
	put8(b, 1);
	put16(b, (uint32_t)content->size), put16(b, ~(uint32_t)content->size & 0xffff);
	put_bytes(b, content->at, content->size);
	put8(b, check >> 24), put8(b, check >> 16 & 255), put8(b, check >> 8 & 255), put8(b, check & 255);
}

static const char source_text[] = "[numthreads(4, 2, 1)]\nvoid main() {}\n";

/* Three sections: names (10 bytes of header, entries of 16), contents (compressed) and arguments. */
static void source_info(struct bytes *b)
{
	struct bytes content = {0}, stream = {0};
	uint32_t text = sizeof source_text, padded = (12 + text + 3) & ~3u, rest;

	put32(&content, padded), put32(&content, 0), put32(&content, text);
	put_bytes(&content, source_text, text);
	put_zeros(&content, 4);
	stored_stream(&stream, &content);
	rest = (uint32_t)-(int)stream.size & 3;
	part_begin(b, "SRCI");
	put32(b, 8 + 44 + (8 + 20 + (uint32_t)stream.size + rest) + 36);
	put16(b, 0), put16(b, 3);
	put32(b, 44), put16(b, 0), put16(b, 1);            /* names */
	put32(b, 0), put32(b, 1), put16(b, 24);
	put32(b, 24), put32(b, 0), put32(b, 7), put32(b, text);
	put_text(b, "a.hlsl");
	put8(b, 0);                                        /* fills the entry */
	put16(b, 0);                                       /* fills the section */
	put32(b, 8 + 20 + (uint32_t)stream.size + rest), put16(b, 0), put16(b, 0);   /* contents */
	put32(b, 20 + (uint32_t)stream.size + rest), put16(b, 0), put16(b, 1);
	put32(b, (uint32_t)stream.size), put32(b, (uint32_t)content.size), put32(b, 1);
	put_bytes(b, stream.at, stream.size);
	put_zeros(b, 4);
	put32(b, 36), put16(b, 0), put16(b, 2);            /* arguments */
	put32(b, 0), put32(b, 16), put32(b, 2);
	put_text(b, "T"), put_text(b, "cs_6_8");
	put_text(b, "E"), put_text(b, "main");
	free(content.at);
	free(stream.at);
}

/* RDAT inside, of strings and one table of records. */
static void pdb_info(struct bytes *b)
{
	struct bytes content = {0};

	put32(&content, 0x10), put32(&content, 2);
	put32(&content, 16), put32(&content, 32);
	put32(&content, 1), put32(&content, 8);
	put_bytes(&content, "\0a.hlsl", 8);
	put32(&content, 0x10002), put32(&content, 16);
	put32(&content, 1), put32(&content, 8);
	put32(&content, 1), put32(&content, 0);
	part_begin(b, "PDBI");
	put16(b, 0), put16(b, 1);
	put32(b, (uint32_t)content.size + 11), put32(b, (uint32_t)content.size);
	stored_stream(b, &content);
	put_zeros(b, 4);
	free(content.at);
}

static void debug_parts(struct bytes *b)
{
	part_begin(b, "ILDN");
	put16(b, 0), put16(b, 5);
	put_text(b, "a.pdb");
	put_zeros(b, 4);
	source_info(b);
	pdb_info(b);
}

/* Shader model 5 tokens: dcl_thread_group 4, 2, 1 for compute, and ret. */
static void tokens(struct bytes *b, const char *fourcc, uint32_t kind, uint32_t major, int compute)
{
	part_begin(b, fourcc);
	put32(b, kind << 16 | major << 4);
	put32(b, compute ? 7 : 3);
	if (compute) {
		put32(b, 4u << 24 | 155);
		put32(b, 4), put32(b, 2), put32(b, 1);
	}
	put32(b, 1u << 24 | 62);
}

static void statistics(struct bytes *b, int words)
{
	part_begin(b, "STAT");
	for (int i = 0; i < words; i++)
		put32(b, i == 0 ? 3 : i == 3 ? 1 : 0);
}

/* One binding, one buffer with one variable of type float4. */
static void definitions(struct bytes *b, int major, uint32_t target)
{
	uint32_t header = major >= 5 ? 60 : 28, binding = header, buffer = binding + 32, variable = buffer + 24,
		 type = variable + (major >= 5 ? 40 : 24), names = type + (major >= 5 ? 36 : 16);

	part_begin(b, "RDEF");
	put32(b, 1), put32(b, buffer);
	put32(b, 1), put32(b, binding);
	put8(b, 0), put8(b, (uint32_t)major), put16(b, target);
	put32(b, 0x100);
	put32(b, names);
	if (major >= 5) {
		put_bytes(b, "RD11", 4);
		put32(b, 60), put32(b, 24), put32(b, 32), put32(b, 40), put32(b, 36), put32(b, 12), put32(b, 0);
	}
	put32(b, names + 3), put32(b, 0), put32(b, 0), put32(b, 0), put32(b, 0), put32(b, 0), put32(b, 1), put32(b, 0);
	put32(b, names + 3), put32(b, 1), put32(b, variable), put32(b, 16), put32(b, 0), put32(b, 0);
	put32(b, names + 6), put32(b, 0), put32(b, 16), put32(b, 2), put32(b, type), put32(b, 0);
	if (major >= 5)
		put32(b, UINT32_MAX), put32(b, 0), put32(b, UINT32_MAX), put32(b, 0);
	put16(b, 1), put16(b, 3), put16(b, 1), put16(b, 4), put16(b, 0), put16(b, 0), put32(b, 0);
	if (major >= 5)
		put32(b, 0), put32(b, 0), put32(b, 0), put32(b, 0), put32(b, names + 8);
	put_text(b, "us");            /* the creator */
	put_text(b, "cb");
	put_text(b, "v");
	put_text(b, "float4");
	put_zeros(b, 4);
}

const char seed_names[SEED_COUNT][16] = {
	[SEED_PIXEL_6_0] = "pixel_6_0",     [SEED_PIXEL_5_0] = "pixel_5_0",   [SEED_COMPUTE_5_0] = "compute_5_0",
	[SEED_COMPUTE_6_6] = "compute_6_6", [SEED_LIBRARY_6_3] = "library_6_3", [SEED_DEBUG_6_8] = "debug_6_8",
	[SEED_GEOMETRY_4_0] = "geometry_4_0", [SEED_COMPUTE_6_8] = "compute_6_8",
};

struct bytes seed_make(enum seed seed)
{
	static const uint32_t counts[SEED_COUNT] = {7, 5, 5, 9, 5, 12, 5, 8};
	struct bytes b = {0};

	container_begin(&b, counts[seed]);
	switch (seed) {
	case SEED_PIXEL_6_0:
		features(&b, 0, 0);
		signature(&b, "ISG1", "COLOR", 0, 3, 15);
		signature(&b, "OSG1", "SV_Target", 64, 3, 15);
		psv_pixel(&b);
		root_signature(&b, 1);
		hash(&b, "main");
		dxil(&b, "DXIL", 0, 0, "main");
		break;
	case SEED_PIXEL_5_0:
		definitions(&b, 5, 0xffff);
		signature(&b, "ISGN", "TEXCOORD", 0, 3, 3);
		signature(&b, "OSGN", "SV_Target", 64, 3, 15);
		tokens(&b, "SHEX", 0, 5, 0);
		statistics(&b, 37);
		break;
	case SEED_COMPUTE_5_0:
		empty_signature(&b, "ISGN");
		empty_signature(&b, "OSGN");
		definitions(&b, 5, 0x4353);
		tokens(&b, "SHEX", 5, 5, 1);
		features(&b, 1, 0);
		break;
	case SEED_COMPUTE_6_6:
		features(&b, 1u << 14 | 1u << 31, 1);
		empty_signature(&b, "ISG1");
		empty_signature(&b, "OSG1");
		runtime_data(&b);
		psv_compute(&b, 48);
		root_signature(&b, 2);
		dxil(&b, "STAT", 5, 6, "main");
		hash(&b, "main");
		dxil(&b, "DXIL", 5, 6, "main");
		break;
	case SEED_COMPUTE_6_8:
		features(&b, 0, 0);
		empty_signature(&b, "ISG1");
		empty_signature(&b, "OSG1");
		runtime_data(&b);
		psv_compute(&b, 52);
		root_signature(&b, 3);
		hash(&b, "main");
		dxil(&b, "DXIL", 5, 8, "main");
		break;
	case SEED_LIBRARY_6_3:
		features(&b, 0, 0);
		compiler_version(&b);
		runtime_data(&b);
		hash(&b, "library");
		dxil(&b, "DXIL", 6, 3, "library");
		break;
	case SEED_DEBUG_6_8:
		features(&b, 0, 0);
		empty_signature(&b, "ISG1");
		empty_signature(&b, "OSG1");
		psv_compute(&b, 56);
		root_signature(&b, 2);
		dxil(&b, "ILDB", 5, 8, "main");
		debug_parts(&b);
		hash(&b, "main");
		dxil(&b, "DXIL", 5, 8, "main");
		part_begin(&b, "PRIV");
		put_bytes(&b, "odd", 3);
		break;
	default:
		definitions(&b, 4, 0x4753);
		signature(&b, "ISGN", "POSITION", 0, 3, 15);
		signature(&b, "OSG5", "SV_Position", 1, 3, 15);
		tokens(&b, "SHDR", 2, 4, 0);
		statistics(&b, 29);
		break;
	}
	container_end(&b);
	return b;
}
