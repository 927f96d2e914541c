/* SPDX-License-Identifier: MIT */
/*
 * Targets: what code is written for. A target is a name plus a feature set:
 * ptx[:sm_90[:8.0]], spirv[:1.6], each followed by +FEATURE for what the device has more.
 * Values; any thread.
 */
#ifndef GLACIER_TARGET_H
#define GLACIER_TARGET_H

#include <glacier/base.h>
#include <glacier/diagnostic.h>

GLACIER_BEGIN

enum glacier_target_kind {
	GLACIER_TARGET_PTX,
	GLACIER_TARGET_SPIRV,
	GLACIER_TARGET_KIND_COUNT
};

/* Feature bits; a target without any is the least that its name promises. */
#define GLACIER_FEATURE_SOFT_FMA         (UINT64_C(1) << 0)  /* spirv: f32 Fma from f64 parts, one rounding */
#define GLACIER_FEATURE_ATOMIC_FLOAT_ADD (UINT64_C(1) << 1)  /* spirv: SPV_EXT_shader_atomic_float_add */
#define GLACIER_FEATURE_SIGNED_ZERO_INF_NAN (UINT64_C(1) << 2)  /* spirv: SignedZeroInfNanPreserve */

struct glacier_target {
	enum glacier_target_kind kind;
	uint16_t arch;           /* ptx: 90 for sm_90; else 0 */
	uint8_t major, minor;    /* ptx: ISA version; spirv: SPIR-V version */
	bool version_given;      /* the name said it: then nothing raises it */
	uint64_t features;
};

/*
 * Read a target's name.
 *
 * name   "ptx:sm_90+..." as above; must outlive nothing.
 * out    written only when GLACIER_OK is returned.
 * diag   told what is wrong, without a place; NULL to stay silent.
 *
 * Returns GLACIER_OK, GLACIER_ERR_UNSUPPORTED (a name of the language that cannot be
 * written yet, such as dxil), or GLACIER_ERR_INVALID.                       Since: 0.1
 */
GLACIER_API enum glacier_status glacier_target_parse(const char *name, struct glacier_target *out,
						     struct glacier_diag *diag);

/* The name that glacier_target_parse reads back to the same target; cut to fit out. Since: 0.1 */
GLACIER_API void glacier_target_name(const struct glacier_target *target, char *out, size_t bytes);

/* "ptx", "spirv": the name of the kind alone. A static string. Since: 0.1 */
GLACIER_API const char *glacier_target_kind_name(enum glacier_target_kind kind);

/* "ptx", "spv": the file suffix without its dot. A static string. Since: 0.1 */
GLACIER_API const char *glacier_target_suffix(enum glacier_target_kind kind);

GLACIER_END

#endif
