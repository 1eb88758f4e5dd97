"""One card, one folder, one gallery, one state: where an import is started, killed and started again."""
import json
import os
import random
import shutil
import socket
import subprocess
import time

from proof import Failure

TOKEN = "crash-test-token"
PIPELINE = """\
version: 1
name: crash
sources:
  - card: {{ paths: ["{card}"] }}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [archive, gallery] }}
targets:
  archive: {{ folder: {{ path: "{archive}/{{captured:yyyy-MM-dd}}" }} }}
  gallery:
    http:
      url: "{gallery}/api/assets"
      auth: studio
      digest: {{ json: sha256 }}
      find: {{ url: "{gallery}/api/assets/by-digest/{{sha256}}" }}
auth:
  studio: {{ bearer: {{ token: "${{env:FILMGATE_GALLERY_TOKEN}}" }} }}
"""


def free_port():
    """A port of this machine that nobody uses, below those that the system gives to connections: it stays free until it is used."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                free.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def wait_for_port(port):
    """Returns once somebody answers there."""
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Failure(f"nothing answers on port {port}")


class Scene:
    """Use as a context: the gallery runs inside it."""

    def __init__(self, options, place):
        self.filmgate = os.path.abspath(options.filmgate)
        self.card = os.path.join(os.path.dirname(place), "CARD")
        self.state, self.archive = os.path.join(place, "state"), os.path.join(place, "archive")
        self.gallery, self.pipeline = os.path.join(place, "gallery"), os.path.join(place, "crash.yaml")
        self.environment = dict(os.environ, FILMGATE_GALLERY_TOKEN=TOKEN)
        os.makedirs(self.archive)

    @staticmethod
    def make_card(options, base):
        """The sample card with all its kinds of files, and pairs that take a while to copy."""
        card, pairs = os.path.join(base, "CARD"), os.path.join(base, "PAIRS")
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run([options.filmgate, "sample", "card", card], **quiet)
        bulk = ["--pairs", str(options.pairs), "--jpeg-size", "600kB", "--raw-size", "2MB"]
        subprocess.run([options.filmgate, "sample", "card", pairs, *bulk], **quiet)
        os.rename(os.path.join(pairs, "DCIM", "100CANON"), os.path.join(card, "DCIM", "105CANON"))
        shutil.rmtree(pairs)

    def __enter__(self):
        self.port = free_port()
        with open(self.pipeline, "w", encoding="utf-8") as file:
            file.write(PIPELINE.format(card=self.card, archive=self.archive, gallery=f"http://127.0.0.1:{self.port}"))
        self.server = subprocess.Popen(
            [self.filmgate, "sample", "gallery", "--dir", self.gallery, "--port", str(self.port), "--token-env", "FILMGATE_GALLERY_TOKEN"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port)
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    def command(self):
        return [self.filmgate, "import", self.card, "--pipeline", self.pipeline, "--state", self.state, "--json"]

    def start(self):
        """An import that is going to be killed."""
        return subprocess.Popen(self.command(), env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self):
        """A plain run; its summary. Anything but exit code 0 and buckets that add up is a failure."""
        done = subprocess.run(self.command(), env=self.environment, capture_output=True, text=True, timeout=600)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode != 0 or not lines or lines[-1].get("type") != "summary":
            raise Failure(f"exit {done.returncode}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        summary = lines[-1]
        endings = ["delivered", "duplicate", "alreadySeen", "filtered", "setAside", "pending"]
        if summary["seen"] != sum(summary[name] for name in endings):
            raise Failure(f"the buckets do not add up: {summary}")
        left = [name for _, _, files in os.walk(os.path.join(self.archive, ".filmgate", "staging")) for name in files]
        if left:
            raise Failure(f"staging is not empty after a plain run: {left[:5]}")
        return summary
