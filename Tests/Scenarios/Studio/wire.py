"""A network between a browser and the page that can be taken away: nothing gets through, and nobody is told."""
import select
import socket
import threading
import time


class Wire:
    """A port that leads to another one; use as a context."""

    def __init__(self, port, to):
        self.port, self.to = port, to
        self.is_held, self.is_over, self.pairs = False, False, []

    def __enter__(self):
        self.server = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.server.close()
        for pair in self.pairs:
            for one in pair:
                one.close()

    def accept(self):
        while not self.is_over:
            try:
                near, _ = self.server.accept()
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                return
            self.pairs.append((near, far))
            threading.Thread(target=self.lead, args=(near, far), daemon=True).start()

    def lead(self, near, far):
        """Both directions of one connection, until one end closes."""
        try:
            while True:
                if self.is_held:
                    time.sleep(0.02)
                    continue
                ready, _, _ = select.select([near, far], [], [], 0.1)
                for one in ready:
                    data = one.recv(65536)
                    if not data:
                        return
                    (far if one is near else near).sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            near.close()
            far.close()

    def hold(self):
        self.is_held = True

    def mend(self):
        self.is_held = False
