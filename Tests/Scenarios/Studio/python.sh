#!/usr/bin/env bash
# Prints a folder of programs with a python3 that drives browsers, made below FOLDER once: python.sh FOLDER
# The browser itself is the system's; Playwright downloads none.
set -euo pipefail

has() { "$1/python3" -c 'import playwright, axe_playwright_python, schemathesis' >/dev/null 2>&1; }

for program in "$(command -v python3)" "$1/bin/python3"; do
    folder=$(dirname "$program")
    if has "$folder"; then
        echo "$folder"
        exit 0
    fi
done

python3 -m venv "$1" >&2
"$1/bin/pip" install --quiet --disable-pip-version-check -r "$(dirname "${BASH_SOURCE[0]}")/requirements.txt" >&2
has "$1/bin" || { echo "Playwright, axe and schemathesis could not be installed into $1." >&2; exit 1; }
echo "$1/bin"
