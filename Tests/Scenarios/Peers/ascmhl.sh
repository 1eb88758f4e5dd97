#!/usr/bin/env bash
# The reference ascmhl (PyPI) over what `filmgate import --mhl` writes: two runs with a new file between them, one continuous history.
#   FILMGATE=path/to/filmgate  ASCMHL_VENV=folder for the Python environment (made if missing; needs a network once)
set -euo pipefail
cd "$(dirname "$0")/../../.."
filmgate=${FILMGATE:-.build/debug/filmgate}
venv=${ASCMHL_VENV:-${TMPDIR:-/tmp}/filmgate-ascmhl}
[ -x "$venv/bin/ascmhl" ] || { python3 -m venv "$venv" && "$venv/bin/pip" --quiet install ascmhl==1.2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
card=$work/card out=$work/out

ingest() { "$filmgate" import "$card" --to "$out" --mhl --state "$work/state" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
check() {
    "$venv/bin/ascmhl" diff "$out"
    "$venv/bin/ascmhl-debug" verify "$out"
    [ "$(ls "$out"/ascmhl/*.mhl | wc -l)" = "$1" ] || { echo "$1 generations expected"; ls "$out/ascmhl"; exit 1; }
}

"$filmgate" sample card "$card" > /dev/null
ingest
check 1
jpeg=$(find "$card" -iname '*.jpg' | sort | head -1)
{ cat "$jpeg"; echo new; } > "$(dirname "$jpeg")/NEW & <ODD> é.JPG"
ingest
check 2
ingest
check 2

# Histories over the years, inside one another, and against the schema where ASCMHL_XSD names it.
ASCMHL=$venv/bin/ascmhl swift test --skip-build --filter ReferenceTests > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
echo "ascmhl: the reference agrees"
