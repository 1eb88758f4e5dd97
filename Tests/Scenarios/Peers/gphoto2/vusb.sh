#!/usr/bin/env bash
# libgphoto2's own virtual USB camera through the gphoto2 source: vusb.sh FILMGATE
# The camera is a port driver inside libgphoto2; Debian does not ship it, so it is built from Debian's source package, once, below .build/vusb.
# Our process around libgphoto2 is the distribution's library with that one driver. What is checked: found, listed, imported byte for
# byte, known the second time, and a process that is killed in the middle costs nothing but itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../../.."
filmgate=$(realpath "${1:?usage: vusb.sh FILMGATE}")
cache=$PWD/.build/vusb
card=$cache/installed/card
child=$(dirname "$filmgate")/filmgate-gphoto2
[ -x "$child" ] || child=$(dirname "$filmgate")/../libexec/filmgate/filmgate-gphoto2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Fetches the source package with package lists of its own; the system's stay as they are.
fetch() {
    mkdir -p "$scratch/lists/partial" "$cache/source"
    sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources > "$scratch/debian.sources"
    local apt=(apt-get -q -o "Dir::Etc::SourceList=$scratch/debian.sources" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$scratch/lists" -o APT::Sandbox::User=root)
    "${apt[@]}" update
    (cd "$cache/source" && "${apt[@]}" source libgphoto2)
}

build() {
    mkdir -p "$cache/source"
    ls -d "$cache"/source/libgphoto2-*/ > /dev/null 2>&1 || fetch
    local source
    source=$(ls -d "$cache"/source/libgphoto2-*/)
    # As shipped the driver answers from a fuzzer's file; this chooses the camera that follows a script.
    sed -i 's/^#undef FUZZ_PTP/#define FUZZ_PTP/' "$source/libgphoto2_port/vusb/vcamera.h"
    mkdir -p "$cache/build"
    cd "$cache/build"
    "$source/configure" --prefix="$cache/installed" --enable-vusb --with-camlibs=ptp2 --disable-nls --disable-static \
        --without-libusb-1.0 --without-libusb --disable-serial --disable-disk --disable-usbdiskdirect --disable-usbscsi
    make -j"$(nproc)" "vcameradir=$card"
    make install "vcameradir=$card"
    cd - > /dev/null
}

driver() { find "$cache/installed/lib/libgphoto2_port" -name vusb.so 2> /dev/null | head -n 1; }
if [ -z "$(driver)" ]; then
    echo "vusb: building libgphoto2's virtual camera; about a minute, once" >&2
    build > "$scratch/build.log" 2>&1 || { tail -n 30 "$scratch/build.log" >&2; exit 1; }
fi
# Only the one driver: every device that libgphoto2 then sees is the virtual camera.
mkdir -p "$scratch/drivers"
cp "$(driver)" "$scratch/drivers/"
export IOLIBS=$scratch/drivers FILMGATE_GPHOTO2=$child

failed=0 passed=0
check() { if [ "$1" -eq 0 ]; then passed=$((passed + 1)); echo "ok   $2"; else failed=$((failed + 1)); echo "FAIL $2"; fi; }
state=$scratch/state
run() { "$filmgate" "$@" --state "$state" --json; }
digests() { find "$1" -type f -name '*.JPG' -exec sha256sum {} + | cut -d' ' -f1 | sort; }
count() { tail -n 1 "$1" | grep -o "\"$2\":[0-9]*" | cut -d: -f2; }

rm -rf "$card"
mkdir -p "$card/DCIM/100TESTS" "$card/DCIM/101TESTS"
for number in $(seq 1 12); do
    { printf '\xff\xd8\xff\xe0'; head -c $((150000 + number)) /dev/urandom; printf '\xff\xd9'; } > "$card/DCIM/100TESTS/DSC_00$(printf %02d "$number").JPG"
done
{ printf '\xff\xd8\xff\xe0'; head -c 100000000 /dev/urandom; printf '\xff\xd9'; } > "$card/DCIM/101TESTS/DSC_0099.JPG"
digests "$card" > "$scratch/wanted"

run cameras > "$scratch/cameras"
grep -q '"id":"usb://001/001".*"module":"gphoto2"' "$scratch/cameras"
check $? "the camera is found, and gphoto2 takes it"
"$filmgate" cameras --state "$scratch/state"

run import --camera usb --via gphoto2 --to "$scratch/out" --verify size > "$scratch/first" 2> "$scratch/first.errors" || true
digests "$scratch/out" | cmp -s - "$scratch/wanted"
check $? "every JPEG on it is imported byte for byte"
tail -n 1 "$scratch/first"

run import --camera usb://001/001 --via gphoto2 --to "$scratch/out" --verify size > "$scratch/second" 2>&1 || true
[ "$(count "$scratch/second" delivered)" = 0 ] && [ "$(count "$scratch/second" bytes_read)" = 0 ]
check $? "the second time everything is known, nothing is read"

# The process is killed while it sends the large file: the run starts another one and ends as if nothing had been.
state=$scratch/state2
"$filmgate" import --camera usb --via gphoto2 --state "$state" --json --to "$scratch/again" --verify size > "$scratch/third" 2> "$scratch/third.errors" &
import=$!
killed=1
for _ in $(seq 3000); do
    kill -0 "$import" 2> /dev/null || break
    if [ -n "$(find "$scratch/again" "$scratch/state2" -name '*.part' -size +2000k 2> /dev/null)" ]; then
        # shellcheck disable=SC2046 # one id
        kill -KILL $(pgrep -P "$import") && killed=0
        break
    fi
    sleep 0.002
done
wait "$import" || true
check $killed "its process was killed in the middle of a file"
digests "$scratch/again" | cmp -s - "$scratch/wanted"
check $? "and still every JPEG is there, byte for byte"
tail -n 1 "$scratch/third"

echo "vusb: $passed checks passed, $failed failed"
[ "$failed" -eq 0 ]
