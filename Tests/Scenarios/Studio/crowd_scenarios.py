"""A scenario: a thousand connections want the stream, by sessions of every role, while a run takes frames and a card is imported."""
import os
import resource
import selectors
import shutil
import socket
import statistics
import subprocess
import threading
import time

from chromium import Touch
from frames import jpeg
from hostile_scenarios import latencies
from scene import check, scenario, wait_for_files
from studio import Client, memory

COUNT, SESSIONS = 1000, 8
ROLES = ("view", "pick", "operate", "admin")
# What the page gives: to one session, to all, and to those who do not steer the run.
EACH, ALL, OTHERS = 32, 200, 160


class Caller:
    """One connection that asks for the stream, again whenever it was closed."""

    def __init__(self, port, role, token):
        self.port, self.role, self.token, self.said = port, role, token, b""
        self.request = f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()

    def call(self):
        self.socket, self.said = socket.socket(), b""
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", self.port))
        return self

    @property
    def status(self):
        """Of the answer; 0 while there is none."""
        words = self.said.split(b"\r\n")[0].split(b" ")
        return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


class Crowd:
    """Callers who go on until they are sent away; use as a context."""

    def __init__(self, port, tokens):
        self.callers = [Caller(port, *tokens[number % len(tokens)]) for number in range(COUNT)]
        self.statuses, self.closed, self.is_over = {}, 0, False

    def __enter__(self):
        self.thread = threading.Thread(target=self.attend, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()
        for caller in self.callers:
            caller.socket.close()

    def attend(self):
        # Whoever attacks does not take this machine's processors for it.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        waits = selectors.DefaultSelector()
        for caller in self.callers:
            waits.register(caller.call().socket, selectors.EVENT_WRITE, caller)
        while not self.is_over:
            for key, mask in waits.select(0.2):
                if self.goes_on(waits, key.data, mask):
                    continue
                self.closed += 1
                waits.unregister(key.fileobj)
                key.fileobj.close()
                waits.register(key.data.call().socket, selectors.EVENT_WRITE, key.data)

    def goes_on(self, waits, caller, mask):
        """False where the connection was closed, or not taken."""
        try:
            if mask & selectors.EVENT_WRITE:
                caller.socket.send(caller.request)
                waits.modify(caller.socket, selectors.EVENT_READ, caller)
                return True
            data = caller.socket.recv(65536)
        except OSError:
            return False
        before = caller.status
        caller.said = (caller.said + data)[:500]
        if caller.status != before:
            self.statuses[caller.status] = self.statuses.get(caller.status, 0) + 1
        return bool(data)

    @property
    def heard(self):
        return [caller for caller in self.callers if caller.status == 200]


@scenario((Touch,))
def thousand_streams(scene):
    """A thousand streams by 32 sessions of every role: as many as there may be are given, all others refused or made to wait; a run and an import go on as before."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if 0 < hard < 4096 else 4096, hard))
    with scene.shoot() as shoot:
        shoot.begin()
        tokens = [(role, shoot.studio.token(role)) for _ in range(SESSIONS) for role in ROLES]
        card = own_card(scene.base)
        usual, alone = latencies(shoot, 20), importing(scene, card, "alone")
        resident, run = shoot.studio.resident(), memory(shoot.run.process.pid, "VmRSS")
        with Crowd(shoot.studio.port, tokens) as crowd:
            end = time.monotonic() + 120
            while (len(crowd.heard) < OTHERS or crowd.statuses.get(429, 0) < 30) and time.monotonic() < end:
                time.sleep(0.2)
            during, beside = latencies(shoot, 20), importing(scene, card, "beside")
            allowed(crowd)
            more = shoot.studio.resident() - resident, memory(shoot.run.process.pid, "VmRSS") - run
            scene.figures.append(f"{len(crowd.heard)} of {COUNT} heard, answers {crowd.statuses}, {crowd.closed} closed")
        shown = [f"{statistics.median(times) * 1000:.0f} ms" for times in (usual, during)]
        scene.figures.append(f"frame to archive and gallery {shown[0]}, meanwhile {shown[1]}; import {alone:.1f} s, meanwhile {beside:.1f} s")
        scene.figures.append(f"page {more[0]:.1f} MiB more, run {more[1]:.1f} MiB more")
        check(statistics.median(during) < 2 * statistics.median(usual) + 0.05, "frames take longer while a thousand want the stream")
        check(beside < 2 * alone + 0.5, "an import takes longer while a thousand want the stream")
        check(more[0] < 64 and more[1] < 8, "a thousand that want the stream cost too much memory")
        begun = time.monotonic()
        check(Client(shoot.studio.port, timeout=60).ask("GET", "/api/v1/about").status == 200, "the page does not answer")
        scene.took("page answered afterwards after", time.monotonic() - begun)
        page, _ = scene.open(shoot)
        wait_for_files(page, 40)


def allowed(crowd):
    """Nobody hears more than he may, and whoever does not hear is told so or waits."""
    heard = crowd.heard
    check(set(crowd.statuses) <= {200, 429}, f"answers were {crowd.statuses}")
    check(OTHERS / 2 <= len(heard) <= ALL, f"{len(heard)} streams are open")
    check(crowd.statuses.get(429), f"nobody was refused: {crowd.statuses}")
    others = sum(caller.role in ("view", "pick") for caller in heard)
    check(others <= OTHERS, f"{others} streams of those who do not steer the run are open")
    for token in {caller.token for caller in heard}:
        count = sum(caller.token == token for caller in heard)
        check(count <= EACH, f"one session has {count} streams")


def own_card(base):
    """Something to import: it has a state of its own."""
    card = os.path.join(base, "card")
    os.makedirs(os.path.join(card, "DCIM", "100TEST"))
    for number in range(60):
        with open(os.path.join(card, "DCIM", "100TEST", f"CARD{number:04}.JPG"), "wb") as file:
            file.write(jpeg(50_000 + number, size=1_000_000))
    return card


def importing(scene, card, name):
    """Seconds for all of a card into a folder."""
    target, state = (os.path.join(scene.base, f"{name}-{what}") for what in ("copies", "state"))
    begun = time.monotonic()
    done = subprocess.run(
        [scene.filmgate, "import", card, "--to", target, "--state", state, "--json"], capture_output=True, text=True, timeout=120, check=False)
    took = time.monotonic() - begun
    check(done.returncode == 0, f"the import ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}")
    for folder in (target, state):
        shutil.rmtree(folder)
    return took
