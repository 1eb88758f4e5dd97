#!/usr/bin/env bash
# OpenSSH's SFTP: sftp.sh FOLDER PORT. Key FOLDER/id (Ed25519) for this user, host key in FOLDER/known_hosts, files in FOLDER/files.
set -euo pipefail
cd "$1"
mkdir -p files
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f hostkey
ssh-keygen -q -t ed25519 -N '' -f id
cp id.pub authorized
chmod 600 authorized
printf '[localhost]:%s,[127.0.0.1]:%s %s\n' "$2" "$2" "$(cut -d' ' -f1,2 hostkey.pub)" >known_hosts
cat >sshd_config <<END
ListenAddress 127.0.0.1
Port $2
HostKey $1/hostkey
PidFile $1/sshd.pid
AuthorizedKeysFile $1/authorized
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
UsePAM no
MaxStartups 100
Subsystem sftp internal-sftp
END
exec /usr/sbin/sshd -D -e -f "$1/sshd_config"
