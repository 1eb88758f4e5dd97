#!/usr/bin/env bash
# rclone rcd, one daemon for any of its remotes: rclone.sh FOLDER PORT. Sign-in cam:secret; a local folder FOLDER/root as the remote `there:`.
set -euo pipefail
cd "$1"
mkdir -p root
printf '[there]\ntype = alias\nremote = %s/root\n' "$1" >rclone.conf
exec rclone rcd --config "$1/rclone.conf" --rc-addr "127.0.0.1:$2" --rc-user cam --rc-pass secret --rc-job-expire-duration 10m
