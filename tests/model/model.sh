#!/bin/sh
# SPDX-License-Identifier: MIT
# The small protocols of the arenas, every interleaving of them: each model holds, and the same with
# one barrier less does not. Atomics that are weaker than sequentially consistent are not modelled.
. "${top_srcdir:-.}/tests/lib.sh"

need spin
: "${CC:=cc}"
folder=$(cd "$top_srcdir/tests/model" && pwd)
cd "$scratch" || exit 99

# check MODEL FLAG...: errors that the search of all states finds; nothing when it was not complete.
check()
{
	spin -a "$@" >spin.out 2>&1 || { cat spin.out; return 1; }
	$CC -O1 -w -o pan pan.c 2>cc.out || { tail -n 5 cc.out; return 1; }
	./pan -m200000 >pan.out 2>&1
	grep -q 'max search depth too small' pan.out && { echo "the search was cut short"; return 1; }
	sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.out
}

for model in gone hand inside returns ring slots word; do
	errors=$(check "$folder/$model.pml")
	[ "$errors" = 0 ] || fail "$model: ${errors:-no result}"
	echo "$model: $(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.out) states, no error"
	errors=$(check -DFAULT "$folder/$model.pml")
	case $errors in
	''|0|*[!0-9]*) fail "$model with its fault: ${errors:-no result}, and an error was expected" ;;
	esac
done
finish
