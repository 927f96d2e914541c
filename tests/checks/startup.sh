# SPDX-License-Identifier: MIT
# Starting a program costs at most 100,000 instructions more than starting an empty one
# linked with cJSON and libm, measured in the same run: no pointer tables to relocate.
. "${top_srcdir:-.}/tests/lib.sh"

limit=${GLACIER_STARTUP_LIMIT:-100000}
[ -z "$SANITIZERS" ] || skip "sanitizers are on"
need valgrind
: "${CC:=cc}"
[ -n "$bin_programs" ] || skip "no program is built"
cd "$scratch" || exit 99

# instructions COMMAND...: how many it executes, dynamic loader included.
instructions()
{
	valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$@" >out 2>err ||
		{ echo "FAIL: $*: $(tail -n 3 err)" >&2; echo 0; return; }
	sed -n 's/.*Collected : \([0-9]*\).*/\1/p' err
}

echo 'int main(void) { return 0; }' >empty.c
# The linker would drop what an empty program does not use.
$CC -O2 -o empty empty.c -Wl,--no-as-needed $CJSON_LIBS -lm || fail "the empty program cannot be linked"
empty=$(instructions ./empty)
[ "$empty" -gt 0 ] || { fail "the empty program cannot be measured"; finish; }

LD_LIBRARY_PATH=$top_builddir/lib/.libs
export LD_LIBRARY_PATH
for program in $bin_programs; do
	binary=$top_builddir/$program
	real=$(dirname "$binary")/.libs/$(basename "$binary")
	[ -e "$real" ] && binary=$real
	count=$(instructions "$binary" --version)
	echo "$(basename "$program") --version: $count instructions, empty program: $empty, above it: $((count - empty))"
	[ "$count" -gt 0 ] || fail "$program cannot be measured"
	[ $((count - empty)) -le "$limit" ] || fail "$program: $((count - empty)) above the empty program, $limit allowed"
done
finish
