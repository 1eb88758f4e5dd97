"""Where the measuring happens: cards in memory, destinations on disk, one filmgate."""
import os
import shutil
import subprocess
import tempfile

from measure import run


class Place:
    """Use as a context; everything is removed at the end."""

    def __init__(self, options, filmgate):
        """`filmgate` is measured; what plays its cameras and galleries is the same program for whatever is measured."""
        self.filmgate, self.peer = os.path.abspath(filmgate), os.path.abspath(options.filmgate)
        memory = "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None
        self.memory = tempfile.mkdtemp(prefix="filmgate-bench-", dir=memory)
        self.disk = tempfile.mkdtemp(prefix="filmgate-bench-", dir=options.disk)
        self.counter = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.memory, ignore_errors=True)
        shutil.rmtree(self.disk, ignore_errors=True)

    def card(self, name, pairs, jpeg, raw):
        """A bulk card in memory."""
        path = os.path.join(self.memory, name)
        subprocess.run(
            [self.filmgate, "sample", "card", path, "--pairs", str(pairs), "--jpeg-size", jpeg, "--raw-size", raw],
            check=True, stdout=subprocess.DEVNULL)
        return path

    def picture(self):
        """One JPEG with full Exif to make others from."""
        card = os.path.join(self.memory, "picture")
        if not os.path.isdir(card):
            subprocess.run([self.filmgate, "sample", "card", card], check=True, stdout=subprocess.DEVNULL)
        return os.path.join(card, "DCIM", "100CANON", "IMG_0001.JPG")

    def samples(self, cards):
        """Mixed files: sample cards, many times over."""
        card = os.path.join(os.path.dirname(self.picture()), "..")
        folder = os.path.join(self.memory, "mixed")
        for number in range(cards):
            shutil.copytree(card, os.path.join(folder, str(number)), ignore=shutil.ignore_patterns("._*", "*.db"))
        return folder

    def fresh(self):
        """A new folder on disk, not yet created."""
        self.counter += 1
        return os.path.join(self.disk, f"d{self.counter}")

    def clear(self, *_):
        """Forgets what earlier runs left: their files, and their bytes that still wait for the disk."""
        for name in os.listdir(self.disk):
            shutil.rmtree(os.path.join(self.disk, name))
        os.sync()

    def forget(self, folder):
        """Drops a folder's bytes from memory, once they are on the disk."""
        os.sync()
        for path, _, names in os.walk(folder):
            for name in names:
                file = os.open(os.path.join(path, name), os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(file)

    def take(self, card, to, state=None, *more):
        """An import; each needs a state of its own unless it is to remember."""
        state = state or self.fresh()
        return run([self.filmgate, "import", card, "--to", to, "--state", state, "--json", *more])
