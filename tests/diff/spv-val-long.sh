# SPDX-License-Identifier: MIT
# As spv-val.sh, with so many mutants that each class has thousands.
SPV_VAL_MUTANTS=${SPV_VAL_MUTANTS:--n 20000}
. "${top_srcdir:-.}/tests/diff/spv-val.sh"
