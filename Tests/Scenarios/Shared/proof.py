"""What must be true of a destination, a gallery and a ledger."""
import hashlib
import os
import shutil
import sqlite3
import tempfile


class Failure(Exception):
    """Something that must never happen did."""


def digest(path):
    """SHA-256 of a file, in hexadecimal."""
    sha = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()


def folder(root):
    """Every file below `root` under a final name, with its digest. Staging hides in names that begin with a dot."""
    found = {}
    for base, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".")]
        for name in files:
            path = os.path.join(base, name)
            if not name.startswith("."):
                found[os.path.relpath(path, root)] = digest(path)
    return found


def sound(found, known):
    """No file holds bytes that the card does not hold."""
    for name, value in found.items():
        if value not in known:
            raise Failure(f"partial or foreign bytes under the final name {name}")


def ledger(state):
    """A copy of the ledger as a reader after a power cut would find it; None when there is none yet."""
    if not os.path.exists(os.path.join(state, "ledger.sqlite")):
        return None
    memory = sqlite3.connect(":memory:")
    with tempfile.TemporaryDirectory() as copy:
        for part in ("", "-wal"):
            if os.path.exists(os.path.join(state, "ledger.sqlite" + part)):
                shutil.copy(os.path.join(state, "ledger.sqlite" + part), copy)
        disk = sqlite3.connect(os.path.join(copy, "ledger.sqlite"))
        disk.backup(memory)
        disk.close()
    return memory


def integrity(state):
    """SQLite finds the ledger sound."""
    database = ledger(state)
    if database is None:
        return
    answer = database.execute("PRAGMA integrity_check").fetchall()
    orphans = database.execute("PRAGMA foreign_key_check").fetchall()
    if answer != [("ok",)] or orphans:
        raise Failure(f"ledger: {answer} {orphans}")


def settled(state, targets):
    """Every delivery is done, each target has all of them, and no two receipts name the same place."""
    database = ledger(state)
    open_ones = database.execute("SELECT count(*) FROM delivery WHERE state <> 'done'").fetchone()[0]
    if open_ones:
        raise Failure(f"{open_ones} deliveries are not done")
    counts = database.execute("SELECT count(*) FROM delivery GROUP BY target_id").fetchall()
    if len(counts) != targets:
        raise Failure(f"{len(counts)} targets have deliveries instead of {targets}")
    twice = database.execute(
        "SELECT target_id, receipt_path, url, remote_id FROM delivery WHERE coalesce(receipt_path, url, remote_id) IS NOT NULL"
        " GROUP BY target_id, receipt_path, url, remote_id HAVING count(*) > 1").fetchall()
    if twice:
        raise Failure(f"two receipts for one place: {twice[:3]}")


def received(gallery):
    """What the gallery keeps, by the digest that it goes by there; its bytes must have that digest."""
    found = {}
    root = os.path.join(gallery, "assets")
    for name in os.listdir(root):
        files = os.listdir(os.path.join(root, name))
        if len(files) != 1:
            raise Failure(f"the gallery holds {len(files)} files for {name}")
        found[name] = digest(os.path.join(root, name, files[0]))
        if found[name] != name:
            raise Failure(f"the gallery's {name} has other bytes")
    return found
