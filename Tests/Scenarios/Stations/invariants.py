"""What is true of all ledgers, the catalogue and the gallery once everything is quiet."""
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from proof import Failure, folder as files_below, integrity, ledger  # noqa: E402

# A target that was asked may prove it has the bytes without an address of theirs.
DONE = ("SELECT substr(c.key, 1, 64), {shared}, coalesce(d.receipt_path, d.url, d.remote_id, "
        "CASE WHEN d.verified NOT IN ('none', 'hearsay') THEN d.verified END) "
        "FROM delivery d JOIN content c ON c.id = d.content_id JOIN target t ON t.id = d.target_id WHERE d.state = 'done'")
# The gallery, and a folder that several stations share.
DONE, AT_GALLERY = DONE.format(shared="t.name IN ('gallery', 'nas')"), DONE.format(shared="t.name = 'gallery'")

SEEN = ("SELECT coalesce(substr(c.key, 1, 64), ''), a.path FROM asset a LEFT JOIN content c ON c.id = a.content_id "
        "WHERE a.ending IS NOT NULL")


class Invariants:
    """Compares them after each disturbance. `gallery` None: nothing is shared.

    `asked_for`: digests that a person had sent again though they might be at the gallery.
    """

    def __init__(self, server, stations, gallery=None):
        self.server, self.stations, self.gallery, self.applied, self.asked_for = server, stations, gallery, {}, set()

    def check(self, when, said=""):
        """`said`: what the program told meanwhile."""
        for station in self.stations:
            integrity(station.state)
            self.endings(station, when)
            self.own_copies(station, when)
            self.told(station, when, said)
        self.deliveries(when)
        if self.gallery:
            self.once(when)
        self.claims(when)

    @staticmethod
    def endings(station, when):
        """Each file of its cards has one ending."""
        rows = ledger(station.state).execute("SELECT path, ending FROM asset").fetchall()
        found = Counter(os.path.basename(path) for path, ending in rows if ending not in (None, "pending"))
        for card in station.cards:
            names = [os.path.basename(name) for name in files_below(card)]
            wrong = [name for name in names if found[name] != 1]
            if wrong:
                raise Failure(f"{when}: {len(wrong)} of {len(names)} files of {station.name} have no ending or several, such as {wrong[0]}")

    @staticmethod
    def own_copies(station, when):
        """Nothing was left out of its own pictures because of another station."""
        kept = set(files_below(station.pictures).values())
        for card in station.cards:
            missing = set(files_below(card).values()) - kept
            if missing:
                raise Failure(f"{when}: {station.name} lacks {len(missing)} copies of its own")

    def told(self, station, when, said):
        """The catalogue has what its ledger has, up to the last change; it is never set back without a word."""
        facts = ledger(station.state)
        last, known = facts.execute("SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'told'), acknowledged FROM station").fetchone()
        line = self.server.sql(f"SELECT id, applied FROM catalog.station WHERE name = '{station.name}'").split("|")
        number, applied = int(line[0]), int(line[1])
        if applied != last or known != last:
            raise Failure(f"{when}: {station.name} made {last} changes; the catalogue knows {applied}, and its ledger says {known}")
        if applied < self.applied.get(station.name, 0) and "was set back" not in said:
            before = self.applied[station.name]
            raise Failure(f"{when}: the catalogue knew {before} changes of {station.name} and knows {applied}; nobody says so")
        self.applied[station.name] = applied
        mine = facts.execute(SEEN)
        there = self.rows(f"SELECT coalesce(encode(sha, 'hex'), ''), path FROM catalog.seen WHERE station = {number}")
        self.equal(Counter(map(tuple, mine)), Counter(there), f"{when}: files of {station.name}")
        mine = Counter(sha for sha, is_shared, _ in facts.execute(DONE) if not (is_shared and self.gallery))
        there = self.rows(f"SELECT encode(d.sha, 'hex') FROM catalog.delivery d JOIN catalog.target t ON t.id = d.target "
                          f"WHERE d.state = 'd' AND t.owner = {number}")
        self.equal(mine, Counter(sha for sha, in there), f"{when}: copies of {station.name}")

    def deliveries(self, when):
        """What the catalogue says to be done, a ledger has a receipt for; what is done at a shared target, it says."""
        receipts, shared = {}, set()
        for station in self.stations:
            for sha, is_shared, receipt in ledger(station.state).execute(DONE):
                receipts[(station.name, sha, bool(is_shared))] = receipt
                if is_shared and self.gallery:
                    shared.add(sha)
        there = self.rows("SELECT s.name, encode(d.sha, 'hex'), t.owner IS NULL FROM catalog.delivery d "
                          "JOIN catalog.target t ON t.id = d.target JOIN catalog.station s ON s.id = d.station WHERE d.state = 'd'")
        for name, sha, is_shared in there:
            if not receipts.get((name, sha, is_shared == "t")):
                raise Failure(f"{when}: the catalogue says that {name} delivered {sha}, and its ledger has no receipt for that")
        self.equal(shared, {sha for _, sha, is_shared in there if is_shared == "t"}, f"{when}: what was delivered to shared targets")
        contents = {sha for sha, in self.rows("SELECT encode(sha, 'hex') FROM catalog.content")}
        keys = "SELECT substr(key, 1, 64) FROM content"
        known = {sha for station in self.stations for sha, in ledger(station.state).execute(keys)}
        if contents - known:
            raise Failure(f"{when}: the catalogue has {len(contents - known)} contents that no ledger has")

    def once(self, when):
        """The gallery has each picture once at most, and each that somebody says to have delivered."""
        kept = Counter(self.gallery.kept)
        twice = sum(count > (2 if sha in self.asked_for else 1) for sha, count in kept.items())
        said = {sha for station in self.stations for sha, is_shared, _ in ledger(station.state).execute(AT_GALLERY) if is_shared}
        missing = said - kept.keys()
        if twice or missing:
            raise Failure(f"{when}: the gallery has {twice} pictures more than once, and lacks {len(missing)} that were delivered")

    def claims(self, when):
        """Nothing is claimed any more, except where nobody can ask what was sent."""
        left = self.server.sql("SELECT count(*) FROM catalog.delivery d JOIN catalog.target t ON t.id = d.target "
                               "WHERE d.state = 'c' AND NOT t.dumb")
        if left != "0":
            raise Failure(f"{when}: {left} claims outlive what they were made for")

    def rows(self, query):
        return [tuple(line.split("|")) for line in self.server.sql(query).splitlines()]

    @staticmethod
    def equal(mine, there, what):
        if mine != there:
            raise Failure(f"{what}: the ledgers have {len(mine)}, the catalogue {len(there)}; "
                          f"{len(set(mine) - set(there))} are only here and {len(set(there) - set(mine))} only there")
