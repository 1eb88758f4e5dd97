"""Somebody who tries passwords while bodies push."""
import socket
import ssl
import threading
import time


class Guesser:
    """A connection for each guess. `patience` = seconds that an answer is waited for; whoever is in a hurry tries far more."""

    def __init__(self, port, login, home, threads, patience):
        self.port, self.login, self.home, self.patience = port, login, home, patience
        self.tried = self.answered = 0
        self.is_over, self.lock = threading.Event(), threading.Lock()
        self.threads = [threading.Thread(target=self.act, daemon=True) for _ in range(threads)]
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def start(self):
        self.begun = time.monotonic()
        for thread in self.threads:
            thread.start()

    def stop(self):
        """Seconds that it took."""
        self.is_over.set()
        for thread in self.threads:
            thread.join(self.patience + 30)
        return time.monotonic() - self.begun

    def act(self):
        while not self.is_over.is_set():
            with self.lock:
                self.tried += 1
                number = self.tried
            try:
                self.guess(f"{number:06}")
            except OSError:
                self.is_over.wait(0.01)

    def guess(self, password):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20, source_address=(self.home, 0)) as plain:
            with self.context.wrap_socket(plain) as line:
                words = line.makefile("rb")
                words.readline()
                line.sendall(f"USER {self.login}\r\n".encode())
                words.readline()
                line.settimeout(self.patience)
                line.sendall(f"PASS {password}\r\n".encode())
                if words.readline()[:3] in (b"530", b"230"):
                    with self.lock:
                        self.answered += 1
