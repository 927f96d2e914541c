/* SPDX-License-Identifier: MIT */
#include "arena/runs.h"

static uint32_t list_of(uint32_t length)
{
	return length < GLC_RUN_LISTS ? length : 0;   /* no run has length 0: its list is that of the long ones */
}

static void link_run(struct glc_runs *runs, uint32_t first, uint32_t length)
{
	uint32_t list = list_of(length), head = runs->first[list];
	struct glc_run *run = &runs->unit[first];

	runs->unit[first + length - 1].length = length;
	*run = (struct glc_run){.length = length, .next = head};
	if (head)
		runs->unit[head - 1].before = first + 1;
	runs->first[list] = first + 1;
	runs->full[list / 64] |= UINT64_C(1) << list % 64;
}

static void unlink_run(struct glc_runs *runs, uint32_t first)
{
	struct glc_run *run = &runs->unit[first];
	uint32_t list = list_of(run->length);

	if (run->next)
		runs->unit[run->next - 1].before = run->before;
	if (run->before)
		runs->unit[run->before - 1].next = run->next;
	else
		runs->first[list] = run->next;
	if (!runs->first[list])
		runs->full[list / 64] &= ~(UINT64_C(1) << list % 64);
	runs->unit[first + run->length - 1].length = 0;
	*run = (struct glc_run){0};
}

void glc_runs_init(struct glc_runs *runs, struct glc_run *unit, uint32_t units)
{
	*runs = (struct glc_runs){.unit = unit, .units = units, .free_units = units};
	link_run(runs, 0, units);
}

/* The shortest of the long ones that has `length`, the lowest of its length; 0: none. */
static uint32_t best_long(const struct glc_runs *runs, uint32_t length)
{
	uint32_t best = 0, best_length = UINT32_MAX;

	for (uint32_t at = runs->first[0]; at; at = runs->unit[at - 1].next) {
		uint32_t has = runs->unit[at - 1].length;

		if (has >= length && (has < best_length || (has == best_length && at < best))) {
			best = at;
			best_length = has;
		}
	}
	return best;
}

static uint32_t best(const struct glc_runs *runs, uint32_t length)
{
	if (length < GLC_RUN_LISTS) {
		uint32_t word = length / 64;
		uint64_t bits = runs->full[word] & ~UINT64_C(0) << length % 64;

		while (!bits && ++word < GLC_RUN_LISTS / 64)
			bits = runs->full[word];
		if (bits)
			return runs->first[word * 64 + (uint32_t)__builtin_ctzll(bits)];
	}
	return best_long(runs, length);
}

bool glc_runs_take(struct glc_runs *runs, uint32_t length, uint32_t *first)
{
	uint32_t found = best(runs, length), has;

	if (!found)
		return false;
	*first = found - 1;
	has = runs->unit[*first].length;
	unlink_run(runs, *first);
	if (has > length)
		link_run(runs, *first + length, has - length);
	runs->free_units -= length;
	return true;
}

void glc_runs_give(struct glc_runs *runs, uint32_t first, uint32_t length)
{
	uint32_t end = first + length;

	runs->free_units += length;
	if (end < runs->units && runs->unit[end].length) {
		uint32_t after = runs->unit[end].length;

		unlink_run(runs, end);
		length += after;
	}
	if (first && runs->unit[first - 1].length) {
		uint32_t before = runs->unit[first - 1].length;

		first -= before;
		unlink_run(runs, first);
		length += before;
	}
	link_run(runs, first, length);
}

uint32_t glc_runs_longest(const struct glc_runs *runs)
{
	uint32_t longest = 0;

	for (uint32_t at = runs->first[0]; at; at = runs->unit[at - 1].next)
		if (runs->unit[at - 1].length > longest)
			longest = runs->unit[at - 1].length;
	for (uint32_t word = GLC_RUN_LISTS / 64; !longest && word--;) {
		uint64_t bits = runs->full[word] & (word ? ~UINT64_C(0) : ~UINT64_C(1));

		if (bits)
			longest = word * 64 + 63 - (uint32_t)__builtin_clzll(bits);
	}
	return longest;
}
