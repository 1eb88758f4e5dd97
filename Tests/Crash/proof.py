"""What must be true of a destination, a gallery and a ledger."""
import hashlib
import json
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


def integrity(state):
    """Asks SQLite about a copy of every ledger in `state`, as a reader after a power cut would find it."""
    for base, _, files in os.walk(state):
        for name in files:
            if not name.endswith((".sqlite", ".db", ".sqlite3")):
                continue
            with tempfile.TemporaryDirectory() as copy:
                for part in ("", "-wal"):
                    if os.path.exists(os.path.join(base, name + part)):
                        shutil.copy(os.path.join(base, name + part), os.path.join(copy, name + part))
                ledger = sqlite3.connect(os.path.join(copy, name))
                answer = ledger.execute("PRAGMA integrity_check").fetchall()
                wrong = ledger.execute("PRAGMA foreign_key_check").fetchall()
                ledger.close()
            if answer != [("ok",)] or wrong:
                raise Failure(f"ledger {name}: {answer} {wrong}")
