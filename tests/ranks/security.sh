# SPDX-License-Identifier: MIT
# Strangers at the port change nothing; another token, a missing one and a readable file are
# refused; ports in use and hosts without one family are borne.
. "${top_srcdir:-.}/tests/ranks/lib.sh"

need timeout
cd "$scratch" || exit 99
token=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
port=$((23000 + $$ % 8000))
floats in.0 1 2
floats in.1 10 20
floats in.2 100 200
floats want 111 222

# ranks EXTRA...: starts three ranks by hand; messages go to log.N.
ranks()
{
	rm -f out.* log.*
	for rank in 0 1 2; do
		GLACIER_RANK=$rank GLACIER_SIZE=3 GLACIER_ADDR="$address" GLACIER_JOB_TOKEN=$(eval echo "\${token_$rank-$token}") \
			timeout -k 1 40 "$program" --timeout=2 -i in.%r --type=f32 -o out.%r "$@" >log.$rank 2>&1 &
		eval "rank_$rank=$!"
	done
}

# all_good WHAT: each ends with 0 and the right sum.
all_good()
{
	for rank in 0 1 2; do
		eval "wait \$rank_$rank"
		code=$?
		[ $code -eq 0 ] && cmp want out.$rank || fail "$1, rank $rank: exit status $code: $(cat log.$rank)"
	done
}

address=127.0.0.1:$port
ranks
all_good "three ranks"
# A name that may stand for addresses of both families.
port=$((port + 1))
address=localhost:$port
ranks --channels=3
all_good "localhost"

# IPv6 alone, where there is one.
if grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
	port=$((port + 1))
	address="[::1]:$port"
	ranks
	all_good "IPv6"
fi
# A port that is taken: 7, and the reason.
port=$((port + 1))
GLACIER_RANK=0 GLACIER_SIZE=2 GLACIER_ADDR=127.0.0.1:$port timeout -k 1 40 "$program" -b 8 -e 8 >first 2>&1 &
first=$!
tries=0
while ! grep -q "$(printf ':%04X 00000000:0000 0A' $port)" /proc/net/tcp && [ $tries -lt 100 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
GLACIER_RANK=0 GLACIER_SIZE=2 GLACIER_ADDR=127.0.0.1:$port timeout -k 1 40 "$program" -b 8 -e 8 >log 2>&1
code=$?
[ $code -eq 7 ] && grep -q 'in use' log || fail "a port in use: exit status $code: $(cat log)"
kill $first
wait $first

# A thousand strangers of five kinds while ranks join: the last one is late.
port=$((port + 1))
address=127.0.0.1:$port
mv in.2 late
mkfifo in.2
timeout 20 "$top_builddir/tests/ranks/stranger" $port 1000 >strangers 2>&1 &
strangers=$!
sleep 0.2
ranks
cat late >in.2
all_good "with strangers"
wait $strangers
grep -q '[1-9][0-9]* connected' strangers || fail "no stranger came: $(cat strangers)"
rm in.2
mv late in.2

# Another token: 6.
port=$((port + 1))
address=127.0.0.1:$port
token_1=ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
ranks
wait $rank_1
code=$?
[ $code -eq 6 ] && grep -q "does not know the job's token" log.1 || fail "another token: exit status $code: $(cat log.1)"
# The others would wait for the right rank 1 until their time is over.
kill $rank_0 $rank_2
wait $rank_0 $rank_2
ls out.* >/dev/null 2>&1 && fail "another token: there are results"
unset token_1

# No token, and an address that is not loopback.
GLACIER_RANK=0 GLACIER_SIZE=2 GLACIER_ADDR=192.0.2.1:5000 "$program" -b 8 -e 8 >log 2>&1
code=$?
[ $code -eq 6 ] && grep -q 'not a loopback address' log || fail "no token: exit status $code: $(cat log)"
# A token that others may read, and one that is none.
echo $token >token
chmod 644 token
GLACIER_RANK=0 GLACIER_SIZE=2 GLACIER_ADDR=127.0.0.1:5000 "$program" --token-file=token -b 8 -e 8 >log 2>&1
code=$?
[ $code -eq 2 ] && grep -q 'chmod 600' log || fail "a readable token: exit status $code: $(cat log)"
finish
