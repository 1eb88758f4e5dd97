#!/usr/bin/env bash
# Formatting, the house rules, and every pipeline that is written down anywhere: lint.sh FILMGATE
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
filmgate=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "Formatting …"
swift format lint --strict --recursive --parallel Sources Plugins Tests Package.swift
echo "Example modules …"
for file in Sources/FilmgateExternal/examples/*; do
    [ "$(wc -l <"$file")" -le 40 ] || { echo "$file: more than 40 lines"; exit 1; }
    [ "$(wc -L <"$file")" -le 140 ] || { echo "$file: a line of more than 140 columns"; exit 1; }
    case "$(head -1 "$file")" in
        *python3) python3 -W error -c 'import ast, sys; ast.parse(sys.stdin.read())' <"$file" ;;
        *sh)
            sh -n "$file"
            if command -v shellcheck >/dev/null; then shellcheck "$file"; fi
            ;;
        *) echo "$file: no interpreter" && exit 1 ;;
    esac
done
echo "Scripts of the page …"
tsc --project Sources/StudioPage
echo "Works of others …"
python3 .ci/components.py check
grep -n '\.package(url' Package.swift | grep -v 'exact:' && echo "Package.swift: a version that is not exact" && exit 1
echo "House rules …"
python3 .ci/house.py --check
swift test --skip-build --disable-xctest --filter ArchitectureTests

# The teaching module is an example of a folder, not a part of the program, so the program cannot check its pipeline.
examples="Plugins/TeachingCamera"

# Writes each yaml block of a Markdown file that is a whole pipeline to a file of its own, named after the place.
blocks() {
    awk -v out="$scratch/$(tr '/ ' '__' <<<"${1#./}")" '
        /^```ya?ml/ { inside = 1; text = ""; whole = 0; start = NR; next }
        /^```/ && inside { inside = 0; if (whole) printf "%s", text > (out ":" start ".yaml"); next }
        inside { if ($0 ~ /^version:/) whole = 1; text = text $0 "\n" }' "$1"
}

echo "Pipelines …"
while IFS= read -r file; do blocks "$file"; done < <(find . -name '*.md' -not -path './.*')
failed=0 count=0
while IFS= read -r file; do
    count=$((count + 1))
    allowed=""
    case "$file" in Plugins/MockAuth/*) allowed="--allow-mock" ;; esac
    "$filmgate" check $allowed "$file" >"$scratch/out" 2>&1 || {
        echo "$file:"
        cat "$scratch/out"
        failed=1
    }
done < <(find pipelines Plugins "$scratch" -name '*.yaml' -not -path '*/Tests/*' -not -path '*/profiles/*' -not -path "$examples/*" | sort)
echo "$count pipelines checked."
exit $failed
