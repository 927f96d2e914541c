# SPDX-License-Identifier: MIT
# The long options of --help, of the manual page and of both completions are the same.
. "${top_srcdir:-.}/tests/lib.sh"

man=${GLACIER_MAN:-$top_srcdir/man}
completions=${GLACIER_COMPLETIONS:-$top_srcdir/completions}
[ -n "$bin_programs" ] || skip "no program is built"

# same WHAT: the list in $scratch/list against that of --help.
same()
{
	sort -u "$scratch/list" >"$scratch/sorted"
	diff "$scratch/help" "$scratch/sorted" >"$scratch/diff" ||
		fail "$name: --help (<) and $1 (>) differ: $(grep '^[<>]' "$scratch/diff" | tr '\n' ' ')"
}

for program in $bin_programs; do
	name=$(basename "$program")
	"$top_builddir/$program" --help >"$scratch/text" || fail "$name --help exits with $?"
	sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' "$scratch/text" | sort -u >"$scratch/help"
	[ "$(wc -l <"$scratch/help")" -ge 8 ] || fail "$name --help has only: $(tr '\n' ' ' <"$scratch/help")"

	sed -n '/^\.It.*Fl -/s/Fl -\([a-z-]\{2,\}\)/\n--\1\n/gp' "$man/$name.1" | grep '^--[a-z]' >"$scratch/list"
	same "the manual page"
	grep -oE -- '--[a-z]+(-[a-z]+)*' "$completions/$name.bash" >"$scratch/list"
	same "bash completion"
	grep -oE -- '--[a-z]+(-[a-z]+)*' "$completions/_$name" >"$scratch/list"
	same "zsh completion"
	if command -v bash >/dev/null; then
		bash -n "$completions/$name.bash" || fail "$name.bash is no bash"
	fi
done
finish
