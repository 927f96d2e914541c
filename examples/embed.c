/* SPDX-License-Identifier: MIT */
/*
 * A program that makes a kernel at run time: y[i] += a * x[i] over a grid-stride loop, for
 * whatever type its argument names. It prints the kernel as text, then its PTX.
 *
 *	cc embed.c $(pkg-config --cflags --libs libglacier) && ./a.out f64
 */
#include <glacier.h>

#include <stdio.h>
#include <string.h>

static void print(void *user, const struct glacier_diagnostic *diagnostic)
{
	const char *path = diagnostic->location.path ? diagnostic->location.path : "module";

	(void)user;
	fprintf(stderr, "%s: %s\n", path, diagnostic->message);
}

static void axpy(struct glacier_build *build, enum glacier_type type)
{
	struct glacier_operand x, y, a, n, start, stride, index, product, old, sum;

	glacier_build_kernel(build, "axpy", 256, 0, 0);
	x = glacier_build_buffer(build, "x", type, GLACIER_READ, -1, -1);
	y = glacier_build_buffer(build, "y", type, GLACIER_READWRITE, -1, -1);
	a = glacier_build_scalar(build, "a", type);
	n = glacier_build_scalar(build, "n", GLACIER_U32);

	start = glacier_build_value(build, GLACIER_OP_GLOBAL_ID, GLACIER_VOID, NULL, 0);
	stride = glacier_build_value(build, GLACIER_OP_GLOBAL_SIZE, GLACIER_VOID, NULL, 0);
	index = glacier_build_register(build, "i");
	glacier_build_emit(build, &(struct glacier_instruction){
		.opcode = GLACIER_OP_MOV, .type = GLACIER_U32, .result = index,
		.operands = {start}, .operand_count = 1});
	glacier_build_loop(build);
	glacier_build_break_if(build, glacier_build_value(build, GLACIER_OP_GE, GLACIER_U32,
		(struct glacier_operand[]){index, n}, 2));
	product = glacier_build_value(build, GLACIER_OP_MUL, type, (struct glacier_operand[]){
		a, glacier_build_value(build, GLACIER_OP_LOAD_GLOBAL, type,
				       (struct glacier_operand[]){x, index}, 2)}, 2);
	old = glacier_build_value(build, GLACIER_OP_LOAD_GLOBAL, type, (struct glacier_operand[]){y, index}, 2);
	sum = glacier_build_value(build, GLACIER_OP_ADD, type, (struct glacier_operand[]){product, old}, 2);
	glacier_build_emit(build, &(struct glacier_instruction){
		.opcode = GLACIER_OP_STORE_GLOBAL, .type = type,
		.operands = {y, index, sum}, .operand_count = 3});
	glacier_build_emit(build, &(struct glacier_instruction){
		.opcode = GLACIER_OP_ADD, .type = GLACIER_U32, .result = index,
		.operands = {index, stride}, .operand_count = 2});
	glacier_build_close(build);
	glacier_build_return(build);
}

int main(int argc, char **argv)
{
	enum glacier_type type = GLACIER_F32;
	struct glacier_diag diag = {.report = print};
	struct glacier_buffer out = {0};
	struct glacier_target target;
	struct glacier_module *module;
	struct glacier_build *build;
	int result = 1;

	for (int i = GLACIER_BOOL; argc > 1 && i < GLACIER_TYPE_COUNT; i++)
		if (!strcmp(argv[1], glacier_type_name((enum glacier_type)i)))
			type = (enum glacier_type)i;
	if (glacier_target_parse("ptx:sm_80", &target, &diag) != GLACIER_OK ||
	    glacier_module_create(NULL, &module) != GLACIER_OK)
		return 1;
	build = glacier_build_begin(module, &diag);
	if (!build)
		goto done;
	axpy(build, type);
	if (glacier_build_end(build, NULL) == GLACIER_OK &&
	    glacier_module_print(module, GLACIER_FORM_TEXT, &out, &diag) == GLACIER_OK &&
	    glacier_module_write(module, &target, NULL, &out, &diag) == GLACIER_OK)
		result = fwrite(out.data, 1, out.size, stdout) != out.size;
done:
	glacier_buffer_fini(&out);
	glacier_module_destroy(module);
	return result;
}
