"""A network between a client and a server that breaks connections on the way there and loses answers on the way back."""
import random
import socket
import struct
import threading


class Cutter:
    """Listens on `port` and passes on to `to`. Of the connections, `share` are broken: most while the client sends, the others once the
    server has begun to answer, so that what it did is not heard of."""

    def __init__(self, port, to, seed, share=0.6):
        self.to, self.share, self.rng = to, share, random.Random(seed)
        self.connections, self.cuts = 0, 0
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", port), backlog=64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.connect, args=(client,), daemon=True).start()

    def connect(self, client):
        self.connections += 1
        there = back = 0
        # The first one always breaks.
        if self.connections == 1 or self.rng.random() < self.share:
            if self.rng.random() < 0.6:
                # The first one within what one small file needs, so that it is cut for certain.
                there = self.rng.randint(2_000, 900_000 if self.connections > 1 else 8_000)
            else:
                back = self.rng.randint(150, 2_500 if self.connections > 1 else 160)
        try:
            server = socket.create_connection(("127.0.0.1", self.to))
        except OSError:
            client.close()
            return
        threading.Thread(target=self.pass_on, args=(client, server, there), daemon=True).start()
        self.pass_on(server, client, back)

    def pass_on(self, source, drain, limit):
        """Until `limit` bytes are exceeded, then both ends are reset; 0 = for as long as there are bytes."""
        passed = 0
        try:
            while data := source.recv(16384):
                passed += len(data)
                if limit and passed > limit:
                    self.cuts += 1
                    for end in (source, drain):
                        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        end.shutdown(socket.SHUT_RDWR)
                    return
                drain.sendall(data)
            drain.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.close()
