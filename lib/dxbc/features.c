/* SPDX-License-Identifier: MIT */
/* SFI0: the features that a program needs; and HASH. Sources: DxilConstants.h, ShaderFeatureInfo; DxilContainer.h. */
#include "dxbc/codec.h"

#define BIT(n) (1u << (n))
#define HIGH(n) (0x80000000u | (n))   /* bits above 31, by number */

const struct codec_name glc_dxbc_features[] = {
	{BIT(0), "Doubles"},
	{BIT(1), "ComputeShadersPlusRawAndStructuredBuffersViaShader4X"},
	{BIT(2), "UAVsAtEveryStage"},
	{BIT(3), "64UAVs"},
	{BIT(4), "MinimumPrecision"},
	{BIT(5), "11_1_DoubleExtensions"},
	{BIT(6), "11_1_ShaderExtensions"},
	{BIT(7), "LEVEL9ComparisonFiltering"},
	{BIT(8), "TiledResources"},
	{BIT(9), "StencilRef"},
	{BIT(10), "InnerCoverage"},
	{BIT(11), "TypedUAVLoadAdditionalFormats"},
	{BIT(12), "ROVs"},
	{BIT(13), "ViewportAndRTArrayIndexFromAnyShaderFeedingRasterizer"},
	{BIT(14), "WaveOps"},
	{BIT(15), "Int64Ops"},
	{BIT(16), "ViewID"},
	{BIT(17), "Barycentrics"},
	{BIT(18), "NativeLowPrecision"},
	{BIT(19), "ShadingRate"},
	{BIT(20), "Raytracing_Tier_1_1"},
	{BIT(21), "SamplerFeedback"},
	{BIT(22), "AtomicInt64OnTypedResource"},
	{BIT(23), "AtomicInt64OnGroupShared"},
	{BIT(24), "DerivativesInMeshAndAmpShaders"},
	{BIT(25), "ResourceDescriptorHeapIndexing"},
	{BIT(26), "SamplerDescriptorHeapIndexing"},
	{BIT(28), "AtomicInt64OnHeapResource"},
	{BIT(29), "AdvancedTextureOps"},
	{BIT(30), "WriteableMSAATextures"},
	{BIT(31), "SampleCmpGradientOrBias"},
	{HIGH(32), "ExtendedCommandInfo"},
	{0, NULL},
};

void codec_features(struct codec *c)
{
	codec_flags(c, 0, 8, "features", glc_dxbc_features);
}

void codec_hash(struct codec *c)
{
	codec_flags(c, 0, 4, "flags", CODEC_NAMES({1, "IncludesSource"}));
	codec_hex(c, 4, 16, "digest");
}
