"""Uploading to nginx WebDAV over TLS, near and far, beside curl and rclone."""
import os
import secrets
import shutil
import signal
import subprocess
import sys

import tiny
from measure import paired, ratios, run
from program import free_port, wait_for_port

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY_LIMIT = 64
# Times curl's wall time; what is not here may take 1.5 times.
LIMITS = {"10 × 60 MB": 1.3}
# The files are sent from where they lie, as the other programs do.
PIPELINE = """\
version: 1
sources: [folder: {{ path: "{folder}", take: inplace, settle: 0s, companions: 0s }}]
stages: [upload: {{ to: [nas] }}]
targets:
  nas: {{ webdav: {{ url: "{url}/{{name}}", auth: cam, ca_file: "{authority}", placing: direct, workers: {workers} }} }}
auth: {{ cam: {{ basic: {{ username: cam, password: "${{env:CAM}}" }} }} }}
"""


class Server:
    """nginx with WebDAV over TLS, and a way to it that takes 50 ms; use as a context."""

    def __init__(self, place):
        self.folder = os.path.join(place.memory, "nginx")
        self.environment = dict(os.environ, CAM="secret")
        self.processes, self.rooms = [], 0

    def __enter__(self):
        os.makedirs(self.folder)
        os.chmod(self.folder, 0o755)
        os.chmod(os.path.dirname(self.folder), 0o755)
        self.near, plain, self.far = (free_port() for _ in range(3))
        script = os.path.join(HERE, "..", "Peers", "servers", "nginx-dav.sh")
        self.start(["bash", script, self.folder, str(self.near), str(plain)])
        self.start([sys.executable, os.path.join(HERE, "delay.py"), str(self.far), str(self.near), "50"])
        for port in (self.near, self.far):
            wait_for_port(port)
        self.authority = os.path.join(self.folder, "ca.pem")
        return self

    def start(self, command):
        self.processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))

    def __exit__(self, *_):
        for process in self.processes:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()

    def room(self, port):
        """The address of a folder with nothing in it."""
        self.rooms += 1
        return f"https://localhost:{port}/r{self.rooms}"

    def check(self, url, count, size):
        """Everything arrived; then it makes room."""
        folder = os.path.join(self.folder, "files", url.rsplit("/", 1)[1])
        sizes = [entry.stat().st_size for entry in os.scandir(folder) if entry.is_file()]
        if len(sizes) != count or any(one != size for one in sizes):
            raise SystemExit(f"{url}: {len(sizes)} files instead of {count}, or of other sizes")
        shutil.rmtree(folder)


def folder_of(place, name, count, size):
    """Whole JPEGs: a head from a sample card, noise, and an end; every one another content."""
    sample = os.path.join(place.memory, "sample")
    if not os.path.isdir(sample):
        subprocess.run([place.filmgate, "sample", "card", sample], check=True, stdout=subprocess.DEVNULL)
    head = tiny.head_of(os.path.join(sample, "DCIM", "100CANON", "IMG_0001.JPG"))
    folder = os.path.join(place.memory, name)
    os.makedirs(folder)
    for number in range(count):
        with open(os.path.join(folder, f"IMG_{number:04}.JPG"), "wb") as file:
            file.write(head)
            for left in range(size - len(head) - 2, 0, -(1 << 20)):
                file.write(secrets.token_bytes(min(left, 1 << 20)).replace(b"\xff", b"\xfe"))
            file.write(b"\xff\xd9")
    return folder


class Peers:
    """The same files to the same server, by each program."""

    def __init__(self, place, server, folder, count, size):
        self.place, self.server, self.folder, self.count, self.size = place, server, folder, count, size

    def done(self, result, url):
        self.server.check(url, self.count, self.size)
        return result

    def curl(self, port):
        url, script = self.server.room(port), os.path.join(self.place.memory, "curl.config")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'parallel\nparallel-max = 8\nsilent\nfail\nuser = "cam:secret"\ncacert = "{self.server.authority}"\nheader = "Expect:"\n')
            for name in sorted(os.listdir(self.folder)):
                file.write(f'upload-file = "{self.folder}/{name}"\nurl = "{url}/{name}"\noutput = "/dev/null"\n')
        return self.done(run(["curl", "-q", "-K", script]), url)

    def rclone(self, port):
        url = self.server.room(port)
        secret = subprocess.run(["rclone", "obscure", "secret"], capture_output=True, text=True, check=True).stdout.strip()
        command = ["rclone", "copy", self.folder, ":webdav:", "--webdav-url", url, "--webdav-user", "cam", "--webdav-pass", secret]
        return self.done(run(command + ["--transfers", "8", "--ca-cert", self.server.authority]), url)

    def filmgate(self, port):
        """Over a long way twice as many at once: what a connection waits for there is mostly the way."""
        workers = 16 if port == self.server.far else 8
        url, state = self.server.room(port), self.place.fresh()
        pipeline = os.path.join(self.place.memory, "uploads.yaml")
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(PIPELINE.format(folder=self.folder, url=url, authority=self.server.authority, workers=workers))
        command = [self.place.filmgate, "run", pipeline, "--once", "--state", state, "--json"]
        return self.done(run(command, env=self.server.environment), url)


def uploads(place, table, options):
    """2,000 small files and 10 large ones; wall and CPU time beside curl, then over 50 ms beside the best of curl and rclone."""
    sets = [("2,000 × 200 KB", 2000, 200_000), ("10 × 60 MB", 10, 60_000_000)]
    if options.quick:
        sets = [("200 × 200 KB", 200, 200_000), ("2 × 60 MB", 2, 60_000_000)]
    rounds = 3 if options.quick else options.rounds
    with Server(place) as server:
        for label, count, size in sets:
            folder = folder_of(place, f"upload{count}", count, size)
            peers = Peers(place, server, folder, count, size)
            near = {"curl": lambda _: peers.curl(server.near), "filmgate": lambda _: peers.filmgate(server.near)}
            compare(table, label, paired(near, rounds, before=place.clear))
            far = dict(near_far(peers, server))
            against_best(table, label, paired(far, 1 if options.quick else 3, before=place.clear))
            shutil.rmtree(folder)


def near_far(peers, server):
    for name in ("curl", "rclone", "filmgate"):
        yield name, lambda _, name=name: getattr(peers, name)(server.far)


def middle(values):
    return sorted(values)[len(values) // 2]


def compare(table, label, results):
    wall = {name: middle([one.seconds for one in runs]) for name, runs in results.items()}
    cpu = {name: middle([one.cpu for one in runs]) for name, runs in results.items()}
    ours, curl = results["filmgate"], results["curl"]
    print("  medians: " + ", ".join(f"{name} {wall[name]:.2f} s wall, {cpu[name]:.2f} s CPU" for name in results))
    table.line(f"{label}: wall time / curl", wall["filmgate"] / wall["curl"], LIMITS.get(label, 1.5), " ×", each=ratios(ours, curl), own=(wall["filmgate"], " s"))
    table.line(f"{label}: CPU time / curl", cpu["filmgate"] / cpu["curl"], 1.5, " ×", each=ratios(ours, curl, lambda one: one.cpu), own=(cpu["filmgate"], " s"))
    table.line(f"{label}: peak memory", max(one.peak for one in results["filmgate"]), MEMORY_LIMIT, " MiB")


def against_best(table, label, results):
    wall = {name: middle([one.seconds for one in runs]) for name, runs in results.items()}
    print("  over 50 ms: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in wall.items()))
    best = min("curl", "rclone", key=wall.get)
    each = ratios(results[best], results["filmgate"])
    table.line(f"{label} over 50 ms: speed / best peer", wall[best] / wall["filmgate"], 0.9, " ×", f"beside {best}", at_least=True, each=each, own=(wall["filmgate"], " s"))
