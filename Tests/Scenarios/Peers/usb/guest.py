"""Builds a small guest whose USB stack is the kernel's own: Debian's kernel, busybox and udevd in an initramfs."""
import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

MODULES = ["xhci_pci", "9p", "9pnet_virtio", "virtio_pci"]
# udevd makes the device files and passes on the kernel's messages: libusb hears of devices through it.
INIT = """#!/bin/busybox sh
export PATH=/bin HOME=/tmp LC_ALL=C.UTF-8 LD_LIBRARY_PATH=/share/lib
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /tmp /run /share
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
mount -t tmpfs -o size=90% tmpfs /tmp; mount -t tmpfs tmpfs /run
ip link set lo up
for module in virtio_pci 9p 9pnet_virtio xhci_pci; do modprobe $module; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=1048576,cache=loose share /share
mkdir -p /run/udev
LD_LIBRARY_PATH=/udev /udev/systemd-udevd --daemon
sh /share/inside.sh
echo "GUEST-END $?"
poweroff -f
"""


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def libraries(program):
    """Every shared library that a program loads, its loader included."""
    return sorted(set(re.findall(r"(/\S+) \(0x", run("ldd", str(program)))))


def packages(folder):
    """Unpacks Debian's kernel and udev; once."""
    if (folder / "unpacked").exists():
        return
    image = re.search(r"Depends: (linux-image-\S+)", run("apt-cache", "depends", "linux-image-amd64")).group(1)
    for package in (image, "udev"):
        run("apt-get", "download", "-q", package, cwd=folder)
    for file in folder.glob("*.deb"):
        run("dpkg", "-x", str(file), str(folder / ("kernel" if file.name.startswith("linux") else "udev")))
        file.unlink()
    (folder / "unpacked").touch()


def modules(kernel, root):
    version = os.listdir(kernel / "lib/modules")[0]
    run("depmod", "-b", str(kernel), version)
    wanted = set()
    for name in MODULES:
        shown = run("modprobe", "-d", str(kernel), "-S", version, "--show-depends", name)
        wanted |= {line.split()[1] for line in shown.splitlines() if line.startswith("insmod")}
    for path in wanted:
        inner = Path(path).relative_to(kernel)
        (root / inner).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / inner)
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(kernel / "lib/modules" / version / name, root / "lib/modules" / version / name)
    run("depmod", "-b", str(root), version)
    return kernel / "boot" / f"vmlinuz-{version}"


def build(folder):
    """Returns the guest's kernel and initramfs; makes them when they are missing or this file is newer."""
    folder.mkdir(parents=True, exist_ok=True)
    archive, kernel = folder / "initrd.gz", folder / "vmlinuz"
    if archive.exists() and archive.stat().st_mtime > Path(__file__).stat().st_mtime:
        return kernel, archive
    packages(folder)
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "udev", "etc", "lib64"):
        (root / name).mkdir(parents=True)
    shutil.copy("/bin/busybox", root / "bin/busybox")
    shutil.copy(modules(folder / "kernel", root), kernel)
    udevadm = next(path for path in (folder / "udev/bin/udevadm", folder / "udev/usr/bin/udevadm") if path.exists())
    shutil.copy(udevadm, root / "udev/systemd-udevd")
    for library in libraries(udevadm):
        shutil.copy(library, root / "udev")
    loader = Path("/lib64/ld-linux-x86-64.so.2")
    shutil.copy(loader, root / "lib64" / loader.name)
    (root / "etc/passwd").write_text("root:x:0:0:root:/tmp:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nplugdev:x:46:\n")
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    names = run("find", ".", cwd=root)
    packed = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=names.encode(), stdout=subprocess.PIPE, check=True)
    archive.write_bytes(gzip.compress(packed.stdout, 1))
    return kernel, archive
