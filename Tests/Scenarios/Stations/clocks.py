"""Stations whose clocks are wrong by a day, and one whose clock jumps while its claims run: no decision looks at a station's clock."""
import mmap
import os
import struct
import subprocess
import time

from invariants import Invariants
from proof import Failure, folder as files_below
from sharer import ended, wait_until

# libfaketime cannot be used: with it the program sees none of its arguments.
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clock.c")
DAY = 86_400


class Clock:
    """The time of day as a station's program sees it; its other clocks, by which leases are counted, go on as they are."""

    def __init__(self, library, folder, name, ahead=0):
        path = f"{folder}/clock-{name}"
        with open(path, "wb") as file:
            file.write(bytes(8))
        with open(path, "r+b") as file:
            self.ahead = mmap.mmap(file.fileno(), 8)
        self.inside = ["env", f"LD_PRELOAD={library}", f"STATION_CLOCK={path}"]
        self.set(ahead)

    def set(self, ahead):
        """So many seconds from the machine's own from now on, in the middle of whatever the program does."""
        self.ahead[:] = struct.pack("q", ahead)


def built(folder):
    library = f"{folder}/clock.so"
    done = subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"cc: {done.stderr}")
    return library


def clocks(scene):
    server, gallery = scene.catalogue(), scene.gallery(delay=0.05)
    library = built(scene.folder)
    hands = {name: Clock(library, scene.folder, name, ahead) for name, ahead in (("fast", DAY), ("slow", -DAY), ("mad", 0))}
    fast, slow, mad = found = [scene.station(name, server, gallery, inside=clock.inside) for name, clock in hands.items()]
    truth = Invariants(server, found, gallery)
    with_wrong_clocks(scene, truth, fast, slow)
    proven(hands["mad"], mad, fast.cards[0])
    with_jumps(scene, truth, hands["mad"], mad, slow)
    print("clocks a day ahead and a day behind, and one that jumps by days while its claims run: each picture once, no proof by a date")


def with_wrong_clocks(scene, truth, fast, slow):
    """Two days between them: one card in both, a claimant that dies, and a card that the other one took."""
    card = scene.card(30)
    said = "".join(ended(process, "an import with a wrong clock") for process in [station.begin(card) for station in (fast, slow)])
    truth.check("with clocks a day apart", said + fast.tell(card) + slow.tell(card))
    shown = fast.call("stations", "--pipeline", fast.file)
    differences = {station.name: int(truth.server.sql(
        f"SELECT clock_ms FROM catalog.session s JOIN catalog.station t ON t.id = s.station WHERE t.name = '{station.name}'"))
        for station in (fast, slow)}
    if abs(differences["fast"] - DAY * 1000) > 60_000 or abs(differences["slow"] + DAY * 1000) > 60_000:
        raise Failure(f"the clocks of the stations are not wrong by a day, or nobody knows: {differences}")
    if "clock" not in shown.lower():
        raise Failure(f"`stations` does not say that clocks are wrong:\n{shown}")
    for one, other in ((fast, slow), (slow, fast)):
        claimant_dies(scene, truth, one, other)


def proven(clock, mad, card):
    """By a station that never took the card, years away: yes for what the gallery says now, no for what it lacks now."""
    # What is to be proven is at the gallery: another station's own pictures are out of reach.
    with open(mad.file, encoding="utf-8") as file:
        text = file.read().replace("to: [archive, gallery]", "to: [gallery]")
    shared = f"{mad.folder}/shared-alone.yaml"
    with open(shared, "w", encoding="utf-8") as file:
        file.write(text)
    words = ("safe-to-format", card, "--pipeline", shared, "--allow", "same-device")
    gone = next(iter(files_below(card).values()))
    for ahead in (-400 * DAY, 400 * DAY):
        clock.set(ahead)
        mad.call(*words)
        mad.gallery.kept.remove(gone)
        said = mad.call(*words, exits=(8,))
        mad.gallery.kept.append(gone)
        if "NO" not in said:
            raise Failure(f"a station whose clock is wrong does not say NO to a card of which the gallery lacks a picture:\n{said}")
    clock.set(0)


def claimant_dies(scene, truth, one, other):
    """Its session ends a minute after its last word by the server's clock, not before and not a day later."""
    card, gallery = scene.card(6), one.gallery
    gallery.delay, before = 2.0, len(gallery.begun)
    process = one.begin(card)
    wait_until("an upload", lambda: len(gallery.begun) > before)
    process.kill()
    process.communicate()
    killed = time.monotonic()
    wait_until("the end of its uploads", lambda: gallery.is_quiet)
    gallery.delay = 0.05
    said = other.take(card)
    waited = time.monotonic() - killed
    if not 40 < waited < 110:
        raise Failure(f"{other.name} took over what {one.name} had claimed after {waited:.0f} s; sessions last 60")
    truth.check(f"when {one.name} had died", said + one.tell(card) + other.tell(card))


def with_jumps(scene, truth, clock, mad, other):
    """Backwards by a day and forwards by three in the middle of its uploads, for longer than a session lasts without a word."""
    card, gallery = scene.card(40), mad.gallery
    gallery.delay, before, begun = 15.0, len(gallery.begun), time.monotonic()
    process = scene.started(mad.begin(card))
    wait_until("an upload", lambda: len(gallery.begun) > before)
    second = scene.started(other.begin(card))
    for ahead in (-DAY, 3 * DAY, -400 * DAY, 0):
        clock.set(ahead)
        time.sleep(17 if scene.count > 1 else 5)
        if process.poll() is not None:
            raise Failure("the import was over before its clock had jumped")
    gallery.delay = 0.05
    said = ended(process, "an import whose clock jumps") + ended(second, "an import beside it")
    if "going on alone" in said:
        raise Failure(f"a clock that jumps ends a session:\n{said}")
    # Each of them: proofs and deaths before this left something to tell.
    truth.check("after a clock had jumped", said + "".join(station.tell(station.cards[-1]) for station in truth.stations))
    if time.monotonic() - begun < 20:
        raise Failure("the clock jumped within one renewal")
