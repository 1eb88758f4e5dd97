"""A provider on this machine that signs people in by a device code (RFC 8628): the token that it gives is the gallery's."""
import http.server
import json
import threading
from urllib.parse import parse_qs


class Provider:
    """Use as a context. Nobody is let in until somebody says `allow()`, as a person would on another device; `refuse()` says no."""

    CODE = "WDJB-MJHT"

    def __init__(self, token):
        self.token, self.answer, self.begun, self.polls = token, None, 0, 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Door", (Door,), {"provider": self}))
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def auth(self):
        """Below `auth:` of a pipeline."""
        return f'oidc: {{ issuer: "{self.issuer}", client_id: camera, flow: device, scopes: [upload] }}'

    def allow(self):
        self.answer = {"access_token": self.token, "token_type": "Bearer", "expires_in": 3600}

    def refuse(self):
        self.answer = {"error": "access_denied"}

    def description(self):
        return {
            "issuer": self.issuer, "token_endpoint": self.issuer + "/token", "device_authorization_endpoint": self.issuer + "/device_authorization"}

    def code(self, form):
        """Another code, about which nobody has said anything."""
        self.answer, self.begun = None, self.begun + 1
        return {
            "device_code": f"device-{self.begun}", "user_code": self.CODE, "verification_uri": self.issuer + "/device",
            "verification_uri_complete": f"{self.issuer}/device?user_code={self.CODE}", "expires_in": 600, "interval": 1}

    def tokens(self, form):
        self.polls += 1
        if form.get("device_code") != [f"device-{self.begun}"]:
            return {"error": "invalid_grant"}
        return self.answer or {"error": "authorization_pending"}


class Door(http.server.BaseHTTPRequestHandler):
    provider = None

    def say(self, body):
        data = json.dumps(body).encode()
        self.send_response(400 if "error" in body else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/.well-known/openid-configuration":
            return self.say(self.provider.description())
        return self.say({"error": "not_found"})

    def do_POST(self):
        form = parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
        ways = {"/device_authorization": self.provider.code, "/token": self.provider.tokens}
        way = ways.get(self.path)
        return self.say(way(form) if way and form.get("client_id") == ["camera"] else {"error": "invalid_request"})

    def log_message(self, *_):
        pass
