#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [--update] [--bindir=DIR] [--release=VERSION] TEST.test - run one golden test.
#
# TEST.test is what a user would type. It runs in an empty folder of its own with the
# programs on PATH and $DATA naming tests/data. TEST.out beside it holds what it prints
# on stdout, then on stderr, then [exit N]; --update rewrites it. Exit 77 is "skipped".

update= bindir= release=
while :; do
	case $1 in
	--update) update=yes ;;
	--bindir=*) bindir=${1#*=} ;;
	--release=*) release=${1#*=} ;;
	*) break ;;
	esac
	shift
done
folder=$(CDPATH= cd -- "$(dirname -- "$1")" && pwd) || exit 99
test=$folder/$(basename -- "$1")
expected=${test%.test}.out
DATA=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)/data
export DATA

# Built programs lie in one folder each; installed ones in --bindir.
if [ -n "$bindir" ]; then
	PATH=$bindir:$PWD/tests/cli:$PATH
else
	for folder in "$PWD"/src/gc-*/; do
		PATH=${folder%/}:$PATH
	done
	PATH=$PWD/tests/cli:$PATH
fi
export PATH

# What a user's environment would change.
unset NO_COLOR POSIXLY_CORRECT GLACIER_CORPUS MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
TERM=dumb LC_ALL=C
export TERM LC_ALL
umask 022

scratch=$(mktemp -d "${TMPDIR:-/tmp}/glacier-cli.XXXXXX") || exit 99
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
mkdir "$scratch/run" && cd "$scratch/run" || exit 99

# A sanitizer's report counts even when the test looks at no stderr.
for name in ASAN UBSAN LSAN TSAN; do
	eval "${name}_OPTIONS=\${${name}_OPTIONS:+\$${name}_OPTIONS:}log_path=$scratch/report"
	export "${name}_OPTIONS"
done

limit=
command -v timeout >/dev/null && limit='timeout -k 5 60'
$limit sh "$test" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
code=$?
for report in "$scratch"/report*; do
	[ ! -e "$report" ] || { cat "$report"; exit 1; }
done
if [ $code -eq 77 ]; then
	cat "$scratch/stdout"
	exit 77
fi
{
	cat "$scratch/stdout" "$scratch/stderr"
	echo "[exit $code]"
} | sed -e "s|$DATA/||g" ${release:+-e "s|$(echo "$release" | sed 's/\./\\./g')|@VERSION@|g"} >"$scratch/out"

if [ -n "$update" ]; then
	cmp -s "$expected" "$scratch/out" && exit 0
	echo "updated $expected"
	cat "$scratch/out" >"$expected"
	exit
fi
diff -uN "$expected" "$scratch/out"
