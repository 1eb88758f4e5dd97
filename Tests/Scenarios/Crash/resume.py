#!/usr/bin/env python3
"""Kills `filmgate run` with SIGKILL in the middle of long transfers from a camera, and proves that the next run goes on where it was.

Each round: a virtual camera of one make with a clip of computed bytes; the run is killed at a random moment of the transfer, sometimes
twice, and started again. At the end the clip lies in the folder once and whole, the camera was not asked again for what lay on the disk,
and nothing is left in staging. In some rounds the journal or the part file is damaged between the runs: then the transfer begins anew.
"""
import argparse
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from program import Program, free_port, wait_for_port  # noqa: E402
from proof import Failure, folder, integrity, ledger  # noqa: E402

PIPELINE = """\
version: 1
name: resume
sources:
  - {make}: {{ hosts: ["127.0.0.1:{port}"], backlog: all, usb: false }}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [archive] }}
targets:
  archive: {{ folder: {{ path: "{archive}" }} }}
"""
# Every make whose virtual body gives parts of a file.
MAKES = "canon nikon sony fujifilm panasonic olympus leica pentax gopro ptp"


class Round:
    def __init__(self, options, place, make, rng):
        self.place, self.make, self.rng, self.program, self.size = place, make, rng, os.path.abspath(options.filmgate), options.size << 20
        self.state, self.archive = os.path.join(place, "state"), os.path.join(place, "archive")
        self.staging, self.pipeline = os.path.join(self.state, "staging"), os.path.join(place, "live.yaml")
        os.makedirs(self.archive)
        os.makedirs(os.path.join(place, "card", "DCIM", "100TEST"))
        port = free_port()
        with open(self.pipeline, "w", encoding="utf-8") as file:
            file.write(PIPELINE.format(make=make, port=port, archive=self.archive))
        simulate = [self.program, "camera", "simulate", "--make", make, "--port", str(port), "--files", os.path.join(place, "card")]
        self.camera = Program(make, simulate + ["--clip", f"{options.size}MiB"]).start()
        wait_for_port(port)
        run = [self.program, "run", self.pipeline, "--state", self.state, "--once", "--json"]
        self.run = Program("run", run, log=os.path.join(place, "run.log"))
        self.marks = []

    def kill_in_the_middle(self):
        """Kills the run some time after it has a journal; what lies on the disk then."""
        self.run.start()
        end = time.monotonic() + 60
        while time.monotonic() < end and self.run.is_running and not self.journal(newer=True):
            time.sleep(0.01)
        time.sleep(self.rng.uniform(0, 0.3))
        alive = self.run.is_running
        self.run.close()
        integrity(self.state)
        return alive

    def journal(self, newer=False):
        """The offset in the newest journal; with `newer`, only if it is not the one seen last."""
        names = [name for name in os.listdir(self.staging) if name.endswith(".resume")] if os.path.isdir(self.staging) else []
        offsets = []
        for name in names:
            try:
                with open(os.path.join(self.staging, name), "rb") as file:
                    lines = file.read().split(b"\n")
            except FileNotFoundError:
                # Its file has just been read to the end.
                continue
            for line in lines[1:]:
                words = line.split()
                if len(words) == 3 and words[0].isdigit():
                    offsets.append(int(words[0]))
        offset = max(offsets, default=0)
        return offset if offset and (not newer or offset not in self.marks) else 0

    def damage(self):
        """What a failing disk or a meddling hand does."""
        names = [name for name in os.listdir(self.staging) if name.endswith((".resume", ".part"))]
        name = self.rng.choice(names)
        path = os.path.join(self.staging, name)
        place = self.rng.randrange(0, min(os.path.getsize(path), self.journal() or 1))
        with open(path, "r+b") as file:
            file.seek(place)
            byte = file.read(1)
            file.seek(place)
            file.write(bytes([byte[0] ^ 0x55]))

    def notes(self):
        rows = ledger(self.state).execute("SELECT text FROM note WHERE text LIKE 'resumed at %' OR text LIKE 'begun anew%' ORDER BY id").fetchall()
        return [row[0] for row in rows]

    def go(self, kills, damaged):
        for _ in range(kills):
            if self.kill_in_the_middle():
                self.marks.append(self.journal())
        if damaged and self.marks and self.journal():
            self.damage()
        if self.run.start().process.wait(timeout=300) != 0:
            raise Failure(f"the last run ended with {self.run.code}; see {self.run.log}")
        found = folder(self.archive)
        if list(found) != ["MVI_9999.MP4"] or os.path.getsize(os.path.join(self.archive, "MVI_9999.MP4")) != self.size:
            raise Failure(f"folder: {sorted(found)}")
        left = [name for name in os.listdir(self.staging)] if os.path.isdir(self.staging) else []
        if left:
            raise Failure(f"staging is not empty: {left}")
        return next(iter(found.values())), [int(note.split()[2]) for note in self.notes() if note.startswith("resumed")]

    def close(self):
        self.camera.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--count", type=int, default=20, help="how many rounds")
    parser.add_argument("--size", type=int, default=1536, help="MiB of the clip")
    parser.add_argument("--makes", default=MAKES, help="the cameras, in turn")
    parser.add_argument("--seed", type=int, default=None, help="repeats an earlier series")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    base, makes, resumed, saved = tempfile.mkdtemp(prefix="filmgate-resume-"), options.makes.split(), 0, 0
    print(f"seed {seed}", flush=True)
    reference = Round(options, os.path.join(base, "reference"), makes[0], random.Random(seed))
    try:
        known, _ = reference.go(0, False)
    finally:
        reference.close()
    shutil.rmtree(reference.place)
    for number in range(options.count):
        rng = random.Random(seed * 100_003 + number)
        make, damaged = makes[number % len(makes)], number % 5 == 4
        one = Round(options, os.path.join(base, f"round{number}"), make, rng)
        try:
            value, offsets = one.go(rng.choice([1, 1, 2]), damaged)
            if value != known:
                raise Failure("the clip holds other bytes than one that was taken undisturbed")
            if not damaged and [mark for mark in one.marks if mark] and not offsets:
                raise Failure(f"nothing was resumed, though {one.marks} were on the disk: {one.notes()}")
            wrong = [offset for offset in offsets if offset not in one.marks]
            if wrong:
                raise Failure(f"resumed at {wrong}, but the journals said {one.marks}")
        except Failure as failure:
            print(f"FAILED in round {number} of seed {seed} ({make}): {failure}\nLeft for a look: {base}", file=sys.stderr)
            return 1
        finally:
            one.close()
        resumed, saved = resumed + len(offsets), saved + sum(offsets)
        what = f"resumed at {', '.join(f'{offset >> 20} MiB' for offset in offsets)}" if offsets else "begun anew"
        print(f"{make}{' (damaged)' if damaged else ''}: {len(one.marks)} kills, {what}: whole, once", flush=True)
        shutil.rmtree(one.place)
    shutil.rmtree(base)
    print(f"{options.count} clips of {options.size} MiB, each whole and once; {resumed} resumptions saved {saved >> 20} MiB of transfer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
