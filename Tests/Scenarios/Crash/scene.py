"""One card, one folder, one gallery, one state: where an import is started, killed and started again."""
import json
import os
import shutil
import subprocess

from program import Program, free_port, gallery, wait_for_port
from proof import Failure

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


class Scene:
    """Use as a context: the gallery runs inside it."""

    def __init__(self, options, place):
        self.filmgate = os.path.abspath(options.filmgate)
        self.card = os.path.join(os.path.dirname(place), "CARD")
        self.state, self.archive = os.path.join(place, "state"), os.path.join(place, "archive")
        self.gallery, self.pipeline = os.path.join(place, "gallery"), os.path.join(place, "crash.yaml")
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
        self.server = gallery(self.filmgate, self.gallery, self.port).start()
        wait_for_port(self.port)
        return self

    def __exit__(self, *_):
        self.server.close()

    def command(self):
        return [self.filmgate, "import", self.card, "--pipeline", self.pipeline, "--state", self.state, "--json"]

    def start(self):
        """An import that is going to be killed."""
        return Program("import", self.command()).start()

    def run(self):
        """A plain run; its summary. Anything but exit code 0 and buckets that add up is a failure."""
        done = subprocess.run(self.command(), capture_output=True, text=True, timeout=600)
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
