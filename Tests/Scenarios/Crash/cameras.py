#!/usr/bin/env python3
"""Kills a continuous run, its cameras and its gallery with SIGKILL at random moments, and proves that nothing was lost or doubled.

Each round: up to three virtual cameras of different makes shoot bursts while `filmgate run` takes from all of them over TCP; after each
kill the victim is started again as a person would, and at the end every frame of every camera lies in the folder and at the gallery
exactly once, byte for byte. The first round of each group of makes is left undisturbed; the others share the kills.
"""
import argparse
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from pipelines import LIVE  # noqa: E402
from program import Program, free_port, gallery, wait_for_port  # noqa: E402
from proof import Failure, folder, integrity, ledger, received, settled, sound  # noqa: E402

MAKES = "canon,nikon,fujifilm sony,panasonic,olympus leica,pentax,ptp gopro,canon,sony"


class Shoot:
    """Cameras, a gallery and a run, in a folder of their own."""

    def __init__(self, options, place, makes, rng):
        self.place, self.rng, self.program = place, rng, os.path.abspath(options.filmgate)
        self.state, self.archive, self.gallery = (os.path.join(place, name) for name in ("state", "archive", "gallery"))
        os.makedirs(self.archive)
        self.frames, sources, self.cameras, self.kills = {}, [], [], {}
        for make in makes:
            card, port = os.path.join(place, "card-" + make), free_port()
            self.frames.update(self.shots(card, make, options))
            sources.append(f'  - {make}: {{ hosts: ["127.0.0.1:{port}"], backlog: all, usb: false }}')
            simulate = [self.program, "camera", "simulate", "--make", make, "--port", str(port), "--files", card]
            first = simulate + ["--shoot-every", "150ms", "--burst", "5"]
            self.cameras.append(Program(make, first, os.path.join(place, make + ".log"), again=simulate))
        self.port, pipeline = free_port(), os.path.join(place, "live.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(LIVE.format(sources="\n".join(sources), archive=self.archive, port=self.port))
        self.server = gallery(self.program, self.gallery, self.port, os.path.join(place, "gallery.log"))
        run = [self.program, "run", pipeline, "--state", self.state, "--json"]
        self.run = Program("run", run, os.path.join(place, "run.log"))

    def shots(self, card, make, options):
        """Frames of different length and content, every third with a RAW of the same name, and some long ones to be cut in the middle."""
        base = os.path.join(card, "DCIM", "100TEST")
        os.makedirs(base)
        for number in range(options.shots):
            for ext in ("JPG", "DNG") if number % 3 == 0 else ("JPG",):
                size = self.rng.randrange(2_000, 400_000) if number % 20 else options.long << 20
                head = b"\xff\xd8\xff\xd9" if ext == "JPG" else b"II*\0\x08\0\0\0\0\0\0\0\0\0"
                with open(os.path.join(base, f"{make[:3].upper()}_{number:04}.{ext}"), "wb") as file:
                    file.write(head + self.rng.randbytes(size))
        return {os.path.basename(name): digest for name, digest in folder(card).items()}

    def go(self, kills):
        for program in [self.server, *self.cameras, self.run]:
            program.start()
        wait_for_port(self.port)
        for _ in range(kills):
            time.sleep(self.rng.uniform(0.05, 1.2))
            victim = self.rng.choice([self.run, self.run, self.server, self.rng.choice(self.cameras), self.rng.choice(self.cameras)])
            victim.kill()
            self.kills[victim.name] = self.kills.get(victim.name, 0) + 1
            integrity(self.state)
            sound(folder(self.archive), set(self.frames.values()))
            time.sleep(self.rng.uniform(0, 0.4))
            victim.start(first=False)
        self.wait()
        while os.path.getsize(self.run.log) == self.run.said:
            time.sleep(0.05)
        self.run.stop()

    def wait(self):
        """Until everything is there; what is missing after two minutes without anything new is a failure that `check` names."""
        last, seen = time.monotonic(), -1
        while time.monotonic() - last < 120:
            assets = os.path.join(self.gallery, "assets")
            kept, sent = len(folder(self.archive)), len(os.listdir(assets)) if os.path.isdir(assets) else 0
            if kept >= len(self.frames) and sent >= len(set(self.frames.values())):
                return
            if kept + sent != seen:
                last, seen = time.monotonic(), kept + sent
            time.sleep(0.2)

    def check(self):
        kept, sent = folder(self.archive), received(self.gallery)
        if kept != self.frames:
            lost = sorted(set(self.frames) - set(kept))
            extra = sorted(set(kept) - set(self.frames))
            raise Failure(f"folder: {len(kept)} of {len(self.frames)} files; lost {lost[:5]}, extra {extra[:5]}, or other bytes")
        if set(sent) != set(self.frames.values()):
            raise Failure(f"gallery: {len(sent)} of {len(set(self.frames.values()))} assets")
        integrity(self.state)
        settled(self.state, targets=2)
        self.no_leftovers()

    def no_leftovers(self):
        """Nothing is left in staging after a run that ended by itself."""
        for base in (os.path.join(self.archive, ".filmgate", "staging"), os.path.join(self.state, "staging")):
            left = [name for _, _, files in os.walk(base) for name in files]
            if left:
                raise Failure(f"staging is not empty: {left[:5]}")

    def resumed(self):
        """Transfers that went on where an earlier run of the program had been killed, as the ledger remembers them."""
        try:
            return ledger(self.state).execute("SELECT count(*) FROM note WHERE text LIKE 'resumed at %'").fetchone()[0]
        except sqlite3.Error:
            return 0

    def close(self):
        for program in [self.run, self.server, *self.cameras]:
            program.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--count", type=int, default=20, help="how many kills for each group of makes")
    parser.add_argument("--per-round", type=int, default=5, help="kills per round")
    parser.add_argument("--shots", type=int, default=50, help="shots per camera")
    parser.add_argument("--long", type=int, default=12, help="MiB of every twentieth frame")
    parser.add_argument("--makes", default=MAKES, help="groups of cameras: commas within, spaces between")
    parser.add_argument("--seed", type=int, default=None, help="repeats an earlier series")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    base, rounds, total = tempfile.mkdtemp(prefix="filmgate-cameras-"), 0, 0
    print(f"seed {seed}", flush=True)
    for group in options.makes.split():
        done, first = 0, True
        while first or done < options.count:
            rounds += 1
            kills = 0 if first else min(options.per_round, options.count - done)
            shoot = Shoot(options, os.path.join(base, f"round{rounds}"), group.split(","), random.Random(seed * 100_003 + rounds))
            begun = time.monotonic()
            try:
                shoot.go(kills)
                shoot.check()
            except Failure as failure:
                print(f"FAILED in round {rounds} of seed {seed} ({group}): {failure}\nLeft for a look: {base}", file=sys.stderr)
                return 1
            finally:
                shoot.close()
            done, first, seconds = done + kills, False, time.monotonic() - begun
            shutil.rmtree(shoot.place)
            what = ", ".join(f"{name} {count}" for name, count in sorted(shoot.kills.items())) or "undisturbed"
            print(f"{group}: {what}: {len(shoot.frames)} frames each once, in {seconds:.1f} s", flush=True)
        total += done
    shutil.rmtree(base)
    print(f"{total} kills in {rounds} rounds: every frame delivered once to folder and gallery, byte for byte, ledger sound")
    return 0


if __name__ == "__main__":
    sys.exit(main())
