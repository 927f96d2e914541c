# SPDX-License-Identifier: MIT
# A test that cannot fail proves nothing. Each harness gets a fault planted in a copy of
# what it looks at: it must pass without the fault and fail with it. One line each.
. "${top_srcdir:-.}/tests/lib.sh"

: "${CC:=cc}"
[ -z "$SANITIZERS" ] || skip "sanitizers are on"
cd "$scratch" || exit 99
mkdir home && cp -R "$top_srcdir/lib" "$top_srcdir/src" "$top_srcdir/include" home/ && chmod -R u+w home
mkdir -p home/tests && cp -R "$top_srcdir/tests/cli" "$top_srcdir/tests/unit" "$top_srcdir/tests/stress" "$top_srcdir/tests/arena" home/tests/
[ -d "$top_srcdir/tests/data" ] && cp -R "$top_srcdir/tests/data" home/tests/
chmod -R u+w home

run="sh $top_srcdir/tests/run"
checks=$top_srcdir/tests/checks
caught=0

# passes COMMAND...: without the fault. Nonzero: there is nothing to plant a fault in.
passes()
{
	"$@" >out 2>&1
	code=$?
	case $code in
	0) return 0 ;;
	77) echo "not tried: $(sed -n 's/^SKIP: //p' out | tail -n 1)"; return 1 ;;
	*) fail "fails without a fault (exit $code): $*"; tail -n 15 out; return 1 ;;
	esac
}

# catches WHAT COMMAND...: with the fault it must fail, and not by being unable to try.
catches()
{
	what=$1
	shift
	"$@" >out 2>&1
	code=$?
	case $code in
	0|77|99|126|127) fail "$what: not caught (exit $code)"; tail -n 15 out ;;
	*) echo "caught: $what"; caught=$((caught + 1)) ;;
	esac
}

# told TEXT: what was caught is what was planted.
told()
{
	grep -qE "$1" out || { fail "$what: caught, but without '$1'"; tail -n 15 out; }
}

# plant FILE SCRIPT: edit a copy; heal FILE undoes it.
plant()
{
	cp "$1" "$1.right"
	sed "$2" "$1.right" >"$1"
	! cmp -s "$1" "$1.right" || fail "the fault '$2' does not fit $1"
}
heal() { mv "$1.right" "$1"; }

# --- The wrapper of every test ---------------------------------------------------------
passes env GLACIER_TEST_TIMEOUT=5 $run true &&
	catches "a test that hangs" env GLACIER_TEST_TIMEOUT=1 $run sleep 30

# --- Checks of the tree ----------------------------------------------------------------
tree() { env GLACIER_TREE="$scratch/home" sh "$checks/$1.sh"; }
if passes tree layering; then
	plant home/lib/base/buf.c '1a #include "ir/ir.h"'
	catches "layering: lib/base includes lib/ir" tree layering
	told 'lib/base/buf.c includes "ir/ir.h"'
	heal home/lib/base/buf.c
	mkdir home/lib/helpers && echo '#include "base/buf.h"' >home/lib/helpers/x.c
	catches "layering: a folder without a rule" tree layering
	rm -r home/lib/helpers
fi
if passes tree text; then
	plant home/lib/base/buf.c '2s/$/ /'
	catches "text: trailing blanks" tree text
	heal home/lib/base/buf.c
	plant home/lib/base/buf.c 1d
	catches "text: no licence line" tree text
	heal home/lib/base/buf.c
fi
headers() { env GLACIER_INCLUDE="$scratch/home/include" sh "$checks/headers.sh"; }
if passes headers; then
	plant home/include/glacier/buffer.h '/#include/d'
	catches "headers: one that needs another first" headers
	heal home/include/glacier/buffer.h
	plant home/include/glacier/status.h 's/GLACIER_STATUS_COUNT$/class/'
	catches "headers: one that is no C++" headers
	heal home/include/glacier/status.h
fi

# --- Checks of what was built ----------------------------------------------------------
# The library again, with a fault: extra.c beside it, and a changed version script.
all=$top_builddir/lib/.libs/libglacier-internal.a
relink()
{
	$CC -shared -fPIC -o planted.so extra.c -Wl,--whole-archive "$all" -Wl,--no-whole-archive \
		-Wl,--version-script=map "$@" $CJSON_LIBS -lm
}
symbols() { env GLACIER_LIBRARY="$scratch/planted.so" sh "$checks/symbols.sh"; }
needed() { env GLACIER_LIBRARY="$scratch/planted.so" GLACIER_PROGRAMS= sh "$checks/needed.sh"; }
echo >extra.c
cp "$top_srcdir/lib/libglacier.map" map
if [ -e "$all" ] && relink -Wl,--as-needed && passes symbols && passes needed; then
	echo 'int glacier_planted(void) { return 1; }' >extra.c
	sed 's/^global:/global: glacier_planted;/' "$top_srcdir/lib/libglacier.map" >map
	relink && catches "symbols: one exported that is not listed" symbols
	told 'exported, not listed: glacier_planted'

	echo >extra.c
	sed '/glacier_version;/d' "$top_srcdir/lib/libglacier.map" >map
	relink && catches "symbols: one listed that is not exported" symbols
	told 'listed, not exported: glacier_version'

	printf '#include <stdlib.h>\nchar *hidden(void);\nchar *hidden(void) { return getenv("HOME"); }\n' >extra.c
	cp "$top_srcdir/lib/libglacier.map" map
	relink && catches "symbols: a library that reads the environment" symbols
	told 'the library uses: getenv'

	echo >extra.c
	echo 'int other;' | $CC -shared -fPIC -x c - -o libother.so
	relink -Wl,--no-as-needed -L. -lother && catches "needed: one library more" needed
	told 'needs libother.so'
fi

# A program with 20,000 pointers to relocate at its start, in place of ours.
startup() { env top_builddir="$scratch" bin_programs=planted sh "$checks/startup.sh"; }
echo 'int main(void) { return 0; }' >planted.c
$CC -O2 -o planted planted.c && if passes startup; then
	printf '#define R(x) x, x, x, x, x, x, x, x, x, x\nstatic const char *volatile table[] = {R(R(R(R("p")))), R(R(R(R("q"))))};\n' >planted.c
	echo 'int main(void) { return table[5] == 0; }' >>planted.c
	$CC -O2 -fPIE -pie -o planted planted.c
	catches "start-up: a table of pointers" startup
	told 'above the empty program'
fi

# --- Golden tests ----------------------------------------------------------------------
golden() { (cd "$top_builddir" && sh "$scratch/home/tests/cli/run.sh" --release="$release" "$scratch/home/tests/cli/probe/table-text.test"); }
release=$(sed -n "s/.*PACKAGE_VERSION \"\(.*\)\"/\1/p" "$top_builddir/config.h")
if passes golden; then
	plant home/tests/cli/probe/table-text.out '1s/./X/'
	catches "golden: one letter of the expected output" golden
	heal home/tests/cli/probe/table-text.out
	plant home/tests/cli/probe/table-text.out 's/^\[exit 0\]/[exit 1]/'
	catches "golden: the exit status" golden
	heal home/tests/cli/probe/table-text.out
fi

# --- The manual ------------------------------------------------------------------------
cp -R "$top_srcdir/man" "$top_srcdir/completions" home/ && chmod -R u+w home
manual() { env GLACIER_MAN="$scratch/home/man" sh "$top_srcdir/tests/cli/manual.sh"; }
if passes manual; then
	plant home/man/glacier.7 's/^\.Sh SEE ALSO/.Sh SEE TOO/'
	catches "manual: a section that is missing" manual
	heal home/man/glacier.7
	plant home/man/glacier.7 's/^\.Sh DESCRIPTION/&\n.Pq Fl/;s/^\.Os/.Oss/'
	catches "manual: a macro that mandoc does not know" manual
	heal home/man/glacier.7
	plant home/man/glacier-diagnostics.7 's/error/eror/'
	catches "manual: a page that the code table did not make" manual
	told 'differs from lib/base/codes.def'
	heal home/man/glacier-diagnostics.7
fi
options()
{
	env GLACIER_MAN="$scratch/home/man" GLACIER_COMPLETIONS="$scratch/home/completions" sh "$top_srcdir/tests/cli/option-lists.sh"
}
if passes options; then
	plant home/man/gc-asm.1 's/^\.It.*Fl -version.*/.It Fl -verzion/'
	catches "options: one that the page misspells" options
	heal home/man/gc-asm.1
	plant home/completions/gc-asm.bash 's/--version/--version --planted/'
	catches "options: one that only the completion has" options
	told 'planted'
	heal home/completions/gc-asm.bash
fi

# --- Units, threads, sanitizers: the library's own sources with a fault -----------------
base="home/lib/base/*.c -std=gnu17 -g -O1 -I$top_builddir -Ihome/include -Ihome/lib"
unit()
{
	$CC $(ls home/tests/unit/test_base_*.c) $base $(pkg-config --cflags --libs criterion) "$@" -lm -lpthread -o unit &&
		$run ./unit
}
if pkg-config --exists criterion 2>/dev/null; then
	if passes unit; then
		plant home/lib/base/buf.c 's|2 \* (low / 100)|2 * (low % 100)|'
		catches "unit: a wrong digit" unit
		heal home/lib/base/buf.c
	fi
	# The same unit, leaking: Criterion alone would say that all is well.
	if passes unit -fsanitize=address; then
		plant home/lib/base/buf.c 's/free(buffer->data);/(void)0;/'
		catches "leak: a buffer that is not freed, under Criterion" unit -fsanitize=address
		told 'LeakSanitizer'
		heal home/lib/base/buf.c
		plant home/lib/base/buf.c 's/, want);/, want - 4090);/'
		catches "overflow: a buffer smaller than it says" unit -fsanitize=address
		told 'heap-buffer-overflow'
		heal home/lib/base/buf.c
	fi
else
	echo "not tried: Criterion is not here"
fi
pool()
{
	$CC home/tests/stress/pool.c $base -Ihome/tests/stress -fsanitize=thread -lm -lpthread -o pool && $run ./pool
}
if passes pool; then
	plant home/lib/base/pool.c 's/atomic_fetch_add_explicit(&pool->next_chunk, 1, memory_order_relaxed)/(*(size_t *)\&pool->next_chunk)++/'
	catches "race: a counter that is not atomic" pool
	told 'ThreadSanitizer: data race'
	heal home/lib/base/pool.c
fi
undefined() { $CC undefined.c -fsanitize=undefined -o undefined && $run ./undefined; }
echo 'int main(int argc, char **argv) { (void)argv; return (argc << 29) == 0; }' >undefined.c
if passes undefined; then
	sed 's/<< 29/<< (argc + 31)/' undefined.c >x && mv x undefined.c
	catches "undefined behaviour that the program survives" undefined
	told 'runtime error'
fi

# --- Code: what validators can see, and what only a run can see -------------------------
# gc-asm in disguise: it damages its output, or assembles something else.
real=$top_builddir/src/gc-asm/gc-asm
disguise()
{
	cat >gc-asm <<END
#!/bin/sh
out=
for word; do [ "\$last" = -o ] && out=\$word; last=\$word; done
$*
END
	chmod +x gc-asm
}
judge() { env GLACIER_ASM="$scratch/gc-asm" sh "$top_srcdir/tests/diff/$1.sh"; }
values() { env GLACIER_ASM="$scratch/gc-asm" sh "$top_srcdir/tests/exec/vector_add.sh"; }
if [ -x "$real" ]; then
	for judge in spirv-val spirv-tools; do
		disguise "exec '$real' \"\$@\""
		passes judge $judge || continue
		disguise "'$real' \"\$@\" && printf '\\001\\000' | dd of=\"\$out\" bs=1 seek=12 conv=notrunc 2>/dev/null"
		catches "$judge: one damaged word of a module" judge $judge
	done
	disguise "exec '$real' \"\$@\""
	if passes judge ptxas; then
		disguise "'$real' \"\$@\" && sed 's/add\\.rn\\.f32/add.rn.f31/' \"\$out\" >\"\$out.x\" && mv \"\$out.x\" \"\$out\""
		catches "ptxas: a misspelt instruction" judge ptxas
	fi
	disguise "exec '$real' \"\$@\""
	if passes values; then
		# Valid code with wrong values: no validator can tell.
		disguise "sed 's/Add\\.f32/Sub.f32/' \"\$1\" >'$scratch/sub.gasm'; shift; exec '$real' '$scratch/sub.gasm' \"\$@\""
		passes judge spirv-val && catches "exec: Sub in place of Add, which spirv-val accepts" values
	fi
else
	echo "not tried: gc-asm is not built"
fi

# --- Code for each device: gc-run again, with a fault in what makes code -----------------
# Objects that come first are taken in place of the library's.
device()
{
	mkdir -p made/src/gc-run && includes="-I$top_builddir -Ihome/include -Ihome/lib" &&
		$CC -std=gnu17 -O1 $includes -c home/lib/spirv/body.c -o body.o &&
		$CC -std=gnu17 -O1 -ffp-contract=off $includes -c home/lib/device/cpu_run.c -o run.o || return 99
	lanes=
	for level in baseline v3 v4; do
		case $level in
		baseline) march= ;;
		*) march=-march=x86-64-$level ;;
		esac
		grep -q "glc_cpu_loop_$level" "$all" || continue
		$CC -std=gnu17 -O1 -ffp-contract=off $march -DLEVEL=$level $includes -c home/lib/device/cpu_lanes.c \
			-o lanes-$level.o || return 99
		lanes="$lanes lanes-$level.o"
	done
	$CC -o made/src/gc-run/gc-run body.o run.o $lanes "$top_builddir"/src/gc-run/*.o \
		"$top_builddir/src/common/.libs/libcli.a" "$all" $CJSON_LIBS -lm -lpthread -ldl || return 99
	env top_builddir="$scratch/made" sh "$top_srcdir/tests/device/conformance.sh"
}
if [ -e "$all" ] && passes device; then
	grep -q 'no Vulkan device' out && vulkan= || vulkan=yes
	plant home/lib/device/cpu_ops.def '/^OP3(MulAdd_f32,/s/a \* b + c/a * b - c/'
	catches "processor: a pair that subtracts" device
	told 'saxpy -dcpu'
	heal home/lib/device/cpu_ops.def
	plant home/lib/device/cpu_ops.def '/^OP2(Add_u32,/s/a + b/a + b + 1/'
	catches "processor: a wrong sum of words" device
	heal home/lib/device/cpu_ops.def
	if [ "$vulkan" ]; then
		plant home/lib/ir/ops.def '/^OP(Mul, /s/FMul,/FAdd,/'
		catches "spirv: FAdd in place of FMul" device
		told 'saxpy -dvulkan'
		heal home/lib/ir/ops.def
	fi
fi

# --- The CUDA device and the cache folder, over a driver that is none ------------------------
cuda()
{
	objects=
	for part in cuda_array cuda_launch cuda_open cuda_pipeline disk_cache launch array queue; do
		$CC -D_GNU_SOURCE -Ihome/include -Ihome/lib -I"$top_builddir" -c "home/lib/device/$part.c" -o "$part.o" \
			-O1 || return 99
		objects="$objects $part.o"
	done
	for part in cuda_fake fake_cuda; do
		$CC -D_GNU_SOURCE -Ihome/include -Ihome/lib -I"$top_srcdir" -I"$top_builddir" -c "$top_srcdir/tests/device/$part.c" \
			-o "$part.o" -O1 || return 99
		objects="$objects $part.o"
	done
	$CC -o cuda_fake $objects "$all" $CJSON_LIBS -lm -lpthread -ldl || return 99
	./cuda_fake
}
if [ -e "$all" ] && passes cuda; then
	plant home/lib/device/cuda_pipeline.c 's/add_param(built, i, GLC_CUDA_SCALAR8, 8)/add_param(built, i, GLC_CUDA_SCALAR8, 4)/'
	catches "cuda: an f64 parameter at the wrong place" cuda
	heal home/lib/device/cuda_pipeline.c
	plant home/lib/device/launch.c 's/others |= array->readers;/others |= 0;/'
	catches "cuda: a queue that overwrites what another reads" cuda
	heal home/lib/device/launch.c
	plant home/lib/device/cuda_array.c 's/ || !take_pages(array, memory))/ || (take_pages(array, memory), false))/'
	catches "cuda: two arrays that register one page" cuda
	heal home/lib/device/cuda_array.c
	plant home/lib/device/cuda_launch.c 's/device->lost = cuda->stuck = true;/device->lost = true;/'
	catches "cuda: memory freed under a launch that runs" cuda
	heal home/lib/device/cuda_launch.c
	plant home/lib/device/cuda_pipeline.c '/strlen(device->info.driver)/d'
	catches "cuda: code of another driver from the cache" cuda
	heal home/lib/device/cuda_pipeline.c
fi

# --- The table of instructions: its page, without running and without ptxas --------------
table() { env PATH=/nowhere top_srcdir="$scratch/home" "$top_builddir/tests/exec/op_table" 0; }
mkdir home/doc && cp "$top_srcdir/doc/REFUSED.md" home/doc/ && chmod -R u+w home/doc
if [ -x "$top_builddir/tests/exec/op_table" ] && passes table; then
	plant home/doc/REFUSED.md '/^| Length /d'
	catches "table: a refusal that is not listed" table
	told 'Length.bool does not emit for spirv:1.6, and doc/REFUSED.md does not list it'
	heal home/doc/REFUSED.md
	plant home/doc/REFUSED.md 's/^| MulWide /| MulWide MulHi /'
	catches "table: a listed refusal that emits" table
	told 'MulHi.i64 emits for spirv:1.6, and doc/REFUSED.md lists GA0016'
	heal home/doc/REFUSED.md
	plant home/doc/REFUSED.md '/^| Bitcast | 32/s/GA0052/GA0016/'
	catches "table: another code than the one listed" table
	told 'Bitcast.*GA0052.*lists GA0016'
	heal home/doc/REFUSED.md
fi

# --- Arenas ----------------------------------------------------------------------------
arena()
{
	$CC -std=gnu17 -O1 -Ihome/lib -Ihome/include "home/tests/arena/$1.c" home/lib/arena/*.c home/lib/base/buf.c \
		home/lib/base/status.c -lpthread -o arena_test && $run ./arena_test ${2-}
}
# planted WHAT TEST FILE SCRIPT: the test sees the fault.
planted()
{
	plant "home/lib/arena/$3" "$4"
	catches "arena: $1" arena $2
	heal "home/lib/arena/$3"
}
if passes arena oracle 1 && passes arena ring && passes arena words && passes arena behaviours &&
	passes arena hand && passes arena threads; then
	planted "an interior free is taken" "oracle 1" quick.c 's/ | offset << (64 - GLC_UNIT_SHIFT);/;/'
	planted "one leaf of a block is claimed" words words.h 's/value \& ~(glc_block(order) << leaf)/value \& ~(UINT64_C(1) << leaf)/'
	planted "a word that is given up is forgotten" "oracle 2" slab.c 's/^\tif (atomic_load(&slots->free))$/\tif (0)/'
	planted "the tail is not looked at" ring ring.c 's/memory_order_acquire) > ring->capacity/memory_order_acquire) > 8 * ring->capacity/'
	planted "runs are not merged" "oracle 2" runs.c 's/first \&\& runs->unit\[first - 1\].length/0/'
	planted "idle threads keep what they have" behaviours alloc.c 's/glc_threads_each(&arena->threads, flush, arena);//'
	planted "who wants a state does not close its gates" threads threads.c 's/^\t\tset_gates(thread, false);$//'
	planted "a range at hand looks like a live one" hand reservoir.h 's/count | GLC_HELD/count/'
	planted "ranges at hand are not counted as kept" hand reservoir.c 's/kept + reservoir->allowed/kept/'
	planted "a run at hand is given out for another length" hand buddy.c 's/local->last_run.leaves != leaves/!local->last_run.leaves/'
	planted "a state outlives its arena" hand threads.c 's/^\t\tatomic_store_explicit(&thread->threads, &gone, memory_order_relaxed);$//'
fi

# --- Pairs of the validator ---------------------------------------------------------------
pairs=$top_builddir/tests/diagnostics/spirv_pairs
list=home/tests/diagnostics/spirv.txt
judge_pairs() { env top_srcdir=home "$pairs"; }
if [ -x "$pairs" ]; then
	mkdir -p home/tests/diagnostics && cp "$top_srcdir/tests/diagnostics/spirv.txt" $list && chmod u+w $list
	if passes judge_pairs; then
		plant $list '/^SV0111$/,/^$/d'
		catches "pairs: a code of the validator without one" judge_pairs
		told 'SV0111 has no pair'
		heal $list
		plant $list 's/^good OpDecorate %block Block => OpDecorate %block Block/bad OpDecorate %block Block => OpDecorate %block Block/'
		catches "pairs: a module that should be refused and is right" judge_pairs
		told 'SV0111: the bad module has 0 errors'
		heal $list
	fi
else
	echo "not tried: libSPIRV-Tools is not here"
fi

# --- Fuzz targets ----------------------------------------------------------------------
replay() { $CC -g -O1 "$top_srcdir/tests/fuzz/replay.c" target.c -fsanitize=address -o replay_target && $run ./replay_target -n 50 seed; }
mkdir seed && echo 'kernel' >seed/one
cat >target.c <<'END'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return size > 2 && data[0] == 'k' && data[1] == 'e' && data[size - 1] == 0x7f;
}
END
if passes replay; then
	sed 's/size - 1/size/' target.c >x && mv x target.c
	catches "fuzz: a read one byte past the input" replay
	told 'heap-buffer-overflow'
	[ -s replay-replay_target.bin ] || fail "the input was not kept"
fi

# --- Collectives -----------------------------------------------------------------------
# A test of tests/stress over the library's sources.
echo '#include <glacier/literal.h>
const char *glacier_type_name(enum glacier_type type) { return type == GLACIER_F32 ? "f32" : "other"; }' >names.c
ranks()
{
	$CC -std=gnu17 -D_GNU_SOURCE -O1 -Ihome/include -Ihome/lib home/lib/collective/*.c home/lib/driver/crypto.c home/lib/base/cpu.c \
		home/lib/base/diag.c home/lib/base/hash.c home/lib/base/source.c home/lib/base/status.c home/lib/base/buf.c \
		home/lib/base/bump.c names.c "home/tests/stress/$1.c" -lm -o ranks && $run ./ranks
}
if passes ranks allreduce_faults && passes ranks allreduce; then
	plant home/lib/collective/port.c 's/if (piece.checksum != /if (0 \&\& piece.checksum != /'
	catches "collectives: changed bytes are taken" ranks allreduce_faults
	told 'nobody noticed|data.i. == RANKS'
	heal home/lib/collective/port.c
	plant home/lib/collective/frame.c '/FIELD("count"/d'
	catches "collectives: counts that differ are not compared" ranks allreduce_faults
	heal home/lib/collective/frame.c
	plant home/lib/collective/comm.c 's/return owner + 1 < comm->size ? owner + 1 : 0/return owner/'
	catches "collectives: another order of ranks" ranks allreduce
	told 'not 0x'
	heal home/lib/collective/comm.c
fi

[ $caught -ge 15 ] || fail "only $caught faults were tried"
finish "$caught faults caught"
