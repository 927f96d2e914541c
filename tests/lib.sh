# SPDX-License-Identifier: MIT
# What the shell tests share; sourced by them. Automake passes the folders in the
# environment; a test started by hand from the build folder finds them itself.

: "${top_builddir:=$PWD}"
: "${top_srcdir:=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)}"
test_name=$(basename "$0")
test_name=${test_name%.sh}
failures=0

# Messages and numbers compare the same everywhere.
LC_ALL=C
export LC_ALL

# skip REASON: the test could not be tried.
skip() { echo "SKIP: $*"; exit 77; }

# fail REASON: count a failure and go on; finish decides.
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

# finish [WHAT]: the end of every test.
finish()
{
	if [ "$failures" -ne 0 ]; then
		echo "$test_name: $failures failed"
		exit 1
	fi
	echo "$test_name: passed${1:+: $1}"
	exit 0
}

# need TOOL...: skip unless each is a command or an executable file.
need()
{
	for tool; do
		command -v "$tool" >/dev/null 2>&1 || skip "$tool is not here"
	done
}

# need_source: skip unless another build can be configured from the same source folder;
# that build must not take over this one's compiler, flags or job server.
need_source()
{
	unset CC CXX CFLAGS CPPFLAGS LDFLAGS CJSON_CFLAGS CJSON_LIBS MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
	[ -x "$top_srcdir/configure" ] || skip "there is no configure"
	[ ! -f "$top_srcdir/config.status" ] || skip "the source folder itself is configured; build in another one"
}

# A folder of the test's own, removed at its end.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/glacier-$test_name.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
