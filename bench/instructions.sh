#!/bin/sh
# SPDX-License-Identifier: MIT
# instructions.sh - what a compilation costs, in instructions as callgrind counts them: the
# same on every run of the same build. (COUNT + 10 runs) - (COUNT runs), divided by 10, after
# the memory is warm. `make bench` runs it in the build folder.
set -eu
: "${top_srcdir:=.}" "${VALGRIND:=valgrind}" "${LIBTOOL:=./libtool}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# count COMMAND...: instructions of one run
count()
{
	$LIBTOOL --mode=execute "$VALGRIND" --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : //p'
}

# per_call LABEL BOUND COMMAND-WITH-%N: the difference of N = 20 and N = 30
per_call()
{
	label=$1 bound=$2
	shift 2
	few=$(count $(echo "$*" | sed 's/%N/20/'))
	more=$(count $(echo "$*" | sed 's/%N/30/'))
	printf '%-52s %10d   %s\n' "$label" $(((more - few) / 10)) "$bound"
}

whole()
{
	label=$1 bound=$2
	shift 2
	printf '%-52s %10d   %s\n' "$label" "$(count "$@")" "$bound"
}

add=$top_srcdir/examples/vector_add.gasm
printf '%-52s %10s   %s\n' 'in process, a call' instructions bound
per_call 'vector_add, text to SPIR-V' 18000 bench/compile "$add" spirv %N
per_call 'vector_add, text to PTX' 15000 bench/compile "$add" ptx:sm_90 %N
per_call '32 Adds, stream to SPIR-V, -O0' 10000 bench/compile add32 spirv %N -O0
per_call '32 Adds, stream to PTX, -O0' 10000 bench/compile add32 ptx:sm_90 %N -O0
per_call '32 Adds, 2 loads, 1 store, to SPIR-V, -O1' 10000 bench/compile add32io spirv %N
per_call '32 Adds, 2 loads, 1 store, to PTX, -O1' 10000 bench/compile add32io ptx:sm_90 %N

src/gc-asm/gc-asm "$add" --target=spirv -o "$scratch/add.spv"
per_call 'the module of it, glacier_spirv_validate' 60000 bench/validate "$scratch/add.spv" %N
if [ -x bench/spirv-tools ]; then
	spirv-dis "$scratch/add.spv" -o "$scratch/add.spvasm"
	per_call 'the same module, spvTextToBinary' - bench/spirv-tools assemble "$scratch/add.spvasm" %N
	per_call 'the same module, spvValidate' - bench/spirv-tools validate "$scratch/add.spv" %N
fi

printf '\n%-52s %10s   %s\n' 'a whole process' instructions bound
whole 'gc-asm --version' - src/gc-asm/gc-asm --version
whole 'gc-asm vector_add.gasm to SPIR-V' 600000 src/gc-asm/gc-asm "$add" --target=spirv -o "$scratch/add.spv"
whole 'gc-asm vector_add.gasm to PTX' 600000 src/gc-asm/gc-asm "$add" --target=ptx:sm_90 -o "$scratch/add.ptx"
whole 'gc-spv-val of vector_add.spv' 600000 src/gc-spv-val/gc-spv-val "$scratch/add.spv"
if command -v spirv-as >/dev/null 2>&1 && [ -f "$scratch/add.spvasm" ]; then
	whole 'spirv-as of the same module' - spirv-as "$scratch/add.spvasm" -o "$scratch/peer.spv"
	whole 'spirv-val of the same module' - spirv-val "$scratch/add.spv"
fi

# Linear in the number of statements: instructions of the whole process, a statement.
statements()
{
	awk -v n="$1" 'BEGIN {
		print "kernel k(@a: buffer f32 read, @o: buffer f32 write) workgroup 64 {\n  %i = GlobalId.x"
		print "  %x = LoadGlobal.f32 @a, %i\n  %y = LoadGlobal.f32 @a, %i"
		for (i = 0; i < n / 2; i++) print "  %x = Add.f32 %x, %y\n  %y = Mul.f32 %y, %x"
		print "  StoreGlobal.f32 @o, %i, %y\n}"
	}' >"$scratch/$1.gasm"
}
printf '\n%-52s %10s\n' 'a statement, straight code' instructions
for n in 1000 100000; do
	statements $n
	few=$(count bench/compile "$scratch/$n.gasm" spirv 1)
	more=$(count bench/compile "$scratch/$n.gasm" spirv 3)
	printf '%-52s %10d\n' "of $n" $(((more - few) / 2 / n))
done
