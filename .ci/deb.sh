#!/usr/bin/env bash
# Debian packages of a built program: deb.sh PROGRAM [DIRECTORY]
# One holds what tree.sh lays out, a systemd unit and an example service; the other, -dbgsym, the programs' debug symbols.
set -euo pipefail
program=$(realpath "$1")
out=$(realpath "${2:-.}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$("$program" --version)
arch=$(dpkg --print-architecture)
# Who answers for the package, as for every Debian tool; else whoever made the last change.
name=${DEBFULLNAME:-$(git log -1 --format=%an 2>/dev/null || echo The Filmgate authors)}
maintainer="$name <${DEBEMAIL:-$(git log -1 --format=%ae 2>/dev/null || echo filmgate@localhost)}>"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/filmgate symbols=$scratch/filmgate-dbgsym

.ci/tree.sh "$program" "$root/usr" "$scratch/symbols"
programs=$root/usr/lib/filmgate
install -d "$programs"
mv "$root/usr/bin/filmgate" "$root"/usr/libexec/filmgate/* "$programs"
rm -r "$root/usr/libexec"
ln -s ../lib/filmgate/filmgate "$root/usr/bin/filmgate"
# Where Debian's zsh looks.
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"

# The Debian packages, with the versions, that hold what a program names itself (NEEDED). What those need in turn is their own affair:
# it has other names in every release of Debian. A library of no package ends it here: the program would not start elsewhere.
needs() {
    mkdir -p "$scratch/needs/debian"
    printf 'Source: filmgate\n\nPackage: filmgate\nArchitecture: any\n' >"$scratch/needs/debian/control"
    (cd "$scratch/needs" && dpkg-shlibdeps -O --warnings=0 "$1" 2> >(grep -v '^dpkg-shlibdeps: warning:' >&2)) |
        sed 's/^shlibs:Depends=//; s/, /\n/g' | sort -u
}

joined() { sort -u | paste -sd, | sed 's/,/, /g'; }

needed=$(needs "$programs/filmgate")
# Only cameras without PTP need the one, and pictures on the page the other: what they need beyond the program is recommended, not demanded.
wanted=$(needs "$programs/filmgate-gphoto2" && needs "$programs/filmgate-previews")
depends=$(joined <<<"$needed")
recommends=$(awk 'NR == FNR { have[$1] = 1; next } !have[$1]' <(echo "$needed") <(sort -u <<<"$wanted") | joined)

share=$root/usr/share
install -D -m 644 -t "$share/doc/filmgate/examples/service" .ci/deb/pipeline.yaml .ci/deb/credentials.conf
install -m 644 .ci/deb/README.Debian "$share/doc/filmgate/"
python3 .ci/components.py copyright >"$share/doc/filmgate/copyright"
# Debian's own form: the package is made here, from these sources.
gzip -9n >"$share/doc/filmgate/changelog.gz" <<END
filmgate ($version) stable; urgency=medium

  * What changed for users: CHANGELOG.md.gz beside this file.

 -- $maintainer  $(LC_ALL=C date -R -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}")
END
install -D -m 644 .ci/deb/lintian-overrides "$share/lintian/overrides/filmgate"
install -D -m 644 -t "$root/usr/lib/systemd/system" .ci/deb/filmgate.service .ci/deb/filmgate-studio.service
install -D -m 644 .ci/deb/sysusers.conf "$root/usr/lib/sysusers.d/filmgate.conf"
install -d -m 755 "$root/etc/filmgate"

# package NAME: makes it of the folder of that name; the rest of its control file comes from stdin.
package() {
    local file=$out/$1_${version}_$arch.deb size
    size=$(du -sk "$scratch/$1" | cut -f1)
    install -d "$scratch/$1/DEBIAN"
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nPriority: optional\nInstalled-Size: %s\n' \
            "$1" "$version" "$arch" "$maintainer" "$size"
        cat
    } >"$scratch/$1/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$scratch/$1" "$file" >/dev/null
    echo "$file"
}

install -D -m 755 -t "$root/DEBIAN" .ci/deb/postinst .ci/deb/prerm .ci/deb/postrm
package filmgate <<END
Section: graphics
Depends: $depends, passwd
Recommends: udev, libpq5${recommends:+, $recommends}
Description: photo ingest from cameras and cards to folders and galleries
 Finds cameras, memory cards and hot folders, copies or fetches what is new,
 recognises what was taken before, delivers to folders and galleries, and
 proves that every frame arrived, exactly once.
END

# Debuggers find the symbols by the build's identity, which stays in the program.
identities=""
for file in "$scratch"/symbols/*/.debug/* "$scratch"/symbols/*/*/.debug/*; do
    [ -e "$file" ] || continue
    identity=$(readelf -n "$file" 2>/dev/null | awk '/Build ID:/ { print $3 }')
    identities+=" $identity"
    install -D -m 644 "$file" "$symbols/usr/lib/debug/.build-id/${identity:0:2}/${identity:2}.debug"
done
install -d "$symbols/usr/share/doc"
ln -s filmgate "$symbols/usr/share/doc/filmgate-dbgsym"
package filmgate-dbgsym <<END
Section: debug
Auto-Built-Package: debug-symbols
Depends: filmgate (= $version)
Build-Ids:$identities
Description: debug symbols for filmgate
END
