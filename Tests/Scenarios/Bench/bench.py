#!/usr/bin/env python3
"""Measures Filmgate beside the programs that people use today, and against its own limits. Ends 1 when a limit is missed.

With --against, measures two builds in turn instead (builds.py), and ends 1 where a line of the first is worse than the second's by more than 3 %.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
import builds  # noqa: E402
import tiny  # noqa: E402
from cameras import cameras  # noqa: E402
from hot import hot  # noqa: E402
from measure import Comparison, Run, Table, cpu, machine, median, milliseconds, paired, peak, ratios, run  # noqa: E402
from place import Place  # noqa: E402
from uploads import uploads  # noqa: E402

MEMORY_LIMIT = 96


def copying(place, table, options):
    """A card of RAW+JPEG pairs, from memory to disk: import against cp and rclone."""
    pairs = 12 if options.quick else 115
    card = place.card("pairs", pairs, "6MB", "20MB")
    rounds = 3 if options.quick else options.rounds

    def with_rclone_check(_):
        to = place.fresh()
        return run(f"rclone copy '{card}' '{to}' && rclone check --download '{card}' '{to}'")

    def with_true_check(_):
        """As above, but what was copied is read from the disk again, as `--verify reread` does it, and not from memory."""
        to = place.fresh()
        copied = run(["rclone", "copy", card, to])
        place.forget(to)
        checked = run(["rclone", "check", "--download", card, to])
        return Run(copied.seconds + checked.seconds, max(copied.peak, checked.peak), b"")

    def plain_copy(_):
        to = place.fresh()
        os.makedirs(to)
        return run(f"cp -r '{card}' '{to}' && sync -f '{to}'")

    results = paired({
        "size": lambda _: place.take(card, place.fresh(), None, "--verify", "size"),
        "reread": lambda _: place.take(card, place.fresh(), None, "--verify", "reread"),
        "cp": plain_copy,
        "rclone": lambda _: run(["rclone", "copy", card, place.fresh()]),
        "rclone check": with_rclone_check,
        "rclone check from disk": with_true_check,
    }, rounds, before=place.clear)
    shown = ", ".join(f"{name} {median(runs):.2f} s" for name, runs in results.items())
    print(f"  medians of {rounds}: {shown}")
    for name, peer, title, limit in (
        ("size", "cp", "cp -r + sync", 1.5), ("size", "rclone", "rclone copy", 0.5), ("reread", "rclone check", "rclone copy + check --download", 0.45),
    ):
        ours, theirs = results[name], results[peer]
        table.line(f"import --verify {name} / {title}", median(ours) / median(theirs), limit, " ×", each=ratios(ours, theirs), own=(median(ours), " s"))
    ratio = median(results["reread"]) / median(results["rclone check from disk"])
    moved = 2 * sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(card) for name in names)
    print(f"  with rclone's check reading the disk too: {ratio:.2f} ×; reread moves {moved / median(results['reread']) / 1e9:.2f} GB/s to and from the disk")
    table.line("peak memory, pairs of 6 and 20 MB", peak(results["size"] + results["reread"]), MEMORY_LIMIT, " MiB")
    shutil.rmtree(card)


def memory(place, table, options):
    """Peak memory hardly depends on how many files there are, and not at all on how large they are."""
    few, many = (300, 3000) if options.quick else (300, 30_000)
    picture = place.picture()
    peaks, known = {}, {}
    for count in (few, many):
        card = tiny.card(os.path.join(place.memory, f"tiny{count}"), picture, count)
        to, state = place.fresh(), place.fresh()
        peaks[count] = place.take(card, to, state).peak
        known[count] = place.take(card, to, state).peak
        shutil.rmtree(card)
        place.clear()
    table.line(f"peak memory, {few} files", peaks[few], MEMORY_LIMIT, " MiB")
    table.line(f"peak memory, {many} files", peaks[many], MEMORY_LIMIT, " MiB")
    table.line("memory for each further file", (peaks[many] - peaks[few]) * 1024 / (many - few), 1, " KiB")
    table.line(f"peak memory, {many} known files", known[many], MEMORY_LIMIT, " MiB")
    table.line("memory for each further known file", (known[many] - known[few]) * 1024 / (many - few), 0.5, " KiB")
    size = 1 if options.quick else 20
    card = os.path.join(place.memory, "one")
    os.makedirs(os.path.join(card, "DCIM", "100BENCH"))
    with open(os.path.join(card, "DCIM", "100BENCH", "MVI_0001.MOV"), "wb") as file:
        file.write(b"\0\0\0\x14ftypqt  \0\0\0\0qt  \0\0\0\x01mdat" + ((size << 30) - 20).to_bytes(8, "big"))
        file.truncate(size << 30)
    table.line(f"peak memory, one file of {size} GiB", place.take(card, place.fresh()).peak, MEMORY_LIMIT, " MiB")
    shutil.rmtree(card)
    place.clear()


def again(place, table, options):
    """The same card once more: nothing is opened, and it is over at once."""
    count = 1000 if options.quick else 10_000
    card = tiny.card(os.path.join(place.memory, "known"), place.picture(), count)
    to, state = place.fresh(), place.fresh()
    place.take(card, to, state)
    quiet = [place.filmgate, "import", card, "--to", to, "--state", state]
    plan, status = quiet + ["--dry-run"], [place.filmgate, "status", "--state", state]
    commands = {"import": quiet, "plan": plan, "status": status}
    contestants = {name + more: command + more.split() for name, command in commands.items() for more in ("", " --json")}
    results = paired({name: lambda _, command=command: run(command) for name, command in contestants.items()}, 5 if options.quick else 15)
    table.line(f"import of {count} known files", median(results["import"]) * 1000, 150, " ms", each=milliseconds(results["import"]))
    for name in commands:
        plain, json = results[name], results[name + " --json"]
        spent = f"{median(plain) * 1000:.0f} and {median(json) * 1000:.0f} ms; CPU {cpu(plain) * 1000:.0f} and {cpu(json) * 1000:.0f} ms"
        table.line(f"{name} of {count} known files, --json / without", median(json) / median(plain), 1.4, " ×", spent, each=ratios(json, plain), own=(median(json) * 1000, " ms"))
    trace = os.path.join(place.memory, "trace")
    run(["strace", "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", trace, place.filmgate, "import", card, "--to", to, "--state", state])
    with open(trace, encoding="utf-8", errors="replace") as file:
        opened = [line for line in file if re.search(r"IMG_\d+\.JPG", line)]
    table.line("card files opened by it", len(opened), 0, "")
    shutil.rmtree(card)
    place.clear()


def inspecting(place, table, options):
    """Facts of a thousand mixed files."""
    folder = options.samples or place.samples(6 if options.quick else 60)
    rounds = 3 if options.quick else options.rounds
    results = paired({
        "filmgate": lambda _: run([place.filmgate, "inspect", folder, "--json"]),
        "exiftool": lambda _: run(f"exiftool -fast2 -r -j '{folder}' || true"),
        "exiv2": lambda _: run(f"find '{folder}' -type f -print0 | xargs -0 exiv2 -q -pa || true"),
    }, rounds)
    count = sum(len(files) for _, _, files in os.walk(folder))
    print(f"  {count} files, medians: " + ", ".join(f"{name} {median(runs):.3f} s" for name, runs in results.items()))
    ours, theirs, other = results["filmgate"], results["exiftool"], results["exiv2"]
    table.line("exiftool -fast2 / inspect", median(theirs) / median(ours), 10, " ×", at_least=True, each=ratios(theirs, ours), own=(median(ours), " s"))
    table.line("inspect / exiv2", median(ours) / median(other), 1, " ×", each=ratios(ours, other), own=(median(ours), " s"))


def starting(place, table, options):
    runs = [run([place.filmgate, "--help"]) for _ in range(21)]
    table.line("filmgate --help", median(runs) * 1000, 30, " ms", each=milliseconds(runs))


def flatness(place, table, options):
    """A thousand new files cost the same whether the ledger knows a thousand or two hundred thousand."""
    full, batch = (5000, 500) if options.quick else (200_000, 1000)
    picture = place.picture()
    to = os.path.join(place.memory, "flat-to")
    states = {"small": os.path.join(place.disk, "state-small"), "large": os.path.join(place.disk, "state-large")}
    for name, count in (("small", batch), ("large", full)):
        card = tiny.card(os.path.join(place.memory, "fill"), picture, count)
        place.take(card, os.path.join(to, name), states[name], "--verify", "size")
        shutil.rmtree(card)
        shutil.rmtree(to)
    first, results = full, {"small": [], "large": []}
    for number in range(3 if options.quick else options.rounds):
        for name in ("small", "large") if number % 2 else ("large", "small"):
            card = tiny.card(os.path.join(place.memory, f"new{number}"), picture, batch, first=first)
            first += batch
            results[name].append(place.take(card, os.path.join(to, f"{name}{number}"), states[name], "--verify", "size"))
            shutil.rmtree(card)
            shutil.rmtree(to)
    ratio = median(results["large"]) / median(results["small"])
    print(f"  {batch} new files: {median(results['small']):.3f} s with {batch} known, {median(results['large']):.3f} s with {full}")
    table.line(f"cost per file, {full} against {batch} ledger rows", ratio, 1.2, " ×", each=ratios(results["large"], results["small"]))


PARTS = {
    "copying": copying, "memory": memory, "again": again, "inspecting": inspecting, "starting": starting, "flatness": flatness, "cameras": cameras,
    "hot": hot, "uploads": uploads,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program, built for release")
    parser.add_argument("--quick", action="store_true", help="small amounts: shows that the measuring works, proves nothing")
    parser.add_argument("--rounds", type=int, default=5, help="rounds per comparison")
    parser.add_argument("--only", choices=list(PARTS), action="append", help="measure only this")
    parser.add_argument("--samples", help="a folder of real files for `inspecting`")
    parser.add_argument("--against", help="another build, such as one of the commit before: both are measured in turn, round by round")
    parser.add_argument("--pairs", type=int, default=1, help="with --against: how often what takes minutes (hot, flatness) is measured with each build")
    parser.add_argument("--disk", default=None, help="where destinations lie (default: the temporary folder)")
    options = parser.parse_args()
    # Whoever is told to end still ends its servers and removes its files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    names = options.only or list(PARTS)
    if options.against:
        return compare(names, options)
    table = Table()
    with Place(options, options.filmgate) as place:
        where = machine([place.memory, place.disk])
        for name in names:
            print(f"{name} …", flush=True)
            PARTS[name](place, table, options)
    table.show(where)
    return 1 if table.failed else 0


def compare(names, options):
    """Two builds: round by round where a part can be; the others as a whole, beginning with the other one each time."""
    programs = {"before": options.against, "after": options.filmgate}
    comparison, where = Comparison(), ""
    for name in names:
        if name not in builds.PARTS:
            continue
        print(f"{name} …", flush=True)
        with Place(options, options.filmgate) as place:
            where = where or machine([place.memory, place.disk])
            builds.PARTS[name](builds.Builds(place, programs, comparison, 3 if options.quick else options.rounds), options.quick)
    wholes = [name for name in names if name not in builds.PARTS]
    for number in range(options.pairs):
        for index, name in enumerate(wholes):
            order = list(programs) if (index + number) % 2 == 0 else list(reversed(programs))
            for build in order:
                print(f"{name}, {build} …", flush=True)
                table = Table()
                with Place(options, programs[build]) as place:
                    where = where or machine([place.memory, place.disk])
                    PARTS[name](place, table, options)
                comparison.add(build, table)
    return 1 if comparison.show(where) else 0


if __name__ == "__main__":
    sys.exit(main())
