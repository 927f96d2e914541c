# SPDX-License-Identifier: MIT
# Kernels whose results can be stated without computing them, through gc-run, on the processor,
# under --check, and on Vulkan.
. "${top_srcdir:-.}/tests/lib.sh"

k=$(cd "$top_srcdir" && pwd)/tests/data/good-conformance.gasm
run=$(cd "$top_builddir/src/gc-run" && pwd)/gc-run
cd "$scratch" || exit 99

# u32 as little-endian bytes, from standard input. Octal: not every printf knows another form.
u32() {
	awk '{ for (i = 1; i <= NF; i++) { v = $i < 0 ? $i + 4294967296 : $i
		for (j = 0; j < 4; j++) { printf "\\0%03o", v % 256; v = int(v / 256) }
		print "" } }' | while read -r bytes; do printf '%b' "$bytes"; done
}

# is WANTED KERNEL ARGUMENT...: what is printed, on one line.
is()
{
	wanted=$1 kernel=$2
	shift 2
	got=$("$run" $device "$k" -k "$kernel" "$@" 2>err | tr '\n' ' ')
	[ "$got" = "$wanted " ] || fail "$kernel $device: $(echo "'$got', not '$wanted'" | cut -c1-300): $(head -n 3 err)"
}

seq 1 256 | u32 >ones-to-256.raw
echo '250 150 50 -5 0 201 101' | u32 >seven.raw
yes 99 | head -n 10 | u32 >nines.raw
seq 10 25 | u32 >ten.raw
seq 1 16 | u32 >sixteen.raw
yes 1065353216 | head -n 1000 | u32 >x.raw    # 1.0
yes 1073741824 | head -n 1000 | u32 >y.raw    # 2.0
devices='-dcpu --check'
"$run" --list-devices | grep -q '^vulkan' && devices="$devices -dvulkan" || echo "no Vulkan device: the processor alone"
for device in $devices; do
	is '10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40' vec_add -g 1 a=:iota:16 b=@ten.raw -o 'c=-:u32[16]'
	is '0 2 4 6 8 10 12 14 16 18' vec_add_bounded -g 1 a=:iota:10 b=:iota:10 n=10 -o c=- c=@nines.raw
	is "$(seq 0 2 8190 | tr '\n' ' ' | sed 's/ $//')" vec_add_bounded -g 16 a=:iota:4096 b=:iota:4096 n=4096 c=:zeros:4096 -o c=-
	is "$(yes 5 | head -n 1000 | tr '\n' ' ' | sed 's/ $//')" saxpy -g 2 x=@x.raw y=@y.raw a=3 n=1000 -o y=-
	is "$(seq 0 7 105 | tr '\n' ' ' | sed 's/ $//')" vec_scale -g 1 a=:iota:16 by=7 -o a=-
	is '3 2 1 0 0 3 2 99 99 99' classify -g 1 a=@seven.raw c=@nines.raw n=7 -o c=-
	is '1 3 6 10 15 21 28 36 45 55 66 78 91 105 120 136' prefix_sum -g 1 a=@sixteen.raw -o 'c=-:u32[16]'
	is '32896' block_sum -g 1 a=@ones-to-256.raw -o 'c=-:u32[1]'
done
finish
