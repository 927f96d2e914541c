/* SPDX-License-Identifier: MIT */
#include "pickle.h"

#include "common/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct pickle *pickle;
	const unsigned char *data;
	size_t at, bytes;
	struct value **stack, **memo;
	size_t depth, stack_capacity, memo_count;
};

static bool refuse(struct reader *r, const char *format, const char *what)
{
	snprintf(r->pickle->error, sizeof r->pickle->error, format, what);
	r->pickle->error_at = r->at;
	return false;
}

static void *grown(void *at, size_t *capacity, size_t count, size_t bytes)
{
	if (count < *capacity)
		return at;
	*capacity = *capacity ? 2 * *capacity : 64;
	return cli_realloc(at, *capacity * bytes);
}

static struct value *make(struct reader *r, enum value_kind kind)
{
	struct pickle *p = r->pickle;
	struct value *value = cli_alloc(sizeof *value);

	*value = (struct value){.kind = kind};
	p->made = grown(p->made, &p->made_capacity, p->made_count, sizeof *p->made);
	p->made[p->made_count++] = value;
	return value;
}

static void push(struct reader *r, struct value *value)
{
	r->stack = grown(r->stack, &r->stack_capacity, r->depth, sizeof *r->stack);
	r->stack[r->depth++] = value;
}

static void push_number(struct reader *r, enum value_kind kind, int64_t number)
{
	struct value *value = make(r, kind);

	value->number = number;
	push(r, value);
}

static void put(struct value *into, struct value *item)
{
	into->item = grown(into->item, &into->capacity, into->count, sizeof(struct value *));
	into->item[into->count++] = item;
}

/* Little endian; false behind the end. */
static bool take(struct reader *r, unsigned bytes, uint64_t *value)
{
	*value = 0;
	if (r->bytes - r->at < bytes)
		return refuse(r, "it ends in the midst of %s", "a number");
	for (unsigned i = 0; i < bytes; i++)
		*value |= (uint64_t)r->data[r->at++] << 8 * i;
	return true;
}

static bool text(struct reader *r, unsigned length_bytes)
{
	struct value *value;
	uint64_t length;

	if (!take(r, length_bytes, &length))
		return false;
	if (length > r->bytes - r->at)
		return refuse(r, "it ends in the midst of %s", "a string");
	value = make(r, VALUE_TEXT);
	value->text = (const char *)r->data + r->at;
	value->count = (size_t)length;
	r->at += (size_t)length;
	push(r, value);
	return true;
}

/* Little endian two's complement of 0 to 8 bytes, or 9 whose last is a sign. */
static bool long_number(struct reader *r)
{
	uint64_t length, value;

	if (!take(r, 1, &length))
		return false;
	if (length > 9)
		return refuse(r, "a whole number of more than %s bytes", "8");
	if (!take(r, length < 8 ? (unsigned)length : 8, &value))
		return false;
	if (length == 9 && (r->at == r->bytes || (r->data[r->at] != 0 && r->data[r->at] != 0xff)))
		return refuse(r, "a whole number of more than %s bytes", "8");
	r->at += length == 9;
	if (length && length < 8 && value >> (8 * length - 1))
		value |= ~UINT64_C(0) << 8 * length;
	push_number(r, VALUE_INT, (int64_t)value);
	return true;
}

/* Items above the topmost mark; the mark goes. */
static bool marked(struct reader *r, size_t *first)
{
	size_t at = r->depth;

	while (at && r->stack[at - 1]->kind != VALUE_MARK)
		at--;
	if (!at)
		return refuse(r, "%s without a mark", "a group");
	*first = at;
	return true;
}

static bool pop_into(struct reader *r, enum value_kind kind)
{
	size_t first;
	struct value *into;

	if (!marked(r, &first))
		return false;
	if (first < 2 || r->stack[first - 2]->kind != kind)
		return refuse(r, "items for what is no %s", kind == VALUE_LIST ? "list" : "dictionary");
	into = r->stack[first - 2];
	if (kind == VALUE_DICT && (r->depth - first) % 2)
		return refuse(r, "%s without its value", "a key");
	for (size_t i = first; i < r->depth; i++)
		put(into, r->stack[i]);
	r->depth = first - 1;
	return true;
}

static bool pop_some(struct reader *r, enum value_kind kind, size_t count)
{
	if (r->depth < count + 1 || r->stack[r->depth - count - 1]->kind != kind)
		return refuse(r, "items for what is no %s", kind == VALUE_LIST ? "list" : "dictionary");
	for (size_t i = r->depth - count; i < r->depth; i++)
		put(r->stack[r->depth - count - 1], r->stack[i]);
	r->depth -= count;
	return true;
}

static bool tuple(struct reader *r, size_t count, bool by_mark)
{
	struct value *value = make(r, VALUE_LIST);
	size_t first = r->depth - count;

	if (by_mark ? !marked(r, &first) : count > r->depth)
		return by_mark ? false : refuse(r, "%s of more than there is", "a tuple");
	for (size_t i = first; i < r->depth; i++)
		put(value, r->stack[i]);
	r->depth = first - by_mark;
	push(r, value);
	return true;
}

/* Numbers in the memo come in order, but may be told: none is beyond the file's bytes. */
static bool remember(struct reader *r, uint64_t number)
{
	if (!r->depth || number >= r->bytes)
		return refuse(r, "a memo that cannot be: %s", "its number or its value");
	if (number >= r->memo_count) {
		size_t count = (size_t)number + 1;

		r->memo = cli_realloc(r->memo, count * 2 * sizeof *r->memo);
		memset(r->memo + r->memo_count, 0, (2 * count - r->memo_count) * sizeof *r->memo);
		r->memo_count = 2 * count;
	}
	r->memo[number] = r->stack[r->depth - 1];
	return true;
}

static bool recall(struct reader *r, uint64_t number)
{
	if (number >= r->memo_count || !r->memo[number])
		return refuse(r, "a memo that is empty is %s", "read");
	push(r, r->memo[number]);
	return true;
}

static const char *calls(unsigned char op)
{
	switch (op) {
	case 'c': return "GLOBAL";
	case 0x93: return "STACK_GLOBAL";
	case 'R': return "REDUCE";
	case 'b': return "BUILD";
	case 'i': return "INST";
	case 'o': return "OBJ";
	case 0x81: return "NEWOBJ";
	case 0x92: return "NEWOBJ_EX";
	case 0x82: case 0x83: case 0x84: return "EXT";
	case 'P': case 'Q': return "PERSID";
	default: return NULL;
	}
}

static bool step(struct reader *r, size_t *next_memo)
{
	unsigned char op = r->data[r->at++];
	uint64_t n = 0;

	switch (op) {
	case 0x80: return take(r, 1, &n) && (n <= 5 || refuse(r, "a protocol that is not known%s", ""));
	case 0x95: return take(r, 8, &n);
	case '(': push(r, make(r, VALUE_MARK)); return true;
	case '}': push(r, make(r, VALUE_DICT)); return true;
	case ']': case ')': push(r, make(r, VALUE_LIST)); return true;
	case 'N': push(r, make(r, VALUE_NONE)); return true;
	case 0x88: case 0x89: push_number(r, VALUE_BOOL, op == 0x88); return true;
	case 'K': case 'M':
		if (!take(r, op == 'K' ? 1 : 2, &n))
			return false;
		push_number(r, VALUE_INT, (int64_t)n);
		return true;
	case 'J':
		if (!take(r, 4, &n))
			return false;
		push_number(r, VALUE_INT, (int32_t)n);
		return true;
	case 0x8a: return long_number(r);
	case 'G':
		if (!take(r, 8, &n))
			return false;
		push_number(r, VALUE_REAL, 0);
		return true;
	case 'X': case 'B': return text(r, 4);
	case 0x8c: case 'C': return text(r, 1);
	case 0x8d: case 0x8e: return text(r, 8);
	case 'q': return take(r, 1, &n) && remember(r, n);
	case 'r': return take(r, 4, &n) && remember(r, n);
	case 0x94: return remember(r, (*next_memo)++);
	case 'h': return take(r, 1, &n) && recall(r, n);
	case 'j': return take(r, 4, &n) && recall(r, n);
	case 's': return pop_some(r, VALUE_DICT, 2);
	case 'u': return pop_into(r, VALUE_DICT);
	case 'a': return pop_some(r, VALUE_LIST, 1);
	case 'e': return pop_into(r, VALUE_LIST);
	case 't': return tuple(r, 0, true);
	case 0x85: case 0x86: case 0x87: return tuple(r, op - 0x84u, false);
	default: break;
	}
	r->at--;
	return calls(op) ? refuse(r, "%s would call something: only data is read", calls(op)) : refuse(r, "an opcode that is not read%s", "");
}

bool pickle_read(struct pickle *pickle, const void *data, size_t bytes)
{
	struct reader r = {.pickle = pickle, .data = data, .bytes = bytes};
	size_t next_memo = 0;
	bool good = true;

	*pickle = (struct pickle){0};
	while (good && !pickle->top) {
		if (r.at == bytes) {
			good = refuse(&r, "it has no %s", "end");
		} else if (r.data[r.at] == '.') {
			good = r.depth == 1 || refuse(&r, "%s left at its end", "nothing, or too much, is");
			pickle->top = good ? r.stack[0] : NULL;
		} else {
			good = step(&r, &next_memo);
		}
	}
	free(r.stack);
	free(r.memo);
	return good;
}

void pickle_fini(struct pickle *pickle)
{
	for (size_t i = 0; i < pickle->made_count; i++) {
		free(pickle->made[i]->item);
		free(pickle->made[i]);
	}
	free(pickle->made);
}

const struct value *pickle_member(const struct value *dict, const char *key)
{
	size_t bytes = strlen(key);

	for (size_t i = 0; dict && dict->kind == VALUE_DICT && i + 1 < dict->count; i += 2)
		if (dict->item[i]->kind == VALUE_TEXT && dict->item[i]->count == bytes && !memcmp(dict->item[i]->text, key, bytes))
			return dict->item[i + 1];
	return NULL;
}
