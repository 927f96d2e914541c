# SPDX-License-Identifier: MIT
# The arm64 build: cross-compiled, then run under qemu-user - the plain C tests, and every
# program, whose output must be byte for byte that of this machine's build.
. "${top_srcdir:-.}/tests/lib.sh"

host=aarch64-linux-gnu
need_source
need $host-gcc readelf

# libcJSON for arm64: installed, or Debian's own package unpacked into a folder of ours,
# so that this machine's list of architectures stays as it is.
root=$top_builddir/tests/checks/arm64-root
if [ -f /usr/lib/$host/pkgconfig/libcjson.pc ]; then
	libdir=/usr/lib/$host
else
	libdir=$root/usr/lib/$host
	if [ ! -f "$libdir/pkgconfig/libcjson.pc" ]; then
		need apt-get dpkg-deb
		mkdir -p "$scratch/apt/state/lists/partial" "$scratch/apt/cache/archives/partial" "$root"
		apt="-o Dir::State=$scratch/apt/state -o Dir::State::status=/dev/null -o Dir::Cache=$scratch/apt/cache
			-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= -o Acquire::Retries=1
			-o Acquire::http::Timeout=20"
		(cd "$scratch" && apt-get -qq $apt update && apt-get -qq $apt download libcjson1 libcjson-dev) >"$scratch/out" 2>&1 ||
			skip "libcjson-dev:arm64 cannot be had: $(tail -n 1 "$scratch/out")"
		for package in "$scratch"/libcjson*_arm64.deb; do
			dpkg-deb -x "$package" "$root" || skip "$package cannot be unpacked"
		done
	fi
fi

build=$top_builddir/tests/checks/arm64
mkdir -p "$build" && cd "$build" || exit 99
[ -f Makefile ] || "$top_srcdir/configure" --host=$host --enable-werror \
	--without-criterion --without-spirv-tools --without-vulkan --without-zlib --without-crypto --without-mpi \
	CJSON_CFLAGS="-I$root/usr/include" CJSON_LIBS="-L$libdir -lcjson" LDFLAGS="-Wl,-rpath-link,$libdir" >configure.out 2>&1 ||
	{ tail -n 5 configure.out; fail "configure --host=$host"; finish; }
make -j2 >make.out 2>&1 || { tail -n 20 make.out; fail "make"; finish; }
readelf -h lib/.libs/libglacier.so | grep -q AArch64 || fail "the library is not for arm64"

command -v qemu-aarch64 >/dev/null 2>&1 || { echo "not tried: qemu-aarch64 is not here"; finish "build alone"; }
LD_LIBRARY_PATH=$build/lib/.libs:$libdir
emulate() { qemu-aarch64 -L /usr/$host -E LD_LIBRARY_PATH="$LD_LIBRARY_PATH" "$@"; }

# binary PATH: the program itself, not libtool's wrapper.
binary()
{
	if [ -e "$(dirname "$1")/.libs/$(basename "$1")" ]; then
		echo "$(dirname "$1")/.libs/$(basename "$1")"
	else
		echo "$1"
	fi
}

plain=$(make -s list-plain-tests)
[ -z "$plain" ] || make -j2 $plain >make-tests.out 2>&1 || { tail -n 20 make-tests.out; fail "make of the tests"; }
ran=0
for test in $plain; do
	emulate "$(binary "$test")" >"$scratch/out" 2>&1
	code=$?
	case $code in
	0|77) ran=$((ran + 1)) ;;
	*) tail -n 10 "$scratch/out"; fail "$test exits $code on arm64" ;;
	esac
done
echo "$ran plain tests ran"

same=0
if [ -x src/gc-asm/gc-asm ]; then
	for file in "$top_srcdir"/examples/*.gasm; do
		for target in spirv ptx:sm_90; do
			"$top_builddir/src/gc-asm/gc-asm" "$file" --target=$target -o "$scratch/here" || fail "gc-asm here: $file"
			emulate "$(binary src/gc-asm/gc-asm)" "$file" --target=$target -o "$scratch/there" || fail "gc-asm on arm64: $file"
			cmp "$scratch/here" "$scratch/there" || fail "$(basename "$file") --target=$target differs on arm64"
			same=$((same + 1))
		done
	done
fi
finish "built, $ran plain tests, $same outputs the same"
