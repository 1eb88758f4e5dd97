#!/usr/bin/env bash
# A built program that runs from any folder, as a tarball: tarball.sh PROGRAM [DIRECTORY]
# A second one, -debug, holds the debug symbols: unpacked at the same place, they lie where debuggers look.
set -euo pipefail
program=$(realpath "$1")
out=$(realpath "${2:-.}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
name=filmgate-$("$program" --version)-linux-$(uname -m)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/$name

.ci/tree.sh "$program" "$tree" "$scratch/debug/$name"
cp LICENSE NOTICE "$tree/"
packages() { python3 .ci/components.py libraries "$1" | xargs; }
cat >"$tree/README" <<END
Filmgate $("$program" --version): photo ingest from cameras and cards to folders and galleries

Put this folder anywhere, and bin/filmgate into your PATH, for instance with a link:

    ln -s "\$PWD/bin/filmgate" ~/.local/bin/

The program needs these libraries of the system, here by the names of the Debian that it was built on:

    apt-get install $(packages "$program")

Cameras without PTP need libgphoto2, too:

    apt-get install $(packages "$program-gphoto2")

Pictures on the page of \`filmgate studio\` need libjpeg-turbo and libheif:

    apt-get install $(packages "$program-previews")

A catalogue that several stations share (\`catalog:\` in a pipeline) needs libpq:

    apt-get install libpq5

share/doc/filmgate/README.md     what to do first; the manual is beside it
share/man, share/bash-completion, share/zsh, share/fish: manual pages and completions
share/filmgate/profiles          profiles of makes; the program finds them by itself
lib/udev/rules.d                 for cameras that cannot be opened: copy the file to /etc/udev/rules.d
NOTICE, share/doc/filmgate/filmgate.spdx.json: the works of others that the programs contain
END
find "$scratch" -exec chmod u+w,go=u-w {} +
moment=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# pack FOLDER FILE
pack() {
    tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$moment" -cf - "$name" | gzip -9n >"$2"
    echo "$2"
}
pack "$scratch" "$out/$name.tar.gz"
pack "$scratch/debug" "$out/$name-debug.tar.gz"
