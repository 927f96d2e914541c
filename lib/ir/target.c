/* SPDX-License-Identifier: MIT */
/* Names of targets and their feature sets. */
#include <glacier/target.h>

#include "ir/target.h"

#include "base/diag.h"

#include <stdio.h>
#include <string.h>

static const struct {
	char name[8], suffix[4];
} kinds[GLACIER_TARGET_KIND_COUNT] = {
	[GLACIER_TARGET_PTX] = {"ptx", "ptx"},
	[GLACIER_TARGET_SPIRV] = {"spirv", "spv"},
};

/* Known by name, and refused by name until they exist. */
static const char later[][8] = {"dxil", "msl", "hlsl", "glsl", "wgsl"};

static const struct {
	char name[20];
	uint8_t kind;
	uint64_t bit;
} features[] = {
	{"soft-fma", GLACIER_TARGET_SPIRV, GLACIER_FEATURE_SOFT_FMA},
	{"atomic-float-add", GLACIER_TARGET_SPIRV, GLACIER_FEATURE_ATOMIC_FLOAT_ADD},
	{"signed-zero-inf-nan", GLACIER_TARGET_SPIRV, GLACIER_FEATURE_SIGNED_ZERO_INF_NAN},
};

/* Source: PTX ISA, ".target" and "Release Notes". */
static const struct {
	uint8_t arch, isa;   /* isa: the first version that has it, times ten */
} archs[] = {
	{50, 40},  {52, 41},  {53, 42},  {60, 50},  {61, 50},  {62, 50},  {70, 60},  {72, 61},
	{75, 63},  {80, 70},  {86, 71},  {87, 74},  {88, 90},  {89, 78},  {90, 78},  {100, 86},
	{101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88},
};

enum { DEFAULT_PTX_ISA = 80, FIRST_PTX_ARCH = 70 };

uint32_t glc_ptx_isa_of(uint32_t arch)
{
	for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++)
		if (archs[i].arch == arch)
			return archs[i].isa;
	return 0;
}

static struct glc_name_part {
	const char *at;
	int bytes;
} next_part(const char **at)
{
	const char *start = *at;

	while (**at && **at != ':' && **at != '+')
		++*at;
	return (struct glc_name_part){start, (int)(*at - start)};
}

static bool is(struct glc_name_part part, const char *word)
{
	return (size_t)part.bytes == strlen(word) && !memcmp(part.at, word, (size_t)part.bytes);
}

/* "8.0" */
static bool read_version(struct glc_name_part part, struct glacier_target *target)
{
	if (part.bytes != 3 || part.at[1] != '.' || part.at[0] < '0' || part.at[0] > '9' ||
	    part.at[2] < '0' || part.at[2] > '9')
		return false;
	target->major = (uint8_t)(part.at[0] - '0');
	target->minor = (uint8_t)(part.at[2] - '0');
	target->version_given = true;
	return target->kind == GLACIER_TARGET_SPIRV
		       ? target->major == 1 && target->minor >= 3 && target->minor <= 6
		       : target->major >= 7;
}

static bool read_arch(struct glc_name_part part, struct glacier_target *target)
{
	uint32_t arch = 0, isa;

	if (part.bytes < 5 || part.bytes > 6 || memcmp(part.at, "sm_", 3))
		return false;
	for (int i = 3; i < part.bytes; i++) {
		if (part.at[i] < '0' || part.at[i] > '9')
			return false;
		arch = arch * 10 + (uint32_t)(part.at[i] - '0');
	}
	isa = glc_ptx_isa_of(arch);
	if (!isa || arch < FIRST_PTX_ARCH)
		return false;
	target->arch = (uint16_t)arch;
	/* 8.0 unless the architecture came later. */
	if (isa < DEFAULT_PTX_ISA)
		isa = DEFAULT_PTX_ISA;
	target->major = (uint8_t)(isa / 10);
	target->minor = (uint8_t)(isa % 10);
	return true;
}

static enum glacier_status read_feature(struct glc_name_part part, struct glacier_target *target,
					struct glacier_diag *diag)
{
	for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
		if (features[i].kind == target->kind && is(part, features[i].name)) {
			target->features |= features[i].bit;
			return GLACIER_OK;
		}
	return glc_fail(diag, GLC_GA_TARGET_FEATURE, GLC_NOWHERE, part.bytes, part.at);
}

static enum glacier_status read_kind(struct glc_name_part part, struct glacier_target *target,
				     struct glacier_diag *diag)
{
	for (int i = 0; i < GLACIER_TARGET_KIND_COUNT; i++)
		if (is(part, kinds[i].name)) {
			target->kind = (enum glacier_target_kind)i;
			return GLACIER_OK;
		}
	for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
		if (is(part, later[i]))
			return glc_fail(diag, GLC_GA_TARGET_LATER, GLC_NOWHERE, part.bytes, part.at);
	return glc_fail(diag, GLC_GA_UNKNOWN_TARGET, GLC_NOWHERE, part.bytes, part.at);
}

enum glacier_status glacier_target_parse(const char *name, struct glacier_target *out,
					 struct glacier_diag *diag)
{
	struct glacier_target target = {0};
	const char *at = name;
	enum glacier_status status = read_kind(next_part(&at), &target, diag);
	uint32_t place = 0;

	if (status != GLACIER_OK)
		return status;
	if (target.kind == GLACIER_TARGET_PTX) {
		target.arch = 80;
		target.major = 8;
	} else {
		target.major = 1;
		target.minor = 6;
		place = 1;   /* no architecture: the version comes first */
	}
	while (*at) {
		char separator = *at++;
		struct glc_name_part part = next_part(&at);

		if (separator == '+') {
			status = read_feature(part, &target, diag);
			if (status != GLACIER_OK)
				return status;
			place = 2;
		} else if (place == 0) {
			if (!read_arch(part, &target))
				return glc_fail(diag, GLC_GA_TARGET_ARCH, GLC_NOWHERE, part.bytes, part.at);
			place = 1;
		} else if (place == 1) {
			if (!read_version(part, &target))
				return glc_fail(diag, GLC_GA_TARGET_VERSION, GLC_NOWHERE, part.bytes,
						part.at);
			place = 2;
		} else {
			return glc_fail(diag, GLC_GA_UNKNOWN_TARGET, GLC_NOWHERE,
					(int)(part.at + part.bytes - name), name);
		}
	}
	*out = target;
	return GLACIER_OK;
}

void glacier_target_name(const struct glacier_target *target, char *out, size_t bytes)
{
	int n;

	if (target->kind == GLACIER_TARGET_PTX && target->version_given)
		n = snprintf(out, bytes, "ptx:sm_%u:%u.%u", target->arch, target->major, target->minor);
	else if (target->kind == GLACIER_TARGET_PTX)
		n = snprintf(out, bytes, "ptx:sm_%u", target->arch);
	else if (target->kind == GLACIER_TARGET_SPIRV)
		n = snprintf(out, bytes, "spirv:%u.%u", target->major, target->minor);
	else
		n = snprintf(out, bytes, "cpu");   /* no target of code, but of diagnostics */
	for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
		if (features[i].kind == target->kind && (target->features & features[i].bit) &&
		    n >= 0 && (size_t)n < bytes)
			n += snprintf(out + n, bytes - (size_t)n, "+%s", features[i].name);
}

const char *glacier_target_kind_name(enum glacier_target_kind kind)
{
	return kind < GLACIER_TARGET_KIND_COUNT ? kinds[kind].name : "?";
}

const char *glacier_target_suffix(enum glacier_target_kind kind)
{
	return kind < GLACIER_TARGET_KIND_COUNT ? kinds[kind].suffix : "?";
}
