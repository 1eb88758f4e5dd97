"""Two receivers behind haproxy: cameras push over FTP and are told yes only once the gallery has the picture, whichever receiver dies."""
import ftplib
import io
import os
import shutil
import socket
import threading
import time
from collections import Counter

from invariants import Invariants
from program import Program, free_port, wait_for_port
from proof import Failure, folder as files_below
from sharer import interrupted, wait_until
from station import make_card

CAMERAS = 10
SOURCE = """ftp: {{ listen: "127.0.0.1:{port}", passive: {first}-{last}, passive_address: {balancer}, settle: 200ms, companions: 1s,
      proxy_protocol: {{ from: [127.0.0.1] }}, confirm: {{ delivered: gallery }}, confirm_within: 20s, logins: [{logins}] }}"""
# Cameras know this address alone, and each has one of its own.
OUTSIDE = "127.0.0.3"
BALANCER = """\
defaults
    mode tcp
    timeout connect 2s
    timeout client 5m
    timeout server 5m
listen ftp
    bind {outside}:{port}
    balance roundrobin
    option redispatch
    retries 3
{servers}
{data}"""
# Without a port after the server's address, it is the one that the camera called.
DATA = """\
listen data{number}
    bind {outside}:{first}-{last}
    server receiver{number} 127.0.0.1 send-proxy-v2
"""


class Camera(threading.Thread):
    """Pushes its pictures one after the other; what was not answered with yes it sends again, over a new connection."""

    def __init__(self, number, port, card, gallery, pictures):
        super().__init__(daemon=True)
        self.user, self.port, self.gallery, self.card, self.pictures = f"cam{number}", port, gallery, card, pictures
        self.home = f"127.0.1.{number + 1}"
        self.told, self.again, self.failure, self.client = [], 0, None, None

    def run(self):
        try:
            for name, sha in self.pictures:
                with open(f"{self.card}/{name}", "rb") as file:
                    data = file.read()
                self.push(name, data, sha)
            self.hang_up()
        except Exception as error:  # whatever it dies of is told at the end
            self.failure = error

    def push(self, name, data, sha):
        end = time.monotonic() + 240
        while True:
            try:
                if self.client is None:
                    self.client = ftplib.FTP(timeout=60, source_address=(self.home, 0))
                    self.client.connect(OUTSIDE, self.port)
                    self.client.login(self.user, "a word of ten cameras")
                self.client.storbinary(f"STOR {name}", io.BytesIO(data))
                break
            except (ftplib.Error, OSError, EOFError) as error:
                self.again += 1
                if time.monotonic() > end:
                    raise Failure(f"{self.user} could not push {name}: {error!r}") from error
                self.hang_up()
                time.sleep(0.5)
        if not self.gallery.has(sha):
            raise Failure(f"{self.user} was told yes for {name}, and the gallery does not have it")
        self.told.append(sha)

    def hang_up(self):
        if self.client is not None:
            self.client.close()
        self.client = None


def receivers(scene):
    server, gallery, port = scene.catalogue(), scene.gallery(delay=0.2), free_port()
    os.environ["FILMGATE_SCENARIO_WORD"] = "a word of ten cameras"
    logins = ", ".join(f'{{ user: cam{number}, password: "${{env:FILMGATE_SCENARIO_WORD}}" }}' for number in range(CAMERAS))
    found, ports, first, ranges = [], [], free_port(), []
    for number in range(2):
        own, low = free_port(), first + number * 100
        ranges.append((low, low + 99))
        source = SOURCE.format(port=own, first=low, last=low + 99, logins=logins, balancer=OUTSIDE)
        found.append(scene.station(f"receiver{number}", server, gallery, source=source))
        ports.append(own)
    truth = Invariants(server, found, gallery)
    runs = [scene.started(station.run()) for station in found]
    for own in ports:
        wait_for_port(own)
    config = f"{scene.folder}/haproxy.cfg"
    with open(config, "w", encoding="utf-8") as file:
        servers = "\n".join(
            f"    server receiver{number} 127.0.0.1:{own} check inter 200 fall 1 rise 1 send-proxy-v2" for number, own in enumerate(ports))
        data = "".join(
            DATA.format(outside=OUTSIDE, number=number, first=low, last=high) for number, (low, high) in enumerate(ranges))
        file.write(BALANCER.format(outside=OUTSIDE, port=port, servers=servers, data=data))
    balancer = Program("haproxy", [shutil.which("haproxy", path="/usr/sbin:/usr/bin"), "-db", "-f", config], f"{scene.folder}/haproxy.log")
    with balancer:
        wait_for_port(port, host=OUTSIDE)
        refuses_strangers(ports)
        cameras = [camera(scene, number, port, gallery) for number in range(CAMERAS)]
        total = sum(len(one.pictures) for one in cameras)
        for one in cameras:
            one.start()
        kills, most = 0, min(scene.count, 6)
        while any(one.is_alive() for one in cameras):
            done = sum(len(one.told) for one in cameras)
            # Between the inbox and the answer to a camera.
            if kills < most and done > total * (kills + 1) / (most + 2) and not gallery.is_quiet:
                number, kills = kills % 2, kills + 1
                runs[number].kill()
                runs[number].wait()
                time.sleep(scene.rng.uniform(0.2, 2))
                runs[number] = scene.started(found[number].run())
                wait_for_port(ports[number])
            time.sleep(0.01)
    for one in cameras:
        if one.failure:
            raise one.failure
    wait_until("the end of telling", lambda: all(station.waiting() == 0 and not open_ones(station) for station in found), 120)
    for run in runs:
        interrupted(run, "a receiver")
    truth.check("two receivers")
    kept = Counter(gallery.kept)
    if set(kept) != {sha for one in cameras for sha in one.told} or len(kept) != total:
        raise Failure(f"the gallery has {len(kept)} pictures of {total}")
    if kills and not sum(one.again for one in cameras):
        raise Failure("receivers were killed, and no camera had to send anything again")
    again = sum(one.again for one in cameras)
    print(f"{total} pictures by {CAMERAS} cameras through haproxy to two receivers, which were killed {kills} times: each is at the "
          f"gallery once, nobody was told yes before; {again} were sent again")


def refuses_strangers(ports):
    """Who comes past the balancer is not let in, whatever address it claims."""
    header = b"PROXY TCP4 127.0.1.1 127.0.0.1 1000 21\r\n"
    for home, first in (("127.0.0.9", header), ("127.0.0.9", b""), ("127.0.0.1", b"USER cam0\r\n")):
        with socket.create_connection(("127.0.0.1", ports[0]), 10, (home, 0)) as line:
            line.sendall(first)
            try:
                heard = line.recv(100)
            except ConnectionError:
                heard = b""
        if heard:
            raise Failure(f"a receiver spoke to {home} past the balancer: {heard}")


def open_ones(station):
    states = station.states()
    return sum(states.values()) - states["done"]


def camera(scene, number, port, gallery):
    count = 50 if scene.count > 1 else 4
    card = make_card(f"{scene.folder}/camera{number}", count, scene.rng.randrange(1 << 30))
    pictures = [(os.path.basename(name), sha) for name, sha in files_below(card).items()]
    return Camera(number, port, f"{card}/DCIM/100TEST", gallery, pictures)
