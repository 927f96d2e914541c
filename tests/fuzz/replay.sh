# SPDX-License-Identifier: MIT
# Each fuzz target on its corpus and the examples, cut short and mutated, as a plain program.
. "${top_srcdir:-.}/tests/lib.sh"

cd "$scratch" || exit 99
how=${GLACIER_REPLAY:--n 20}
count=0
for program in "$top_builddir"/tests/fuzz/replay_*; do
	[ -x "$program" ] && [ -f "$program" ] || continue
	name=$(basename "$program")
	"$program" $how "$top_srcdir/tests/fuzz/corpus/${name#replay_}" "$top_srcdir/examples" || {
		fail "$name exits $?"
		cp replay-*.bin "$top_builddir/tests/fuzz/" 2>/dev/null
	}
	count=$((count + 1))
done
[ $count -gt 0 ] || skip "no fuzz target is built"
finish "$count targets"
