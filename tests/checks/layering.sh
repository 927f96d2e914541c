# SPDX-License-Identifier: MIT
# Who may include whom. The table is the rule; a folder that is not in it is an error.
. "${top_srcdir:-.}/tests/lib.sh"

tree=${GLACIER_TREE:-$top_srcdir}

# folder: the folders it may include from, its own among them. Library files name
# everything as "folder/file.h", programs name src/common as "common/file.h" and their own
# files bare; anybody may use <glacier/...> and the system's headers.
rules='
lib/base: base
lib/ir: ir base
lib/ptx: ptx ir base
lib/spirv: spirv ir base
lib/msl: msl ir base
lib/compile: compile ptx spirv msl ir base
lib/arena: arena base
lib/driver: driver base
lib/collective: collective driver base
lib/device: device compile arena ptx spirv ir driver base
lib/dxbc: dxbc base
lib/dxil: dxil dxbc ir base
src/common: common
src/gc-asm: common gc-asm
src/gc-spv-val: common gc-spv-val
src/gc-dxbc: common gc-dxbc
src/gc-arena-bench: common gc-arena-bench
src/gc-allreduce: common gc-allreduce
src/gc-run: common gc-run
include: none
'

cd "$tree" || exit 99
# One process for all of them: there are hundreds.
find lib src include -name '*.[ch]' -o -name '*.def' -o -name '*.inc' | sort >"$scratch/files"
# shellcheck disable=SC2046 # the sources' names have no blanks
awk -v rules="$rules" '
	BEGIN {
		n = split(rules, lines, "\n")
		for (i = 1; i <= n; i++)
			if ((colon = index(lines[i], ": ")))
				allowed[substr(lines[i], 1, colon - 1)] = substr(lines[i], colon + 2)
	}
	FNR == 1 {
		split(FILENAME, part, "/")
		folder = part[1] == "include" ? "include" : part[1] "/" part[2]
		known = folder in allowed
		if (known)
			sources++
		else
			print FILENAME ": folder " folder " has no rule"
	}
	!known || !/^[ \t]*#[ \t]*include[ \t]*["<]/ {next}
	{
		quoted = $0 ~ /^[ \t]*#[ \t]*include[ \t]*"/
		name = $0
		sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", name)
		sub(/[">].*/, "", name)
		if (name == "config.h" && quoted)
			next
	}
	# <glacier/...> is for everybody, but no public header shows a private one.
	!quoted {
		if (name ~ /^(base|ir|compile|ptx|common)\// || (name ~ /^spirv\/[a-z].*\.h$/ && name != "spirv/unified1/spirv.h"))
			print FILENAME " includes <" name ">: quote it"
		next
	}
	{
		from = name ~ /\// ? name : folder
		sub(name ~ /\// ? "/.*" : "^[^/]*/", "", from)
		if (name !~ /\// && folder ~ /^lib\//)
			print FILENAME " includes \"" name "\": write \"" from "/" name "\""
		else if (index(" " allowed[folder] " ", " " from " ") == 0)
			print FILENAME " includes \"" name "\": " folder " may include from: " allowed[folder]
	}
	END {print sources + 0 >"'"$scratch/sources"'"}' $(cat "$scratch/files") >"$scratch/found"
while read -r line; do
	fail "$line"
done <"$scratch/found"
sources=$(cat "$scratch/sources")
[ "$sources" -gt 10 ] || fail "only $sources sources found under $tree"
finish "$sources sources"
