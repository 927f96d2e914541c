/* SPDX-License-Identifier: MIT */
/* The C front end: each call appends to the statement tree what a reader would have. */
#include <glacier/build.h>

#include "compile/module.h"

#include "base/buf.h"
#include "ir/text_lex.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NONE, REGISTER, OBJECT, CONSTANT, LITERAL };   /* kinds of struct glacier_operand */
enum stage { PARAMETERS, ARRAYS, STATEMENTS };

struct glacier_build {
	struct glacier_module *module;
	struct glc_tree *tree;
	struct glc_relay relay;
	struct glc_watch watch;
	enum stage stage;           /* of the kernel */
	uint32_t kernel_place;
	uint32_t declared;          /* in this stage: index of the next place */
	uint32_t statements;        /* likewise */
	uint32_t made;              /* registers without a name of the caller's */
};

static const struct glacier_operand none;

/* --- Beginning and end ----------------------------------------------------- */

struct glacier_build *glacier_build_begin(struct glacier_module *module, struct glacier_diag *diag)
{
	struct glc_relay relay;
	struct glacier_build *build;

	if (!glc_module_begin(module, &relay, diag))
		return NULL;
	build = glc_bump_zero(module->memory, sizeof *build);
	if (!build || !glc_places_init(&module->places, module->memory, NULL, &module->map))
		return NULL;
	build->module = module;
	build->tree = &module->tree;
	glc_relay_begin(&build->relay, diag, &module->map);
	build->tree->diag = &build->relay.diag;
	build->tree->whole_positions = true;
	build->watch = glc_watch_start(NULL);
	return build;
}

static bool in_kernel(const struct glacier_build *build)
{
	return build->tree->kernels.count;
}

/* What is appended to must be there. */
static bool wants_kernel(struct glacier_build *build)
{
	if (in_kernel(build))
		return true;
	glc_fail(build->tree->diag, GLC_GA_BUILD_ORDER, 0, "this");
	return false;
}

static uint32_t next_statement(struct glacier_build *build)
{
	return glc_place(&build->module->places, build->kernel_place, GLC_KEY_STATEMENTS,
			 build->statements++);
}

static void end_kernel(struct glacier_build *build)
{
	struct glc_tree *tree = build->tree;

	if (!in_kernel(build))
		return;
	if (tree->open.count)
		glc_fail(tree->diag, GLC_GA_BUILD_OPEN, tree->stmts.at[tree->open.at[tree->open.count - 1]].pos);
	if (build->stage == PARAMETERS)
		glc_tree_current(tree)->param_count = glc_tree_current(tree)->decls.count;
	glc_tree_kernel_end(tree);
}

enum glacier_status glacier_build_end(struct glacier_build *build, const struct glacier_read_options *options)
{
	struct glacier_module *module = build->module;

	end_kernel(build);
	build->tree->failed |= module->places.failed;
	return glc_module_end(module, &build->relay, options, &build->watch, 0);
}

/* --- Operands -------------------------------------------------------------- */

static struct glc_name keep(struct glacier_build *build, const char *text)
{
	size_t bytes = strlen(text);
	char *copy = glc_bump(build->tree->memory, bytes + 1);

	if (!copy) {
		build->tree->failed = true;
		return (struct glc_name){"", 0};
	}
	memcpy(copy, text, bytes + 1);
	return (struct glc_name){copy, (uint32_t)bytes};
}

/* The tree's operand; false, reported, when it belongs elsewhere. */
static bool convert(struct glacier_build *build, struct glacier_operand operand, uint32_t pos,
		    struct glc_operand *out)
{
	struct glc_tree *tree = build->tree;
	struct glc_tree_kernel *kernel = in_kernel(build) ? glc_tree_current(tree) : NULL;
	uint32_t limit = operand.kind == REGISTER   ? (kernel ? kernel->registers.count : 0)
			 : operand.kind == OBJECT   ? (kernel ? kernel->decls.count : 0)
			 : operand.kind == CONSTANT ? tree->consts.count
			 : operand.kind == LITERAL  ? tree->literals.count
						    : 0;

	if (operand.index >= limit || (operand.kernel && operand.kernel != tree->kernels.count)) {
		glc_fail(tree->diag, GLC_GA_BUILD_OPERAND, pos);
		return false;
	}
	if (operand.kind == CONSTANT) {
		struct glc_name name = tree->consts.at[operand.index].name;

		*out = glc_tree_object(tree, name, glc_name_key(name, '@'), pos);
		return true;
	}
	*out = (struct glc_operand){
		.kind = operand.kind == REGISTER ? GLC_REGISTER
			: operand.kind == OBJECT ? GLC_OBJECT
						 : GLC_LITERAL,
		.index = operand.index,
		.pos = pos,
	};
	return true;
}

struct glacier_operand glacier_build_literal(struct glacier_build *build, const char *text)
{
	if (!lex_is_literal(text)) {
		glc_fail(build->tree->diag, GLC_GA_LITERAL_FORM, build->kernel_place, (int)strnlen(text, 64),
			 text);
		text = "0";
	}
	return (struct glacier_operand){
		LITERAL, glc_tree_literal(build->tree, keep(build, text), build->kernel_place).index, 0};
}

struct glacier_operand glacier_build_bool(struct glacier_build *build, bool value)
{
	return glacier_build_literal(build, value ? "true" : "false");
}

struct glacier_operand glacier_build_int(struct glacier_build *build, int64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, value);
	return glacier_build_literal(build, text);
}

struct glacier_operand glacier_build_uint(struct glacier_build *build, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, value);
	return glacier_build_literal(build, text);
}

struct glacier_operand glacier_build_f32(struct glacier_build *build, float value)
{
	char text[16];
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	snprintf(text, sizeof text, "0f%08" PRIx32, bits);
	return glacier_build_literal(build, text);
}

struct glacier_operand glacier_build_f64(struct glacier_build *build, double value)
{
	char text[24];
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	snprintf(text, sizeof text, "0d%016" PRIx64, bits);
	return glacier_build_literal(build, text);
}

/* --- Declarations ---------------------------------------------------------- */

static bool known_type(struct glacier_build *build, enum glacier_type type, uint32_t pos)
{
	if (type > GLACIER_VOID && type < GLACIER_TYPE_COUNT)
		return true;
	glc_fail(build->tree->diag, GLC_GA_UNKNOWN_TYPE, pos, 4, "void");
	return false;
}

struct glacier_operand glacier_build_const(struct glacier_build *build, const char *name,
					   enum glacier_type type, const struct glacier_operand *values,
					   uint32_t count)
{
	struct glc_tree *tree = build->tree;
	uint32_t pos = glc_place(&build->module->places, 0, GLC_KEY_CONSTS, tree->consts.count);
	struct glc_decl *decl;
	struct glc_operand value;

	if (!known_type(build, type, pos))
		return none;
	decl = glc_tree_decl(tree, keep(build, name), pos, GLC_OBJECT_CONST, (enum glc_type)type);
	if (!decl)
		return none;
	decl->extent = (struct glc_operand){
		.kind = GLC_LITERAL, .index = glacier_build_uint(build, count).index, .pos = pos};
	decl->values = tree->literals.count;
	for (uint32_t i = 0; i < count; i++) {
		if (!convert(build, values[i], pos, &value) || value.kind != GLC_LITERAL) {
			glc_fail(tree->diag, GLC_GA_BUILD_OPERAND, pos);
			return none;
		}
		glc_tree_literal(tree, tree->literals.at[value.index].text, pos);
	}
	decl->value_count = count;
	return (struct glacier_operand){CONSTANT, tree->consts.count - 1, 0};
}

void glacier_build_kernel(struct glacier_build *build, const char *name, uint32_t x, uint32_t y, uint32_t z)
{
	struct glacier_operand sizes[3];
	uint32_t count = z ? 3 : y ? 2 : 1;

	end_kernel(build);
	build->kernel_place =
		glc_place(&build->module->places, 0, GLC_KEY_KERNELS, build->tree->kernels.count);
	build->stage = PARAMETERS;
	build->declared = build->statements = build->made = 0;
	if (!glc_tree_kernel(build->tree, keep(build, name), build->kernel_place))
		return;
	for (uint32_t i = 0; i < count; i++)
		sizes[i] = glacier_build_uint(build, i == 0 ? x : i == 1 ? y : z);
	/* All of it left out: glacier_build_workgroup follows, or the checker finds the 0. */
	glacier_build_workgroup(build, sizes, count);
}

void glacier_build_workgroup(struct glacier_build *build, const struct glacier_operand *sizes, uint32_t count)
{
	struct glc_tree_kernel *kernel;

	if (!wants_kernel(build))
		return;
	if (count < 1 || count > 3) {
		glc_fail(build->tree->diag, GLC_GA_BUILD_ORDER, build->kernel_place, "this number of sizes");
		return;
	}
	kernel = glc_tree_current(build->tree);
	for (uint32_t i = 0; i < count; i++)
		if (!convert(build, sizes[i], build->kernel_place, &kernel->workgroup[i]))
			return;
	kernel->workgroup_count = count;
}

void glacier_build_subgroup(struct glacier_build *build, uint32_t size)
{
	struct glc_operand literal;

	if (!wants_kernel(build) ||
	    !convert(build, glacier_build_uint(build, size), build->kernel_place, &literal))
		return;
	glc_tree_current(build->tree)->has_subgroup = true;
	glc_tree_current(build->tree)->subgroup = literal;
}

/* A declaration of the kernel, in its stage. */
static struct glc_decl *declare(struct glacier_build *build, const char *name, enum glc_object_kind kind,
				enum glacier_type type)
{
	enum stage stage = kind <= GLC_OBJECT_SPEC ? PARAMETERS : ARRAYS;
	struct glc_tree_kernel *kernel;
	uint32_t pos;

	if (!wants_kernel(build))
		return NULL;
	kernel = glc_tree_current(build->tree);
	if (stage == ARRAYS && build->stage == PARAMETERS) {
		kernel->param_count = kernel->decls.count;
		build->stage = ARRAYS;
		build->declared = 0;
	}
	pos = glc_place(&build->module->places, build->kernel_place,
			stage == PARAMETERS            ? GLC_KEY_PARAMS
			: kind == GLC_OBJECT_SHARED    ? GLC_KEY_SHARED
						       : GLC_KEY_LOCAL,
			build->declared++);
	if (stage != build->stage) {
		glc_fail(build->tree->diag, GLC_GA_BUILD_ORDER, pos,
			 stage == PARAMETERS ? "a parameter" : "an array");
		return NULL;
	}
	if (!known_type(build, type, pos))
		return NULL;
	return glc_tree_decl(build->tree, keep(build, name), pos, kind, (enum glc_type)type);
}

/* The last declaration as an operand. */
static struct glacier_operand declared(const struct glacier_build *build, const struct glc_decl *decl)
{
	if (!decl)
		return none;
	return (struct glacier_operand){
		OBJECT, (uint32_t)(decl - glc_tree_current(build->tree)->decls.at), build->tree->kernels.count};
}

struct glacier_operand glacier_build_buffer(struct glacier_build *build, const char *name,
					    enum glacier_type type, enum glacier_access access, int set,
					    int binding)
{
	struct glc_decl *decl = declare(build, name, GLC_OBJECT_BUFFER, type);

	if (!decl)
		return none;
	if (access < GLACIER_READ || access > GLACIER_READWRITE)
		glc_fail(build->tree->diag, GLC_GA_BUILD_ORDER, decl->pos, "this access");
	if (set > 31 || set < -1)
		glc_fail(build->tree->diag, GLC_GA_TOO_MANY, decl->pos, "descriptor set", 31u);
	if (binding > 65535 || binding < -1)
		glc_fail(build->tree->diag, GLC_GA_TOO_MANY, decl->pos, "binding", 65535u);
	decl->access = (uint8_t)access;
	decl->set_given = set >= 0;
	decl->set = set >= 0 ? (uint32_t)set : 0;
	decl->binding_given = binding >= 0;
	decl->binding = binding >= 0 ? (uint32_t)binding : 0;
	return declared(build, decl);
}

struct glacier_operand glacier_build_scalar(struct glacier_build *build, const char *name, enum glacier_type type)
{
	return declared(build, declare(build, name, GLC_OBJECT_SCALAR, type));
}

/* A declaration with a value or a length. */
static struct glacier_operand declare_with(struct glacier_build *build, const char *name,
					   enum glc_object_kind kind, enum glacier_type type,
					   struct glacier_operand operand)
{
	struct glc_decl *decl;
	struct glc_operand extent;

	if (!wants_kernel(build) || !convert(build, operand, build->kernel_place, &extent))
		return none;
	if (extent.kind == GLC_REGISTER || (kind == GLC_OBJECT_SPEC && extent.kind != GLC_LITERAL)) {
		glc_fail(build->tree->diag, GLC_GA_BUILD_OPERAND, build->kernel_place);
		return none;
	}
	decl = declare(build, name, kind, type);
	if (decl)
		decl->extent = extent;
	return declared(build, decl);
}

struct glacier_operand glacier_build_spec(struct glacier_build *build, const char *name,
					  enum glacier_type type, struct glacier_operand value)
{
	return declare_with(build, name, GLC_OBJECT_SPEC, type, value);
}

struct glacier_operand glacier_build_shared(struct glacier_build *build, const char *name,
					    enum glacier_type type, struct glacier_operand length)
{
	return declare_with(build, name, GLC_OBJECT_SHARED, type, length);
}

struct glacier_operand glacier_build_local(struct glacier_build *build, const char *name,
					   enum glacier_type type, struct glacier_operand length)
{
	return declare_with(build, name, GLC_OBJECT_LOCAL, type, length);
}

static struct glacier_operand name_register(struct glacier_build *build, const char *text)
{
	struct glc_name name = keep(build, text);

	return (struct glacier_operand){
		REGISTER,
		glc_tree_register(build->tree, name, glc_name_key(name, '%'), build->kernel_place).index,
		build->tree->kernels.count,
	};
}

struct glacier_operand glacier_build_register(struct glacier_build *build, const char *name)
{
	struct glacier_operand made;
	uint32_t before;
	char text[16];

	if (!wants_kernel(build))
		return none;
	if (name)
		return name_register(build, name);
	before = glc_tree_current(build->tree)->registers.count;
	do {
		snprintf(text, sizeof text, "t%u", build->made++);
		made = name_register(build, text);
	} while (made.index < before && !build->tree->failed);   /* the caller has one of this name */
	return made;
}

/* --- Statements ------------------------------------------------------------ */

/* Opens a statement of the kernel; false when there is none. */
static bool statement(struct glacier_build *build, uint32_t op, struct glc_stmt **stmt)
{
	struct glc_tree_kernel *kernel;

	if (!wants_kernel(build))
		return false;
	kernel = glc_tree_current(build->tree);
	if (build->stage == PARAMETERS)
		kernel->param_count = kernel->decls.count;
	build->stage = STATEMENTS;
	*stmt = glc_tree_stmt(build->tree, op, next_statement(build));
	return true;
}

static void add_operands(struct glacier_build *build, struct glc_stmt *stmt,
			 const struct glacier_operand *operands, uint32_t count)
{
	struct glc_operand operand;

	for (uint32_t i = 0; i < count; i++)
		if (convert(build, operands[i], stmt->pos, &operand))
			glc_tree_operand(build->tree, stmt, operand);
}

void glacier_build_named(struct glacier_build *build, const char *opcode, struct glacier_operand result,
			 const struct glacier_operand *operands, uint32_t count)
{
	struct glc_operand reg;
	struct glc_stmt *stmt;
	const char *behind;

	if (!statement(build, GLC_OP_Nop, &stmt))
		return;
	behind = glc_tree_opcode(build->tree, stmt, opcode, stmt->pos);
	if (behind && *behind)
		glc_fail(build->tree->diag, GLC_GA_WRONG_MODIFIER, stmt->pos, glc_op_name(stmt->op),
			 (int)strnlen(behind, 64), behind);
	if (result.kind != NONE) {
		if (result.kind != REGISTER || !convert(build, result, stmt->pos, &reg))
			glc_fail(build->tree->diag, GLC_GA_BUILD_OPERAND, stmt->pos);
		else
			stmt->result = reg.index;
	}
	add_operands(build, stmt, operands, count);
}

/* The spelling, so that one place knows which suffixes an opcode takes. */
static void spell(char out[96], const struct glacier_instruction *i)
{
	static const char orders[][10] = {"", ".acquire", ".release", ".acqrel"};
	static const char scopes[][12] = {"", ".workgroup", ".device", ".system"};
	const char dimension[3] = {i->dimension ? '.' : '\0', i->dimension, '\0'};

	snprintf(out, 96, "%s%s%s%s%s%s%s%s%s", glc_op_name((enum glc_op)i->opcode),
		 i->type ? "." : "", i->type ? glacier_type_name(i->type) : "",
		 i->from ? "." : "", i->from ? glacier_type_name(i->from) : "",
		 i->approx ? ".approx" : "", dimension, orders[i->order & 3], scopes[i->scope & 3]);
}

void glacier_build_emit(struct glacier_build *build, const struct glacier_instruction *instruction)
{
	char name[96];

	if ((unsigned)instruction->opcode >= GLACIER_OP_COUNT || instruction->operand_count > 4) {
		glc_fail(build->tree->diag, GLC_GA_BUILD_OPCODE, build->kernel_place,
			 (unsigned)instruction->opcode);
		return;
	}
	spell(name, instruction);
	glacier_build_named(build, name, instruction->result, instruction->operands,
			    instruction->operand_count);
}

struct glacier_operand glacier_build_value(struct glacier_build *build, enum glacier_opcode opcode,
					   enum glacier_type type, const struct glacier_operand *operands,
					   uint32_t count)
{
	struct glacier_instruction instruction = {
		.opcode = opcode,
		.type = type,
		.result = glacier_build_register(build, NULL),
		.operand_count = count,
	};

	if (count && count <= 4)
		memcpy(instruction.operands, operands, count * sizeof *operands);
	glacier_build_emit(build, &instruction);
	return instruction.result;
}

static void enter(struct glacier_build *build)
{
	glc_tree_enter(build->tree, GLC_MAX_NESTING);
}

void glacier_build_if(struct glacier_build *build, struct glacier_operand condition)
{
	struct glc_stmt *stmt;

	if (!statement(build, GLC_OP_If, &stmt))
		return;
	add_operands(build, stmt, &condition, 1);
	enter(build);
}

void glacier_build_loop(struct glacier_build *build)
{
	struct glc_stmt *stmt;

	if (statement(build, GLC_OP_Loop, &stmt))
		enter(build);
}

void glacier_build_for(struct glacier_build *build, struct glacier_operand counter, enum glacier_type type,
		       struct glacier_operand from, struct glacier_operand to, struct glacier_operand step,
		       bool unroll)
{
	struct glacier_operand bounds[3] = {from, to, step};
	struct glc_operand reg;
	struct glc_stmt *stmt;

	if (!statement(build, GLC_STMT_FOR, &stmt))
		return;
	if ((unsigned)type >= GLACIER_TYPE_COUNT || !(GLC_TYPES_WORD >> type & 1))
		glc_fail(build->tree->diag, GLC_GA_COUNTER_TYPE, stmt->pos,
			 (int)strlen(glacier_type_name(type)), glacier_type_name(type));
	stmt->type = (uint8_t)type;
	stmt->mods = unroll ? GLC_MOD_UNROLL : 0;
	if (counter.kind != REGISTER)
		glc_fail(build->tree->diag, GLC_GA_BUILD_OPERAND, stmt->pos);
	else if (convert(build, counter, stmt->pos, &reg))
		stmt->result = reg.index;
	add_operands(build, stmt, bounds, step.kind == NONE ? 2 : 3);
	enter(build);
}

/* The innermost open block; NULL, reported, when there is none. */
static const struct glc_stmt *innermost(struct glacier_build *build, const char *what)
{
	struct glc_tree *tree = build->tree;

	if (in_kernel(build) && tree->open.count)
		return &tree->stmts.at[tree->open.at[tree->open.count - 1]];
	glc_fail(tree->diag, GLC_GA_BUILD_ORDER, in_kernel(build) ? next_statement(build) : 0, what);
	return NULL;
}

void glacier_build_else(struct glacier_build *build)
{
	const struct glc_stmt *open = innermost(build, "an else");
	uint32_t pos;

	if (!open)
		return;
	pos = next_statement(build);
	if (open->op == GLC_OP_If)
		glc_tree_else(build->tree, pos);
	else
		glc_fail(build->tree->diag, GLC_GA_BUILD_ORDER, pos, "an else");
}

void glacier_build_close(struct glacier_build *build)
{
	if (innermost(build, "the end of a block"))
		glc_tree_end(build->tree, next_statement(build));
}

static void simple(struct glacier_build *build, uint32_t op, const struct glacier_operand *condition)
{
	struct glc_stmt *stmt;

	if (statement(build, op, &stmt) && condition)
		add_operands(build, stmt, condition, 1);
}

void glacier_build_break(struct glacier_build *build)
{
	simple(build, GLC_OP_Break, NULL);
}

void glacier_build_continue(struct glacier_build *build)
{
	simple(build, GLC_OP_Continue, NULL);
}

void glacier_build_break_if(struct glacier_build *build, struct glacier_operand condition)
{
	simple(build, GLC_STMT_BREAK_IF, &condition);
}

void glacier_build_continue_if(struct glacier_build *build, struct glacier_operand condition)
{
	simple(build, GLC_STMT_CONTINUE_IF, &condition);
}

void glacier_build_return(struct glacier_build *build)
{
	simple(build, GLC_OP_Return, NULL);
}
