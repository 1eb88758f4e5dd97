"""A glewlwyd of its own: an OpenID provider on loopback with a user, two clients and short-lived tokens; everything in one folder."""
import base64
import http.cookiejar
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from program import free_port

SQL = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
USER, PASSWORD, SECRET = "photog", "photogpw1", "s3cret-of-the-office"


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Session:
    """A browser with cookies that follows nothing by itself."""

    def __init__(self):
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(NoRedirect, jar, urllib.request.ProxyHandler({}))

    def call(self, url, data=None, method=None, headers=None):
        """Status, headers and body, whatever the status."""
        headers = dict(headers or {})
        if isinstance(data, (dict, list)):
            data, headers["Content-Type"] = json.dumps(data).encode(), "application/json"
        request = urllib.request.Request(url, data=data, method=method, headers=headers)
        try:
            with self.opener.open(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers, answer.read()

    def form(self, url, **fields):
        status, _, body = self.call(url, urllib.parse.urlencode(fields).encode())
        return status, json.loads(body or b"{}")


class Glewlwyd:
    def __init__(self, folder, redirect, lifetime=6):
        self.folder, self.port = folder, free_port()
        self.root = f"http://127.0.0.1:{self.port}"
        self.api, self.issuer = self.root + "/api", self.root + "/api/oidc"
        os.makedirs(folder, exist_ok=True)
        self._database()
        self._configuration()
        self.process = subprocess.Popen(
            ["glewlwyd", f"--config-file={folder}/glewlwyd.conf"], cwd=folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self._wait()
        self._fill(redirect, lifetime)
        self.browser = Session()
        self._expect(self.browser.call(self.api + "/auth/", {"username": USER, "password": PASSWORD}))
        for client in ("ingest", "office"):
            self._expect(self.browser.call(f"{self.api}/auth/grant/{client}", {"scope": "openid upload"}, method="PUT"))

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def _database(self):
        text = subprocess.run(["zcat", "-f", SQL], check=True, capture_output=True).stdout
        subprocess.run(["sqlite3", f"{self.folder}/db.sqlite"], input=text, check=True)

    def _configuration(self):
        with open("/etc/glewlwyd/glewlwyd.conf") as file:
            lines = [line for line in file if not line.startswith("@include") and line.strip()]
        text = "".join(lines)
        for key, value in (("log_mode", "file"), ("external_url", self.root), ("log_level", "ERROR"), ("log_file", self.folder + "/log")):
            text = re.sub(rf"(?m)^{key}\s*=.*$", f'{key}="{value}"', text)
        text = re.sub(r"(?m)^port\s*=.*$", f"port={self.port}", text)
        text = f'bind_address="127.0.0.1"\n{text}\ndatabase = {{ type = "sqlite3"; path = "{self.folder}/db.sqlite"; }};\n'
        with open(f"{self.folder}/glewlwyd.conf", "w") as file:
            file.write(text)

    def _wait(self):
        for _ in range(100):
            try:
                if Session().call(self.api + "/auth/")[0]:
                    return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("glewlwyd does not start; see " + self.folder)

    @staticmethod
    def _expect(answer):
        if answer[0] >= 300:
            raise SystemExit(f"glewlwyd refuses its setup: {answer[0]} {answer[2][:300]!r}")

    def _fill(self, redirect, lifetime):
        admin = Session()
        self._expect(admin.call(self.api + "/auth/", {"username": "admin", "password": "password"}))
        key = f"{self.folder}/key.pem"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        public = subprocess.run(["openssl", "rsa", "-in", key, "-pubout"], check=True, capture_output=True, text=True).stdout
        parameters = {
            "iss": self.issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": open(key).read(), "cert": public,
            "access-token-duration": lifetime, "refresh-token-duration": 3600, "code-duration": 600, "refresh-token-rolling": True,
            "refresh-token-one-use": "always", "allow-non-oidc": True, "auth-type-code-enabled": True, "auth-type-token-enabled": False,
            "auth-type-id-token-enabled": True, "auth-type-none-enabled": False, "auth-type-password-enabled": False,
            "auth-type-client-enabled": True, "auth-type-device-enabled": True, "auth-type-refresh-enabled": True,
            "device-authorization-expiration": 600, "device-authorization-interval": 1, "pkce-allowed": True,
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True, "jwks-show": True,
            "subject-type": "public", "scope": [], "additional-parameters": [], "claims": []}
        self._expect(admin.call(self.api + "/mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "OIDC", "order_rank": 0, "parameters": parameters}))
        self._expect(admin.call(self.api + "/scope/", {
            "name": "upload", "display_name": "upload", "password_required": True, "password_max_age": 0, "scheme": {},
            "scheme_required": {}}))
        self._expect(admin.call(self.api + "/user/", {
            "username": USER, "name": "Photographer", "password": PASSWORD, "enabled": True, "scope": ["openid", "upload", "g_profile"]}))
        client = {
            "enabled": True, "redirect_uri": [redirect], "authorization_type": ["device_authorization", "refresh_token", "code"],
            "scope": ["openid", "upload"]}
        self._expect(admin.call(self.api + "/client/", {
            **client, "client_id": "ingest", "name": "public", "confidential": False, "token_endpoint_auth_method": ["none"]}))
        # Only a client with a secret may revoke here.
        self._expect(admin.call(self.api + "/client/", {
            **client, "client_id": "office", "name": "confidential", "confidential": True, "client_secret": SECRET,
            "password": "unused-password", "token_endpoint_auth_method": ["client_secret_basic"]}))

    def approve(self, user_code):
        """What a person does with a device code."""
        status, headers, _ = self.browser.call(f"{self.issuer}/device?code={urllib.parse.quote(user_code)}&g_continue")
        assert status in (200, 302), (status, headers)

    def authorize(self, url):
        """What a browser does with an authorization address; where it is sent."""
        status, headers, body = self.browser.call(url + "&g_continue")
        assert status == 302 and "code=" in headers["Location"], (status, headers["Location"], body[:200])
        return headers["Location"]

    def knows(self, access):
        return Session().call(f"{self.issuer}/userinfo", headers={"Authorization": "Bearer " + access})[0] == 200

    def refresh(self, token, client="ingest"):
        """Status of an attempt to use a refresh token."""
        fields = {"grant_type": "refresh_token", "refresh_token": token}
        headers = {}
        if client == "ingest":
            fields["client_id"] = client
        else:
            headers["Authorization"] = "Basic " + base64.b64encode(f"{client}:{SECRET}".encode()).decode()
        return Session().call(f"{self.issuer}/token", urllib.parse.urlencode(fields).encode(), headers=headers)[0]
