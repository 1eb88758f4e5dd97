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
    """Takes `POST /api/assets`; says by `GET /api/by-digest/…` whether it has bytes. `delay`: seconds that it thinks before it keeps an upload."""

    def __init__(self, delay=0.0):
        self.delay, self.kept, self.begun, self.lock = delay, [], [], threading.Lock()
        self.server = QuietServer(("127.0.0.1", 0), self.handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server.server_port}/api"

    def has(self, digest):
        with self.lock:
            return digest in self.kept

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def handler(self):
        gallery = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

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
                self.answer(*((200, {"id": digest, "sha256": digest}) if gallery.has(digest) else (404, {"error": "unknown"})))

            do_HEAD = do_GET

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                digest = hashlib.sha256(body).hexdigest()
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
