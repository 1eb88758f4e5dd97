"""Ways of a catalogue to be away that nobody is told of: packets that vanish, and a server that stands still. Ingest does not wait."""
import os
import shutil
import signal
import subprocess
import time

from access import Authority
from invariants import Invariants
from namespaces import can_have_networks, required
from network import Namespace
from proof import Failure, folder as files_below
from sharer import ended, lose, wait_until

NEAR, FAR = "10.213.78.1", "10.213.78.2"
FILES, SIZE = 150, 600_000


class BlackHole:
    """Packets between a namespace and a port vanish in both directions; whoever sent them is told nothing."""

    def __init__(self, space, port):
        self.inside = ["ip", "netns", "exec", space.name, "nft"]
        self.port = port

    def begin(self):
        rules = "".join(f"add chain inet away {way} {{ type filter hook {way} priority 0; }}\n"
                        f"add rule inet away {way} tcp {end} {self.port} drop\n" for way, end in (("output", "dport"), ("input", "sport")))
        subprocess.run([*self.inside, "-f", "-"], input="add table inet away\n" + rules, text=True, check=True)

    def end(self):
        subprocess.run([*self.inside, "delete", "table", "inet", "away"], check=True)


class Frozen:
    """All processes of the server stand still: connections are made by the kernel, and nobody answers."""

    def __init__(self, server):
        self.server, self.still = server, []

    def begin(self):
        # The first one starts no other while these are counted.
        os.kill(self.server.pid, signal.SIGSTOP)
        self.still = self.server.processes()
        for process in self.still:
            self.signal(process, signal.SIGSTOP)

    def end(self):
        for process in reversed(self.still):
            self.signal(process, signal.SIGCONT)

    @staticmethod
    def signal(process, number):
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def large_card(scene):
    """So much that its time is that of reading and writing."""
    card = scene.card(FILES)
    for name in os.listdir(f"{card}/DCIM/100TEST"):
        with open(f"{card}/DCIM/100TEST/{name}", "ab") as file:
            file.write(scene.rng.randbytes(SIZE))
    return card


def copied(scene, station, what):
    """Seconds until the last local copy of a card is there, whatever waits for others then."""
    card = large_card(scene)
    before, begun = count(station), time.monotonic()
    process = scene.started(station.begin(card, "--wait", "1s"))
    while count(station) < before + FILES:
        if time.monotonic() - begun > 60:
            process.kill()
        if process.poll() is not None and count(station) < before + FILES:
            raise Failure(f"{what}: {count(station) - before} of {FILES} copies after {time.monotonic() - begun:.0f} s:\n"
                          f"{process.communicate()[0]}")
        time.sleep(0.01)
    lasted = time.monotonic() - begun
    ended(process, what, exits=(0, 8))
    # The ledger remembers them; the disk need not keep them all.
    station.cards.remove(card)
    for name in os.listdir(f"{card}/DCIM/100TEST"):
        os.remove(f"{station.pictures}/{name}")
    shutil.rmtree(card)
    return lasted


def count(station):
    try:
        return sum(not name.startswith(".") for name in os.listdir(station.pictures))
    except FileNotFoundError:
        return 0


def does_not_wait(scene, station, hindrance, what):
    """By turns with the catalogue and without, each at its best: 3 of 100, and less than any answer could be waited for."""
    times = {True: [], False: []}
    for _ in range(3 if scene.count > 1 else 2):
        for is_away in (False, True):
            if is_away:
                hindrance.begin()
            try:
                times[is_away].append(copied(scene, station, f"an import {'with ' + what if is_away else 'beside it'}"))
            finally:
                if is_away:
                    hindrance.end()
    up, away = min(times[False]), min(times[True])
    # Look-ups have 250 ms: a single one that somebody waits for shows.
    if away > 1.03 * up + 0.2:
        raise Failure(f"{what}: local copies take {away:.2f} s, with the catalogue {up:.2f} s: something waits for it")
    return f"{what}: {FILES} copies in {away:.2f} s, with the catalogue {up:.2f} s"


def claims_apart(scene, truth, hindrance, one, two, what):
    """In the middle of its deliveries one is cut off and holds the rest; the other one sends that; nothing is sent twice."""
    card, gallery = scene.card(40), one.gallery
    gallery.delay, before = 0.5, len(gallery.begun)
    process = scene.started(one.begin(card, "--wait", "20s"))
    wait_until("uploads", lambda: len(gallery.begun) > before + 2)
    hindrance.begin()
    said = ended(process, f"an import in the middle of which: {what}", exits=(0, 8))
    if gallery.is_quiet and len(gallery.begun) - before == 40 or "going on alone" not in said:
        raise Failure(f"{what}: all was sent without a claim, or nobody says that the catalogue is away:\n{said}")
    truth.own_copies(one, what)
    hindrance.end()
    gallery.delay = 0.05
    lose(truth.server, one)
    said += two.take(card)
    said += one.call("retry", "--pipeline", one.file)
    truth.check(what, said + one.tell(card) + two.tell(card))
    if set(files_below(card).values()) - set(gallery.kept):
        raise Failure(f"{what}: not all pictures came to the gallery")


def away(scene):
    required("packets that vanish", can_have_networks)
    authority = Authority(f"{scene.folder}/authority")
    with Namespace(f"fh{os.getpid()}"[:9], NEAR, FAR) as space:
        server = scene.catalogue(address=NEAR, **authority.server(NEAR))
        gallery = scene.gallery(host=NEAR)
        far = f"{server.port}/filmgate?sslmode=verify-full"
        more, inside = authority.options("a word of one"), ["ip", "netns", "exec", space.name]
        alone, one = (
            scene.station(name, server, shared, f"postgresql://{name}@{NEAR}:{far}", password="a word of one", more=more, inside=inside,
                          away="hold") for name, shared in (("alone", None), ("one", gallery)))
        two = scene.station("two", server, gallery)
        truth = Invariants(server, [alone, one, two], gallery)
        for hindrance, what in ((BlackHole(space, server.port), "packets that vanish"), (Frozen(server), "a server that stands still")):
            words = does_not_wait(scene, alone, hindrance, what)
            alone.tell(scene.card(3))
            claims_apart(scene, truth, hindrance, one, two, what)
            print(f"{words}; deliveries that were claimed meanwhile by another station came once")
        server.close()
