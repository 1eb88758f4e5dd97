#!/usr/bin/env python3
"""Compares what `filmgate inspect --json` says about files with what exiftool says.

    filmgate inspect --json PATH... | Tests/Scenarios/Oracle/compare-exiftool.py [--all] [--limit PERCENT]

Reads JSON Lines with `source`, `path`, `kind`, `make`, `model`, `captured`, `serial`, `rating`, `shutter_count`; runs exiftool over the
same files and prints, per fact, how many of the files that exiftool reads it from agree, then the differences. Files of kind `other` are
left out unless --all is given. What only a maker note holds is counted under names of its own: serial numbers, the numbers of the main
board where there is no other, shutter counts (Fujifilm's ImageCount among them) and ratings. Ends 1 when a percentage is below the limit (97).
"""
import argparse
import collections
import datetime
import json
import os
import re
import subprocess
import sys

STANDARD_SERIAL = ("ExifIFD", "IFD0", "XMP-aux", "XMP-exifEX")
TIME = re.compile(r"(\d{4})[:-](\d\d?)[:-](\d\d?)[ T](\d\d?):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?")


def exiftool(paths, *options, fast=True):
    """Tag values by path; values that are not UTF-8 keep a replacement character."""
    found = {}
    for start in range(0, len(paths), 500):
        run = subprocess.run(["exiftool", "-json", *(["-fast2"] if fast else []), "-q", "-m", *options, "-@", "-"], capture_output=True,
                             input="\n".join(paths[start:start + 500]).encode("utf-8", "surrogateescape"))
        text = run.stdout.decode("utf-8", "replace")
        for item in json.loads(text) if text.strip() else []:
            found[item["SourceFile"]] = item
    return found


def moment(text):
    """(civil time to the second, minutes east or None), or None for what is no complete time."""
    match = TIME.match(str(text))
    if not match:
        return None
    try:
        civil = datetime.datetime(*(int(part or 0) for part in match.groups()[:6]))
    except ValueError:
        return None
    zone = match.group(7)
    if not zone:
        return civil, None
    if zone == "Z":
        return civil, 0
    digits = zone[1:].replace(":", "")
    return civil, (-1 if zone[0] == "-" else 1) * (int(digits[:2]) * 60 + int(digits[2:]))


def same_time(ours, theirs):
    a, b = moment(ours), moment(theirs)
    if a is None or b is None:
        return False
    if a[0] == b[0]:
        return True
    # Two ways to write one instant; exiftool prints QuickTime's UTC without its zone.
    return a[1] is not None and a[0] - datetime.timedelta(minutes=a[1]) == b[0] - datetime.timedelta(minutes=b[1] or 0)


def text(value):
    return None if value is None else str(value).strip()


def expectations(plain, grouped, raw):
    """What exiftool says: fact -> value, with the serial under `maker serial` when no standard tag has it."""
    expected = {}
    for fact, tag in (("make", "Make"), ("model", "Model")):
        if text(plain.get(tag)):
            expected[fact] = text(plain[tag])
    for tag in ("DateTimeOriginal", "CreateDate"):
        if moment(plain.get(tag)):
            expected["captured"] = plain[tag]
            break
    for key, value in grouped.items():
        group, _, tag = key.partition(":")
        # Neither a standard tag nor a maker note: other segments of the file.
        if group.startswith(("FLIR", "PictureInfo", "XMP-")) and group not in STANDARD_SERIAL:
            continue
        if tag in ("SerialNumber", "CameraSerialNumber") and text(value):
            value = re.sub(r"^No= ", "", text(value), flags=re.IGNORECASE)
            # Zeros are no number, and garbage that a damaged file holds is none either.
            if not value.strip("0") or not re.fullmatch(r"[\x20-\x3e\x40-\x7e]+", value):
                continue
            fact = "serial" if group in STANDARD_SERIAL else "maker serial"
            expected.setdefault(fact, []).append(text(value))
    if "serial" in expected:
        expected.pop("maker serial", None)
    for key, value in raw.items():
        group, _, tag = key.partition(":")
        if tag == "InternalSerialNumber" and text(value) and not any("serial" in fact for fact in expected):
            expected.setdefault("inner serial", []).append(" ".join(text(value).replace("\0", " ").split()))
        elif tag in ("ShutterCount", "ImageCount") and isinstance(value, int) and value > 0 and (tag, group) != ("ImageCount", "Nikon"):
            if tag == "ShutterCount" or group == "FujiFilm":
                expected["shutter count"] = value
    ratings = {key.partition(":")[0]: value for key, value in raw.items() if key.endswith(":Rating")}
    if ratings and not any(group.startswith(("XMP", "IFD", "Exif")) for group in ratings) and next(iter(ratings.values())) in range(1, 6):
        expected["maker rating"] = next(iter(ratings.values()))
    return expected


def agrees(fact, ours, theirs):
    if ours is None and fact == "inner serial":
        ours = ""
    if ours is None:
        return False
    if fact == "captured":
        return same_time(ours, theirs)
    if fact == "inner serial":
        ours = " ".join(ours.split())
        # Some makes' numbers are bytes; exiftool prints them in decimal.
        if all(set(value) <= set("0 ") for value in theirs):
            return ours == ""
        # Behind the text's end a byte or two may stand, which exiftool prints.
        return any(ours and value.startswith(ours) and len(value) <= len(ours) + 2 or ours == "".join(f"{int(part):02x}" for part in value.split() if part.isdigit()) for value in theirs)
    if fact in ("shutter count", "maker rating"):
        return ours == str(theirs)
    if fact.endswith("serial"):
        return any(ours == value or ours.lstrip("0") == value.lstrip("0") for value in theirs)
    return ours == theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true", help="count files of kind `other` too")
    parser.add_argument("--limit", type=float, default=97.0, help="lowest percentage that passes (97)")
    options = parser.parse_args()
    items = {}
    for line in sys.stdin:
        item = json.loads(line)
        if item.get("type") == "item" and (options.all or item.get("kind") != "other"):
            items[os.path.join(item.get("source") or "", item["path"])] = item
    paths = sorted(items)
    tags = ["-Make", "-Model", "-DateTimeOriginal", "-CreateDate", "-SerialNumber", "-CameraSerialNumber"]
    plain, grouped = exiftool(paths, *tags), exiftool(paths, "-G1", *tags, fast=False)
    notes = ["-InternalSerialNumber", "-ShutterCount", "-ImageCount", "-Rating"]
    raw = exiftool(paths, "-G1", "-n", *notes, fast=False)
    right, total, differences = collections.Counter(), collections.Counter(), []
    for path in paths:
        for fact, theirs in expectations(plain.get(path, {}), grouped.get(path, {}), raw.get(path, {})).items():
            ours = text(items[path].get("shutter_count" if fact == "shutter count" else fact.split()[-1]))
            total[fact] += 1
            if agrees(fact, ours, theirs):
                right[fact] += 1
            else:
                differences.append((fact, path, ours, theirs))
    failed = False
    for fact in ("make", "model", "captured", "serial", "maker serial", "inner serial", "shutter count", "maker rating"):
        share = 100 * right[fact] / total[fact] if total[fact] else 100.0
        failed = failed or share < options.limit
        print(f"{fact:13} {right[fact]:5} of {total[fact]:5}  {share:6.2f} %")
    for fact, path, ours, theirs in differences:
        print(f"  {fact:13} {path}\n            filmgate {ours!r}  exiftool {theirs!r}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
