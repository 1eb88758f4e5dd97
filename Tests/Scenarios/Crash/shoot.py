"""A shoot that scripts can disturb: virtual cameras of several makes, a gallery, and a `filmgate run` that takes from them."""
import os
import time

from pipelines import LIVE
from program import Program, free_port, gallery
from proof import Failure, folder, integrity, received, settled


class Shoot:
    """Cameras, a gallery and a run, in a folder of their own."""

    def __init__(self, options, place, rng):
        self.patience = options.patience
        self.place, self.rng, self.program = place, rng, os.path.abspath(options.filmgate)
        self.state, self.archive, self.gallery = (os.path.join(place, name) for name in ("state", "archive", "gallery"))
        os.makedirs(self.archive)
        self.frames, sources, self.cameras = {}, [], []
        for make in options.makes.split(","):
            card, port = os.path.join(place, "card-" + make), free_port()
            self.frames.update(self.shots(card, make, options.shots, options.largest))
            sources.append(f'  - {make}: {{ hosts: ["127.0.0.1:{port}"], backlog: all }}')
            simulate = [self.program, "camera", "simulate", "--make", make, "--port", str(port), "--files", card]
            self.cameras.append(Program(make, simulate + ["--shoot-every", f"{options.every}ms"], again=simulate))
        port, pipeline = free_port(), os.path.join(place, "live.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(LIVE.format(sources="\n".join(sources), archive=self.archive, port=port))
        self.server = gallery(self.program, self.gallery, port)
        self.run = Program("run", [self.program, "run", pipeline, "--state", self.state, "--json"], log=os.path.join(place, "run.log"))
        self.port = port

    def shots(self, card, make, count, largest):
        """Frames of different length and content; every third with a RAW of the same name."""
        found, base = {}, os.path.join(card, "DCIM", "100TEST")
        os.makedirs(base)
        for number in range(count):
            for ext in ("JPG", "DNG") if number % 3 == 0 else ("JPG",):
                size = self.rng.randrange(2_000, largest)
                head = b"\xff\xd8\xff\xd9" if ext == "JPG" else b"II*\0\x08\0\0\0\0\0\0\0\0\0"
                name = f"{make[:3].upper()}_{number:05}.{ext}"
                with open(os.path.join(base, name), "wb") as file:
                    file.write(head + self.rng.randbytes(size))
        for name, digest in folder(card).items():
            found[os.path.basename(name)] = digest
        return found

    def wait(self):
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            kept = sum(len(names) for base, _, names in os.walk(self.archive) if "/." not in base)
            if kept >= len(self.frames) and os.path.isdir(self.gallery + "/assets") \
                    and len(os.listdir(self.gallery + "/assets")) >= len(set(self.frames.values())):
                return
            time.sleep(0.2)

    def check(self):
        kept, sent = folder(self.archive), received(self.gallery)
        if kept != self.frames:
            lost = sorted(set(self.frames) - set(kept))
            extra = sorted(set(kept) - set(self.frames))
            raise Failure(f"folder: {len(kept)} of {len(self.frames)} files; lost {lost[:5]}, extra {extra[:5]}, or other bytes")
        if set(sent) != set(self.frames.values()):
            raise Failure(f"gallery: {len(sent)} of {len(set(self.frames.values()))} assets")
        integrity(self.state)
        settled(self.state, targets=2)

    def close(self):
        for program in [self.run, self.server, *self.cameras]:
            program.close()
