#!/usr/bin/env bash
# A Debian package of a built program: deb.sh PROGRAM [DIRECTORY]
# Holds the program and its companion for libgphoto2 (PROGRAM-gphoto2), their manual, completions, udev rules, systemd unit, shipped profiles and example pipelines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "$1")
out=$(realpath "${2:-.}")
version=$("$program" --version)
arch=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

# The programs look for libraries beside themselves: what Debian does not have travels with them.
install -d "$root/usr/lib/filmgate" "$root/usr/bin"
ln -s ../lib/filmgate/filmgate "$root/usr/bin/filmgate"

# Puts a program beside the others and prints the Debian packages that its libraries are in.
place() {
    local library owner
    install -m 755 "$1" "$root/usr/lib/filmgate/"
    strip --strip-unneeded "$root/usr/lib/filmgate/$(basename "$1")"
    while read -r library; do
        if owner=$(dpkg -S "$library" 2>/dev/null || dpkg -S "${library#/usr}" 2>/dev/null || dpkg -S "$(realpath "$library")" 2>/dev/null); then
            echo "${owner%%:*}"
        else
            install -m 644 "$(realpath "$library")" "$root/usr/lib/filmgate/$(basename "$library")"
        fi
    done < <(ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }')
}

joined() { sort -u | paste -sd, | sed 's/,/, /g'; }

place "$program" | sort -u >"$root/needed"
# Only cameras without PTP need it: what it needs beyond the program is recommended, not demanded.
place "$program-gphoto2" | sort -u >"$root/wanted"
depends=$(joined <"$root/needed")
recommends=$(comm -13 "$root/needed" "$root/wanted" | joined)
rm "$root/needed" "$root/wanted"

share=$root/usr/share
install -d "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d" "$root/usr/lib/udev/rules.d"
"$program" --generate-completion-script bash >"$share/bash-completion/completions/filmgate"
"$program" --generate-completion-script zsh >"$share/zsh/vendor-completions/_filmgate"
"$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/filmgate.fish"
"$program" doctor --udev-rules >"$root/usr/lib/udev/rules.d/70-filmgate-cameras.rules"
python3 .ci/deb/man.py "$program" "$share/man/man1"
find "$share/man" -name '*.1' -exec gzip -9n {} +
install -D -m 644 -t "$share/filmgate/profiles" pipelines/profiles/*.yaml
install -D -m 644 -t "$share/doc/filmgate/examples" pipelines/*.yaml
install -D -m 644 -t "$share/doc/filmgate/examples/service" .ci/deb/pipeline.yaml .ci/deb/credentials.conf
install -m 644 .ci/deb/README.Debian "$share/doc/filmgate/README.Debian"
install -D -m 644 LICENSE "$share/doc/filmgate/copyright"
manual=Sources/FilmgateCore/FilmgateCore.docc/Manual
install -D -m 644 -t "$share/doc/filmgate/manual" "$manual"/*.md
sed "s#$manual/#manual/#g" README.md >"$share/doc/filmgate/README.md"
chmod 644 "$share/doc/filmgate/README.md"
gzip -9nc CHANGELOG.md >"$share/doc/filmgate/changelog.gz"
install -D -m 644 .ci/deb/filmgate.service "$root/usr/lib/systemd/system/filmgate.service"
install -D -m 644 .ci/deb/sysusers.conf "$root/usr/lib/sysusers.d/filmgate.conf"
install -d -m 755 "$root/etc/filmgate"

install -d "$root/DEBIAN"
install -m 755 .ci/deb/postinst .ci/deb/prerm .ci/deb/postrm "$root/DEBIAN/"
cat >"$root/DEBIAN/control" <<END
Package: filmgate
Version: $version
Architecture: $arch
Maintainer: The Filmgate authors <filmgate@localhost>
Section: graphics
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: $depends, passwd
Recommends: udev${recommends:+, $recommends}
Description: takes every frame from a camera or a card to its gallery
 Finds cameras, memory cards and hot folders, copies or fetches what is new,
 recognises what was taken before, delivers to folders and galleries, and
 proves that every frame arrived, exactly once.
END
package=$out/filmgate_${version}_$arch.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
