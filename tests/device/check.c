/* SPDX-License-Identifier: MIT */
/*
 * Checking, by the public calls: kernels with one fault each, and twins that differ in what
 * mends it. The fault is told with its code, on the line that ends in "//1", of the
 * invocations that the row names; the other access on the line that ends in "//2". The twin
 * must be silent. Each runs at both levels of optimization, with one thread and with three.
 */
#include "vk.h"

#include <stdarg.h>

enum { ELEMS = 4096, FEW = 60, MOST_TOLD = 16 };

struct planted {
	const char *name, *code;
	const char *words[3];        /* that the message has */
	const char *text;            /* with %s where the two differ */
	const char *bad, *good;
	uint32_t groups;
};

/*
 * A buffer has ELEMS elements that the host has filled with zeros, one named @few FEW, and
 * one named @made ELEMS that nobody has filled. Scalars are 1.
 */
static const struct planted rows[] = {
	/* --- Out of bounds ------------------------------------------------------ */
	{"load of a buffer", "CK0001", {"load of @few[60], which has 60 elements, by invocation 60 (local 60 of workgroup 0)"},
	 "kernel k(@few: buffer u32 read, @out: buffer u32 write) workgroup 64 {\n"
	 "%%i = GlobalId.x\n%%in = Lt.u32 %%i, %s\nif %%in {\n%%v = LoadGlobal.u32 @few, %%i //1\n"
	 "StoreGlobal.u32 @out, %%i, %%v\n}\n}\n",
	 "64", "60", 1},
	{"store to a buffer, in the second workgroup", "CK0001",
	 {"store to @few[60]", "by invocation 60 (local 28 of workgroup 1)"},
	 "kernel k(@few: buffer u32 write) workgroup 32 {\n"
	 "%%i = GlobalId.x\n%%j = Min.u32 %%i, %s\nStoreGlobal.u32 @few, %%j, 1 //1\n}\n",
	 "60", "1000\n%j = Mov.u32 %i\n%in = Lt.u32 %j, 60\n%in = Not.bool %in\nif %in { Return }", 2},
	{"atomic on a buffer", "CK0001", {"atomic on @few[64]", "by invocation 0 "},
	 "kernel k(@few: buffer u32 readwrite) workgroup 32 {\nAtomicAdd.u32 @few, %s, 1 //1\n}\n",
	 "64", "59", 1},
	{"an index below 0", "CK0001", {"load of @few[4294967295]", "by invocation 0 "},
	 "kernel k(@few: buffer u32 read, @out: buffer u32 write) workgroup 32 {\n"
	 "%%i = GlobalId.x\n%%j = Sub.u32 %%i, 1\n%s\n%%v = LoadGlobal.u32 @few, %%j //1\n"
	 "StoreGlobal.u32 @out, %%i, %%v\n}\n",
	 "", "%first = Eq.u32 %i, 0\n%j = Select.u32 %first, 0, %j", 1},
	{"a u64 index", "CK0001", {"load of @few[4294967297]"},
	 "kernel k(@few: buffer f64 read, @out: buffer f64 write) workgroup 1 {\n"
	 "%%j = LoadConstant.u64 %s\n%%v = LoadGlobal.f64 @few, %%j //1\nStoreGlobal.f64 @out, 0, %%v\n}\n",
	 "4294967297", "29", 1},
	{"a shared array", "CK0001", {"store to @tile[64], which has 64 elements, by invocation 64 (local 64 of workgroup 0)"},
	 "kernel k(@out: buffer u32 write) workgroup 80 {\nshared @tile: u32[%s]\n"
	 "%%t = LocalId.x\nStoreShared.u32 @tile, %%t, %%t //1\n}\n",
	 "64", "80", 1},
	{"a private array", "CK0001", {"load of @own[4], which has 4 elements"},
	 "kernel k(@out: buffer u32 write) workgroup 8 {\nlocal @own: u32[4]\n"
	 "for %%k.u32 = 0, 4 { StoreLocal.u32 @own, %%k, %%k }\n"
	 "%%t = LocalId.x\n%%j = And.u32 %%t, %s\n%%v = LoadLocal.u32 @own, %%j //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n",
	 "7", "3", 1},
	{"a constant array", "CK0001", {"load of @lut[3], which has 3 elements"},
	 "const @lut: u32[3] = { 1, 2, 3 }\nkernel k(@out: buffer u32 write) workgroup 8 {\n"
	 "%%t = LocalId.x\n%%j = Min.u32 %%t, %s\n%%v = LoadConst.u32 @lut, %%j //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n",
	 "3", "2", 1},
	{"three dimensions", "CK0001", {"load of @few[64]", "invocation (4,3,3) (local (0,3,3) of workgroup (1,0,0))"},
	 "kernel k(@few: buffer u32 read, @out: buffer u32 write) workgroup 4 4 4 {\n"
	 "%%x = LocalId.x\n%%y = LocalId.y\n%%z = LocalId.z\n%%g = GroupId.x\n%%n = LocalIndex\n%%h = Mul.u32 %%g, 64\n"
	 "%%q = Add.u32 %%n, %%h\n%%a = Eq.u32 %%q, 124\n%%i = Select.u32 %%a, %s, 0\n"
	 "%%v = LoadGlobal.u32 @few, %%i //1\nStoreGlobal.u32 @out, %%q, %%v\n}\n",
	 "64", "59", 2},

	/* --- Nothing stored ------------------------------------------------------ */
	{"a shared array", "CK0002", {"load of @tile[32], where nothing was stored before, by invocation 0 (local 0"},
	 "kernel k(@out: buffer u32 write) workgroup 32 {\nshared @tile: u32[64]\n"
	 "%%t = LocalId.x\nStoreShared.u32 @tile, %%t, %%t\nBarrierSync\n%%j = Add.u32 %%t, %s\n"
	 "%%v = LoadShared.u32 @tile, %%j //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n",
	 "32", "0", 1},
	{"a shared array, of the workgroup before", "CK0002", {"load of @tile[0]", "of workgroup 1)"},
	 "kernel k(@out: buffer u32 write) workgroup 32 {\nshared @tile: u32[64]\n"
	 "%%t = LocalId.x\n%%g = GroupId.x\n%%i = GlobalId.x\n%%q = Lt.u32 %%g, %s\n"
	 "if %%q { StoreShared.u32 @tile, %%t, %%t }\n"
	 "%%v = LoadShared.u32 @tile, %%t //1\nStoreGlobal.u32 @out, %%i, %%v\n}\n",
	 "1", "2", 2},
	{"an atomic on a shared array", "CK0002", {"atomic on @sum[0]"},
	 "kernel k(@out: buffer u32 readwrite) workgroup 32 {\nshared @sum: u32[1]\n"
	 "%%t = LocalId.x\n%%first = Eq.u32 %%t, %s\nif %%first { StoreShared.u32 @sum, 0, 0 }\nBarrierSync\n"
	 "AtomicAdd.u32 @sum, 0, 1 //1\nBarrierSync\n%%v = LoadShared.u32 @sum, 0\n"
	 "if %%first { StoreGlobal.u32 @out, 0, %%v }\n}\n",
	 "99", "0", 1},
	{"a private array", "CK0002", {"load of @own[3]", "by invocation 0 "},
	 "kernel k(@out: buffer u32 write) workgroup 300 {\nlocal @own: u32[4]\n"
	 "for %%k.u32 = 0, %s { StoreLocal.u32 @own, %%k, %%k }\n"
	 "%%t = LocalId.x\n%%v = LoadLocal.u32 @own, 3 //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n",
	 "3", "4", 1},
	{"a private array, of one lane", "CK0002", {"load of @own[299]", "by invocation 299 "},
	 "kernel k(@out: buffer u32 write) workgroup 300 {\nlocal @own: u32[300]\n"
	 "%%t = LocalId.x\n%%q = Lt.u32 %%t, %s\nif %%q { StoreLocal.u32 @own, %%t, %%t }\n"
	 "%%v = LoadLocal.u32 @own, %%t //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n",
	 "299", "300", 1},
	{"a buffer without input", "CK0002", {"load of @made[5]", "by invocation 5 "},
	 "kernel k(@made: buffer u32 readwrite) workgroup 32 {\n"
	 "%%i = GlobalId.x\n%%q = Lt.u32 %%i, %s\nif %%q { StoreGlobal.u32 @made, %%i, 7 }\n"
	 "%%v = LoadGlobal.u32 @made, %%i //1\n%%v = Add.u32 %%v, 1\nStoreGlobal.u32 @made, %%i, %%v\n}\n",
	 "5", "32", 1},
	{"a buffer of f64 without input", "CK0002", {"load of @made[31]"},
	 "kernel k(@made: buffer f64 readwrite) workgroup 32 {\n"
	 "%%i = GlobalId.x\n%%q = Lt.u32 %%i, %s\nif %%q { StoreGlobal.f64 @made, %%i, 7 }\n"
	 "%%v = LoadGlobal.f64 @made, %%i //1\n%%v = Add.f64 %%v, 1\nStoreGlobal.f64 @made, %%i, %%v\n}\n",
	 "31", "32", 1},

	/* --- Races in a workgroup ------------------------------------------------ */
	{"load behind store, no barrier", "CK0003",
	 {"race on @tile[1]", "load by invocation 0 (local 0 of workgroup 0), store by invocation 1 (local 1 of workgroup 0)"},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\nshared @tile: u32[65]\n"
	 "%%t = LocalId.x\n%%last = Eq.u32 %%t, 0\nif %%last { StoreShared.u32 @tile, 64, 0 }\n"
	 "StoreShared.u32 @tile, %%t, %%t //2\n%s\n%%j = Add.u32 %%t, 1\n%%j = And.u32 %%j, 63\n"
	 "%%v = LoadShared.u32 @tile, %%j //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n",
	 "", "BarrierSync", 1},
	{"store behind load, no barrier", "CK0003", {"race on @tile[0]", "store by invocation 0 ", "load by invocation 63 "},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\nshared @tile: u32[64]\n"
	 "%%t = LocalId.x\nStoreShared.u32 @tile, %%t, %%t\nBarrierSync\n%%j = Add.u32 %%t, 1\n%%j = And.u32 %%j, 63\n"
	 "%%v = LoadShared.u32 @tile, %%j //2\n%s\nStoreShared.u32 @tile, %%t, %%v //1\n}\n",
	 "", "BarrierSync", 1},
	{"store behind loads of two, one of them the own", "CK0003", {"race on @tile[0]", "store by invocation 0 ", "load by invocation 63 "},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\nshared @tile: u32[64]\n"
	 "%%t = LocalId.x\nStoreShared.u32 @tile, %%t, %%t\nBarrierSync\n%%j = Add.u32 %%t, 1\n%%j = And.u32 %%j, 63\n"
	 "%%v = LoadShared.u32 @tile, %%j //2\n%%w = LoadShared.u32 @tile, %%t\n%s\n%%v = Add.u32 %%v, %%w\n"
	 "StoreShared.u32 @tile, %%t, %%v //1\n}\n",
	 "", "BarrierSync", 1},
	{"two stores to one place, of one value", "CK0003", {"race on @tile[0]", "store by invocation 1 ", "store by invocation 0 "},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\nshared @tile: u32[64]\n"
	 "%%t = LocalId.x\n%%j = And.u32 %%t, %s\nStoreShared.u32 @tile, %%j, 7 //1 //2\n}\n",
	 "62", "63", 1},
	{"all store to one place", "CK0003", {"race on @out[0]", "store by invocation 1 ", "store by invocation 0 "},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\n"
	 "%%t = LocalId.x\n%%first = Lt.u32 %%t, %s\nif %%first { StoreGlobal.u32 @out, 0, 7 } //1 //2\n}\n",
	 "64", "1", 1},
	{"a plain load of what is counted", "CK0003", {"race on @sum[0]", "load by invocation 0 ", "atomic by invocation"},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\nshared @sum: u32[1]\n"
	 "%%t = LocalId.x\n%%first = Eq.u32 %%t, 0\nif %%first { StoreShared.u32 @sum, 0, 0 }\nBarrierSync\n"
	 "AtomicAdd.u32 @sum, 0, 1 //2\n%s\n%%v = LoadShared.u32 @sum, 0 //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n",
	 "", "BarrierSync", 1},
	{"a plain store to what is counted", "CK0003", {"race on @out[0]", "atomic by invocation", "store by invocation 0 "},
	 "kernel k(@out: buffer u32 readwrite) workgroup 64 {\n"
	 "%%t = LocalId.x\n%%first = Eq.u32 %%t, 0\nif %%first { StoreGlobal.u32 @out, 0, 0 } //2\n%s\n"
	 "AtomicAdd.u32 @out, 0, 1 //1\n}\n",
	 "", "BarrierSync", 1},
	{"a tree whose rounds have no barrier", "CK0003", {"race on @tile[16]", "load by invocation 0 ", "store by invocation 16 "},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\nshared @tile: u32[64]\n"
	 "%%t = LocalId.x\nStoreShared.u32 @tile, %%t, %%t\nBarrierSync\n%%s = LoadConstant.u32 32\nloop {\n"
	 "%%done = Eq.u32 %%s, 0\nbreak_if %%done\n%%adds = Lt.u32 %%t, %%s\nif %%adds {\n%%j = Add.u32 %%t, %%s\n"
	 "%%a = LoadShared.u32 @tile, %%t\n%%b = LoadShared.u32 @tile, %%j //1\n%%a = Add.u32 %%a, %%b\n"
	 "StoreShared.u32 @tile, %%t, %%a //2\n}\n%s\n%%s = Shr.u32 %%s, 1\n}\n"
	 "%%f = Eq.u32 %%t, 0\nif %%f {\n%%v = LoadShared.u32 @tile, 0\nStoreGlobal.u32 @out, 0, %%v\n}\n}\n",
	 "", "BarrierSync", 1},
	{"invocations of two tiles", "CK0003", {"race on @tile[0]", "load by invocation 256 ", "store by invocation 0 "},
	 "kernel k(@out: buffer u32 write) workgroup 512 {\nshared @tile: u32[512]\n"
	 "%%t = LocalId.x\nStoreShared.u32 @tile, %%t, %%t //2\n%s\n%%q = Ge.u32 %%t, 256\nif %%q {\n"
	 "%%j = Sub.u32 %%t, 256\n%%v = LoadShared.u32 @tile, %%j //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n}\n",
	 "", "BarrierSync", 1},
	{"a buffer between invocations of a workgroup", "CK0003", {"race on @out[1]", "load by invocation 0 "},
	 "kernel k(@out: buffer u32 readwrite, @to: buffer u32 write) workgroup 64 {\n"
	 "%%t = LocalId.x\nStoreGlobal.u32 @out, %%t, %%t //2\n%s\n%%j = Xor.u32 %%t, 1\n"
	 "%%v = LoadGlobal.u32 @out, %%j //1\nStoreGlobal.u32 @to, %%t, %%v\n}\n",
	 "", "BarrierSync", 1},

	/* --- Races between workgroups -------------------------------------------- */
	{"two workgroups store to one place", "CK0004",
	 {"race on @out[0]", "store by invocation 64 (local 0 of workgroup 1), store by invocation 0 (local 0 of workgroup 0)"},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\n"
	 "%%i = %s\nStoreGlobal.u32 @out, %%i, 7 //1 //2\n}\n",
	 "LocalId.x", "GlobalId.x", 2},
	{"a barrier does not order workgroups", "CK0004", {"race on @out[0]", "load by invocation 64 ", "store by invocation 0 "},
	 "kernel k(@out: buffer u32 readwrite, @to: buffer u32 write) workgroup 64 {\n"
	 "%%i = GlobalId.x\n%%j = Xor.u32 %%i, %s\n%%v = LoadGlobal.u32 @out, %%j //1\nBarrierSync\n"
	 "StoreGlobal.u32 @out, %%i, %%v //2\n}\n",
	 "64", "1", 2},
	{"a plain load of what other workgroups count", "CK0004", {"race on @sum[0]", "atomic by invocation 64", "load by invocation"},
	 "kernel k(@sum: buffer u32 readwrite, @out: buffer u32 write) workgroup 64 {\n"
	 "%%i = GlobalId.x\nAtomicAdd.u32 @sum, 0, 1 //1\nBarrierSync\n%s\n",
	 "%v = LoadGlobal.u32 @sum, 0 //2\nStoreGlobal.u32 @out, %i, %v\n}", "%v = AtomicAdd.u32 @sum, 0, 0\nStoreGlobal.u32 @out, %i, %v\n}", 2},
	{"an atomic for the workgroup alone", "CK0004", {"race on @sum[0]", "atomic for the workgroup alone by invocation 64 "},
	 "kernel k(@sum: buffer u32 readwrite) workgroup 64 {\nAtomicAdd.u32%s @sum, 0, 1 //1 //2\n}\n",
	 ".workgroup", ".device", 2},
	{"the last workgroup without fences", "CK0004", {"race on @part[0]", "load by invocation 64 ", "store by invocation 0 "},
	 "kernel k(@part: buffer u32 readwrite, @done: buffer u32 readwrite, @out: buffer u32 write) workgroup 64 {\n"
	 "%%g = GroupId.x\n%%t = LocalId.x\n%%f = Eq.u32 %%t, 0\nif %%f {\nStoreGlobal.u32 @part, %%g, 1 //2\n%s\n"
	 "%%n = AtomicAdd.u32 @done, 0, 1\n%%last = Eq.u32 %%n, 1\nif %%last {\n%s\n%%v = LoadGlobal.u32 @part, 0 //1\n"
	 "StoreGlobal.u32 @out, 0, %%v\n}\n}\n}\n",
	 "", "Fence.device", 2},

	/* --- Meeting ------------------------------------------------------------- */
	{"a barrier in a condition", "CK0005",
	 {"reached by invocation 0 (local 0 of workgroup 0), and not by invocation 32 (local 32", "it has taken another way"},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\n"
	 "%%t = LocalId.x\n%%q = Lt.u32 %%t, %s\nif %%q {\nBarrierSync //1\n}\n}\n",
	 "32", "64", 1},
	{"a barrier behind a Return", "CK0005", {"and not by invocation 40 ", "it has returned"},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\n"
	 "%%t = LocalId.x\n%%q = Ge.u32 %%t, %s\nif %%q { Return }\nBarrierSync //1\n}\n",
	 "40", "64", 1},
	{"a tile that has ended", "CK0005", {"reached by invocation 0 ", "and not by invocation 256 ", "it has returned"},
	 "kernel k(@out: buffer u32 write) workgroup 512 {\n"
	 "%%t = LocalId.x\n%%q = Ge.u32 %%t, %s\nif %%q { Return }\nBarrierSync //1\n}\n",
	 "256", "512", 1},
	{"two barriers", "CK0005", {"reached by invocation 0 ", "and not by invocation 256 ", "it waits at another barrier"},
	 "kernel k(@out: buffer u32 write) workgroup 512 {\n"
	 "%%t = LocalId.x\n%%q = Lt.u32 %%t, %s\nif %%q {\nBarrierSync //1\n} else {\nBarrierSync //2\n}\n}\n",
	 "256", "512", 1},
	{"two rounds of a loop", "CK0005", {"and not by invocation 256 ", "it is in another round of a loop"},
	 "kernel k(@out: buffer u32 write) workgroup 512 {\n"
	 "%%t = LocalId.x\n%%h = Shr.u32 %%t, 8\nfor %%k.u32 = 0, 2 {\n%%q = Eq.u32 %%k, %s\nif %%q {\nBarrierSync //1\n}\n}\n}\n",
	 "%h", "1", 1},
	{"a loop of different length", "CK0005", {"and not by invocation 63 ", "it has taken another way"},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\n"
	 "%%t = LocalId.x\n%%last = Eq.u32 %%t, 63\n%%n = Select.u32 %%last, %s, 4\nfor %%k.u32 = 0, %%n {\nBarrierSync //1\n}\n}\n",
	 "3", "4", 1},
	{"a shuffle in a condition", "CK0006", {"reached by invocation 32 ", "and not by invocation 40 ", "of its subgroup"},
	 "kernel k(@out: buffer u32 write) workgroup 64 {\n"
	 "%%t = LocalId.x\n%%q = Lt.u32 %%t, %s\nif %%q {\n%%v = ShflSyncBfly.u32 %%t, 1 //1\nStoreGlobal.u32 @out, %%t, %%v\n}\n}\n",
	 "40", "32", 1},
};

/* --- What is told ---------------------------------------------------------- */

struct report {
	char code[8], message[512], all[16384];
	uint32_t line, note_line;
	int errors, notes;
};

static void hear(void *user, const struct glacier_diagnostic *d)
{
	struct report *report = user;
	size_t used = strlen(report->all);

	if (d->severity == GLACIER_WARNING)
		return;
	snprintf(report->all + used, sizeof report->all - used, "%u:%u %s\n", d->location.line, d->location.column,
		 d->message);
	if (d->severity == GLACIER_NOTE) {
		report->notes++;
		if (report->errors == 1 && d->location.kind == GLACIER_LOCATION_TEXT)
			report->note_line = d->location.line;
		return;
	}
	if (report->errors++)
		return;
	snprintf(report->code, sizeof report->code, "%s", d->code);
	snprintf(report->message, sizeof report->message, "%s", d->message);
	report->line = d->location.line;
}

static uint32_t line_of(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	uint32_t line = 1;

	for (const char *c = text; at && c < at; c++)
		line += *c == '\n';
	return at ? line : 0;
}

/* --- Running one ----------------------------------------------------------- */

static struct glacier_device *open_checked(uint32_t threads)
{
	const struct glacier_device_options options = {.threads = threads, .check = true};
	struct glacier_device *device;

	OK(glacier_device_open(GLACIER_DEVICE_CPU, 0, &options, &device, quiet()));
	return device;
}

static struct glacier_array *argument_array(struct glacier_device *device, const char *name)
{
	struct glacier_array *array = create(device, (!strcmp(name, "few") ? FEW : ELEMS) * 4);

	if (strcmp(name, "made"))
		host(array, true);
	return array;
}

static void launch_text(struct glacier_device *device, const char *text, uint32_t groups,
			enum glacier_optimize optimize, struct report *report)
{
	struct glacier_diag diag = {.report = hear, .user = report};
	const struct glacier_write_options options = {.optimize = optimize};
	struct glacier_module *module = read_module(text);
	struct glacier_argument arguments[8] = {0};
	struct glacier_pipeline *pipeline;
	size_t count;

	OK(glacier_pipeline_get(device, module, NULL, &options, &pipeline, quiet()));
	glacier_module_destroy(module);
	count = glacier_pipeline_parameter_count(pipeline);
	CHECK(count <= COUNT(arguments));
	for (size_t i = 0; i < count; i++) {
		struct glacier_parameter parameter;

		CHECK(glacier_pipeline_parameter(pipeline, i, &parameter));
		arguments[i].name = parameter.name;
		arguments[i].bits = 1;
		if (parameter.is_buffer)
			arguments[i].array = argument_array(device, parameter.name);
	}
	OK(glacier_launch(pipeline, arguments, count, (const uint32_t[3]){groups, 1, 1}, quiet()));
	CHECK(glacier_device_wait(device, 0, NULL, &diag) == GLACIER_OK);
}

static void fill_in(const struct planted *row, const char *with, char *text, size_t bytes)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	/* The last workgroup needs its fence twice. */
	CHECK((size_t)snprintf(text, bytes, row->text, with, with) < bytes);
#pragma GCC diagnostic pop
}

static void try_row(const struct planted *row, enum glacier_optimize optimize, uint32_t threads, char *first,
		    size_t first_bytes)
{
	struct glacier_device *device = open_checked(threads);
	struct report bad = {0}, good = {0};
	char text[2048];

	fill_in(row, row->bad, text, sizeof text);
	launch_text(device, text, row->groups, optimize, &bad);
	if (strcmp(bad.code, row->code))
		FAIL("%s: %s: told is [%s] '%s'", row->code, row->name, bad.code, bad.message);
	for (size_t i = 0; i < COUNT(row->words) && row->words[i]; i++)
		if (!strstr(bad.message, row->words[i]))
			FAIL("%s: %s: '%s' has no '%s'", row->code, row->name, bad.message, row->words[i]);
	if (bad.line != line_of(text, "//1") || bad.note_line != line_of(text, "//2"))
		FAIL("%s: %s: lines %u and %u, not %u and %u", row->code, row->name, bad.line, bad.note_line,
		     line_of(text, "//1"), line_of(text, "//2"));
	CHECK(counts_of(device).findings);
	if (!first[0])
		snprintf(first, first_bytes, "%s", bad.all);
	if (strcmp(first, bad.all))
		FAIL("%s: %s: %u threads tell\n%s, not\n%s", row->code, row->name, threads, bad.all, first);

	glacier_device_close(device);
	device = open_checked(threads);
	fill_in(row, row->good, text, sizeof text);
	launch_text(device, text, row->groups, optimize, &good);
	if (good.errors || counts_of(device).findings)
		FAIL("%s: %s: the twin is accused: [%s] '%s'", row->code, row->name, good.code, good.message);
	glacier_device_close(device);
}

static void tells_planted_faults(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		for (int optimize = 0; optimize < 2; optimize++) {
			static char first[16384];

			first[0] = '\0';
			for (uint32_t threads = 1; threads <= 3; threads += 2)
				try_row(&rows[i], optimize ? GLACIER_OPTIMIZE_SAFE : GLACIER_OPTIMIZE_NONE, threads,
					first, sizeof first);
		}
}

/* --- Around it ------------------------------------------------------------- */

/* Each line once, so many lines, and how many are left. */
static void bounds_its_reports(void)
{
	struct glacier_device *device = open_checked(1);
	struct report report = {0};
	char text[8192] = "kernel k(@few: buffer u32 write) workgroup 64 {\n";

	for (int i = 0; i < MOST_TOLD + 4; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "StoreGlobal.u32 @few, %d, 1\n", 100 + i);
	strcat(text, "}\n");
	launch_text(device, text, 1, GLACIER_OPTIMIZE_SAFE, &report);
	if (report.errors != MOST_TOLD || !strstr(report.all, "64 times in all\n") ||
	    !strstr(report.all, "256 more on other lines"))
		FAIL("%d errors:\n%s", report.errors, report.all);
	CHECK(counts_of(device).findings == (MOST_TOLD + 4) * 64);
	/* What was told is not told again. */
	CHECK(glacier_device_wait(device, 0, NULL, quiet()) == GLACIER_OK && !last_code[0]);
	glacier_device_close(device);
}

/* What one launch stores, the next may load; what the host fills, too. */
static void remembers_across_launches(void)
{
	static const char store[] = "kernel s(@a: buffer u32 write) workgroup 64 {\n"
				    "%i = GlobalId.x\nStoreGlobal.u32 @a, %i, %i\n}\n";
	static const char load[] = "kernel l(@a: buffer u32 read, @b: buffer u32 write) workgroup 64 {\n"
				   "%i = GlobalId.x\n%v = LoadGlobal.u32 @a, %i\nStoreGlobal.u32 @b, %i, %v\n}\n";
	struct glacier_device *device = open_checked(2);
	struct glacier_pipeline *s = pipeline_of(device, store), *l = pipeline_of(device, load);
	struct glacier_array *a = create(device, 512), *b = create(device, 512), *c = create(device, 512);

	LAUNCH(s, 1, {.name = "a", .array = a, .bytes = 256});
	LAUNCH(l, 1, {.name = "a", .array = a}, {.name = "b", .array = b});
	CHECK(glacier_device_wait(device, 0, NULL, quiet()) == GLACIER_OK && !last_code[0]);
	/* The second half of it, which nobody stored to. */
	LAUNCH(l, 1, {.name = "a", .array = a, .offset_bytes = 256}, {.name = "b", .array = b});
	CHECK(glacier_device_wait(device, 0, NULL, quiet()) == GLACIER_OK && !strcmp(last_code, "CK0002"));
	CHECK(counts_of(device).findings == 64);
	host(c, true);
	LAUNCH(l, 2, {.name = "a", .array = c}, {.name = "b", .array = b});
	CHECK(glacier_device_wait(device, 0, NULL, quiet()) == GLACIER_OK && !last_code[0]);
	glacier_device_close(device);
}

/* Barriers past the epochs that 16 bits count. */
static void counts_many_barriers(void)
{
	static const char text[] =
		"kernel k(@out: buffer u32 write) workgroup 2 {\nshared @a: u32[2]\n%t = LocalId.x\n%j = Xor.u32 %t, 1\n"
		"StoreShared.u32 @a, %t, 0\nBarrierSync\n"
		"for %k.u32 = 0, 70000 {\n%v = LoadShared.u32 @a, %j\nBarrierSync\nStoreShared.u32 @a, %t, %v\nBarrierSync\n}\n}\n";
	struct glacier_device *device = open_checked(1);
	struct report report = {0};

	launch_text(device, text, 3, GLACIER_OPTIMIZE_SAFE, &report);
	if (report.errors)
		FAIL("many barriers: %s", report.message);
	glacier_device_close(device);
}

static void refuses_what_it_cannot_watch(void)
{
	static const char text[] = "kernel k(@out: buffer u32 readwrite) workgroup 1024 {\nAtomicAdd.u32 @out, 0, 1\n}\n";
	const struct glacier_device_options options = {.check = true};
	struct glacier_device *device = open_checked(1), *other;
	struct glacier_pipeline *pipeline = pipeline_of(device, text);
	struct glacier_array *array = create(device, 64), *huge;
	const struct glacier_argument argument = {.name = "out", .array = array};
	struct glacier_argument all = {.name = "out"};
	struct glacier_module *module;
	static unsigned char byte[64];
	char *long_text = malloc(4 << 20), *at = long_text;

	REFUSED(glacier_launch(pipeline, &argument, 1, (const uint32_t[3]){1 << 22, 1, 1}, quiet()), "CK0007",
		"4194304 x 1 x 1 workgroups of 1024 invocations");
	REFUSED(glacier_device_open(GLACIER_DEVICE_VULKAN, 0, &options, &other, quiet()), "DV0027", "vulkan:0");

	/* No process has the addresses that its records would take. */
	OK(glacier_array_free(device, array));
	OK(glacier_array_wrap(device, byte, UINT64_C(1) << 46, false, &huge, quiet()));
	all.array = huge;
	REFUSED(glacier_launch(pipeline, &all, 1, (const uint32_t[3]){1, 1, 1}, quiet()), "CK0009", "kernel k");
	OK(glacier_array_free(device, huge));

	CHECK(long_text);
	at += sprintf(at, "kernel k(@out: buffer u32 write) workgroup 1 {\n");
	for (int i = 0; i < 65535; i++)
		at += sprintf(at, "StoreGlobal.u32 @out, 0, 1\n");
	sprintf(at, "}\n");
	module = read_module(long_text);
	REFUSED(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()), "CK0008", "65535 statements");
	glacier_module_destroy(module);
	free(long_text);
	glacier_device_close(device);
}

/* A code that the table has, and no test raises. */
static void knows_every_code(void)
{
	static const char elsewhere[][8] = {"CK0007", "CK0008", "CK0009"};
	struct glacier_code_info info;

	for (size_t i = 0; glacier_code_at(i, &info); i++) {
		bool found = false;

		if (strncmp(info.code, "CK", 2))
			continue;
		for (size_t j = 0; j < COUNT(rows); j++)
			found = found || !strcmp(rows[j].code, info.code);
		for (size_t j = 0; j < COUNT(elsewhere); j++)
			found = found || !strcmp(elsewhere[j], info.code);
		if (!found)
			FAIL("%s has no test that raises it", info.code);
	}
}

int main(void)
{
	tells_planted_faults();
	bounds_its_reports();
	remembers_across_launches();
	counts_many_barriers();
	refuses_what_it_cannot_watch();
	knows_every_code();
	printf("%zu faults and their twins\n", COUNT(rows));
	return 0;
}
