# SPDX-License-Identifier: MIT
# As replay.sh, for a minute each and with other random numbers.
GLACIER_REPLAY=${GLACIER_REPLAY:--s 2 -t 60}
. "${top_srcdir:-.}/tests/fuzz/replay.sh"
