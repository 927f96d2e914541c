# SPDX-License-Identifier: MIT
# 2,000 random kernels; make check tries the first 50.
. "${top_srcdir:-.}/tests/lib.sh"

program=$top_builddir/tests/exec/random_kernels
[ -x "$program" ] || skip "random_kernels is not built: no Vulkan headers"
"$program" 0 2000
exit $?
