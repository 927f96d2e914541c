/* SPDX-License-Identifier: MIT */
#include "spirv/opcode.h"

enum {
	TYPE = OP_TYPE | OP_NAMES_ANYTHING,
	DEBUG = OP_DEBUG | OP_NAMES_ANYTHING,
	ANNOTATION = OP_ANNOTATION | OP_NAMES_ANYTHING,
};

const uint8_t spv_near_traits[SPV_NEAR] = {
	[OpSourceContinued ... OpLine] = DEBUG,
	[OpCapability] = OP_GATED,
	[OpExtension] = OP_GATED,
	[OpTypeVoid ... OpTypeRuntimeArray] = TYPE,
	[OpTypeStruct] = TYPE | OP_GATED,
	[OpTypeOpaque ... OpTypePipe] = TYPE,
	[OpFunction] = OP_NAMES_ANYTHING,
	[OpImageTexelPointer ... OpInBoundsPtrAccessChain] = OP_PLAIN,
	[OpDecorate ... OpMemberDecorate] = ANNOTATION,
	[OpGroupDecorate ... OpGroupMemberDecorate] = ANNOTATION,
	[OpVectorExtractDynamic ... OpTranspose] = OP_PLAIN,
	[OpImageSampleImplicitLod ... OpImageQuerySamples] = OP_PLAIN,
	[OpConvertFToU ... OpFwidthCoarse] = OP_PLAIN,
	[OpEmitVertex ... OpMemoryBarrier] = OP_PLAIN,
	[OpAtomicLoad ... OpAtomicXor] = OP_PLAIN,
	[OpBranch ... OpBranchConditional] = OP_BRANCH | OP_TERMINATOR,
	[OpSwitch] = OP_BRANCH | OP_TERMINATOR | OP_GATED,
	[OpKill ... OpUnreachable] = OP_TERMINATOR,
	[OpImageSparseSampleImplicitLod ... OpImageSparseTexelsResident] = OP_PLAIN,
	[OpNoLine] = DEBUG,
	[OpImageSparseRead] = OP_PLAIN,
	[OpTypePipeStorage] = TYPE,
	[OpTypeNamedBarrier] = TYPE,
	[OpModuleProcessed] = DEBUG,
	[OpDecorateId] = ANNOTATION,
	[OpGroupNonUniformElect ... OpGroupNonUniformQuadSwap] = OP_PLAIN,
	[OpCopyLogical ... OpPtrDiff] = OP_PLAIN,
};

uint8_t spv_far_traits(uint32_t op)
{
	switch (op) {
	case OpTerminateInvocation: case OpIgnoreIntersectionKHR: case OpTerminateRayKHR: case OpEmitMeshTasksEXT:
		return OP_TERMINATOR;
	case OpTypeAccelerationStructureKHR: case OpTypeCooperativeMatrixNV: case OpTypeRayQueryKHR: case OpTypeHitObjectNV:
		return TYPE;
	case OpCooperativeMatrixLengthNV:
		return OP_NAMES_ANYTHING;
	case OpDecorateString: case OpMemberDecorateString:
		return ANNOTATION;
	default:
		return 0;
	}
}
