# SPDX-License-Identifier: MIT
# A machine without Vulkan: no library, no driver. The reason is told, nothing else changes.
. "${top_srcdir:-.}/tests/lib.sh"

program=$top_builddir/tests/device/vulkan_arrays
[ -x "$program" ] || skip "this build has no Vulkan device"

# try CODE WORDS: the program ends with the code and says the words.
try()
{
	"$program" >"$scratch/out" 2>&1
	code=$?
	[ $code -eq "$1" ] || fail "the exit status is $code, not $1: $(cat "$scratch/out")"
	grep -q "$2" "$scratch/out" || fail "'$2' is not said: $(cat "$scratch/out")"
}

# A file that is no library stands where the loader looks first.
mkdir "$scratch/lib"
echo "no library" >"$scratch/lib/libvulkan.so.1"
path=$LD_LIBRARY_PATH
LD_LIBRARY_PATH=$scratch/lib${path:+:$path}
export LD_LIBRARY_PATH
try 77 'libvulkan.so.1 cannot be opened'
LD_LIBRARY_PATH=$path

# The library is there, and no driver is.
VK_ICD_FILENAMES=$scratch/none.json
VK_DRIVER_FILES=$scratch/none.json
export VK_ICD_FILENAMES VK_DRIVER_FILES
"$program" >"$scratch/out" 2>&1
code=$?
[ $code -eq 77 ] || fail "without a driver the exit status is $code: $(cat "$scratch/out")"
grep -qE 'no Vulkan driver can be used: vkCreateInstance gives VK_ERROR_INCOMPATIBLE_DRIVER|there is no device vulkan:0|libvulkan' "$scratch/out" ||
	fail "without a driver: $(cat "$scratch/out")"
finish
