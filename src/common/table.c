/* SPDX-License-Identifier: MIT */
/*
 * Tables. Text for people: a header, numbers to the right. JSON: one object a row, raw
 * numbers. CSV: RFC 4180, raw numbers. Numbers look the same in every locale, because
 * the programs never set one.
 */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 352 };  /* a double in full, as %f prints it, with some digits */

void cli_table_init(struct cli_table *table, const char *schema,
		    const struct cli_column *columns, size_t column_count)
{
	*table = (struct cli_table){
		.schema = schema,
		.columns = columns,
		.column_count = column_count,
	};
}

void cli_table_add(struct cli_table *table, const union cli_cell *cells)
{
	union cli_cell *row;

	if (table->row_count == table->row_capacity) {
		table->row_capacity = table->row_capacity ? table->row_capacity * 2 : 16;
		table->cells = cli_realloc(table->cells, table->row_capacity * table->column_count *
								 sizeof *table->cells);
	}
	row = table->cells + table->row_count++ * table->column_count;
	memcpy(row, cells, table->column_count * sizeof *row);
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].kind == CLI_CELL_TEXT && row[i].text)
			row[i].text = cli_strdup(row[i].text);
}

void cli_table_fini(struct cli_table *table)
{
	for (size_t i = 0; i < table->row_count * table->column_count; i++)
		if (table->columns[i % table->column_count].kind == CLI_CELL_TEXT)
			free((char *)table->cells[i].text);
	free(table->cells);
	*table = (struct cli_table){0};
}

/* A cell as text; numbers with `digits` decimals, or all that matter when it is negative. */
static const char *spell(const struct cli_column *column, const union cli_cell *cell, int digits,
			 char number[NUMBER_BYTES])
{
	*number = '\0';
	switch (column->kind) {
	case CLI_CELL_TEXT: return cell->text ? cell->text : "";
	case CLI_CELL_INT: snprintf(number, NUMBER_BYTES, "%" PRId64, cell->i); break;
	case CLI_CELL_UINT: snprintf(number, NUMBER_BYTES, "%" PRIu64, cell->u); break;
	case CLI_CELL_BOOL: return cell->yes ? "true" : "false";
	case CLI_CELL_REAL:
		if (isnan(cell->real))
			break;
		if (digits < 0)
			cli_spell_real(cell->real, number);
		else
			snprintf(number, NUMBER_BYTES, "%.*f", digits, cell->real);
		break;
	}
	return number;
}

/* Columns that a terminal gives to the text. */
static size_t width_of(const char *text)
{
	const char *end = text + strlen(text);
	size_t width = 0, n;

	for (; text < end; text += n ? n : 1, width++)
		n = cli_printable(text, end);
	return width;
}

static bool is_number(enum cli_cell_kind kind)
{
	return kind == CLI_CELL_INT || kind == CLI_CELL_UINT || kind == CLI_CELL_REAL;
}

static void print_padded(FILE *out, const char *text, size_t width, bool right, bool last)
{
	int pad = (int)(width - width_of(text));

	if (right)
		fprintf(out, "%*s", pad, "");
	cli_print_clean(out, text, strlen(text));
	if (!right && !last)
		fprintf(out, "%*s", pad, "");
	fputs(last ? "\n" : "  ", out);
}

static void print_text(const struct cli_table *table, FILE *out)
{
	const struct cli_column *columns = table->columns;
	size_t count = table->column_count, *widths = cli_alloc(count * sizeof *widths);
	char number[NUMBER_BYTES];

	for (size_t i = 0; i < count; i++)
		widths[i] = width_of(columns[i].title);
	for (size_t i = 0; i < table->row_count * count; i++) {
		const struct cli_column *column = &columns[i % count];
		size_t width = width_of(spell(column, &table->cells[i], column->digits, number));

		if (width > widths[i % count])
			widths[i % count] = width;
	}
	for (size_t i = 0; i < count; i++)
		print_padded(out, columns[i].title, widths[i], is_number(columns[i].kind),
			     i + 1 == count);
	for (size_t i = 0; i < table->row_count * count; i++) {
		const struct cli_column *column = &columns[i % count];

		print_padded(out, spell(column, &table->cells[i], column->digits, number),
			     widths[i % count], is_number(column->kind), i % count + 1 == count);
	}
	free(widths);
}

static void print_json(const struct cli_table *table, FILE *out)
{
	struct cli_json json = {.out = out};

	cli_json_open(&json, NULL, '{');
	cli_json_string(&json, "schema", table->schema);
	cli_json_uint(&json, "version", 1);
	cli_json_open(&json, "rows", '[');
	for (size_t row = 0; row < table->row_count; row++) {
		cli_json_open(&json, NULL, '{');
		for (size_t i = 0; i < table->column_count; i++) {
			const struct cli_column *column = &table->columns[i];
			const union cli_cell *cell = &table->cells[row * table->column_count + i];

			switch (column->kind) {
			case CLI_CELL_TEXT: cli_json_string(&json, column->key, cell->text); break;
			case CLI_CELL_INT: cli_json_int(&json, column->key, cell->i); break;
			case CLI_CELL_UINT: cli_json_uint(&json, column->key, cell->u); break;
			case CLI_CELL_REAL: cli_json_real(&json, column->key, cell->real); break;
			case CLI_CELL_BOOL: cli_json_bool(&json, column->key, cell->yes); break;
			}
		}
		cli_json_close(&json, '}');
	}
	cli_json_close(&json, ']');
	cli_json_close(&json, '}');
	fputc('\n', out);
}

static void print_csv_field(FILE *out, const char *text, bool last)
{
	if (strpbrk(text, ",\"\r\n")) {
		fputc('"', out);
		for (; *text; text++) {
			if (*text == '"')
				fputc('"', out);
			fputc(*text, out);
		}
		fputc('"', out);
	} else {
		fputs(text, out);
	}
	fputs(last ? "\r\n" : ",", out);
}

static void print_csv(const struct cli_table *table, FILE *out)
{
	size_t count = table->column_count;
	char number[NUMBER_BYTES];

	for (size_t i = 0; i < count; i++)
		print_csv_field(out, table->columns[i].key, i + 1 == count);
	for (size_t i = 0; i < table->row_count * count; i++)
		print_csv_field(out, spell(&table->columns[i % count], &table->cells[i], -1, number),
				i % count + 1 == count);
}

void cli_table_print(const struct cli_table *table, enum cli_table_form form, FILE *out)
{
	switch (form) {
	case CLI_TABLE_TEXT: print_text(table, out); break;
	case CLI_TABLE_JSON: print_json(table, out); break;
	case CLI_TABLE_CSV: print_csv(table, out); break;
	}
}
