#!/usr/bin/env python3
"""Filmgate on a real USB stack: a guest under QEMU with an MTP device that is plugged in and pulled out. usb.py --filmgate PROGRAM

The guest's own words drive the machine: lines `PLUG name` and `UNPLUG name` on its console. Every `FAIL` line fails the run.
"""
import argparse
import hashlib
import os
import random
import shutil
import tempfile
import time
from pathlib import Path

import guest
from machine import Machine

HERE = Path(__file__).resolve().parent
LARGE = 32 << 20


def make_card(card):
    """A card as cameras fill it: small frames of two kinds, and one clip that takes seconds to read. Returns the digests."""
    source = random.Random(4)
    folder = card / "DCIM" / "100MEDIA"
    folder.mkdir(parents=True)
    for number in range(1, 9):
        (folder / f"IMG_{number:04}.JPG").write_bytes(b"\xff\xd8\xff\xe0" + source.randbytes(200_000 + number) + b"\xff\xd9")
        (folder / f"IMG_{number:04}.CR3").write_bytes(source.randbytes(512 * 700))
    with open(folder / "MVI_0009.MP4", "wb") as clip:
        for _ in range(LARGE >> 20):
            clip.write(source.randbytes(1 << 20))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


def make_share(share, program, digests):
    """What the guest gets: the program, its libraries, what to do, and what must come out."""
    (share / "lib").mkdir(parents=True)
    shutil.copy(program, share / "filmgate")
    for library in guest.libraries(program):
        shutil.copy(library, share / "lib")
    for file in HERE.glob("*.sh"):
        shutil.copy(file, share)
    (share / "digests").write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()))


def follow(machine, limit):
    """Reads the guest's console until it ends; returns the checks that passed and those that failed."""
    passed, failed, begun, ended = [], [], time.monotonic(), False
    for line in machine.process.stdout:
        line = line.rstrip()
        print(f"{time.monotonic() - begun:6.2f} {line}", flush=True)
        word, _, rest = line.partition(" ")
        if word == "PLUG":
            machine.plug(rest)
        elif word == "UNPLUG":
            machine.unplug(rest)
        elif word == "PASS":
            passed.append(rest)
        elif word == "FAIL":
            failed.append(rest)
        elif word == "GUEST-END":
            ended = True
        if time.monotonic() - begun > limit:
            failed.append(f"the guest did not end within {limit} s")
            break
    if not ended:
        failed.append("the guest ended without a word")
    return passed, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--filmgate", required=True)
    parser.add_argument("--cache", default=".build/usb-guest", help="where the guest is kept from run to run")
    parser.add_argument("--recording", help="keep the recording of a session in this file")
    parser.add_argument("--limit", type=int, default=180, help="seconds after which the guest counts as stuck")
    options = parser.parse_args()
    kernel, archive = guest.build(Path(options.cache).resolve())
    scratch = Path(tempfile.mkdtemp(prefix="filmgate-usb-"))
    try:
        make_share(scratch / "share", Path(options.filmgate).resolve(), make_card(scratch / "card"))
        begun = time.monotonic()
        machine = Machine(kernel, archive, scratch / "share", scratch / "card", scratch / "qmp")
        try:
            passed, failed = follow(machine, options.limit)
        finally:
            machine.stop()
        if options.recording:
            shutil.copy(scratch / "share" / "recording.txt", options.recording)
        print(f"usb: {len(passed)} checks passed, {len(failed)} failed, {time.monotonic() - begun:.0f} s in the guest")
        for name in failed:
            print(f"  failed: {name}")
        return 1 if failed or not passed else 0
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    raise SystemExit(main())
