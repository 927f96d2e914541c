# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/tests/lib.sh"
example=launch_vulkan target=spirv suffix=spv
. "$top_srcdir/tests/device/launch_example.inc"
