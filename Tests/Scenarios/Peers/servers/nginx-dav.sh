#!/usr/bin/env bash
# nginx as a WebDAV server: nginx-dav.sh FOLDER TLSPORT PLAINPORT.
# TLS by a local authority (FOLDER/ca.pem) with basic sign-in cam:secret; the plain port is open. Files in FOLDER/files.
set -euo pipefail
bash "$(dirname "$0")/certificate.sh" "$1"
cd "$1"
mkdir -p files temp
chmod 777 files temp
printf 'cam:%s\n' "$(openssl passwd -apr1 secret)" >users
dav="dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS; create_full_put_path on; dav_access user:rw group:rw all:rw; min_delete_depth 0;"
cat >nginx.conf <<END
load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
$([ "$(id -u)" -ne 0 ] || echo "user root;")
worker_processes 2; pid $1/nginx.pid; error_log $1/error.log; daemon off;
events { worker_connections 512; }
http {
    access_log off; client_max_body_size 0; client_body_temp_path $1/temp/body; proxy_temp_path $1/temp/p; fastcgi_temp_path $1/temp/f;
    uwsgi_temp_path $1/temp/u; scgi_temp_path $1/temp/s; keepalive_requests 100000; root $1/files;
    server { listen 127.0.0.1:$2 ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem;
        location / { auth_basic cam; auth_basic_user_file users; $dav } }
    server { listen 127.0.0.1:$3; location / { $dav } }
}
END
exec nginx -e "$1/error.log" -p "$1" -c "$1/nginx.conf"
