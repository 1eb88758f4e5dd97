#!/usr/bin/env python3
"""Disturbs stations, their catalogue and what lies between them, for minutes to hours, with a PostgreSQL of the scenario's own; after each,
a program compares all ledgers, the catalogue and the gallery. Needs no network; leaves nothing running."""
import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Shared"))
from access import certificates, pooler  # noqa: E402
from away import away  # noqa: E402
from clocks import clocks  # noqa: E402
from failover import promotions  # noqa: E402
from home import home  # noqa: E402
from hostile import hostile  # noqa: E402
from kills import server_kills, station_kills, stopped  # noqa: E402
from many import eight_runs  # noqa: E402
from namespaces import add_option, closing  # noqa: E402
from network import lost_answers, partition, silent_names  # noqa: E402
from proof import Failure  # noqa: E402
from receivers import receivers  # noqa: E402
from restores import old_catalogue, old_state, two_of_one  # noqa: E402
from sharer import Scene  # noqa: E402
from snapshot import long_snapshot  # noqa: E402
from store import store  # noqa: E402

# What each is called, and how many of the rounds that were asked for it makes.
SCENARIOS = {
    "server-kills": (server_kills, 1), "station-kills": (station_kills, 1), "stopped": (stopped, 1), "promotions": (promotions, 1),
    "lost-answers": (lost_answers, 0.2), "partition": (partition, 0.1), "silent-names": (silent_names, 0.02), "old-catalogue": (old_catalogue, 1),
    "old-state": (old_state, 1), "copied-state": (two_of_one, 1), "eight-runs": (eight_runs, 1),
    "pooler": (pooler, 0.1), "certificates": (certificates, 1), "receivers": (receivers, 0.06), "snapshot": (long_snapshot, 1),
    "hostile": (hostile, 1), "clocks": (clocks, 1), "away": (away, 1), "store": (store, 0.1),
    "home": (home, 1),
}

# Those that cannot be played without namespaces of mounts or networks.
IN_NAMESPACES = ("partition", "away", "silent-names")


def play(name, options):
    """One scenario in a folder of its own, which is left where it fails."""
    scenario, part = SCENARIOS[name]
    folder = tempfile.mkdtemp(prefix=f"filmgate-stations-{name}-")
    os.chmod(folder, 0o755)
    scene = Scene(os.path.abspath(options.filmgate), folder, random.Random(f"{options.seed} {name}"))
    scene.count, scene.seconds, scene.stop, scene.gap = max(1, round(options.count * part)), options.minutes * 60, options.stop, options.gap
    begun = time.monotonic()
    try:
        scenario(scene)
    except Failure as failure:
        print(f"FAILED {name}: {failure}\nleft behind: {folder}", file=sys.stderr, flush=True)
        return False
    finally:
        scene.close()
    shutil.rmtree(folder)
    print(f"  {name}: {time.monotonic() - begun:.0f} s", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True)
    parser.add_argument("--only", choices=list(SCENARIOS), action="append", help="only this scenario")
    parser.add_argument("--count", type=int, default=100, help="how often servers and stations are killed; others make a part of it")
    parser.add_argument("--minutes", type=float, default=10, help="how long a snapshot is held")
    parser.add_argument("--stop", type=int, default=90, help="seconds for which a station stands still; its session ends after 60")
    parser.add_argument("--gap", type=int, default=5, help="seconds of writes that an asynchronous standby misses")
    parser.add_argument("--quick", action="store_true", help="each scenario once and shortly: shows that it works")
    add_option(parser)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    if options.quick:
        options.count, options.minutes, options.gap, options.stop = 1, 0.1, 1, 65
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"seed {options.seed}", flush=True)
    wanted = options.only or list(SCENARIOS)
    left_out = [name for name in wanted if name in IN_NAMESPACES] if options.without_namespaces else []
    failed = [name for name in wanted if name not in left_out and not play(name, options)]
    print(f"FAILED: {', '.join(failed)}" if failed else closing(left_out))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
