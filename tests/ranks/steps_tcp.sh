# SPDX-License-Identifier: MIT
# steps.sh over TCP.
GLACIER_STEPS='3:tcp:ring:9'
export GLACIER_STEPS
exec sh "${top_srcdir:-.}/tests/ranks/steps.sh"
