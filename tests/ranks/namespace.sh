# SPDX-License-Identifier: MIT
# A network of one's own, where the kernel lets users have one: addresses that are not loopback, a rank on each; a host
# without IPv6; a link that is slow and loses packets; and no crypto library, which takes no network.
. "${top_srcdir:-.}/tests/ranks/lib.sh"

need timeout
case $program in /*) ;; *) program=$PWD/$program ;; esac
cd "$scratch" || exit 99
floats in.0 1 2
floats in.1 10 20
floats in.2 100 200
floats want 111 222
token=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
export token program

# --- Without a crypto library: a file that is none stands where the loader looks first -------------------------------
mkdir lib
for name in libcrypto.so.3 libcrypto.so.1.1; do
	echo "no library" >lib/$name
done
without="env LD_LIBRARY_PATH=$scratch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
GLACIER_RANK=0 GLACIER_SIZE=2 GLACIER_ADDR=192.0.2.1:5000 GLACIER_JOB_TOKEN=$token $without "$program" -b 8 -e 8 >log 2>&1
code=$?
[ $code -eq 6 ] && grep -q 'there is no libcrypto' log || fail "no crypto library: exit status $code: $(cat log)"
# Between ranks of one launcher on loopback there is nothing that needs it.
$without timeout -s KILL 40 "$program" -n 3 --transport=tcp -i in.%r --type=f32 -o out.%r >log 2>&1 ||
	fail "loopback without a crypto library: exit status $?: $(cat log)"
cmp want out.1
[ $? -eq 0 ] || fail "loopback without a crypto library: the result is wrong"

# --- Namespaces ------------------------------------------------------------------------------------------------------
tried='no crypto library'
if ! command -v unshare >/dev/null || ! command -v ip >/dev/null; then
	finish "$tried; no unshare or no ip: no namespaces"
fi
unshare -rn ip link set lo up 2>/dev/null || finish "$tried; the kernel gives users no network namespaces"

# inside WHAT SETUP ADDRESS OPTION...: three ranks in a namespace that SETUP prepares; rank R has R in place of @.
cat >ranks <<'END'
setup=$1 address=$2
shift 2
ip link set lo up
eval "$setup" || exit 77
for rank in 0 1 2; do
	options=$(echo "$*" | sed "s/@/$((rank + 1))/g")
	GLACIER_RANK=$rank GLACIER_SIZE=3 GLACIER_ADDR=$address GLACIER_JOB_TOKEN=$token \
		timeout -s KILL 40 "$program" --timeout=5 -i in.%r --type=f32 -o out.%r $options >log.$rank 2>&1 &
	eval "rank_$rank=$!"
done
for rank in 0 1 2; do
	eval "wait \$rank_$rank" || { echo "rank $rank exits $?: $(cat log.$rank)"; exit 1; }
done
END
inside()
{
	what=$1
	shift
	rm -f out.*
	unshare -rn sh ranks "$@" >log 2>&1
	code=$?
	[ $code -ne 77 ] || { tried="$tried; not $what, which this kernel lacks"; return; }
	[ $code -eq 0 ] || fail "$what: $(cat log)"
	for rank in 0 1 2; do
		cmp want out.$rank || fail "$what: rank $rank"
	done
	tried="$tried, $what"
}
several='for i in 1 2 3; do ip addr add 10.77.0.$i/24 dev lo; done'
inside 'several addresses' "$several" 10.77.0.1:7000 --bind=10.77.0.@
inside 'several addresses and channels' "$several" 10.77.0.1:7000 --channels=2 --port-base=7100 --algo=ring
inside 'no IPv6' 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 2>/dev/null || [ ! -e /proc/sys/net/ipv6 ]' localhost:7000
inside 'IPv6 addresses' 'for i in 1 2 3; do ip -6 addr add fd00:77::$i/64 dev lo nodad 2>/dev/null || exit 77; done' '[fd00:77::1]:7000' \
	--bind=fd00:77::@
inside 'a slow link with losses' 'tc qdisc add dev lo root netem delay 2ms 1ms loss 2% duplicate 1% reorder 5% 2>/dev/null || exit 77' \
	127.0.0.1:7000 --algo=ring
finish "$tried"
