"""A reader that holds one snapshot for minutes while stations claim, tell and renew: what they ask for must not take longer for it."""
import subprocess
import threading
import time

import calls
import rows
from proof import Failure

# A station at work tells and renews all the time; each of these changes a row that all its other calls look at.
BUSY = ("\\set i :i + 1\n\\set token {token} + 1 + :client_id\n"
        "SELECT catalog.report_v1(:token::bigint, :i::bigint - 1, :i::bigint, {empty});\n"
        "SELECT catalog.renew_v1(:token::bigint, NULL::jsonb, now()) IS TRUE;\n")
CLIENTS = 8


def long_snapshot(scene):
    server = scene.catalogue(settings={"max_connections": "60", "shared_buffers": "256MB"})
    server.sql(calls.PREPARED)
    calls.stations(server, CLIENTS + 1)
    rows.fill(server, 1, 20_000 if scene.seconds < 60 else 100_000)
    window = int(min(60, scene.seconds))
    # Sixteen calls a second by each of the busy ones would be a desk of 200.
    failures, script = [], BUSY.format(token=calls.TOKEN, empty=", ".join(["'{}'"] * 20))
    # The claims are the last station's.
    claims = calls.CLAIM.format(token=calls.TOKEN + CLIENTS)

    def load():
        try:
            calls.pgbench(server, script, CLIENTS, seconds=int(scene.seconds + 3 * window + 20), rate=40, name="busy")
        except Failure as failure:
            failures.append(failure)

    def measure(first):
        each = window * 2
        calls.prepare_claims(server, first, each)
        found = calls.pgbench(server, claims, 1, each, rate=2)
        granted = int(server.sql("SELECT count(*) FROM catalog.delivery WHERE state = 'c'"))
        return found, granted

    thread = threading.Thread(target=load)
    thread.start()
    time.sleep(2)
    before, granted = measure(10 ** 9)
    begun = time.monotonic()
    words = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM catalog.content; "
    words += f"SELECT pg_sleep({scene.seconds + window + 10}); COMMIT"
    reader = scene.started(subprocess.Popen([*server.client("psql"), "-XAtq", "-c", words], stdout=subprocess.DEVNULL))
    time.sleep(scene.seconds)
    after, both = measure(2 * 10 ** 9)
    if reader.poll() is not None:
        raise Failure(f"the reader was gone after {time.monotonic() - begun:.0f} s, before the claims were")
    dead = server.sql("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'station'")
    reader.wait()
    thread.join()
    if failures:
        raise failures[0]
    if (granted, both) != (window * 2 * calls.CLAIMS, window * 4 * calls.CLAIMS):
        raise Failure(f"{granted} and {both} claims were granted")
    shown = ", ".join(f"{name} p50 {found.quantile(0.5):.1f} ms, p95 {found.quantile(0.95):.1f} ms"
                      for name, found in (("before", before), ("at its end", after)))
    print(f"256 claims twice a second beside a snapshot of {scene.seconds:.0f} s, {dead} dead rows of {CLIENTS} busy stations: {shown}")
    if after.quantile(0.95) > 1.5 * before.quantile(0.95) and scene.seconds >= 60:
        raise Failure("claims take more than half as long again while somebody holds a snapshot")
