# SPDX-License-Identifier: MIT
# steps.sh with two to four ranks, every algorithm, and a stop at every second or third step.
GLACIER_STEPS='2:shm:fold:2 4:shm:fold:3 3:shm:ring:3 4:shm:doubling:5 2:tcp:ring:5 4:tcp:ring:9 3:tcp:doubling:7'
export GLACIER_STEPS
exec sh "${top_srcdir:-.}/tests/ranks/steps.sh"
