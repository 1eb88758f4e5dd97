#!/usr/bin/env bash
# rclone rcd, one daemon for any of its remotes: rclone.sh FOLDER PORT [OPENPORT]. Sign-in cam:secret, none at the second port; a local folder FOLDER/files as the remote `there:`.
set -euo pipefail
cd "$1"
mkdir -p files
printf '[there]\ntype = alias\nremote = %s/files\n' "$1" >rclone.conf
if [ -n "${3:-}" ]; then
    rclone rcd --config "$1/rclone.conf" --rc-addr "127.0.0.1:$3" --rc-no-auth --rc-job-expire-duration 10m &
fi
exec rclone rcd --config "$1/rclone.conf" --rc-addr "127.0.0.1:$2" --rc-user cam --rc-pass secret --rc-job-expire-duration 10m
