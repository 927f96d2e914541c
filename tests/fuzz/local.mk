# SPDX-License-Identifier: MIT
EXTRA_DIST += tests/fuzz/replay.c
