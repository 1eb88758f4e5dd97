#!/usr/bin/env bash
# moto, an S3 service in memory: moto.sh FOLDER PORT. It knows If-None-Match and checksums; AUTH=n checks signatures after n requests.
set -euo pipefail
[ -z "${AUTH:-}" ] || export INITIAL_NO_AUTH_ACTION_COUNT=$AUTH
exec moto_server -H 127.0.0.1 -p "$2"
