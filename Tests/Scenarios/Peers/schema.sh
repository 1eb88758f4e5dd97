#!/usr/bin/env bash
# What `filmgate schema` prints, judged by a JSON Schema validator that we did not write: schema.sh FILMGATE
# Every pipeline and example in the repository must validate; broken ones whose mistake a schema can see must not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
filmgate=${1:?usage: schema.sh FILMGATE}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if ! python3 -c 'import jsonschema, yaml' 2>/dev/null; then
    python3 -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" --quiet install 'jsonschema>=4.17,<5' 'PyYAML>=6,<7' >&2
    PATH="$scratch/venv/bin:$PATH"
fi
"$filmgate" schema > "$scratch/schema.json"
python3 Tests/Scenarios/Peers/schema.py "$scratch/schema.json"
