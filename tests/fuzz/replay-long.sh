# SPDX-License-Identifier: MIT
# As replay.sh, for 20 s each and with other random numbers.
GLACIER_REPLAY=${GLACIER_REPLAY:--s 2 -t 20}
. "${top_srcdir:-.}/tests/fuzz/replay.sh"
