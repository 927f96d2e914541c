# SPDX-License-Identifier: MIT
# What people wrote has no CRLF, no trailing blanks, a last newline, and a licence line in
# every C file, script and make fragment.
. "${top_srcdir:-.}/tests/lib.sh"

tree=${GLACIER_TREE:-$top_srcdir}
cd "$tree" || exit 99
# Generated files of a build in the source folder have none of these names.
find lib src include tests examples bench man doc scripts maint completions m4 -type f \
	\( -name '*.[ch]' -o -name '*.def' -o -name '*.inc' -o -name '*.sh' -o -name '*.mk' -o -name '*.map' \
	-o -name '*.md' -o -name '*.[1-9]' -o -name '*.gasm' -o -name '*.spvasm' -o -name '*.py' \
	-o -name 'gl-*.m4' \) 2>/dev/null |
	grep -vE '/(data|corpus|bad)/' >"$scratch/files"
for file in configure.ac Makefile.am README.md NEWS STYLE tests/run tests/check-long scripts/*; do
	[ -f "$file" ] && echo "$file" >>"$scratch/files"
done

# A process for each kind of fault, not for each file: there are a thousand of these.
: >"$scratch/empty"
cr=$(printf '\r')
tr '\n' '\0' <"$scratch/files" >"$scratch/names"
each() { xargs -0 "$@" "$scratch/empty" <"$scratch/names"; }

each grep -l "$cr" >"$scratch/found"
while read -r file; do
	fail "$file has carriage returns"
done <"$scratch/found"
each grep -nE '[ 	]+$' >"$scratch/found"
while IFS=: read -r file line rest; do
	fail "$file: trailing blanks in line $line"
done <"$scratch/found"
# Newlines counted, and lines: one more is one that does not end.
each grep -c '' | sort -u >"$scratch/lines"
each wc -l | sed -n 's/^ *\([0-9]*\) \(.*\)$/\2:\1/p' | sort -u >"$scratch/newlines"
comm -23 "$scratch/lines" "$scratch/newlines" >"$scratch/found"
while IFS=: read -r file lines; do
	fail "$file ends without a newline"
done <"$scratch/found"
grep -E '(\.([ch]|def|sh|mk|inc|py)|^tests/run|^scripts/[^/]*)$' "$scratch/files" | tr '\n' '\0' >"$scratch/names"
each awk 'FNR == 1 {if (name && !licensed) print name; name = FILENAME; licensed = 0}
	FNR <= 4 && /SPDX-License-Identifier: MIT/ {licensed = 1}
	END {if (name && !licensed) print name}' >"$scratch/found"
while read -r file; do
	fail "$file has no licence line"
done <"$scratch/found"
count=$(wc -l <"$scratch/files")
[ "$count" -gt 20 ] || fail "only $count files under $tree"
finish "$count files"
