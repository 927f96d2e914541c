# SPDX-License-Identifier: MIT
# The library exports exactly what its version script lists, and calls nothing that
# prints, ends the process or reads the environment.
. "${top_srcdir:-.}/tests/lib.sh"

library=${GLACIER_LIBRARY:-$top_builddir/lib/.libs/libglacier.so}
[ -e "$library" ] || skip "no shared library was built"
[ -z "$SANITIZERS" ] || skip "sanitizers add symbols"
need nm

nm -D --defined-only "$library" | awk '$2 ~ /[TDBRVWi]/ {print $3}' | sed 's/@.*//' | sort >"$scratch/exported"
sed -n 's/^[ \t]*\(glacier_[a-z0-9_]*\);.*/\1/p' "$top_srcdir/lib/libglacier.map" | sort >"$scratch/listed"
[ -s "$scratch/listed" ] || fail "nothing listed in libglacier.map"
comm -13 "$scratch/listed" "$scratch/exported" | while read -r name; do echo "exported, not listed: $name"; done >"$scratch/wrong"
comm -23 "$scratch/listed" "$scratch/exported" | while read -r name; do echo "listed, not exported: $name"; done >>"$scratch/wrong"
[ -s "$scratch/wrong" ] && fail "$(cat "$scratch/wrong")"

# __assert_fail and the checked variants of glibc are the same calls under other names.
nm -D --undefined-only "$library" | awk '{print $NF}' | sed 's/@.*//' |
	grep -xE '_*(v?f?printf|puts|putchar|perror|exit|_exit|quick_exit|abort|getenv|secure_getenv|setenv|system|signal|sigaction|setlocale|std(out|err|in)|assert_fail)(_chk)?' >"$scratch/loud"
[ -s "$scratch/loud" ] && fail "the library uses: $(tr '\n' ' ' <"$scratch/loud")"
finish "$(wc -l <"$scratch/listed") symbols"
