"""Scenarios: the stations of a catalogue on a PostgreSQL of the scenario's own."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

import frames
from scene import button, check, says, scenario, until

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Stations"))
CATALOG = 'catalog: {{ postgres: {{ url: "{url}" }}, station: {name}, site: {site} }}'
DESK = """\
version: 1
name: desk
sources: [ {{ card: {{}} }} ]
stages: [ {{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [archive] }} }} ]
targets: {{ archive: {{ folder: {{ path: "{archive}" }} }} }}
{catalog}
"""


@contextmanager
def catalogue():
    """A server with the catalogue's tables and a role for each of two desks."""
    # Only here: without PostgreSQL all other scenarios go on.
    from cluster import Server
    folder = tempfile.mkdtemp(prefix="filmgate-pg-")
    os.chmod(folder, 0o755)
    server = Server(os.path.join(folder, "pg"))
    try:
        yield server
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


def catalog(server, name, site):
    return CATALOG.format(url=server.url(name.replace("-", "")), name=name, site=site)


def prepare(scene, server, shoot):
    """Tables, roles, this station, and another one that took a card and has gone; the card holds the shoot's first two frames."""
    def call(*words, state=shoot.state, pipeline=shoot.pipeline):
        command = [shoot.filmgate, *words, "--pipeline", pipeline, "--state", state]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        check(done.returncode == 0, f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")

    call("catalog", "migrate", "--set", f"catalog.postgres.url={server.url('postgres')}")
    server.sql("CREATE ROLE desk3 LOGIN; CREATE ROLE desk5 LOGIN; GRANT filmgate_station TO desk3, desk5")
    call("catalog", "join")
    card, other = os.path.join(scene.base, "EOS_DIGITAL"), os.path.join(scene.base, "desk-5.yaml")
    os.makedirs(os.path.join(card, "DCIM", "100CANON"))
    for number in (1, 2):
        with open(os.path.join(card, "DCIM", "100CANON", f"CARD_{number:04}.JPG"), "wb") as file:
            file.write(frames.jpeg(number))
    with open(other, "w", encoding="utf-8") as file:
        file.write(DESK.format(archive=os.path.join(scene.base, "desk-5"), catalog=catalog(server, "desk-5", "hall")))
    call("catalog", "join", state=shoot.state + "-5", pipeline=other)
    call("import", card, state=shoot.state + "-5", pipeline=other)


@scenario()
def stations(scene):
    """How this station stands, the card that another one took, and who has a frame; then the catalogue goes away, and comes back."""
    with catalogue() as server, scene.shoot(more=catalog(server, "desk-3", "press centre")) as shoot:
        prepare(scene, server, shoot)
        shoot.begin()
        shoot.drop(1)
        shoot.wait(1)
        page, hand = scene.open(shoot, "stations")
        own, other = page.locator("main section"), page.locator("ul.cards li", has_text="desk-5")
        says(page, "connected since", 20, "main section")
        says(page, "EOS_DIGITAL", 20, "ul.cards")
        check("last seen" in other.inner_text() and "hall" in other.inner_text(), f"the other station is shown as {other.inner_text()!r}")
        until(page, lambda: "Not told yet\n0" in own.inner_text(), 20, lambda: f"this station is shown as {own.inner_text()!r}")
        scene.look(page, "stations")
        frame = shoot.studio.client("operate").get("frames")["frames"][0]["id"]
        page.evaluate("(id) => { location.hash = `#/file/${id}`; }", frame)
        hand.press(button(page, "Ask the catalogue"))
        says(page, "CARD_0001.JPG", 15)
        says(page, "desk-5")
        scene.look(page, "file-where")
        hand.go("stations")
        server.stop("immediate")
        gone = time.monotonic()
        says(page, "away since", 60, "main section")
        says(page, "As of", 30)
        scene.took("away shown after", time.monotonic() - gone)
        known = page.locator("ul.cards").inner_text()
        check("EOS_DIGITAL" in known and "there now" not in known, f"of what was known before the page shows {known!r}")
        shoot.drop(1)
        shoot.wait(2)
        scene.look(page, "stations-away")
        server.start()
        says(page, "connected since", 90, "main section")
        until(page, lambda: not page.locator("main .trouble").count(), 30, "the page goes on saying that the catalogue is away")


@scenario()
def no_stations(scene):
    """Without a catalogue there is no tab, and who knows its address is told so."""
    with scene.shoot() as shoot:
        page, _ = scene.open(shoot)
        check(not page.locator('a[href="#/stations"]').count(), "there is a tab for stations")
        page.evaluate("() => { location.hash = '#/stations'; }")
        says(page, "The pipeline names no catalogue.")
        scene.look(page, "stations-none")


@scenario()
def stations_for_viewers(scene):
    """Who may only look sees who is there, and no cards."""
    with catalogue() as server, scene.shoot(more=catalog(server, "desk-3", "press centre")) as shoot:
        prepare(scene, server, shoot)
        page, _ = scene.open(shoot, "stations", role="view")
        says(page, "desk-5", 20, "ul.cards")
        words = page.locator("main").inner_text()
        check("EOS_DIGITAL" not in words and server.folder not in words, f"a viewer is shown {words!r}")
        scene.look(page, "view-stations")
