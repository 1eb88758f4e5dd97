#!/usr/bin/env bash
# tuspyserver, tus 1.0: tus.sh FOLDER PORT. Files in FOLDER/files. Needs the Python packages tuspyserver, fastapi and uvicorn; PYTHON names an
# interpreter that has them.
set -euo pipefail
cd "$1"
mkdir -p files
cat >app.py <<END
from fastapi import FastAPI
from tuspyserver import create_tus_router

app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir="$1/files", max_size=10_000_000_000))
END
exec "${PYTHON:-python3}" -m uvicorn app:app --host 127.0.0.1 --port "$2" --log-level warning
