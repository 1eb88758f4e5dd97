#!/usr/bin/env python3
"""Two hours without a network in the middle of a shoot, and a restart in them: nothing waits for it, nothing is lost, nothing comes twice.

Time runs a thousand times faster where only waiting is meant: the pauses between tries (`retry`) are shortened by that factor, so that the
outage holds as many tries as two hours would. Everything else is the program as it is.
"""
import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from program import Program, free_port  # noqa: E402
from proof import Failure  # noqa: E402
from venue import Gallery  # noqa: E402

FASTER = 1000
OUTAGE = 2 * 3600
PIPELINE = """\
version: 1
name: outage
sources: [card: {{ paths: ["{card}"] }}]
stages: [dedupe: {{}}, upload: {{ to: [{to}] }}]
retry: {{ first: 1ms, most: {most}ms }}
spool: {{ max: {spool} }}
targets:
  archive: {{ folder: {{ path: "{archive}", verify: size }} }}
  gallery:
    http:
      url: "http://127.0.0.1:{port}/up/{{name}}"
      digest: {{ header: X-SHA256 }}
      workers: 1
      connect_timeout: 1s
      stall_timeout: 5s
      answer_timeout: 5s
"""


def check(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


class Scene:
    """One card, one state, one gallery; whatever of it still runs at the end is ended there."""
    all = []

    def __init__(self, options, base, name, frames, to, spool="64GiB"):
        self.filmgate, self.base = os.path.abspath(options.filmgate), os.path.join(base, name)
        self.card, self.state, self.archive = (os.path.join(self.base, part) for part in ("CARD", "state", "archive"))
        self.gallery = Gallery(free_port())
        self.names, self.digests = [], {}
        os.makedirs(self.archive)
        Scene.all.append(self)
        self.fill(frames)
        self.pipeline = os.path.join(self.base, "outage.yaml")
        self.run = Program("run", self.command("run", self.pipeline), log=os.path.join(self.base, "log"))
        with open(self.pipeline, "w", encoding="utf-8") as file:
            most = 60_000 // FASTER
            file.write(PIPELINE.format(card=self.card, to=", ".join(to), most=most, spool=spool, archive=self.archive, port=self.gallery.port))

    def fill(self, frames):
        """Frames a second apart, every third with a RAW beside its JPEG; every file another content."""
        folder = os.path.join(self.card, "DCIM", "100SHOOT")
        os.makedirs(folder)
        taken = int(time.time()) - 2 * frames
        for number in range(frames):
            raw = number % 3 == 2
            stem = f"IMG_{number - raw:04}"
            name = stem + (".CR3" if raw else ".JPG")
            data = (b"\xff\xd8\xff\xfe\x00\x10" + f"frame {number:08}".encode() + os.urandom(6000) + b"\xff\xd9")
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(data)
            os.utime(path, (taken + number, taken + number))
            self.names.append((name, taken + number))
            self.digests[name] = hashlib.sha256(data).hexdigest()

    def command(self, verb, *more):
        return [self.filmgate, verb, *more, "--state", self.state, "--json"]

    def ask(self, verb, *more):
        done = subprocess.run(self.command(verb, *more), capture_output=True, text=True, timeout=300)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def until(self, condition, what, patience=300):
        end = time.monotonic() + patience
        while not condition():
            check(self.run.is_running, f"the run ended by itself ({self.run.code}) while waiting for {what}")
            check(time.monotonic() < end, f"waited {patience} s for {what}")
            time.sleep(0.02)

    def archived(self):
        return {name for name in os.listdir(self.archive) if not name.startswith(".")}

    def spooled(self):
        """Bytes that wait, by what lies on the disk."""
        total = 0
        for root in (os.path.join(self.state, "staging"), os.path.join(self.archive, ".filmgate", "staging")):
            for folder, _, names in os.walk(root):
                for name in names:
                    try:
                        total += os.stat(os.path.join(folder, name)).st_size
                    except FileNotFoundError:
                        pass
        return total

    def expect_each_once(self):
        """Every content once at the gallery, and nothing else."""
        twice = [digest for digest, count in self.gallery.digests.items() if count != 1]
        check(not twice, f"{len(twice)} files came twice")
        lost = set(self.digests.values()) - set(self.gallery.digests)
        check(not lost, f"{len(lost)} files did not come")
        check(len(self.gallery.digests) == len(self.digests), "something came that nobody sent")

    def expect_newest_jpegs_first(self):
        ranked = sorted(self.names, key=lambda one: (not one[0].endswith(".JPG"), -one[1]))
        wanted = [name for name, _ in ranked]
        check(self.gallery.arrivals == wanted, f"the order is not newest JPEG first: {self.gallery.arrivals[:6]} instead of {wanted[:6]}")


def with_archive(options, base):
    """The archive goes on, the gallery gets everything afterwards."""
    scene = Scene(options, base, "shoot", options.frames, ["archive", "gallery"])
    begun = time.monotonic()
    scene.run.start()
    scene.until(lambda: len(scene.archived()) >= options.frames // 2, "half of the archive")
    scene.run.kill()
    check(not scene.gallery.arrivals, "something was delivered without a network")
    scene.run.start()
    scene.until(lambda: len(scene.archived()) >= options.frames, "the archive")
    took = time.monotonic() - begun
    left = max(0.0, OUTAGE / FASTER * options.frames / 3000 - took)
    print(f"  archive of {options.frames} files complete after {took:.1f} s without a network, a kill in between; waiting {left:.1f} s more", flush=True)
    time.sleep(left)
    check(scene.run.is_running, "the run gave up")
    for name, digest in scene.digests.items():
        with open(os.path.join(scene.archive, name), "rb") as file:
            check(hashlib.sha256(file.read()).hexdigest() == digest, f"{name} in the archive is not what the card holds")
    code, lines = scene.ask("status")
    gallery = next(target for line in lines for target in line.get("targets", []) if target["name"] == "gallery")
    check(gallery["pending"] == options.frames, f"status does not tell: {gallery}")
    check(gallery["reason"] and gallery["next_try"], f"status does not tell why, or when it goes on: {gallery}")
    check(not gallery["oldest_waiting"].startswith("1970"), f"status does not know since when: {gallery}")
    told = {key: gallery[key] for key in ("pending", "bytes_waiting", "oldest_waiting", "next_try", "reason")}
    print(f"  status: {json.dumps(told)}", flush=True)
    safe, said = scene.ask("safe-to-format", scene.card, "--allow", "same-device")
    check(safe == 8, f"safe-to-format said {safe} while the gallery had nothing")
    scene.gallery.up()
    scene.until(lambda: len(scene.gallery.arrivals) >= options.frames, "the gallery", 600)
    scene.run.kill(signal.SIGTERM, timeout=120)
    scene.expect_each_once()
    scene.expect_newest_jpegs_first()
    safe, said = scene.ask("safe-to-format", scene.card, "--allow", "same-device")
    check(safe == 0, f"safe-to-format says {safe} after all was delivered: {json.dumps(said)[-600:]}")
    scene.gallery.down()
    print(f"  {options.frames} files delivered afterwards: newest JPEGs first, each exactly once", flush=True)


def without_archive(options, base):
    """Without a folder the bytes wait in the spool: as many as it may hold, and no more."""
    frames = max(60, options.frames // 5)
    limit = 1 << 20
    while frames * 6000 < 2 * limit:
        frames += 60
    scene = Scene(options, base, "spool", frames, ["gallery"], spool="1MiB")
    scene.run.start()
    scene.until(lambda: scene.spooled() > limit // 2, "the spool")
    most = 0
    for restart in range(2):
        end = time.monotonic() + 3
        while time.monotonic() < end:
            most = max(most, scene.spooled())
            time.sleep(0.02)
        check(most <= limit, f"{most} bytes wait in a spool of {limit}")
        if restart == 0:
            scene.run.kill()
            scene.run.start()
    check(not scene.gallery.arrivals, "something was delivered without a network")
    held, lines = scene.ask("status")
    scene.gallery.up()
    scene.until(lambda: len(scene.gallery.arrivals) >= frames, "the gallery", 600)
    scene.run.kill(signal.SIGTERM, timeout=120)
    scene.expect_each_once()
    check(scene.spooled() == 0, f"{scene.spooled()} bytes are left in the spool")
    scene.gallery.down()
    print(f"  {frames} files through a spool of 1 MiB: at most {most} bytes waited, a kill in between, each delivered exactly once", flush=True)
    hold(options, base, frames, limit)


def hold(options, base, frames, limit):
    """A one-shot verb says so and ends with 8; the next one goes on."""
    scene = Scene(options, base, "hold", frames, ["gallery"], spool="1MiB")
    code, lines = scene.ask("import", "--pipeline", scene.pipeline, "--wait", "1s")
    check(code == 8, f"import ended with {code} instead of 8 with a full spool")
    said = [line.get("reason") or "" for line in lines if line.get("ending") == "pending"]
    check(any("spool is full" in one for one in said), f"nobody said that the spool is full: {said[-1:]}")
    check(scene.spooled() <= limit, f"{scene.spooled()} bytes wait in a spool of {limit}")
    scene.gallery.up()
    code, lines = scene.ask("import", "--pipeline", scene.pipeline)
    check(code == 0, f"import ended with {code} after the network was back: {lines[-1]}")
    scene.expect_each_once()
    check(scene.spooled() == 0, f"{scene.spooled()} bytes are left in the spool")
    scene.gallery.down()
    print("  import with a full spool: exit 8, says so; the next one delivers the rest", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--frames", type=int, default=3000, help="files on the card")
    options = parser.parse_args()
    base = tempfile.mkdtemp(prefix="filmgate-outage-")
    try:
        for part in (with_archive, without_archive):
            print(part.__doc__.splitlines()[0], flush=True)
            part(options, base)
    except Failure as failure:
        print(f"FAILED: {failure}\nLeft for a look: {base}", file=sys.stderr)
        return 1
    finally:
        for scene in Scene.all:
            scene.run.close()
    shutil.rmtree(base)
    return 0


if __name__ == "__main__":
    sys.exit(main())
