# SPDX-License-Identifier: MIT
# The tables of SPIR-V's grammar are what the generator makes of the installed grammar, when
# it is of the version that they were made of.
. "${top_srcdir:-.}/tests/lib.sh"

grammar=${GLACIER_GRAMMAR:-/usr/include/spirv/unified1}
need python3
[ -f "$grammar/spirv.core.grammar.json" ] || skip "SPIR-V's grammar (spirv-headers) is not here"
revision=$(sed -n 's/.*from grammar \(1\.[0-9]* revision [0-9]*\);.*/\1/p' "$top_srcdir/lib/spirv/grammar.inc")
[ -n "$revision" ] || fail "lib/spirv/grammar.inc does not say of which grammar it is made"
python3 "$top_srcdir/maint/spirv-grammar.py" "$grammar" "$scratch" || fail "the generator exits $?"
made=$(sed -n 's/.*from grammar \(1\.[0-9]* revision [0-9]*\);.*/\1/p' "$scratch/grammar.inc")
[ "$made" = "$revision" ] || skip "the grammar here is $made; the tables are made of $revision"
for file in grammar.inc grammar_enum.h; do
	cmp "$top_srcdir/lib/spirv/$file" "$scratch/$file" || fail "run maint/spirv-grammar.py: $file differs"
done
finish "grammar $revision"
