"""State directories with ledgers of very many files: a small one by the program, larger ones as further rows of the same kind."""
import hashlib
import os
import shutil
import sqlite3
import time

from measure import run
import frames

PIPELINE = """\
version: 1
name: many
sources: [ card: {{ paths: ["{card}"] }} ]
stages: [ {{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [archive, second] }} }} ]
targets:
  archive: {{ folder: {{ path: "{to}/archive", verify: size }} }}
  second: {{ folder: {{ path: "{to}/second", verify: size }} }}
"""
BODIES = 20
PER_FOLDER = 5000


def digest(number):
    """What the file with that number would have as its SHA-256."""
    return hashlib.sha256(f"frame {number}".encode()).hexdigest()


def picture_of(place):
    """One JPEG with full Exif to make others from."""
    card = os.path.join(place.memory, "picture")
    if not os.path.isdir(card):
        run([place.filmgate, "sample", "card", card])
    return os.path.join(card, "DCIM", "100CANON", "IMG_0001.JPG")


def small(place, count):
    """A state directory that the program itself made by importing `count` small pictures to two targets."""
    base = os.path.join(place.disk, f"ledger-{count}")
    card, state, pipeline = (os.path.join(base, name) for name in ("CARD", "state", "many.yaml"))
    for number in range(count):
        folder = os.path.join(card, "DCIM", f"{100 + number // PER_FOLDER}BENCH")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"IMG_{number % PER_FOLDER:04}.JPG"), "wb") as file:
            file.write(frames.jpeg(number, serial=f"SER{number % BODIES:06}"))
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(PIPELINE.format(card=card, to=base))
    run([place.filmgate, "import", card, "--pipeline", pipeline, "--state", state, "--json"])
    return state


def large(place, model, count):
    """A copy of the state directory `model` with rows for `count` further files: one in fifty set aside, one in a hundred filtered.

    Each that was delivered has a file of its name at the first target, so that it has a picture.
    """
    state = os.path.join(place.disk, f"ledger-{count}", "state")
    shutil.copytree(model, state)
    database = sqlite3.connect(os.path.join(state, "ledger.sqlite"), isolation_level=None)
    database.row_factory = sqlite3.Row
    for pragma in ("synchronous = OFF", "cache_size = -400000", "foreign_keys = OFF"):
        database.execute("PRAGMA " + pragma)
    database.execute("BEGIN")
    rows = Rows(database, count)
    rows.write()
    # Searches among a million show no picture.
    if count <= 100_000:
        rows.link()
    database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return state


class Rows:
    """Further rows of a ledger, each like one that the program wrote."""

    def __init__(self, database, count):
        self.database, self.count = database, count
        self.asset = self.one("asset WHERE ending = 'delivered' LIMIT 1")
        self.content = self.one("content WHERE id = ?", self.asset["content_id"])
        self.deliveries = [dict(row) for row in database.execute("SELECT * FROM delivery WHERE content_id = ?", (self.content["id"],))]
        self.first = database.execute("SELECT max(id) FROM content").fetchone()[0] + 1
        # Ten a second, until an hour ago.
        self.begin = time.time_ns() - 3_600_000_000_000 - count * 100_000_000
        self.head = self.asset["path"][:-len(self.asset["root_path"])] if self.asset["root_path"] else ""

    def one(self, what, *values):
        return dict(self.database.execute("SELECT * FROM " + what, values).fetchone())

    def write(self):
        cameras = self.database.execute("SELECT max(id) FROM camera").fetchone()[0] or 0
        self.cameras = [cameras + 1 + body for body in range(BODIES)]
        for body in self.cameras:
            self.database.execute("INSERT INTO camera (id, make, model, serial) VALUES (?, 'Canon', 'EOS R5', ?)", (body, f"SER{body:06}"))
        self.insert("content", self.content, (self.content_row(number) for number in range(self.count) if number % 50))
        self.insert("asset", self.asset, (self.asset_row(number) for number in range(self.count)))
        if self.deliveries:
            done = (number for number in range(self.count) if number % 50 and number % 100 != 1)
            self.insert("delivery", self.deliveries[0], (self.delivery_row(number, one) for number in done for one in self.deliveries))

    def link(self):
        """Puts the picture that all are like where their first copies would lie, once a folder and by links beside it."""
        like, folder = self.deliveries[0], None
        for number in range(self.count):
            path = self.delivery_row(number, like)["receipt_path"]
            if os.path.dirname(path) != folder:
                folder, first = os.path.dirname(path), path
                os.makedirs(folder, exist_ok=True)
                shutil.copyfile(like["receipt_path"], path)
            else:
                os.link(first, path)

    def insert(self, table, like, rows):
        names = list(like)
        words = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        self.database.executemany(words, ([row[name] for name in names] for row in rows))

    @staticmethod
    def name(number):
        return f"IMG_{number % PER_FOLDER:04}.{'CR3' if number % 3 == 2 else 'JPG'}"

    def path(self, number):
        return f"DCIM/{100 + number // PER_FOLDER}CANON/{self.name(number)}"

    def content_row(self, number):
        return {**self.content, "id": self.first + number, "key": digest(number), "camera_id": self.cameras[number % BODIES]}

    def asset_row(self, number):
        path, at = self.path(number), self.begin + number * 100_000_000
        row = {
            **self.asset, "path": self.head + path, "inode": 10_000_000 + number, "shot": path.rsplit(".", 1)[0].lower(),
            "stem": path.rsplit("/", 1)[1].split(".")[0], "kind": "raw" if number % 3 == 2 else "jpeg", "content_id": self.first + number,
            "since": at, "at": at + 50_000_000,
        }
        if self.asset["root_path"]:
            row["root_path"] = path
        if number % 50 == 0:
            row.update(content_id=None, ending="setAside", reason="It could not be read.", wanted=None)
        elif number % 100 == 1:
            row.update(ending="filtered", reason="A rule leaves it out.")
        return row

    def delivery_row(self, number, like):
        name = f"{100 + number // PER_FOLDER}/{self.name(number)}"
        row = {**like, "content_id": self.first + number, "path": name, "path_folded": name.lower()}
        if like["receipt_path"]:
            row["receipt_path"] = os.path.join(os.path.dirname(like["receipt_path"]), name)
        return row
