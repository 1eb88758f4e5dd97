"""Programs and people that put files into a hot folder, each in a way of its own. Each returns what it put there: bytes by name."""
import os
import random
import shutil
import subprocess
import threading
import time


def jpeg(rng, size=60_000):
    """A whole JPEG whose bytes nobody else has: comments of random content between its beginning and its end."""
    body = bytearray(b"\xff\xd8")
    while len(body) < size:
        part = rng.randbytes(min(65_000, size - len(body) + 1))
        body += b"\xff\xfe" + (len(part) + 2).to_bytes(2, "big") + part
    return bytes(body + b"\xff\xd9")


class Writer:
    """`hot` is the watched folder, `outside` one on the same disk that nobody watches; `settle` its waiting time in seconds."""

    def __init__(self, hot, outside, settle, seed):
        self.hot, self.outside, self.settle = hot, outside, settle
        self.rng = random.Random(seed)
        self.lock = threading.Lock()

    def picture(self, size=60_000):
        with self.lock:
            return jpeg(self.rng, size)

    def slow(self):
        data = self.picture(200_000)
        with open(self.hot + "/slow.jpg", "wb") as file:
            for start in range(0, len(data), 5000):
                file.write(data[start:start + 5000])
                file.flush()
                time.sleep(self.settle / 5)
        return [data]

    def preallocating(self):
        """As shares do: the whole length first, then piece by piece, closed in between."""
        data = self.picture(300_000)
        path = self.hot + "/allocated.jpg"
        with open(path, "wb") as file:
            file.truncate(len(data))
        for start in range(0, len(data), 60_000):
            time.sleep(self.settle * 1.3)
            with open(path, "r+b") as file:
                file.seek(start)
                file.write(data[start:start + 60_000])
        return [data]

    def zero_first(self):
        data = self.picture()
        path = self.hot + "/zero.jpg"
        open(path, "wb").close()
        time.sleep(self.settle * 2)
        with open(path, "wb") as file:
            file.write(data)
        return [data]

    def append_after_pause(self):
        data = self.picture()
        path = self.hot + "/paused.jpg"
        with open(path, "wb") as file:
            file.write(data[:20_000])
        time.sleep(self.settle * 3)
        with open(path, "ab") as file:
            file.write(data[20_000:])
        return [data]

    def rename_in(self):
        first, second, third = self.picture(), self.picture(), self.picture()
        for name, data in (("/one.jpg", first), ("/two.jpg.tmp", second), ("/.three.jpg.x9Kd", third)):
            base = self.outside if name == "/one.jpg" else self.hot
            with open(base + name, "wb") as file:
                file.write(data)
        os.rename(self.outside + "/one.jpg", self.hot + "/one.jpg")
        time.sleep(self.settle * 2)
        os.rename(self.hot + "/two.jpg.tmp", self.hot + "/two.jpg")
        os.rename(self.hot + "/.three.jpg.x9Kd", self.hot + "/three.jpg")
        return [first, second, third]

    def rewritten(self):
        """Cut and written again before anybody took it: only the second is a picture."""
        first, second = self.picture(), self.picture(90_000)
        path = self.hot + "/rewritten.jpg"
        with open(path, "wb") as file:
            file.write(first[:30_000])
        time.sleep(self.settle / 3)
        with open(path, "wb") as file:
            file.write(second)
        return [second]

    def deleted(self):
        for number in range(20):
            path = f"{self.hot}/deleted{number}.jpg"
            with open(path, "wb") as file:
                file.write(self.picture(5000)[:-2])
            os.unlink(path)
        return []

    def renamed_while_queued(self):
        data = self.picture()
        with open(self.hot + "/before.jpg", "wb") as file:
            file.write(data)
        time.sleep(self.settle / 4)
        os.rename(self.hot + "/before.jpg", self.hot + "/after.jpg")
        return [data]

    def links(self):
        data = self.picture()
        os.makedirs(self.hot + "/links/deep")
        os.symlink("..", self.hot + "/links/deep/loop")
        os.symlink(self.hot, self.hot + "/links/top")
        with open(self.hot + "/links/deep/real.jpg", "wb") as file:
            file.write(data)
        os.symlink("real.jpg", self.hot + "/links/deep/alias.jpg")
        return [data]

    def names(self):
        names = ["\u00e9t\u00e9.jpg".encode(), "e\u0301te\u0301.jpg".encode(), "\u5199\u771f \U0001f4f7.jpg".encode(), b"bad-\xff\xfe.jpg",
                 b"x" * 251 + b".jpg", "\u00fc".encode() * 125 + b".jpg", b"with\nline.jpg", b"-rf.jpg", b"%s%n.jpg", b" space .jpg"]
        made = []
        for name in names:
            data = self.picture(8000)
            with open(self.hot.encode() + b"/" + name, "wb") as file:
                file.write(data)
            made.append(data)
        return made

    def trees(self):
        """A tree that is moved in whole, and folders that fill as they come."""
        made = []
        for base in (self.outside + "/tree", self.hot + "/growing"):
            for number in range(60):
                folder = f"{base}/{number % 7}/{number % 3}/x"
                os.makedirs(folder, exist_ok=True)
                data = self.picture(4000)
                with open(f"{folder}/T{number}.jpg", "wb") as file:
                    file.write(data)
                made.append(data)
        os.rename(self.outside + "/tree", self.hot + "/tree")
        return made

    def many(self, count):
        """More at once than the kernel's queue of events holds."""
        made = []
        for number in range(count):
            if number % 500 == 0:
                os.makedirs(f"{self.hot}/many/{number // 500}", exist_ok=True)
            data = b"\xff\xd8\xff\xfe\x00\x0a" + number.to_bytes(8, "big") + b"\xff\xd9"
            with open(f"{self.hot}/many/{number // 500}/M{number}.jpg", "wb") as file:
                file.write(data)
            made.append(data)
        return made

    def stock(self, folder, count, size=30_000):
        """Files to be copied by a program."""
        os.makedirs(f"{folder}/sub")
        made = []
        for number in range(count):
            data = self.picture(size)
            with open(f"{folder}/{'sub/' if number % 3 else ''}{os.path.basename(folder)}{number}.jpg", "wb") as file:
                file.write(data)
            made.append(data)
        return made

    def rsync(self):
        made = self.stock(self.outside + "/rs", 30)
        os.makedirs(self.hot + "/rsync")
        subprocess.run(["rsync", "-a", "--bwlimit=4000", self.outside + "/rs/", self.hot + "/rsync/"], check=True)
        os.makedirs(self.hot + "/inplace")
        shutil.rmtree(self.outside + "/rs")
        made += self.stock(self.outside + "/rs", 10)
        subprocess.run(["rsync", "-a", "--inplace", self.outside + "/rs/", self.hot + "/inplace/"], check=True)
        return made
