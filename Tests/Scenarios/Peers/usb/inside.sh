# Runs in the guest, as root: what a photographer does with a cable.
filmgate=/share/filmgate
check() { if [ "$1" -eq 0 ]; then echo "PASS $2"; else echo "FAIL $2"; [ -z "$3" ] || tail -n 20 "$3"; fi; }
# Waits until the command succeeds, 60 seconds at most.
until_ok() { for _ in $(seq 600); do "$@" && return 0; sleep 0.1; done; return 1; }
has() { grep -q "$1" "$2" 2>/dev/null; }
# Every delivered file has a digest that the card has, and all of them are there.
same() { find "$1" -type f -exec sha256sum {} + | cut -d' ' -f1 | sort > /tmp/got; cut -d' ' -f1 /share/digests | sort | cmp -s - /tmp/got; }
delivered() { [ "$(grep -c '"ending":"delivered"' "$1")" -ge "$2" ]; }
large() { [ -n "$(find /tmp/state /tmp/out -name '*.part' -size +4096k 2>/dev/null | head -n 1)" ]; }
count() { tail -n 1 "$1" | grep -o "\"$2\":[0-9]*" | cut -d: -f2; }

cat > /tmp/cable.yaml <<'Y'
version: 1
sources: [{ ptp: { backlog: all } }]
stages: [{ dedupe: {} }, { upload: { to: [out] } }]
targets: { out: { folder: { path: "/tmp/out/{name}", verify: size } } }
Y
files=$(wc -l < /share/digests)

# A run is waiting for whatever is plugged in.
$filmgate run /tmp/cable.yaml --state /tmp/state --json > /tmp/run 2> /tmp/run.errors &
run=$!
$filmgate cameras --watch --json > /tmp/watch 2>&1 &
watch=$!
sleep 1
echo "PLUG one"
until_ok has '"change":"arrived"' /tmp/watch
check $? "the camera is found by hot-plug" /tmp/watch
until_ok delivered /tmp/run 3
check $? "a run takes from it by itself" /tmp/run.errors

# The clip is large enough to be under way when the cable is pulled.
until_ok large
echo "UNPLUG one"
until_ok has '"change":"left"' /tmp/watch
check $? "it is seen to leave" /tmp/watch
echo "PLUG two"
until_ok delivered /tmp/run "$files"
check $? "plugged in again, the run goes on and takes the rest" /tmp/run.errors
same /tmp/out
check $? "every file is byte for byte the card's"
kill "$run" "$watch"
wait "$run"
[ $? -eq 143 ]
check $? "the run ends when it is told to" /tmp/run.errors
tail -n 1 /tmp/run
sizes=$(find /tmp/out -type f -exec stat -c %s {} + | awk '{ sum += $1 } END { print sum }')
[ "$(count /tmp/run bytes_read)" -le "$((sizes + 1048576))" ]
check $? "what had come before the cable was pulled was not read again"

$filmgate cameras --json > /tmp/cameras 2>&1
grep -q '"module":"ptp"' /tmp/cameras
check $? "cameras names the module that takes it" /tmp/cameras
$filmgate cameras --record /share/recording.txt
check $? "a session is recorded"
$filmgate import --camera usb --to /tmp/out2 --verify size --state /tmp/state2 --json > /tmp/import 2>&1
check $? "an import from it needs no pipeline" /tmp/import
same /tmp/out2
check $? "and is byte for byte the card's, too"
$filmgate import --camera "$(grep -o 'usb://[0-9/]*' /tmp/cameras | head -n 1)" --to /tmp/out2 --verify size --state /tmp/state2 --json > /tmp/again 2>&1
check $? "a second import ends well" /tmp/again
[ "$(count /tmp/again delivered)" = 0 ] && [ "$(count /tmp/again bytes_read)" = 0 ]
check $? "and reads nothing"
