#!/usr/bin/env python3
"""Takes the same forty shots of four makes as a card, from virtual cameras, through a hot folder and by FTP, each time with a fresh state,
and proves that names, facts and deliveries are the same. Then all four ways with one state: one delivery each."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Shared"))
import shots  # noqa: E402
from program import Program, free_port, gallery, wait_for_port  # noqa: E402
from proof import Failure, digest, folder, integrity, received, settled  # noqa: E402

WAYS = ("card", "ptp", "hot", "ftp")
REST = """\
include: [canon, nikon, sony, fujifilm]
profiles:
  - match: {{ make: "Canon*" }}
    photographer: Ann
    clock_offset: "+00:03:12"
  - match: {{ make: "NIKON*" }}
    photographer: Bo
    zone: Europe/Oslo
    deliver: {{ gallery: [jpeg], archive: [jpeg, raw, sidecar] }}
  - match: {{ make: "SONY*" }}
    photographer: Cy
    rename: "{{captured:yyyyMMdd-HHmmss}}-{{photographer}}-{{stem}}"
stages: [ {{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [archive, gallery] }} }} ]
targets:
  archive: {{ folder: {{ path: "{archive}/{{captured:yyyy-MM-dd}}/{{make}}" }} }}
  gallery:
    http:
      url: "http://127.0.0.1:{web}/api/assets"
      auth: studio
      digest: {{ json: sha256 }}
      find: {{ url: "http://127.0.0.1:{web}/api/assets/by-digest/{{sha256}}" }}
auth:
  studio: {{ bearer: {{ token: "${{env:FILMGATE_GALLERY_TOKEN}}" }} }}
"""
# What depends on the way and not on the frame.
OF_THE_WAY = {"type", "source", "path", "shot", "twin", "receipts", "ending", "reason"}


class Table:
    """One set of shots, and a way to take it: its own archive, gallery and state, unless they are given."""

    def __init__(self, program, base, cards):
        self.program, self.base, self.cards = program, base, cards
        self.archive, self.gallery, self.state = (os.path.join(base, name) for name in ("archive", "gallery", "state"))
        self.environment = dict(os.environ, PUSH="a word", TZ="Europe/Berlin")
        self.web, self.programs = free_port(), []
        os.makedirs(base)

    def __enter__(self):
        self.programs.append(gallery(self.program, self.gallery, self.web).start())
        wait_for_port(self.web)
        return self

    def __exit__(self, *_):
        for program in self.programs:
            program.close()

    def pipeline(self, way, sources):
        path = os.path.join(self.base, way + ".yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"version: 1\nname: ways\nsources:\n{sources}" + REST.format(archive=self.archive, web=self.web))
        return path

    def take(self, way):
        """The items of one run."""
        return getattr(self, "by_" + way)()

    def by_card(self):
        return self.once(self.pipeline("card", f'  - card: {{ paths: ["{self.cards}/*"] }}\n'))

    def by_ptp(self):
        sources = ""
        for make in shots.MAKES:
            port = free_port()
            simulate = [self.program, "camera", "simulate", "--make", make, "--port", str(port), "--files", os.path.join(self.cards, make)]
            self.programs.append(Program(make, simulate, environment=self.environment).start())
            wait_for_port(port)
            sources += f'  - {make}: {{ hosts: ["127.0.0.1:{port}"], backlog: all }}\n'
        return self.once(self.pipeline("ptp", sources))

    def by_hot(self):
        hot = os.path.join(self.base, "hot")
        os.makedirs(hot)

        def fill():
            for make in shots.MAKES:
                shutil.copytree(os.path.join(self.cards, make), os.path.join(hot, make))

        return self.live(self.pipeline("hot", f'  - folder: {{ path: "{hot}", settle: 300ms, companions: 2s }}\n'), fill, None)

    def by_ftp(self):
        port = free_port()
        logins = ", ".join(f'{{ user: {make}, password: "${{env:PUSH}}" }}' for make in shots.MAKES)

        def fill():
            for make in shots.MAKES:
                for base, _, names in os.walk(os.path.join(self.cards, make)):
                    there = os.path.relpath(base, os.path.join(self.cards, make))
                    if names:
                        subprocess.run(
                            ["curl", "-s", "-S", "--ftp-create-dirs", "-u", f"{make}:a word", "-T", f"{base}/{{{','.join(sorted(names))}}}",
                             f"ftp://127.0.0.1:{port}/{there}/"], check=True, stdout=subprocess.DEVNULL)

        source = f'  - ftp: {{ listen: "127.0.0.1:{port}", settle: 300ms, logins: [{logins}] }}\n'
        return self.live(self.pipeline("ftp", source), fill, port)

    def once(self, pipeline):
        done = subprocess.run(
            [self.program, "run", pipeline, "--once", "--state", self.state, "--json"], env=self.environment, capture_output=True,
            text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise Failure(f"{pipeline} ended with {done.returncode}: {done.stderr[-2000:]}")
        return items(done.stdout)

    def live(self, pipeline, fill, port):
        """A run that goes on while `fill` fills its source; ended once it has told of every file."""
        expected = sum(len(names) for _, _, names in os.walk(self.cards))
        log = pipeline + ".log"
        run = Program("run", [self.program, "run", pipeline, "--state", self.state, "--json"], log=log, environment=self.environment)
        self.programs.append(run.start())
        try:
            wait_for_port(port) if port else None
            fill()
            for _ in range(600):
                with open(log, encoding="utf-8") as file:
                    if len(items(file.read())) >= expected:
                        break
                time.sleep(0.1)
        finally:
            run.stop()
        with open(log, encoding="utf-8") as file:
            return items(file.read())


def items(text):
    lines = (json.loads(line) for line in text.splitlines() if line.endswith("}"))
    return [line for line in lines if line["type"] == "item"]


def shown(found, archive):
    """What must be the same whichever way the frames came, by digest."""
    groups = {}
    for one in found:
        groups.setdefault(one["shot"], set()).add(one["sha256"])
    facts = {}
    for one in found:
        receipts = {name: (receipt["state"], os.path.relpath(receipt["path"], archive) if receipt.get("path") else "", receipt.get("verified"))
                    for name, receipt in one["receipts"].items()}
        facts[one["sha256"]] = {
            **{key: value for key, value in one.items() if key not in OF_THE_WAY}, "ending": one["ending"], "receipts": receipts,
            "together": sorted(groups[one["shot"]]),
        }
    return facts


def compare(name, facts, model):
    for key in sorted(set(facts) | set(model)):
        if facts.get(key) != model.get(key):
            raise Failure(f"{name} differs from card for {key}:\n  {facts.get(key)}\n  {model.get(key)}")


def check(name, program, base, cards, model):
    with Table(program, os.path.join(base, name), cards) as table:
        found = table.take(name)
        facts = shown(found, table.archive)
        files, sent = folder(table.archive), received(table.gallery)
        integrity(table.state)
    made = sorted(digest(os.path.join(root, one)) for root, _, names in os.walk(cards) for one in names)
    if sorted(one["sha256"] for one in found) != made:
        raise Failure(f"{name}: {len(found)} items for {len(made)} files")
    if sorted(files.values()) != made:
        raise Failure(f"{name}: {len(files)} files in the folder for {len(made)}")
    print(f"  {name}: {len(found)} files, {len(set(one['shot'] for one in found))} shots, {len(sent)} at the gallery", flush=True)
    if model:
        compare(name, facts, model[0])
        if (files, sent) != model[1:]:
            raise Failure(f"{name}: other names or deliveries: {sorted(set(files.items()) ^ set(model[1].items()))[:4]}")
    return model or (facts, files, sent)


def together(program, base, cards):
    """All four ways with one state."""
    with Table(program, os.path.join(base, "one-state"), cards) as table:
        before = None
        for way in WAYS:
            found = table.take(way)
            endings = {one["ending"] for one in found}
            if endings != ({"delivered"} if before is None else {"duplicate"}):
                raise Failure(f"{way} after the others: {endings}")
            now = (folder(table.archive), received(table.gallery))
            if before and now != before:
                raise Failure(f"{way} after the others changed what was delivered")
            before = now
        settled(table.state, targets=2)
    return len(before[0]), len(before[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program")
    options = parser.parse_args()
    program, base = os.path.abspath(options.filmgate), tempfile.mkdtemp(prefix="filmgate-ways-")
    cards = os.path.join(base, "cards")
    try:
        os.makedirs(cards)
        counts = shots.make(program, cards)
        shutil.rmtree(os.path.join(cards, ".sample"))
        model = None
        for way in WAYS:
            model = check(way, program, base, cards, model)
        kept, sent = together(program, base, cards)
    except Failure as failure:
        print(f"FAILED: {failure}\nLeft for a look: {base}", file=sys.stderr)
        return 1
    shutil.rmtree(base)
    print(f"{sum(counts.values())} files of 40 shots, {len(WAYS)} ways: the same names, facts and deliveries; with one state {kept} files in the "
          f"folder and {sent} at the gallery, each once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
