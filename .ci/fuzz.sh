#!/usr/bin/env bash
# Every fuzz target of Tests/Fuzz under AddressSanitizer: fuzz.sh SECONDS [TARGET…]
# Ends at the first input that crashes, hangs or leaks out of its bounds; libFuzzer names the file that holds it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(find Tests/Fuzz/Sources -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)

for target in "${targets[@]}"; do
    swift build -c release --package-path Tests/Fuzz --scratch-path .build-fuzz --product "$target" \
        -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld -Xswiftc -parse-as-library
    name=$(tr '[:upper:]' '[:lower:]' <<<"${target#Fuzz}")
    found=.build-fuzz/found/$name seeds=Tests/Fuzz/Corpus/$name
    mkdir -p "$found"
    [ -d "$seeds" ] || seeds=""
    echo "$target for $seconds s …"
    # shellcheck disable=SC2086 # no seeds, no argument
    ASAN_OPTIONS=detect_leaks=0 .build-fuzz/release/"$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=0 -artifact_prefix=.build-fuzz/ "$found" $seeds
done
