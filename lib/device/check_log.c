/* SPDX-License-Identifier: MIT */
/* What was found: one entry for each kind and pair of lines, told with places and names. */
#include "device/check.h"

#include <stdio.h>
#include <string.h>

#define NAME(thing) (int)(thing)->name.bytes, (thing)->name.at

/* --- Keeping --------------------------------------------------------------- */

/* What has no lines, as a kernel in JSON, is told apart by its statements. */
static bool same_line(const struct glc_check_site *a, const struct glc_check_site *b)
{
	const struct glacier_location *x = &a->location, *y = &b->location;

	if (a == b)
		return true;
	if (x->kind != GLACIER_LOCATION_TEXT || y->kind != GLACIER_LOCATION_TEXT || x->line != y->line)
		return false;
	return x->source == y->source || (x->source && y->source && !strcmp(x->source, y->source));
}

static bool has_other_site(const struct glc_finding *f)
{
	return f->kind == GLC_FOUND_RACE || f->kind == GLC_FOUND_RACE_OF_GROUPS || f->whereabouts == GLC_WAITS;
}

/* A race is the same whichever of its accesses came first. */
static bool same(const struct glc_check_site *sites, const struct glc_finding *a, const struct glc_finding *b)
{
	if (a->kind != b->kind || has_other_site(a) != has_other_site(b))
		return false;
	if (!has_other_site(a))
		return same_line(&sites[a->site], &sites[b->site]);
	return (same_line(&sites[a->site], &sites[b->site]) &&
		same_line(&sites[a->other_site], &sites[b->other_site])) ||
	       (same_line(&sites[a->site], &sites[b->other_site]) &&
		same_line(&sites[a->other_site], &sites[b->site]));
}

void glc_check_note(struct glc_check_log *log, const struct glacier_pipeline *pipeline, const uint32_t groups[3],
		    const struct glc_finding *finding)
{
	log->all++;
	for (uint32_t i = 0; i < log->count; i++)
		if (log->at[i].pipeline == pipeline && same(pipeline->sites, &log->at[i].first, finding)) {
			log->at[i].count++;
			return;
		}
	if (log->count == GLC_MOST_FINDINGS) {
		log->untold++;
		return;
	}
	log->at[log->count].first = *finding;
	log->at[log->count].pipeline = pipeline;
	log->at[log->count].count = 1;
	memcpy(log->at[log->count++].groups, groups, sizeof log->at->groups);
}

/* --- Spelling -------------------------------------------------------------- */

enum { ID_BYTES = 40, WHO_BYTES = 3 * ID_BYTES + 40 };

/* "7", or "(1,2,0)" where there is more than one dimension. */
static void spell_id(const uint32_t id[3], bool flat, char text[ID_BYTES])
{
	if (flat)
		snprintf(text, ID_BYTES, "%u", id[0]);
	else
		snprintf(text, ID_BYTES, "(%u,%u,%u)", id[0], id[1], id[2]);
}

/* "invocation 70 (local 6 of workgroup 1)" */
static void spell_who(const struct glacier_pipeline *pipeline, const uint32_t groups[3], uint32_t who,
		      char text[WHO_BYTES])
{
	uint32_t lanes = 1, local[3], group[3], global[3], in_group, of_group;
	bool flat = groups[1] == 1 && groups[2] == 1;
	char spelled[3][ID_BYTES];
	uint32_t size[3];

	for (int i = 0; i < 3; i++) {
		size[i] = pipeline->ir->kernels[0].workgroup[i].value;
		lanes *= size[i];
		flat = flat && (!i || size[i] == 1);
	}
	in_group = who % lanes;
	of_group = who / lanes;
	for (int i = 0; i < 3; i++) {
		local[i] = in_group % size[i];
		in_group /= size[i];
		group[i] = of_group % groups[i];
		of_group /= groups[i];
		global[i] = group[i] * size[i] + local[i];
	}
	spell_id(global, flat, spelled[0]);
	spell_id(local, flat, spelled[1]);
	spell_id(group, flat, spelled[2]);
	snprintf(text, WHO_BYTES, "invocation %s (local %s of workgroup %s)", spelled[0], spelled[1], spelled[2]);
}

static const char *access_name(const struct glc_check_site *site)
{
	static const char names[GLC_ACCESS_CLASS_COUNT][12] = {
		[GLC_ACCESS_LOAD] = "load",
		[GLC_ACCESS_STORE] = "store",
		[GLC_ACCESS_ATOMIC] = "atomic",
	};

	return site->in_workgroup ? "atomic for the workgroup alone" : names[site->klass];
}

/* In front of the object: "load of", "store to". */
static const char *access_phrase(const struct glc_check_site *site)
{
	static const char phrases[GLC_ACCESS_CLASS_COUNT][12] = {
		[GLC_ACCESS_LOAD] = "load of",
		[GLC_ACCESS_STORE] = "store to",
		[GLC_ACCESS_ATOMIC] = "atomic on",
	};

	return phrases[site->klass];
}

static const char *whereabouts(const struct glc_finding *f)
{
	static const char texts[][40] = {
		[GLC_WENT_ELSEWHERE] = "it has taken another way",
		[GLC_RETURNED] = "it has returned",
		[GLC_WAITS] = "it waits at another barrier",
		[GLC_IN_ANOTHER_ROUND] = "it is in another round of a loop",
	};

	return texts[f->whereabouts];
}

/* --- Telling --------------------------------------------------------------- */

/* A position is the number of a site: places were looked up when the pipeline was built. */
static void locate(const struct glc_source_map *map, uint32_t position, struct glacier_location *location)
{
	const struct glacier_pipeline *pipeline = map->context;

	*location = pipeline->sites[position].location;
}

static void tell_error(const struct glacier_pipeline *pipeline, const uint32_t groups[3], const struct glc_finding *f,
		       struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	const struct glc_check_site *site = &pipeline->sites[f->site], *other = &pipeline->sites[f->other_site];
	const struct glc_object *object =
		site->klass == GLC_ACCESS_NONE ? NULL : &kernel->objects[site->object];
	char who[WHO_BYTES], by[WHO_BYTES];

	spell_who(pipeline, groups, f->who, who);
	spell_who(pipeline, groups, f->other, by);
	switch ((enum glc_finding_kind)f->kind) {
	case GLC_FOUND_OUT_OF_BOUNDS:
		glc_fail(diag, GLC_CK_OUT_OF_BOUNDS, f->site, NAME(kernel), access_phrase(site), NAME(object),
			 (unsigned long long)f->index, (unsigned long long)f->length, who);
		return;
	case GLC_FOUND_UNSTORED:
		glc_fail(diag, GLC_CK_UNSTORED, f->site, NAME(kernel), access_phrase(site), NAME(object),
			 (unsigned long long)f->index, who);
		return;
	case GLC_FOUND_RACE:
		glc_fail(diag, GLC_CK_RACE, f->site, NAME(kernel), NAME(object), (unsigned long long)f->index,
			 access_name(site), who, access_name(other), by);
		return;
	case GLC_FOUND_RACE_OF_GROUPS:
		glc_fail(diag, GLC_CK_RACE_OF_GROUPS, f->site, NAME(kernel), NAME(object),
			 (unsigned long long)f->index, access_name(site), who, access_name(other), by);
		return;
	case GLC_FOUND_BARRIER:
		glc_fail(diag, GLC_CK_BARRIER, f->site, NAME(kernel), who, by, whereabouts(f));
		return;
	case GLC_FOUND_SHUFFLE:
		glc_fail(diag, GLC_CK_SHUFFLE, f->site, NAME(kernel), who, by, whereabouts(f));
		return;
	}
}

void glc_check_tell(struct glc_check_log *log, struct glacier_diag *diag)
{
	const struct glc_source_map *before;

	if (!diag)
		return;
	before = diag->map;
	for (uint32_t i = 0; i < log->count; i++) {
		const struct glacier_pipeline *pipeline = log->at[i].pipeline;
		const struct glc_finding *finding = &log->at[i].first;
		struct glc_source_map map = {.locate = locate, .context = (void *)(uintptr_t)pipeline};

		diag->map = &map;
		tell_error(pipeline, log->at[i].groups, finding, diag);
		if (has_other_site(finding))
			glc_note(diag, finding->other_site, "the other one is here");
		if (log->at[i].count > 1)
			glc_note(diag, GLC_NOWHERE, "%llu times in all",
				 (unsigned long long)log->at[i].count);
		if (i + 1 == log->count && log->untold)
			glc_note(diag, GLC_NOWHERE, "%llu more on other lines are not told",
				 (unsigned long long)log->untold);
	}
	diag->map = before;
	*log = (struct glc_check_log){0};
}
