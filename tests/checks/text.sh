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

cr=$(printf '\r')
while read -r file; do
	grep -q "$cr" "$file" && fail "$file has carriage returns"
	grep -nE '[ 	]+$' "$file" | head -n 1 | grep -q . && fail "$file: trailing blanks in line $(grep -nE '[ 	]+$' "$file" | head -n 1 | cut -d: -f1)"
	[ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ] && fail "$file ends without a newline"
	case $file in
	*.[ch]|*.def|*.sh|*.mk|*.inc|*.py|tests/run|scripts/*)
		[ ! -s "$file" ] || head -n 4 "$file" | grep -q 'SPDX-License-Identifier: MIT' || fail "$file has no licence line" ;;
	esac
done <"$scratch/files"
count=$(wc -l <"$scratch/files")
[ "$count" -gt 20 ] || fail "only $count files under $tree"
finish "$count files"
