# SPDX-License-Identifier: MIT
# Where gc-run keeps machine code: under XDG_CACHE_HOME, else HOME, else nowhere; and nowhere with
# --no-cache. What lies there never makes a run fail.
. "${top_srcdir:-.}/tests/lib.sh"

gc_run=$top_builddir/src/gc-run/gc-run
"$gc_run" --list-devices | grep -qE '^(vulkan|cuda)' || skip "there is no device that keeps anything"
device=$("$gc_run" --list-devices | sed -n 's/^\(vulkan\|cuda\):.*/\1/p' | head -n 1)

# run ENVIRONMENT...: the kernel with these variables and no others of the kind.
run()
{
	env -u XDG_CACHE_HOME -u HOME "$@" >"$scratch/out" 2>&1
	code=$?
	[ $code -eq 0 ] || fail "$*: the exit status is $code: $(cat "$scratch/out")"
	[ "$(tr '\n' ' ' <"$scratch/out")" = "0 2 4 6 8 10 12 14 " ] || fail "$*: $(cat "$scratch/out")"
}
set -- "$gc_run" -d "$device" "$top_srcdir/examples/vector_add.gasm" --global=8 a=:iota:8 b=:iota:8 n=8 -o 'out=-:f32[8]'
entries() { find "$1" -name '*.bin' 2>/dev/null | wc -l; }

run XDG_CACHE_HOME="$scratch/xdg" HOME="$scratch/home" "$@"
[ "$(entries "$scratch/xdg/glacier")" -gt 0 ] || fail "nothing is kept under XDG_CACHE_HOME"
[ -z "$(find "$scratch/xdg/glacier" -type f -perm /077)" ] || fail "others can read what is kept"
[ "$(entries "$scratch/home/.cache/glacier")" -eq 0 ] || fail "HOME is used beside XDG_CACHE_HOME"
run HOME="$scratch/home" "$@"
[ "$(entries "$scratch/home/.cache/glacier")" -gt 0 ] || fail "nothing is kept under HOME"

mkdir "$scratch/none"
cd "$scratch/none" || exit 99
run "$@"
run XDG_CACHE_HOME=relative "$@"
run HOME="$scratch/none" "$@" --no-cache
run HOME=/dev/null "$@"
[ "$(entries .)" -eq 0 ] || fail "something is kept where nothing may be: $(find . -type f)"

# Cut, changed, and in the way.
for damage in 'truncate -s 20' 'truncate -s 0' 'dd status=none conv=notrunc if=/dev/zero bs=1 count=9 seek=40 of='; do
	find "$scratch/xdg/glacier" -name '*.bin' | while read -r file; do
		case $damage in
		*of=) $damage"$file" ;;
		*) $damage "$file" ;;
		esac
	done
	run XDG_CACHE_HOME="$scratch/xdg" "$@"
done
rm -r "$scratch/xdg/glacier"
: >"$scratch/xdg/glacier"
run XDG_CACHE_HOME="$scratch/xdg" "$@"
finish
