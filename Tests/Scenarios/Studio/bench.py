#!/usr/bin/env python3
"""Measures the page of `filmgate studio` with a real Chromium on this machine, against its limits. Ends 1 when a limit is missed."""
import argparse
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "Shared"), os.path.join(HERE, "..", "Bench")]
import beside  # noqa: E402
import following  # noqa: E402
from ledgers import large, small  # noqa: E402
from measure import Table, machine  # noqa: E402
import painting  # noqa: E402
from place import Place  # noqa: E402
from proof import Failure  # noqa: E402
from thumbnails import thumbnails  # noqa: E402

PARTS = {
    "screen": painting.first_screen, "start": painting.starting, "moving": painting.moving, "search": painting.asking, "thumbnails": thumbnails, "pixels": following.pixels,
    "shutter": following.shutter, "crowd": following.crowd, "resting": following.resting, "returning": following.returning,
    "importing": beside.importing, "running": beside.running,
}


class Ledgers:
    """State directories by how many files their ledgers hold, made when they are needed first."""

    def __init__(self, place, most):
        self.place, self.most, self.made = place, most, {}

    def __getitem__(self, count):
        if count not in self.made:
            self.made[count] = small(self.place, count) if count == 500 else large(self.place, self[500], count - 500)
        return self.made[count]


class Kept(Place):
    """Its destinations are cleared between two imports, its ledgers are not."""

    def __init__(self, options, filmgate):
        super().__init__(options, filmgate)
        self.whole, self.disk = self.disk, os.path.join(self.disk, "to")
        os.makedirs(self.disk)

    def __exit__(self, *_):
        self.disk = self.whole
        super().__exit__()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program, built for release")
    parser.add_argument("--quick", action="store_true", help="small amounts: shows that the measuring works, proves nothing")
    parser.add_argument("--rounds", type=int, default=7, help="rounds per comparison, at least seven")
    parser.add_argument("--only", choices=list(PARTS), action="append", help="measure only this")
    parser.add_argument("--files", help="a folder whose scripts and styles are shown instead of the program's own, for trying a change of them")
    parser.add_argument("--disk", default=None, help="where ledgers and destinations lie (default: the temporary folder)")
    options = parser.parse_args()
    # Whoever is told to end still ends its servers and removes its files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    table = Table()
    with Kept(options, options.filmgate) as place, Place(options, options.filmgate) as kept:
        where, ledgers = machine([place.memory, place.disk]), Ledgers(kept, 200_000 if options.quick else 1_000_000)
        for name in options.only or PARTS:
            print(f"{name} …", flush=True)
            try:
                PARTS[name](place, table, options, ledgers)
            except Failure as failure:
                table.failed += 1
                print(f"  FAIL  {name}: {failure}", flush=True)
    table.show(where)
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
