"""Stations that keep copies of their own and share a gallery, and the place where a scenario has all of them."""
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from cluster import Server  # noqa: E402
from gallery import Gallery  # noqa: E402
from proof import Failure  # noqa: E402
from station import Station, make_card  # noqa: E402

HEAD = """\
version: 1
name: {name}
sources:
  - {source}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [{to}] }}
targets:
  archive: {{ folder: {{ path: "{pictures}" }} }}
"""
GALLERY = '  gallery: {{ http: {{ url: "{address}/assets", body: raw, digest: {{ json: sha256 }}{find} }} }}\n'
FIND = ', find: {{ url: "{address}/by-digest/{{sha256}}" }}'
CATALOG = """\
retry: {{ first: 200ms, most: 2s }}
catalog:
  postgres: {{ url: "{url}"{more} }}
  station: {name}
  when_away: {away}
"""
SHARE = "  share: [gallery]\n  one_machine: true\n"


class Sharer(Station):
    """A station with pictures of its own.

    `url`: where the catalogue is; `more`: further options of `postgres`; `hot`: a folder that is watched; `source`: another source in its
    place. Without `asks` its gallery cannot be asked for a digest. `inside`: the words of a command that runs the program somewhere else.
    """

    def __init__(self, program, folder, name, url, gallery=None, more="", away="deliver", asks=True, hot=None, source=None, inside=()):
        self.program, self.folder, self.name, self.state = program, folder, name, f"{folder}/state-{name}"
        self.file, self.pictures, self.gallery = f"{folder}/{name}.yaml", f"{folder}/pictures-{name}", gallery
        self.url, self.more, self.hot, self.source, self.inside = url, more, hot, source, inside
        self.cards = [hot] if hot else []
        self.write(away, asks)

    def write(self, away="deliver", asks=True):
        source = self.source or (
            f'folder: {{ path: "{self.hot}", settle: 0ms, take: inplace }}' if self.hot else "card: { paths: [/nonexistent] }")
        to = "archive, gallery" if self.gallery else "archive"
        text = HEAD.format(name=self.name, source=source, to=to, pictures=self.pictures)
        if self.gallery:
            address = self.gallery.address
            text += GALLERY.format(address=address, find=FIND.format(address=address) if asks else "")
        text += CATALOG.format(url=self.url, more=self.more, name=self.name, away=away) + (SHARE if self.gallery else "")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, *words):
        command = [*self.inside, self.program, *words, "--state", self.state]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def join(self, *words):
        return self.call("catalog", "join", "--pipeline", self.file, *words)

    def begin(self, card, *words):
        """An import that goes on beside whatever the scenario does."""
        self.noted(card)
        return self.start("import", card, "--pipeline", self.file, *words)

    def take(self, card, exits=(0,)):
        return ended(self.begin(card), f"{self.name}: import", exits)

    def tell(self, card):
        """Imports it until the catalogue knows all, as often as that takes."""
        said = ""
        for _ in range(6):
            said += self.take(card)
            if self.waiting() == 0:
                return said
        raise Failure(f"{self.name} does not tell all:\n{said}")

    def run(self):
        """Goes on until it is interrupted; what it says goes to a file, which nobody has to read meanwhile."""
        with open(self.log, "ab") as log:
            return subprocess.Popen([*self.inside, self.program, "run", self.file, "--state", self.state], stdout=log, stderr=log)

    @property
    def log(self):
        return f"{self.folder}/{self.name}.log"

    def waiting(self):
        """How many changes are not known to the catalogue yet; None where this has joined none."""
        ledger = sqlite3.connect(f"file:{self.state}/ledger.sqlite?mode=ro", uri=True)
        found = ledger.execute("SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'told') - acknowledged FROM station").fetchone()
        ledger.close()
        return found and found[0]

    def states(self):
        """How deliveries to the gallery stand."""
        ledger = sqlite3.connect(f"file:{self.state}/ledger.sqlite?mode=ro", uri=True)
        rows = ledger.execute("SELECT d.state FROM delivery d JOIN target t ON t.id = d.target_id WHERE t.name = 'gallery'")
        return Counter(state for state, in rows)

    def held(self):
        """The digests that wait for a person before they go to the gallery."""
        ledger = sqlite3.connect(f"file:{self.state}/ledger.sqlite?mode=ro", uri=True)
        rows = ledger.execute("SELECT substr(c.key, 1, 64) FROM delivery d JOIN target t ON t.id = d.target_id "
                              "JOIN content c ON c.id = d.content_id WHERE t.name = 'gallery' AND d.state = 'held'")
        return {sha for sha, in rows}


def ended(process, what, exits=(0,), seconds=300):
    said = process.communicate(timeout=seconds)[0]
    if process.returncode not in exits:
        raise Failure(f"{what} ended with {process.returncode}:\n{said}")
    return said


def interrupted(process, what):
    """Ends a run as a person would."""
    process.send_signal(signal.SIGINT)
    ended(process, what, exits=(130,))


def lose(server, station):
    """Its session is over, as after a minute without a word."""
    server.sql("UPDATE catalog.session s SET until = now() - interval '1 second' FROM catalog.station t "
               f"WHERE t.id = s.station AND t.name = '{station.name}'")


def wait_until(what, is_so, seconds=120):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise Failure(f"{what} did not happen within {seconds} s")
        time.sleep(0.02)


class Scene:
    """What one scenario has: a folder, servers, galleries, stations and cards; all of it ends with the scenario."""

    def __init__(self, program, folder, rng):
        self.program, self.folder, self.rng = program, folder, rng
        self.servers, self.galleries, self.processes, self.cards = [], [], [], 0

    def server(self, name="pg", **options):
        server = Server(f"{self.folder}/{name}", **options)
        self.servers.append(server)
        return server

    def catalogue(self, name="pg", **options):
        """A server with the catalogue's tables."""
        server = self.server(name, **options)
        self.migrate(server)
        return server

    def migrate(self, server):
        owner = Sharer(self.program, self.folder, "owner", server.url("postgres"))
        owner.call("catalog", "migrate", "--pipeline", owner.file)

    def gallery(self, **options):
        gallery = Gallery(**options)
        self.galleries.append(gallery)
        return gallery

    def station(self, name, server, gallery=None, url=None, joins=True, password=None, **options):
        """One with a role of its own, which has joined."""
        secret = f" PASSWORD '{password}'" if password else ""
        server.sql(f"CREATE ROLE {name} LOGIN{secret}; GRANT filmgate_station TO {name}")
        station = Sharer(self.program, self.folder, name, url or server.url(name), gallery, **options)
        if joins:
            station.join()
        return station

    def card(self, count):
        self.cards += 1
        return make_card(f"{self.folder}/card-{self.cards}", count, self.rng.randrange(1 << 30))

    def started(self, process):
        """It is killed at the end where it runs still."""
        self.processes.append(process)
        return process

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        for server in self.servers:
            server.close()
        for gallery in self.galleries:
            gallery.close()
