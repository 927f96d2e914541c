#!/bin/sh
# SPDX-License-Identifier: MIT
# A list of calls that fails is made as short as can be: the planted fault needs an allocation, a trim and a smaller
# allocation, whatever the thousands around them. The list is printed, fails again by itself, and holds without the fault.
. "${top_srcdir:-.}/tests/lib.sh"

oracle=$PWD/tests/arena/oracle
cd "$scratch" || exit 99
for seed in 1 2; do
	"$oracle" --plant 1 $seed >list 2>messages && fail "seed $seed: the fault is not found"
	calls=$(sed 1d list | cut -c1 | tr -d '\n')
	[ "$calls" = ata ] || fail "seed $seed: $calls instead of ata"
	grep -q 'units of' messages || fail "seed $seed: what fails is not said"
	"$oracle" --plant --replay list 2>/dev/null && fail "seed $seed: the list does not fail again"
	"$oracle" --replay list || fail "seed $seed: the list fails without the fault"
done
finish
