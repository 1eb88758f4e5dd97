#!/usr/bin/env bash
# A local authority and a server certificate for localhost in FOLDER: ca.pem, cert.pem, key.pem.
set -euo pipefail
cd "$1"
[ -e cert.pem ] && exit 0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "/CN=Filmgate test authority" \
    -addext "basicConstraints=critical,CA:TRUE" -keyout ca.key -out ca.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=localhost" -keyout key.pem -out request.pem 2>/dev/null
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2\nbasicConstraints=CA:FALSE\n' >extensions
openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile extensions -out cert.pem 2>/dev/null
