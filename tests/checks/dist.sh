# SPDX-License-Identifier: MIT
# The release: its archive holds every file of the repository, and make distcheck accepts
# it: built beside a read-only source folder, tested, installed, uninstalled, cleaned.
. "${top_srcdir:-.}/tests/lib.sh"

[ -z "$SANITIZERS" ] || skip "sanitizers are on"
need make tar xz
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
cd "$top_builddir" || exit 99
version=$(sed -n 's/.*PACKAGE_VERSION "\(.*\)"/\1/p' config.h)
make -j2 distcheck AM_MAKEFLAGS=-j2 >distcheck.out 2>&1 || { tail -n 30 distcheck.out; fail "make distcheck, see $PWD/distcheck.out"; finish; }

# Only a checkout knows what belongs to it. What git alone reads is not for a release.
command -v git >/dev/null 2>&1 && git -C "$top_srcdir" ls-files >"$scratch/tracked" 2>/dev/null ||
	finish "not compared with the repository: this is no checkout"
tar -tf "glacier-$version.tar.xz" | sed "s|^glacier-$version/||" | sort >"$scratch/packed"
grep -v '\.gitignore$' "$scratch/tracked" | sort | comm -23 - "$scratch/packed" >"$scratch/missing"
[ ! -s "$scratch/missing" ] || fail "not in the archive: $(tr '\n' ' ' <"$scratch/missing")"
finish "$(wc -l <"$scratch/packed") files"
