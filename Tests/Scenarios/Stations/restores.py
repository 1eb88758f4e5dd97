"""What was restored from a backup, copied, or lost: catalogues and state directories."""
import os
import shutil
import subprocess

from invariants import Invariants
from proof import Failure
from sharer import Sharer, ended, wait_until


def stations(scene, name, count=2):
    server, gallery = scene.catalogue(name), scene.gallery()
    found = [scene.station(f"{name}_{word}", server, gallery) for word in ("one", "two")[:count]]
    return server, gallery, found, Invariants(server, found, gallery)


def anew(server):
    """A database with nothing in it, in place of the one that was there."""
    server.sql("DROP DATABASE filmgate", "postgres")
    server.sql("CREATE DATABASE filmgate", "postgres")


def old_catalogue(scene):
    """The catalogue from a backup of yesterday, and then none at all."""
    server, _, (one, two), truth = stations(scene, "old")
    card = scene.card(30)
    for station in (one, two):
        station.take(card)
    dump = f"{scene.folder}/dump"
    with open(dump, "wb") as file:
        subprocess.run(server.client("pg_dump")[:-2] + ["filmgate"], stdout=file, check=True)
    cards = [scene.card(30) for _ in range(3)]
    for station in (one, two):
        for card in cards:
            station.take(card)
    truth.check("before the restore")
    anew(server)
    with open(dump, "rb") as file:
        subprocess.run([*server.client("psql"), "-Xq", "-v", "ON_ERROR_STOP=1"], stdin=file, stdout=subprocess.DEVNULL, check=True)
    said = one.take(scene.card(5))
    if "was set back" not in said:
        raise Failure(f"nobody says that the catalogue was set back:\n{said}")
    said += two.take(cards[0])
    truth.check("the catalogue from a backup", said)
    print("a catalogue restored from a backup: it is said, and all stations tell the rest again")

    anew(server)
    scene.migrate(server)
    said = one.take(scene.card(5))
    if "has not joined" not in said:
        raise Failure(f"nobody says that the catalogue knows nothing of this station:\n{said}")
    truth.applied.clear()
    for station in (one, two):
        station.join()
        station.tell(cards[0])
    truth.check("a new catalogue in place of the lost one")
    print("a catalogue that is lost for good: the next one is told all by those who join it")


def old_state(scene):
    """A state directory from a backup: it tells nothing until its identity is taken anew."""
    server, _, (one,), truth = stations(scene, "state", 1)
    cards = [scene.card(20) for _ in range(3)]
    one.take(cards[0])
    shutil.copytree(one.state, f"{one.state}-backup")
    for card in cards[1:]:
        one.take(card)
    truth.check("before the restore")
    shutil.rmtree(one.state)
    os.rename(f"{one.state}-backup", one.state)
    before, card = told(server), scene.card(3)
    said = one.take(card)
    if "restored or copied" not in said or told(server) != before:
        raise Failure(f"a restored state directory tells something, or says nothing of it:\n{said}")
    # Until it has made more changes than the one of before: their number alone does not give it away.
    more = scene.card(80)
    one.take(more)
    said = one.take(card)
    if "restored or copied" not in said or told(server) != before:
        raise Failure(f"a restored state directory with more changes than before tells something, or says nothing of it:\n{said}")
    truth.own_copies(one, "with a restored state directory")
    one.join("--as-new")
    for card in [*cards, card, more]:
        one.take(card)
    truth.check("a restored state directory that joined anew")
    print("a state directory restored from a backup: it tells nothing until `join --as-new`, and ingest goes on")


def told(server):
    """What every station has told so far."""
    return server.sql("SELECT (SELECT string_agg(name || applied, ' ' ORDER BY name) FROM catalog.station), "
                      "(SELECT count(*) FROM catalog.seen), (SELECT count(*) FROM catalog.delivery WHERE state = 'd')")


def two_of_one(scene):
    """A copied state directory beside the one that it was copied from, both at work."""
    server, gallery, (one,), truth = stations(scene, "clone", 1)
    one.take(scene.card(20))
    clone = Sharer(scene.program, scene.folder, "clone_copy", one.url, gallery)
    clone.name = one.name
    clone.write()
    shutil.copytree(one.state, clone.state)
    gallery.delay, begun = 0.5, len(gallery.begun)
    process = one.begin(scene.card(40))
    wait_until("an upload", lambda: len(gallery.begun) > begun)
    said = clone.take(scene.card(3))
    if "in use by another process" not in said:
        raise Failure(f"two processes with one identity are not told apart:\n{said}")
    gallery.delay = 0.0
    ended(process, "the import beside its copy")
    truth.check("beside a copy of its state directory")
    before = told(server)
    said = clone.take(scene.card(3))
    if "restored or copied" not in said or told(server) != before:
        raise Failure(f"a copied state directory tells something, or says nothing of it:\n{said}")
    # It has made more changes than the other one ever told: their number alone does not give it away.
    clone.take(scene.card(80))
    said = clone.take(scene.card(3))
    if "restored or copied" not in said or told(server) != before:
        raise Failure(f"a copied state directory with more changes than the other one tells something, or says nothing of it:\n{said}")
    truth.own_copies(clone, "with a copied state directory")
    one.take(scene.card(5))
    truth.check("when its copy was refused")
    print("a state directory copied while it is at work: the copy tells nothing, and ingest goes on at both")
