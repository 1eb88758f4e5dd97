#!/usr/bin/env bash
# Prints a folder of programs with the Python packages that the servers here are made of: moto_server, and a python3 that has tuspyserver.
# What is installed already is used; else an environment of its own is made below FOLDER, once: python.sh FOLDER
set -euo pipefail

has() { "$1/python3" -c 'import moto.server, tuspyserver, fastapi, uvicorn' >/dev/null 2>&1 && [ -x "$1/moto_server" ]; }

for program in "$(command -v python3)" "$1/bin/python3"; do
    folder=$(dirname "$program")
    if has "$folder"; then
        echo "$folder"
        exit 0
    fi
done

python3 -m venv "$1" >&2
"$1/bin/pip" install --quiet --disable-pip-version-check -r "$(dirname "${BASH_SOURCE[0]}")/requirements.txt" >&2
has "$1/bin" || { echo "moto and tuspyserver could not be installed into $1." >&2; exit 1; }
echo "$1/bin"
