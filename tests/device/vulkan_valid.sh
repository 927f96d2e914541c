# SPDX-License-Identifier: MIT
# The validation layer watches the tests of the Vulkan device, and has nothing to say.
. "${top_srcdir:-.}/tests/lib.sh"

[ -z "$SANITIZERS" ] || skip "the layer is not made for sanitizers"
[ -x "$top_builddir/tests/device/vulkan_arrays" ] || skip "this build has no Vulkan device"

VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
export VK_INSTANCE_LAYERS VK_LAYER_ENABLES
VK_LOADER_DEBUG=layer "$top_builddir/tests/device/vulkan_arrays" 2>&1 | grep -q 'libVkLayer_khronos_validation' ||
	skip "the validation layer is not installed"

for program in vulkan_arrays vulkan_launches examples; do
	"$top_builddir/tests/device/$program" >"$scratch/out" 2>&1
	code=$?
	[ $code -ne 77 ] || skip "$(cat "$scratch/out")"
	[ $code -eq 0 ] || fail "$program ends with $code: $(tail -n 3 "$scratch/out")"
	grep -E 'VUID|SYNC-HAZARD|Validation Error' "$scratch/out" | head -n 3 >"$scratch/said"
	[ ! -s "$scratch/said" ] || fail "$program: $(cat "$scratch/said")"
done
finish
