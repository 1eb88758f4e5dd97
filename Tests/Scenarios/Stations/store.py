"""A receiver before an object store, killed between its inbox and the answer to the camera: yes is said once the store has the file."""
import ftplib
import hashlib
import io
import os
import shutil
import socket
import threading
import urllib.error
import urllib.request

from program import Program, free_port, wait_for_port
from proof import Failure
from sharer import wait_until

PIPELINE = """\
version: 1
name: receiver
sources:
  - ftp: {{ listen: "127.0.0.1:{port}", settle: 200ms, companions: 1s, confirm: {{ delivered: bucket }}, confirm_within: 30s,
      logins: [{{ user: cam, password: "${{env:FILMGATE_SCENARIO_WORD}}" }}] }}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [bucket] }}
targets:
  bucket: {{ s3: {{ bucket: frames, endpoint: "http://127.0.0.1:{way}", key: "{{sha256}}.jpg", auth: keys }} }}
auth:
  keys: {{ aws: {{ access_key: AKIASCENARIO, secret_key: "${{env:FILMGATE_SCENARIO_WORD}}" }} }}
retry: {{ first: 200ms, most: 2s }}
"""


class Gate:
    """A way to the store that lets nothing through while it is shut."""

    def __init__(self, port):
        self.port, self.open, self.waiting = port, threading.Event(), 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.out = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        far = socket.create_connection(("127.0.0.1", self.port))
        threading.Thread(target=self.pass_on, args=(far, near, False), daemon=True).start()
        self.pass_on(near, far, True)

    def pass_on(self, source, drain, is_held):
        try:
            while data := source.recv(1 << 16):
                if is_held and not self.open.is_set():
                    self.waiting += 1
                    self.open.wait()
                drain.sendall(data)
            drain.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Push(threading.Thread):
    """One picture, and what the camera was told."""

    def __init__(self, port, name, data):
        super().__init__(daemon=True)
        self.port, self.name, self.data, self.answer = port, name, data, ""

    def run(self):
        try:
            client = ftplib.FTP(timeout=60)
            client.connect("127.0.0.1", self.port)
            client.login("cam", "a word of a camera")
            self.answer = client.storbinary(f"STOR {self.name}", io.BytesIO(self.data))
            client.close()
        except (ftplib.Error, OSError, EOFError) as error:
            self.answer = repr(error)


def objects(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/frames?list-type=2", timeout=10) as answer:
        return answer.read().decode()


def store(scene):
    os.environ["FILMGATE_SCENARIO_WORD"] = "a word of a camera"
    program, port, ftp = shutil.which("moto_server"), free_port(), free_port()
    if not program:
        raise Failure("this needs moto_server, which `make peers` installs")
    with Program("moto", [program, "-H", "127.0.0.1", "-p", str(port)], f"{scene.folder}/moto.log"):
        wait_for_port(port)
        urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/frames", method="PUT"), timeout=10).close()
        gate, file = Gate(port), f"{scene.folder}/receiver.yaml"
        with open(file, "w", encoding="utf-8") as text:
            text.write(PIPELINE.format(port=ftp, way=gate.out))
        receiver = Program("receiver", [scene.program, "run", file, "--state", f"{scene.folder}/state"], f"{scene.folder}/receiver.log")
        with receiver:
            for number in range(scene.count):
                killed_before_yes(scene, receiver, gate, port, ftp, number)
            receiver.stop()
    print(f"a receiver before an object store killed {scene.count} times between inbox and answer: nobody was told yes before the store had it")


def killed_before_yes(scene, receiver, gate, port, ftp, number):
    card = scene.card(1)
    path = f"{card}/DCIM/100TEST/{os.listdir(f'{card}/DCIM/100TEST')[0]}"
    with open(path, "rb") as file:
        data = file.read()
    key, name = hashlib.sha256(data).hexdigest(), f"IMG_{number:04}.JPG"
    wait_for_port(ftp)
    gate.open.clear()
    before, first = gate.waiting, Push(ftp, name, data)
    first.start()
    wait_until("a file that waits for the store", lambda: gate.waiting > before or not first.is_alive())
    if not first.is_alive() or key in objects(port):
        raise Failure(f"the camera was told {first.answer!r} before the store had the file; see {receiver.log}")
    receiver.kill()
    first.join()
    if first.answer.startswith("226"):
        raise Failure("the camera was told yes by a receiver that was killed before the store had the file")
    gate.open.set()
    receiver.start(first=False)
    wait_for_port(ftp)
    again = Push(ftp, name, data)
    again.start()
    again.join()
    if not again.answer.startswith("226") or objects(port).count(key) != 1:
        raise Failure(f"the camera was told {again.answer!r}, and the store has the file {objects(port).count(key)} times; see {receiver.log}")
