# Runs in the guest, as root: what a photographer does with a cable.
filmgate=/share/filmgate
check() { if [ "$1" -eq 0 ]; then echo "PASS $2"; else echo "FAIL $2"; [ -z "$3" ] || tail -n 20 "$3"; fi; }
# until COMMAND: waits until it succeeds, 40 seconds at most.
until_ok() { for _ in $(seq 400); do "$@" && return 0; sleep 0.1; done; return 1; }
has() { grep -q "$1" "$2" 2>/dev/null; }
# Every delivered file has a digest that the card has, and all of them are there.
same() { find "$1" -type f -exec sha256sum {} + | cut -d' ' -f1 | sort > /tmp/got; cut -d' ' -f1 /share/digests | sort | cmp -s - /tmp/got; }

$filmgate --version || { echo "FAIL the program starts"; exit 1; }

$filmgate cameras --json > /tmp/none 2>&1
check $? "without a camera, cameras ends well" /tmp/none
$filmgate cameras --watch --json > /tmp/watch 2>&1 &
watch=$!
sleep 0.5
echo "PLUG one"
until_ok has '"change":"arrived"' /tmp/watch
check $? "the camera is found by hot-plug" /tmp/watch
$filmgate cameras --json > /tmp/cameras 2>&1
check $? "cameras ends well" /tmp/cameras
grep -q '"module":"ptp"' /tmp/cameras
check $? "the ptp module takes it" /tmp/cameras
$filmgate cameras

# The clip is large enough to be under way when the cable is pulled.
address=$(grep -o 'usb://[0-9/]*' /tmp/cameras | head -n 1)
$filmgate import --camera "$address" --to /tmp/out --verify size --state /tmp/state --json -v > /tmp/import 2> /tmp/import.errors &
import=$!
grown() { size=$(find /tmp/out /tmp/state -name '*.part' -size +4096k 2>/dev/null | head -n 1); [ -n "$size" ] || ! kill -0 $import 2>/dev/null; }
until_ok grown
echo "UNPLUG one"
until_ok has '"change":"left"' /tmp/watch
check $? "it is seen to leave" /tmp/watch
sleep 1
echo "PLUG two"
wait $import
check $? "the import survives the unplugging" /tmp/import.errors
grep -e '"error"' -e '"pending","reason"' /tmp/import
tail -n 1 /tmp/import
cut -c1-300 /tmp/watch; same /tmp/out
check $? "every file is byte for byte the card's"
kill $watch

$filmgate import --camera "$(grep -o 'usb://[0-9/]*' /tmp/watch | tail -n 1)" --to /tmp/out --verify size --state /tmp/state --json > /tmp/again 2>&1
check $? "a second import ends well"
tail -n 1 /tmp/again | grep -q '"delivered":0,'
check $? "and takes nothing again"
