# SPDX-License-Identifier: MIT
# make install, as a packager does it: every program with its page, a library that a
# stranger's program finds through pkg-config, and nothing left after make uninstall.
. "${top_srcdir:-.}/tests/lib.sh"

[ -z "$SANITIZERS" ] || skip "sanitizers are on"
need pkg-config make
: "${CC:=cc}"
dest=$scratch/dest
unset MAKEFLAGS MFLAGS MAKELEVEL
make -C "$top_builddir" install DESTDIR="$dest" >"$scratch/out" 2>&1 || { tail -n 20 "$scratch/out"; fail "make install"; finish; }
prefix=$(sed -n 's/^prefix = //p' "$top_builddir/Makefile")
version=$(sed -n 's/.*PACKAGE_VERSION "\(.*\)"/\1/p' "$top_builddir/config.h")
root=$dest$prefix
LD_LIBRARY_PATH=$root/lib
export LD_LIBRARY_PATH

for program in $bin_programs; do
	name=$(basename "$program")
	"$root/bin/$name" --version >"$scratch/out" 2>&1 || fail "installed $name --version exits $?"
	grep -q "$version" "$scratch/out" || fail "installed $name does not tell version $version"
	[ -s "$root/share/man/man1/$name.1" ] || fail "$name has no page"
	echo "$name" >>"$scratch/listed"
done
[ ! -d "$root/bin" ] || [ "$(ls "$root/bin")" = "$(sort "$scratch/listed")" ] || fail "installed programs: $(ls "$root/bin")"

cat >"$scratch/stranger.c" <<'END'
#include <glacier.h>
#include <stdio.h>
int main(void)
{
	puts(glacier_version());
	return 0;
}
END
PKG_CONFIG_PATH=$root/lib/pkgconfig
export PKG_CONFIG_PATH
$CC "$scratch/stranger.c" $(pkg-config --define-variable=prefix="$root" --cflags --libs libglacier) -o "$scratch/stranger" 2>"$scratch/out" ||
	fail "a program cannot be built with the installed library: $(cat "$scratch/out")"
[ "$("$scratch/stranger")" = "$version" ] || fail "the installed library is not version $version"
[ "$(pkg-config --modversion libglacier)" = "$version" ] || fail "libglacier.pc is not version $version"

make -C "$top_builddir" uninstall DESTDIR="$dest" >"$scratch/out" 2>&1 || fail "make uninstall"
left=$(find "$dest" ! -type d)
[ -z "$left" ] || fail "make uninstall leaves: $left"
finish
