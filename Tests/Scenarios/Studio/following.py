"""What happens meanwhile reaches the pages: how soon, for how many, and what the page's server spends on it."""
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

from chromium import Chromium, until
import frames
from painting import Visit, percentile
from program import Program, free_port, wait_for_port
from proof import Failure
from studio import Client, Studio, cpu

HERE = os.path.dirname(os.path.abspath(__file__))
PIPELINE = """\
version: 1
name: live
sources: [ {source} ]
stages: [ {{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [live] }} }} ]
targets: {{ live: {{ folder: {{ path: "{to}", verify: size }} }} }}
"""


class Live:
    """A run over a hot folder (or another source) on a copy of a ledger, and the page beside it; use as a context."""

    def __init__(self, place, state, name, source=None):
        self.base = os.path.join(place.disk, name)
        self.hot, self.state, self.to = (os.path.join(self.base, part) for part in ("hot", "state", "to"))
        os.makedirs(self.hot)
        if state:
            shutil.copytree(state, self.state)
        pipeline = os.path.join(self.base, "live.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            hot = f'{{ folder: {{ path: "{self.hot}", settle: 0ms, companions: 0ms }} }}'
            file.write(PIPELINE.format(source=source or hot, to=self.to))
        self.run = Program("run", [place.filmgate, "run", pipeline, "--state", self.state, "--json"], log=os.path.join(self.base, "run.log"))
        self.studio = Studio(place.filmgate, self.state, os.path.join(self.base, "studio.log"))
        self.number = 0

    def __enter__(self):
        self.begin()
        self.studio.start()
        return self

    def begin(self):
        self.run.start()
        end = time.monotonic() + 60
        while time.monotonic() < end and self.run.is_running:
            with open(self.run.log, "rb") as file:
                file.seek(self.run.said)
                if b'{"type":"status"' in file.read():
                    return
            time.sleep(0.02)
        raise Failure(f"the run did not begin; see {self.run.log}")

    def __exit__(self, *_):
        self.studio.close()
        self.run.close()
        shutil.rmtree(self.base, ignore_errors=True)

    def drop(self, size=4000):
        """One frame into the hot folder; its name."""
        self.number += 1
        name = f"NEW_{self.number:05}.JPG"
        hidden = os.path.join(self.hot, f".{self.number}.tmp")
        with open(hidden, "wb") as file:
            file.write(frames.jpeg(self.number, size))
        os.rename(hidden, os.path.join(self.hot, name))
        return name

    def recorded(self):
        """When the run wrote down each new file for the first time, in nanoseconds, by its name: just before it was committed."""
        database = sqlite3.connect(f"file:{self.state}/ledger.sqlite?mode=ro", uri=True)
        rows = database.execute("SELECT path, since FROM asset WHERE path LIKE '%NEW!_%' ESCAPE '!'").fetchall()
        database.close()
        return {path.rsplit("/", 1)[-1]: since for path, since in rows}

    def wait(self, count, seconds=60):
        end = time.monotonic() + seconds
        while sum(len(names) for path, _, names in os.walk(self.to) if "/." not in path) < count:
            if time.monotonic() > end:
                raise Failure(f"not all of {count} frames were delivered within {seconds} s")
            time.sleep(0.05)


def pixels(place, table, options, ledgers):
    """From the moment at which the run writes a file down to the moment at which a browser has painted it."""
    for count in (500, 50_000):
        amount = 30 if options.quick else 200
        with Live(place, ledgers[count], f"pixels-{count}") as live, Chromium(files=options.files) as browser:
            page, _, _ = Visit(browser, live.studio).open()
            page.wait_for_timeout(1500)
            names = []
            for number in range(amount):
                names.append(live.drop())
                # Neither in step with anything nor so far apart that each comes to a page at rest.
                page.wait_for_timeout(300 + number * 37 % 500)
            all_seen = "(names) => names.every((name) => marks.seen[name] > 0)"
            until(page, lambda: page.evaluate(all_seen, names), 30, "not every frame came to the page")
            seen, recorded = page.evaluate("() => marks.seen"), live.recorded()
            waits = [seen[name] - recorded[name] / 1e6 for name in names]
        for part, limit in ((0.5, 150), (0.95, 400), (0.99, 800)):
            what = f"written down → pixels, {count:,} files in the ledger, p{part * 100:.0f}"
            table.line(what, percentile(waits, part), limit, " ms", each=waits)


def shutter(place, table, options, ledgers):
    """From the shutter of a virtual camera, with pictures of 8 MB, to the page."""
    count, port, files = (15 if options.quick else 60), free_port(), os.path.join(place.memory, "shutter")
    os.makedirs(os.path.join(files, "DCIM", "100TEST"))
    for number in range(count):
        with open(os.path.join(files, "DCIM", "100TEST", f"CAM_{number:04}.JPG"), "wb") as file:
            file.write(frames.jpeg(50_000 + number, 8_000_000))
    log = os.path.join(place.memory, "camera.log")
    words = ["camera", "simulate", "--make", "ptp", "--port", str(port), "--files", files, "--shoot-every", "1s"]
    camera = Program("camera", [place.filmgate, *words], log=log)
    source = f'{{ ptp: {{ hosts: ["127.0.0.1:{port}"], usb: false }} }}'
    with camera:
        wait_for_port(port)
        with Live(place, ledgers[500], "shutter", source) as live, Chromium(files=options.files) as browser:
            page, _, _ = Visit(browser, live.studio).open()
            shown = "() => Object.keys(marks.seen).filter((name) => name.startsWith('CAM_')).length"
            until(page, lambda: page.evaluate(shown) >= count - 5, count + 60, "the camera's frames do not come to the page")
            page.wait_for_timeout(1000)
            seen = page.evaluate("() => marks.seen")
    waits = [seen[name] - when for name, when in shots(log) if seen.get(name)]
    shutil.rmtree(files)
    # The first ones came while the run was still looking for the camera.
    waits = waits[3:]
    detail = f"median {statistics.median(waits):.0f} ms of {len(waits)}"
    table.line("shutter → page, 8 MB, p95", percentile(waits, 0.95), 700, " ms", detail, each=waits)


def shots(log):
    """What the camera says of its own shots: name and moment in milliseconds since 1970."""
    with open(log, encoding="utf-8") as file:
        for line in file:
            if line.startswith("shot: "):
                names, _, moment = line[6:].strip().partition(" at ")
                for name in names.split():
                    yield name, float(moment) * 1000


class Listeners:
    """Readers of the stream, in a process of their own; use as a context."""

    def __init__(self, studio, count):
        self.count, self.token = count, studio.token("operate")
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "listeners.py"), str(studio.port), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)

    def __enter__(self):
        self.say(self.token, "ready")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def say(self, word, answer=None):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().strip() if answer else ""
        if answer and line != answer:
            raise Failure(f"the readers said {line!r} to {word}")

    def end(self):
        self.say("end")
        return json.loads(self.process.stdout.readline())


def crowd(place, table, options, ledgers):
    """Twenty browsers over 50,000 files, of which one stops reading, while thirty frames a second come in."""
    seconds, pace, rest = (10, 30, 3) if options.quick else (60, 30, 30)
    with Live(place, ledgers[50_000], "crowd") as live:
        Client(live.studio.port, live.studio.token()).get("frames?limit=200")
        alone = live.studio.resident()
        with Listeners(live.studio, 20) as readers:
            time.sleep(3)
            listening = live.studio.resident()
            # The same with all of them reading: what one that stopped costs is what there is more after it.
            earlier = burst(live, seconds * pace, pace)
            time.sleep(rest)
            reading = live.studio.resident()
            readers.say("stop", "stopped")
            spent, run_spent, begun = live.studio.spent(), cpu_of(live.run), time.monotonic()
            names = burst(live, seconds * pace, pace)
            live.wait(len(earlier) + len(names))
            time.sleep(1)
            took = time.monotonic() - begun
            spent, run_spent = live.studio.spent() - spent, cpu_of(live.run) - run_spent
            time.sleep(rest)
            most = live.studio.resident()
            readers.say("go", "going")
            time.sleep(3)
            found = readers.end()
        recorded = live.recorded()
    waits, others = [], found["readers"][1:]
    for one in others:
        if missing := [name for name in names if name not in one["first"]]:
            print(f"    a reader was not told of {len(missing)} of {len(names)} frames one by one, such as {missing[0]}")
        waits += [(one["first"][name] - recorded[name]) / 1e6 for name in names if name in one["first"]]
    if not waits:
        raise Failure("no reader was told of any frame")
    told = len(waits) / len(names) / len(others)
    table.line("frames that 19 browsers were told of one by one", told * 100, 99, " %", at_least=True)
    what = f"{pace} frames a second for {seconds} s to 20 browsers: delivery p99"
    table.line(what, percentile(waits, 0.99), 500, " ms", f"median {statistics.median(waits):.0f} ms")
    table.line("… CPU of the page's server", spent / took * 100, 15, " % of a core", f"the run {run_spent / took * 100:.1f} %")
    table.line("… bytes to each browser", statistics.median(one["bytes"] for one in others) / took / 1000, 15, " kB/s")
    table.line("resident with 50,000 files and 20 browsers", most, 120, " MiB", f"{alone:.0f} MiB before, {listening:.0f} MiB with 20 at rest")
    table.line("one that stopped reading: more resident", most - reading, 1, " MiB", f"{reading:.1f} MiB after the same with all reading")
    stopped = found["readers"][0]
    newest = max(one["last"] for one in others)
    late = (min(at for at in [stopped["first"].get(names[-1], 0), stopped["last"]] if at) - found["gone"]) / 1e6
    detail = f"{stopped['breaks']} new connections; the others heard last {(newest - found['gone']) / 1e9:.1f} s after that"
    table.line("one that stopped reading has caught up after", late, 1000, " ms", detail)


def burst(live, count, pace):
    """So many frames, `pace` a second; their names."""
    begun, names = time.monotonic(), []
    for number in range(count):
        names.append(live.drop())
        time.sleep(max(0, begun + (number + 1) / pace - time.monotonic()))
    return names


def cpu_of(program):
    return cpu(program.process.pid)


def resting(place, table, options, ledgers):
    """Nothing happens, no run is there, and one page is open."""
    seconds = 10 if options.quick else 60
    with Studio(place.filmgate, ledgers[50_000], f"{ledgers[50_000]}.studio-log") as studio, Chromium(files=options.files) as browser:
        page, _, _ = Visit(browser, studio).open()
        page.wait_for_timeout(6000)
        before = woken(studio.process.pid)
        page.wait_for_timeout(seconds * 1000)
        after = woken(studio.process.pid)
    table.line("CPU of the page's server at rest, one page open", (after[0] - before[0]) / seconds / 1e7, 0.1, " % of a core")
    # libdispatch looks after its threads once a second (event/workqueue.c), whatever a program does: that is not the page's.
    woke = (after[1] - before[1]) / seconds
    table.line("… times that one of its threads woke", woke - 1, 1, " a second", f"{woke:.1f} with libdispatch's own timer")


def woken(pid):
    """Nanoseconds on a processor and changes of what runs, of all threads."""
    spent = times = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                spent += int(file.read().split()[0])
            with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as file:
                times += sum(int(line.split()[1]) for line in file if line.startswith("voluntary"))
        except FileNotFoundError:
            pass
    return spent, times


def returning(place, table, options, ledgers):
    """How soon a page is itself again after the run, or its own server, was killed and is back."""
    rounds = 2 if options.quick else 7
    found = {"run": [], "page's server": []}
    with Live(place, ledgers[500], "returning") as live, Chromium(files=options.files) as browser:
        page, _, _ = Visit(browser, live.studio).open()
        for _ in range(rounds):
            until(page, lambda: page.locator("#run").inner_text() == "Taking", 20, "the page does not show the run")
            live.run.kill()
            until(page, lambda: page.locator("#run").inner_text() == "No run", 20, "the page does not notice that the run is gone")
            live.begin()
            begun = time.monotonic()
            until(page, lambda: page.locator("#run").inner_text() == "Taking", 20, "the page does not notice that the run is back")
            found["run"].append(time.monotonic() - begun)
            live.studio.kill()
            live.studio.start(first=False)
            begun = time.monotonic()
            name = live.drop()
            until(page, lambda: page.evaluate("(name) => marks.seen[name] > 0", name), 30, lambda: f"the page does not come back: {page.locator('body').inner_text()[:300]}")
            found["page's server"].append(time.monotonic() - begun)
    for what, limit in (("run", 1), ("page's server", 2)):
        table.line(f"page is back after a restart of the {what}", statistics.median(found[what]), limit, " s", each=found[what])
