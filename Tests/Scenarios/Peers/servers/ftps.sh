#!/usr/bin/env bash
# vsftpd at 127.0.0.2, explicit FTPS by a local authority (FOLDER/ca.pem): ftps.sh FOLDER PORT. Sign-in camftp:camftp-5ecret-9d21, files in
# FOLDER/ftp/up; transfers over 24 ports that follow from PORT. Needs root.
set -euo pipefail
bash "$(dirname "$0")/certificate.sh" "$1"
cd "$1"
mkdir -p ftp/up empty
passive=$((20000 + $2 % 400 * 24))
id camftp >/dev/null 2>&1 || useradd -M -s /bin/bash camftp
usermod -d "$1/ftp" camftp >/dev/null 2>&1 || true
echo camftp:camftp-5ecret-9d21 | chpasswd
chown camftp ftp/up
cat key.pem cert.pem >both.pem
cat >vsftpd.conf <<END
listen=YES
listen_address=127.0.0.2
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
pasv_min_port=$passive
pasv_max_port=$((passive + 23))
seccomp_sandbox=NO
session_support=NO
xferlog_enable=NO
END
chmod 600 vsftpd.conf
exec /usr/sbin/vsftpd "$1/vsftpd.conf"
