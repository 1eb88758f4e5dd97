#!/usr/bin/env python3
"""Installs the Debian package in a clean root made by debootstrap, boots that root in QEMU, and lets a card dump be dropped into the folder
that the service watches. deb.py --deb PACKAGE --filmgate PROGRAM

Needs root (debootstrap and chroot do). What takes long, the clean root and the kernel, is kept from run to run.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Peers" / "usb"))
import guest  # noqa: E402

SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
LARGEST_PROGRAM = 64_000_000
# The release after the one that the package is made on: it names its libraries otherwise.
NEXT = "trixie"
INIT = """#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /disk
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
for module in virtio_pci virtio_blk crc32c_generic ext4; do modprobe $module; done
mount -t ext4 /dev/vda /disk || echo "FAIL the disk cannot be mounted"
umount /proc /sys
mount --move /dev /disk/dev
exec switch_root /disk /sbin/init
"""
PIPELINE = """version: 1
name: studio
sources:
  - folder: { path: /srv/filmgate/hot, settle: 1s, companions: 1s }
include: [canon, nikon, sony]
stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
targets:
  archive: { folder: { path: "/srv/filmgate/archive/{captured:yyyy}", verify: reread } }
"""


class Checks:
    def __init__(self):
        self.passed, self.failed = [], []

    def note(self, good, what, detail=""):
        (self.passed if good else self.failed).append(what)
        print(f"{'PASS' if good else 'FAIL'} {what}{'' if good else ': ' + str(detail)[-800:]}", flush=True)

    def closed(self, name):
        """The exit status, after a last word."""
        print(f"{name}: {len(self.passed)} checks passed, {len(self.failed)} failed")
        for one in self.failed:
            print(f"  failed: {one}")
        return 1 if self.failed or not self.passed else 0


def clean_root(cache):
    """A Debian with nothing but what it needs to boot; made once."""
    root = cache / "base"
    if not (cache / "base-made").exists():
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(
            ["debootstrap", "--variant=minbase", "--include=systemd,systemd-sysv,udev,dbus", SUITE, str(root), MIRROR], check=True,
            stdout=subprocess.DEVNULL)
        (cache / "base-made").touch()
    return root


def inside(root, *command):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root"}
    return subprocess.run(["chroot", str(root), *command], env=environment, capture_output=True, text=True, timeout=600, check=False)


def install(root, package, checks):
    shutil.copy(package, root / "tmp/filmgate.deb")
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    # As in any Debian that runs: the loader finds the program's own libraries through it.
    subprocess.run(["mount", "--bind", "/proc", str(root / "proc")], check=True)
    inside(root, "apt-get", "update", "-q")
    done = inside(root, "apt-get", "install", "-y", "-q", "--no-install-recommends", "/tmp/filmgate.deb")
    checks.note(done.returncode == 0, "the package installs in a clean root", done.stdout + done.stderr)
    told = inside(root, "dpkg", "-s", "filmgate").stdout
    checks.note("Status: install ok installed" in told, "dpkg counts it as installed", told)
    version = inside(root, "filmgate", "--version")
    stripped(root / "usr/lib/filmgate/filmgate", root / "usr/lib/filmgate/filmgate-gphoto2",
             root / "usr/lib/filmgate/filmgate-previews", checks=checks)
    checks.note(version.returncode == 0 and bool(version.stdout.strip()), "the program runs there", version.stderr)
    for path in ("/usr/share/man/man1/filmgate-run.1.gz", "/usr/share/bash-completion/completions/filmgate", "/etc/filmgate",
                 "/usr/lib/systemd/system/filmgate.service", "/usr/lib/systemd/system/filmgate-studio.service", "/usr/lib/udev/rules.d/70-filmgate-cameras.rules",
                 "/usr/share/filmgate/profiles/canon.yaml", "/usr/share/doc/filmgate/examples/quickstart.yaml",
                 "/usr/lib/filmgate/filmgate-gphoto2", "/usr/lib/filmgate/filmgate-previews",
                 "/usr/share/doc/filmgate/copyright", "/usr/share/doc/filmgate/NOTICE",
                 "/usr/share/doc/filmgate/filmgate.spdx.json"):
        checks.note((root / path[1:]).exists(), f"{path} is there")
    (root / "etc/filmgate/pipeline.yaml").write_text(PIPELINE, encoding="utf-8")
    checked = inside(root, "filmgate", "check", "/etc/filmgate/pipeline.yaml")
    checks.note(checked.returncode == 0, "a pipeline that includes shipped profiles is valid there", checked.stdout + checked.stderr)
    verified = inside(
        root, "systemd-analyze", "verify", "/usr/lib/systemd/system/filmgate.service", "/usr/lib/systemd/system/filmgate-studio.service")
    # A root without man(1) cannot look whether the manual is there; that was looked at above.
    wrong = [line for line in verified.stderr.splitlines() if "filmgate" in line and "'man " not in line]
    checks.note(not wrong, "systemd finds nothing wrong with the units", wrong)


def stripped(*programs, checks):
    for program in programs:
        found = subprocess.run(["readelf", "-SW", str(program)], capture_output=True, text=True, check=False).stdout
        checks.note(".text" in found and ".debug_info" not in found and ".symtab" not in found, f"{program.name} is stripped", found)
        # With a toolchain whose ICU has another symbol, its 34 MB of tables would come back (decision 29).
        checks.note(program.stat().st_size <= LARGEST_PROGRAM, f"{program.name} has at most 64 MB", program.stat().st_size)


def lint(package, checks):
    told = subprocess.run(["lintian", "--fail-on", "error,warning", package], capture_output=True, text=True, check=False)
    checks.note(told.returncode == 0, "lintian finds no error and nothing to warn of", told.stdout + told.stderr)


def resolves(package, suite, checks):
    """What the package depends on is there in another release, by the words of that release's own index; installs nothing."""
    place = Path(tempfile.mkdtemp(prefix="filmgate-apt-"))
    try:
        for folder in ("lists/partial", "cache/archives/partial"):
            (place / folder).mkdir(parents=True)
        (place / "sources.list").write_text(
            f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {MIRROR} {suite} main\n", encoding="utf-8")
        (place / "status").touch()
        settings = {"Etc::sourcelist": place / "sources.list", "Etc::sourceparts": "/dev/null", "State::lists": place / "lists",
                    "Cache": place / "cache", "State::status": place / "status"}
        apt = ["apt-get", "-q"] + [f"-oDir::{key}={value}" for key, value in settings.items()]
        subprocess.run([*apt, "update"], capture_output=True, check=False)
        done = subprocess.run([*apt, "-s", "install", os.path.abspath(package)], capture_output=True, text=True, check=False)
        good = done.returncode == 0 and "Inst filmgate " in done.stdout
        checks.note(good, f"{suite} has everything that the package needs", done.stdout + done.stderr)
    finally:
        shutil.rmtree(place)


def prepare(root, program):
    """The service is enabled, and another one stands for the person who drops a card's dump."""
    inside(root, "install", "-d", "-o", "filmgate", "-g", "filmgate", "/srv/filmgate/hot", "/srv/filmgate/archive")
    inside(root, "systemctl", "enable", "filmgate.service")
    subprocess.run([program, "sample", "card", str(root / "srv/filmgate/CARD")], check=True, stdout=subprocess.DEVNULL)
    shutil.copy(HERE / "person.sh", root / "srv/person.sh")
    (root / "etc/systemd/system/person.service").write_text(
        "[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nExecStart=/bin/sh /srv/person.sh\nStandardOutput=tty\nTTYPath=/dev/ttyS0\n"
        "[Install]\nWantedBy=multi-user.target\n", encoding="utf-8")
    inside(root, "systemctl", "enable", "person.service")
    inside(root, "systemctl", "mask", "serial-getty@ttyS0.service", "apt-daily.timer", "apt-daily-upgrade.timer")
    (root / "etc/hostname").write_text("studio\n", encoding="utf-8")


def image(root, path):
    size = int(subprocess.run(["du", "-sm", str(root)], capture_output=True, text=True, check=True).stdout.split()[0])
    subprocess.run(["mkfs.ext4", "-q", "-F", "-d", str(root), str(path), f"{size + 400}M"], check=True)
    return path


def boot(kernel, archive, disk, limit, checks):
    print("booting …", flush=True)
    machine = subprocess.Popen(
        ["timeout", str(limit), "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024", "-machine", "q35",
         "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "stdio", "-kernel", str(kernel), "-initrd",
         str(archive), "-drive", f"file={disk},format=raw,if=virtio,cache=unsafe", "-append",
         "console=ttyS0 quiet panic=-1 mitigations=off tsc=unstable random.trust_cpu=on systemd.show_status=false rw"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    begun, ended = time.monotonic(), False
    for line in machine.stdout:
        line = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", line).rstrip()
        if not line:
            continue
        print(f"{time.monotonic() - begun:6.1f} {line}", flush=True)
        word, _, rest = line.partition(" ")
        if word in ("PASS", "FAIL"):
            (checks.passed if word == "PASS" else checks.failed).append(rest)
        ended = ended or word == "PERSON-END"
    machine.wait()
    checks.note(ended, "the machine came to its end by itself")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deb", required=True, help="the package")
    parser.add_argument("--filmgate", required=True, help="the program, which writes the card")
    parser.add_argument("--cache", default=".build/deb-guest", help="where the clean root and the kernel are kept")
    parser.add_argument("--no-boot", action="store_true", help="install it only")
    parser.add_argument("--limit", type=int, default=900, help="seconds after which the machine counts as stuck")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("deb.py makes a Debian root: run it as root.")
    cache, checks = Path(options.cache).resolve(), Checks()
    cache.mkdir(parents=True, exist_ok=True)
    guest.MODULES, guest.INIT = ["virtio_pci", "virtio_blk", "crc32c_generic", "ext4"], INIT
    lint(options.deb, checks)
    resolves(options.deb, NEXT, checks)
    kernel, archive = (None, None) if options.no_boot else guest.build(cache / "kernel")
    base = clean_root(cache)
    scratch = Path(tempfile.mkdtemp(prefix="filmgate-deb-"))
    try:
        root = scratch / "root"
        subprocess.run(["cp", "-a", str(base), str(root)], check=True)
        install(root, options.deb, checks)
        if not checks.failed and not options.no_boot:
            prepare(root, os.path.abspath(options.filmgate))
            subprocess.run(["umount", str(root / "proc")], check=True)
            boot(kernel, archive, image(root, scratch / "disk"), options.limit, checks)
    finally:
        subprocess.run(["umount", "-l", str(scratch / "root/proc")], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(scratch)
    return checks.closed("deb")


if __name__ == "__main__":
    sys.exit(main())
