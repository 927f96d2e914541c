/* SPDX-License-Identifier: MIT */
/*
 * The graph of a function's blocks: who branches to whom, dominators in the graph of
 * branches, in the structural graph (merge instructions are edges too) and backwards in it.
 *
 * Dominators by Lengauer and Tarjan with path compression: n log n, on whatever is given.
 * Dominance is then a comparison of numbers of the tree.
 *
 * Source: SPIR-V 2.11, Control Flow; 2.16.1.
 */
#include "spirv/val/val.h"

enum { NONE = UINT32_MAX, UNREACHED = 0x80000000u };

enum direction { BRANCHES, STRUCTURAL, BACKWARD };

/* Scratch for one function: by block within it, the pseudo exit behind the last. */
struct graph {
	struct val *v;
	struct spv_function *function;
	uint32_t base, count;
	uint32_t *number, *vertex, *parent, *semi, *ancestor, *label, *dominator, *bucket, *chain, *stack, *edge, *post;
	uint32_t *sinks, sink_count;
	uint8_t *colour;
	enum direction direction;
	uint32_t visited;
};

static const uint32_t *edges_of(const struct graph *g, uint32_t node, bool reversed, uint32_t *count)
{
	const struct spv_block *block;
	bool back = reversed != (g->direction == BACKWARD);
	uint32_t first;

	if (node == g->count) {
		*count = reversed ? 0 : g->sink_count;
		return g->sinks;
	}
	block = &g->v->blocks.at[g->base + node];
	if (g->direction == BRANCHES) {
		*count = back ? block->previous_count : block->next_count;
		first = back ? block->previous : block->next;
	} else {
		*count = back ? block->structural_previous_count : block->structural_count;
		first = back ? block->structural_previous : block->structural;
	}
	return *count ? g->v->edges.at + first : NULL;
}

/* Numbers what the root reaches in the order it is found. Edges hold blocks of the module. */
static void number(struct graph *g, uint32_t root)
{
	uint32_t depth = 0, finished = 0;

	memset(g->number, 0xff, (g->count + 1) * sizeof *g->number);
	g->visited = 0;
	g->number[root] = g->visited;
	g->vertex[g->visited++] = root;
	g->parent[0] = 0;
	g->edge[root] = 0;
	g->stack[depth++] = root;
	while (depth) {
		uint32_t node = g->stack[depth - 1], count, to;
		const uint32_t *edges = edges_of(g, node, false, &count);

		if (g->edge[node] == count) {
			g->post[finished++] = node;
			depth--;
			continue;
		}
		to = edges[g->edge[node]++] - g->base;
		if (g->number[to] != NONE)
			continue;
		g->number[to] = g->visited;
		g->parent[g->visited] = g->number[node];
		g->vertex[g->visited++] = to;
		g->edge[to] = 0;
		g->stack[depth++] = to;
	}
}

/* The vertex with the least semidominator on the path to v's ancestor; shortens the path. */
static uint32_t evaluate(struct graph *g, uint32_t v)
{
	uint32_t depth = 0, at = v;

	if (g->ancestor[v] == NONE)
		return v;
	while (g->ancestor[g->ancestor[at]] != NONE) {
		g->stack[depth++] = at;
		at = g->ancestor[at];
	}
	while (depth) {
		uint32_t w = g->stack[--depth], a = g->ancestor[w];

		if (g->semi[g->label[a]] < g->semi[g->label[w]])
			g->label[w] = g->label[a];
		g->ancestor[w] = g->ancestor[a];
	}
	return g->label[v];
}

static void least(struct graph *g, uint32_t w, uint32_t from)
{
	uint32_t u = g->number[from];

	if (u == NONE)
		return;
	u = evaluate(g, u);
	if (g->semi[u] < g->semi[w])
		g->semi[w] = g->semi[u];
}

/* All by number of the walk. */
static void find_dominators(struct graph *g)
{
	for (uint32_t i = 0; i < g->visited; i++) {
		g->semi[i] = g->label[i] = i;
		g->ancestor[i] = g->bucket[i] = NONE;
	}
	for (uint32_t w = g->visited; w-- > 1;) {
		uint32_t count, parent = g->parent[w];
		const uint32_t *previous = edges_of(g, g->vertex[w], true, &count);

		for (uint32_t i = 0; i < count; i++)
			least(g, w, previous[i] - g->base);
		if (g->direction == BACKWARD && g->colour[g->vertex[w]])
			least(g, w, g->count);
		g->chain[w] = g->bucket[g->semi[w]];
		g->bucket[g->semi[w]] = w;
		g->ancestor[w] = parent;
		for (uint32_t x = g->bucket[parent]; x != NONE; x = g->chain[x]) {
			uint32_t u = evaluate(g, x);

			g->dominator[x] = g->semi[u] < g->semi[x] ? u : parent;
		}
		g->bucket[parent] = NONE;
	}
	for (uint32_t w = 1; w < g->visited; w++)
		if (g->dominator[w] != g->semi[w])
			g->dominator[w] = g->dominator[g->dominator[w]];
	g->dominator[0] = 0;
}

/* Intervals: a block dominates another when its interval holds the other's. */
static void number_tree(struct graph *g)
{
	uint32_t *size = g->semi, *free_at = g->label, *first = g->ancestor;

	for (uint32_t i = 0; i < g->visited; i++)
		size[i] = 1;
	for (uint32_t w = g->visited; w-- > 1;)
		size[g->dominator[w]] += size[w];
	first[0] = g->base;
	free_at[0] = g->base + 1;
	for (uint32_t w = 1; w < g->visited; w++) {
		uint32_t d = g->dominator[w];

		first[w] = free_at[d];
		free_at[d] += size[w];
		free_at[w] = first[w] + 1;
	}
	for (uint32_t i = 0; i < g->count; i++) {
		struct spv_block *block = &g->v->blocks.at[g->base + i];
		uint32_t w = g->number[i], from = w == NONE ? UNREACHED + g->base + i : first[w];
		uint32_t to = w == NONE ? from : from + size[w] - 1;
		uint32_t d = w == NONE || !w || g->vertex[g->dominator[w]] == g->count ? NONE : g->base + g->vertex[g->dominator[w]];

		if (g->direction == BRANCHES)
			block->first = from, block->last = to, block->dominator = d, block->order = w;
		else if (g->direction == STRUCTURAL)
			block->s_first = from, block->s_last = to, block->s_dominator = d, block->s_order = w;
		else
			block->p_first = from, block->p_last = to, block->p_dominator = d, block->p_order = w;
	}
}

static void dominate(struct graph *g, enum direction direction)
{
	g->direction = direction;
	number(g, direction == BACKWARD ? g->count : 0);
	find_dominators(g);
	number_tree(g);
}

/* --- Roots and back edges ------------------------------------------------ */

/* Walks from a root over structural edges; on the way forward, edges into what is open are back edges. */
static void walk(struct graph *g, uint32_t root, bool find_latches)
{
	uint32_t depth = 0;

	g->stack[depth++] = root;
	g->colour[root] = 1;
	g->edge[root] = 0;
	while (depth) {
		uint32_t node = g->stack[depth - 1], count, to;
		const uint32_t *edges = edges_of(g, node, false, &count);

		if (g->edge[node] == count) {
			g->colour[node] = 2;
			depth--;
			continue;
		}
		to = edges[g->edge[node]++] - g->base;
		if (g->colour[to] == 1 && find_latches) {
			const struct spv_block *from = &g->v->blocks.at[g->base + node];
			struct spv_block *header = &g->v->blocks.at[g->base + to];
			bool branches = false;

			for (uint32_t i = 0; i < from->next_count && !branches; i++)
				branches = g->v->edges.at[from->next + i] == g->base + to;
			if (branches && header->latch != g->base + node) {
				header->latch = g->base + node;
				header->latches++;
			}
		}
		if (g->colour[to])
			continue;
		g->colour[to] = 1;
		g->edge[to] = 0;
		g->stack[depth++] = to;
	}
}

/* Blocks that nothing comes from, then one of what is left until all are seen. */
static void find_roots(struct graph *g, bool exits)
{
	/* Where all edges lead on there are no circles: what ends is where nothing leads on from. */
	if (!g->function->turns_back) {
		memset(g->colour, 0, g->count + 1);
		g->sink_count = 0;
		for (uint32_t i = g->count; exits && i-- > 0;) {
			if (g->v->blocks.at[g->base + i].structural_count)
				continue;
			g->sinks[g->sink_count++] = g->base + i;
			g->colour[i] = 1;
		}
		return;
	}
	g->direction = exits ? BACKWARD : STRUCTURAL;
	memset(g->colour, 0, g->count + 1);
	g->sink_count = 0;
	for (int rest = 0; rest < 2; rest++) {
		for (uint32_t k = 0; k < g->count; k++) {
			uint32_t i = exits ? g->count - 1 - k : k, count;

			edges_of(g, i, true, &count);
			if (g->colour[i] || (!rest && count))
				continue;
			if (exits)
				g->sinks[g->sink_count++] = g->base + i;
			walk(g, i, !exits);
		}
	}
	if (!exits)
		return;
	memset(g->colour, 0, g->count + 1);
	for (uint32_t i = 0; i < g->sink_count; i++)
		g->colour[g->sinks[i] - g->base] = 1;
}

/* --- Edges --------------------------------------------------------------- */

/* Labels become blocks. False, reported, when one is not of this function. */
static bool resolve(struct graph *g, struct spv_block *block)
{
	struct val *v = g->v;
	const spv_inst *inst = &v->module.insts[block->terminator];
	uint32_t self = (uint32_t)(block - v->blocks.at);

	for (uint32_t i = 0; i < block->structural_count; i++) {
		uint32_t *edge = &v->edges.at[block->structural + i], at = *edge < v->module.id_count ? v->blocks_of[*edge] : 0;
		bool real = block->structural + i >= block->next;

		g->function->turns_back |= at - 1 <= self;

		if (!at || at - 1 < g->base || at - 1 >= g->base + g->count)
			return SPV_FAIL(v, real ? inst : &v->module.insts[block->merge], NO_BLOCK_HERE, NULL, spv_id(&v->module, *edge));
		if (real && at - 1 == g->base)
			return SPV_FAIL(v, inst, ENTRY_BLOCK, NULL);
		*edge = at - 1;
	}
	if (block->merge) {
		struct spv_block *merge = &v->blocks.at[v->edges.at[block->structural]];

		if (merge->is_merge)
			return SPV_FAIL(v, &v->module.insts[block->merge], MERGE_TWICE, NULL, spv_id(&v->module, v->module.insts[merge->label].id));
		merge->is_merge = true;
		merge->header = self;
	}
	if (block->is_loop) {
		struct spv_block *target = &v->blocks.at[v->edges.at[block->structural + 1]];

		target->is_continue = true;
		target->loop = self;
	}
	return true;
}

/* Lists of who comes here, one behind another. */
static bool build_previous(struct graph *g)
{
	struct val *v = g->v;
	uint32_t at = v->edges.count, total = 0;

	for (uint32_t i = g->base; i < g->base + g->count; i++)
		total += v->blocks.at[i].structural_count + v->blocks.at[i].next_count;
	if (!GLC_RESERVE(v->memory, &v->edges, total))
		return false;
	v->edges.count += total;
	for (uint32_t i = g->base; i < g->base + g->count; i++) {
		const struct spv_block *b = &v->blocks.at[i];

		for (uint32_t k = 0; k < b->structural_count; k++)
			v->blocks.at[v->edges.at[b->structural + k]].structural_previous_count++;
		for (uint32_t k = 0; k < b->next_count; k++)
			v->blocks.at[v->edges.at[b->next + k]].previous_count++;
	}
	for (uint32_t i = g->base; i < g->base + g->count; i++) {
		struct spv_block *b = &v->blocks.at[i];

		b->previous = at;
		at += b->previous_count;
		b->structural_previous = at;
		at += b->structural_previous_count;
		b->previous_count = b->structural_previous_count = 0;
	}
	for (uint32_t i = g->base; i < g->base + g->count; i++) {
		const struct spv_block *b = &v->blocks.at[i];

		for (uint32_t k = 0; k < b->structural_count; k++) {
			struct spv_block *to = &v->blocks.at[v->edges.at[b->structural + k]];

			v->edges.at[to->structural_previous + to->structural_previous_count++] = i;
			if (b->structural + k >= b->next)
				v->edges.at[to->previous + to->previous_count++] = i;
		}
	}
	return true;
}

/* --- Rules --------------------------------------------------------------- */

/* How deep constructs are nested, as spirv-val counts: headers add one, merge blocks have their header's. */
static void find_depths(struct graph *g)
{
	for (uint32_t w = 1; w < g->visited; w++) {
		struct spv_block *b = &g->v->blocks.at[g->base + g->vertex[w]];
		const struct spv_block *d = &g->v->blocks.at[b->dominator];

		if (b->is_continue)
			b->depth = 1 + (b->loop == (uint32_t)(b - g->v->blocks.at) ? d->depth : g->v->blocks.at[b->loop].depth);
		else if (b->is_merge)
			b->depth = g->v->blocks.at[b->header].depth;
		else
			b->depth = d->depth + (d->is_selection || d->is_loop);
	}
}

static bool check_order(struct graph *g)
{
	struct val *v = g->v;

	for (uint32_t i = 1; i < g->count; i++) {
		const struct spv_block *b = &v->blocks.at[g->base + i];

		if (b->dominator != NONE && b->dominator > g->base + i)
			return SPV_FAIL(v, &v->module.insts[b->label], BLOCK_ORDER, NULL, spv_id(&v->module, v->module.insts[b->label].id));
		if (v->shader && b->depth > v->options.max_control_flow_nesting_depth)
			return SPV_FAIL(v, &v->module.insts[b->label], LIMIT, NULL, "constructs in constructs",
					v->options.max_control_flow_nesting_depth);
	}
	return true;
}

void spv_build_flow(struct val *v)
{
	struct graph g = {.v = v};

	v->marks = glc_bump_zero(v->memory, (size_t)v->blocks.count * sizeof *v->marks);
	if (!v->marks) {
		v->out_of_memory = true;
		return;
	}
	for (uint32_t f = 0; f < v->functions.count; f++) {
		g.function = &v->functions.at[f];
		g.base = g.function->block;
		g.count = g.function->block_count;
		for (uint32_t i = 0; i < g.count; i++)
			if (!v->blocks.at[g.base + i].terminator || !resolve(&g, &v->blocks.at[g.base + i]))
				v->broken = true;
		if (!v->broken && !build_previous(&g))
			v->out_of_memory = true;
	}
}

static bool check_function(struct graph *g)
{
	struct val *v = g->v;

	dominate(g, BRANCHES);
	for (uint32_t i = 0; i < g->count; i++)
		v->blocks.at[g->base + i].reachable = g->number[i] != NONE;
	find_depths(g);
	if (!check_order(g) || !v->shader)
		return !v->shader;
	find_roots(g, false);
	find_roots(g, true);
	dominate(g, BACKWARD);
	dominate(g, STRUCTURAL);
	for (uint32_t i = 0; i < g->count; i++)
		v->blocks.at[g->base + i].s_reachable = g->number[i] != NONE;
	for (uint32_t i = 0; i < g->visited; i++)
		g->post[i] += g->base;
	return spv_check_structure(v, g->function, g->post, g->visited);
}

static bool make_scratch(struct graph *g, uint32_t most)
{
	uint32_t **arrays[] = {&g->number, &g->vertex, &g->parent, &g->semi, &g->ancestor, &g->label,
			       &g->dominator, &g->bucket, &g->chain, &g->stack, &g->edge, &g->post, &g->sinks};

	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		*arrays[i] = glc_bump(g->v->memory, ((size_t)most + 1) * sizeof **arrays[i]);
		if (!*arrays[i])
			return false;
	}
	g->colour = glc_bump(g->v->memory, most + 1);
	return g->colour != NULL;
}

void spv_check_flow(struct val *v)
{
	struct graph g = {.v = v};
	uint32_t most = 0;

	for (uint32_t f = 0; f < v->functions.count; f++)
		most = v->functions.at[f].block_count > most ? v->functions.at[f].block_count : most;
	if (!make_scratch(&g, most)) {
		v->out_of_memory = true;
		return;
	}
	for (uint32_t f = 0; f < v->functions.count && v->diag->errors < v->most_errors; f++) {
		g.function = &v->functions.at[f];
		g.base = g.function->block;
		g.count = g.function->block_count;
		v->function = f + 1;
		if (g.count)
			check_function(&g);
	}
	v->function = 0;
}
