#!/usr/bin/env bash
# Two stations on one catalogue, one card in both, one gallery: stations-demo.sh FILMGATE
# The gallery gets each frame once, both stations keep their copies, and either can say where a frame is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
filmgate=$(realpath "$1")
work=$(mktemp -d -t filmgate-stations-XXXXXX)
chmod 755 "$work"
programs=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin | sort -V | tail -n 1)
gallery=""
# PostgreSQL does not run as root.
owner=()
[ "$(id -u)" -ne 0 ] || owner=(setpriv --reuid postgres --regid postgres --init-groups --)
# shellcheck disable=SC2317 # called by the trap
cleanup() {
    [ -z "$gallery" ] || { kill "$gallery" && wait "$gallery" || true; } 2>/dev/null
    (cd / && "${owner[@]}" "$programs/pg_ctl" -D "$work/db/data" -m immediate stop >/dev/null 2>&1) || true
    rm -rf "$work"
}
trap cleanup EXIT
step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
sql() { psql -XAtq -v ON_ERROR_STOP=1 -h "$work/db" -U postgres "$@"; }

mkdir "$work/db"
[ "${#owner[@]}" -eq 0 ] || chown postgres "$work/db"
(
    cd /
    "${owner[@]}" "$programs/initdb" -D "$work/db/data" -A trust -U postgres --no-sync -E UTF8 >/dev/null
    "${owner[@]}" "$programs/pg_ctl" -D "$work/db/data" -w -l "$work/db/log" -o "-c listen_addresses='' -k $work/db" start >/dev/null
)
sql -d postgres -c "CREATE DATABASE filmgate"

port=8090
while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
FILMGATE_GALLERY_TOKEN=demo-$RANDOM$RANDOM
export FILMGATE_GALLERY_TOKEN
"$filmgate" sample card "$work/CARD" >/dev/null
"$filmgate" sample gallery --dir "$work/gallery" --port "$port" --token-env FILMGATE_GALLERY_TOKEN >"$work/gallery.log" 2>&1 &
gallery=$!
for _ in $(seq 100); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    kill -0 "$gallery" 2>/dev/null || { cat "$work/gallery.log" >&2; exit 1; }
    sleep 0.1
done

for name in desk1 desk2; do
    cat >"$work/$name.yaml" <<PIPELINE
version: 1
name: $name
sources: [ { card: {} } ]
stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive, gallery] } } ]
targets:
  archive: { folder: { path: "$work/Pictures-$name" } }
  gallery:
    http:
      url: "http://127.0.0.1:$port/api/assets"
      auth: gallery
      digest: { json: sha256 }
      find: { url: "http://127.0.0.1:$port/api/assets/by-digest/{sha256}" }
auth: { gallery: { bearer: { token: "\${env:FILMGATE_GALLERY_TOKEN}" } } }
catalog:
  postgres: { url: "postgresql://$name@${work//\//%2F}%2Fdb/filmgate" }
  station: $name
  share: [gallery]
  one_machine: true
PIPELINE
done

step filmgate catalog migrate --pipeline desk1.yaml '# as the owner of the database'
"$filmgate" catalog migrate --pipeline "$work/desk1.yaml" --state "$work/desk1" \
    --set "catalog.postgres.url=postgresql://postgres@${work//\//%2F}%2Fdb/filmgate" 2>&1 | sed "s#$work#…#g"
for name in desk1 desk2; do
    sql -d filmgate -c "CREATE ROLE $name LOGIN; GRANT filmgate_station TO $name"
    step filmgate catalog join --pipeline "$name.yaml"
    "$filmgate" catalog join --pipeline "$work/$name.yaml" --state "$work/$name" | sed "s#$work#…#g"
done
for name in desk1 desk2; do
    step filmgate import CARD --pipeline "$name.yaml"
    "$filmgate" import "$work/CARD" --pipeline "$work/$name.yaml" --state "$work/$name" 2>&1 | sed "s#$work#…#g"
done
step filmgate stations --pipeline desk2.yaml
"$filmgate" stations --pipeline "$work/desk2.yaml" --state "$work/desk2" | sed "s#$work#…#g"
step filmgate catalog where CARD/DCIM/100CANON/IMG_0003.JPG --pipeline desk2.yaml
"$filmgate" catalog where "$work/CARD/DCIM/100CANON/IMG_0003.JPG" --pipeline "$work/desk2.yaml" --state "$work/desk2" >"$work/where"
sed "s#$work#…#g" "$work/where"

fail() { printf '\n%s\n' "$1" >&2; exit 1; }
# Each picture once: names say nothing, bytes do.
contents() { find "$1" -type f -not -path '*/.filmgate/*' "${@:2}" -exec sha256sum {} + | cut -c 1-64 | sort; }
contents "$work/Pictures-desk1" >"$work/one"
contents "$work/Pictures-desk2" >"$work/two"
contents "$work/gallery/assets" -not -name '*.json' >"$work/sent"
printf '\ndesk1 keeps %s files, desk2 keeps %s; the gallery has %s.\n' "$(wc -l <"$work/one")" "$(wc -l <"$work/two")" "$(wc -l <"$work/sent")"
[ -s "$work/one" ] || fail "Nothing was taken from the card."
cmp -s "$work/one" "$work/two" || fail "The two stations have not kept the same pictures."
[ -z "$(uniq -d "$work/sent")" ] || fail "The gallery has a picture twice."
cmp -s "$work/sent" <(uniq "$work/one") || fail "The gallery has not each picture of the card."
for name in desk1 desk2; do
    grep -q "^  $name  delivered to archive " "$work/where" || fail "\`catalog where\` does not name the copy of $name."
done
[ "$(grep -c ' delivered to gallery ' "$work/where")" -eq 1 ] || fail "\`catalog where\` does not name the one upload."
