"""A card that one station took, and the other is asked whether it may be formatted: yes only for what it asks and reads itself, now."""
import os
import subprocess
import time
from collections import Counter

from gallery import Gallery
from namespaces import can_hide_folders, required
from proof import Failure, digest, folder as files_below
from reads import Reads
from sharer import ended
from sharing import Desk

WHAT = "safe-to-format for a card that another station took"
BEGINNING = """\
version: 1
name: {name}
sources:
  - card: {{ paths: [/nonexistent] }}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [{to}] }}
targets:
  nas: {{ folder: {{ path: "{nas}/{{name}}" }} }}
  gallery: {{ http: {{ url: "{gallery}/assets", body: raw, digest: {{ json: sha256 }}, find: {{ url: "{gallery}/by-digest/{{sha256}}" }} }} }}
"""
END = """\
retry: {{ first: 200ms, most: 2s }}
catalog:
  postgres: {{ url: "postgresql://{role}@{host}:{port}/filmgate" }}
  station: {role}
  share: [gallery]
  one_machine: true
"""
PIPELINE = BEGINNING + '  archive: {{ folder: {{ path: "{archive}/{{name}}" }} }}\n' + END
TWICE = BEGINNING + '  again: {{ folder: {{ path: "{again}{beside}/{{name}}" }} }}\n' + END


class Asked:
    """The station that never saw the card, and what it says to it."""

    def __init__(self, desk, card, nas, file, archiving):
        self.desk, self.card, self.nas, self.file, self.archiving = desk, card, nas, file, archiving

    def says(self, when, exits, *words, archiving=False):
        process = self.desk.start("safe-to-format", self.card, "--pipeline", self.archiving if archiving else self.file, "--allow", "same-device")
        said = ended(process, f"safe-to-format: {when}", exits=exits)
        for word in words:
            if word not in said:
                raise Failure(f"safe-to-format: {when}: nothing is said of `{word}`:\n{said}")
        return said

    def yes(self, when, *words):
        """Each byte of it was asked for or read in that very run."""
        wanted, asked = set(files_below(self.card).values()), self.desk.gallery.asked
        there, before = files_below(self.nas), len(asked)
        with Reads(self.nas) as reads:
            said = self.says(when, (0,), "YES", *words)
            read = {there.get(name) for name in reads.names}
        if missing := wanted - set(asked[before:]):
            raise Failure(f"safe-to-format: {when}: yes, and the gallery was not asked for {len(missing)} of {len(wanted)}")
        if missing := wanted - read:
            raise Failure(f"safe-to-format: {when}: yes, and {len(missing)} of {len(wanted)} were not read at the folder that is shared")
        return said

    def no(self, when, *words, archiving=False):
        return self.says(when, (8,), "NO:", *words, archiving=archiving)


def pipeline(desk, place, gallery, nas, to):
    path = f"{place}/proving-{desk.station.name}-{len(to)}.yaml"
    with open(path, "w", encoding="utf-8") as file:
        file.write(PIPELINE.format(
            name="proving", to=", ".join(to), archive=desk.path, nas=nas, gallery=gallery.address, role=desk.station.name,
            host=desk.server.folder.replace("/", "%2F"), port=desk.server.port))
    return path


def changed(path):
    """One bit of a copy, at the same length and time."""
    times = os.stat(path)
    with open(path, "r+b") as file:
        byte = file.read(1)
        file.seek(0)
        file.write(bytes([byte[0] ^ 1]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def with_sidecars(card):
    """A sidecar beside each picture; two pictures have equal ones."""
    folder = f"{card}/DCIM/100TEST"
    for number, name in enumerate(sorted(name for name in os.listdir(folder) if name.endswith(".JPG"))):
        with open(f"{folder}/{name[:-4]}.XMP", "w", encoding="utf-8") as file:
            file.write(f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- {max(number, 1)} --></x:xmpmeta>\n')
    return card


def mounted_twice(desk, place, card, nas):
    """A NAS at two mount points is one place: its folder is not taken twice, and two folders of it hold one copy; a gallery counts."""
    again, file = f"{place}/proving-again", f"{place}/proving-twice.yaml"
    os.makedirs(again)
    mounts = f'mount --bind "{nas}" "{again}" && '
    taking = f'"$0" import "{card}" --pipeline "{file}" --state "{desk.station.state}" && '

    def proven(what, exits, copies, to, beside="/second"):
        with open(file, "w", encoding="utf-8") as text:
            text.write(TWICE.format(name="twice", to=to, nas=nas, again=again, beside=beside, gallery=desk.gallery.address, role=desk.station.name,
                                    host=desk.server.folder.replace("/", "%2F"), port=desk.server.port))
        words = ["safe-to-format", card, "--pipeline", file, "--allow", "same-device", "--copies", copies, "--state", desk.station.state]
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{mounts}{taking}exec "$0" "$@"', desk.station.program]
        process = subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return ended(process, f"safe-to-format: {what}", exits=exits)

    said = proven("one folder by two mounts", (2,), "2", "nas, again", beside="")
    if "are the same folder" not in said:
        raise Failure(f"a folder that is mounted twice is taken for two:\n{said}")
    for copies, exits, word in (("1", (0,), "YES"), ("2", (8,), "NO:")):
        said = proven(f"two folders of a NAS that is mounted twice, {copies} wanted", exits, copies, "nas, again")
        if word not in said:
            raise Failure(f"safe-to-format: two folders of a NAS that is mounted twice, {copies} wanted:\n{said}")
    said = proven("a NAS that is mounted twice, and a gallery", (0,), "2", "nas, again, gallery")
    if "YES" not in said:
        raise Failure(f"safe-to-format: a NAS and a gallery do not count as two:\n{said}")


def scenario(server, stations, place, make_card):
    """`stations` have joined; what they share is made here."""
    required(WHAT, can_hide_folders)
    gallery, nas, card = Gallery(), f"{place}/proving-nas", with_sidecars(make_card(f"{place}/proving-card", 12, 3000))
    os.makedirs(nas)
    os.symlink(nas, f"{place}/proving-nas-of-two")
    one, two = (Desk(station, server, place, gallery) for station in stations)
    try:
        ended(one.start("catalog", "share", nas), "catalog share")
        taking = pipeline(one, place, gallery, nas, ["archive", "nas", "gallery"])
        there = f"{place}/proving-nas-of-two"
        asked = Asked(two, card, nas, pipeline(two, place, gallery, there, ["nas", "gallery"]),
                      pipeline(two, place, gallery, there, ["archive", "nas", "gallery"]))
        asked.no("a card that nobody took", "never ingested")
        one.station.noted(card)
        ended(one.start("import", card, "--pipeline", taking), "an import of the card")

        asked.yes("a card that the other station took", f"delivered by {one.station.name}", "gallery, nas")
        asked.no("a copy of the other station alone", f"archive: {one.station.name} says", archiving=True)

        name = sorted(files_below(nas))[0]
        for path in (name, sorted(files_below(nas))[-1]):
            changed(f"{nas}/{path}")
            asked.no("one bit of a shared copy changed", "nas: ", "other bytes", "1 not proven")
            changed(f"{nas}/{path}")
        os.rename(f"{nas}/{name}", f"{nas}/{name}.away")
        asked.no("a shared copy removed", "nas: ", "1 not proven")
        os.rename(f"{nas}/{name}.away", f"{nas}/{name}")
        asked.yes("all is as it was")

        one_of_them = digest(f"{nas}/{name}")
        gallery.kept.remove(one_of_them)
        asked.no("an asset of the gallery removed", "gallery: ", "1 not proven")
        gallery.kept.append(one_of_them)

        server.stop("immediate")
        begin = time.monotonic()
        asked.no("the catalogue away", "never ingested here; the catalogue did not answer")
        if time.monotonic() - begin > 30:
            raise Failure("safe-to-format waits for a catalogue that is away")
        server.start()
        asked.yes("the catalogue is back")
        mounted_twice(two, place, card, nas)
        print("a card that the other station took: yes for what is asked and read now; no for a bit, a removal, a word, "
              "a second mount of the same NAS")
        # Two pictures have equal sidecars: each may have sent its own, before the gallery could say that it has these bytes.
        of_card, sent = Counter(files_below(card).values()), Counter(gallery.kept)
        return [one for one, count in sent.items() for _ in range(1 if count <= of_card[one] else count)]
    finally:
        gallery.close()
