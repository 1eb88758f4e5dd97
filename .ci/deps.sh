#!/usr/bin/env bash
# Installs what is missing, and only that: deps.sh build | install | lint | test | peers | crash | hotfolder | strangers | deb | bench | usb | vusb | studio | webkit
# | stations
# A machine that has everything is left alone, without root and without a network.
set -euo pipefail

libraries="" commands="" files=""
case "${1:-build}" in
    build)
        libraries="libexif=libexif-dev libcurl=libcurl4-openssl-dev libcrypto=libssl-dev libqrencode=libqrencode-dev libxxhash=libxxhash-dev sqlite3=libsqlite3-dev libusb-1.0=libusb-1.0-0-dev libgphoto2=libgphoto2-dev libxml-2.0=libxml2-dev libturbojpeg=libturbojpeg0-dev libheif=libheif-dev libpq=libpq-dev zlib=zlib1g-dev"
        commands="pkg-config=pkg-config"
        ;;
    install) commands="python3=python3 strip=binutils objcopy=binutils" ;;
    lint) commands="tsc=node-typescript" ;;
    peers)
        commands="python3=python3 glewlwyd=glewlwyd sqlite3=sqlite3 nginx=nginx-light openssl=openssl sshd=openssh-server vsftpd=vsftpd rclone=rclone memcached=memcached
            swift-proxy-server=swift-proxy swift-account-server=swift-account swift-container-server=swift-container
            swift-object-server=swift-object"
        files="/usr/lib/nginx/modules/ngx_http_dav_ext_module.so=libnginx-mod-http-dav-ext /usr/share/doc/python3-venv=python3-venv"
        export PATH=$PATH:/usr/sbin
        ;;
    test)
        commands="glewlwyd=glewlwyd sqlite3=sqlite3 curl=curl openssl=openssl gphoto2=gphoto2 python3=python3 jq=jq
            exiftool=libimage-exiftool-perl exiv2=exiv2 psql=postgresql-client setpriv=util-linux"
        files="/usr/share/doc/postgresql=postgresql"
        ;;
    crash) commands="python3=python3" ;;
    hotfolder)
        commands="python3=python3 rsync=rsync scp=openssh-client sshd=openssh-server smbd=samba smbclient=smbclient vsftpd=vsftpd lftp=lftp curl=curl
            openssl=openssl"
        export PATH=$PATH:/usr/sbin
        ;;
    strangers)
        commands="python3=python3 ssh-keygen=openssh-client apache2=apache2-bin lighttpd=lighttpd ncftpput=ncftp lftp=lftp curl=curl"
        files="/usr/share/doc/python3-venv=python3-venv /usr/lib/lighttpd/mod_webdav.so=lighttpd-mod-webdav"
        export PATH=$PATH:/usr/sbin
        ;;
    deb)
        commands="python3=python3 dpkg-deb=dpkg dpkg-shlibdeps=dpkg-dev strip=binutils objcopy=binutils readelf=binutils debootstrap=debootstrap lintian=lintian mkfs.ext4=e2fsprogs"
        export PATH=$PATH:/usr/sbin:/sbin
        ;;
    bench)
        commands="python3=python3 curl=curl nginx=nginx-light openssl=openssl rclone=rclone exiftool=libimage-exiftool-perl exiv2=exiv2
            gphoto2=gphoto2 strace=strace"
        files="/usr/lib/nginx/modules/ngx_http_dav_ext_module.so=libnginx-mod-http-dav-ext /usr/bin/time=time"
        export PATH=$PATH:/usr/sbin
        ;;
    usb) commands="python3=python3 qemu-system-x86_64=qemu-system-x86 busybox=busybox-static cpio=cpio depmod=kmod" ;;
    studio)
        commands="python3=python3 chromium=chromium unshare=util-linux mount=mount psql=postgresql-client setpriv=util-linux"
        files="/usr/share/doc/python3-venv=python3-venv /usr/share/doc/postgresql=postgresql /usr/bin/time=time"
        ;;
    webkit) commands="python3=python3 WebKitWebDriver=webkit2gtk-driver Xvfb=xvfb unshare=util-linux mount=mount" ;;
    stations)
        libraries="libpq=libpq-dev"
        commands="cc=gcc pg_config=libpq-dev python3=python3 psql=postgresql-client setpriv=util-linux pgrep=procps openssl=openssl ip=iproute2 nft=nftables pgbouncer=pgbouncer haproxy=haproxy"
        files="/usr/share/doc/python3-venv=python3-venv /usr/share/doc/postgresql=postgresql /usr/bin/time=time"
        export PATH=$PATH:/usr/sbin:/sbin
        ;;
    vusb)
        libraries="libexif=libexif-dev libxml-2.0=libxml2-dev"
        files="/usr/include/ltdl.h=libltdl-dev"
        commands="make=build-essential gcc=build-essential pkg-config=pkg-config dpkg-source=dpkg-dev xz=xz-utils"
        ;;
    *)
        echo "usage: deps.sh build|install|lint|test|peers|crash|hotfolder|strangers|deb|bench|usb|vusb|studio|webkit|stations" >&2
        exit 2
        ;;
esac

# Prints the Debian packages whose command or library is not there.
missing() {
    local pair
    for pair in $commands; do command -v "${pair%%=*}" >/dev/null || echo "${pair#*=}"; done
    for pair in $files; do [ -e "${pair%%=*}" ] || echo "${pair#*=}"; done
    for pair in $libraries; do pkg-config --exists "${pair%%=*}" 2>/dev/null || echo "${pair#*=}"; done
}

wanted=$(missing | sort -u | xargs)
[ -n "$wanted" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "Missing: $wanted. This system has no apt-get; install them (these are Debian's names) and try again." >&2
    exit 1
elif [ "$(id -u)" -eq 0 ]; then
    root=""
elif command -v sudo >/dev/null; then
    root="sudo"
else
    echo "Missing: $wanted. Run as root: apt-get install $wanted" >&2
    exit 1
fi

install() {
    # shellcheck disable=SC2086 # several words on purpose
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 $wanted >&2
}

echo "Installing: $wanted" >&2
# Package lists may be absent or stale: the first failure is answered by reading them again, once.
install || { $root apt-get update >&2 && install; }

left=$(missing | sort -u | xargs)
if [ -n "$left" ]; then
    echo "Still missing after the installation: $left" >&2
    exit 1
fi
