#!/usr/bin/env python3
"""Signing in against a real OpenID provider: device grant, PKCE, pasted address, renewal with rotation, two processes, revocation.

glewlwyd.py --filmgate PROGRAM    Starts everything on loopback, and ends it. Exit 1 when something is not as it has to be.
"""
import argparse
import glob
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Shared"))
from program import free_port  # noqa: E402
from server import SECRET, Glewlwyd, Session  # noqa: E402


class Gallery(http.server.BaseHTTPRequestHandler):
    """Takes files from whoever the provider knows."""
    provider, taken, refused = None, {}, 0

    def do_PUT(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not Gallery.provider.knows(token):
            Gallery.refused += 1
            return self.answer(401)
        Gallery.taken[self.path] = body
        self.answer(201)

    def do_HEAD(self):
        self.answer(404)

    do_GET = do_HEAD

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Run:
    def __init__(self, program, folder):
        self.program, self.folder, self.state = program, folder, folder + "/state"
        self.port = free_port()
        self.provider = Glewlwyd(folder + "/glewlwyd", f"http://127.0.0.1:{self.port}/callback")
        Gallery.provider = self.provider
        self.gallery = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gallery)
        threading.Thread(target=self.gallery.serve_forever, daemon=True).start()
        self.pipeline = folder + "/p.yaml"
        os.environ["OFFICE_SECRET"] = SECRET
        common = f'issuer: "{self.provider.issuer}", preset: glewlwyd, scopes: [openid, upload], redirect_ports: [{self.port}]'
        with open(self.pipeline, "w") as file:
            file.write(f"""version: 1
sources: [{{ card: {{ paths: ["{folder}/CARD"] }} }}]
stages: [{{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [gallery] }} }}]
targets:
  gallery: {{ http: {{ url: "http://127.0.0.1:{self.gallery.server_port}/up/{{name}}", auth: studio }} }}
  office: {{ http: {{ url: "http://127.0.0.1:{self.gallery.server_port}/office/{{name}}", auth: office }} }}
auth:
  studio: {{ oidc: {{ {common}, client_id: ingest }} }}
  office: {{ oidc: {{ {common}, client_id: office, client_secret: "${{env:OFFICE_SECRET}}" }} }}
""")
        self.said, self.secrets, self.commands = "", {SECRET}, ""

    def start(self, *words, feed=None):
        return subprocess.Popen(
            [self.program, *words, "--state", self.state, "--json"], text=True, stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, process, code=0):
        out, err = process.communicate(timeout=120)
        self.said += out + err
        self.note()
        check(process.returncode == code, f"exit {process.returncode} instead of {code}: {out}{err}")
        return [json.loads(line) for line in out.splitlines() if line.startswith("{")]

    def run(self, *words, code=0):
        return self.end(self.start(*words), code)

    def note(self):
        """Every secret that was ever stored, and every command line that anyone can see."""
        for entry in ("studio", "office"):
            for name in ("access", "refresh", "identity"):
                if (self.stored(entry) or {}).get(name):
                    self.secrets.add(self.stored(entry)[name])
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                self.commands += open(path, errors="replace").read()
            except OSError:
                pass

    def stored(self, entry="studio"):
        try:
            with open(self.state + "/secrets.json") as file:
                return json.loads(json.load(file)["entries"].get(f"account/{entry}", "null"))
        except FileNotFoundError:
            return None

    def invited(self, process):
        while True:
            line = process.stdout.readline()
            self.said += line
            if not line:
                sys.exit("login ended before it invited: " + process.stderr.read())
            if '"invitation"' in line:
                self.note()
                return json.loads(line)


def accounts(lines):
    return [line for line in lines if line["type"] == "account"]


def check(fine, otherwise):
    if not fine:
        sys.exit("FAILED: " + str(otherwise))


def step(text):
    print("·", text, flush=True)


def device(run):
    step("nobody is signed in: whoami says so, import is held with exit 4")
    run.run("whoami", run.pipeline, code=4)
    run.run("import", "--pipeline", run.pipeline, "--wait", "10s", code=4)
    step("device grant")
    process = run.start("login", run.pipeline, "studio", "--device", "--no-browser")
    invitation = run.invited(process)
    check(invitation["code"] and invitation["url"].startswith(run.provider.root), invitation)
    run.provider.approve(invitation["code"])
    account = accounts(run.end(process))[-1]
    check(account["state"] == "signedIn" and account["renews"], account)
    check(run.run("whoami", run.pipeline, "studio")[0]["account"]["id"] == account["account"]["id"], "whoami differs")
    check(oct(os.stat(run.state + "/secrets.json").st_mode & 0o777) == "0o600", "the store is open")


def deliver(run):
    step("delivery with renewals in between; every token is checked by the provider")
    summary = run.run("import", "--pipeline", run.pipeline)[-1]
    check(summary["exit"] == 0 and summary["delivered"] > 5 and len(Gallery.taken) > 5, summary)


def rotation(run):
    step("renewal rotates, once for four processes")
    before = run.stored()
    time.sleep(7)
    for process in [run.start("login", "studio", "--check") for _ in range(4)]:
        check(run.end(process)[0]["state"] == "signedIn", "not signed in")
    after = run.stored()
    check(after["refresh"] != before["refresh"], "the refresh token did not change")
    check(after["generation"] == before["generation"] + 1, f"{after['generation'] - before['generation']} renewals")
    check(run.provider.refresh(before["refresh"]) >= 400, "the old refresh token still works")


def refused(run):
    step("an old token used by somebody else ended the family: exit 4, and the way back")
    time.sleep(7)
    run.run("login", "studio", "--check", code=4)


def browser(run, paste, entry="studio"):
    step(f"PKCE for {entry} by " + ("pasted address" if paste else "browser and loopback"))
    process = run.start("login", entry, "--paste" if paste else "--browser", "--no-browser", feed=paste)
    place = run.provider.authorize(run.invited(process)["url"])
    if paste:
        process.stdin.write(place + "\n")
        process.stdin.flush()
    else:
        check(Session().call(place)[0] == 200, "the listener did not answer")
    check(accounts(run.end(process))[-1]["state"] == "signedIn", "not signed in")
    check(run.run("login", entry, "--check")[0]["state"] == "signedIn", "the provider does not know it")


def logout(run):
    step("logout forgets and revokes")
    refresh = run.stored("office")["refresh"]
    run.run("logout", "office")
    check(run.stored("office") is None and run.stored(), "the wrong one is stored")
    check(run.provider.refresh(refresh, "office") >= 400, "the refresh token still works")
    run.run("whoami", "office", code=4)


def offline(run):
    step("logout without the provider forgets all the same")
    run.provider.stop()
    run.run("logout", "studio")
    check(run.stored() is None, "it is still stored")


def canary(run):
    step("no secret in any output, file or command line")
    check(len(run.secrets) >= 6, "too few secrets were seen")
    texts = {"output": run.said, "command line": run.commands}
    for folder, _, names in os.walk(run.state):
        for name in names:
            if name != "secrets.json":
                with open(os.path.join(folder, name), "rb") as file:
                    texts[name] = file.read().decode("latin-1")
    for place, text in texts.items():
        for secret in run.secrets:
            check(secret not in text and secret[-24:] not in text, f"a secret is in {place}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--filmgate", required=True)
    program = os.path.abspath(parser.parse_args().filmgate)
    folder = tempfile.mkdtemp(prefix="filmgate-glewlwyd-")
    os.chmod(folder, 0o700)
    run = None
    try:
        subprocess.run([program, "sample", "card", folder + "/CARD"], check=True, stdout=subprocess.DEVNULL)
        run = Run(program, folder)
        for part in (device, deliver, rotation, refused):
            part(run)
        browser(run, paste=False)
        browser(run, paste=True)
        browser(run, False, "office")
        logout(run)
        offline(run)
        canary(run)
        print("glewlwyd: everything as it has to be")
    finally:
        if run:
            run.provider.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
