"""A hot folder during a shoot: from the close of a picture to the gallery's answer, twenty thousand files at once, and doing nothing."""
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time

import tiny
from measure import run
from program import free_port, gallery, wait_for_port

MEMORY_LIMIT = 96
REST = """stages: [ {{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [{to}] }} }} ]
targets:
  {to}: {target}
"""
GALLERY = """
    http:
      url: "http://127.0.0.1:{port}/api/assets"
      auth: studio
      digest: {{ json: sha256 }}
      find: {{ url: "http://127.0.0.1:{port}/api/assets/by-digest/{{sha256}}" }}
auth:
  studio: {{ bearer: {{ token: "${{env:FILMGATE_GALLERY_TOKEN}}" }} }}
"""


class Watch:
    """A run over one hot folder; every item is noted with the moment at which it was told, or only counted.

    Whoever only counts takes no time from the run: an import's items are read by nobody.
    """
    ENDED = tuple(f'"ending":"{one}"'.encode() for one in ("delivered", "duplicate", "alreadySeen"))

    def __init__(self, place, options, to, target, counts=False):
        self.base = place.fresh()
        self.hot = os.path.join(self.base, "hot")
        os.makedirs(self.hot)
        pipeline = os.path.join(self.base, "hot.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(f'version: 1\nsources:\n  - folder: {{ path: "{self.hot}", {options} }}\n' + REST.format(to=to, target=target))
        self.command = [place.filmgate, "run", pipeline, "--state", os.path.join(self.base, "state"), "--json"]
        self.told, self.count, self.wanted, self.counts, self.process = {}, 0, 0, counts, None
        self.changed = threading.Condition()

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        threading.Thread(target=self.listen, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.base, ignore_errors=True)

    def listen(self):
        for line in self.process.stdout:
            if not line.startswith(b'{"type":"item"') or not any(ending in line for ending in self.ENDED):
                continue
            now = time.monotonic()
            if not self.counts:
                self.told[os.path.basename(json.loads(line)["path"])] = now
            self.count += 1
            if self.count >= self.wanted:
                with self.changed:
                    self.changed.notify()

    def wait(self, count, seconds):
        with self.changed:
            self.wanted = count
            if not self.changed.wait_for(lambda: self.count >= count, seconds):
                raise SystemExit(f"{self.count} of {count} files after {seconds} s")

    def facts(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return dict(line.split(":", 1) for line in file)

    def switches(self):
        """How often any thread of it was woken or put aside so far."""
        total = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/status", encoding="ascii") as file:
                total += sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
        return total

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=120)


def picture(rng, size):
    body = bytearray(b"\xff\xd8")
    while len(body) < size:
        part = rng.randbytes(65_000)
        body += b"\xff\xfe" + (len(part) + 2).to_bytes(2, "big") + part
    return bytes(body + b"\xff\xd9")


def tree(folder):
    """The files below a folder by their names: what was put where."""
    return sorted(
        os.path.relpath(os.path.join(path, name), folder) for path, folders, names in os.walk(folder) for name in names
        if ".filmgate" not in path)


def latency(place, table, options):
    """From the close of an 8 MB picture to the moment at which the gallery's answer was booked and told."""
    count, rng, closed = (20 if options.quick else 200), random.Random(8), {}
    port = free_port()
    server, target = gallery(place.peer, place.fresh(), port), GALLERY.format(port=port)
    with server, Watch(place, "settle: 0ms, take: inplace", "gallery", target) as watch:
        wait_for_port(port)
        time.sleep(1)
        for number in range(count + 5):
            data, name = picture(rng, 8_000_000), f"IMG_{number:04}.JPG"
            with open(os.path.join(watch.hot, name), "wb") as file:
                file.write(data)
            closed[name] = time.monotonic()
            watch.wait(number + 1, 30)
            os.unlink(os.path.join(watch.hot, name))
        waits = sorted(watch.told[name] - closed[name] for name in sorted(closed)[5:])
        watch.end()
    detail = f"median {waits[len(waits) // 2] * 1000:.0f} ms, worst {waits[-1] * 1000:.0f} ms of {count}"
    table.line("close of an 8 MB JPEG → gallery's 2xx, p95", waits[int(len(waits) * 0.95)] * 1000, 120, " ms", detail)


def crowd(place, table, options):
    """Twenty thousand files that come in one move, against `import` of the same set."""
    count = 1000 if options.quick else 20_000
    sample = os.path.join(place.disk, "sample")
    run([place.filmgate, "sample", "card", sample])
    head = os.path.join(sample, "DCIM", "100CANON", "IMG_0001.JPG")
    times, peaks = {"import": [], "hot": []}, []
    for number in range(1 if options.quick else 3):
        card = tiny.card(os.path.join(place.disk, f"crowd{number}"), head, count, first=number * count)
        os.sync()
        imported, hot_folder = place.fresh(), place.fresh()
        times["import"].append(place.take(card, imported, None, "--verify", "size").seconds)
        os.sync()
        # A folder target's path names the folder; with a name in it every picture would get a folder of its own.
        target = f'{{ folder: {{ path: "{hot_folder}/{{captured:yyyy}}/{{captured:yyyy-MM-dd}}", verify: size }} }}'
        with Watch(place, "settle: 0ms", "archive", target, counts=True) as watch:
            time.sleep(1)
            begun = time.monotonic()
            os.rename(card, os.path.join(watch.hot, "crowd"))
            watch.wait(count, 300)
            times["hot"].append(time.monotonic() - begun)
            peaks.append(int(watch.facts()["VmHWM"].split()[0]) / 1024)
            watch.end()
        if tree(imported) != tree(hot_folder):
            raise SystemExit("the hot folder's pictures lie elsewhere than the imported ones: the two cannot be compared")
        for name in os.listdir(place.disk):
            if name != "sample":
                shutil.rmtree(os.path.join(place.disk, name), ignore_errors=True)
    middle = {name: sorted(all_of)[len(all_of) // 2] for name, all_of in times.items()}
    detail = f"hot folder {middle['hot']:.2f} s, import {middle['import']:.2f} s"
    table.line(f"{count} files dropped at once, throughput against import", middle["import"] / middle["hot"], 0.9, " ×", detail, at_least=True, own=(middle["hot"], " s"))
    table.line("peak memory meanwhile", max(peaks), MEMORY_LIMIT, " MiB")
    place.clear()


def idle(place, table, options):
    """Nothing happens in a folder of fifty thousand files: nothing may run either, until the safety rescan."""
    count, seconds = (2000, 10) if options.quick else (50_000, 30)
    sample = os.path.join(place.disk, "sample")
    run([place.filmgate, "sample", "card", sample])
    target = f'{{ folder: {{ path: "{place.fresh()}", verify: size }} }}'
    watch = Watch(place, "settle: 0ms, take: inplace, rescan: 1h", "archive", target, counts=True)
    tiny.card(os.path.join(watch.hot, "many"), os.path.join(sample, "DCIM", "100CANON", "IMG_0001.JPG"), count)
    with watch:
        watch.wait(count, 300)
        time.sleep(8)
        before = watch.switches()
        time.sleep(seconds)
        woken = watch.switches() - before
        resident = int(watch.facts()["VmRSS"].split()[0]) / 1024
        watch.end()
    # libdispatch looks after its own threads once a second, in every program that uses it: one of these seconds may be cut in two.
    own = max(0, woken - seconds - 1)
    table.line(
        f"wake-ups of its own in {seconds} s with {count} files watched", own, 0, "", f"{woken} with libdispatch's; {resident:.0f} MiB resident")
    place.clear()


def hot(place, table, options):
    for part in (latency, crowd, idle):
        part(place, table, options)
