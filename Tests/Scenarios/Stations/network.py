"""Networks between stations and their catalogue that break: answers that are lost after the server has written, links that go down."""
import os
import select
import shutil
import socket
import subprocess
import threading
import time

from access import Authority
from invariants import Invariants
from namespaces import can_have_networks, required
from proof import Failure
from program import free_port
from sharer import ended


class LostAnswers:
    """A way to a server that passes everything on, except the answers to some calls: those are read, and the connection is cut.

    The server has written by then what it was asked to write, and nobody has heard it.
    """

    def __init__(self, port, wanted):
        self.port, self.wanted, self.left, self.lost, self.lock = port, wanted, 0, 0, threading.Lock()
        self.out = free_port()
        self.listener = socket.create_server(("127.0.0.1", self.out))
        threading.Thread(target=self.accept, daemon=True).start()

    def lose(self, count):
        """The next `count` answers."""
        with self.lock:
            self.left = count

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        try:
            far = socket.create_connection(("127.0.0.1", self.port))
        except OSError:
            near.close()
            return
        with near, far:
            is_asked, tail = False, b""
            while True:
                for one in select.select([near, far], [], [])[0]:
                    try:
                        data = one.recv(1 << 16)
                    except OSError:
                        return
                    if not data:
                        return
                    if one is near:
                        # A call is known by the name of its function, which may be cut in two.
                        is_asked = is_asked or self.wanted in tail + data
                        tail = data[-len(self.wanted):]
                        far.sendall(data)
                    else:
                        if is_asked and self.loses():
                            return
                        is_asked = False
                        near.sendall(data)

    def loses(self):
        with self.lock:
            if self.left == 0:
                return False
            self.left, self.lost = self.left - 1, self.lost + 1
            return True

    def close(self):
        self.listener.close()


def lost_answers(scene):
    """Answers to reports and to claims are lost after the server has written what they were about."""
    server, gallery = scene.catalogue(address="127.0.0.1"), scene.gallery()
    reports, claims = LostAnswers(server.port, b"catalog.report_v1"), LostAnswers(server.port, b"catalog.claim_v3")
    one = scene.station("one", server, gallery, f"postgresql://one@127.0.0.1:{reports.out}/filmgate")
    two = scene.station("two", server, gallery, f"postgresql://two@127.0.0.1:{claims.out}/filmgate")
    truth = Invariants(server, [one, two], gallery)
    try:
        for number in range(scene.count):
            station, way = ((one, reports), (two, claims))[number % 2]
            card, before = scene.card(30), way.lost
            way.lose(1)
            said = station.take(card)
            if way.lost == before:
                raise Failure(f"no answer was lost:\n{said}")
            way.lose(0)
            truth.check(f"lost answer {number + 1}", said + one.tell(card) + two.tell(card))
    finally:
        reports.close()
        claims.close()
    print(f"answers lost after the server had written: {reports.lost} to reports, {claims.lost} to claims; nothing is missing or twice")


class Namespace:
    """A network of its own with one link to this machine's; use as a context."""

    def __init__(self, name, near, far):
        self.name, self.near, self.far = name, near, far

    def __enter__(self):
        here, there = f"{self.name}a", f"{self.name}b"
        for words in (f"netns add {self.name}", f"link add {here} type veth peer name {there}", f"link set {there} netns {self.name}",
                      f"addr add {self.near}/30 dev {here}", f"link set {here} up", f"-n {self.name} addr add {self.far}/30 dev {there}",
                      f"-n {self.name} link set {there} up", f"-n {self.name} link set lo up"):
            subprocess.run(["ip", *words.split()], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["ip", "link", "del", f"{self.name}a"], check=False)
        subprocess.run(["ip", "netns", "del", self.name], check=False)

    def link(self, state):
        """Packets are dropped while it is down, and nobody is told."""
        subprocess.run(["ip", "-n", self.name, "link", "set", f"{self.name}b", state], check=True)


def partition(scene):
    """The link between a station and the server goes down and comes back; the station never stops taking."""
    required("a link that goes down", can_have_networks)
    authority, (near, far) = Authority(f"{scene.folder}/authority"), ("10.213.77.1", "10.213.77.2")
    with Namespace(f"fg{os.getpid()}"[:9], near, far) as space:
        server = scene.catalogue(address=near, **authority.server(near))
        url = f"postgresql://one@{near}:{server.port}/filmgate?sslmode=verify-full"
        one = scene.station("one", server, None, url, password="a word of one", more=authority.options("a word of one"),
                            inside=["ip", "netns", "exec", space.name])
        truth = Invariants(server, [one])
        for number in range(scene.count):
            card = scene.card(120)
            process = one.begin(card)
            time.sleep(scene.rng.uniform(0.1, 0.8))
            space.link("down")
            said = ended(process, "an import whose link went down")
            space.link("up")
            truth.check(f"link down {number + 1}", said + one.tell(card))
        server.close()
    print(f"a link that went down {scene.count} times: imports went on, and all is told")


class Names:
    """What a network namespace knows of names: its own list, and behind that a name server that takes questions and says nothing."""

    def __init__(self, space, address):
        self.folder, self.had_any = f"/etc/netns/{space}", os.path.isdir("/etc/netns")
        os.makedirs(self.folder)
        self.silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.silent.bind((address, 53))
        with open(f"{self.folder}/resolv.conf", "w", encoding="ascii") as file:
            file.write(f"nameserver {address}\noptions timeout:30 attempts:2\n")
        self.know("")

    def know(self, line):
        with open(f"{self.folder}/hosts", "w", encoding="ascii") as file:
            file.write(f"127.0.0.1 localhost\n{line}\n")

    def close(self):
        self.silent.close()
        shutil.rmtree(self.folder)
        if not self.had_any:
            os.rmdir("/etc/netns")


def silent_names(scene):
    """The name server says nothing for a minute: an import waits for the catalogue's name as long as for its host, and ends."""
    required("a name server that says nothing", can_have_networks)
    authority, (near, far), took = Authority(f"{scene.folder}/authority"), ("10.213.78.1", "10.213.78.2"), []
    with Namespace(f"fg{os.getpid()}"[:9], near, far) as space:
        names = Names(space.name, near)
        try:
            server = scene.catalogue(address=near, **authority.server("db.example"))
            names.know(f"{near} db.example")
            one = scene.station("one", server, None, f"postgresql://one@db.example:{server.port}/filmgate?sslmode=verify-full",
                                password="a word of one", more=authority.options("a word of one"), inside=["ip", "netns", "exec", space.name])
            truth = Invariants(server, [one])
            truth.check("by its name", one.tell(scene.card(20)))
            for number in range(scene.count):
                names.know("")
                card, begun = scene.card(20), time.monotonic()
                said = ended(one.begin(card), "an import whose name server says nothing")
                took.append(time.monotonic() - begun)
                if took[-1] > 30 or "going on alone" not in said:
                    raise Failure(f"an import took {took[-1]:.0f} s while the name server said nothing:\n{said}")
                names.know(f"{near} db.example")
                truth.check(f"a silent name server {number + 1}", said + one.tell(card))
            server.close()
        finally:
            names.close()
    print(f"a name server that says nothing: imports took {max(took):.0f} s at most, and all is told")
