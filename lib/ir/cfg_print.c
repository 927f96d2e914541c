/* SPDX-License-Identifier: MIT */
/*
 * Control flow as a graph: a node for each run of instructions that is entered at its top
 * and left at its end. Nodes are called after the instruction that begins them.
 */
#include "ir/ir_print.h"

#include "ir/print.h"

/* An If whose arms are being written. */
struct open_if {
	uint32_t node;        /* ends in the If */
	uint32_t first_end;   /* the first arm's last node, or GLC_NO_VALUE: it leaves */
};

struct graph {
	const struct glc_ir *ir;
	const struct glc_kernel *kernel;
	struct glc_writer *out;
	struct glacier_memory *memory;
	GLC_ARRAY(struct open_if) ifs;
	GLC_ARRAY(uint32_t) loops;   /* indices of the open Loops */
	uint32_t number;             /* of the kernel, in node names */
	uint32_t node;               /* what is being written; GLC_NO_VALUE: nothing */
	bool failed;
};

/* The arm that an If or Else begins, beside the node that begins with the instruction itself. */
#define ARM 0x80000000u

static void name(struct graph *g, uint32_t node)
{
	glc_printf(g->out, node & ARM ? "k%u_%u_arm" : "k%u_%u", g->number, node & ~ARM);
}

static void begin(struct graph *g, uint32_t node)
{
	glc_puts(g->out, "    ");
	name(g, node);
	glc_puts(g->out, " [label=\"");
	g->node = node;
}

static void end(struct graph *g)
{
	if (g->node != GLC_NO_VALUE)
		glc_puts(g->out, "\"]\n");
	g->node = GLC_NO_VALUE;
}

static void edge(struct graph *g, uint32_t from, uint32_t to, const char *label)
{
	if (from == GLC_NO_VALUE)
		return;
	glc_puts(g->out, "    ");
	name(g, from);
	glc_puts(g->out, " -> ");
	name(g, to);
	if (*label)
		glc_printf(g->out, " [label=\"%s\"]", label);
	glc_putc(g->out, '\n');
}

/* Control may never get behind the end of a region: then its end follows, or the next one's. */
static void begin_reachable(struct graph *g, uint32_t node)
{
	if (!(g->kernel->insts[node].mods & GLC_MOD_UNREACHABLE))
		begin(g, node);
}

static void line(struct graph *g, uint32_t index)
{
	glc_print_inst(g->ir, g->kernel, index, g->loops.count ? g->loops.at[g->loops.count - 1] : 0,
		       g->out);
	glc_puts(g->out, "\\l");
}

/* Where an instruction goes on in another node. */
static void structure(struct graph *g, uint32_t index)
{
	const struct glc_inst *inst = &g->kernel->insts[index];
	bool open = inst->mods & GLC_MOD_OPEN;
	uint32_t from = g->node, loop = g->loops.count ? g->loops.at[g->loops.count - 1] : 0;
	struct open_if *top = g->ifs.count ? &g->ifs.at[g->ifs.count - 1] : NULL;
	uint32_t *pushed;

	switch (inst->op) {
	case GLC_OP_If:
		line(g, index);
		end(g);
		top = GLC_PUSH(g->memory, &g->ifs);
		if (!top) {
			g->failed = true;
			return;
		}
		*top = (struct open_if){from, GLC_NO_VALUE};
		edge(g, from, index | ARM, "true");
		begin(g, index | ARM);
		break;
	case GLC_OP_Else:
		end(g);
		top->first_end = open ? from : GLC_NO_VALUE;
		edge(g, top->node, index | ARM, "false");
		begin(g, index | ARM);
		break;
	case GLC_OP_EndIf:
		end(g);
		edge(g, top->first_end, index, "");
		edge(g, open ? from : GLC_NO_VALUE, index, "");
		g->ifs.count--;
		begin_reachable(g, index);
		break;
	case GLC_OP_Loop:
		end(g);
		edge(g, from, index, "");
		pushed = GLC_PUSH(g->memory, &g->loops);
		if (!pushed) {
			g->failed = true;
			return;
		}
		*pushed = index;
		begin(g, index);
		break;
	case GLC_OP_Continuing:
		end(g);
		edge(g, open ? from : GLC_NO_VALUE, index, "");
		begin(g, index);
		break;
	case GLC_OP_EndLoop:
		line(g, index);
		end(g);
		edge(g, from, loop, "again");
		edge(g, inst->arg[0] == GLC_NO_VALUE ? GLC_NO_VALUE : from, index, "leave");
		g->loops.count--;
		begin_reachable(g, index);
		break;
	case GLC_OP_Break:
	case GLC_OP_Continue:
		line(g, index);
		end(g);
		edge(g, from, g->kernel->insts[loop].arg[inst->op == GLC_OP_Break ? 1 : 2], "");
		break;
	}
}

static void kernel_cfg(struct graph *g)
{
	glc_printf(g->out, "  subgraph cluster_%u {\n    label=\"", g->number);
	glc_print_name(g->out, g->kernel->name);
	glc_puts(g->out, "\"\n");
	begin(g, 0);
	for (uint32_t i = 0; i < g->kernel->inst_count && !g->failed; i++) {
		enum glc_op op = g->kernel->insts[i].op;

		if (op >= GLC_OP_If)
			structure(g, i);
		else
			line(g, i);
	}
	end(g);
	glc_puts(g->out, "  }\n");
}

void glc_print_cfg(const struct glc_ir *ir, struct glacier_memory *memory, struct glc_writer *out)
{
	glc_puts(out, "digraph {\n  node [shape=box, fontname=monospace]\n");
	for (uint32_t i = 0; i < ir->kernel_count; i++) {
		struct graph g = {.ir = ir, .kernel = &ir->kernels[i], .out = out, .memory = memory,
				  .number = i, .node = GLC_NO_VALUE};

		kernel_cfg(&g);
		out->failed |= g.failed;
	}
	glc_puts(out, "}\n");
}
