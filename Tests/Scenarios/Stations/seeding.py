"""A catalogue that has lost what a station told it, in every way, and is told anew: by the station itself, or by `catalog seed`."""
import hashlib
import json
import os
import random
import signal
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from proof import Failure  # noqa: E402
from station import Station, make_card, same  # noqa: E402

FILES = 300


def lost(server, station):
    """What it told, while the catalogue goes on to say that it knows all of it."""
    who = f"(SELECT id FROM catalog.station WHERE name = '{station.name}')"
    server.sql(f"DELETE FROM catalog.seen WHERE station = {who}; DELETE FROM catalog.delivery WHERE station = {who}")


def counted(station):
    line = json.loads(station.call("catalog", "seed", "--dry-run", "--json").splitlines()[0])
    return line["files"], line["copies"], line["waiting"]


def joined_with_history(program, folder, server):
    """It took cards long before there was a catalogue."""
    station = Station(program, folder, "late")
    card = make_card(f"{folder}/card-late", FILES, 70)
    station.take(card)
    server.sql("CREATE ROLE late LOGIN; GRANT filmgate_station TO late")
    station = Station(program, folder, "late", server, "late")
    station.noted(card)
    station.call("catalog", "join", "--pipeline", station.file)
    if counted(station) != (FILES, FILES, 2 * FILES):
        raise Failure(f"a station that joins does not have all to tell: {counted(station)}")
    station.call("catalog", "seed")
    same(server, station, "a station that joined with a history")
    return station, card


def broken_off(server, station):
    """Killed at any moment, it has told all in the end, and nothing twice."""
    for number in range(8):
        lost(server, station)
        process = station.start("catalog", "seed")
        time.sleep(random.uniform(0.02, 0.4))
        if number % 2:
            server.kill()
            said = process.communicate(timeout=120)[0]
            server.start()
            if process.returncode not in (0, 5):
                raise Failure(f"without its server, the seed ended with {process.returncode}:\n{said}")
        else:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        # A session whose token was lost with whoever held it keeps the identity for a minute.
        server.sql("UPDATE catalog.session SET until = clock_timestamp()")
        station.call("catalog", "seed")
        same(server, station, f"seed {number + 1}, broken off")


def set_back(server, station, card):
    """An old catalogue, and lines that do not go back as far: an import tells all by itself."""
    server.sql(f"UPDATE catalog.station SET applied = 5 WHERE name = '{station.name}'")
    lost(server, station)
    ledger = sqlite3.connect(f"{station.state}/ledger.sqlite")
    ledger.execute("DELETE FROM told WHERE seq <= 100")
    ledger.commit()
    ledger.close()
    said = station.take(card)
    if said.count("was set back") != 1:
        raise Failure(f"nobody says that the catalogue was set back:\n{said}")
    same(server, station, "a catalogue from before the oldest line")


def beside_a_run(server, station):
    """The run that holds the state tells, in its own session."""
    process = station.start("run", station.file)
    try:
        end = time.monotonic() + 60
        present = ("SELECT s.token FROM catalog.session s JOIN catalog.station t ON t.id = s.station "
                   f"WHERE t.name = '{station.name}' AND until > now()")
        while not server.sql(present):
            if time.monotonic() > end or process.poll() is not None:
                raise Failure("the run opened no session")
            time.sleep(0.05)
        token = server.sql(present)
        lost(server, station)
        station.call("catalog", "seed")
        same(server, station, "a seed beside a run")
        if server.sql(present) != token:
            raise Failure("a seed ended the session of the run that holds the state")
    finally:
        process.terminate()
        process.communicate(timeout=60)


def found(station, card):
    names = sorted(os.listdir(f"{card}/DCIM/100TEST"))
    with open(f"{card}/DCIM/100TEST/{names[0]}", "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    for words in ([digest], [digest[:12]], ["0" * 64, digest]):
        said = station.call("catalog", "find", *words)
        if said.count(f"{station.name}  delivered") != 1 or said.count(f"{station.name}  seen") != 1:
            raise Failure(f"`find` does not find it:\n{said}")
    station.call("catalog", "find", "0" * 64, exits=(5,))
    station.call("catalog", "find", names[0], exits=(2,))


def scenario(program, folder, server):
    station, card = joined_with_history(program, folder, server)
    found(station, card)
    lost(server, station)
    server.stop()
    station.call("catalog", "seed", exits=(5,))
    server.start()
    station.call("catalog", "seed")
    same(server, station, "rows that were lost")
    broken_off(server, station)
    set_back(server, station, card)
    beside_a_run(server, station)
    print("a catalogue that lost what it was told: `catalog seed`, a run and an import tell it anew, and `find` finds it")
    return station
