"""The same calls over the same connection settings, by PQKit (Tests/PQBench) and by a program in C with libpq (caller.c): what each takes of
the processor, by its own clock, while the server beside it takes in what they say."""
import os
import shutil
import statistics
import subprocess
import sys

import calls

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Bench"))
from measure import paired  # noqa: E402
from proof import Failure  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "caller.c")
LIMIT = 1.15
KEYS = 64
# What a call is about, and how many rows its answer has.
KINDS = {"report": (calls.BATCH, 1), "claim": (calls.CLAIMS, calls.CLAIMS), "look-up": (KEYS, None)}
WORDS = {"report": f"a report of {calls.BATCH} files", "claim": f"{calls.CLAIMS} claims", "look-up": f"a look-up of {KEYS} keys"}
# Everything that the calls wrote and a clock did not.
WRITTEN = """SELECT md5(string_agg(line, ',' ORDER BY line)) FROM (
    SELECT 'c' || (c.sha, size, captured, kind, station)::text AS line FROM catalog.content c
    UNION ALL SELECT 's' || (origin, station, volume, path, at, ending, sha, seq)::text FROM catalog.seen
    UNION ALL SELECT 'd' || (d.sha, t.identity, t.name, t.owner, beside, station, token, seq, state, proof, sent, size, receipt)::text
        FROM catalog.delivery d JOIN catalog.target t ON t.id = d.target) AS lines"""


def built(folder):
    """The program in C."""
    found = subprocess.run(["pg_config", "--includedir"], capture_output=True, text=True, check=True).stdout.strip()
    program = f"{folder}/caller"
    done = subprocess.run(["cc", "-O2", "-I", found, SOURCE, "-lpq", "-o", program], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"caller.c does not compile:\n{done.stderr}")
    return program


class Taken:
    """Seconds of the processor, rows that were answered, and what the catalogue had afterwards."""

    def __init__(self, cpu, rows, written):
        self.cpu, self.rows, self.written = cpu, rows, written


def call(server, program, kind, count):
    """On a catalogue that has nothing; for look-ups, what a report told before."""
    if kind != "look-up":
        server.sql("TRUNCATE catalog.content, catalog.seen, catalog.delivery; UPDATE catalog.station SET applied = 0; CHECKPOINT")
    words = [program, kind, server.folder, str(server.port), calls.ROLE, "filmgate", str(calls.TOKEN + 1), str(count), "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{program} {kind}: {done.stdout}{done.stderr}")
    cpu, rows = done.stdout.split()
    return Taken(float(cpu), int(rows), server.sql(WRITTEN))


def check(kind, count, results):
    """Both were answered the same, and left the same in the catalogue."""
    everything = [one for each in results.values() for one in each]
    rows, written = {one.rows for one in everything}, {one.written for one in everything}
    expected = KINDS[kind][1]
    if len(rows) != 1 or rows == {0} or expected and rows != {expected * count}:
        raise Failure(f"{count} calls ({kind}) were answered with {sorted(rows)} rows")
    if len(written) != 1:
        raise Failure(f"what the calls ({kind}) wrote differs")


def compare(scene, table, swift, rounds, quick, settings):
    """Pairs in random order; the ratio of the medians of both."""
    server, folder = scene.catalogue("clients", settings=settings), f"{scene.folder}/caller"
    os.makedirs(folder)
    programs = {"PQKit": swift, "C": built(folder)}
    server.sql(calls.PREPARED)
    calls.stations(server, 1)
    amounts = {"claim": 20, "report": 20, "look-up": 100} if quick else {"claim": 200, "report": 200, "look-up": 1000}
    for kind, count in amounts.items():
        if kind == "look-up":
            call(server, programs["C"], "report", -(-count * KEYS // calls.BATCH))
            server.sql("VACUUM (ANALYZE) catalog.content, catalog.seen, catalog.delivery")
        results = paired({name: lambda _, program=program: call(server, program, kind, count) for name, program in programs.items()}, rounds)
        check(kind, count, results)
        ours, theirs = ([one.cpu for one in results[name]] for name in ("PQKit", "C"))
        each = [one / other for one, other in zip(ours, theirs)]
        per_call = [statistics.median(one) / count * 1000 for one in (ours, theirs)]
        detail = f"{per_call[0]:.3f} ms and {per_call[1]:.3f} ms of the processor for each"
        table.line(f"PQKit / C with libpq: {WORDS[kind]}", per_call[0] / per_call[1], LIMIT, " ×", detail, each=each)
    server.close()
    shutil.rmtree(server.folder)
