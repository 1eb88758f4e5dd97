#!/usr/bin/env python3
"""Unpacks the tarball in a clean root made by debootstrap, installs what its README names, and imports a card with it; then moves the folder
and does so again. tarball.py --tarball FILE

Needs root (debootstrap and chroot do). The clean root is kept from run to run.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from deb import Checks, clean_root, inside, stripped  # noqa: E402

PIPELINE = """version: 1
name: {name}
include: [canon]
stages: [ {{ dedupe: {{}} }}, {{ upload: {{ to: [archive] }} }} ]
targets: {{ archive: {{ folder: {{ path: "/srv/{name}", verify: reread }} }} }}
"""


def digests(folder):
    return {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file() and "/." not in str(path)}


def unpack(root, tarball, checks):
    subprocess.run(["tar", "-xzf", tarball, "-C", str(root / "opt")], check=True)
    folders = os.listdir(root / "opt")
    checks.note(len(folders) == 1, "it unpacks into one folder", folders)
    folder = root / "opt" / folders[0]
    for path in ("LICENSE", "NOTICE", "README", "bin/filmgate", "libexec/filmgate/filmgate-gphoto2", "libexec/filmgate/filmgate-previews",
                 "share/man/man1/filmgate-run.1.gz",
                 "share/filmgate/profiles/canon.yaml", "share/doc/filmgate/README.md", "lib/udev/rules.d/70-filmgate-cameras.rules"):
        checks.note((folder / path).exists(), f"{path} is there")
    stripped(folder / "bin/filmgate", *(folder / "libexec/filmgate").iterdir(), checks=checks)
    components = json.loads((folder / "share/doc/filmgate/filmgate.spdx.json").read_text(encoding="utf-8"))
    told = {one["packageFileName"]: one["checksums"][0]["checksumValue"] for one in components["packages"] if "packageFileName" in one}
    found = {path: hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in told}
    checks.note(len(told) == 3 and told == found, "the list of components is about these programs", (told, found))
    return folder


def install(root, folder, checks):
    """What the README says, and nothing else."""
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    inside(root, "apt-get", "update", "-q")
    lines = re.findall(r"^ +apt-get install (.+)$", (folder / "README").read_text(encoding="utf-8"), re.MULTILINE)
    checks.note(len(lines) == 2, "the README names what the two programs need", lines)
    for line in lines:
        done = inside(root, "apt-get", "install", "-y", "-q", "--no-install-recommends", *line.split())
        checks.note(done.returncode == 0, "Debian has what the README names", done.stdout + done.stderr)


def use(root, place, name, checks):
    """Imports the sample card with the program at a place, with a pipeline that includes a shipped profile."""
    program, pipeline, card = f"{place}/bin/filmgate", f"/srv/{name}.yaml", root / f"srv/card-{name}"
    version = inside(root, program, "--version")
    checks.note(version.returncode == 0 and version.stdout.strip() in place, f"the program runs at {place}", version.stdout + version.stderr)
    doctor = inside(root, program, "doctor")
    checks.note(re.search(r"^ok +gphoto2: .*answers", doctor.stdout, re.MULTILINE), "libgphoto2's process is found and answers", doctor.stdout)
    (root / pipeline[1:]).write_text(PIPELINE.format(name=name), encoding="utf-8")
    checked = inside(root, program, "check", pipeline)
    checks.note(checked.returncode == 0, "a pipeline that includes a shipped profile is valid", checked.stdout + checked.stderr)
    inside(root, program, "sample", "card", f"/srv/card-{name}")
    done = inside(root, program, "import", f"/srv/card-{name}", "--pipeline", pipeline, "--state", f"/srv/state-{name}")
    delivered = digests(root / "srv" / name) if (root / "srv" / name).exists() else set()
    wrong = delivered - digests(card)
    checks.note(done.returncode == 0 and len(delivered) >= 10 and not wrong, f"it imports a card ({len(delivered)} files)", done.stdout + done.stderr)
    again = inside(root, program, "import", f"/srv/card-{name}", "--pipeline", pipeline, "--state", f"/srv/state-{name}")
    checks.note(again.returncode == 0 and "seen: 0 delivered" in again.stdout + again.stderr, "and nothing of it twice", again.stdout + again.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tarball", required=True)
    parser.add_argument("--cache", default=".build/deb-guest", help="where the clean root is kept")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("tarball.py makes a Debian root: run it as root.")
    cache, checks = Path(options.cache).resolve(), Checks()
    cache.mkdir(parents=True, exist_ok=True)
    base = clean_root(cache)
    scratch = Path(tempfile.mkdtemp(prefix="filmgate-tarball-"))
    root = scratch / "root"
    try:
        subprocess.run(["cp", "-a", str(base), str(root)], check=True)
        # The program finds its own folder by it.
        subprocess.run(["mount", "--bind", "/proc", str(root / "proc")], check=True)
        folder = unpack(root, os.path.abspath(options.tarball), checks)
        install(root, folder, checks)
        use(root, f"/opt/{folder.name}", "first", checks)
        moved = root / "srv/a folder" / folder.name
        moved.parent.mkdir()
        folder.rename(moved)
        use(root, f"/srv/a folder/{folder.name}", "second", checks)
    finally:
        subprocess.run(["umount", "-l", str(root / "proc")], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(scratch)
    return checks.closed("tarball")


if __name__ == "__main__":
    sys.exit(main())
