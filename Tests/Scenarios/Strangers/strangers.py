#!/usr/bin/env python3
"""Imports a card into servers of other people over a network that breaks connections and loses answers, and lets clients of other people push
over FTP and be killed in between. Proves that every picture arrived exactly once, whole, and that no run ended without a word about one."""
import argparse
import collections
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from cutter import Cutter  # noqa: E402
from program import Program, free_port, wait_for_port  # noqa: E402
from proof import Failure, digest, folder, integrity, settled  # noqa: E402
from servers import Server  # noqa: E402

# Server, the target's lines, what answers lie below its folder.
TARGETS = {
    "apache": ("apache", 'webdav: {{ url: "http://127.0.0.1:{port}/{{event}}/{{name}}" }}'),
    "apache, direct": ("apache", 'webdav: {{ url: "http://127.0.0.1:{port}/{{event}}/{{name}}", placing: direct }}'),
    "lighttpd": ("lighttpd", 'webdav: {{ url: "http://127.0.0.1:{port}/{{event}}/{{name}}" }}'),
    "lighttpd, direct": ("lighttpd", 'webdav: {{ url: "http://127.0.0.1:{port}/{{event}}/{{name}}", placing: direct }}'),
    "WsgiDAV": ("wsgidav", 'webdav: {{ url: "http://127.0.0.1:{port}/{{event}}/{{name}}" }}'),
    "WsgiDAV, direct": ("wsgidav", 'webdav: {{ url: "http://127.0.0.1:{port}/{{event}}/{{name}}", placing: direct }}'),
    "rclone serve webdav": ("rclone-webdav", 'webdav: {{ url: "http://127.0.0.1:{port}/{{event}}/{{name}}" }}'),
    "rclone serve webdav, direct": ("rclone-webdav", 'webdav: {{ url: "http://127.0.0.1:{port}/{{event}}/{{name}}", placing: direct }}'),
    "rclone serve sftp": (
        "rclone-sftp", 'sftp: {{ host: 127.0.0.1, port: {port}, user: cam, key: "{keys}/id", known_hosts: "{known}", path: "{{event}}/{{name}}" }}'),
    "rclone serve s3": (
        "rclone-s3", 's3: {{ bucket: frames, endpoint: "http://127.0.0.1:{port}", key: "{{event}}/{{name}}", auth: studio }}'),
    "asyncssh": (
        "asyncssh", 'sftp: {{ host: 127.0.0.1, port: {port}, user: cam, key: "{keys}/id", known_hosts: "{known}", path: "/{{event}}/{{name}}" }}'),
    "pyftpdlib": (
        "pyftpdlib",
        'ftp: {{ host: 127.0.0.1, port: {port}, user: cam, password: "${{env:STRANGER_FTP}}", path: "/{{event}}/{{name}}", tls: none, '
        "allow_cleartext: true }}"),
}
# Of some servers: what goes both ways of a connection before anything is asked for, and how little comes of it afterwards.
LIMITS = {
    "rclone-sftp": {"back": (3_000, 12_000, 4_500)},
    "asyncssh": {"back": (3_000, 12_000, 4_500)},
    # The control connection; data connections do not come through here, and that server breaks them itself.
    "pyftpdlib": {"there": (60, 2_500, 200), "back": (250, 4_000, 600)},
}
SIGN_IN = 'auth: { studio: { aws: { access_key: cam, secret_key: "${env:STRANGER_S3}" } } }\n'


def picture(rng, size):
    """A whole JPEG that nobody else has."""
    body = bytearray(b"\xff\xd8")
    while len(body) < size:
        part = rng.randbytes(min(65_000, size - len(body) + 1))
        body += b"\xff\xfe" + (len(part) + 2).to_bytes(2, "big") + part
    return bytes(body + b"\xff\xd9")


def stock(path, count, rng, first=1):
    os.makedirs(path)
    for number in range(first, first + count):
        with open(f"{path}/IMG_{number:04}.JPG", "wb") as file:
            file.write(picture(rng, rng.randrange(5_000, 200_000)))
    return {digest(f"{path}/{name}") for name in os.listdir(path)}


def held(server, place):
    """Digests of what lies below `place` at the server, hidden names apart; and the names of what is cut."""
    found = collections.Counter()
    for base, _, names in os.walk(server.files):
        if f"/{place}" in base + "/":
            for name in names:
                if not name.startswith("."):
                    with open(os.path.join(base, name), "rb") as file:
                        found[hashlib.sha256(file.read()).hexdigest()] += 1
    return found


class Strangers:
    def __init__(self, options, base):
        self.program, self.count, self.base, self.seed = os.path.abspath(options.filmgate), options.count, base, options.seed
        self.programs, self.rng = os.path.abspath(options.programs), random.Random(options.seed)
        self.environment = dict(os.environ, STRANGER_FTP="cam-5ecret", STRANGER_S3="cam-5ecret-key", ANN_FTP="ann's word")

    # Servers

    def deliver(self, name, server, cutter, card, wanted):
        port = cutter.port
        place = "p" + hashlib.sha256(name.encode()).hexdigest()[:6]
        known = server.know(port) if os.path.exists(f"{server.base}/host.pub") else ""
        lines = TARGETS[name][1].format(port=port, keys=server.base, known=known)
        pipeline, state = os.path.join(self.base, place + ".yaml"), os.path.join(self.base, "state-" + place)
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(f'version: 1\nsources: [ {{ card: {{ paths: ["{card}"] }} }} ]\n'
                       f"stages: [ {{ dedupe: {{}} }}, {{ upload: {{ to: [there], workers: 4 }} }} ]\ntargets:\n  there: {{ {lines} }}\n"
                       + (SIGN_IN if "auth: studio" in lines else ""))
        self.run(name, [self.program, "import", card, "--event", place, "--pipeline", pipeline, "--state", state, "--wait", "60s"])
        found = held(server, place)
        if set(found) != wanted or max(found.values()) != 1:
            raise Failure(f"{name}: {len(wanted - set(found))} lost, {len(set(found) - wanted)} foreign or cut, "
                          f"{sum(found.values()) - len(found)} double")
        integrity(state)
        settled(state, targets=1)

    def run(self, name, command):
        """Until it is complete: what is left waits, and each run says so."""
        for attempt in range(1, 9):
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=600, check=False)
            words = (done.stdout + done.stderr).strip()
            if done.returncode == 0:
                return
            if not words:
                raise Failure(f"{name}: ended with {done.returncode} without a word")
        raise Failure(f"{name}: {attempt} runs ended incomplete:\n{words[-1500:]}")

    def serve(self, wanted_names):
        card = os.path.join(self.base, "card")
        wanted, servers = stock(card + "/DCIM/100CANON", self.count, self.rng), {}
        try:
            for name in wanted_names:
                kind = TARGETS[name][0]
                if kind not in servers:
                    servers[kind] = Server(kind, self.base, free_port(), self.programs)
                    wait_for_port(servers[kind].port)
                server, begun = servers[kind], time.monotonic()
                cutter = Cutter(free_port(), server.port, self.seed + len(servers), **LIMITS.get(kind, {}))
                self.deliver(name, server, cutter, card, wanted)
                cutter.close()
                data = os.path.getsize(f"{server.base}/cuts") if os.path.exists(f"{server.base}/cuts") else None
                for count, what in ((cutter.cuts, "connection was cut"), (cutter.lost, "answer was lost"), (data, "data connection was broken")):
                    if count == 0:
                        raise Failure(f"{name}: no {what}")
                print(f"  {name}: {len(wanted)} files, each once and whole; {cutter.cuts + (data or 0)} connections cut, {cutter.lost} answers lost, "
                      f"{time.monotonic() - begun:.1f} s", flush=True)
        finally:
            for server in servers.values():
                server.close()

    # Clients

    def clients(self):
        port, archive, state = free_port(), os.path.join(self.base, "archive"), os.path.join(self.base, "state-clients")
        pipeline = os.path.join(self.base, "clients.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(f'version: 1\nsources:\n  - ftp: {{ listen: "127.0.0.1:{port}", tls: none, settle: 1s, logins: [{{ user: ann, password: '
                       f'"${{env:ANN_FTP}}" }}] }}\nstages: [ {{ dedupe: {{}} }}, {{ upload: {{ to: [archive] }} }} ]\n'
                       f'targets:\n  archive: {{ folder: {{ path: "{archive}" }} }}\n')
        word, wanted = "ann's word", set()
        command, log = [self.program, "run", pipeline, "--state", state], self.base + "/clients.log"
        with Program("run", command, log, environment=self.environment) as run:
            try:
                wait_for_port(port)
                for number, name in enumerate(("ncftp", "lftp", "curl")):
                    path = os.path.join(self.base, "clients", name)
                    wanted |= stock(path, self.count, self.rng, first=1 + number * 1000)
                    files = sorted(os.path.join(path, one) for one in os.listdir(path))
                    broken = self.push({
                        "ncftp": ["ncftpput", "-u", "ann", "-p", word, "-P", str(port), "-z", "-m", "127.0.0.1", "/DCIM/100NCFTP", *files],
                        "lftp": ["lftp", "-u", f"ann,{word}", "-e", f"set net:max-retries 3; set net:reconnect-interval-base 1; debug -o {self.base}/lftp.debug 5; mirror -R -c {path} DCIM/100LFTP; bye",
                                 f"ftp://127.0.0.1:{port}"],
                        "curl": ["curl", "-s", "-S", "--fail-early", "--ftp-create-dirs", "-u", f"ann:{word}", "-C", "-", "-T", "{" + ",".join(files) + "}",
                                 f"ftp://127.0.0.1:{port}/DCIM/100CURL/"],
                    }[name], name)
                    print(f"  {name}: {len(files)} files pushed, killed {broken} times in between", flush=True)
                end = time.monotonic() + 120
                while time.monotonic() < end and len(folder(archive)) < len(wanted):
                    time.sleep(0.3)
                time.sleep(2)
            finally:
                run.stop()
        self.require_answers()
        kept = collections.Counter(folder(archive).values())
        if set(kept) != wanted or max(kept.values()) != 1:
            raise Failure(f"clients: {len(wanted - set(kept))} lost, {len(set(kept) - wanted)} foreign or cut, {sum(kept.values()) - len(kept)} double")
        integrity(state)
        settled(state, targets=1)

    def require_answers(self):
        """lftp comes back after a while when a server hangs up on it, and nobody would notice."""
        with open(self.base + "/lftp.debug", encoding="utf-8", errors="replace") as file:
            if any("Peer closed" in line for line in file):
                raise Failure("clients: the server hung up on lftp")

    def push(self, command, name):
        """Killed at moments that come later and later, then left to finish."""
        broken = 0
        for patience in (0.1, 0.25, 0.5, 0.9):
            with Program(name, command) as client:
                try:
                    client.process.wait(timeout=patience * self.rng.uniform(0.5, 1.5))
                    break
                except subprocess.TimeoutExpired:
                    broken += 1
        for _ in range(4):
            code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False).returncode
            if code == 0:
                return broken
        raise Failure(f"{name} ended with {code}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--programs", required=True, help="the folder that python.sh prints")
    parser.add_argument("--count", type=int, default=50, help="files for each")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", action="append", choices=[*TARGETS, "clients"], help="may be given several times")
    options = parser.parse_args()
    base = tempfile.mkdtemp(prefix="filmgate-strangers-")
    os.chmod(base, 0o755)
    print(f"seed {options.seed}", flush=True)
    strangers, only = Strangers(options, base), options.only or [*TARGETS, "clients"]
    try:
        strangers.serve([name for name in only if name != "clients"])
        if "clients" in only:
            strangers.clients()
    except Failure as failure:
        print(f"FAILED with seed {options.seed}: {failure}\nLeft for a look: {base}", file=sys.stderr)
        return 1
    shutil.rmtree(base)
    return 0


if __name__ == "__main__":
    sys.exit(main())
