#!/usr/bin/env bash
# Runs the test runner given as arguments. Where tests fail, their names and reasons stand once more just above its summary.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" != 0 ]; then
    echo
    grep -E '^(✘|↳|error:)|Fatal error' "$log" | grep -v '^✘ Test run with'
    grep -E '^✘ Test run with' "$log"
fi
exit "$status"
