# SPDX-License-Identifier: MIT
# The real libFuzzer on each target for 20 s, built by clang in a folder of its own with
# AddressSanitizer and UndefinedBehaviorSanitizer. Its corpus starts from ours.
. "${top_srcdir:-.}/tests/lib.sh"

need clang
: "${GLACIER_FUZZ_SECONDS:=20}"
echo 'int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) { (void)data; return size != size; }' >"$scratch/probe.c"
clang -fsanitize=fuzzer,address "$scratch/probe.c" -o "$scratch/probe" 2>/dev/null || skip "clang has no libFuzzer"
need_source

build=$top_builddir/tests/fuzz/build
mkdir -p "$build" && cd "$build" || exit 99
[ -f Makefile ] || "$top_srcdir/configure" CC=clang CFLAGS='-g -O1' --enable-fuzzers --without-criterion --without-mpi \
	--enable-sanitizers=address,undefined >configure.out 2>&1 || { tail -n 5 configure.out; fail "configure"; finish; }
make -j2 fuzzers >make.out 2>&1 || { tail -n 20 make.out; fail "make fuzzers"; finish; }

count=0
for program in tests/fuzz/fuzz_*; do
	[ -x "$program" ] && [ -f "$program" ] || continue
	name=$(basename "$program")
	corpus=$scratch/$name
	mkdir "$corpus"
	"$program" -max_total_time="$GLACIER_FUZZ_SECONDS" -timeout=10 -max_len=8192 -print_final_stats=1 \
		-artifact_prefix="$top_builddir/tests/fuzz/$name-" \
		"$corpus" "$top_srcdir/tests/fuzz/corpus/${name#fuzz_}" "$top_srcdir/examples" >"$scratch/out" 2>&1 ||
		{ fail "$name exits $?"; tail -n 60 "$scratch/out"; }
	echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/out") runs, $(ls "$corpus" | wc -l) new inputs"
	count=$((count + 1))
done
[ $count -gt 0 ] || fail "no fuzzer was built"
finish "$count fuzzers"
