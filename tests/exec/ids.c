/* SPDX-License-Identifier: MIT */
/* Who an invocation is: ids in three dimensions, subgroups, and what the butterfly brings. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Ids ------------------------------------------------------------------ */

static const char *const id_names[] = {
	"GlobalId", "GlobalId.x", "GlobalId.y", "GlobalId.z", "LocalId", "LocalId.x", "LocalId.y", "LocalId.z",
	"GroupId", "GroupId.x", "GroupId.y", "GroupId.z", "WorkgroupSize", "WorkgroupSize.x", "WorkgroupSize.y",
	"WorkgroupSize.z", "GroupCount", "GroupCount.x", "GroupCount.y", "GroupCount.z", "GlobalSize", "GlobalSize.x",
	"GlobalSize.y", "GlobalSize.z", "LocalIndex",
};
enum { IDS = sizeof id_names / sizeof id_names[0] };

/* The same from the place in the launch: dimension of the name's end, .x without one. */
static uint32_t expected_id(unsigned which, const uint32_t size[3], const uint32_t groups[3], const uint32_t local[3],
			    const uint32_t group[3])
{
	unsigned d = which % 4 ? which % 4 - 1 : 0;

	switch (which / 4) {
	case 0: return group[d] * size[d] + local[d];
	case 1: return local[d];
	case 2: return group[d];
	case 3: return size[d];
	case 4: return groups[d];
	case 5: return groups[d] * size[d];
	default: return local[0] + size[0] * (local[1] + size[1] * local[2]);
	}
}

static void check_ids(struct kernels *kernels, const char *text, bool optimize, const uint32_t size[3],
		      const uint32_t groups[3], const uint32_t *out)
{
	uint32_t width = size[0] * groups[0], height = size[1] * groups[1], depth = size[2] * groups[2];

	for (uint32_t at = 0; at < width * height * depth; at++) {
		uint32_t x = at % width, y = at / width % height, z = at / width / height;
		uint32_t local[3] = {x % size[0], y % size[1], z % size[2]};
		uint32_t group[3] = {x / size[0], y / size[1], z / size[2]};

		for (unsigned i = 0; i < IDS; i++) {
			uint32_t want = expected_id(i, size, groups, local, group);

			if (out[at * IDS + i] == want)
				continue;
			kernels_fail(kernels, text, "%s at %u %u %u of workgroups of %u %u %u at -O%d: %u, not %u",
				     id_names[i], x, y, z, size[0], size[1], size[2], optimize, out[at * IDS + i], want);
			return;
		}
	}
}

static void try_ids(struct kernels *kernels, const uint32_t size[3], const uint32_t groups[3])
{
	uint32_t count = 1;
	struct script text = {0};
	struct exec_buffer buffer = {0};
	struct exec_run run = {.buffers = &buffer, .buffer_count = 1, .groups = {groups[0], groups[1], groups[2]}};

	for (int d = 0; d < 3; d++)
		count *= size[d] * groups[d];
	script_add(&text, "kernel k(@out: buffer u32 write) workgroup %u %u %u {\n"
		   "  %%x = GlobalId.x\n  %%y = GlobalId.y\n  %%z = GlobalId.z\n"
		   "  %%at = Mul.u32 %%z, %u\n  %%at = Add.u32 %%at, %%y\n  %%at = Mul.u32 %%at, %u\n"
		   "  %%at = Add.u32 %%at, %%x\n  %%at = Mul.u32 %%at, %d\n",
		   size[0], size[1], size[2], size[1] * groups[1], size[0] * groups[0], IDS);
	for (unsigned i = 0; i < IDS; i++)
		script_add(&text, "  %%v = %s\n  StoreGlobal.u32 @out, %%at, %%v\n  %%at = Add.u32 %%at, 1\n", id_names[i]);
	script_add(&text, "}\n");
	buffer.bytes = (size_t)count * IDS * 4;
	buffer.data = calloc(1, buffer.bytes);
	for (int optimize = 0; optimize < 2 && buffer.data; optimize++) {
		memset(buffer.data, 0xa5, buffer.bytes);
		if (kernels_run(kernels, text.at, optimize, &run))
			check_ids(kernels, text.at, optimize, size, groups, buffer.data);
	}
	free(buffer.data);
	free(text.at);
}

/* --- Subgroups ------------------------------------------------------------ */

/* In one dimension lanes follow the local index; the last subgroup may be partly there. */
static void try_subgroups(struct kernels *kernels, uint32_t workgroup, uint32_t size)
{
	uint32_t out[3 * 256];
	struct exec_buffer buffer = {0, 0, out, sizeof out};
	struct exec_run run = {.buffers = &buffer, .buffer_count = 1, .groups = {1, 1, 1}};
	struct script text = {0};

	script_add(&text, "kernel k(@out: buffer u32 write) workgroup %u {\n  %%i = LocalId\n  %%at = Mul.u32 %%i, 3\n"
		   "  %%v = SubgroupSize\n  StoreGlobal.u32 @out, %%at, %%v\n  %%at = Add.u32 %%at, 1\n"
		   "  %%v = SubgroupId\n  StoreGlobal.u32 @out, %%at, %%v\n  %%at = Add.u32 %%at, 1\n"
		   "  %%v = LaneId\n  StoreGlobal.u32 @out, %%at, %%v\n}\n", workgroup);
	for (int optimize = 0; optimize < 2; optimize++) {
		if (!kernels_run(kernels, text.at, optimize, &run))
			continue;
		for (uint32_t i = 0; i < workgroup; i++)
			if (out[3 * i] != size || out[3 * i + 1] != i / size || out[3 * i + 2] != i % size) {
				kernels_fail(kernels, text.at, "invocation %u of %u, subgroups of %u: size %u, id %u, lane %u",
					     i, workgroup, size, out[3 * i], out[3 * i + 1], out[3 * i + 2]);
				break;
			}
	}
	free(text.at);
}

/* Which lanes take part: all, the odd ones, those with bit 1 set, or those below 5. */
enum { ALL, ODD, PAIRS, FEW, ACTIVE_COUNT };

static bool is_active(int which, uint32_t i)
{
	return which == ALL || (which == ODD ? i & 1 : which == PAIRS ? i & 2 : i < 5);
}

static const char *const active_texts[ACTIVE_COUNT] = {
	"  %c = Mov.bool true\n", "  %b = And.u32 %i, 1\n  %c = Ne.u32 %b, 0\n",
	"  %b = And.u32 %i, 2\n  %c = Ne.u32 %b, 0\n", "  %c = Lt.u32 %i, 5\n",
};

static uint64_t brought(uint32_t i, uint32_t mask, uint32_t workgroup, uint32_t size, int which)
{
	uint32_t lane = i % size, other = lane ^ mask, from = i - lane + other;

	if (!is_active(which, i))
		return 0;
	return other < size && from < workgroup && is_active(which, from) ? from : i;
}

/* A value that tells its lane, in each type: as u64, its two halves differ. */
static uint64_t value_of(const char *type, uint64_t i)
{
	uint64_t bits = 0;
	double d = (double)i + 0.25;
	float f = (float)d;

	if (!strcmp(type, "f64"))
		memcpy(&bits, &d, 8);
	else if (!strcmp(type, "f32"))
		memcpy(&bits, &f, 4);
	else
		bits = strchr(type, '6') ? i * 0x100000003 + 1 : i * 3 + 1;
	return bits;
}

static void try_shuffle(struct kernels *kernels, const char *type, uint32_t workgroup, uint32_t size, int which,
			bool literal)
{
	enum { MOST_MASKS = 72 };
	uint32_t masks = size <= 32 ? 2 * size + 4 : MOST_MASKS, huge = UINT32_MAX;
	size_t bytes = strchr(type, '6') ? 8 : 4, total = masks * workgroup;
	unsigned char *in = calloc(workgroup, 8), *out = calloc(total, 8);
	struct exec_buffer buffers[] = {{0, 0, in, workgroup * bytes}, {0, 1, out, total * bytes}};
	struct exec_run run = {.buffers = buffers, .buffer_count = 2, .groups = {1, 1, 1}};
	struct script text = {0};

	script_add(&text, "kernel k(@in: buffer %s read, @out: buffer %s write) workgroup %u {\n  %%i = LocalId\n"
		   "  %%v = LoadGlobal.%s @in, %%i\n%s  if %%c {\n    %%at = Mov.u32 %%i\n", type, type, workgroup, type,
		   active_texts[which]);
	/* The last mask is far outside. */
	if (literal)
		for (uint32_t m = 0; m < masks; m++)
			script_add(&text, "    %%w = ShflSyncBfly.%s %%v, %u\n    StoreGlobal.%s @out, %%at, %%w\n"
				   "    %%at = Add.u32 %%at, %u\n", type, m == masks - 1 ? huge : m, type, workgroup);
	else
		script_add(&text, "    for %%m.u32 = 0, %u {\n      %%l = Eq.u32 %%m, %u\n      %%k = Select.u32 %%l, %u, %%m\n"
			   "      %%w = ShflSyncBfly.%s %%v, %%k\n      StoreGlobal.%s @out, %%at, %%w\n"
			   "      %%at = Add.u32 %%at, %u\n    }\n", masks, masks - 1, huge, type, type, workgroup);
	script_add(&text, "  }\n}\n");
	for (uint32_t i = 0; i < workgroup; i++) {
		uint64_t bits = value_of(type, i);

		memcpy(in + i * bytes, &bits, bytes);
	}
	for (int optimize = 0; optimize < 2; optimize++) {
		unsigned wrong = 0;

		memset(out, 0, total * bytes);
		if (!kernels_run(kernels, text.at, optimize, &run))
			continue;
		for (uint32_t k = 0; k < total && !wrong; k++) {
			uint32_t i = k % workgroup, mask = k / workgroup == masks - 1 ? huge : k / workgroup;
			uint64_t want = is_active(which, i) ? value_of(type, brought(i, mask, workgroup, size, which)) : 0;
			uint64_t got = 0;

			memcpy(&got, out + k * bytes, bytes);
			if (got == want)
				continue;
			wrong++;
			kernels_fail(kernels, text.at, "ShflSyncBfly.%s, mask %u, lane %u of %u, subgroups of %u: %#llx, not %#llx",
				     type, mask, i, workgroup, size, (unsigned long long)got, (unsigned long long)want);
		}
	}
	free(in);
	free(out);
	free(text.at);
}

int main(void)
{
	static const uint32_t shapes[][2][3] = {
		{{4, 3, 2}, {3, 2, 2}}, {{1, 1, 1}, {2, 3, 4}}, {{32, 1, 1}, {3, 1, 1}}, {{1, 8, 1}, {1, 2, 3}},
		{{2, 2, 16}, {1, 1, 2}},
	};
	static const char types[][4] = {"u32", "i32", "f32", "u64", "i64", "f64"};
	struct kernels kernels;
	uint32_t size;

	kernels_open(&kernels);
	kernels.older = true;
	if (!kernels.runs) {
		printf("SKIP: %s\n", kernels.why);
		return 77;
	}
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		try_ids(&kernels, shapes[i][0], shapes[i][1]);
	size = kernels_subgroup_size(&kernels);
	try_subgroups(&kernels, 64, size);
	try_subgroups(&kernels, 32 + size / 2, size);
	for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
		for (int which = 0; which < ACTIVE_COUNT; which++) {
			bool literal = (t + (size_t)which) % 2;

			/*
			 * PTX's member mask is the lanes that exist, so that all of them must arrive:
			 * what a lane brings that did not is undefined there.
			 */
			if (which != ALL && !strncmp(kernels.target, "ptx", 3))
				continue;
			try_shuffle(&kernels, types[t], 64, size, which, literal);
			/* The last subgroup has half of its lanes. */
			try_shuffle(&kernels, types[t], size + size / 2, size, which, !literal);
		}
	printf("subgroups of %u\n", size);
	return kernels_finish(&kernels);
}
