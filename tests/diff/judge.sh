# SPDX-License-Identifier: MIT
# The judges themselves: each must accept a right module and refuse a wrong one, or its
# verdict on our output means nothing. Inputs are written by hand.
. "${top_srcdir:-.}/tests/lib.sh"

need spirv-as spirv-val
data=$top_srcdir/tests/diff/data
cd "$scratch" || exit 99
spirv-as --target-env vulkan1.3 "$top_srcdir/tests/exec/data/vector_add.spvasm" -o good.spv || fail "spirv-as"
spirv-as --target-env vulkan1.3 "$data/bad-type.spvasm" -o bad.spv || fail "spirv-as"

spirv-val --target-env vulkan1.3 good.spv || fail "spirv-val refuses a right module"
spirv-val --target-env vulkan1.3 bad.spv 2>/dev/null && fail "spirv-val accepts a wrong module"

validate=$top_builddir/tests/diff/validate
if [ -x "$validate" ]; then
	"$validate" vulkan1.3 good.spv || fail "libSPIRV-Tools refuses a right module"
	"$validate" vulkan1.3 good.spv bad.spv good.spv >got && fail "libSPIRV-Tools accepts a wrong module"
	[ "$(grep -c '^[a-z]*\.spv: ' got)" -eq 1 ] && grep -q '^bad.spv: ' got || fail "not exactly bad.spv is refused: $(cat got)"
	head -c 100 good.spv >cut.spv
	"$validate" vulkan1.3 cut.spv >got && fail "libSPIRV-Tools accepts a cut module"
else
	echo "not tried: libSPIRV-Tools is not here"
fi

if command -v ptxas >/dev/null 2>&1; then
	ptxas -arch=sm_80 -o good.cubin "$data/good.ptx" || fail "ptxas refuses a right module"
	ptxas -arch=sm_80 -o bad.cubin "$data/bad-register.ptx" 2>/dev/null && fail "ptxas accepts a wrong module"
else
	echo "not tried: ptxas is not here"
fi
finish
