"""A QEMU machine with a USB controller, whose camera can be plugged in and pulled while it runs."""
import json
import socket
import subprocess
import time


class Machine:
    def __init__(self, kernel, archive, share, card, socket_path):
        self.card, self.path = card, socket_path
        self.process = subprocess.Popen(
            [
                "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024",
                "-machine", "q35", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "stdio",
                "-kernel", str(kernel), "-initrd", str(archive),
                "-append", "console=ttyS0 quiet panic=-1 mitigations=off tsc=unstable random.trust_cpu=on",
                "-fsdev", f"local,id=share,path={share},security_model=none",
                "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",
                "-device", "qemu-xhci,id=xhci", "-qmp", f"unix:{socket_path},server=on,wait=off",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )
        try:
            self.control = self.connect()
            self.ask("qmp_capabilities")
        except (OSError, ValueError):
            self.stop()
            raise SystemExit("QEMU did not start:\n" + self.process.stdout.read())

    def connect(self):
        for _ in range(200):
            try:
                control = socket.socket(socket.AF_UNIX)
                control.connect(str(self.path))
                stream = control.makefile("rw")
                stream.readline()
                return stream
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit("QEMU did not start:\n" + self.process.stdout.read())
                time.sleep(0.05)
        raise SystemExit("QEMU does not answer.")

    def ask(self, command, **arguments):
        self.control.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.control.flush()
        while True:
            reply = json.loads(self.control.readline() or '{"error": "QEMU is gone"}')
            if "return" in reply or "error" in reply:
                return reply

    def plug(self, name):
        return self.ask("device_add", driver="usb-mtp", id=name, bus="xhci.0", rootdir=str(self.card), readonly=True, desc="Camera")

    def unplug(self, name):
        return self.ask("device_del", id=name)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
