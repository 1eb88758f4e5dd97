"""A gallery that keeps every upload, however often the same bytes come: what is sent twice is there twice."""
import hashlib
import http.server
import json
import threading
import time


class QuietServer(http.server.ThreadingHTTPServer):
    """Whoever is killed leaves broken connections behind: nobody wants to read of them."""

    daemon_threads = True

    def handle_error(self, *_):
        pass


class Gallery:
    """Takes `POST /api/assets`; says by `GET /api/by-digest/…` whether it has bytes.

    `delay`: seconds that it thinks before it keeps an upload; `pause`: seconds that it waits before each 64 KiB of one; `patience`: seconds
    after which a client that says nothing is gone; `host`: an address of this machine where it is reached.
    """

    def __init__(self, delay=0.0, pause=0.0, patience=None, host="127.0.0.1"):
        self.host, self.delay, self.pause, self.patience = host, delay, pause, patience
        self.kept, self.begun, self.asked, self.arriving, self.lock = [], [], [], 0, threading.Lock()
        self.server = QuietServer((host, 0), self.handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://{self.host}:{self.server.server_port}/api"

    def has(self, digest):
        with self.lock:
            return digest in self.kept

    @property
    def is_quiet(self):
        """All that was sent to it whole is kept."""
        with self.lock:
            return len(self.kept) == len(self.begun)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def handler(self):
        gallery = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = gallery.patience

            def log_message(self, *_):
                pass

            def answer(self, status, value):
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def do_GET(self):
                digest = self.path.rsplit("/", 1)[-1]
                with gallery.lock:
                    gallery.asked.append(digest)
                self.answer(*((200, {"id": digest, "sha256": digest}) if gallery.has(digest) else (404, {"error": "unknown"})))

            do_HEAD = do_GET

            def do_POST(self):
                left, sha = int(self.headers.get("Content-Length", "0")), hashlib.sha256()
                with gallery.lock:
                    gallery.arriving += 1
                while left > 0:
                    time.sleep(gallery.pause)
                    part = self.rfile.read(min(left, 1 << 16))
                    if not part:
                        # Half an upload is none.
                        self.close_connection = True
                        return
                    sha.update(part)
                    left -= len(part)
                digest = sha.hexdigest()
                with gallery.lock:
                    gallery.begun.append(digest)
                time.sleep(gallery.delay)
                with gallery.lock:
                    gallery.kept.append(digest)
                try:
                    self.answer(201, {"id": digest, "sha256": digest})
                except OSError:
                    # Whoever sent it is gone; the gallery has it all the same.
                    pass

        return Handler
