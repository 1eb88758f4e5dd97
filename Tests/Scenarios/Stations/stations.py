#!/usr/bin/env python3
"""Two stations and a catalogue on a PostgreSQL of the scenario's own: one card in both, an outage, a kill of the server and of a station, a
copied state directory. After each, the catalogue has what the ledgers have, no more and no less. Needs no network; leaves nothing running."""
import argparse
import difflib
import glob
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Shared"))
import namespaces  # noqa: E402
import proving  # noqa: E402
import seeding  # noqa: E402
import sharing  # noqa: E402
from cluster import Server  # noqa: E402
from gallery import Gallery  # noqa: E402
from invariants import Invariants  # noqa: E402
from proof import Failure, folder as files_below  # noqa: E402
from sharer import Sharer, ended  # noqa: E402
from station import Station, joined, make_card, same  # noqa: E402

LONGEST, LONGEST_SMOKE = 360, 120


def doctor(station):
    """What it says, whatever else it finds on this machine."""
    return station.call("doctor", "--pipeline", station.file, exits=(0, 1))


def gauges(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
    except OSError:
        return {}
    return dict(line.split(" ") for line in lines if line.startswith("filmgate_catalog_"))


def watched(station, server):
    """A run's metrics say whether the catalogue answers; so does `doctor`."""
    said = doctor(station)
    for words in (f"ok      catalog: {station.name}: all told", "answers after"):
        if words not in said:
            raise Failure(f"doctor says nothing of `{words}`:\n{said}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = station.start("run", station.file, "--metrics", f"127.0.0.1:{port}")
    try:
        for up, change in (("1", None), ("0", server.stop), ("1", server.start)):
            if change:
                change()
            end = time.monotonic() + 120
            while gauges(port).get("filmgate_catalog_up") != up:
                if time.monotonic() > end or process.poll() is not None:
                    raise Failure(f"filmgate_catalog_up is not {up}: {gauges(port)}")
                time.sleep(0.2)
        found = gauges(port)
        if found.get("filmgate_catalog_behind") != "0" or found.get("filmgate_catalog_claims") != "0":
            raise Failure(f"metrics of a station with nothing to do: {found}")
    finally:
        process.terminate()
        process.communicate(timeout=60)
    print("doctor and metrics say whether the catalogue answers")


def told(station, other, card, count):
    """Whoever puts in a card that another desk has taken is told so, and reads it all the same.

    Nothing waits for that word, so a card that is read at once may be done before the first one comes.
    """
    words = rf"was taken at {other.name} .*: {count} of {count} files, all delivered"
    for _ in range(20):
        said = station.take(card)
        if re.search(words, said):
            break
    else:
        raise Failure(f"{station.name} is not told what {other.name} has taken:\n{said}")
    if said.count(f"was taken at {other.name}") != 1 or f"{count} files seen" not in said:
        raise Failure(f"the card was told of more than once, or not read:\n{said}")
    for line in station.take(card, "--json").splitlines():
        taken = json.loads(line).get("taken") if line.startswith("{") else None
        if taken and [taken[key] for key in ("station", "files", "of", "delivered")] != [other.name, count, count, count]:
            raise Failure(f"the same in JSON: {line}")


def both(program, folder, server):
    """The stations, and what their galleries keep."""
    vans = [joined(program, folder, name, server) for name in ("van1", "van2")]
    kept = sharing.scenario(server, vans, folder, make_card)
    kept.kept += proving.scenario(server, vans, folder, make_card)
    return vans, kept


def tells_all(station):
    """A server that was stopped hard may remember a session that had ended: for a minute nobody else has that identity."""
    end = time.monotonic() + 90
    while True:
        ledger = sqlite3.connect(f"file:{station.state}/ledger.sqlite?mode=ro", uri=True)
        last, known = ledger.execute("SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'told'), acknowledged FROM station").fetchone()
        if last == known:
            return
        if time.monotonic() > end:
            raise Failure(f"{station.name} made {last} changes and could tell {known} of them")
        time.sleep(1)
        station.take(station.cards[0], exits=(0, 8, 9))


def checked(server, stations, kept):
    """All that was disturbed here, once more and at once."""
    for station in stations:
        tells_all(station)
    truth = Invariants(server, stations, kept)
    truth.asked_for = kept.asked_for
    truth.check("at the end")
    files = sum(len(station.facts()[0]) for station in stations)
    print(f"ledgers of {len(stations)} stations, catalogue and galleries agree on {files} files: each has one ending, its copies, one upload")


def ledger_schema(station):
    ledger = sqlite3.connect(f"file:{station.state}/ledger.sqlite?mode=ro", uri=True)
    return dict(ledger.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))


def catalogue_schema(server):
    done = subprocess.run([*server.client("pg_dump"), "--schema-only"], capture_output=True, text=True, check=True)
    # Newer ones begin and end with a word that differs each time.
    return [line for line in done.stdout.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]


def same_schemas(server, before, without, alone, one):
    """Nobody but `migrate` changes the catalogue's tables, and nothing but triggers is added to a ledger that tells it."""
    if difference := list(difflib.unified_diff(before, catalogue_schema(server), "before", "after", lineterm="", n=0)):
        raise Failure("the catalogue's schema has changed:\n" + "\n".join(difference[:20]))
    if ledger_schema(alone) != without:
        raise Failure("the schema of a ledger without a catalogue has changed")
    told = ledger_schema(one)
    more = {name for name in told if told[name] != without.get(name)}
    if without.keys() - told.keys() or any(not name.startswith("told") for name in more):
        raise Failure(f"a ledger that tells a catalogue differs in {sorted(more | (without.keys() - told.keys()))}")
    print(f"schemas are as before; a ledger that tells a catalogue has {len(more)} triggers more")


def one_gallery(program, folder, server):
    """Two stations take the same card at once, and what their gallery keeps; needs no namespaces."""
    gallery, desks, card, kept = Gallery(delay=0.02), [], make_card(f"{folder}/card-shared", 30, 5), sharing.Kept()
    try:
        for name in ("share1", "share2"):
            server.sql(f"CREATE ROLE {name} LOGIN; GRANT filmgate_station TO {name}")
            desks.append(Sharer(program, folder, name, server.url(name), gallery))
            desks[-1].join()
        for desk, process in [(desk, desk.begin(card)) for desk in desks]:
            ended(process, f"{desk.name}: import")
        for desk in desks:
            desk.tell(card)
        kept.kept = gallery.kept
        if sorted(kept.kept) != sorted(files_below(card).values()):
            raise Failure(f"the gallery has {len(kept.kept)} pictures of a card with 30 that two stations took at once")
        print("one card in two stations at once: the gallery has each of 30 frames once")
        return desks, kept
    finally:
        gallery.close()


def only_sharing(program, folder):
    server = Server(f"{folder}/pg")
    try:
        first = Station(program, folder, "first", server, "postgres")
        first.call("catalog", "migrate", "--pipeline", first.file)
        both(program, folder, server)
    finally:
        server.close()


def scenario(program, folder, kills, leave_out, smoke):
    server = Server(f"{folder}/pg")
    try:
        alone = Station(program, folder, "alone")
        alone.take(make_card(f"{folder}/card-alone", 5, 1))
        ledger = sqlite3.connect(f"{alone.state}/ledger.sqlite")
        if ledger.execute("SELECT count(*) FROM told").fetchone() != (0,) or ledger.execute("SELECT count(*) FROM station").fetchone() != (0,):
            raise Failure("something was noted without a catalogue")
        if ledger.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'told%'").fetchone() != (0,):
            raise Failure("a ledger without a catalogue has triggers for one")
        without = ledger_schema(alone)
        print("without a catalogue nothing is noted")

        one, two = (Station(program, folder, name, server, name) for name in ("desk1", "desk2"))
        one.call("catalog", "migrate", "--pipeline", one.file, "--set", f"catalog.postgres.url={server.url('postgres')}")
        schema = catalogue_schema(server)
        for station in (one, two):
            server.sql(f"CREATE ROLE {station.name} LOGIN; GRANT filmgate_station TO {station.name}")
            station.call("catalog", "check", "--pipeline", station.file)
        card = make_card(f"{folder}/card", 60, 2)
        one.take(card)
        for station in (one, two):
            station.call("catalog", "join", "--pipeline", station.file)
            station.take(card)
            same(server, station, "one card in both")
        some = glob.glob(f"{card}/DCIM/*/*.JPG")[0]
        digest = hashlib.sha256(open(some, "rb").read()).hexdigest()
        for words in (some, digest):
            said = two.call("catalog", "where", words)
            if said.count("desk1  delivered") != 1 or said.count("desk2  delivered") != 1:
                raise Failure(f"`where` does not show both copies:\n{said}")
        one.call("catalog", "where", "0" * 64, exits=(5,))
        print("one card in two stations: `where` shows both copies")
        told(two, one, card, 60)
        told(one, two, card, 60)
        for station in (one, two):
            same(server, station, "a card that was told")
        print("a card that another desk has taken is told at its insertion, and read all the same")
        if not smoke:
            watched(one, server)

        server.stop()
        if "PROBLEM catalog: " not in doctor(one):
            raise Failure("doctor does not name a catalogue that is away")
        said = one.take(make_card(f"{folder}/card-away", 40, 3))
        if said.count("going on alone") != 1:
            raise Failure(f"an outage is told once:\n{said}")
        one.call("catalog", "where", digest, exits=(5,))
        if "desk1: 80 changes to tell" not in doctor(one):
            raise Failure(f"doctor does not count what is untold:\n{doctor(one)}")
        server.start()
        one.take(card)
        same(server, one, "after an outage")
        print("a day without the catalogue: imported all the same, told afterwards")

        killed(server, one, folder, kills)
        if smoke:
            vans, kept = one_gallery(program, folder, server)
        else:
            vans, kept = ([], sharing.Kept()) if leave_out else both(program, folder, server)
            vans.append(seeding.scenario(program, folder, server))
        checked(server, [one, two, *vans], kept)
        alone.take(make_card(f"{folder}/card-alone-again", 12, 4))
        same_schemas(server, schema, without, alone, one)

        copy = Station(program, folder, "copy", server, "desk1")
        shutil.copytree(one.state, copy.state)
        copy.call("catalog", "join", "--pipeline", one.file, "--as-new")
        said = one.take(card)
        if "taken anew elsewhere" not in said:
            raise Failure(f"a copied state directory is not noticed:\n{said}")
        print("a copied state directory: whoever joined anew has the identity, the other tells nothing")
    finally:
        server.close()


def killed(server, station, folder, kills):
    """Station and server by turns, in the middle of an import; a kill counts where that was under way."""
    tried, effective = 0, 0
    while effective < kills:
        tried += 1
        if tried > 20 + 5 * kills:
            raise Failure(f"of {tried} kills only {effective} came before the import was over")
        card = make_card(f"{folder}/card-kill{tried}", 120, 10 + tried)
        station.noted(card)
        process = station.start("import", card, "--pipeline", station.file)
        time.sleep(random.uniform(0.1, 1.5))
        is_alive = process.poll() is None
        if effective % 2:
            server.kill()
            said = process.communicate(timeout=300)[0]
            if process.returncode:
                raise Failure(f"the import ended with {process.returncode} because its catalogue did:\n{said}")
            server.start()
        else:
            process.kill()
            process.communicate()
            is_alive = process.returncode == -signal.SIGKILL
        effective += is_alive
        retold(station, card)
        same(server, station, f"kill {tried}")
    print(f"station and server killed at {tried} moments, {effective} times under an import: nothing is missing, nothing is double")


def retold(station, card):
    """Takes the card again. A process that was killed between being let in and writing that down keeps the identity for a minute."""
    until = time.monotonic() + 70
    while "is in use by another process" in station.take(card):
        if time.monotonic() > until:
            raise Failure("a killed process keeps its station's identity for more than a minute")
        time.sleep(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--sharing", action="store_true", help="only what goes to targets that stations share")
    parser.add_argument("--smoke", action="store_true", help="the shortest way through: half a minute where nothing else runs")
    namespaces.add_option(parser)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    if options.sharing and options.without_namespaces:
        parser.error(f"all that --sharing plays needs namespaces: not with {namespaces.OPTION}")
    random.seed(options.seed)
    print(f"seed {options.seed}")
    begun, folder = time.monotonic(), tempfile.mkdtemp(prefix="filmgate-stations-")
    os.chmod(folder, 0o755)
    try:
        if options.sharing:
            only_sharing(os.path.abspath(options.filmgate), folder)
        else:
            kills = min(options.kills, 2) if options.smoke else options.kills
            scenario(os.path.abspath(options.filmgate), folder, kills, options.without_namespaces, options.smoke)
    except Failure as failure:
        print(f"FAILED: {failure}\nleft behind: {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    lasted, longest = time.monotonic() - begun, LONGEST_SMOKE if options.smoke else LONGEST
    if lasted > longest:
        print(f"FAILED: it took {lasted:.0f} s; {longest} are the limit", file=sys.stderr)
        return 1
    print(f"all of it in {lasted:.0f} s")
    if options.smoke:
        print("ok, the shortest way through")
        return 0
    print(namespaces.closing([sharing.WHAT, proving.WHAT] if options.without_namespaces else []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
