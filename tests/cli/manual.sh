# SPDX-License-Identifier: MIT
# Every manual page passes mandoc's lint, says what its kind of page must say, and the
# generated one is up to date.
. "${top_srcdir:-.}/tests/lib.sh"

pages=${GLACIER_MAN:-$top_srcdir/man}
count=0
for page in "$pages"/*.[1-9]; do
	name=$(basename "$page")
	count=$((count + 1))
	title=$(echo "${name%.*}" | tr '[:lower:]' '[:upper:]')
	grep -qx "\.Dt $title ${name##*.}" "$page" || fail "$name: its .Dt is not $title ${name##*.}"
	case $name in
	*.1) sections='NAME SYNOPSIS DESCRIPTION EXIT.STATUS EXAMPLES SEE.ALSO' ;;
	*) sections='NAME DESCRIPTION SEE.ALSO' ;;
	esac
	for section in $sections; do
		grep -qx "\.Sh $section" "$page" || fail "$name has no section $section"
	done
done
[ "$count" -gt 2 ] || fail "only $count pages under $pages"

generator=$top_builddir/maint/diagnostics-page
if [ -x "$generator" ] && "$generator" >"$scratch/page" 2>/dev/null; then
	diff -u "$pages/glacier-diagnostics.7" "$scratch/page" ||
		fail "glacier-diagnostics.7 differs from lib/base/codes.def: run make update-diagnostics"
else
	echo "not tried: maint/diagnostics-page does not run here"
fi

sh "$top_srcdir/maint/rules-list.sh" >"$scratch/rules" || fail "maint/rules-list.sh exits $?"
sed -n '/^\.Sh RULES/,/^\.Sh LIMITS/p' "$pages/gc-spv-val.1" | sed '1,2d;$d' >"$scratch/listed"
diff -u "$scratch/listed" "$scratch/rules" ||
	fail "the rules of gc-spv-val.1 are not those of lib/base/codes.def: run maint/rules-list.sh --update"

[ "$failures" -eq 0 ] || finish
need mandoc
for page in "$pages"/*.[1-9]; do
	# The date is that of the release, which a machine's clock need not have reached.
	mandoc -T lint -W warning "$page" | grep -v 'date in the future\|later than now' >"$scratch/lint"
	[ ! -s "$scratch/lint" ] || fail "$(cat "$scratch/lint")"
done
finish "$count pages"
