#!/usr/bin/env bash
# OpenStack Swift with its S3 interface, which checks signatures and digests: swift-s3.sh FOLDER PROXY ACCOUNT CONTAINER OBJECT MEMCACHE (ports).
# Access key cam:ingest, secret secretkey.
set -euo pipefail
cd "$1"
mkdir -p etc cache dev/d1 run
cat >etc/swift.conf <<END
[swift-hash]
swift_hash_path_suffix = rigs
swift_hash_path_prefix = rigs
[storage-policy:0]
name = p0
default = yes
END
user=$(id -un)
servers=()
# The servers make process groups of their own.
trap 'kill -9 "${servers[@]}" 2>/dev/null' TERM EXIT
memcached -u "$user" -l 127.0.0.1 -p "$6" -m 32 &
servers+=($!)
for pair in "account:$3" "container:$4" "object:$5"; do
    name=${pair%:*} port=${pair#*:}
    (
        cd etc
        swift-ring-builder "$name.builder" create 6 1 1
        swift-ring-builder "$name.builder" add "r1z1-127.0.0.1:$port/d1" 1
        swift-ring-builder "$name.builder" rebalance || true
    ) >/dev/null
    cat >"etc/$name-server.conf" <<END
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
workers = 0
user = $user
swift_dir = $1/etc
devices = $1/dev
mount_check = false
log_name = $name
log_address = /dev/null
[pipeline:main]
pipeline = $name-server
[app:$name-server]
use = egg:swift#$name
END
    "swift-$name-server" "$1/etc/$name-server.conf" &
    servers+=($!)
done
filters="healthcheck proxy-logging bulk slo dlo versioned_writes symlink catch_errors gatekeeper copy"
cat >etc/proxy-server.conf <<END
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $2
workers = 0
user = $user
swift_dir = $1/etc
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging cache bulk s3api tempauth copy slo dlo versioned_writes symlink proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:tempauth]
use = egg:swift#tempauth
user_cam_ingest = secretkey .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
s3_acl = false
min_segment_size = 5242880
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$6
$(for filter in $filters; do
    printf '[filter:%s]\nuse = egg:swift#%s\n' "$filter" "${filter/proxy-logging/proxy_logging}"
    [ "$filter" != versioned_writes ] || echo "allow_object_versioning = true"
done)
END
swift-proxy-server "$1/etc/proxy-server.conf" &
servers+=($!)
wait
