#!/bin/sh
# SPDX-License-Identifier: MIT
# The containers of examples/ are what their generator makes, and each command of the manual works on them.
. "${top_srcdir:-.}/tests/lib.sh"

mkdir "$scratch/made"
"$top_builddir/tests/dxbc/make-examples" "$scratch/made" || fail "make-examples: exit $?"
for file in "$scratch"/made/*; do
	cmp "$file" "$top_srcdir/examples/$(basename "$file")" || fail "$(basename "$file") is another one: run make-examples"
done
finish
