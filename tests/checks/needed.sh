# SPDX-License-Identifier: MIT
# What the dynamic loader loads at start: libc, libm and cJSON, and libglacier for a
# program. Everything else is opened on use: libstdc++ alone costs 1.6 M instructions.
. "${top_srcdir:-.}/tests/lib.sh"

[ -z "$SANITIZERS" ] || skip "sanitizers add libraries"
need readelf

# check FILE LIBRARY...: FILE needs no library but these (and the loader itself).
check()
{
	file=$1
	shift
	readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$scratch/needed"
	[ -s "$scratch/needed" ] || fail "$file needs nothing: is it a dynamic object?"
	while read -r library; do
		case $library in ld-linux*) continue ;; esac
		case " $* " in
		*" ${library%%.so*} "*) ;;
		*) fail "$(basename "$file") needs $library" ;;
		esac
	done <"$scratch/needed"
}

library=${GLACIER_LIBRARY:-$top_builddir/lib/.libs/libglacier.so}
[ -e "$library" ] || skip "no shared library was built"
check "$library" libc libm libcjson
count=1
for program in ${GLACIER_PROGRAMS-$bin_programs}; do
	binary=$top_builddir/$program
	real=$(dirname "$binary")/.libs/$(basename "$binary")
	[ -e "$real" ] && binary=$real
	check "$binary" libc libm libcjson libglacier
	count=$((count + 1))
done
finish "$count files"
