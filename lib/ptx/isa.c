/* SPDX-License-Identifier: MIT */
/*
 * What PTX reserves, and which version of the ISA brought what.
 * Source: PTX ISA, "Release Notes", ".target", "Identifiers", and each instruction's "PTX ISA Notes".
 */
#include "ptx/emit.h"

#include "ir/target.h"

/* The version written when nobody asks for one. */
enum { DEFAULT_ISA = 80 };

static const struct {
	char name[36];
	uint16_t isa, arch;
} features[FEATURE_COUNT] = {
	[FEATURE_SHFL] = {"shfl.sync", 60, 30},
	[FEATURE_FENCE] = {"fence.acq_rel", 60, 70},
	[FEATURE_ATOM] = {"atom.relaxed", 60, 70},
	[FEATURE_RED] = {"red.relaxed", 60, 70},
	[FEATURE_TANH] = {"tanh.approx.f32", 70, 75},
	[FEATURE_PARAMS] = {"a parameter list above 4352 bytes", 81, 70},
};

enum { PARAM_BYTES = 32764 };

void glc_ptx_require(struct emitter *e, enum feature feature, uint32_t pos)
{
	if (e->status != GLACIER_OK)
		return;
	if (e->isa < features[feature].isa)
		e->status = glc_fail(e->diag, GLC_GA_PTX_VERSION, pos, features[feature].name,
				     features[feature].isa / 10u, features[feature].isa % 10u,
				     e->isa / 10u, e->isa % 10u);
	else if (e->arch < features[feature].arch)
		e->status = glc_fail(e->diag, GLC_GA_PTX_ARCH, pos, features[feature].name,
				     (unsigned)features[feature].arch, (unsigned)e->arch);
}

enum glacier_status glc_ptx_choose_isa(struct emitter *e, uint64_t param_bytes, uint32_t pos)
{
	const struct glacier_target *target = e->input->target;
	uint32_t arch_isa;
	char arch[16] = "sm_";

	e->arch = target->arch;
	e->isa = (uint16_t)(target->major * 10 + target->minor);
	if (target->version_given) {
		arch_isa = glc_ptx_isa_of(target->arch);
		*glc_decimal((unsigned char *)arch + 3, target->arch) = '\0';
		if (e->isa < arch_isa)
			return glc_fail(e->diag, GLC_GA_PTX_VERSION, GLC_NOWHERE, arch, arch_isa / 10u,
					arch_isa % 10u, e->isa / 10u, e->isa % 10u);
	} else {
		/* Parsing the name of the target set it: the architecture's, or the default if that is later. */
		if (e->isa < DEFAULT_ISA) {
			arch_isa = glc_ptx_isa_of(target->arch);
			e->isa = (uint16_t)(arch_isa > DEFAULT_ISA ? arch_isa : DEFAULT_ISA);
		}
		if (param_bytes > GLC_PTX_SMALL_PARAM_BYTES && e->isa < features[FEATURE_PARAMS].isa)
			e->isa = features[FEATURE_PARAMS].isa;
	}
	if (param_bytes > PARAM_BYTES)
		return glc_fail(e->diag, GLC_GA_PTX_PARAMS, pos, (size_t)param_bytes, (unsigned)PARAM_BYTES);
	if (param_bytes > GLC_PTX_SMALL_PARAM_BYTES)
		glc_ptx_require(e, FEATURE_PARAMS, pos);
	return e->status;
}

/* Each between blanks. "Reserved Instruction Keywords", and the one predefined name without a %. */
static const char keywords[] =
	" abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev "
	"brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div "
	"dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix "
	"ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 "
	"multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt "
	"sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix "
	"sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff "
	"vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote "
	"vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor ";

enum { LONGEST_KEYWORD = 20 };

/* By first letter, a bit for each length that such a keyword has: most names are none, and need no search. */
#define LENGTH(n) (1u << (n))
static const uint32_t lengths['z' - 'a' + 1] = {
	['a' - 'a'] = LENGTH(3) | LENGTH(4) | LENGTH(6) | LENGTH(10) | LENGTH(13),
	['b' - 'a'] = LENGTH(3) | LENGTH(4) | LENGTH(5) | LENGTH(7),
	['c' - 'a'] = LENGTH(2) | LENGTH(3) | LENGTH(4) | LENGTH(8) | LENGTH(12) | LENGTH(20),
	['d' - 'a'] = LENGTH(3) | LENGTH(4) | LENGTH(7),
	['e' - 'a'] = LENGTH(3) | LENGTH(4) | LENGTH(5),
	['f' - 'a'] = LENGTH(3) | LENGTH(5),
	['g' - 'a'] = LENGTH(10) | LENGTH(14),
	['i' - 'a'] = LENGTH(7) | LENGTH(8),
	['l' - 'a'] = LENGTH(2) | LENGTH(3) | LENGTH(4) | LENGTH(8),
	['m' - 'a'] = LENGTH(3) | LENGTH(4) | LENGTH(5) | LENGTH(6) | LENGTH(8) | LENGTH(9),
	['n' - 'a'] = LENGTH(3) | LENGTH(9),
	['o' - 'a'] = LENGTH(2),
	['p' - 'a'] = LENGTH(4) | LENGTH(7) | LENGTH(8) | LENGTH(9),
	['r' - 'a'] = LENGTH(3) | LENGTH(5),
	['s' - 'a'] = LENGTH(2) | LENGTH(3) | LENGTH(4) | LENGTH(5) | LENGTH(8) | LENGTH(9) | LENGTH(10) | LENGTH(12),
	['t' - 'a'] = LENGTH(3) | LENGTH(4) | LENGTH(5) | LENGTH(7) | LENGTH(9),
	['v' - 'a'] = LENGTH(4) | LENGTH(5) | LENGTH(6) | LENGTH(8) | LENGTH(9),
	['w' - 'a'] = LENGTH(4) | LENGTH(5),
	['x' - 'a'] = LENGTH(3),
};

static bool is_reserved(const struct glc_name *name)
{
	char padded[LONGEST_KEYWORD + 3];

	if (name->bytes == 7 && !memcmp(name->at, "WARP_SZ", 7))
		return true;
	if (name->bytes > LONGEST_KEYWORD)
		return false;
	if (!name->bytes || name->at[0] < 'a' || name->at[0] > 'z' || !(lengths[name->at[0] - 'a'] >> name->bytes & 1))
		return false;
	for (uint32_t i = 0; i < name->bytes; i++)
		if (name->at[i] == '_' || (name->at[i] >= 'A' && name->at[i] <= 'Z'))
			return false;
	padded[0] = ' ';
	memcpy(padded + 1, name->at, name->bytes);
	padded[name->bytes + 1] = ' ';
	padded[name->bytes + 2] = '\0';
	return strstr(keywords, padded);
}

uint32_t glc_ptx_underscores(const struct glc_ir *ir, const struct glc_kernel *kernel)
{
	uint32_t underscores = 0;
	bool taken = is_reserved(&kernel->name);

	while (taken) {
		underscores++;
		taken = false;
		for (uint32_t i = 0; i < ir->kernel_count && !taken; i++) {
			const struct glc_name *name = &ir->kernels[i].name;
			uint32_t bytes = kernel->name.bytes;

			taken = name->bytes == bytes + underscores && !memcmp(name->at, kernel->name.at, bytes);
			for (uint32_t j = bytes; taken && j < name->bytes; j++)
				taken = name->at[j] == '_';
		}
	}
	return underscores;
}
