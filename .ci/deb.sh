#!/usr/bin/env bash
# A Debian package of a built program: deb.sh PROGRAM [DIRECTORY]
# Holds the program and its companion for libgphoto2 (PROGRAM-gphoto2), their manual, completions, udev rules, systemd unit, shipped profiles and example pipelines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "$1")
out=$(realpath "${2:-.}")
version=$("$program" --version)
arch=$(dpkg --print-architecture)
# Who answers for the package, as for every Debian tool; else whoever made the last change.
name=${DEBFULLNAME:-$(git log -1 --format=%an 2>/dev/null || echo The Filmgate authors)}
maintainer="$name <${DEBEMAIL:-$(git log -1 --format=%ae 2>/dev/null || echo filmgate@localhost)}>"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

# The programs look for libraries beside themselves: what Debian does not have travels with them.
install -d "$root/usr/lib/filmgate" "$root/usr/bin"
ln -s ../lib/filmgate/filmgate "$root/usr/bin/filmgate"

# Puts a program beside the others, with the libraries that no Debian package has.
place() {
    local library
    install -m 755 "$1" "$root/usr/lib/filmgate/"
    strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/lib/filmgate/$(basename "$1")"
    while read -r library; do
        dpkg -S "$library" >/dev/null 2>&1 || dpkg -S "${library#/usr}" >/dev/null 2>&1 || dpkg -S "$(realpath "$library")" >/dev/null 2>&1 ||
            install -m 644 "$(realpath "$library")" "$root/usr/lib/filmgate/$(basename "$library")"
    done < <(ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }')
}

# The Debian packages, with the versions, that hold what files name themselves (NEEDED). What those need in turn is their own affair:
# it has other names in every release of Debian.
needs() {
    local work=$(mktemp -d)
    mkdir "$work/debian"
    printf 'Source: filmgate\n\nPackage: filmgate\nArchitecture: any\n' >"$work/debian/control"
    (cd "$work" && dpkg-shlibdeps -O --ignore-missing-info --warnings=0 -l"$root/usr/lib/filmgate" "$@" 2> >(grep -v '^dpkg-shlibdeps: warning:' >&2)) | sed 's/^shlibs:Depends=//; s/, /\n/g'
    rm -r "$work"
}

joined() { sort -u | paste -sd, | sed 's/,/, /g'; }

place "$program"
mapfile -t bundled < <(find "$root/usr/lib/filmgate" -name '*.so*')
needed=$(needs "$root/usr/lib/filmgate/$(basename "$program")" ${bundled[@]+"${bundled[@]}"} | sort -u)
# Only cameras without PTP need it: what it needs beyond the program is recommended, not demanded.
place "$program-gphoto2"
wanted=$(needs "$root/usr/lib/filmgate/$(basename "$program-gphoto2")" | sort -u)
depends=$(joined <<<"$needed")
recommends=$(awk 'NR == FNR { have[$1] = 1; next } !have[$1]' <(echo "$needed") <(echo "$wanted") | joined)

share=$root/usr/share
install -d "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d" "$root/usr/lib/udev/rules.d"
"$program" --generate-completion-script bash | sed '1{/^#!/d}' >"$share/bash-completion/completions/filmgate"
"$program" --generate-completion-script zsh >"$share/zsh/vendor-completions/_filmgate"
"$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/filmgate.fish"
"$program" doctor --udev-rules >"$root/usr/lib/udev/rules.d/70-filmgate-cameras.rules"
python3 .ci/deb/man.py "$program" "$share/man/man1"
find "$share/man" -name '*.1' -exec gzip -9n {} +
install -D -m 644 -t "$share/filmgate/profiles" pipelines/profiles/*.yaml
install -D -m 644 -t "$share/doc/filmgate/examples" pipelines/*.yaml
install -D -m 644 -t "$share/doc/filmgate/examples/service" .ci/deb/pipeline.yaml .ci/deb/credentials.conf
install -m 644 .ci/deb/README.Debian "$share/doc/filmgate/README.Debian"
install -D -m 644 .ci/deb/copyright "$share/doc/filmgate/copyright"
manual=Sources/FilmgateCore/FilmgateCore.docc/Manual
install -D -m 644 -t "$share/doc/filmgate/manual" "$manual"/*.md
sed "s#$manual/#manual/#g" README.md >"$share/doc/filmgate/README.md"
chmod 644 "$share/doc/filmgate/README.md"
gzip -9nc CHANGELOG.md >"$share/doc/filmgate/CHANGELOG.md.gz"
# Debian's own form: the package is made here, from these sources.
gzip -9n >"$share/doc/filmgate/changelog.gz" <<END
filmgate ($version) stable; urgency=medium

  * What changed for users: CHANGELOG.md.gz beside this file.

 -- $maintainer  $(LC_ALL=C date -R -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}")
END
install -D -m 644 .ci/deb/lintian-overrides "$share/lintian/overrides/filmgate"
install -D -m 644 .ci/deb/filmgate.service "$root/usr/lib/systemd/system/filmgate.service"
install -D -m 644 .ci/deb/sysusers.conf "$root/usr/lib/sysusers.d/filmgate.conf"
install -d -m 755 "$root/etc/filmgate"

install -d "$root/DEBIAN"
install -m 755 .ci/deb/postinst .ci/deb/prerm .ci/deb/postrm "$root/DEBIAN/"
cat >"$root/DEBIAN/control" <<END
Package: filmgate
Version: $version
Architecture: $arch
Maintainer: $maintainer
Section: graphics
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: $depends, passwd
Recommends: udev${recommends:+, $recommends}
Description: photo ingest from cameras and cards to folders and galleries
 Finds cameras, memory cards and hot folders, copies or fetches what is new,
 recognises what was taken before, delivers to folders and galleries, and
 proves that every frame arrived, exactly once.
END
package=$out/filmgate_${version}_$arch.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
