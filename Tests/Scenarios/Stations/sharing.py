"""Two stations that deliver the same card to one gallery: each keeps its own copies, and the gallery gets each frame once, whoever dies."""
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Shared"))
from gallery import Gallery  # noqa: E402
from namespaces import can_hide_folders, required  # noqa: E402
from proof import Failure, digest, folder as files_below  # noqa: E402
from sharer import ended, lose, wait_until  # noqa: E402

WHAT = "one card in two stations with equal paths"
PIPELINE = """\
version: 1
name: {name}
sources:
  - card: {{ paths: [/nonexistent] }}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [archive, gallery] }}
targets:
  archive: {{ folder: {{ path: "{archive}" }} }}
  gallery: {{ http: {{ url: "{gallery}/assets", body: raw, digest: {{ json: sha256 }}{find} }} }}
retry: {{ first: 200ms, most: 2s }}
catalog:
  postgres: {{ url: "postgresql://{name}@{host}:{port}/filmgate" }}
  station: {name}
  share: [gallery]
  one_machine: true
  when_away: {away}
"""
FIND = ', find: {{ url: "{gallery}/by-digest/{{sha256}}" }}'


class Desk:
    """A station whose pictures lie at a path that the other one has, too: each sees a folder of its own there."""

    def __init__(self, station, server, place, gallery, away="deliver", asks=True):
        self.station, self.server, self.place, self.gallery = station, server, place, gallery
        self.pictures, self.path = f"{place}/pictures-{station.name}-{os.path.basename(station.file)}", f"{place}/Pictures"
        station.pictures = self.pictures
        for path in (self.pictures, self.path):
            os.makedirs(path, exist_ok=True)
        self.write(away, asks)

    def write(self, away="deliver", asks=True):
        find = FIND.format(gallery=self.gallery.address) if asks else ""
        with open(self.station.file, "w", encoding="utf-8") as file:
            file.write(PIPELINE.format(
                name=self.station.name, archive=self.path, gallery=self.gallery.address, find=find, away=away,
                host=self.server.folder.replace("/", "%2F"), port=self.server.port))

    def start(self, *words):
        command = [self.station.program, *words, "--state", self.station.state]
        script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
        return subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", self.pictures, self.path, *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def take(self, card, *words):
        self.station.noted(card)
        return self.start("import", card, "--pipeline", self.station.file, *words)

    def endings(self):
        """How deliveries to the gallery stand, and how files ended."""
        ledger = sqlite3.connect(f"file:{self.station.state}/ledger.sqlite?mode=ro", uri=True)
        rows = ledger.execute("SELECT d.state FROM delivery d JOIN target t ON t.id = d.target_id WHERE t.name = 'gallery'")
        return Counter(state for state, in rows), Counter(one for one, in ledger.execute("SELECT ending FROM asset"))


def once(gallery, card, when):
    """The gallery was sent each file of the card exactly once."""
    wanted, found = set(files_below(card).values()), Counter(gallery.kept)
    missing, twice = wanted - found.keys(), {name for name in wanted if found[name] > 1}
    if missing or twice:
        raise Failure(f"{when}: of {len(wanted)} files the gallery misses {len(missing)}, and has {len(twice)} more than once")


def kept(desk, card, when):
    """The station has its own copy of each file."""
    missing = set(files_below(card).values()) - set(files_below(desk.pictures).values())
    if missing:
        raise Failure(f"{when}: {desk.station.name} lacks {len(missing)} copies of its own")


def one_card_in_two(desks, gallery, card):
    """Both at the same time, at equal paths."""
    for process in [desk.take(card) for desk in desks]:
        ended(process, "an import beside another one")
    once(gallery, card, "one card in two stations")
    for desk in desks:
        kept(desk, card, "one card in two stations")
    sent = [desk.endings()[0]["done"] for desk in desks]
    if sent != [len(files_below(card))] * 2:
        raise Failure(f"not all deliveries are done: {sent}")
    for desk in desks:
        ended(desk.take(card), "the same card again")
    once(gallery, card, "the same card again")
    said = ended(desks[0].start("stations", "--pipeline", desks[0].station.file), "stations")
    if not all(desk.station.name in said for desk in desks):
        raise Failure(f"`stations` does not list both:\n{said}")
    print(f"one card in two stations with equal paths: each has its copies, the gallery each of {len(files_below(card))} frames once")


def killed_claimant(desks, server, gallery, card):
    """One is killed while the gallery takes in what it sent; the other waits, takes over and asks first."""
    one, two = desks
    gallery.delay, begun = 1.0, len(gallery.begun)
    first = one.take(card)
    wait_until("an upload", lambda: len(gallery.begun) > begun)
    first.kill()
    first.communicate()
    second = two.take(card)
    wait_until("a frame that waits for the other station",
               lambda: os.path.exists(f"{two.station.state}/ledger.sqlite") and waits_for(two, one.station.name))
    said = subprocess.run([two.station.program, "status", "--state", two.station.state], capture_output=True, text=True, check=False).stdout
    lose(server, one.station)
    ended(second, "the import that took over")
    gallery.delay = 0.0
    once(gallery, card, "after the death of a claimant")
    kept(two, card, "after the death of a claimant")
    ended(one.take(card), "the killed station's next import")
    once(gallery, card, "when the killed one came back")
    kept(one, card, "when the killed one came back")
    return said


def waits_for(desk, name):
    ledger = sqlite3.connect(f"file:{desk.station.state}/ledger.sqlite?mode=ro", uri=True)
    try:
        return ledger.execute("SELECT count(*) FROM delivery WHERE reason LIKE ?", (f"{name} is sending it%",)).fetchone()[0] > 0
    except sqlite3.OperationalError:
        return False


def catalogue_away(desks, server, gallery, make):
    """Killed in the middle of a run: what the gallery can be asked about goes on, and is told when the catalogue is back."""
    one, two = desks
    card = make(40)
    gallery.delay, begun = 0.3, len(gallery.begun)
    process = one.take(card)
    wait_until("an upload", lambda: len(gallery.begun) > begun + 3)
    server.kill()
    ended(process, "an import whose catalogue died")
    gallery.delay = 0.0
    once(gallery, card, "the catalogue died in the middle of a run")
    server.start()
    ended(one.take(card), "the next import")
    said = ended(two.take(card), "the other station's import")
    once(gallery, card, "when the catalogue was back")
    if "40 were delivered by others meanwhile" not in said:
        raise Failure(f"nobody says what the other station had delivered:\n{said}")
    told = server.sql("SELECT count(*) FROM catalog.delivery d JOIN catalog.target t ON t.id = d.target "
                      "WHERE d.state <> 'd' AND t.name = 'gallery'")
    if told != "0":
        raise Failure(f"{told} deliveries to the gallery were not told as done")
    print("the catalogue killed in the middle of a run: deliveries go on, and are told afterwards")

    one.write(away="hold")
    card = make(10)
    server.stop("immediate")
    process, before = one.take(card, "--wait", "5s"), len(gallery.begun)
    ended(process, "an import that holds without a catalogue", exits=(8,))
    kept(one, card, "held without a catalogue")
    if len(gallery.begun) != before:
        raise Failure("something was sent without a claim though the pipeline says `when_away: hold`")
    server.start()
    ended(one.start("retry", "--pipeline", one.station.file), "retry with the catalogue back")
    once(gallery, card, "held until the catalogue was back")
    one.write()
    print("`when_away: hold`: own copies are made, the gallery waits for the catalogue")


def laptop_home(desks, server, gallery, make, count=2000):
    """A laptop without the catalogue, whose gallery waits for it, comes home: half of its frames another station has delivered meanwhile,
    the rest it claims."""
    one, two = desks
    two.write(away="hold")
    card, begun = make(count), len(gallery.begun)
    half, names = f"{card}-half", sorted(os.listdir(f"{card}/DCIM/100TEST"))[::2]
    os.makedirs(f"{half}/DCIM/100TEST")
    for name in names:
        os.link(f"{card}/DCIM/100TEST/{name}", f"{half}/DCIM/100TEST/{name}")
    server.stop("immediate")
    ended(two.take(card, "--wait", "2s"), "the laptop's import", exits=(8,))
    kept(two, card, "a laptop that is away")
    if len(gallery.begun) != begun:
        raise Failure("a laptop that is away sent something though it has to wait for the catalogue")
    server.start()
    ended(one.take(half), "the import at the desk")
    once(gallery, half, "while the laptop was away")
    said = ended(two.start("retry", "--pipeline", two.station.file), "the laptop's retry at home")
    once(gallery, card, "when the laptop was home")
    if len(gallery.begun) != begun + count:
        raise Failure(f"{len(gallery.begun) - begun} uploads were begun for {count} frames")
    digests = ",".join(files_below(card).values())
    by = dict(line.split("|") for line in server.sql(
        f"""SELECT s.name, count(*) FROM catalog.delivery d JOIN catalog.station s ON s.id = d.station
        JOIN catalog.target t ON t.id = d.target WHERE d.state = 'd' AND t.name = 'gallery'
        AND encode(d.sha, 'hex') = ANY ('{{{digests}}}') GROUP BY 1""").splitlines())
    if by != {one.station.name: str(len(names)), two.station.name: str(count - len(names))}:
        raise Failure(f"the catalogue has deliveries of {count} frames by {by}:\n{said}")
    two.write()
    print(f"a laptop comes home with {count} frames: {len(names)} were delivered by the desk meanwhile, the rest is claimed; nothing twice")


def unsure(desks, server, gallery, make):
    """A gallery that can neither be asked nor takes anything twice: what may have been sent waits for a person."""
    one, two = desks
    for desk in desks:
        desk.gallery = gallery
        desk.write(asks=False)
    card = make(3)
    gallery.delay = 2.0
    process = one.take(card)
    wait_until("three uploads", lambda: len(gallery.begun) == 3)
    process.kill()
    process.communicate()
    lose(server, one.station)
    wait_until("what the killed station had sent", lambda: len(gallery.kept) == 3)
    gallery.delay = 0.0
    said = ended(two.take(card), "an import that nobody can be sure of", exits=(8,))
    if "may have sent it" not in said:
        raise Failure(f"nobody says what may have been sent:\n{said}")
    if len(gallery.kept) != 3:
        raise Failure("something that may have been sent was sent again")
    ended(two.start("retry", "--pipeline", two.station.file, "--anyway"), "retry --anyway")
    if len(gallery.kept) != 6:
        raise Failure(f"`retry --anyway` sent {len(gallery.kept) - 3} of 3 files")
    # Whoever was killed comes back, and takes what it was killed in.
    ended(one.take(card), "the killed station's next import", exits=(0, 8))
    if len(gallery.kept) != 6:
        raise Failure("the killed station sent again what a person had decided")
    print("a gallery that cannot be asked: what may have been sent is held until a person says so")


def shared_folder(desks, place, make):
    """One folder that both reach by paths of their own: each frame once, proven by reading it."""
    one, two = desks
    nas = f"{place}/nas"
    os.makedirs(nas)
    said = ended(one.start("catalog", "share", nas), "catalog share")
    if ended(two.start("catalog", "share", nas), "catalog share again").split()[-1] != said.split()[-1]:
        raise Failure("a shared folder has two ids")
    os.symlink(nas, f"{place}/nas-of-two")
    card = make(20)
    for desk, path in ((one, f"{nas}/{{name}}"), (two, f"{place}/nas-of-two/{{stem}}-of-two.{{ext}}")):
        with open(desk.station.file, encoding="utf-8") as file:
            text = file.read().replace("to: [archive, gallery]", "to: [archive, nas]")
        with open(desk.station.file, "w", encoding="utf-8") as file:
            file.write(text.replace("targets:\n", f"targets:\n  nas: {{ folder: {{ path: \"{path}\" }} }}\n", 1))
    processes = [desk.take(card) for desk in desks]
    for process in processes:
        ended(process, "an import into a shared folder")
    found = Counter(digest(f"{nas}/{name}") for name in files_below(nas))
    if set(found) != set(files_below(card).values()) or max(found.values()) > 1:
        raise Failure(f"a shared folder has {sum(found.values())} files for {len(files_below(card))} frames")
    for desk in desks:
        kept(desk, card, "a shared folder")
    print("a folder that two stations share: each frame once, at whatever path each of them has it")


class Kept:
    """What several galleries keep together, and what a person had sent to them again."""

    def __init__(self):
        self.kept, self.asked_for = [], set()


def scenario(server, stations, place, make_card):
    """`stations` have joined. Returns what the galleries keep."""
    required(WHAT, can_hide_folders)
    gallery, other, seeds, all_kept = Gallery(delay=0.05), Gallery(), iter(range(1000, 2000)), Kept()

    def make(count):
        seed = next(seeds)
        return make_card(f"{place}/shared-card-{seed}", count, seed)

    try:
        desks = [Desk(station, server, place, gallery) for station in stations]
        one_card_in_two(desks, gallery, make(40))
        said = killed_claimant(desks, server, gallery, make(12))
        print("a station killed while it sends: the other waits, asks the gallery and sends the rest; nothing twice")
        if stations[0].name not in said:
            raise Failure(f"`status` does not say whom it waits for:\n{said}")
        catalogue_away(desks, server, gallery, make)
        laptop_home(desks, server, gallery, make)
        unsure(desks, server, other, make)
        shared_folder(desks, place, make)
        all_kept.kept = gallery.kept + other.kept
        all_kept.asked_for = set(other.kept)
        return all_kept
    finally:
        gallery.close()
        other.close()
        shutil.rmtree(f"{place}/Pictures", ignore_errors=True)
