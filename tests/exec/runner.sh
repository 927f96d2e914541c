# SPDX-License-Identifier: MIT
# The runner itself, on kernels written by hand: values from closed forms, refusals by code.
. "${top_srcdir:-.}/tests/lib.sh"

exec=$top_builddir/tests/exec/glacier-exec
[ -x "$exec" ] || skip "glacier-exec is not built: no Vulkan headers"
need spirv-as
cd "$scratch" || exit 99

for name in vector_add spec; do
	spirv-as --target-env vulkan1.3 "$top_srcdir/tests/exec/data/$name.spvasm" -o $name.spv ||
		fail "spirv-as refuses $name.spvasm"
done

# 1,000 elements in 16 groups of 64: the last group is partly idle, the rest stays zero.
"$exec" vector_add.spv -g 16 -b 0:0=iota:f32:1000 -b 0:1=iota:f32:1000 -b 0:2=zero:4000 \
	-p u32:900 -P 0:2=f32 -o 0:2=sum.bin >got 2>err
code=$?
[ $code -eq 77 ] && skip "$(cat err)"
[ $code -eq 0 ] || fail "vector_add exits $code: $(cat err)"
awk 'BEGIN { for (i = 0; i < 1000; i++) print i < 900 ? 2 * i : 0 }' >want
cmp want got || fail "vector_add is not a[i] + b[i]"
[ "$(wc -c <sum.bin)" -eq 4000 ] || fail "-o wrote $(wc -c <sum.bin) bytes, not 4000"

# Buffers come back in: sum.bin + 1.5, three times over the same buffers.
"$exec" vector_add.spv -e vector_add -g 1 -r 3 -b 0:0=sum.bin -b 0:1=fill:f32:1.5:64 -b 0:2=zero:256 \
	-p u32:64 -P 0:2=f32:64 >got || fail "a file as input exits $?"
awk 'BEGIN { for (i = 0; i < 64; i++) print 2 * i + 1.5 }' >want
cmp want got || fail "a file as input gives other values"

# Set 1, binding 5; a 64-bit constant beyond 2^32; workgroups of 16 by LocalSizeId.
"$exec" spec.spv -g 2 -s 3=u32:16 -s 7=i64:-4294967299 -b 1:5=zero:256 -P 1:5=i64 >got 2>err
code=$?
if [ $code -eq 77 ]; then
	echo "not tried: $(cat err)"
else
	[ $code -eq 0 ] || fail "spec exits $code: $(cat err)"
	i=0
	while [ $i -lt 32 ]; do echo $((-4294967299 * i + 16)); i=$((i + 1)); done >want
	cmp want got || fail "spec is not K*i + 16"
fi

# expect CODE TEXT ARGUMENT...: refused, with that exit status and that text on stderr.
expect()
{
	want_code=$1 text=$2
	shift 2
	"$exec" "$@" >got 2>err
	code=$?
	[ $code -eq "$want_code" ] || fail "exit $code, not $want_code: $*"
	grep -q "$text" err || fail "no '$text' in: $(cat err)"
	[ -s got ] && fail "output in spite of an error: $*"
}
printf 'not SPIR-V at all....' >garbage.spv
head -c 200 vector_add.spv >cut.spv
expect 1 'no SPIR-V module' garbage.spv -g 1
expect 1 'is cut off' cut.spv -g 1
expect 1 "no compute entry point 'nobody'" vector_add.spv -e nobody -g 1
expect 1 'two buffers for set 0, binding 0' vector_add.spv -g 1 -b 0:0=zero:4 -b 0:0=zero:4
expect 2 'is no type' vector_add.spv -g 1 -p f31:1
expect 2 'No such file' vector_add.spv -g 1 -b 0:0=missing.bin
expect 2 'is needed' vector_add.spv
GLACIER_VK_DEVICE=31
export GLACIER_VK_DEVICE
expect 77 'GLACIER_VK_DEVICE is 31' vector_add.spv -g 1
unset GLACIER_VK_DEVICE

# The library in one process: sizes, pipelines and memory changing from run to run.
"$top_builddir/tests/exec/test-vk" vector_add.spv spec.spv || fail "test-vk exits $?"
# The same under the validation layer, where there is one: the runner's own calls are valid.
GLACIER_VK_VALIDATE=1 "$top_builddir/tests/exec/test-vk" vector_add.spv spec.spv >got 2>&1
case $? in
0) ;;
77) echo "not tried: $(cat got)" ;;
*) fail "under validation: $(cat got)" ;;
esac
finish "$("$exec" vector_add.spv -d -g 1 -b 0:0=zero:4 -b 0:1=zero:4 -b 0:2=zero:4 -p u32:0)"
