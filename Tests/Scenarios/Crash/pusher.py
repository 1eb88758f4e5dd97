"""A body that pushes over FTP during a shoot: what breaks is sent again or gone on with, until it was told that it is safe."""
import ftplib
import os
import random
import socket
import struct
import threading
import time

PASSWORD = "a word that is long enough"
os.environ["CHAOS_FTP"] = PASSWORD


def source(port, logins):
    """The pipeline's lines for the server that these bodies push to."""
    users = ", ".join(f'{{ user: {login}, password: "${{env:CHAOS_FTP}}" }}' for login in logins)
    return f'  - ftp: {{ listen: "127.0.0.1:{port}", settle: 200ms, logins: [ {users} ] }}\n'


class Pusher:
    """Makes frames that nobody else has, and pushes each once more whenever it cannot know that it arrived."""

    def __init__(self, login, port, rng, largest):
        self.login, self.port, self.rng, self.largest = login, port, random.Random(rng.random()), largest
        self.client, self.count, self.broken = None, 0, 0

    def run(self, until, pause, frames, most=None):
        """`frames` gets each frame's name and digest before it is sent."""
        begun = time.monotonic()
        while time.monotonic() < until and (most is None or self.count < most):
            data = self.frame()
            name = f"{self.login.upper()}_{self.count:05}.JPG"
            frames(name, data)
            self.push(name, data)
            self.count += 1
            time.sleep(max(0, begun + self.count * pause - time.monotonic()))
        self.leave()

    def frame(self):
        size = self.rng.randrange(50, min(self.largest, 60_000))
        return b"\xff\xd8\xff\xfe" + (size + 2).to_bytes(2, "big") + self.rng.randbytes(size) + b"\xff\xd9"

    def push(self, name, data):
        """Until a 226."""
        at = 0
        while True:
            try:
                if self.client is None:
                    self.connect()
                    at = self.there(name, len(data))
                elif self.count % 50 == 49 and at == 0:
                    self.leave()
                    continue
                if self.store(name, data, at):
                    return
                at = self.there(name, len(data))
            except ftplib.error_perm:
                at = 0  # what is there is another's, or was taken: all of it once more
                time.sleep(0.05)
            except (ftplib.Error, OSError, EOFError):
                self.client = None
                time.sleep(0.1)

    def connect(self):
        client = ftplib.FTP(timeout=60)
        client.connect("127.0.0.1", self.port)
        client.login(self.login, PASSWORD)
        client.voidcmd("TYPE I")
        self.client = client

    def there(self, name, size):
        try:
            return min(self.client.size(name) or 0, size)
        except ftplib.error_perm:
            return 0

    def store(self, name, data, at):
        """False where the transfer broke: one in forty does, half-way through what is left."""
        breaks = at == 0 and self.rng.random() < 1 / 40
        line = self.client.transfercmd("STOR " + name, rest=at or None)
        try:
            line.sendall(data[at:at + len(data) // 2] if breaks else data[at:])
            if breaks:
                self.broken += 1
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # as when the network is gone
        finally:
            line.close()
        try:
            self.client.voidresp()
        except ftplib.error_temp as error:
            if str(error).startswith("426"):
                return False
            raise
        return not breaks

    def leave(self):
        if self.client is not None:
            try:
                self.client.quit()
            except (ftplib.Error, OSError, EOFError):
                pass
        self.client = None


class Pushers:
    """Several bodies at once."""

    def __init__(self, port, rng, count=2, largest=20_000):
        self.bodies = [Pusher(f"body{number}", port, rng, largest) for number in range(count)]
        self.threads, self.errors = [], []

    @property
    def logins(self):
        return [body.login for body in self.bodies]

    @property
    def count(self):
        return sum(body.count for body in self.bodies)

    @property
    def broken(self):
        return sum(body.broken for body in self.bodies)

    def start(self, until, pause, frames, most=None):
        """`pause` = seconds from push to push of all of them together."""
        def act(body):
            try:
                body.run(until, pause * len(self.bodies), frames, None if most is None else -(-most // len(self.bodies)))
            except Exception as error:  # told at the end
                self.errors.append(f"{body.login}: {error!r}")
        self.threads = [threading.Thread(target=act, args=(body,), daemon=True) for body in self.bodies]
        for thread in self.threads:
            thread.start()

    def join(self, patience):
        end = time.monotonic() + patience
        for thread in self.threads:
            thread.join(max(0, end - time.monotonic()))
            if thread.is_alive():
                self.errors.append("a body still waits for its answer")
        return self.errors
