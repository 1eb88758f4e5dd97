#!/usr/bin/env python3
"""Marks, retries, takes back and reloads while a run delivers the same frames, and proves that a target got each of them once.

The target is a program that writes down what it is given: nothing there hides a second time.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from program import Program  # noqa: E402
from proof import Failure  # noqa: E402


class Round:
    """One run over a hot folder of `count` frames that wait for picks, or for a target that refuses them for now."""

    def __init__(self, options, base, rng):
        self.program, self.count, self.rng = os.path.abspath(options.filmgate), options.frames, rng
        self.base, self.hot, self.calls = base, base + "/hot", base + "/calls"
        self.state, self.pipeline, self.shut = ["--state", base + "/state"], base + "/p.yaml", base + "/shut"
        os.makedirs(self.hot)
        self.write()
        self.frames = {}
        for number in range(self.count):
            scan = rng.randbytes(60_000).replace(b"\xff", b"\x00")
            self.frames[f"{self.hot}/X_{number:03}.JPG"] = b"\xff\xd8\xff\xda\x00\x08\x01\x01\x00\x00?\x00" + scan + b"\xff\xd9"

    def write(self):
        sender = self.base + "/send"
        with open(sender, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n[ ! -e {self.shut} ] || exit 1\necho $FILMGATE_SHA256 >>{self.calls}\nsleep 0.01\necho id=$FILMGATE_NAME\n")
        os.chmod(sender, 0o755)
        with open(self.pipeline, "w", encoding="utf-8") as file:
            file.write(f"""version: 1
sources: [ {{ folder: {{ path: "{self.hot}", settle: 100ms }} }} ]
stages: [ {{ dedupe: {{}} }}, {{ upload: {{ to: [archive, feed, web], deliver: {{ feed: {{ picks: only }} }} }} }} ]
targets:
  archive: {{ folder: {{ path: "{self.base}/archive", verify: size }} }}
  feed: {{ exec: {{ command: ["{sender}"], identity: feed }} }}
  web: {{ exec: {{ command: [/bin/sh, -c, "[ ! -e {self.shut} ] && echo id=1"], identity: web }} }}
""")

    def call(self, *words):
        return subprocess.Popen([self.program, *words, *self.state], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def status(self):
        text = subprocess.run([self.program, "status", "--json", *self.state], capture_output=True, text=True, check=False).stdout
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return next((line for line in lines if line["type"] == "status"), {})

    def wait(self, run, what, seconds=60):
        """Returns as soon as `what` is true of the status."""
        end = time.monotonic() + seconds
        while not what(self.status()):
            if time.monotonic() > end or not run.is_running:
                raise Failure(f"not within {seconds} s, or the run ended; see {self.base}")
            time.sleep(0.1)

    def go(self):
        refuses = self.rng.random() < 0.5
        if refuses:
            open(self.shut, "w", encoding="utf-8").close()
        run = Program("run", [self.program, "run", self.pipeline, *self.state], log=self.base + "/run.log").start()
        for path, data in self.frames.items():
            with open(path, "wb") as file:
                file.write(data)
        self.wait(run, lambda told: sum(one.get("pending", 0) + one.get("held", 0) for one in told.get("targets", []) if one["name"] == "feed")
                  >= self.count)
        if refuses:
            os.remove(self.shut)
        self.disturb(run)
        self.wait(run, lambda told: told["assets"].get("delivered", 0) + told["assets"].get("duplicate", 0) == self.count)
        run.stop()
        self.check()

    def disturb(self, run):
        """Several verbs at once, in an order of chance; a pick of all is always among them."""
        paths = sorted(self.frames)
        retry = ["retry", "--pipeline", self.pipeline, "--wait", "5s"]
        verbs = [["mark", "--pick", *paths], retry, retry, retry + ["--failed"], ["mark", "--pick", *paths[: self.count // 2]],
                 ["import", self.hot, "--pipeline", self.pipeline, "--wait", "5s"]]
        first, rest = verbs[0], verbs[1:]
        self.rng.shuffle(rest)
        chosen = [first] + rest[: self.rng.randrange(1, len(rest) + 1)]
        if self.rng.random() < 0.3:
            self.rng.shuffle(chosen)
        jobs = []
        for verb in chosen:
            jobs.append(self.call(*verb))
            time.sleep(self.rng.uniform(0, 0.15))
            if self.rng.random() < 0.15:
                run.process.send_signal(signal.SIGHUP)
        for job in jobs:
            job.wait(timeout=120)
        # What a job was sending when another one looked is sent by now, or waits for the next.
        self.call(*retry, "--failed").wait(timeout=120)

    def check(self):
        with open(self.calls, encoding="ascii") as file:
            calls = collections.Counter(file.read().split())
        wanted = {hashlib.sha256(data).hexdigest() for data in self.frames.values()}
        twice, lost = [one for one in calls if calls[one] > 1], wanted - set(calls)
        if twice or lost or set(calls) - wanted:
            raise Failure(f"{len(twice)} frames were sent twice, {len(lost)} not at all; see {self.calls}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--count", type=int, default=20, help="rounds")
    parser.add_argument("--frames", type=int, default=30, help="frames in each")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="to play the same again")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    base, rng = tempfile.mkdtemp(prefix="filmgate-overlap-"), random.Random(options.seed)
    try:
        for number in range(options.count):
            Round(options, f"{base}/{number}", rng).go()
    except Failure as failure:
        print(f"FAILED with seed {options.seed}, round {number}: {failure}")
        sys.exit(1)
    shutil.rmtree(base)
    print(f"{options.count} rounds of {options.frames} frames: each sent once")


if __name__ == "__main__":
    main()
