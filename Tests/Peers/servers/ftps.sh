#!/usr/bin/env bash
# vsftpd, explicit FTPS by a local authority (FOLDER/ca.pem): ftps.sh FOLDER PORT. Sign-in camftp:secret, files in FOLDER/ftp/up. Needs root.
set -euo pipefail
bash "$(dirname "$0")/certificate.sh" "$1"
cd "$1"
mkdir -p ftp/up empty
id camftp >/dev/null 2>&1 || useradd -M -s /bin/bash camftp
usermod -d "$1/ftp" camftp >/dev/null 2>&1 || true
echo camftp:secret | chpasswd
chown camftp ftp/up
cat key.pem cert.pem >both.pem
cat >vsftpd.conf <<END
listen=YES
listen_address=127.0.0.1
listen_port=$2
background=NO
anonymous_enable=NO
local_enable=YES
write_enable=YES
local_umask=022
chroot_local_user=YES
allow_writeable_chroot=YES
local_root=$1/ftp
secure_chroot_dir=$1/empty
pam_service_name=login
ssl_enable=${TLS:-YES}
force_local_logins_ssl=${TLS:-YES}
force_local_data_ssl=${TLS:-YES}
require_ssl_reuse=NO
implicit_ssl=${IMPLICIT:-NO}
ssl_ciphers=HIGH
rsa_cert_file=$1/both.pem
rsa_private_key_file=$1/both.pem
pasv_address=127.0.0.1
seccomp_sandbox=NO
session_support=NO
xferlog_enable=NO
END
chmod 600 vsftpd.conf
exec /usr/sbin/vsftpd "$1/vsftpd.conf"
