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
sources=0
for file in $(find lib src include -name '*.[ch]' -o -name '*.def' -o -name '*.inc' | sort); do
	folder=$(echo "$file" | cut -d/ -f1-2)
	case $file in include/*) folder=include ;; esac
	allowed=$(echo "$rules" | sed -n "s|^$folder: ||p")
	[ -n "$allowed" ] || { fail "$file: folder $folder has no rule"; continue; }
	sources=$((sources + 1))
	for name in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$file"); do
		case $name in
		config.h) continue ;;
		*/*) from=${name%%/*} ;;
		*)
			from=${folder#*/}
			case $folder in
			lib/*) fail "$file includes \"$name\": write \"$from/$name\""; continue ;;
			esac ;;
		esac
		case " $allowed " in
		*" $from "*) ;;
		*) fail "$file includes \"$name\": $folder may include from: $allowed" ;;
		esac
	done
	# <glacier/...> is for everybody, but no public header shows a private one.
	for name in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*<\([^>]*\)>.*/\1/p' "$file"); do
		case $name in
		base/*|ir/*|compile/*|ptx/*|spirv/[a-z]*.h|common/*)
			[ "$name" = spirv/unified1/spirv.h ] || fail "$file includes <$name>: quote it" ;;
		esac
	done
done
[ $sources -gt 10 ] || fail "only $sources sources found under $tree"
finish "$sources sources"
