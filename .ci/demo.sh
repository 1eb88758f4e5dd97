#!/usr/bin/env bash
# A sample card through pipelines/quickstart.yaml, twice: demo.sh FILMGATE
# The first run delivers to a folder and to a gallery on this machine, the second finds nothing to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
filmgate=$1
work=$(mktemp -d -t filmgate-demo-XXXXXX)
gallery=""
# shellcheck disable=SC2317 # called by the trap
cleanup() {
    [ -z "$gallery" ] || { kill "$gallery" && wait "$gallery" || true; } 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT

port=8090
while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
address=http://127.0.0.1:$port/api/assets
FILMGATE_GALLERY_TOKEN=demo-$RANDOM$RANDOM
export FILMGATE_GALLERY_TOKEN

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

step filmgate sample card CARD
"$filmgate" sample card "$work/CARD"
step filmgate sample gallery --port "$port" '&'
"$filmgate" sample gallery --dir "$work/gallery" --port "$port" --token-env FILMGATE_GALLERY_TOKEN >"$work/gallery.log" 2>&1 &
gallery=$!
for _ in $(seq 100); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    kill -0 "$gallery" 2>/dev/null || { cat "$work/gallery.log" >&2; exit 1; }
    sleep 0.1
done

take() {
    step filmgate import CARD --pipeline pipelines/quickstart.yaml "$@"
    "$filmgate" import "$work/CARD" --pipeline pipelines/quickstart.yaml --state "$work/state" \
        --set "targets.archive.folder.path=$work/archive/{captured:yyyy-MM-dd}" \
        --set "targets.gallery.http.url=$address" --set "targets.gallery.http.find.url=$address/by-digest/{sha256}" "$@"
}

take
take
# The second run must have found nothing to do: asked for, an empty run ends with 9.
ending=0
take --error-on-empty >/dev/null 2>&1 || ending=$?
[ "$ending" -eq 9 ] || { echo "A later run still had something to do (exit $ending)." >&2; exit 1; }

step find archive
(cd "$work/archive" && find . -type f -not -path './.filmgate/*' | sort)
step filmgate safe-to-format CARD --allow same-device --allow filtered
"$filmgate" safe-to-format "$work/CARD" --state "$work/state" --allow same-device --allow filtered

printf '\nThe page, over a sample shoot that goes on: %s studio --sample (http://127.0.0.1:8484/)\n' "$filmgate"
