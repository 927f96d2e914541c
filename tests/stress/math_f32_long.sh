#!/bin/sh
# SPDX-License-Identifier: MIT
# Every 67th input of each transcendental, and millions of pairs. math_f32 --full looks at all.
. "$top_srcdir/tests/lib.sh"

[ -z "$SANITIZERS" ] || skip "takes very long under a sanitizer; the plain build runs it"
exec "$top_builddir/tests/stress/math_f32" --long
