#!/bin/sh
# SPDX-License-Identifier: MIT
# Sources that Python's zlib compressed are shown as they were; streams that are none are refused,
# and a size that a part merely claims costs no memory.
. "${top_srcdir:-.}/tests/lib.sh"

need python3
gc_dxbc=$top_builddir/src/gc-dxbc/gc-dxbc
cd "$scratch" || exit 99
base=$(cd "$top_srcdir" && pwd)/examples/debug.dxil
"$gc_dxbc" strip -q --debug "$base" -o base.dxil 2>strip.err || fail "strip: $(cat strip.err)"

# A part SRCI of one section of contents; each argument changes one thing.
cat >make.py <<'END'
import struct, sys, zlib
fault = sys.argv[1]
text = ("// line of a source, 48 bytes with its end ......\n" * 4096).encode() + b"\0"
entry = struct.pack("<III", (12 + len(text) + 3) & ~3, 0, len(text)) + text
entry += b"\0" * (-len(entry) % 4)
stream = zlib.compress(entry, 9)
claimed = len(entry)
if fault == "checksum":
    stream = stream[:-1] + bytes([stream[-1] ^ 1])
elif fault == "cut":
    stream = stream[:-8]
elif fault == "more":
    stream += b"\0" * 4
elif fault == "claims-less":
    claimed -= 4
elif fault == "claims-more":
    claimed += 4
elif fault == "claims-4g":
    claimed = 0xfffffff0
elif fault == "entry":
    stream = zlib.compress(struct.pack("<III", 8, 0, 4) + entry[12:], 9)
size = 8 + 20 + len(stream)
pad = -size % 4
body = struct.pack("<IHH", 8 + size + pad, 0, 1) + struct.pack("<IHH", size + pad, 0, 0)
body += struct.pack("<IHHIII", 20 + len(stream) + pad, 0, 1, len(stream), claimed, 1)
open("srci.bin", "wb").write(body + stream + b"\0" * pad)
open("text", "wb").write(text[:-1])
END
add()
{
	python3 make.py "$1" || exit 99
	"$gc_dxbc" add --part SRCI=srci.bin base.dxil -o "$1.dxil" 2>add.err || fail "$1: add: $(cat add.err)"
}

add good
"$gc_dxbc" inspect --part=SRCI --json --full good.dxil >good.json 2>good.err || fail "good: $(cat good.err)"
if grep -q 'not without zlib' good.json; then
	skip "zlib is not installed"
fi
python3 - <<'END' || fail "the source is not the one that was compressed"
import json
def texts(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "text":
                yield value
            yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)
assert list(texts(json.load(open("good.json")))) == [open("text").read()]
END
"$gc_dxbc" verify -q good.dxil 2>good.err || fail "good: verify: $(cat good.err)"
for fault in checksum cut more claims-less claims-more claims-4g entry; do
	add "$fault"
	([ -n "$SANITIZERS" ] || ulimit -v 400000; "$gc_dxbc" verify -q "$fault.dxil") 2>"$fault.err"
	[ $? = 1 ] || fail "$fault: exit $?: $(cat "$fault.err")"
	grep -q '^[^:]*:0x[0-9a-f]*: error: .*\[DX0020\]$' "$fault.err" || fail "$fault: $(cat "$fault.err")"
done
finish
