# SPDX-License-Identifier: MIT
# A kernel that computes bounds beside its values still computes these: random kernels, and every
# shape of control flow.
. "${top_srcdir:-.}/tests/lib.sh"

export GLACIER_EXEC_TARGET=cpu GLACIER_EXEC_BOUNDED=1
"$top_builddir/tests/exec/semantics" || fail "semantics: exit status $?"
if [ -x "$top_builddir/tests/exec/random_kernels" ]; then   # built with Vulkan headers only
	"$top_builddir/tests/exec/random_kernels" 7000 100 || fail "random kernels: exit status $?"
fi
finish
