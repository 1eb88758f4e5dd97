"""A station as a scenario sees it: a state directory, its pipeline, and the program."""
import os
import random
import sqlite3
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from proof import Failure  # noqa: E402

PIPELINE = """\
version: 1
name: {name}
sources:
  - card: {{ paths: [/nonexistent] }}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [archive] }}
targets:
  archive: {{ folder: {{ path: "{folder}/pictures-{name}/{{captured:yyyy-MM-dd}}" }} }}
"""
CATALOG = """\
catalog:
  postgres: {{ url: "postgresql://{role}@{host}:{port}/filmgate" }}
  station: {name}
  site: press
"""


class Station:
    """A state directory, its pipeline, and the program."""

    def __init__(self, program, folder, name, server=None, role=None):
        self.program, self.folder, self.name, self.state = program, folder, name, f"{folder}/state-{name}"
        self.file, self.pictures, self.cards = f"{folder}/{name}.yaml", f"{folder}/pictures-{name}", []
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(PIPELINE.format(name=name, folder=folder))
            if server:
                file.write(CATALOG.format(role=role, host=server.folder.replace("/", "%2F"), port=server.port, name=name))

    def start(self, *words):
        return subprocess.Popen([self.program, *words, "--state", self.state], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def call(self, *words, exits=(0,)):
        process = self.start(*words)
        said = process.communicate(timeout=300)[0]
        if process.returncode not in exits:
            raise Failure(f"{self.name}: {' '.join(words)} ended with {process.returncode}:\n{said}")
        return said

    def noted(self, card):
        """A card that it began to take."""
        if card not in self.cards:
            self.cards.append(card)

    def take(self, card, *words, exits=(0,)):
        self.noted(card)
        return self.call("import", card, "--pipeline", self.file, *words, exits=exits)

    def facts(self):
        """What the ledger has: digests of files that ended, and of what was delivered."""
        ledger = sqlite3.connect(f"file:{self.state}/ledger.sqlite?mode=ro", uri=True)
        seen = ledger.execute(
            "SELECT substr(c.key, 1, 64), a.path FROM asset a LEFT JOIN content c ON c.id = a.content_id WHERE a.ending IS NOT NULL")
        done = ledger.execute("SELECT substr(c.key, 1, 64) FROM delivery d JOIN content c ON c.id = d.content_id WHERE d.state = 'done'")
        return sorted((sha or "", path) for sha, path in seen), sorted(sha for sha, in done)


def same(server, station, when):
    """The catalogue has what this station's ledger has."""
    who = f"(SELECT id FROM catalog.station WHERE name = '{station.name}')"
    seen = server.sql(f"SELECT coalesce(encode(sha, 'hex'), ''), path FROM catalog.seen WHERE station = {who}")
    done = server.sql(f"SELECT encode(sha, 'hex') FROM catalog.delivery WHERE state = 'd' AND station = {who}")
    told = sorted(tuple(line.split("|", 1)) for line in seen.splitlines()), sorted(done.splitlines())
    if told != station.facts():
        raise Failure(f"{when}: the catalogue has {len(told[0])} files and {len(told[1])} deliveries of {station.name}, its ledger "
                      f"{len(station.facts()[0])} and {len(station.facts()[1])}")


def make_card(folder, count, seed):
    """Whole files that no other card has: pictures, and from ten on the last three are one shot, a RAW with its JPEG and a sidecar."""
    numbers, shot = random.Random(seed), count - 2 if count >= 10 else count
    os.makedirs(f"{folder}/DCIM/100TEST")
    for number in range(shot):
        write(f"{folder}/DCIM/100TEST/{seed}_{number:04}.JPG", jpeg(numbers))
    if shot < count:
        stem = f"{folder}/DCIM/100TEST/{seed}_{shot - 1:04}"
        write(f"{stem}.NEF", raw(numbers))
        write(f"{stem}.XMP", f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- {seed} --></x:xmpmeta>\n'.encode())
    return folder


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def jpeg(numbers):
    head = bytes.fromhex("ffd8ffe000104a46494600010100000100010000")
    return head + b"\xff\xfe" + (2002).to_bytes(2, "big") + numbers.randbytes(2000) + b"\xff\xd9"


def raw(numbers):
    """A TIFF of one strip."""
    entries = [(256, 32), (257, 32), (258, 8), (259, 1), (262, 1), (273, 122), (277, 1), (278, 32), (279, 1024)]
    table = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    head = b"II*\0" + struct.pack("<IH", 8, len(entries)) + table + struct.pack("<I", 0)
    return head.ljust(122, b"\0") + numbers.randbytes(1024) + numbers.randbytes(900)


def joined(program, folder, name, server):
    server.sql(f"CREATE ROLE {name} LOGIN; GRANT filmgate_station TO {name}")
    station = Station(program, folder, name, server, name)
    station.call("catalog", "join", "--pipeline", station.file)
    return station
