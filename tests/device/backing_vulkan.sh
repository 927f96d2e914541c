# SPDX-License-Identifier: MIT
# Arenas over memory of a Vulkan device, by the same program as over the processor's.
. "${top_srcdir:-.}/tests/lib.sh"

"$top_builddir/tests/device/backing" vulkan >"$scratch/out" 2>&1
code=$?
[ $code -ne 77 ] || skip "$(sed 's/^SKIP: //' "$scratch/out")"
[ $code -eq 0 ] || fail "the exit status is $code: $(cat "$scratch/out")"
finish
