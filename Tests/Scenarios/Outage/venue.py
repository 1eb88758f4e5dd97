"""A gallery that keeps count, and a network that can be taken away from it."""
import hashlib
import http.server
import json
import threading


class Gallery:
    """Takes PUTs under names, never two bytes under one name; remembers what came in which order, and how often."""

    def __init__(self, port):
        self.port, self.lock = port, threading.Lock()
        self.files, self.arrivals, self.digests = {}, [], {}
        self.server = None

    def up(self):
        """The network is there: the port answers."""
        gallery = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self):
                digest = gallery.files.get(self.path)
                self.reply(404 if digest is None else 200, digest)

            def do_PUT(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                digest = hashlib.sha256(body).hexdigest()
                with gallery.lock:
                    taken = gallery.files.get(self.path)
                    if taken is None:
                        gallery.files[self.path] = digest
                        gallery.arrivals.append(self.path.rsplit("/", 1)[1])
                        gallery.digests[digest] = gallery.digests.get(digest, 0) + 1
                self.reply(412 if taken else 201, taken or digest)

            def reply(self, status, digest):
                self.send_response(status)
                body = b"" if self.command == "HEAD" or digest is None else json.dumps({"sha256": digest}).encode()
                self.send_header("Content-Length", str(len(body)))
                if digest:
                    self.send_header("X-SHA256", digest)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, allow_reuse_address = True, True

        self.server = Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def down(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
