/* SPDX-License-Identifier: MIT */
/* Bodies in JSON form: statements are arrays, structure is objects; and rows of the stream. */
#include "ir/json.h"

/* A list of statements that is being read. */
struct block {
	const cJSON *next;
	const cJSON *otherwise;   /* the else of an if, not begun */
	uint32_t parent;          /* the place of what holds the list */
	uint32_t key, index;      /* of the next statement */
};

/* --- Instructions -------------------------------------------------------- */

static const struct {
	char word[12];
	uint8_t op, operands;
} keywords[] = {
	{"break", GLC_OP_Break, 0},
	{"continue", GLC_OP_Continue, 0},
	{"break_if", GLC_STMT_BREAK_IF, 1},
	{"continue_if", GLC_STMT_CONTINUE_IF, 1},
};

/* The opcode's name or a keyword; false after a diagnostic. */
static bool opcode(struct glc_json *j, struct glc_stmt *stmt, const cJSON *name, bool has_result,
		   uint32_t pos)
{
	const char *text = name->valuestring, *behind;
	uint32_t operands = 0;

	for (const cJSON *item = name->next; item; item = item->next)
		operands++;
	for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
		if (strcmp(text, keywords[i].word))
			continue;
		stmt->op = keywords[i].op;
		if (has_result)
			glc_fail(j->tree->diag, GLC_GA_STRAY_RESULT, pos, keywords[i].word);
		else if (operands != keywords[i].operands)
			glc_fail(j->tree->diag, GLC_GA_OPERAND_COUNT, pos, keywords[i].word,
				 keywords[i].operands, operands);
		return !has_result && operands == keywords[i].operands;
	}
	behind = glc_tree_opcode(j->tree, stmt, text, pos);
	if (behind && *behind)
		glc_fail(j->tree->diag, GLC_GA_WRONG_MODIFIER, pos, glc_op_name(stmt->op),
			 (int)strnlen(behind, 64), behind);
	return behind && !*behind;
}

static void operands(struct glc_json *j, struct glc_stmt *stmt, const cJSON *first, uint32_t pos)
{
	struct glc_operand operand;

	for (; first; first = first->next) {
		if (!glc_json_operand(j, first, pos, &operand))
			return;
		glc_tree_operand(j->tree, stmt, operand);
	}
}

static void instruction(struct glc_json *j, const cJSON *item, uint32_t pos)
{
	const cJSON *result = item->child, *name = result ? result->next : NULL;
	uint32_t result_register = GLC_NO_VALUE;
	struct glc_stmt *stmt;

	if (!cJSON_IsString(name)) {
		glc_json_shape(j, pos, "a statement", "an array [result or null, \"Opcode.type\", operands]");
		return;
	}
	if (cJSON_IsString(result) && *result->valuestring == '%') {
		result_register = glc_json_register(j, result->valuestring + 1, pos).index;
	} else if (!cJSON_IsNull(result)) {
		glc_json_shape(j, pos, "the result", "a register such as \"%x\", or null");
		return;
	}
	stmt = glc_tree_stmt(j->tree, GLC_OP_Nop, pos);
	if (!opcode(j, stmt, name, result_register != GLC_NO_VALUE, pos))
		return;
	stmt->result = result_register;
	operands(j, stmt, name->next, pos);
}

/* --- Structure ----------------------------------------------------------- */

/* "%k.u32" */
static bool counter(struct glc_json *j, struct glc_stmt *stmt, const cJSON *item, uint32_t pos)
{
	const char *dot = cJSON_IsString(item) ? strrchr(item->valuestring, '.') : NULL;
	struct glc_name name;

	if (!dot || *item->valuestring != '%')
		return glc_json_shape(j, pos, "the counter", "a string such as \"%k.u32\"");
	stmt->type = (uint8_t)glc_type_find(dot + 1, (uint32_t)strlen(dot + 1));
	if (!(GLC_TYPES_WORD >> stmt->type & 1)) {
		glc_fail(j->tree->diag, GLC_GA_COUNTER_TYPE, pos, (int)strnlen(dot + 1, 64), dot + 1);
		return false;
	}
	name = glc_json_copy(j, item->valuestring + 1);
	name.bytes = (uint32_t)(dot - item->valuestring - 1);
	stmt->result = glc_tree_register(j->tree, name, glc_name_key(name, '%'), pos).index;
	return true;
}

static bool for_header(struct glc_json *j, struct glc_stmt *stmt, const cJSON *header, uint32_t pos)
{
	const cJSON *unroll = j->member[GLC_KEY_UNROLL];
	int count = cJSON_GetArraySize(header);

	if (!cJSON_IsArray(header) || count < 1)
		return glc_json_shape(j, pos, "\"for\"", "an array [\"%k.type\", from, to, step]");
	if (unroll && !cJSON_IsBool(unroll))
		return glc_json_shape(j, pos, "\"unroll\"", "true or false");
	if (!counter(j, stmt, header->child, pos))
		return false;
	if (count < 3 || count > 4) {
		glc_fail(j->tree->diag, GLC_GA_FOR_BOUNDS, pos);
		return false;
	}
	operands(j, stmt, header->child->next, pos);
	if (unroll && cJSON_IsTrue(unroll))
		stmt->mods |= GLC_MOD_UNROLL;
	return true;
}

static const struct shape {
	uint8_t key, op, body, optional;
	char what[8];
} shapes[] = {
	{GLC_KEY_IF, GLC_OP_If, GLC_KEY_THEN, GLC_KEY_ELSE, "an if"},
	{GLC_KEY_LOOP, GLC_OP_Loop, GLC_KEY_LOOP, GLC_KEY_LOOP, "a loop"},
	{GLC_KEY_FOR, GLC_STMT_FOR, GLC_KEY_DO, GLC_KEY_UNROLL, "a for"},
};

static const struct shape *find_shape(const cJSON *item)
{
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		if (cJSON_GetObjectItemCaseSensitive(item, glc_key_name(shapes[i].key)))
			return &shapes[i];
	return NULL;
}

/* Opens the block that an object stands for. False: it stands for none, or nests too deep. */
static bool structure(struct glc_json *j, const cJSON *item, uint32_t pos, struct block *inner)
{
	const struct shape *shape = find_shape(item);
	struct glc_tree *tree = j->tree;
	const cJSON *body, *otherwise;
	struct glc_operand condition;
	struct glc_stmt *stmt;

	if (!shape) {
		if (cJSON_GetObjectItemCaseSensitive(item, "switch"))
			glc_fail(tree->diag, GLC_GA_JSON_LATER, pos, "switch");
		else
			glc_json_shape(j, pos, "a statement",
				       "an array, or an object with \"if\", \"loop\" or \"for\"");
		return false;
	}
	if (!glc_json_members(j, item,
			      GLC_KEY_BIT(shape->key) | GLC_KEY_BIT(shape->body) |
				      GLC_KEY_BIT(shape->optional),
			      shape->what, pos) ||
	    !glc_json_needs(j, shape->body, shape->what, pos))
		return false;
	body = j->member[shape->body];
	otherwise = shape->op == GLC_OP_If ? j->member[GLC_KEY_ELSE] : NULL;
	if (!cJSON_IsArray(body) || (otherwise && !cJSON_IsArray(otherwise)))
		return glc_json_shape(j, pos, "a block", "an array of statements");

	stmt = glc_tree_stmt(tree, shape->op, pos);
	if (shape->op == GLC_STMT_FOR && !for_header(j, stmt, j->member[GLC_KEY_FOR], pos))
		return false;
	if (shape->op == GLC_OP_If) {
		if (!glc_json_operand(j, j->member[GLC_KEY_IF], pos, &condition))
			return false;
		glc_tree_operand(tree, stmt, condition);
	}
	*inner = (struct block){
		.next = body->child, .otherwise = otherwise, .parent = pos, .key = shape->body};
	return glc_tree_enter(tree, GLC_MAX_JSON_NESTING);
}

void glc_json_body(struct glc_json *j, const cJSON *statements, uint32_t parent)
{
	struct block blocks[GLC_MAX_JSON_NESTING + 2], *top = blocks;
	struct glc_tree *tree = j->tree;

	if (!cJSON_IsArray(statements)) {
		glc_json_shape(j, parent, "\"body\"", "an array of statements");
		return;
	}
	*top = (struct block){.next = statements->child, .parent = parent, .key = GLC_KEY_BODY};
	while (!tree->failed && tree->diag->errors < glc_max_errors(tree->diag)) {
		const cJSON *item = top->next;
		uint32_t pos;

		if (!item) {
			if (top->otherwise) {
				glc_tree_else(tree, top->parent);
				top->next = top->otherwise->child;
				top->otherwise = NULL;
				top->key = GLC_KEY_ELSE;
				top->index = 0;
				continue;
			}
			if (top-- == blocks)
				return;
			glc_tree_end(tree, top->parent);
			continue;
		}
		pos = glc_place(j->places, top->parent, (enum glc_key)top->key, top->index++);
		top->next = item->next;
		if (cJSON_IsArray(item))
			instruction(j, item, pos);
		else if (structure(j, item, pos, top + 1))
			top++;
		else if (tree->open.count > GLC_MAX_JSON_NESTING)
			return;
	}
}

/* --- Rows ---------------------------------------------------------------- */

static const uint8_t row_keys[4] = {GLC_KEY_OPCODE, GLC_KEY_A, GLC_KEY_B, GLC_KEY_D};

/* Four numbers, in an array or by name. */
static bool row(struct glc_json *j, const cJSON *item, uint32_t pos, int64_t value[4])
{
	static const uint64_t allowed = GLC_KEY_BIT(GLC_KEY_OPCODE) | GLC_KEY_BIT(GLC_KEY_A) |
					GLC_KEY_BIT(GLC_KEY_B) | GLC_KEY_BIT(GLC_KEY_D);
	const cJSON *number = item->child;

	if (cJSON_IsObject(item)) {
		if (!glc_json_members(j, item, allowed, "a row", pos))
			return false;
	} else if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 4) {
		return glc_json_shape(j, pos, "a row", "an array [opcode, a, b, destination]");
	}
	for (int i = 0; i < 4; i++) {
		if (cJSON_IsObject(item)) {
			if (!glc_json_needs(j, row_keys[i], "a row", pos))
				return false;
			number = j->member[row_keys[i]];
		}
		if (!glc_json_whole(number, &value[i]))
			return glc_json_shape(j, pos, glc_key_name(row_keys[i]), "a whole number below 2^53");
		number = number->next;
	}
	return true;
}

void glc_json_rows(struct glc_json *j, const cJSON *rows, uint32_t parent, enum glc_key key)
{
	struct glc_tree *tree = j->tree;
	const cJSON *item;
	uint32_t index = 0;

	if (!cJSON_IsArray(rows)) {
		glc_json_shape(j, parent, "a stream", "an array of rows");
		return;
	}
	cJSON_ArrayForEach(item, rows) {
		struct glc_row *at;
		int64_t value[4];
		uint32_t pos = glc_place(j->places, parent, key, index++);

		if (tree->diag->errors >= glc_max_errors(tree->diag))
			return;
		if (!row(j, item, pos, value))
			continue;
		at = GLC_PUSH(tree->memory, &tree->rows);
		if (!at) {
			tree->failed = true;
			return;
		}
		memcpy(at->value, value, sizeof value);
		at->pos = pos;
	}
}
