#!/usr/bin/env bash
# Prints a folder of programs with the servers of requirements.txt, made below FOLDER once: python.sh FOLDER
set -euo pipefail
if ! [ -x "$1/bin/wsgidav" ] || ! [ -x "$1/bin/rclone" ] || ! "$1/bin/python3" -c 'import asyncssh, pyftpdlib' 2>/dev/null; then
    python3 -m venv "$1" >&2
    "$1/bin/pip" install --quiet --disable-pip-version-check -r "$(dirname "${BASH_SOURCE[0]}")/requirements.txt" >&2
fi
echo "$1/bin"
