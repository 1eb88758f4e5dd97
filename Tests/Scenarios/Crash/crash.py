#!/usr/bin/env python3
"""Kills an import with SIGKILL at random moments, runs it again plainly, and proves that nothing was lost, cut or doubled.

Each round: a fresh state, destination and gallery; one to three kills; then a plain run, whose outcome must equal that of an
import that nobody disturbed: the same names with the same bytes in the folder, each picture once at the gallery, a sound ledger.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from proof import Failure, folder, integrity, received, settled, sound  # noqa: E402
from scene import Scene  # noqa: E402


def kill_once(scene, moment):
    """Starts an import and kills it after `moment` seconds; true when it was still running then."""
    program = scene.start()
    try:
        program.process.wait(timeout=moment)
        return False
    except subprocess.TimeoutExpired:
        program.close()
        return True


def check_between(scene, reference):
    """What must hold even right after a kill: no final name holds anything but whole bytes, and the ledger is sound."""
    integrity(scene.state)
    sound(folder(scene.archive), set(reference["archive"].values()))


def round_trip(scene, reference, rng):
    kills = 0
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        moment = rng.uniform(0, reference["seconds"])
        kills += kill_once(scene, moment)
        check_between(scene, reference)
    summary = scene.run()
    same("folder", folder(scene.archive), reference["archive"])
    same("gallery", received(scene.gallery), reference["gallery"])
    integrity(scene.state)
    settled(scene.state, targets=2)
    again = scene.run()
    if again["delivered"] or again["seen"] != summary["seen"]:
        raise Failure(f"a third run still had something to do: {again}")
    return kills


def same(what, found, wanted):
    lost = {name: digest for name, digest in wanted.items() if found.get(name) != digest}
    extra = {name: digest for name, digest in found.items() if name not in wanted}
    if lost or extra:
        raise Failure(f"{what}: lost or changed {sorted(lost)[:5]} ({len(lost)}), extra {sorted(extra)[:5]} ({len(extra)})")


def reference_run(options, base):
    """An import that nobody disturbs: what each later round must come to, and how long it takes."""
    with Scene(options, os.path.join(base, "reference")) as scene:
        begun = time.monotonic()
        summary = scene.run()
        seconds = time.monotonic() - begun
        return {"archive": folder(scene.archive), "gallery": received(scene.gallery), "seconds": seconds, "summary": summary}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--count", type=int, default=100, help="how many kills that hit a running import")
    parser.add_argument("--pairs", type=int, default=30, help="RAW+JPEG pairs on the card")
    parser.add_argument("--seed", type=int, default=None, help="repeats an earlier series")
    parser.add_argument("--directory", default=None, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    base = tempfile.mkdtemp(prefix="filmgate-crash-", dir=options.directory)
    kills, rounds = 0, 0
    try:
        Scene.make_card(options, base)
        card = folder(os.path.join(base, "CARD"))
        reference = reference_run(options, base)
        print(f"seed {seed}: {len(reference['archive'])} files in {reference['seconds']:.2f} s undisturbed", flush=True)
        while kills < options.count:
            rounds += 1
            place = os.path.join(base, f"round{rounds}")
            with Scene(options, place) as scene:
                kills += round_trip(scene, reference, random.Random(seed * 100_003 + rounds))
            shutil.rmtree(place)
            if rounds % 10 == 0:
                print(f"{kills} of {options.count} kills, {rounds} rounds, nothing lost, nothing twice", flush=True)
            if rounds > options.count * 4 + 20:
                raise Failure("the import ends before it can be killed; raise --pairs")
        same("card", folder(os.path.join(base, "CARD")), card)
    except Failure as failure:
        print(f"FAILED in round {rounds} of seed {seed}: {failure}\nLeft for a look: {base}", file=sys.stderr)
        return 1
    shutil.rmtree(base)
    print(f"{kills} kills in {rounds} rounds: every file delivered once, none partial, no second asset, ledger sound")
    return 0


if __name__ == "__main__":
    sys.exit(main())
