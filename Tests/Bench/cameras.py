"""Cameras over PTP/IP on this machine: how fast files come beside gphoto2 and a bare copy over TCP, and what a full card costs."""
import os
import shutil
import socket
import subprocess
import threading

from measure import median, paired, run


class Body:
    """A virtual camera that answers on a port of its own; use as a context."""

    def __init__(self, place, files, make="ptp", *more):
        self.command = [place.filmgate, "camera", "simulate", "--make", make, "--port", "0", "--files", files, *more]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def take(place, body, make, to, state=None, expect=0):
    """Imports all that a virtual camera holds into a folder."""
    os.makedirs(place.disk, exist_ok=True)
    pipeline = os.path.join(place.memory, "camera.yaml")
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(f"""version: 1
sources: [{{ {make}: {{ hosts: ["127.0.0.1:{body.port}"], usb: false }} }}]
stages: [{{ dedupe: {{}} }}, {{ upload: {{ to: [out] }} }}]
targets: {{ out: {{ folder: {{ path: "{to}", verify: size }} }} }}
""")
    return run([place.filmgate, "import", "--pipeline", pipeline, "--state", state or place.fresh(), "--json"], expect=expect)


def bare_copy(paths, to):
    """The same bytes over one TCP connection into files, made durable."""
    server = socket.create_server(("127.0.0.1", 0))

    def send():
        connection, _ = server.accept()
        with connection:
            for path in paths:
                with open(path, "rb") as file:
                    connection.sendfile(file)

    sender = threading.Thread(target=send)
    sender.start()
    program = (
        "import os,socket,sys\n"
        "s=socket.create_connection(('127.0.0.1',int(sys.argv[1])));os.makedirs(sys.argv[2])\n"
        "b=memoryview(bytearray(1<<20))\n"
        "for i,n in enumerate(sys.argv[3:]):\n"
        " n=int(n);f=open(f'{sys.argv[2]}/{i}','wb',0)\n"
        " while n:\n"
        "  k=s.recv_into(b,min(n,1<<20));f.write(b[:k]);n-=k\n"
        " os.fdatasync(f.fileno())\n")
    result = run(["python3", "-c", program, str(server.getsockname()[1]), to] + [str(os.path.getsize(path)) for path in paths])
    sender.join()
    server.close()
    return result


def cameras(place, table, options):
    """Download against gphoto2 and a bare copy, memory for one large clip, and a card of ten thousand files."""
    folder = os.path.join(place.memory, "camera-card")
    os.makedirs(folder)
    count, size = (10, 8) if options.quick else (32, 25)
    for number in range(count):
        with open(os.path.join(folder, f"IMG_{number:04}.DNG"), "wb") as file:
            file.write(os.urandom(size << 20))
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    home = os.path.join(place.memory, "home")
    os.makedirs(home)

    def foreign(_):
        to = place.fresh()
        os.makedirs(to)
        with Body(place, folder) as body:
            port = f"ptpip:127.0.0.1:{body.port}:{body.port}"
            return run(f"cd '{to}' && HOME='{home}' gphoto2 --camera 'PTP/IP Camera' --port {port} --get-all-files --quiet")

    def ours(_):
        with Body(place, folder) as body:
            return take(place, body, "ptp", place.fresh())

    results = paired(
        {"filmgate": ours, "gphoto2": foreign, "tcp": lambda _: bare_copy(paths, place.fresh())}, 3 if options.quick else options.rounds,
        before=place.clear)
    amount = count * size
    print("  " + ", ".join(f"{name} {amount / median(runs):.0f} MiB/s" for name, runs in results.items()))
    table.line("gphoto2 / filmgate over PTP/IP", median(results["gphoto2"]) / median(results["filmgate"]), 3, " ×", at_least=True)
    table.line("bare TCP copy / filmgate over PTP/IP", median(results["tcp"]) / median(results["filmgate"]), 0.7, " ×", at_least=True)
    shutil.rmtree(folder)
    large(place, table, options)
    full(place, table, options)


def large(place, table, options):
    """The memory that one clip costs does not depend on its size."""
    empty = os.path.join(place.memory, "no-files")
    os.makedirs(empty, exist_ok=True)
    for size in ("1GiB",) if options.quick else ("1GiB", "6GiB"):
        with Body(place, empty, "ptp", "--clip", size) as body:
            result = take(place, body, "ptp", os.path.join(place.memory, "clip"))
        table.line(f"peak memory, one clip of {size} from a camera", result.peak, 96, " MiB")
        shutil.rmtree(os.path.join(place.memory, "clip"))
        place.clear()


def full(place, table, options):
    """Ten thousand files that are all known: listed, recognised, done."""
    count = 1000 if options.quick else 10_000
    files = os.path.join(place.memory, "full")
    os.makedirs(files)
    for number in range(count):
        with open(os.path.join(files, f"IMG_{number:05}.JPG"), "wb") as file:
            file.write(number.to_bytes(4, "big") * 16)
    for make, way, limit in (("ptp", "one request for a folder", 1000), ("canon", "one request for a folder", 1000), ("nikon", "one request for each", 3000)):
        state, to = place.fresh(), os.path.join(place.memory, "full-to")
        with Body(place, files, make) as body:
            take(place, body, make, to, state)
            runs = [take(place, body, make, to, state) for _ in range(3)]
        table.line(f"import of {count} known files from a camera ({make}: {way})", median(runs) * 1000, limit, " ms")
        shutil.rmtree(to)
        place.clear()
    shutil.rmtree(files)
