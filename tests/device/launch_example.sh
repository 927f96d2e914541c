# SPDX-License-Identifier: MIT
# examples/launch_vulkan.c: what gc-asm writes is enough for a program of somebody else's.
. "${top_srcdir:-.}/tests/lib.sh"

program=$top_builddir/examples/launch_vulkan
gc_asm=$top_builddir/src/gc-asm/gc-asm
[ -x "$program" ] || skip "examples/launch_vulkan is not built: there are no Vulkan headers"

# compile NAME
compile()
{
	"$gc_asm" "$top_srcdir/examples/$1.gasm" --target=spirv -o "$scratch/$1.spv" || fail "$1 is not compiled"
	"$gc_asm" "$top_srcdir/examples/$1.gasm" --reflect >"$scratch/$1.json" || fail "$1 is not reflected"
}

# launch CODE EXPECTED NAME ARGUMENT...
launch()
{
	want_code=$1
	want=$2
	name=$3
	shift 3
	got=$("$program" "$scratch/$name.spv" "$scratch/$name.json" "$@" 2>&1)
	code=$?
	[ $code -ne 77 ] || skip "$got"
	[ $code -eq "$want_code" ] || fail "$name $*: the exit status is $code, not $want_code: $got"
	[ "$got" = "$want" ] || fail "$name $*: '$got', not '$want'"
}

compile saxpy
compile vector_add
launch 0 'y: 0 3 6 9 12 15 18 21' saxpy 4 1000 a=2 n=1000
launch 0 'y: 0 1.5 3 3 4 5 6 7' saxpy 1 8 a=0.5 n=3
launch 0 'out: 0 2 4 6 8' vector_add 1 5 n=5
launch 1 'launch_vulkan: the scalar n has no value: write n=VALUE' saxpy 4 1000 a=2
finish
