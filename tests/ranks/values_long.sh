# SPDX-License-Identifier: MIT
# values.sh with every number of ranks, type and operation.
GLACIER_RANKS='1 2 3 4 5 6 7 8 9'
GLACIER_TYPES='f32 f64 f16 bf16 i8 u8 i32 u32 i64 u64'
GLACIER_OPS='sum prod avg min max minnum maxnum'
export GLACIER_RANKS GLACIER_TYPES GLACIER_OPS
exec sh "${top_srcdir:-.}/tests/ranks/values.sh"
