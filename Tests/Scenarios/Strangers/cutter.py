"""A network between a client and a server that breaks connections on the way there and loses answers on the way back."""
import random
import socket
import struct
import threading


class Cutter:
    """Listens on `port` and passes on to `to`. Of the connections, `share` are broken: most while the client sends, the others once the
    server has begun to answer, so that what it did is not heard of. `there` and `back` say within how many bytes of each way; until one
    was cut and an answer was lost, all are, within the third number of theirs."""

    def __init__(self, port, to, seed, there=(2_000, 900_000, 8_000), back=(40, 2_500, 200), share=0.6):
        self.to, self.share, self.rng, self.there, self.back = to, share, random.Random(seed), there, back
        self.lock = threading.Lock()
        self.connections, self.cuts, self.lost = 0, 0, 0
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
        with self.lock:
            self.connections += 1
            there, back = self.limits(self.connections)
        try:
            server = socket.create_connection(("127.0.0.1", self.to))
        except OSError:
            client.close()
            return
        threading.Thread(target=self.pass_on, args=(client, server, there, False), daemon=True).start()
        self.pass_on(server, client, back, True)

    def limits(self, number):
        """After how many bytes each way breaks; 0 = never."""
        is_cut = number == 1 or not self.cuts and number % 2 == 1
        is_lost = not is_cut and not self.lost
        if not (is_cut or is_lost) and self.rng.random() >= self.share:
            return 0, 0
        low, high, early = self.there
        if is_cut or not is_lost and self.rng.random() < 0.6:
            return self.rng.randint(low, early if is_cut else high), 0
        low, high, early = self.back
        return 0, self.rng.randint(low, early if is_lost else high)

    def pass_on(self, source, drain, limit, is_answer):
        """Until `limit` bytes are exceeded, then both ends are reset; 0 = for as long as there are bytes."""
        passed = 0
        try:
            while data := source.recv(16384):
                passed += len(data)
                if limit and passed > limit:
                    with self.lock:
                        self.cuts, self.lost = self.cuts + (not is_answer), self.lost + is_answer
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
