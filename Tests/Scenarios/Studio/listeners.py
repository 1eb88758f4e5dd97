#!/usr/bin/env python3
"""Many readers of one page's stream, in a process of their own; one of them can be stopped for a while.

    listeners.py PORT COUNT      the token comes as the first line of standard input; then a word a line:
      stop    the first reader takes nothing more
      go      it reads on, and begins anew behind what it saw last where the server has closed it
      end     prints one JSON object of what all of them received, and ends

What was received is looked at only in the end, so that reading costs next to nothing. Times are nanoseconds since 1970.
"""
import json
import selectors
import socket
import sys
import time


class Reader:
    """One connection, and what came over it."""

    def __init__(self, port, token, small=False):
        self.port, self.token, self.small, self.parts, self.socket = port, token, small, [], None
        self.earlier, self.count, self.breaks = [], 0, 0

    def connect(self, since=None):
        self.socket = socket.socket()
        if self.small:
            # Little fits on its way, so that the server notices soon that nobody reads.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect(("127.0.0.1", self.port))
        last = f"Last-Event-ID: {since}\r\n" if since else ""
        self.socket.sendall(
            f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n{last}\r\n".encode())
        self.socket.setblocking(False)
        return self

    def take(self):
        """What is there now; false once the server has closed."""
        try:
            data = self.socket.recv(1 << 18)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if data:
            self.parts.append((time.time_ns(), data))
            self.count += len(data)
        return bool(data)

    def again(self):
        """A new connection behind the last whole event."""
        self.earlier += list(events(self.parts))
        self.parts, self.breaks = [], self.breaks + 1
        self.socket.close()
        numbers = [number for _, number, _, _ in self.earlier if number]
        return self.connect(numbers[-1] if numbers else None)

    def told(self):
        """When each file was first told of here, by its name; when anything was told last."""
        first, last = {}, 0
        for when, _, kind, data in self.earlier + list(events(self.parts)):
            last = when
            for frame in json.loads(data)["frames"] if kind == "frames" else []:
                first.setdefault(frame["path"].split("/")[-1], when)
        return {"first": first, "last": last, "bytes": self.count, "breaks": self.breaks}


def events(parts):
    """The events of an answer in chunks, each with the moment at which its end had come."""
    head, body, chunked = True, b"", b""
    for when, data in parts:
        chunked += data
        if head:
            if b"\r\n\r\n" not in chunked:
                continue
            start, _, chunked = chunked.partition(b"\r\n\r\n")
            if b" 200 " not in start.split(b"\r\n")[0]:
                raise SystemExit(f"the stream was answered with {start[:200]!r}")
            head = False
        while b"\r\n" in chunked:
            size, _, rest = chunked.partition(b"\r\n")
            length = int(size or b"0", 16)
            if len(rest) < length + 2:
                break
            body, chunked = body + rest[:length], rest[length + 2:]
        while b"\n\n" in body:
            text, _, body = body.partition(b"\n\n")
            lines = dict(line.split(": ", 1) for line in text.decode().splitlines() if ": " in line)
            yield when, lines.get("id"), lines.get("event"), lines.get("data", "{}")


def main():
    port, count = int(sys.argv[1]), int(sys.argv[2])
    token = sys.stdin.readline().strip()
    readers = [Reader(port, token, small=number == 0).connect() for number in range(count)]
    waits, stopped, gone = selectors.DefaultSelector(), False, 0
    for reader in readers:
        waits.register(reader.socket, selectors.EVENT_READ, reader)
    waits.register(sys.stdin, selectors.EVENT_READ, None)
    print("ready", flush=True)
    while True:
        for key, _ in waits.select():
            if key.data is not None:
                if not key.data.take():
                    waits.unregister(key.fileobj)
                    waits.register(key.data.again().socket, selectors.EVENT_READ, key.data)
                continue
            word = sys.stdin.readline().strip()
            if word == "stop" and not stopped:
                waits.unregister(readers[0].socket)
                stopped = True
                print("stopped", flush=True)
            elif word == "go" and stopped:
                gone, stopped = time.time_ns(), False
                waits.register(readers[0].socket, selectors.EVENT_READ, readers[0])
                print("going", flush=True)
            elif word in ("end", ""):
                print(json.dumps({"gone": gone, "readers": [reader.told() for reader in readers]}), flush=True)
                return


if __name__ == "__main__":
    main()
