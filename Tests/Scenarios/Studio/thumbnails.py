"""What pictures cost: how many small ones a second, and how soon a large one is there."""
import base64
import os
import statistics
import time

from chromium import DESK, Chromium
import frames
from measure import run
from proof import Failure
from studio import Studio, cpu

PIPELINE = """\
version: 1
name: pictures
sources: [ card: {{ paths: ["{card}"] }} ]
stages: [ {{ exif: {{}} }}, {{ upload: {{ to: [archive] }} }} ]
targets: {{ archive: {{ folder: {{ path: "{to}", verify: size }} }} }}
"""
# A picture with shapes and grain, as a browser packs it: a scan without detail would be decoded in no time.
DRAW = """([width, height]) => {
  const canvas = Object.assign(document.createElement("canvas"), { width, height }), pen = canvas.getContext("2d");
  const image = pen.createImageData(width, height);
  let seed = 7;
  for (let at = 0; at < image.data.length; at += 4) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const grain = seed % 28, x = at / 4 % width, y = Math.floor(at / 4 / width);
    image.data.set([90 + 80 * Math.sin(x / 90) + grain, 90 + 80 * Math.sin(y / 70) + grain, 90 + 60 * Math.sin((x + y) / 110) + grain, 255], at);
  }
  pen.putImageData(image, 0, 0);
  return canvas.toDataURL("image/jpeg", 0.9).split(",")[1];
}"""


def drawn(sizes):
    """A JPEG of each of these sizes."""
    with Chromium() as browser:
        page = browser.context(DESK, watched=False).new_page()
        return {size: base64.b64decode(page.evaluate(DRAW, size)) for size in sizes}


def taken(place, name, picture, count):
    """The page's server over `count` files that look like `picture`; each is another one for the ledger."""
    base = os.path.join(place.disk, name)
    card, to, state, pipeline = (os.path.join(base, part) for part in ("CARD", "to", "state", "pictures.yaml"))
    os.makedirs(os.path.join(card, "DCIM", "100BENCH"))
    head = frames.segment(0xE1, b"Exif\0\0" + frames.exif())
    for number in range(count):
        with open(os.path.join(card, "DCIM", "100BENCH", f"IMG_{number:04}.JPG"), "wb") as file:
            file.write(picture[:2] + head + frames.segment(0xFE, f"frame {number}".encode()) + picture[2:])
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(PIPELINE.format(card=card, to=to))
    run([place.filmgate, "import", card, "--pipeline", pipeline, "--state", state, "--json"])
    return Studio(place.filmgate, state, os.path.join(base, "studio.log"))


def thumbnails(place, table, options, ledgers):
    """Small pictures from such as cameras put into their files (1620 by 1080 pixels), and large ones from those and from 24 megapixels."""
    small, large = (1620, 1080), (6000, 4000)
    pictures, count = drawn([small, large]), 40 if options.quick else 300
    with taken(place, "previews", pictures[small], count) as studio:
        client, numbers = studio.client(), []
        while len(numbers) < count:
            page = client.get(f"frames?limit=200&at={len(numbers)}")["frames"]
            if not page:
                raise Failure(f"only {len(numbers)} of {count} files are listed")
            numbers += [one["id"] for one in page]
        picture(client, numbers[0], "thumbnail")
        spent = decoding(studio)
        for number in numbers[1:]:
            picture(client, number, "thumbnail")
        spent = decoding(studio) - spent
        detail = f"{spent / (count - 1) * 1000:.1f} ms each, of {len(pictures[small]) / 1000:.0f} kB"
        table.line("thumbnails a second and core, from previews", (count - 1) / spent, 110, "", detail, at_least=True)
        soon = [picture(client, number, "preview") for number in numbers[:20]]
    table.line("sharp, from a preview in the file", percentile(soon), 1, " s", each=soon)
    with taken(place, "whole", pictures[large], 5 if options.quick else 20) as studio:
        client = studio.client()
        late = [picture(client, one["id"], "preview") for one in client.get("frames?limit=20")["frames"]]
    table.line("sharp, from 24 megapixels, p95", percentile(late), 3, " s", f"median {statistics.median(late):.2f} s", each=late)


def percentile(values):
    return sorted(values)[int(len(values) * 0.95)]


def picture(client, number, size):
    """Seconds until it is there."""
    begun = time.monotonic()
    while True:
        answer = client.ask("GET", f"/api/v1/frames/{number}/{size}")
        # There was no time for it: a machine that is busy makes pictures last.
        if answer.status != 503 or time.monotonic() > begun + 60:
            break
    if answer.status != 200 or answer.body[:2] != b"\xff\xd8":
        raise Failure(f"no {size}: {answer.status} {answer.body[:200]!r}")
    return time.monotonic() - begun


def decoding(studio):
    """Seconds of CPU time of the page's server and of what it started."""
    spent = studio.spent()
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            if parent == studio.process.pid:
                spent += cpu(int(name))
        except (OSError, ValueError):
            pass
    return spent
