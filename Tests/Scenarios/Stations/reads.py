"""Which files below a folder are read while a program runs, as the kernel tells it."""
import ctypes
import os
import struct

IN_ACCESS, IN_NONBLOCK = 0x1, 0o4000
HEAD = struct.Struct("iIII")


class Reads:
    """Notes whatever is read below a folder, by whoever reads it; use as a context, and ask for `names` before it ends."""

    def __init__(self, folder):
        self.folder, self.library, self.found, self.places = folder, ctypes.CDLL(None, use_errno=True), set(), {}

    def __enter__(self):
        self.file = self.library.inotify_init1(IN_NONBLOCK)
        for base, _, _ in os.walk(self.folder):
            watch = self.library.inotify_add_watch(self.file, os.fsencode(base), IN_ACCESS)
            if watch < 0:
                raise OSError(ctypes.get_errno(), "inotify", base)
            self.places[watch] = os.path.relpath(base, self.folder)
        return self

    def __exit__(self, *_):
        os.close(self.file)

    @property
    def names(self):
        """Below the folder."""
        while True:
            try:
                data = os.read(self.file, 1 << 16)
            except BlockingIOError:
                return self.found
            while data:
                watch, _, _, length = HEAD.unpack_from(data)
                name = data[HEAD.size:HEAD.size + length].rstrip(b"\0").decode()
                if watch in self.places:
                    self.found.add(os.path.normpath(f"{self.places[watch]}/{name}"))
                data = data[HEAD.size + length:]
