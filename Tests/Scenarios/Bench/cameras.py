"""Cameras over PTP/IP on this machine: how fast files come beside gphoto2 and a bare copy over TCP, and what a full card costs."""
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

import tiny
from measure import median, paired, ratios, run
from program import free_port, gallery, wait_for_port


class Body:
    """A virtual camera that answers on a port of its own; use as a context."""

    def __init__(self, place, files, make="ptp", *more):
        self.command = [place.peer, "camera", "simulate", "--make", make, "--port", "0", "--files", files, *more]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def take(place, body, make, to, state=None, expect=0, options="", output="--json"):
    """Imports all that a virtual camera holds into a folder; `options` go to the source."""
    os.makedirs(place.disk, exist_ok=True)
    pipeline = os.path.join(place.memory, "camera.yaml")
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(f"""version: 1
sources: [{{ {make}: {{ hosts: ["127.0.0.1:{body.port}"], usb: false{options} }} }}]
stages: [{{ dedupe: {{}} }}, {{ upload: {{ to: [out] }} }}]
targets: {{ out: {{ folder: {{ path: "{to}", verify: size }} }} }}
""")
    command = [place.filmgate, "import", "--pipeline", pipeline, "--state", state or place.fresh()]
    return run(command + ([output] if output else []), expect=expect)


def bare_copy(paths, to, hashes=False):
    """The same bytes over one TCP connection into files, made durable; with `hashes`, their SHA-256 on the way."""
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
        "import hashlib,os,socket,sys\n"
        "s=socket.create_connection(('127.0.0.1',int(sys.argv[1])));os.makedirs(sys.argv[2])\n"
        "b=memoryview(bytearray(1<<20))\n"
        "for i,n in enumerate(sys.argv[3:]):\n"
        " n=int(n);f=open(f'{sys.argv[2]}/{i}','wb',0);h=hashlib.sha256()\n"
        " while n:\n"
        "  k=s.recv_into(b,min(n,1<<20));f.write(b[:k]);n-=k\n"
        f"  {'h.update(b[:k])' if hashes else 'pass'}\n"
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
        {
            "filmgate": ours, "gphoto2": foreign, "tcp": lambda _: bare_copy(paths, place.fresh()),
            "tcp and SHA-256": lambda _: bare_copy(paths, place.fresh(), hashes=True),
        }, 3 if options.quick else options.rounds, before=place.clear)
    amount = count * size
    print("  " + ", ".join(f"{name} {amount / median(runs):.0f} MiB/s" for name, runs in results.items()))
    ours = results["filmgate"]
    for name, title, limit in (("gphoto2", "gphoto2", 2.5), ("tcp", "bare TCP copy", 0.7), ("tcp and SHA-256", "bare TCP copy that hashes", 0.9)):
        value = median(results[name]) / median(ours)
        table.line(f"{title} / filmgate over PTP/IP", value, limit, " ×", at_least=True, each=ratios(results[name], ours), own=(median(ours), " s"))
    shutil.rmtree(folder)
    large(place, table, options)
    full(place, table, options)
    latency(place, table, options)


def large(place, table, options):
    """The memory that one clip costs does not depend on its size; the clip is a sparse file."""
    for size in (1,) if options.quick else (1, 6):
        files, to = place.fresh(), place.fresh()
        os.makedirs(files)
        with open(os.path.join(files, "MVI_0001.MP4"), "wb") as file:
            file.write(b"\0\0\0\x14ftypqt  \0\0\0\0qt  \0\0\0\x01mdat" + ((size << 30) - 20).to_bytes(8, "big"))
            file.truncate(size << 30)
        with Body(place, files) as body:
            result = take(place, body, "ptp", to)
        sizes = [os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(to) for name in names if name == "MVI_0001.MP4"]
        if sizes != [size << 30]:
            raise SystemExit("the clip did not come whole")
        table.line(f"peak memory, one clip of {size} GiB from a camera", result.peak, 96, " MiB")
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
            # The same listing, of which nothing is wanted: what the rest takes longer is recognition.
            listed = [take(place, body, make, to, options=", formats: [video]", output=None) for _ in range(5)]
            known = [take(place, body, make, to, state, output=None) for _ in range(5)]
        table.line(f"listing of {count} files ({make}: {way}), whole program", median(listed) * 1000, limit, " ms")
        table.line(f"recognition of {count} known files ({make})", (median(known) - median(listed)) * 1000, 200, " ms", own=(median(known) * 1000, " ms"))
        shutil.rmtree(to)
        place.clear()
    shutil.rmtree(files)


# The longest that a module waits between two looks, in milliseconds: what its camera's shots wait for by design.
POLL = {"ptp": 0, "canon": 200, "nikon": 250}


def latency(place, table, options):
    """From the shutter to the gallery's answer, for pictures of 8 MB that come one by one."""
    count = 8 if options.quick else 60
    subprocess.run([place.filmgate, "sample", "card", os.path.join(place.memory, "heads")], check=True, stdout=subprocess.DEVNULL)
    head = tiny.head_of(os.path.join(place.memory, "heads", "DCIM", "100CANON", "IMG_0001.JPG"))
    files = os.path.join(place.memory, "shots")
    os.makedirs(files)
    for number in range(count):
        with open(os.path.join(files, f"IMG_{number:04}.JPG"), "wb") as file:
            file.write(head + os.urandom(8_000_000 - len(head) - 2).replace(b"\xff", b"\xfe") + b"\xff\xd9")
    for make, interval in POLL.items():
        times = sorted(delays(place, make, files, count))
        middle, late = times[len(times) // 2], times[max(0, -(-len(times) * 95 // 100) - 1)]
        print(f"  {make}: {len(times)} shots, median {middle:.0f} ms, p95 {late:.0f} ms, longest {times[-1]:.0f} ms")
        table.line(f"shutter to delivered, p95, 8 MB JPEG ({make}: looks every {interval} ms)", late, 150 + interval, " ms")
    shutil.rmtree(files)


def delays(place, make, files, count):
    """Milliseconds from each shot to the word of its delivery."""
    folder, port = os.path.join(place.memory, "gallery"), free_port()
    with gallery(place.peer, folder, port), Body(place, files, make, "--shoot-every", "400ms") as body:
        wait_for_port(port)
        pipeline = os.path.join(place.memory, "live.yaml")
        url = f"http://127.0.0.1:{port}/api/assets"
        with open(pipeline, "w", encoding="utf-8") as file:
            file.write(f"""version: 1
sources: [{{ {make}: {{ hosts: ["127.0.0.1:{body.port}"], usb: false, backlog: all }} }}]
stages: [{{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [gallery] }} }}]
targets:
  gallery: {{ http: {{ url: "{url}", auth: studio, digest: {{ json: sha256 }}, find: {{ url: "{url}/by-digest/{{sha256}}" }} }} }}
auth: {{ studio: {{ bearer: {{ token: "${{env:FILMGATE_GALLERY_TOKEN}}" }} }} }}
""")
        command = [place.filmgate, "run", pipeline, "--state", place.fresh(), "--json"]
        live = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        shot, delivered = {}, {}
        watch = threading.Thread(target=lambda: shots(body, shot, count))
        watch.start()
        alarm = threading.Timer(120, live.kill)
        alarm.start()
        for line in live.stdout:
            item = json.loads(line)
            if item.get("ending") == "delivered":
                delivered[os.path.basename(item["path"])] = time.time()
            if len(delivered) == count:
                live.send_signal(signal.SIGTERM)
                break
        live.stdout.read()
        live.wait()
        alarm.cancel()
        watch.join()
    shutil.rmtree(folder, ignore_errors=True)
    if len(delivered) != count:
        raise SystemExit(f"{make}: {len(delivered)} of {count} shots were delivered")
    # What was shot before the camera was taken in waited for that; the first five show it.
    return [(delivered[name] - shot[name]) * 1000 for name in sorted(shot)[5 if count > 10 else 3:]]


def shots(body, times, count):
    """Reads when the camera took its shots."""
    while len(times) < count:
        words = body.process.stdout.readline().split()
        if not words:
            return
        if words[0] == "shot:":
            times[words[1]] = float(words[-1])
