#!/usr/bin/env python3
"""Operates the page of `filmgate studio` with a real Chromium: by touch on a phone's width, by keys alone on a desktop's.

Each scenario has a shoot of its own. It fails on what the page shows, and on any error in the console, whatever the page's policy had to
keep out, any request that failed, and any rule of WCAG 2.2 AA that axe finds broken. Needs root or user namespaces to mount cards.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Shared"))
import album  # noqa: E402
import button_scenarios  # noqa: E402, F401
import foreign_scenarios  # noqa: E402, F401
from chromium import Chromium  # noqa: E402
from contract import contract  # noqa: E402
import crowd_scenarios  # noqa: E402, F401
import guest_scenarios  # noqa: E402, F401
import hostile_scenarios  # noqa: E402, F401
import mark_scenarios  # noqa: E402, F401
import order_scenarios  # noqa: E402, F401
from playwright.sync_api import Error  # noqa: E402
from proof import Failure  # noqa: E402
import run_scenarios  # noqa: E402, F401
from scene import SCENARIOS, Scene  # noqa: E402
import screen_scenarios  # noqa: E402, F401
import sheet_scenarios  # noqa: E402, F401
from shoot import own_mounts  # noqa: E402
import shoot_scenarios  # noqa: E402, F401
import station_scenarios  # noqa: E402, F401


def play(options, browser, function, way):
    """One scenario in one way; what went wrong, and its figures."""
    base, wrong = tempfile.mkdtemp(prefix="filmgate-studio-"), []
    browser.begin()
    scene = Scene(os.path.abspath(options.filmgate), browser, way, base, options.long)
    try:
        function(scene)
    except (Failure, Error, OSError, KeyError, IndexError, ValueError) as error:
        wrong.append(f"{type(error).__name__}: {error}")
    wrong += browser.faults
    if wrong:
        wrong.append(f"its folder is {base}")
    else:
        shutil.rmtree(base, ignore_errors=True)
    return list(dict.fromkeys(wrong)), scene.figures


def main():
    names = [function.__name__ for function, _ in SCENARIOS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--only", choices=names, action="append", help="carry out only this scenario")
    parser.add_argument("--width", choices=["phone", "keys"], help="carry out scenarios only in this way")
    parser.add_argument("--shots", help="a folder for pictures of every page")
    parser.add_argument("--files", help="a folder whose scripts and styles are shown instead of the program's own, for trying a change of them")
    parser.add_argument("--quick", action="store_true", help="without the scenarios that wait for long")
    parser.add_argument("--long", action="store_true", help="a tab sleeps for ten minutes instead of half a one")
    parser.add_argument("--contract", action="store_true", help="instead: try the API against its own description, with schemathesis")
    parser.add_argument("--examples", type=int, default=50, help="with --contract: tries of each address")
    options = parser.parse_args()
    own_mounts([sys.executable, *sys.argv])
    if options.contract:
        return contract(options)
    if options.shots:
        os.makedirs(options.shots, exist_ok=True)
    failed = done = 0
    with Chromium(options.shots, options.files) as browser:
        for function, ways in SCENARIOS:
            if options.only and function.__name__ not in options.only or options.quick and function.__name__ in ("asleep", "offline", "dead_network"):
                continue
            for way in ways:
                if options.width and way.name != options.width and len(ways) > 1:
                    continue
                begun = time.monotonic()
                wrong, figures = play(options, browser, function, way)
                done, failed = done + 1, failed + bool(wrong)
                took = time.monotonic() - begun
                print(f"{'FAIL' if wrong else 'pass'}  {function.__name__}, {way.name}: {took:.1f} s  {'; '.join(figures)}".rstrip(), flush=True)
                for words in wrong:
                    print(f"      {words}", flush=True)
    missing = album.write(options.shots) if options.shots else []
    if options.shots:
        print(f"pictures: {os.path.join(options.shots, 'index.html')}")
    # Whoever carries out all of them has all that is to be looked at.
    if missing and not (failed or options.only or options.width or options.quick):
        print(f"FAIL  no picture was taken of what pictures.md names: {', '.join(missing)}")
        failed = 1
    print(f"{done - failed} of {done} scenarios passed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
