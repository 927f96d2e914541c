#!/bin/sh
# SPDX-License-Identifier: MIT
# All 2^32 inputs of each transcendental of one argument, and 10^8 pairs for pow.
. "$top_srcdir/tests/lib.sh"

[ -z "$SANITIZERS" ] || skip "takes hours under a sanitizer; the plain build runs it"
exec "$top_builddir/tests/stress/math_f32" --full
