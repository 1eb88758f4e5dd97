#!/usr/bin/env bash
# Lays the built programs and all that belongs to them out below a prefix: tree.sh PROGRAM PREFIX [SYMBOLS]
# The programs lose their debug symbols. With SYMBOLS, a folder that is laid out like PREFIX, they are kept there, in `.debug` beside where
# each program lies: gdb and lldb look there by themselves.
set -euo pipefail
program=$(realpath "$1") prefix=$(realpath -m "$2") symbols=${3:+$(realpath -m "$3")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# place PROGRAM FOLDER NAME
place() {
    local placed=$prefix/$2/$3 kept=$symbols/$2/.debug/$3.debug
    install -D -m 755 "$1" "$placed"
    strip --strip-unneeded --remove-section=.comment --remove-section=.note "$placed"
    [ -n "$symbols" ] || return 0
    install -d "$(dirname "$kept")"
    objcopy --only-keep-debug --compress-debug-sections=zlib "$1" "$kept"
    chmod 644 "$kept"
    objcopy --add-gnu-debuglink="$kept" "$placed"
}

place "$program" bin filmgate
place "$program-gphoto2" libexec/filmgate filmgate-gphoto2
place "$program-previews" libexec/filmgate filmgate-previews

share=$prefix/share
install -d "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d" "$prefix/lib/udev/rules.d"
"$program" --generate-completion-script bash | sed '1{/^#!/d}' >"$share/bash-completion/completions/filmgate"
"$program" --generate-completion-script zsh >"$share/zsh/site-functions/_filmgate"
"$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/filmgate.fish"
"$program" doctor --udev-rules >"$prefix/lib/udev/rules.d/70-filmgate-cameras.rules"
python3 .ci/deb/man.py "$program" "$share/man/man1"
find "$share/man" -name 'filmgate*.1' -exec gzip -9nf {} +
install -D -m 644 -t "$share/filmgate/profiles" pipelines/profiles/*.yaml

documents=$share/doc/filmgate manual=Sources/FilmgateCore/FilmgateCore.docc/Manual
install -D -m 644 -t "$documents" NOTICE
install -D -m 644 -t "$documents/examples" pipelines/*.yaml
install -D -m 644 -t "$documents/manual" "$manual"/*.md
sed "s#$manual/#manual/#g" README.md >"$documents/README.md"
gzip -9nc CHANGELOG.md >"$documents/CHANGELOG.md.gz"
python3 .ci/components.py spdx "$prefix" >"$documents/filmgate.spdx.json"
chmod 644 "$documents"/*.*
