#!/usr/bin/env python3
"""Measures the catalogue of stations against its limits: its functions on a PostgreSQL of the scenario's own that writes to the disk what
it says, and the program beside it on the same machine. Ends 1 when a limit is missed. Leaves nothing running."""
import argparse
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "Shared"), os.path.join(HERE, "..", "Bench")]
import calls  # noqa: E402
import clients  # noqa: E402
import rows  # noqa: E402
import tiny  # noqa: E402
from failover import first_claim  # noqa: E402
from measure import Table, machine, median, paired, ratios, run  # noqa: E402
from place import Place  # noqa: E402
from proof import Failure  # noqa: E402
from sharer import Scene, Sharer, interrupted, wait_until  # noqa: E402

SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "4GB", "max_connections": "300"}


class Bench:
    """What the parts have in common."""

    def __init__(self, options, scene, place, table):
        self.options, self.quick, self.scene, self.place, self.table = options, options.quick, scene, place, table
        # Files that nobody told of yet; the catalogue is filled with those below.
        self.next = calls.BATCH * 10_000_000

    def fresh(self, count):
        first, self.next = self.next, self.next + (count // calls.BATCH + 2) * calls.BATCH
        return first

    def reports(self, server, clients, each):
        return calls.report(server, clients, each, self.fresh(clients * each * calls.BATCH))

    def claims(self, server, clients, each):
        return calls.claim(server, clients, each, self.fresh(clients * each * calls.CLAIMS))


def name_of(rows_there):
    return f"10^{len(str(rows_there)) - 1}" if str(rows_there).strip("0") == "1" else str(rows_there)


def functions(bench):
    """Reports, claims and questions at growing sizes, and what COPY and pgbench reach on the same machine."""
    server, table, quick = bench.scene.catalogue("functions", settings=SETTINGS), bench.table, bench.quick
    server.sql(calls.PREPARED)
    calls.stations(server, 200)
    sizes = [10_000, 100_000] if quick else [10 ** 5, 10 ** 6] + ([10 ** 7] if bench.options.largest >= 10 ** 7 else [])
    main, have, per_file, pages = sizes[1], 0, {}, {}
    for size in sizes:
        begun = time.monotonic()
        rows.fill(server, have + 1, size)
        have = size
        took, large = time.monotonic() - begun, rows.bytes_per_file(server, size)
        print(f"  {name_of(size)} files: filled in {took:.0f} s, {large:.0f} bytes for each", flush=True)
        pages[size] = rows.pages_per_key(server, size)
        look_ups(bench, server, size, main)
        growth(bench, server, size, per_file)
        if size == main:
            ceilings(bench, server)
            sustained(bench, server)
            homecoming(bench, server)
    first = sizes[0]
    for size in sizes[1:]:
        each = [after / before for after, before in zip(per_file[size], per_file[first])]
        ratio = statistics.median(per_file[size]) / statistics.median(per_file[first])
        table.line(f"report, time for each file at {name_of(size)} against {name_of(first)}", ratio, 1.5, " ×", each=each)
    model = rows.levels(server)
    for size, count in pages.items():
        # One page of the table beside those of the index; what is read once for all of them is a small part.
        most = {4: 3, 5: 4, 6: 5, 7: 5}[len(str(size)) - 1] + 0.5
        table.line(f"pages for each key at {name_of(size)}, EXPLAIN (BUFFERS)", count, most, "")
    print("  levels of that index by the model: " + ", ".join(f"10^{exponent}: {count}" for exponent, count in model.items()))
    server.close()
    shutil.rmtree(server.folder)


def look_ups(bench, server, size, main):
    """64 keys that the catalogue has: for each, where it was seen and both of its copies."""
    found = calls.look_up(server, size, 300 if bench.quick else 2000)
    detail = f"{rows.pages_of_look_up(server, size):.0f} pages for each key"
    if size >= main:
        limit = 4 if size >= 10 ** 7 else 2
        bench.table.line(f"look-up of 64 keys at {name_of(size)}, p50", found.quantile(0.5), limit / 2, " ms", detail)
        bench.table.line(f"look-up of 64 keys at {name_of(size)}, p95", found.quantile(0.95), limit, " ms", each=found.all)


def ceilings(bench, server):
    """256 claims in turn; and as many as two clients get: no program is faster than that."""
    found = bench.claims(server, 1, 30 if bench.quick else 200)
    bench.table.line("256 claims, p95", found.quantile(0.95), 10, " ms", f"median {found.quantile(0.5):.1f} ms", each=found.all)
    each = 30 if bench.quick else 200
    both = bench.claims(server, 2, each)
    print(f"  anchor: pgbench with claim_v3, two clients: {2 * each * calls.CLAIMS / both.seconds:.0f} claims/s")


def sustained(bench, server):
    """Four stations that tell without a pause, a checkpoint behind them; and COPY of as many rows by one client."""
    each = 15 if bench.quick else 250
    server.sql("CHECKPOINT")
    count, found = 4 * each * calls.BATCH, bench.reports(server, 4, each)
    speed = [calls.BATCH * 4000 / one for one in found.all]
    detail = f"{count} files in {found.seconds:.1f} s, four stations; each report of {calls.BATCH}: median {found.quantile(0.5):.0f} ms"
    bench.table.line("reports, four rows for each file", count / found.seconds, 5000, " files/s", detail, at_least=True,
                     each=[speed[-1], speed[0]])
    few = each // 2
    alone, copied = [], []
    for _ in range(1 if bench.quick else 3):
        alone.append(few * calls.BATCH / bench.reports(server, 1, few).seconds)
        copied.append(few * calls.BATCH / calls.copy(server, few, bench.fresh(few * calls.BATCH)).seconds)
    print(f"  anchor: one station {statistics.median(alone):.0f} files/s, COPY of the same rows {statistics.median(copied):.0f} files/s: "
          f"{statistics.median(one / other for one, other in zip(copied, alone)):.1f} ×")


def homecoming(bench, server):
    """Twenty stations that come home tell as fast as they can; another one has live frames to claim, sixteen at once."""
    stations, each, rate, seconds = 20, *((6, 10, 1) if bench.quick else (60, 20, 15))
    calls.prepare_reports(server, bench.fresh(stations * each * calls.BATCH), stations * each)
    calls.prepare_claims(server, bench.fresh(rate * seconds * 16), rate * seconds, size=16)
    server.sql("UPDATE catalog.station SET applied = 0")
    found, script = [], calls.report_script(server)
    thread = threading.Thread(target=lambda: found.append(calls.pgbench(server, script, stations, each, name="homecoming")))
    thread.start()
    claims = calls.pgbench(server, calls.CLAIM.format(token=calls.TOKEN + stations), 1, rate * seconds, rate=rate)
    is_over = not thread.is_alive()
    thread.join()
    if is_over or not found:
        raise Failure("the stations had told all before the claims were made, or did not tell at all")
    detail = f"they tell {stations * each * calls.BATCH / found[0].seconds:.0f} files/s; median {claims.quantile(0.5):.1f} ms"
    bench.table.line("16 claims while 20 stations come home, p95", claims.quantile(0.95), 20, " ms", detail, each=claims.all)


def growth(bench, server, size, per_file):
    """Milliseconds for each file, round by round."""
    each, rounds = (4, 3) if bench.quick else (5, 7)
    server.sql("CHECKPOINT")
    bench.reports(server, 2, each)
    per_file[size] = [bench.reports(server, 2, each).seconds * 1000 / (2 * each * calls.BATCH) for _ in range(rounds)]
    print(f"  report at {name_of(size)}: {statistics.median(per_file[size]):.3f} ms for each file, two stations")


def sessions(bench):
    """200 stations with nothing to tell: each renews its session every 15 seconds over a connection of its own."""
    server = bench.scene.catalogue("sessions", settings=SETTINGS)
    server.sql(calls.PREPARED)
    calls.stations(server, 200)
    warm, seconds = (5, 10) if bench.quick else (45, 60)
    failures = []

    def renew():
        try:
            calls.pgbench(server, calls.RENEWAL.format(token=calls.TOKEN), clients=200, seconds=warm + seconds + 15, rate=200 / 15)
        except Failure as failure:
            failures.append(failure)

    thread = threading.Thread(target=renew)
    thread.start()
    wait_until("200 connections", lambda: int(server.sql(
        f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{calls.ROLE}'")) == 200 or failures)
    time.sleep(warm)
    before, begun = server.cpu(), time.monotonic()
    time.sleep(seconds)
    share = (server.cpu() - before) / (time.monotonic() - begun) * 100
    thread.join()
    if failures:
        raise failures[0]
    renewed = int(server.sql("SELECT count(*) FROM catalog.session WHERE until < now() + interval '2 hours'"))
    if renewed < (50 if bench.quick else 190):
        raise Failure(f"only {renewed} of 200 sessions were renewed")
    bench.table.line("200 sessions, share of a core", share, 2, " %", f"over {seconds} s, {renewed} of them renewed")
    server.close()
    shutil.rmtree(server.folder)


def telling(bench):
    """A day's frames that a station tells when it joins, and a card that it imports: by the program itself."""
    server = bench.scene.catalogue("telling", settings=SETTINGS)
    many, some = (1000, 500) if bench.quick else (50_000, 10_000)
    sample = os.path.join(bench.place.memory, "sample")
    run([bench.place.filmgate, "sample", "card", sample])
    head = os.path.join(sample, "DCIM", "100CANON", "IMG_0001.JPG")
    hot = f"{bench.scene.folder}/hot"
    os.makedirs(hot)
    station = bench.scene.station("laptop", server, joins=False)
    station.take(tiny.card(os.path.join(bench.place.memory, "day"), head, many))
    station.join()
    (station.hot, card) = hot, tiny.card(os.path.join(bench.place.memory, "more"), head, some, first=many)
    station.write()
    begun, process = time.monotonic(), bench.scene.started(station.run())
    wait_until("the end of telling", lambda: station.waiting() == 0, 600)
    seconds = time.monotonic() - begun
    interrupted(process, "a run that tells")
    told(server, station, many)
    bench.table.line(f"{many} frames of a day away, all told after", seconds, 30, " s", f"{many / seconds:.0f} files/s by one station")
    begun = time.monotonic()
    station.take(card)
    imported = time.monotonic() - begun
    left = station.waiting()
    if left:
        process = bench.scene.started(station.run())
        wait_until("the end of telling", lambda: station.waiting() == 0, 600)
        interrupted(process, "a run that tells")
    seconds = time.monotonic() - begun
    told(server, station, many + some)
    detail = f"import took {imported:.2f} s and left {left} changes; {some / seconds:.0f} files/s"
    bench.table.line(f"{some} files imported by a station: told after the import's end", seconds - imported, 5, " s", detail)
    server.close()


def told(server, station, count):
    """The catalogue has them, and the program says so."""
    there = int(server.sql("SELECT count(*) FROM catalog.seen"))
    said = station.call("catalog", "status", "--pipeline", station.file)
    if there != count or "all told" not in said:
        raise Failure(f"the catalogue has {there} of {count} files; `catalog status` says:\n{said}")


def importing(bench):
    """The same card with the catalogue there, away and none at all, in turn; each time with a state of its own."""
    server, place = bench.scene.catalogue("importing", settings=SETTINGS), bench.place
    server.sql("CREATE ROLE desk LOGIN; GRANT filmgate_station TO desk")
    pairs, rounds = (4, 2) if bench.quick else (115, bench.options.rounds)
    card = place.card("pairs", pairs, "6MB", "20MB")
    nowhere, made = server.url("desk").replace("%2Fimporting", "%2Fnowhere"), {"count": 0}

    def before(kind):
        """A station that has joined, and whose catalogue is then where its pipeline says, or nowhere."""
        place.clear()
        made["count"] += 1
        folder = place.fresh()
        os.makedirs(folder)
        station = Sharer(place.filmgate, folder, f"desk{made['count']}", server.url("desk"))
        if kind == "none":
            with open(station.file, encoding="utf-8") as file:
                text = file.read()
            with open(station.file, "w", encoding="utf-8") as file:
                file.write(text[:text.index("catalog:\n")])
        else:
            station.join()
            station.url = server.url("desk") if kind == "up" else nowhere
            station.write()
        os.sync()
        made["command"] = [place.filmgate, "import", card, "--pipeline", station.file, "--state", station.state]

    results = paired({kind: lambda _: run(made["command"]) for kind in ("none", "up", "away")}, rounds, before=before)
    size = sum(os.path.getsize(os.path.join(base, name)) for base, _, names in os.walk(card) for name in names)
    print(f"  {size / 1e9:.1f} GB, medians of {rounds}: " + ", ".join(f"{kind} {median(one):.2f} s" for kind, one in results.items()))
    for kind, words in (("up", "there"), ("away", "away")):
        each = ratios(results[kind], results["none"])
        bench.table.line(f"import with the catalogue {words} / without one", statistics.median(each), 1.03, " ×", each=each)
    seen = int(server.sql("SELECT count(DISTINCT station) FROM catalog.seen"))
    if seen != rounds:
        raise Failure(f"{seen} of {rounds} imports with the catalogue there were told to it")
    server.close()


def failing_over(bench):
    """From the death of the primary, with its standby promoted at once, to the first claim that the new one grants to the program."""
    found = [first_claim(bench.scene, f"over{number}") for number in range(1 if bench.quick else bench.options.rounds)]
    each, last = [first for first, _ in found], [last for _, last in found]
    detail = f"what waited meanwhile was sent after {min(last):.1f} to {max(last):.1f} s"
    bench.table.line("failover to the first claim", statistics.median(each), 10, " s", detail, each=each)


def callers(bench):
    """What PQKit itself costs: beside a program in C that makes the same calls."""
    if not bench.options.pqbench:
        raise Failure("--pqbench does not say where PQBench is: `swift build -c release --product PQBench` builds it")
    clients.compare(bench.scene, bench.table, os.path.abspath(bench.options.pqbench), bench.options.rounds, bench.quick, SETTINGS)


PARTS = {"functions": functions, "callers": callers, "sessions": sessions, "telling": telling, "importing": importing, "failover": failing_over}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program, built for release")
    parser.add_argument("--pqbench", help="Tests/PQBench, built for release as the program is")
    parser.add_argument("--quick", action="store_true", help="small amounts: shows that the measuring works, proves nothing")
    parser.add_argument("--rounds", type=int, default=5, help="rounds per comparison")
    parser.add_argument("--largest", type=float, default=10 ** 7, help="files in the catalogue at most; 10^7 take 10 GB and many minutes")
    parser.add_argument("--only", choices=list(PARTS), action="append", help="measure only this")
    parser.add_argument("--disk", default=None, help="where servers and destinations lie (default: the temporary folder)")
    options = parser.parse_args()
    # Whoever is told to end still ends its servers and removes its files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder, table = tempfile.mkdtemp(prefix="filmgate-stations-bench-", dir=options.disk), Table()
    os.chmod(folder, 0o755)
    scene = Scene(os.path.abspath(options.filmgate), folder, random.Random(20))
    try:
        with Place(options, options.filmgate) as place:
            where = machine([place.memory, place.disk])
            bench = Bench(options, scene, place, table)
            for name in options.only or PARTS:
                print(f"{name} …", flush=True)
                PARTS[name](bench)
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    finally:
        scene.close()
        shutil.rmtree(folder, ignore_errors=True)
    table.show(f"{where}; PostgreSQL with fsync, {', '.join(f'{key} {value}' for key, value in SETTINGS.items())}")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
