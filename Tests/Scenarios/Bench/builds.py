"""Two builds side by side. Every round measures both, in random order: what disturbs the machine for a while disturbs both.

Nothing is measured beside other programs here, and only what takes seconds: a difference of 3 % shows after a few rounds.
"""
import os
import secrets
import shutil

import tiny
from cameras import Body, take
from measure import paired, run
from uploads import Peers, Server, folder_of


class Builds:
    """The place of both, and where their figures go."""

    def __init__(self, place, programs, comparison, rounds):
        self.place, self.programs, self.comparison, self.rounds = place, programs, comparison, rounds

    def each(self):
        """Both by name, each ready to be measured."""
        for name, program in self.programs.items():
            self.place.filmgate = os.path.abspath(program)
            yield name

    def measure(self, what, work, rounds=None, clears=True):
        """`work` gets the build's name and returns one finished run."""

        def one(name):
            def go(_):
                self.place.filmgate = os.path.abspath(self.programs[name])
                return work(name)
            return go

        results = paired({name: one(name) for name in self.programs}, rounds or self.rounds, before=self.place.clear if clears else None)
        kinds = ("wall", " s", lambda run: run.seconds), ("CPU", " s", lambda run: run.cpu), ("peak memory", " MiB", lambda run: run.peak)
        for kind, unit, value in kinds:
            self.comparison.rounds(f"{what}: {kind}", unit, {name: [value(one) for one in runs] for name, runs in results.items()})


def copying(builds, quick):
    card = builds.place.card("pairs", 6 if quick else 60, "6MB", "20MB")
    for verify in ("size", "reread"):
        builds.measure(f"import of pairs, --verify {verify}", lambda _: builds.place.take(card, builds.place.fresh(), None, "--verify", verify))
    shutil.rmtree(card)


def memory(builds, quick):
    count = 1000 if quick else 10_000
    card = tiny.card(os.path.join(builds.place.memory, "tiny"), builds.place.picture(), count)
    builds.measure(f"import of {count} small files", lambda _: builds.place.take(card, builds.place.fresh()))
    shutil.rmtree(card)


def again(builds, quick):
    count = 1000 if quick else 10_000
    card, states = tiny.card(os.path.join(builds.place.memory, "known"), builds.place.picture(), count), {}
    for name in builds.each():
        states[name] = (builds.place.fresh(), builds.place.fresh())
        builds.place.take(card, *states[name])
    verbs = {"import": (), "plan": ("--dry-run",)}
    for verb, more in verbs.items():
        builds.measure(f"{verb} of {count} known files", lambda name: builds.place.take(card, *states[name], *more), 2 * builds.rounds, clears=False)
    status = lambda name: run([builds.place.filmgate, "status", "--state", states[name][1]])
    builds.measure(f"status of {count} files", status, 2 * builds.rounds, clears=False)
    shutil.rmtree(card)
    builds.place.clear()


def inspecting(builds, quick):
    folder = builds.place.samples(6 if quick else 60)
    builds.measure("inspect", lambda _: run([builds.place.filmgate, "inspect", folder, "--json"]))
    shutil.rmtree(folder)


def starting(builds, quick):
    builds.measure("filmgate --help", lambda _: run([builds.place.filmgate, "--help"]), 21, clears=False)


def cameras(builds, quick):
    place, count = builds.place, 4 if quick else 32
    folder = os.path.join(place.memory, "camera-card")
    os.makedirs(folder)
    for number in range(count):
        with open(os.path.join(folder, f"IMG_{number:04}.DNG"), "wb") as file:
            file.write(secrets.token_bytes(25 << 20))

    def from_camera(_):
        with Body(place, folder) as body:
            return take(place, body, "ptp", place.fresh())

    builds.measure(f"import of {count} × 25 MB over PTP/IP", from_camera)
    shutil.rmtree(folder)
    for make in ("ptp", "canon", "nikon"):
        known(builds, make, 1000 if quick else 10_000)


def known(builds, make, count):
    """A full card in a camera: listed, and then recognised."""
    place, files, states = builds.place, os.path.join(builds.place.memory, "full"), {}
    os.makedirs(files)
    for number in range(count):
        with open(os.path.join(files, f"IMG_{number:05}.JPG"), "wb") as file:
            file.write(number.to_bytes(4, "big") * 16)
    folders = {name: os.path.join(place.memory, "to-" + name) for name in builds.programs}
    with Body(place, files, make) as body:
        for name in builds.each():
            states[name] = place.fresh()
            take(place, body, make, folders[name], states[name])
        nothing = lambda name: take(place, body, make, folders[name], options=", formats: [video]", output=None)
        builds.measure(f"listing of {count} files ({make})", nothing, clears=False)
        builds.measure(f"recognition of {count} files ({make})", lambda name: take(place, body, make, folders[name], states[name], output=None), clears=False)
    for folder in (files, *folders.values()):
        shutil.rmtree(folder)
    place.clear()


def uploads(builds, quick):
    sets = [("2,000 × 200 KB", 2000, 200_000), ("10 × 60 MB", 10, 60_000_000)]
    if quick:
        sets = [("200 × 200 KB", 200, 200_000), ("2 × 60 MB", 2, 60_000_000)]
    with Server(builds.place) as server:
        for label, count, size in sets:
            folder = folder_of(builds.place, f"upload{count}", count, size)
            peers = Peers(builds.place, server, folder, count, size)
            builds.measure(f"uploads of {label}", lambda _: peers.filmgate(server.near))
            builds.measure(f"uploads of {label} over 50 ms", lambda _: peers.filmgate(server.far), max(1, builds.rounds // 2))
            shutil.rmtree(folder)


PARTS = {
    "copying": copying, "memory": memory, "again": again, "inspecting": inspecting, "starting": starting, "cameras": cameras, "uploads": uploads,
}
