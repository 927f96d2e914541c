/* SPDX-License-Identifier: MIT */
/* The results as tables for people, and as one JSON document. */
#include "bench.h"

#include <math.h>

/* NaN where there is nothing to relate. */
static double per_second(double amount, double ns)
{
	return amount > 0 && ns > 0 ? amount / ns : NAN;
}

/* The best that is known of what the kernel itself takes. */
static double kernel_ns(const struct bench_launch *launch)
{
	return isnan(launch->device_ns) ? launch->queued_ns : launch->device_ns;
}

/* --- Tables --------------------------------------------------------------- */

static void print_devices(const struct bench *bench)
{
	static const struct cli_column columns[] = {
		{"device", "DEVICE", CLI_CELL_TEXT, 0},
		{"name", "NAME", CLI_CELL_TEXT, 0},
		{"driver", "DRIVER", CLI_CELL_TEXT, 0},
	};
	struct cli_table table;

	cli_table_init(&table, "", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < bench->device_count; i++)
		cli_table_add(&table, (const union cli_cell[]){
					      {.text = bench->devices[i].name},
					      {.text = bench->devices[i].info.name},
					      {.text = bench->devices[i].info.driver},
				      });
	cli_table_print(&table, CLI_TABLE_TEXT, stdout);
	cli_table_fini(&table);
}

static void print_compiles(const struct bench *bench)
{
	static const struct cli_column columns[] = {
		{"source", "SOURCE", CLI_CELL_TEXT, 0},       {"device", "DEVICE", CLI_CELL_TEXT, 0},
		{"parse_us", "PARSE us", CLI_CELL_REAL, 1},   {"check_us", "CHECK us", CLI_CELL_REAL, 1},
		{"passes_us", "PASSES us", CLI_CELL_REAL, 1}, {"write_us", "WRITE us", CLI_CELL_REAL, 1},
		{"driver_us", "DRIVER us", CLI_CELL_REAL, 1},
	};
	struct cli_table table;

	cli_table_init(&table, "", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < bench->compile_count; i++) {
		const struct bench_compile *compile = &bench->compiles[i];

		cli_table_add(&table, (const union cli_cell[]){
					      {.text = compile->source},
					      {.text = bench->devices[compile->device].name},
					      {.real = compile->parse_ns / 1e3},
					      {.real = compile->check_ns / 1e3},
					      {.real = compile->lower_ns / 1e3},
					      {.real = compile->write_ns / 1e3},
					      {.real = compile->driver_ns / 1e3},
				      });
	}
	cli_table_print(&table, CLI_TABLE_TEXT, stdout);
	cli_table_fini(&table);
}

static void print_launches(const struct bench *bench)
{
	static const struct cli_column columns[] = {
		{"case", "CASE", CLI_CELL_TEXT, 0},
		{"device", "DEVICE", CLI_CELL_TEXT, 0},
		{"runs", "RUNS", CLI_CELL_UINT, 0},
		{"wait_us", "LAUNCH+WAIT us", CLI_CELL_REAL, 1},
		{"mad_us", "+- us", CLI_CELL_REAL, 1},
		{"min_us", "LEAST us", CLI_CELL_REAL, 1},
		{"queued_us", "IN A ROW us", CLI_CELL_REAL, 1},
		{"device_us", "ON DEVICE us", CLI_CELL_REAL, 1},
		{"gb_s", "GB/s", CLI_CELL_REAL, 1},
		{"gop_s", "GFLOP/s", CLI_CELL_REAL, 1},
	};
	struct cli_table table;

	cli_table_init(&table, "", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < bench->launch_count; i++) {
		const struct bench_launch *launch = &bench->launches[i];

		cli_table_add(&table, (const union cli_cell[]){
					      {.text = launch->bench->name},
					      {.text = bench->devices[launch->device].name},
					      {.u = launch->wait.runs},
					      {.real = launch->wait.median / 1e3},
					      {.real = launch->wait.mad / 1e3},
					      {.real = launch->wait.min / 1e3},
					      {.real = launch->queued_ns / 1e3},
					      {.real = launch->device_ns / 1e3},
					      {.real = per_second(bench_traffic(launch->bench), kernel_ns(launch))},
					      {.real = per_second(launch->bench->ops, kernel_ns(launch))},
				      });
	}
	cli_table_print(&table, CLI_TABLE_TEXT, stdout);
	cli_table_fini(&table);
}

/* --- JSON ----------------------------------------------------------------- */

static void write_devices(struct cli_json *json, const struct bench *bench)
{
	cli_json_open(json, "devices", '[');
	for (size_t i = 0; i < bench->device_count; i++) {
		const struct bench_device *device = &bench->devices[i];

		cli_json_open(json, NULL, '{');
		cli_json_string(json, "device", device->name);
		cli_json_string(json, "name", device->info.name);
		cli_json_string(json, "driver", device->info.driver);
		cli_json_bool(json, "software", device->info.software);
		cli_json_close(json, '}');
	}
	cli_json_close(json, ']');
}

static void write_compiles(struct cli_json *json, const struct bench *bench)
{
	cli_json_open(json, "compile", '[');
	for (size_t i = 0; i < bench->compile_count; i++) {
		const struct bench_compile *compile = &bench->compiles[i];

		cli_json_open(json, NULL, '{');
		cli_json_string(json, "source", compile->source);
		cli_json_string(json, "device", bench->devices[compile->device].name);
		cli_json_real(json, "parse_ns", compile->parse_ns);
		cli_json_real(json, "check_ns", compile->check_ns);
		cli_json_real(json, "passes_ns", compile->lower_ns);
		cli_json_real(json, "write_ns", compile->write_ns);
		cli_json_real(json, "driver_ns", compile->driver_ns);
		cli_json_close(json, '}');
	}
	cli_json_close(json, ']');
}

static void write_launches(struct cli_json *json, const struct bench *bench)
{
	cli_json_open(json, "launch", '[');
	for (size_t i = 0; i < bench->launch_count; i++) {
		const struct bench_launch *launch = &bench->launches[i];

		cli_json_open(json, NULL, '{');
		cli_json_string(json, "case", launch->bench->name);
		cli_json_string(json, "device", bench->devices[launch->device].name);
		cli_json_uint(json, "elems", launch->bench->elems);
		cli_json_uint(json, "workgroups", bench_groups(launch->bench));
		cli_json_real(json, "bytes", bench_traffic(launch->bench));
		cli_json_real(json, "ops", launch->bench->ops);
		cli_json_uint(json, "runs", launch->wait.runs);
		cli_json_real(json, "median_ns", launch->wait.median);
		cli_json_real(json, "mad_ns", launch->wait.mad);
		cli_json_real(json, "min_ns", launch->wait.min);
		cli_json_real(json, "max_ns", launch->wait.max);
		cli_json_real(json, "queued_ns", launch->queued_ns);
		cli_json_real(json, "device_ns", launch->device_ns);
		cli_json_bool(json, "same", launch->same);
		cli_json_close(json, '}');
	}
	cli_json_close(json, ']');
}

void bench_print(const struct bench *bench)
{
	struct cli_json json = {.out = stdout};

	if (!cli.json) {
		print_devices(bench);
		putchar('\n');
		print_compiles(bench);
		putchar('\n');
		print_launches(bench);
		return;
	}
	cli_json_open(&json, NULL, '{');
	cli_json_string(&json, "schema", "glacier-run-bench");
	cli_json_uint(&json, "version", 1);
	write_devices(&json, bench);
	write_compiles(&json, bench);
	write_launches(&json, bench);
	cli_json_close(&json, '}');
	putchar('\n');
}
