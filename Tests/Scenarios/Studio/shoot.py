"""A shoot with its page: sources, an archive, a gallery, a run and `filmgate studio`, in folders of their own."""
import ftplib
import io
import os
import subprocess
import time

import frames
from program import Program, free_port, gallery, wait_for_port
from proof import Failure
from studio import Studio

# How the run signs in at the gallery, where nothing else is said.
FIXED = 'bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" }'
PASSWORD = "a word that is long enough"
os.environ["SCENARIO_FTP"] = PASSWORD
CARDS = "/media"
PIPELINE = """\
version: 1
name: shoot
sources:
{sources}
{more}
retry: {{ {retry} }}
stages: [ {{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [archive, gallery] }} }} ]
targets:
  archive: {{ folder: {{ path: "{archive}", verify: reread }} }}
  gallery:
    http:
      url: "http://127.0.0.1:{port}/api/assets"
      auth: studio
      digest: {{ json: sha256 }}
      find: {{ url: "http://127.0.0.1:{port}/api/assets/by-digest/{{sha256}}" }}
auth:
  studio: {{ {auth} }}
"""


class Shoot:
    """Use as a context: the gallery and the page run inside it, and whatever else was started ends with it."""

    def __init__(self, filmgate, base, camera=False, ftp=False, card=False, more="", retry="first: 300ms, most: 1s", names=(), auth=FIXED, encrypted=False):
        self.filmgate, self.base = os.path.abspath(filmgate), base
        self.hot, self.state, self.archive, self.gallery_folder = (os.path.join(base, name) for name in ("hot", "state", "archive", "gallery"))
        self.pipeline, self.programs, self.number, self.cards = os.path.join(base, "shoot.yaml"), [], 0, []
        for folder in (self.hot, self.archive):
            os.makedirs(folder)
        self.gallery_port, self.camera_port, self.ftp_port = free_port(), free_port(), free_port()
        sources = [f'  - folder: {{ path: "{self.hot}", settle: 0ms, companions: 0ms }}'] if not card else ["  - card: {}"]
        if camera:
            sources.append(f'  - ptp: {{ hosts: ["127.0.0.1:{self.camera_port}"], usb: false, backlog: all }}')
        if ftp:
            login = '{ user: body, password: "${env:SCENARIO_FTP}" }'
            sources.append(f'  - ftp: {{ listen: "127.0.0.1:{self.ftp_port}", settle: 50ms, companions: 0ms, logins: [ {login} ] }}')
        with open(self.pipeline, "w", encoding="utf-8") as file:
            file.write(PIPELINE.format(sources="\n".join(sources), more=more, retry=retry, archive=self.archive, port=self.gallery_port, auth=auth))
        self.studio = Studio(self.filmgate, self.state, self.log("studio"), self.pipeline, names, encrypted)
        self.gallery = gallery(self.filmgate, self.gallery_folder, self.gallery_port, log=self.log("gallery"))
        self.run = Program("run", [self.filmgate, "run", self.pipeline, "--state", self.state, "--json"], log=self.log("run"))

    def log(self, name):
        return os.path.join(self.base, name + ".log")

    def __enter__(self):
        self.gallery.start()
        wait_for_port(self.gallery_port)
        self.studio.start()
        return self

    def __exit__(self, *_):
        for program in [self.run, self.studio, self.gallery, *self.programs]:
            program.close()
        for card in list(self.cards):
            self.pull(card)

    def begin(self):
        """Starts the run, and waits until it is there."""
        self.run.start()
        end = time.monotonic() + 30
        while time.monotonic() < end and self.run.is_running:
            with open(self.run.log, "rb") as file:
                file.seek(self.run.said)
                if b'{"type":"status"' in file.read():
                    return
            time.sleep(0.02)
        raise Failure(f"the run did not begin; see {self.run.log}")

    # What comes in.

    def drop(self, count=1, name=None, **facts):
        """Puts frames into the hot folder; their names."""
        made = []
        for _ in range(count):
            self.number += 1
            made.append(name or f"IMG_{self.number:04}.JPG")
            self.put(made[-1], frames.jpeg(self.number, **facts))
        return made

    def put(self, name, data):
        """A file of that name into the hot folder, whole at once."""
        hidden = os.path.join(self.hot, f".{name[:200]}.tmp")
        with open(hidden, "wb") as file:
            file.write(data)
        os.rename(hidden, os.path.join(self.hot, name))

    def photograph(self, count, slow=False):
        """A virtual camera that makes a frame every 300 ms; their names. To be called before the run begins.

        `slow`: it has all of them already, and gives one in about half a second.
        """
        files, made = os.path.join(self.base, "camera"), []
        os.makedirs(os.path.join(files, "DCIM", "100TEST"))
        for number in range(count):
            made.append(f"CAM_{number:04}.JPG")
            with open(os.path.join(files, "DCIM", "100TEST", made[-1]), "wb") as file:
                file.write(frames.jpeg(10_000 + number, size=200_000 if slow else 4000, serial="CAMSERIAL1"))
        pace = ["--fault", "dribble@GetPartialObject:times=1000000"] if slow else ["--shoot-every", "300ms"]
        words = ["camera", "simulate", "--make", "ptp", "--port", str(self.camera_port), "--files", files, *pace]
        self.programs.append(Program("camera", [self.filmgate, *words], log=self.log("camera")).start())
        wait_for_port(self.camera_port)
        return made

    def push(self, count):
        """Frames over FTP; their names."""
        client, made = ftplib.FTP(timeout=30), []
        client.connect("127.0.0.1", self.ftp_port)
        client.login("body", PASSWORD)
        for number in range(count):
            made.append(f"FTP_{number:04}.JPG")
            client.storbinary("STOR " + made[-1], io.BytesIO(frames.jpeg(20_000 + number)))
        client.quit()
        return made

    # Cards: memory disks where desktops mount cards, in a mount namespace of this scenario's own.

    def insert(self, name="FILMGATE_TEST", count=6, sidecars=False):
        """A card with frames on it, each with a sidecar where these are asked for; its mount point."""
        point = os.path.join(CARDS, name)
        os.makedirs(point, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", f"/dev/{name}", point], check=True)
        self.cards.append(point)
        os.makedirs(os.path.join(point, "DCIM", "100CANON"))
        for _ in range(count):
            self.number += 1
            with open(os.path.join(point, "DCIM", "100CANON", f"IMG_{self.number:04}.JPG"), "wb") as file:
                file.write(frames.jpeg(self.number))
            if sidecars:
                with open(os.path.join(point, "DCIM", "100CANON", f"IMG_{self.number:04}.XMP"), "w", encoding="utf-8") as file:
                    file.write(f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- {self.number} --></x:xmpmeta>\n')
        return point

    def pull(self, point):
        subprocess.run(["umount", "-l", point], check=False)
        self.cards.remove(point)

    # What is where.

    def kept(self):
        """The files of the archive."""
        return sorted(
            os.path.join(path, name) for path, _, names in os.walk(self.archive) if "/." not in path for name in names if not name.startswith("."))

    def sent(self):
        assets = os.path.join(self.gallery_folder, "assets")
        return len(os.listdir(assets)) if os.path.isdir(assets) else 0

    def lose(self, sha256):
        """The gallery loses an asset; what it gives brings it back, as it is when the gallery begins anew."""
        there, away = os.path.join(self.gallery_folder, "assets", sha256), os.path.join(self.base, sha256)
        os.rename(there, away)

        def back():
            self.gallery.kill()
            os.rename(away, there)
            self.gallery.start()
            wait_for_port(self.gallery_port)
        return back

    def prove(self, card, code):
        """`safe-to-format` beside the page, which ends with that exit status."""
        words = ["safe-to-format", card, "--pipeline", self.pipeline, "--state", self.state, "--json"]
        done = subprocess.run([self.filmgate, *words], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != code:
            raise Failure(f"safe-to-format ended with {done.returncode} instead of {code}: {done.stdout[-500:]} {done.stderr[-500:]}")

    def wait(self, count, seconds=30):
        """Until the archive and the gallery have so many files."""
        end = time.monotonic() + seconds
        while len(self.kept()) < count or self.sent() < count:
            if time.monotonic() > end:
                raise Failure(f"{len(self.kept())} files in the archive and {self.sent()} at the gallery instead of {count}")
            time.sleep(0.05)


def own_mounts(script):
    """Begins this script anew where what it mounts is seen by nobody else, and is gone when it ends."""
    if os.environ.get("SCENARIO_MOUNTS"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "filmgate-cards", CARDS], check=True)
        return
    words = ["unshare", "--mount", "--propagation", "private"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])
    os.environ["SCENARIO_MOUNTS"] = "own"
    os.execvp("unshare", words + script)
