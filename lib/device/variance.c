/* SPDX-License-Identifier: MIT */
/* Which instructions of a lowered kernel may give other bits elsewhere. glacier-kernel(7), ONE ANSWER. */
#include "device/device.h"

static void on_vulkan(struct glacier_variance *variance, const struct glacier_target *target,
		      const struct glc_inst *inst)
{
	switch (inst->op) {
	case GLC_OP_Fma:
		/* A device that rounds f32 twice has +soft-fma, and no Fma is left there. */
		variance->unbounded |= inst->type == GLC_F64 || (target->features & GLACIER_FEATURE_SOFT_FMA);
		variance->bounded = true;
		break;
	case GLC_OP_Min:
	case GLC_OP_Max:
		variance->zeros = true;
		variance->bounded = true;
		break;
	case GLC_OP_Div:
	case GLC_OP_Sqrt:
	case GLC_OP_Add:
	case GLC_OP_Sub:
	case GLC_OP_Mul:
		variance->bounded = true;
		break;
	default:
		break;
	}
}

bool glc_adds_floats(const struct glc_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->inst_count; i++)
		if (kernel->insts[i].op == GLC_OP_AtomicAdd && glc_is_float((enum glc_type)kernel->insts[i].type))
			return true;
	return false;
}

void glacier_pipeline_variance(const struct glacier_pipeline *pipeline, struct glacier_variance *variance)
{
	const struct glacier_target *target = &pipeline->device->info.target;
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];

	*variance = (struct glacier_variance){.unbounded = pipeline->adds_floats || pipeline->prebuilt};
	for (uint32_t i = 0; i < kernel->inst_count; i++) {
		const struct glc_inst *inst = &kernel->insts[i];

		if (!glc_is_float((enum glc_type)inst->type))
			continue;
		variance->unbounded |= (inst->mods & GLC_MOD_APPROX) != 0;
		if (target->kind == GLACIER_TARGET_SPIRV)
			on_vulkan(variance, target, inst);
	}
}
