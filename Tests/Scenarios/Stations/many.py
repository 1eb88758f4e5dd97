"""Eight runs at once over hot folders that have pictures in common, one gallery, and a server that is killed meanwhile."""
import os
import shutil
import time

from invariants import Invariants
from proof import Failure, digest
from sharer import interrupted, wait_until

STATIONS, OWN, COMMON = 8, 42, 18


def eight_runs(scene):
    server, gallery = scene.catalogue(), scene.gallery(delay=0.02)
    own, common = (OWN, COMMON) if scene.count > 1 else (7, 3)
    shared, found = f"{scene.card(common)}/DCIM/100TEST", []
    for number in range(STATIONS):
        hot = f"{scene.folder}/hot{number}"
        os.makedirs(hot)
        found.append(scene.station(f"desk{number}", server, gallery, hot=hot))
    truth = Invariants(server, found, gallery)
    runs = [scene.started(station.run()) for station in found]
    waiting = []
    for station in found:
        mine = f"{scene.card(own)}/DCIM/100TEST"
        waiting += [(station, f"{folder}/{name}") for folder in (mine, shared) for name in os.listdir(folder)]
    scene.rng.shuffle(waiting)
    union = {digest(path) for _, path in waiting}
    kills = [] if scene.count == 1 else [len(waiting) // 3, 2 * len(waiting) // 3]
    for number, (station, path) in enumerate(waiting):
        if number in kills:
            server.kill()
            time.sleep(1)
            server.start()
        part = f"{station.hot}/.{os.path.basename(path)}"
        shutil.copy(path, part)
        os.rename(part, f"{station.hot}/{os.path.basename(path)}")
        time.sleep(0.01)
    wait_until("the last delivery", lambda: all(
        station.states()["done"] == own + common and station.waiting() == 0 for station in found), 240)
    for run in runs:
        if run.poll() is not None:
            raise Failure(f"a run ended by itself with {run.returncode}")
        interrupted(run, "one of eight runs")
    truth.check("eight runs")
    if set(gallery.kept) != union:
        raise Failure(f"the gallery has {len(set(gallery.kept))} pictures, all stations together {len(union)}")
    print(f"eight runs with {common} of {own + common} pictures in common{', the server killed twice' if kills else ''}: "
          f"the gallery has each of {len(union)} once, the catalogue what the ledgers have")
