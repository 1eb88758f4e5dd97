"""Twenty laptops that took a day's frames while the catalogue was out of their reach come home at one moment, beside a desk that goes on."""
import os
import re
import shutil
import threading
import time

from gallery import Gallery
from invariants import Invariants
from proof import Failure, digest, folder as files_below, ledger
from sharer import ended, interrupted
from station import jpeg, write

# Frames of each, for each of the rounds that were asked for: 2,500 of a hundred, a tenth of which all of them have.
LAPTOPS, FRAMES, PART_IN_COMMON = 20, 25, 10
# Imports of the day that are under way at one moment: what they do is measured elsewhere.
AT_ONCE = 3
# Seconds: of a statement at the server, for 95 of 100 and for each; of a desk's frame from its folder to the gallery, likewise; until all
# that the day left is told, and until all of it is at the gallery.
STATEMENTS, FRAME, TOLD, SENT = (0.5, 5.0), (3.0, 15.0), 120, 480
SETTINGS = {"log_min_duration_statement": "0", "log_parameter_max_length": "0", "shared_buffers": "256MB"}
STATEMENT = re.compile(r"duration: ([0-9.]+) ms  (?:execute [^:]*|statement): .*?catalog\.(\w+)\(")
PROGRESS = "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'told'), acknowledged FROM station"


class LargeGallery(Gallery):
    """One that looks nothing up in a list of many thousands."""

    def __init__(self):
        super().__init__()
        self.known, self.counted = set(), 0

    def has(self, digest):
        with self.lock:
            self.known.update(self.kept[self.counted:])
            self.counted = len(self.kept)
            return digest in self.known


class Door:
    """The way of the laptops to the server's socket; the desk has its own."""

    def __init__(self, server):
        self.server, self.folder = server, f"{server.folder}/door"
        os.makedirs(self.folder)

    def url(self, role):
        return self.server.url(role).replace(self.server.folder.replace("/", "%2F"), self.folder.replace("/", "%2F"))

    def open(self):
        name = f".s.PGSQL.{self.server.port}"
        os.symlink(f"{self.server.folder}/{name}", f"{self.folder}/{name}")

    def close(self):
        os.unlink(f"{self.folder}/.s.PGSQL.{self.server.port}")


class Desk:
    """A station that goes on meanwhile: one frame after the other, each timed until the gallery has it."""

    def __init__(self, scene, station):
        self.station, self.rng, self.times, self.failure, self.is_over = station, scene.rng, [], None, False
        self.run = scene.started(station.run())
        self.thread = threading.Thread(target=self.work)

    def frame(self):
        """Seconds from the folder to the gallery."""
        name = f"live-{len(self.times):05}.JPG"
        write(f"{self.station.hot}/.{name}", jpeg(self.rng))
        sha, begun = digest(f"{self.station.hot}/.{name}"), time.monotonic()
        os.rename(f"{self.station.hot}/.{name}", f"{self.station.hot}/{name}")
        while not self.station.gallery.has(sha):
            if time.monotonic() - begun > FRAME[1] * 2 or self.run.poll() is not None:
                raise Failure(f"a desk's frame is not at the gallery after {time.monotonic() - begun:.0f} s; see {self.station.log}")
            time.sleep(0.02)
        self.times.append(time.monotonic() - begun)

    def work(self):
        try:
            while not self.is_over:
                self.frame()
                time.sleep(0.2)
        except Failure as failure:
            self.failure = failure

    def end(self):
        self.is_over = True
        self.thread.join()
        if self.failure:
            raise self.failure
        return sorted(self.times)


class Laptop:
    """A station that was away, how much it had to tell when it came home, and when it was done with that."""

    def __init__(self, station, frames):
        self.station, self.frames, self.told, self.sent = station, frames, None, None
        self.had = self.progress()[0]

    def progress(self):
        facts = ledger(self.station.state)
        found = facts.execute(PROGRESS).fetchone()
        facts.close()
        return found

    def look(self, seconds):
        """Whether all of it is told and delivered."""
        made, known = self.progress()
        if self.told is None and known >= self.had:
            self.told = seconds
        if self.sent is None and made == known and self.station.states()["done"] == self.frames:
            self.sent = seconds
        return self.sent is not None


def day(scene, server, door, gallery, amount):
    """Each takes its card, part of which all of them have, and holds what is for the gallery: nobody can say who sends it."""
    laptops, frames, common = amount
    shared, found = f"{scene.card(common)}/DCIM/100TEST", []
    door.open()
    for number in range(laptops):
        found.append(scene.station(f"lap{number}", server, gallery, door.url(f"lap{number}"), away="hold"))
    door.close()
    for first in range(0, laptops, AT_ONCE):
        under_way = []
        for station in found[first:first + AT_ONCE]:
            card = scene.card(frames - common)
            shutil.copytree(shared, f"{card}/DCIM/101TEST")
            under_way.append((station, scene.started(station.begin(card, "--wait", "1s"))))
        for station, process in under_way:
            said = ended(process, f"{station.name}: a day's import", exits=(8,))
            if "going on alone" not in said or station.states()["held"] != frames:
                raise Failure(f"{station.name} does not hold {frames} deliveries without the catalogue: {station.states()}\n{said}")
    if gallery.begun or server.sql("SELECT count(*) FROM catalog.seen") != "0":
        raise Failure("something came to the gallery or the catalogue on a day without either")
    return [Laptop(station, frames) for station in found]


def home(scene):
    frames = FRAMES * scene.count if scene.count > 1 else 200
    amount = LAPTOPS if scene.count > 1 else 6, frames, frames // PART_IN_COMMON
    server, gallery = scene.catalogue(settings=SETTINGS), LargeGallery()
    scene.galleries.append(gallery)
    door, hot, begun = Door(server), f"{scene.folder}/hot", time.monotonic()
    os.makedirs(hot)
    laptops = day(scene, server, door, gallery, amount)
    print(f"  {amount[0]} laptops took {amount[1]} frames each in {time.monotonic() - begun:.0f} s", flush=True)
    desk = Desk(scene, scene.station("desk", server, gallery, hot=hot))
    desk.frame()
    # Half of them are at work already, as in a bag; the others are begun when they are home.
    bagged = laptops[::2]
    runs = {one: scene.started(one.station.run()) for one in bagged}
    for one in bagged:
        waited(lambda one=one: "going on alone" in said(one.station), f"{one.station.name}: a run without the catalogue", 60)
    written = os.path.getsize(f"{server.folder}/log")
    desk.thread.start()
    door.open()
    begun = time.monotonic()
    runs |= {one: scene.started(one.station.run()) for one in laptops if one not in runs}
    until_sent(laptops, runs, begun, desk)
    live = desk.end()
    waited(lambda: desk.station.waiting() == 0, "the desk's last word", 60)
    for one, run in [*((one.station, run) for one, run in runs.items()), (desk.station, desk.run)]:
        interrupted(run, f"a run of {one.name}")
    shown = statements(server, written)
    checked(server, gallery, [one.station for one in laptops], desk.station)
    fast("a desk's frames", live, FRAME)
    last = [max(getattr(one, what) for one in laptops) for what in ("told", "sent")]
    if last[0] > TOLD:
        raise Failure(f"what the day left was told after {last[0]:.0f} s; {TOLD} are the limit")
    print(f"{amount[0]} laptops with {amount[1]} frames each come home: all is told after {last[0]:.0f} s and at the gallery once after "
          f"{last[1]:.0f} s; {len(live)} frames of a desk came there meanwhile, {of(live)}; at the server {shown}")


def said(station):
    with open(station.log, encoding="utf-8", errors="replace") as file:
        return file.read()


def waited(is_so, what, seconds):
    """As `wait_until`, for what costs something to look at on a machine that is busy."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise Failure(f"{what} did not happen within {seconds} s")
        time.sleep(0.5)


def until_sent(laptops, runs, begun, desk):
    left = laptops
    while left:
        time.sleep(1)
        seconds = time.monotonic() - begun
        left = [one for one in left if not one.look(seconds)]
        ended_alone = [one.station.name for one, run in runs.items() if run.poll() is not None]
        if ended_alone or desk.failure:
            raise desk.failure or Failure(f"runs that ended by themselves: {', '.join(ended_alone)}")
        if seconds > SENT:
            untold = {one.station.name: (one.progress(), dict(one.station.states())) for one in left}
            raise Failure(f"after {seconds:.0f} s {len(left)} of {len(laptops)} laptops are not done: {untold}")


def quantile(times, part):
    return times[min(len(times) - 1, int(len(times) * part))]


def of(times):
    return f"p50 {quantile(times, 0.5) * 1000:.0f} ms, p95 {quantile(times, 0.95) * 1000:.0f} ms, at most {times[-1] * 1000:.0f} ms"


def fast(what, times, limits):
    if quantile(times, 0.95) > limits[0] or times[-1] > limits[1]:
        raise Failure(f"{what} took {of(times)}; {limits[0] * 1000:.0f} and {limits[1] * 1000:.0f} ms are the limits")


def statements(server, written):
    """What the server took for each call since then, by its own clock."""
    times = {}
    with open(f"{server.folder}/log", encoding="utf-8", errors="replace") as log:
        log.seek(written)
        for took, name in STATEMENT.findall(log.read()):
            times.setdefault(name, []).append(float(took) / 1000)
    for name in ("claim_v3", "report_v1", "renew_v1"):
        if name not in times:
            raise Failure(f"the server's log has no call of {name}: {sorted(times)}")
    for name, each in times.items():
        each.sort()
        fast(f"{len(each)} calls of {name}", each, STATEMENTS)
    return "; ".join(f"{len(times[name])} × {name} {of(times[name])}" for name in ("claim_v3", "report_v1"))


def checked(server, gallery, laptops, desk):
    """Nothing is missing, nothing is there twice, and nobody went on alone once it was home."""
    everybody = [*laptops, desk]
    Invariants(server, everybody, gallery).check("after a day away")
    taken = [list(files_below(card).values()) for station in everybody for card in station.cards]
    files, union = sum(map(len, taken)), {sha for card in taken for sha in card}
    if set(gallery.kept) != union or len(gallery.kept) != len(union):
        raise Failure(f"the gallery has {len(gallery.kept)} pictures, all stations together {len(union)}")
    there = server.sql("SELECT (SELECT count(*) FROM catalog.seen), (SELECT count(*) FROM catalog.delivery d JOIN catalog.target t "
                       "ON t.id = d.target WHERE t.owner IS NULL), (SELECT count(*) FROM catalog.content)")
    if there != f"{files}|{len(union)}|{len(union)}":
        raise Failure(f"the catalogue has {there} files, deliveries to the gallery and contents; {files}, {len(union)} and {len(union)} are right")
    for station in everybody:
        alone = said(station).count("going on alone")
        if alone > (station is not desk):
            raise Failure(f"{station.name} went on alone {alone} times; see {station.log}")
