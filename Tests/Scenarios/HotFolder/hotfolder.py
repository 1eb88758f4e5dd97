#!/usr/bin/env python3
"""Lets hostile writers and real servers put files into a watched folder, and proves that each was delivered once, whole and unchanged."""
import argparse
import collections
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from peers import FTP, SSH, Samba  # noqa: E402
from program import Program  # noqa: E402
from proof import Failure  # noqa: E402
from writers import Writer  # noqa: E402

QUEUE = "/proc/sys/fs/inotify/max_queued_events"


def sha(data):
    return hashlib.sha256(data).hexdigest()


def delivered(archive):
    """How often each content lies in the archive."""
    found = collections.Counter()
    for base, folders, names in os.walk(archive.encode()):
        folders[:] = [name for name in folders if not name.startswith(b".filmgate")]
        for name in names:
            with open(os.path.join(base, name), "rb") as file:
                found[sha(file.read())] += 1
    return found


class Scene:
    def __init__(self, options, base):
        self.base, self.hot, self.outside, self.archive = base, base + "/hot", base + "/outside", base + "/archive"
        for folder in (self.hot, self.outside, self.archive):
            os.makedirs(folder)
            os.chmod(folder, 0o777)
        os.chmod(base, 0o755)
        self.writer = Writer(self.hot, self.outside, options.settle, options.seed)
        self.program, self.options = os.path.abspath(options.filmgate), options
        self.expected, self.failures, self.lock = {}, [], threading.Lock()

    def start(self):
        command = [self.program, "watch", self.hot, "--pipeline", self.pipeline(), "--state", self.base + "/state", "--json"]
        self.watch = Program("watch", command, log=self.base + "/watch.log").start()

    def pipeline(self):
        path = self.base + "/p.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"""version: 1
sources:
  - folder: {{ path: "{self.hot}", settle: {int(self.options.settle * 1000)}ms, incomplete: 30s, companions: 500ms, rescan: 20s }}
stages: [ {{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [archive] }} }} ]
targets:
  archive: {{ folder: {{ path: "{self.archive}/{{name}}", verify: size }} }}
""")
        return path

    def expect(self, who, made):
        with self.lock:
            for data in made:
                self.expected[sha(data)] = who

    def act(self, name, body):
        try:
            self.expect(name, body())
            print(f"  {name}: done", flush=True)
        except Exception as error:  # whatever a writer dies of is told at the end
            self.failures.append(f"{name}: {error}")

    def served(self, name, peer, *start):
        """Files that a client sends through a real server."""
        server = peer()
        try:
            if server.start(*start) is None:
                print(f"  {name}: not installed or not able to run here, left out", flush=True)
                return []
            folder = f"{self.outside}/{name}"
            made = self.writer.stock(folder, 25)
            server.send(folder, self.hot + "/by-" + name if name == "scp" else "by-" + name)
            return made
        finally:
            server.close()

    def writers(self):
        own = self.writer
        for body in (own.slow, own.preallocating, own.zero_first, own.append_after_pause, own.rename_in, own.rewritten, own.deleted,
                     own.renamed_while_queued, own.links, own.names, own.trees, own.rsync):
            yield body.__name__, body
        yield "scp", lambda: self.served("scp", SSH)
        yield "samba", lambda: self.served("samba", Samba, self.hot)
        yield "ftp", lambda: self.served("ftp", FTP, self.hot)

    def run(self):
        self.expect("before", self.writer.stock(self.hot + "/before", 20))
        queue = shrink_queue()
        self.start()
        try:
            threads = [threading.Thread(target=self.act, args=pair) for pair in self.writers()]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.act("many", lambda: own_many(self.writer, self.options.many))
            self.wait()
        finally:
            restore_queue(queue)
            self.watch.stop()
        return self.check()

    def wait(self):
        end, last = time.monotonic() + self.options.patience, -1
        while time.monotonic() < end:
            count = sum(delivered(self.archive).values())
            if count >= len(self.expected) and count == last:
                return
            last = count
            time.sleep(1 + self.options.settle)

    def check(self):
        found = delivered(self.archive)
        lost = collections.Counter(who for digest, who in self.expected.items() if digest not in found)
        extra = [digest for digest in found if digest not in self.expected]
        twice = [digest for digest, count in found.items() if count > 1]
        if self.failures or lost or extra or twice:
            raise Failure(f"writers failed {self.failures}; lost {dict(lost)}; {len(extra)} partial or foreign; {len(twice)} twice")
        return len(found)


def own_many(writer, count):
    return writer.many(count)


def shrink_queue():
    """A small queue of events overflows sooner; only root may ask for it."""
    try:
        with open(QUEUE, encoding="ascii") as file:
            old = file.read()
        with open(QUEUE, "w", encoding="ascii") as file:
            file.write("256")
        return old
    except OSError:
        print("  the kernel's queue of events keeps its size", flush=True)
        return None


def restore_queue(old):
    if old:
        with open(QUEUE, "w", encoding="ascii") as file:
            file.write(old)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--settle", type=float, default=0.4, help="seconds")
    parser.add_argument("--many", type=int, default=20_000, help="files at once")
    parser.add_argument("--patience", type=float, default=240, help="seconds to wait for the last delivery")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    base = tempfile.mkdtemp(prefix="filmgate-hot-")
    print(f"seed {options.seed}", flush=True)
    try:
        count = Scene(options, base).run()
    except Failure as failure:
        print(f"FAILED: {failure}\nLeft for a look: {base}", file=sys.stderr)
        return 1
    shutil.rmtree(base)
    print(f"{count} files, each delivered once, whole and unchanged")
    return 0


if __name__ == "__main__":
    sys.exit(main())
