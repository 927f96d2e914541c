# SPDX-License-Identifier: MIT
# relay.sh with every edge.
GLACIER_EDGES='0 1 2'
export GLACIER_EDGES
exec sh "${top_srcdir:-.}/tests/ranks/relay.sh"
