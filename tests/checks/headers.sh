# SPDX-License-Identifier: MIT
# Every public header compiles alone, first and twice, in C and in C++, without a warning.
. "${top_srcdir:-.}/tests/lib.sh"

include=${GLACIER_INCLUDE:-$top_srcdir/include}
: "${CC:=cc}" "${CXX:=c++}"
count=0

# compile COMPILER LANGUAGE FLAG...
compile()
{
	compiler=$1 language=$2
	shift 2
	printf '#include <%s>\n#include <%s>\nint unused;\n' "$header" "$header" |
		$compiler -x $language -fsyntax-only -Wall -Wextra -Wundef -pedantic -Werror "$@" -I"$include" - \
		2>"$scratch/err" || fail "<$header> as $language $*: $(cat "$scratch/err")"
}

have_cxx=no
echo 'int unused;' | $CXX -x c++ -fsyntax-only - 2>/dev/null && have_cxx=yes
for file in "$include"/glacier.h "$include"/glacier/*.h; do
	header=${file#"$include"/}
	compile "$CC" c -std=c99
	compile "$CC" c -std=gnu17 -Wstrict-prototypes
	[ $have_cxx = yes ] && compile "$CXX" c++ -std=c++11
	count=$((count + 1))
done
[ $count -gt 3 ] || fail "only $count headers under $include"
[ $have_cxx = yes ] || echo "not tried: C++, there is no compiler for it"
finish "$count headers"
