/* SPDX-License-Identifier: MIT */
#include "ir/tree.h"

#include <string.h>

/* --- Names --------------------------------------------------------------- */

#define N (GLC_CHAR_NAME | GLC_CHAR_OPCODE)
const uint8_t glc_chars[256] = {
	[' '] = GLC_CHAR_BLANK, ['\t'] = GLC_CHAR_BLANK, ['\r'] = GLC_CHAR_BLANK, ['\n'] = GLC_CHAR_NEWLINE,
	['.'] = GLC_CHAR_OPCODE, ['_'] = N,
	['0'] = N, ['1'] = N, ['2'] = N, ['3'] = N, ['4'] = N,
	['5'] = N, ['6'] = N, ['7'] = N, ['8'] = N, ['9'] = N,
	['a'] = N, ['b'] = N, ['c'] = N, ['d'] = N, ['e'] = N, ['f'] = N, ['g'] = N,
	['h'] = N, ['i'] = N, ['j'] = N, ['k'] = N, ['l'] = N, ['m'] = N, ['n'] = N,
	['o'] = N, ['p'] = N, ['q'] = N, ['r'] = N, ['s'] = N, ['t'] = N, ['u'] = N,
	['v'] = N, ['w'] = N, ['x'] = N, ['y'] = N, ['z'] = N,
	['A'] = N, ['B'] = N, ['C'] = N, ['D'] = N, ['E'] = N, ['F'] = N, ['G'] = N,
	['H'] = N, ['I'] = N, ['J'] = N, ['K'] = N, ['L'] = N, ['M'] = N, ['N'] = N,
	['O'] = N, ['P'] = N, ['Q'] = N, ['R'] = N, ['S'] = N, ['T'] = N, ['U'] = N,
	['V'] = N, ['W'] = N, ['X'] = N, ['Y'] = N, ['Z'] = N,
};
#undef N

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

bool glc_is_name(struct glc_name name)
{
	bool good = name.bytes && !is_digit(name.at[0]) && (name.bytes > 1 || name.at[0] != '_');

	for (uint32_t i = 0; i < name.bytes; i++)
		good &= glc_chars[(unsigned char)name.at[i]] & GLC_CHAR_NAME;
	return good;
}

static inline bool same_name(struct glc_name a, struct glc_name b)
{
	return a.bytes == b.bytes && !memcmp(a.at, b.at, a.bytes);
}

static inline uint32_t slot_of(const struct glc_tree *tree, uint64_t key, uint32_t kernel)
{
	return (uint32_t)((key + kernel) * 0x9e3779b97f4a7c15u >> 32) & tree->symbol_mask;
}

/* For messages: printf wants an int. */
static int width(struct glc_name name)
{
	return name.bytes > 64 ? 64 : (int)name.bytes;
}

enum { FIRST_SYMBOLS = 32 };

bool glc_tree_init(struct glc_tree *tree, struct glacier_memory *memory,
		   struct glc_op_index *opcodes, struct glacier_diag *diag)
{
	memset(tree, 0, sizeof *tree);
	tree->memory = memory;
	tree->opcodes = opcodes;
	tree->diag = diag;
	tree->symbol_mask = FIRST_SYMBOLS - 1;
	tree->symbols = glc_bump_zero(memory, FIRST_SYMBOLS * sizeof *tree->symbols);
	tree->failed = !tree->symbols;
	GLC_PRESIZE(memory, &tree->kernels, 4);
	GLC_PRESIZE(memory, &tree->stmts, 32);
	GLC_PRESIZE(memory, &tree->operands, 64);
	GLC_PRESIZE(memory, &tree->literals, 16);
	GLC_PRESIZE(memory, &tree->open, 16);
	return !tree->failed;
}

static bool grow_symbols(struct glc_tree *tree)
{
	uint32_t size = (tree->symbol_mask + 1) * 2, old_mask = tree->symbol_mask;
	struct glc_symbol *old = tree->symbols;
	struct glc_symbol *grown = glc_bump_zero(tree->memory, size * sizeof *grown);

	if (!grown)
		return false;
	tree->symbols = grown;
	tree->symbol_mask = size - 1;
	for (uint32_t i = 0; i <= old_mask; i++) {
		uint32_t slot;

		if (!old[i].key)
			continue;
		slot = slot_of(tree, old[i].key, old[i].kernel);
		while (grown[slot].key)
			slot = (slot + 1) & tree->symbol_mask;
		grown[slot] = old[i];
	}
	return true;
}

/* The symbol of that name in the kernel (0: the module), or the free slot where it belongs. */
static inline struct glc_symbol *find_symbol(struct glc_tree *tree, struct glc_name name, uint64_t key,
					     uint32_t kernel)
{
	uint32_t slot = slot_of(tree, key, kernel);
	struct glc_symbol *symbol;

	for (; (symbol = &tree->symbols[slot])->key; slot = (slot + 1) & tree->symbol_mask)
		if (symbol->key == key && symbol->kernel == kernel &&
		    (name.bytes <= 7 ||
		     same_name((struct glc_name){symbol->name, symbol->name_bytes}, name)))
			return symbol;
	return symbol;
}

static void add_symbol(struct glc_tree *tree, struct glc_symbol *slot, struct glc_name name,
		       uint64_t key, uint32_t kernel, uint32_t index)
{
	*slot = (struct glc_symbol){
		.key = key,
		.name = name.at,
		.name_bytes = name.bytes,
		.kernel = kernel,
		.index = index,
	};
	if (++tree->symbol_count * 4 > tree->symbol_mask * 3 && !grow_symbols(tree))
		tree->failed = true;
}

static __attribute__((noinline)) void check_name_slow(struct glc_tree *tree, struct glc_name name,
						      uint32_t pos)
{
	if (!glc_is_name(name))
		glc_fail(tree->diag, GLC_GA_BAD_NAME, pos, width(name), name.at);
	else if (name.bytes > GLC_MAX_NAME_BYTES)
		glc_fail(tree->diag, GLC_GA_LONG_NAME, pos, name.bytes, GLC_MAX_NAME_BYTES);
}

static inline void check_name(struct glc_tree *tree, struct glc_name name, uint32_t pos)
{
	if (!tree->lexed || name.bytes - 1 >= GLC_MAX_NAME_BYTES || is_digit(name.at[0]) || name.at[0] == '_')
		check_name_slow(tree, name, pos);
}

/* --- Declarations -------------------------------------------------------- */

struct glc_tree_kernel *glc_tree_kernel(struct glc_tree *tree, struct glc_name name, uint32_t pos)
{
	uint64_t key = glc_name_key(name, 'k');
	struct glc_symbol *slot;
	struct glc_tree_kernel *kernel;

	check_name(tree, name, pos);
	slot = find_symbol(tree, name, key, 0);
	if (slot->key) {
		glc_fail(tree->diag, GLC_GA_DUPLICATE, pos, "kernel ", width(name), name.at);
		glc_note(tree->diag, tree->kernels.at[slot->index].pos, "first defined here");
	} else {
		add_symbol(tree, slot, name, key, 0, tree->kernels.count);
	}
	kernel = GLC_PUSH(tree->memory, &tree->kernels);
	if (!kernel) {
		tree->failed = true;
		return NULL;
	}
	memset(kernel, 0, sizeof *kernel);
	kernel->name = name;
	kernel->pos = pos;
	kernel->first = tree->stmts.count;
	GLC_PRESIZE(tree->memory, &kernel->decls, 8);
	GLC_PRESIZE(tree->memory, &kernel->registers, 32);
	tree->open.count = 0;
	return kernel;
}

/* A constant of the module may stand behind kernels, and be of the same name as what they declare. */
static bool taken_in_kernel(struct glc_tree *tree, struct glc_name name, uint64_t key)
{
	for (uint32_t kernel = 1; kernel <= tree->kernels.count; kernel++)
		if (find_symbol(tree, name, key, kernel)->key)
			return true;
	return false;
}

struct glc_decl *glc_tree_decl(struct glc_tree *tree, struct glc_name name, uint32_t pos,
			       enum glc_object_kind kind, enum glc_type type)
{
	struct glc_tree_kernel *kernel = kind == GLC_OBJECT_CONST ? NULL : glc_tree_current(tree);
	uint32_t scope = kernel ? tree->kernels.count : 0;
	uint64_t key = glc_name_key(name, '@');
	struct glc_symbol *slot;
	struct glc_decl *decl;

	check_name(tree, name, pos);
	decl = kernel ? GLC_PUSH(tree->memory, &kernel->decls) : GLC_PUSH(tree->memory, &tree->consts);
	if (!decl) {
		tree->failed = true;
		return NULL;
	}
	memset(decl, 0, sizeof *decl);
	decl->name = name;
	decl->pos = pos;
	decl->kind = kind;
	decl->type = type;
	decl->included = !kernel && tree->included;
	if (kernel && kernel->decls.count > GLC_MAX_OBJECTS) {
		glc_fail(tree->diag, GLC_GA_TOO_MANY, pos, "declarations in a kernel", GLC_MAX_OBJECTS);
		kernel->decls.count--;
		return decl;
	}
	slot = find_symbol(tree, name, key, scope);
	if (slot->key) {
		const struct glc_decl *first =
			kernel ? &kernel->decls.at[slot->index] : &tree->consts.at[slot->index];

		glc_fail(tree->diag, GLC_GA_DUPLICATE, pos, "@", width(name), name.at);
		glc_note(tree->diag, first->pos, "first declared here");
		return decl;
	}
	if (kernel ? find_symbol(tree, name, key, 0)->key : taken_in_kernel(tree, name, key))
		glc_fail(tree->diag, GLC_GA_DUPLICATE, pos, "@", width(name), name.at);
	add_symbol(tree, slot, name, key, scope, (kernel ? kernel->decls.count : tree->consts.count) - 1);
	return decl;
}

struct glc_operand glc_tree_literal(struct glc_tree *tree, struct glc_name text, uint32_t pos)
{
	struct glc_literal *literal = GLC_PUSH(tree->memory, &tree->literals);

	if (!literal || tree->literals.count > 1u << 29) {
		tree->failed = true;
		return (struct glc_operand){.kind = GLC_LITERAL, .pos = pos};
	}
	literal->text = text;
	literal->pos = pos;
	return (struct glc_operand){.kind = GLC_LITERAL, .index = tree->literals.count - 1, .pos = pos};
}

static __attribute__((noinline)) struct glc_operand new_register(struct glc_tree *tree,
								  struct glc_name name, uint64_t key,
								  struct glc_symbol *slot, uint32_t pos)
{
	struct glc_tree_kernel *kernel = glc_tree_current(tree);
	struct glc_operand operand = {.kind = GLC_REGISTER, .pos = pos};
	struct glc_name *added;

	check_name(tree, name, pos);
	added = GLC_PUSH(tree->memory, &kernel->registers);
	if (!added || kernel->registers.count > 1u << 29) {
		tree->failed = true;
		return operand;
	}
	*added = name;
	operand.index = kernel->registers.count - 1;
	add_symbol(tree, slot, name, key, tree->kernels.count, operand.index);
	return operand;
}

struct glc_operand glc_tree_register(struct glc_tree *tree, struct glc_name name, uint64_t key,
				     uint32_t pos)
{
	struct glc_symbol *slot = find_symbol(tree, name, key, tree->kernels.count);

	if (!slot->key)
		return new_register(tree, name, key, slot, pos);
	return (struct glc_operand){.kind = GLC_REGISTER, .index = slot->index, .pos = pos};
}

/* A module constant enters a kernel's declarations where it is first used. */
static struct glc_operand use_const(struct glc_tree *tree, uint32_t index, struct glc_name name,
				    uint64_t key, uint32_t pos)
{
	struct glc_tree_kernel *kernel = glc_tree_current(tree);
	struct glc_decl *decl = GLC_PUSH(tree->memory, &kernel->decls);
	struct glc_symbol *slot = find_symbol(tree, name, key, tree->kernels.count);

	if (!decl) {
		tree->failed = true;
		return (struct glc_operand){.kind = GLC_OBJECT, .pos = pos};
	}
	*decl = tree->consts.at[index];
	add_symbol(tree, slot, name, key, tree->kernels.count, kernel->decls.count - 1);
	return (struct glc_operand){.kind = GLC_OBJECT, .index = kernel->decls.count - 1, .pos = pos};
}

/* Not of this kernel: a constant of the module, or nothing. */
static __attribute__((noinline)) struct glc_operand outer_object(struct glc_tree *tree,
								  struct glc_name name, uint64_t key,
								  uint32_t pos)
{
	static const char zero[] = "0";
	struct glc_symbol *slot = find_symbol(tree, name, key, 0);

	if (slot->key && glc_tree_current(tree)->decls.count < GLC_MAX_OBJECTS)
		return use_const(tree, slot->index, name, key, pos);
	glc_fail(tree->diag, GLC_GA_UNKNOWN_OBJECT, pos, width(name), name.at);
	return glc_tree_literal(tree, (struct glc_name){zero, 1}, pos);
}

struct glc_operand glc_tree_object(struct glc_tree *tree, struct glc_name name, uint64_t key, uint32_t pos)
{
	struct glc_symbol *slot = find_symbol(tree, name, key, tree->kernels.count);

	if (!slot->key)
		return outer_object(tree, name, key, pos);
	return (struct glc_operand){.kind = GLC_OBJECT, .index = slot->index, .pos = pos};
}

/* --- Statements ---------------------------------------------------------- */

struct glc_stmt *glc_tree_stmt(struct glc_tree *tree, uint32_t op, uint32_t pos)
{
	struct glc_stmt *stmt = GLC_PUSH(tree->memory, &tree->stmts);

	if (!stmt) {
		tree->failed = true;
		/* A place to write into, so that callers need no check of their own. */
		static _Thread_local struct glc_stmt nowhere;

		stmt = &nowhere;
	}
	*stmt = (struct glc_stmt){
		.op = (uint16_t)op,
		.operands = tree->operands.count,
		.result = GLC_NO_VALUE,
		.pos = pos,
		.result_pos = pos,
	};
	return stmt;
}

bool glc_tree_enter(struct glc_tree *tree, uint32_t max_nesting)
{
	uint32_t *open = GLC_PUSH(tree->memory, &tree->open), index = tree->stmts.count - 1;

	if (!open) {
		tree->failed = true;
		return false;
	}
	*open = index;
	if (tree->stmts.at[index].op != GLC_OP_If)
		glc_tree_current(tree)->has_loops = true;
	if (tree->open.count <= max_nesting)
		return true;
	glc_fail(tree->diag, GLC_GA_NESTING, tree->stmts.at[index].pos, max_nesting);
	return false;
}

void glc_tree_else(struct glc_tree *tree, uint32_t pos)
{
	uint32_t *open = &tree->open.at[tree->open.count - 1];

	tree->stmts.at[*open].end = tree->stmts.count;
	glc_tree_stmt(tree, GLC_OP_Else, pos);
	*open = tree->stmts.count - 1;
}

void glc_tree_end(struct glc_tree *tree, uint32_t pos)
{
	tree->stmts.at[tree->open.at[--tree->open.count]].end = tree->stmts.count;
	glc_tree_stmt(tree, GLC_STMT_END, pos);
}

void glc_tree_kernel_end(struct glc_tree *tree)
{
	struct glc_tree_kernel *kernel = glc_tree_current(tree);

	kernel->count = tree->stmts.count - kernel->first;
}

/* --- Opcodes ------------------------------------------------------------- */

/* The characters of a name from *at on; moves behind them, and behind a dot. */
static inline struct glc_name next_part(const char **at)
{
	const char *start = *at, *end = start;

	while (glc_chars[(unsigned char)*end] & GLC_CHAR_NAME)
		end++;
	*at = *end == '.' ? end + 1 : end;
	return (struct glc_name){start, (uint32_t)(end - start)};
}

static bool is_part(struct glc_name part, const char *word)
{
	return part.bytes == strlen(word) && !memcmp(part.at, word, part.bytes);
}

/* Where the part of an opcode stands. */
static uint32_t part_pos(const struct glc_tree *tree, uint32_t pos, ptrdiff_t offset)
{
	return tree->whole_positions ? pos : pos + (uint32_t)offset;
}

static bool unknown_opcode(struct glc_tree *tree, struct glc_name part, uint32_t pos)
{
	enum glc_op near = glc_op_nearest(part.at, part.bytes);

	if (near == GLC_OP_COUNT)
		glc_fail(tree->diag, GLC_GA_UNKNOWN_OPCODE, pos, width(part), part.at);
	else
		glc_fail(tree->diag, GLC_GA_UNKNOWN_OPCODE_NEAR, pos, width(part), part.at,
			 glc_op_name(near));
	return false;
}

static __attribute__((noinline)) bool refuse_type(struct glc_tree *tree, struct glc_stmt *stmt,
						   struct glc_name part, uint32_t pos, uint8_t *type)
{
	const char *name = glc_op_name(stmt->op);

	if (!part.bytes) {
		glc_fail(tree->diag, GLC_GA_NO_SUFFIX, pos, name);
		return false;
	}
	if (*type == GLC_VOID)
		glc_fail(tree->diag, GLC_GA_UNKNOWN_TYPE, pos, width(part), part.at);
	else
		glc_fail(tree->diag, GLC_GA_WRONG_SUFFIX, pos, name, width(part), part.at);
	return false;
}

static inline bool read_type(struct glc_tree *tree, struct glc_stmt *stmt, struct glc_name part,
			     uint32_t pos, uint8_t *type)
{
	*type = (uint8_t)glc_type_find(part.at, part.bytes);
	return (*type != GLC_VOID && (glc_ops[stmt->op].types >> *type & 1)) ||
	       refuse_type(tree, stmt, part, pos, type);
}

static const struct {
	char word[10];
	uint8_t scope, order;   /* + 1; 0: the word says nothing about it */
} orders[] = {
	{"workgroup", GLC_SCOPE_WORKGROUP, 0}, {"device", GLC_SCOPE_DEVICE, 0},
	{"system", GLC_SCOPE_SYSTEM, 0},       {"relaxed", 0, GLC_ORDER_RELAXED + 1},
	{"acquire", 0, GLC_ORDER_ACQUIRE + 1}, {"release", 0, GLC_ORDER_RELEASE + 1},
	{"acqrel", 0, GLC_ORDER_ACQREL + 1},
};

/* ordered: an order was read, which relaxed, the default, does not show. */
static bool read_order(struct glc_stmt *stmt, struct glc_name part, bool *ordered)
{
	enum glc_order order = GLC_DETAIL_ORDER(stmt->detail);
	enum glc_scope scope = GLC_DETAIL_SCOPE(stmt->detail);

	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		if (!is_part(part, orders[i].word))
			continue;
		if (orders[i].scope ? scope != GLC_SCOPE_NONE : *ordered)
			return false;
		/* A relaxed fence would be none. */
		if (orders[i].order == GLC_ORDER_RELAXED + 1 && stmt->op == GLC_OP_Fence)
			return false;
		if (orders[i].scope)
			scope = (enum glc_scope)orders[i].scope;
		else
			order = (enum glc_order)(orders[i].order - 1);
		*ordered |= orders[i].order != 0;
		stmt->detail = GLC_DETAIL(order, scope);
		return true;
	}
	return false;
}

static bool read_modifier(struct glc_stmt *stmt, struct glc_name part, bool *ordered)
{
	const struct glc_op_facts *facts = &glc_ops[stmt->op];

	if ((facts->flags & GLC_NATIVE) && is_part(part, "approx") && !(stmt->mods & GLC_MOD_APPROX)) {
		stmt->mods |= GLC_MOD_APPROX;
		return true;
	}
	if ((facts->flags & GLC_DIM) && !stmt->has_suffix_dim && part.bytes == 1 &&
	    part.at[0] >= 'x' && part.at[0] <= 'z') {
		stmt->detail = (uint8_t)(part.at[0] - 'x');
		stmt->has_suffix_dim = true;
		return true;
	}
	return (facts->flags & GLC_SCOPE) && read_order(stmt, part, ordered);
}

const char *glc_tree_opcode(struct glc_tree *tree, struct glc_stmt *stmt, const char *text, uint32_t pos)
{
	const char *at = text;
	struct glc_name part = next_part(&at);
	enum glc_op op = glc_op_find(tree->opcodes, part.at, part.bytes);
	const struct glc_op_facts *facts;
	bool ordered = false;

	if (op == GLC_OP_COUNT) {
		unknown_opcode(tree, part, pos);
		return NULL;
	}
	facts = &glc_ops[op];
	stmt->op = (uint16_t)op;
	if (facts->types) {
		part = at[-1] == '.' ? next_part(&at) : (struct glc_name){at, 0};
		if (!read_type(tree, stmt, part, part_pos(tree, pos, part.at - text), &stmt->type))
			return NULL;
		stmt->from = stmt->type;
	}
	if (facts->flags & GLC_TWO) {
		part = at[-1] == '.' ? next_part(&at) : (struct glc_name){at, 0};
		if (!read_type(tree, stmt, part, part_pos(tree, pos, part.at - text), &stmt->from))
			return NULL;
	}
	while (at[-1] == '.') {
		part = next_part(&at);
		if (!part.bytes || !read_modifier(stmt, part, &ordered)) {
			glc_fail(tree->diag, GLC_GA_WRONG_MODIFIER, part_pos(tree, pos, part.at - text),
				 glc_op_name(op), width(part), part.at);
			return NULL;
		}
	}
	if (op == GLC_OP_Fence && GLC_DETAIL_SCOPE(stmt->detail) == GLC_SCOPE_NONE) {
		glc_fail(tree->diag, GLC_GA_NO_SCOPE, pos);
		return NULL;
	}
	return at;
}

struct glc_name glc_operand_name(const struct glc_tree *tree, const struct glc_tree_kernel *kernel,
				 struct glc_operand operand)
{
	switch (operand.kind) {
	case GLC_REGISTER: return kernel->registers.at[operand.index];
	case GLC_OBJECT: return kernel->decls.at[operand.index].name;
	}
	return tree->literals.at[operand.index].text;
}
