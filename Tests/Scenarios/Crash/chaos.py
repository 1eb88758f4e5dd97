#!/usr/bin/env python3
"""Pulls cables, Wi-Fi, servers and the program itself at random while a shoot goes on, and proves that every frame arrived exactly once.

Three virtual cameras shoot, one behind a network that breaks; a hot folder fills; bodies push over FTP; the gallery dies and comes back; the run is killed,
stopped and started again. Nobody does anything by hand.
"""
import argparse
import hashlib
import os
import random
import shutil
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from program import free_port  # noqa: E402
from proof import Failure, digest, folder, integrity, sound  # noqa: E402
from pusher import Pushers, source  # noqa: E402
from shoot import Shoot  # noqa: E402

TROUBLES = ["run", "run", "stop", "server", "camera", "cable", "cable", "reload"]
# What a run must bear without being started again.
STEADY = ["server", "cable", "cable", "nothing", "nothing", "nothing"]


class Cable:
    """A network between a client and a camera: passes everything on until it is pulled, and again once it is back."""

    def __init__(self, port):
        self.port, self.out, self.pairs, self.lock = port, free_port(), [], threading.Lock()
        self.listener, self.is_up = None, False
        self.plug()

    def plug(self):
        self.listener = socket.create_server(("127.0.0.1", self.out))
        self.is_up = True
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def pull(self):
        self.is_up = False
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            for one in self.pairs:
                self.end(one)
            self.pairs = []

    @staticmethod
    def end(one):
        """A mere close would wait for the thread that still reads from it."""
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        one.close()

    def accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.port))
            except OSError:
                near.close()
                continue
            with self.lock:
                self.pairs += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            Cable.end(one)


class Chaos(Shoot):
    def __init__(self, options, place, rng):
        super().__init__(options, place, rng)
        self.hot, self.cables, self.steady, self.samples = os.path.join(place, "hot"), [], options.steady, []
        # A soak spreads its shots over its time; in short chaos the hot folder fills steadily.
        self.pause = options.seconds * 0.9 / options.shots if options.steady else 0.2
        os.makedirs(self.hot)
        self.pushes, push = options.pushes, free_port()
        self.pushers = Pushers(push, rng)
        pipeline = os.path.join(place, "live.yaml")
        with open(pipeline, encoding="utf-8") as file:
            text = file.read()
        for camera in self.cameras[:2]:
            port = int(camera.command[camera.command.index("--port") + 1])
            self.cables.append(Cable(port))
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{self.cables[-1].out}")
        text = text.replace("stages:", f'  - folder: {{ path: "{self.hot}", settle: 200ms }}\n{source(push, self.pushers.logins)}stages:')
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(text)

    def fill(self, until):
        """Files that are put into the hot folder, one after the other."""
        number = 0
        while time.monotonic() < until:
            name = f"HOT_{number:05}.JPG"
            data = b"\xff\xd8\xff\xfe\x00\x0a" + os.urandom(8) + b"\xff\xd9"
            with open(os.path.join(self.hot, name), "wb") as file:
                file.write(data)
            self.frames[name] = digest(os.path.join(self.hot, name))
            number += 1
            time.sleep(self.pause)

    def frame(self, name, data):
        self.frames[name] = hashlib.sha256(data).hexdigest()

    def go(self, seconds):
        for program in [self.server, *self.cameras, self.run]:
            program.start()
        until, pulls = time.monotonic() + seconds, 0
        filling = threading.Thread(target=self.fill, args=(until,))
        filling.start()
        self.pushers.start(until, seconds * 0.9 / self.pushes, self.frame, self.pushes)
        while time.monotonic() < until:
            time.sleep(self.rng.uniform(0.2, 2))
            pulls += 1
            self.trouble(self.rng.choice(STEADY if self.steady else TROUBLES))
            self.sample()
            if not self.steady or pulls % 100 == 0:
                sound(folder(self.archive), self.known())
        filling.join()
        if errors := self.pushers.join(self.patience):
            raise Failure(f"pushes failed: {errors}")
        if self.steady and self.pushers.count < self.pushes:
            raise Failure(f"only {self.pushers.count} of {self.pushes} frames were pushed in time")
        self.wait()
        while os.path.getsize(self.run.log) == self.run.said:
            time.sleep(0.05)
        self.run.stop()
        return pulls

    def known(self):
        """The digests of all frames that there are so far; the hot folder's are noted just after they are written."""
        time.sleep(0.1)
        return set(self.frames.values())

    def sample(self):
        """What the run holds: memory in KiB, open files, threads; and the ledger's bytes per file that it knows."""
        pid = self.run.process.pid
        try:
            with open(f"/proc/{pid}/status", encoding="ascii") as file:
                facts = dict(line.split(":", 1) for line in file)
            files = len(os.listdir(f"/proc/{pid}/fd"))
            rows = self.rows() if self.steady else 1
            size = os.path.getsize(os.path.join(self.state, "ledger.sqlite"))
            memory = [int(facts[name].split()[0]) for name in ("VmRSS", "RssAnon")]
            self.samples.append((memory[0], files, int(facts["Threads"]), size / max(rows, 1), memory[1]))
        except (OSError, KeyError, sqlite3.Error):
            pass

    def rows(self):
        database = sqlite3.connect(f"file:{self.state}/ledger.sqlite?mode=ro", uri=True)
        try:
            return database.execute("SELECT count(*) FROM delivery").fetchone()[0]
        finally:
            database.close()

    def check_steady(self):
        """Of eight hours, the last needs no more than the second: median memory within 5 %, files and threads within a few; and the ledger
        takes as much for each file."""
        hour = len(self.samples) // 8
        if hour < 3:
            return "too short to compare"
        second, last = self.samples[hour:2 * hour], self.samples[-hour:]
        middle = lambda part, index: sorted(one[index] for one in part)[len(part) // 2]
        before, after = [[middle(part, index) for index in range(5)] for part in (second, last)]
        print("memory in MiB (its own), open files, threads, by eighths:", flush=True)
        for number in range(8):
            part = self.samples[number * hour:(number + 1) * hour]
            memory, files, threads, _, own = [middle(part, index) for index in range(5)]
            print(f"  {number + 1}: {memory / 1024:.1f} ({own / 1024:.1f}), {files}, {threads}", flush=True)
        words = (f"memory {before[0] / 1024:.1f} → {after[0] / 1024:.1f} MiB, of these its own, without pages of files "
                 f"{before[4] / 1024:.1f} → {after[4] / 1024:.1f}, open files {before[1]} → {after[1]}, threads {before[2]} → {after[2]}, "
                 f"ledger {before[3]:.0f} → {after[3]:.0f} bytes per delivery, from the second eighth to the last")
        if after[0] > before[0] * 1.05 or after[1] > before[1] + 4 or after[2] > before[2] + 4 or after[3] > before[3] * 1.2:
            raise Failure(words)
        return words

    def trouble(self, what):
        rest = self.rng.uniform(0, 1)
        if what == "cable":
            cable = self.rng.choice(self.cables)
            cable.pull()
            time.sleep(rest)
            cable.plug()
        elif what == "reload":
            self.run.process.send_signal(signal.SIGHUP)
            time.sleep(0.2)
            if not self.run.is_running:  # it had not begun to listen yet
                self.run.start(first=False)
        elif what == "nothing":
            return
        else:
            victim = {"run": self.run, "stop": self.run, "server": self.server}.get(what) or self.rng.choice(self.cameras)
            victim.kill(signal.SIGTERM if what == "stop" else signal.SIGKILL)
            if victim is self.run:  # while it writes, a copy of its ledger would be of two moments
                integrity(self.state)
            time.sleep(rest)
            victim.start(first=False)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--seconds", type=float, default=1800, help="how long")
    parser.add_argument("--shots", type=int, default=60, help="shots per camera")
    parser.add_argument("--pushes", type=int, default=60, help="frames that bodies push over FTP, at most")
    parser.add_argument("--every", type=int, default=40, help="milliseconds from shot to shot")
    parser.add_argument("--largest", type=int, default=400_000, help="bytes of the largest frame")
    parser.add_argument("--patience", type=float, default=120, help="seconds to wait for the last delivery")
    parser.add_argument("--makes", default="canon,nikon,ptp", help="the cameras")
    parser.add_argument("--steady", action="store_true", help="never end the run itself, and watch what it needs")
    parser.add_argument("--seed", type=int, default=None, help="repeats an earlier series")
    return parser


def play(options, made=Chaos):
    """One series in a folder of its own, which stays where it failed; the exit status."""
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    base = tempfile.mkdtemp(prefix="filmgate-chaos-")
    print(f"seed {seed}", flush=True)
    chaos = made(options, os.path.join(base, "shoot"), random.Random(seed))
    try:
        pulls = chaos.go(options.seconds)
        chaos.check()
        steady = chaos.check_steady() if options.steady else ""
    except Failure as failure:
        print(f"FAILED with seed {seed}: {failure}\nLeft for a look: {base}", file=sys.stderr)
        return 1
    finally:
        chaos.close()
    shutil.rmtree(base)
    pushed = f"{chaos.pushers.count} of them pushed over FTP, {chaos.pushers.broken} of these in pieces"
    print(f"{pulls} troubles in {options.seconds:.0f} s: {len(chaos.frames)} frames, {pushed}, each exactly once {steady}")
    return 0


if __name__ == "__main__":
    sys.exit(play(arguments().parse_args()))
