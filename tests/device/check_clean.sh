# SPDX-License-Identifier: MIT
# Checking accuses nothing that is right: every example, and 500 random kernels.
. "${top_srcdir:-.}/tests/lib.sh"

"$top_builddir/tests/device/examples" cpu check || fail "an example is accused: exit status $?"
if [ -x "$top_builddir/tests/exec/random_kernels" ]; then   # built with Vulkan headers only
	GLACIER_EXEC_TARGET=cpu GLACIER_EXEC_CHECK=1 "$top_builddir/tests/exec/random_kernels" 5000 500 ||
		fail "a random kernel is accused: exit status $?"
fi
finish
