# SPDX-License-Identifier: MIT
# The shipped examples on the processor, by the same program as on Vulkan.
. "${top_srcdir:-.}/tests/lib.sh"

"$top_builddir/tests/device/examples" cpu || fail "the exit status is $?"
finish
