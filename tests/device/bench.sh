# SPDX-License-Identifier: MIT
# gc-run --bench: every case that is asked for, as JSON and as a chart, by one clock.
. "${top_srcdir:-.}/tests/lib.sh"

gc_run=$top_builddir/src/gc-run/gc-run
"$gc_run" --bench --runs=2 -d cpu --threads=1 --json --plot="$scratch/chart.svg" empty saxpy_1M reduce_stride_1M \
	>"$scratch/json" || fail "the exit status is $?"
for key in '"schema":"glacier-run-bench"' '"case":"empty"' '"case":"saxpy_1M"' '"case":"reduce_stride_1M"' \
	'"device":"cpu/1"' '"driver":"' '"parse_ns":' '"check_ns":' '"passes_ns":' '"write_ns":' '"driver_ns":' \
	'"median_ns":' '"mad_ns":' '"queued_ns":' '"device_ns":' '"runs":2' '"elems":1048576' '"bytes":12582912' \
	'"same":true'; do
	tr -d ' \n' <"$scratch/json" | grep -qF "$key" || fail "no $key in $(cat "$scratch/json")"
done
grep -q 'vecadd' "$scratch/json" && fail "a case that was not asked for is there"
grep -c '<rect' "$scratch/chart.svg" | grep -qx 5 || fail "the chart has not 3 bars: $(cat "$scratch/chart.svg")"
if command -v xmllint >/dev/null; then
	xmllint --noout "$scratch/chart.svg" || fail "the chart is no XML"
fi

"$gc_run" --bench --runs=1 -d cpu --threads=1 empty >"$scratch/text" || fail "the exit status is $?"
grep -q '^empty  *cpu/1  *1 ' "$scratch/text" || fail "no row: $(cat "$scratch/text")"
finish
