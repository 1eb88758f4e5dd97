"""Scenarios: the sheet while frames come in and go, a list that is taller than a browser can show, and a network that says nothing."""
import json
import re
import time
from urllib.parse import parse_qs, urlsplit

from chromium import PHONE, Keys
from frames import memo, raw
from program import free_port, wait_for_port
from scene import button, cells, check, counted, says, scenario, until, wait_for_files
from wire import Wire

ONLY_KEYS = (Keys,)
# What has the focus, as the sheet names it: its place and its file.
FOCUSED = """() => { const one = document.activeElement;
  return one.classList.contains("cell") ? [Number(one.getAttribute("aria-posinset")), (one.getAttribute("aria-label") ?? "").split(",")[0]] : [0, one.tagName]; }"""
# How far the cell with the focus lies outside of the sheet, in pixels.
OUTSIDE = """() => { const own = document.activeElement.getBoundingClientRect(), box = document.querySelector(".grid").getBoundingClientRect();
  return Math.max(0, box.top - own.top, own.bottom - box.bottom); }"""
# Which frame is where at the upper edge of the sheet.
WHERE = """() => { const box = document.querySelector(".grid").getBoundingClientRect();
  const at = (cell) => { const own = cell.getBoundingClientRect(); return [Math.round(own.top - box.top), Math.round(own.left - box.left)]; };
  return [...document.querySelectorAll(".cell")].filter((cell) => at(cell)[0] > -100 && at(cell)[0] < 150)
    .map((cell) => `${(cell.ariaLabel ?? "").split(",")[0]} ${at(cell)}`).sort(); }"""
# Notes when something is said aloud.
LISTEN = """() => { window.told = [];
  new MutationObserver(() => window.told.push(Date.now())).observe(document.querySelector("#announcer"), { childList: true }); }"""
# Scrolls to the middle, and gives the focus to a frame there.
MIDDLE = """() => new Promise((done) => { const grid = document.querySelector(".grid"), box = grid.getBoundingClientRect();
  grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 2;
  setTimeout(() => {
    const seen = [...document.querySelectorAll(".cell")].map((cell) => [cell, cell.getBoundingClientRect()]);
    seen.find(([, own]) => own.top >= box.top && own.bottom <= box.bottom)[0].focus();
    done();
  }, 500); })"""
MANY = 1_000_000


def focus(page, place):
    """The frame at a place has the focus, as after a click or Tab; its name."""
    page.locator('.cell[tabindex="0"]').focus()
    page.keyboard.press("Home")
    for _ in range(place - 1):
        page.keyboard.press("ArrowRight")
    return page.evaluate(FOCUSED)[1]


def marked(shoot):
    """Every frame that has stars, by its name."""
    frames = shoot.studio.client("operate").get("frames?limit=500")["frames"]
    return {frame["path"].rsplit("/", 1)[-1]: frame["rating"] for frame in frames if frame["rating"]}


@scenario(ONLY_KEYS)
def steady_marks(scene):
    """While frames come in, keys mark the frame that has the focus and no other; Home leads to what came meanwhile."""
    with scene.shoot() as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, role="operate")
        shoot.drop(12)
        wait_for_files(page, 12)
        name = focus(page, 3)
        for number in range(20):
            shoot.drop(1)
            page.wait_for_timeout(60)
            page.keyboard.press(str(number % 5 + 1))
            now = page.evaluate(FOCUSED)[1]
            check(now == name, f"after {number + 1} new frames {now} has the focus instead of {name}")
        wait_for_files(page, 32)
        until(page, lambda: marked(shoot) == {name: 5}, 10, lambda: f"of {name} alone 5 stars were meant: {marked(shoot)}")
        says(page, "new", where=".pill")
        scene.look(page, "sheet-new")
        page.keyboard.press("Home")
        newest = page.locator(".newest b").inner_text()
        until(page, lambda: page.evaluate(FOCUSED) == [1, newest], 5, lambda: f"Home leads to {page.evaluate(FOCUSED)} instead of {newest}")
        check(not page.locator(".pill").is_visible(), "the newest are told of though they are shown")
        name = focus(page, 2)
        bar = button(page, "✔ Pick").first
        bar.focus()
        shoot.drop(3)
        wait_for_files(page, 35)
        page.keyboard.press("Enter")
        picked = lambda: [cell.split(",")[0] for cell in cells(page) if "picked" in cell]  # noqa: E731
        until(page, lambda: picked() == [name], 5, lambda: f"the button picked {picked()} instead of {name}")


@scenario(ONLY_KEYS)
def filtered_marks(scene):
    """In a list that a filter makes, the focus stays with its frame, and goes to the neighbour when that leaves."""
    with scene.shoot() as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, role="operate")
        shoot.drop(10)
        wait_for_files(page, 10)
        hand.write(page.locator("main input[type=search]"), "IMG_")
        wait_for_files(page, 10)
        page.wait_for_timeout(500)
        name = focus(page, 4)
        shoot.drop(4)
        wait_for_files(page, 14, 20)
        until(page, lambda: page.evaluate(FOCUSED) == [8, name], 5, lambda: f"{name} is not followed: {page.evaluate(FOCUSED)}")
        page.keyboard.press("3")
        until(page, lambda: marked(shoot) == {name: 3}, 10, lambda: f"3 stars were meant for {name}: {marked(shoot)}")
        for _ in range(3):
            page.keyboard.press("t")
            page.keyboard.press("ArrowRight")
        hand.write(page.locator("main input[type=search]"), "")
        wait_for_files(page, 14)
        page.locator('.cell[tabindex="0"]').focus()
        page.keyboard.press("F3")
        wait_for_files(page, 3)
        gone, left = focus(page, 2), cells(page)[2].split(",")[0]
        page.keyboard.press("u")
        wait_for_files(page, 2)
        until(page, lambda: page.evaluate(FOCUSED) == [2, left], 5, lambda: f"after {gone} left, {page.evaluate(FOCUSED)} has the focus instead of {left}")
        page.wait_for_timeout(500)
        page.keyboard.press("5")
        until(page, lambda: marked(shoot).get(left) == 5, 10, lambda: f"5 stars were meant for {left}: {marked(shoot)}")
        check(marked(shoot).get(gone) != 5, "a frame that left the list was marked")


@scenario()
def new_above(scene):
    """Further down nothing moves when frames come in: they are counted, one press shows them, and little is said aloud."""
    with scene.shoot() as shoot:
        shoot.begin()
        page, hand = scene.open(shoot)
        shoot.drop(120)
        wait_for_files(page, 120, 60)
        until(page, lambda: not page.locator(".pill").is_visible(), 10, "frames stay hidden while nobody looks")
        page.evaluate("() => { document.querySelector('.grid').scrollTop = 700; }")
        page.wait_for_timeout(300)
        before = page.evaluate(WHERE)
        page.evaluate(LISTEN)
        begun = time.monotonic()
        for _ in range(20):
            shoot.drop(1)
            page.wait_for_timeout(300)
        wait_for_files(page, 140)
        says(page, "▲ 20 new", where=".pill")
        check(page.evaluate(WHERE) == before, "what is looked at moves when frames come in")
        times = page.evaluate("() => window.told")
        most = int((time.monotonic() - begun) / 10) + 1
        check(len(times) <= most, f"{len(times)} sentences were said aloud instead of {most} at most")
        scene.look(page, "sheet-pill")
        hand.press(page.locator(".pill"))
        newest = page.locator(".newest b").inner_text()
        until(page, lambda: cells(page)[0].startswith(newest), 5, lambda: f"the newest is {newest}, and first is {cells(page)[:1]}")
        check(page.evaluate("() => document.querySelector('.grid').scrollTop") == 0, "the sheet is not at its beginning")


@scenario(ONLY_KEYS)
def one_shot(scene):
    """RAW, JPEG and memo of one shot are one cell with the picture that one of them has, however they come; a mark is for all of them, and "Every file" shows each."""
    # These RAWs hold no picture.
    scene.browser.allow("404")
    with scene.shoot() as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, role="operate")
        shoot.drop(1)
        wait_for_files(page, 1)
        body = {"make": "NIKON CORPORATION", "model": "NIKON Z 9"}
        shoot.put("IMG_0001.NEF", raw(1, **body))
        shoot.put("IMG_0001.WAV", memo(1))
        until(page, lambda: "NEF" in cells(page)[0] and "WAV" in cells(page)[0], 15, lambda: f"the cell does not say what came later: {cells(page)}")
        shoot.put("IMG_0002.NEF", raw(2, **body))
        wait_for_files(page, 2)
        shoot.drop(1)
        shoot.wait(5)
        says(page, "2 shots", where="form.bar [role=status]")
        until(page, lambda: all("NEF" in cell for cell in cells(page)), 15, lambda: f"a RAW has a cell of its own: {cells(page)}")
        pictures = page.locator(".cell img.there")
        until(page, lambda: pictures.count() == 2, 15, lambda: f"of two shots with a JPEG {pictures.count()} have a picture")
        large_of_a_raw(page)
        scene.look(page, "sheet-shots")
        name = focus(page, 2)
        page.keyboard.press("4")
        wanted = {f"IMG_0001.{ending}": 4 for ending in ("JPG", "NEF")}
        until(page, lambda: marked(shoot) == wanted, 10, lambda: f"4 stars were meant for {name}: {marked(shoot)}")
        all_are_selected(page, 2)
        hand.choose(page.locator("main form select").first, "")
        wait_for_files(page, 5)
        page.reload()
        wait_for_files(page, 2)
        check(any("WAV" in cell for cell in cells(page)), f"after a reload the memo is not told of: {cells(page)}")


def all_are_selected(page, count):
    """All of the list are selected by keys; what was told and not read yet, which takes two seconds, is not meant by that."""
    def pressed():
        page.keyboard.press("Control+a")
        return f"{count} selected" in page.locator("main").inner_text()
    until(page, pressed, 15, lambda: f"{count} shots were to be selected")


def large_of_a_raw(page):
    """The newest shot, for which its RAW stands, is shown as its JPEG is, as large as the window too."""
    check(focus(page, 1) == "IMG_0002.NEF", "the RAW that came first does not stand for its shot")
    page.keyboard.press("Space")
    image = page.locator("dialog.big img.photo")
    until(page, lambda: image.evaluate("(image) => image.naturalWidth") == 240, 10, "the JPEG of a shot is not shown for its RAW")
    page.keyboard.press("Escape")


def many(route):
    """A part of a list of very many frames."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
    start, limit = int(asked.get("at", 0)), int(asked.get("limit", 100))
    end = min(MANY, start + limit)
    like = {"kind": "jpeg", "ending": "delivered"}
    frames = [{**like, "id": f"{MANY - place:016x}", "path": f"IMG_{MANY - place:07}.JPG"} for place in range(start, end)]
    part = {"files": MANY, "at": start, "next": f"1-{end}" if end < MANY else None, "until": None}
    route.fulfill(json={"type": "frames", "total": MANY, **part, "revision": 7, "frames": frames})


@scenario(ONLY_KEYS)
def million(scene):
    """On a phone that shows three points for each pixel, every one of a million frames can be reached."""
    with scene.shoot() as shoot:
        page = scene.browser.context({**PHONE, "device_scale_factor": 3}).new_page()
        page.route(re.compile(r"/api/v1/frames\?"), many)
        page.goto(shoot.studio.link()[0])
        until(page, lambda: counted(page) == MANY, 30, "the list does not come")
        page.locator('.cell[tabindex="0"]').focus()
        page.keyboard.press("End")
        until(page, lambda: page.evaluate(FOCUSED) == [MANY, "IMG_0000001.JPG"], 10, lambda: f"End leads to {page.evaluate(FOCUSED)}")
        check(page.evaluate(OUTSIDE) <= 1, "the oldest frame is not in sight")
        check(page.evaluate("() => document.querySelector('.space').getBoundingClientRect().height") <= 8_000_000, "the list is taller than browsers can show")
        scene.look(page, "sheet-million")
        page.keyboard.press("Home")
        rows(page, 1)
        page.evaluate(MIDDLE)
        place = page.evaluate(FOCUSED)[0]
        check(abs(place - MANY / 2) < MANY / 100, f"in the middle of the list is place {place}")
        rows(page, place)
        page.keyboard.press("ArrowUp")
        wheel(page)


def rows(page, place):
    """Each row from there on is reached by its key, and is in sight."""
    for number in range(1, 101):
        page.keyboard.press("ArrowDown")
        now, outside = page.evaluate(FOCUSED)[0], page.evaluate(OUTSIDE)
        check(now == place + 3 * number, f"{number} rows below place {place} is place {now}")
        check(outside <= 1, f"place {now} is {outside} pixels out of sight")


def wheel(page):
    """The wheel moves what is in sight by exactly as much as it turns."""
    box = page.locator(".grid").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    top = "() => document.activeElement.getBoundingClientRect().top"
    for _ in range(5):
        before = page.evaluate(top)
        page.mouse.wheel(0, 20)
        until(page, lambda: abs(before - page.evaluate(top) - 20) < 1, 5, lambda: f"a turn by 20 pixels moves the frames by {before - page.evaluate(top)}")


@scenario(ONLY_KEYS)
def dead_network(scene):
    """A network on which nothing comes and nothing fails: the page looks old within seconds, and well again when it is back."""
    port = free_port()
    with scene.shoot(names=[f"127.0.0.1:{port}"]) as shoot, Wire(port, shoot.studio.port) as wire:
        page, _ = scene.open(shoot, link=f"http://127.0.0.1:{port}/#k={shoot.studio.link()[1]}")
        says(page, "All well", where="#health")
        # At rest the page is told that somebody is there, and nothing else.
        page.wait_for_timeout(12_000)
        check("Lost" not in page.locator("header").inner_text(), "a page at rest looks lost")
        scene.browser.allow("ERR_")
        wire.hold()
        begun = time.monotonic()
        says(page, "Lost connection", 9, "#health")
        scene.took("loss told after", time.monotonic() - begun)
        check(page.evaluate("() => document.body.classList.contains('old')"), "a page that hears nothing does not look old")
        wire.mend()
        says(page, "All well", 15, "#health")


@scenario()
def filters(scene):
    """The sheet shows only frames with stars, of one camera, or with a delivery in a certain state."""
    with scene.shoot(retry="first: 60s, most: 120s") as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, role="operate")
        shoot.drop(4, model="EOS R5")
        shoot.drop(2, model="EOS R6")
        wait_for_files(page, 6)
        shoot.wait(6)
        shoot.gallery.kill()
        shoot.drop(1, model="EOS R6")
        wait_for_files(page, 7)
        if hand.name == "phone":
            hand.press(page.locator("details.filters summary"))
        field = lambda name: page.locator("details.filters label", has_text=name).locator("select, input")  # noqa: E731
        scene.look(page, "sheet-filters")
        hand.write(field("Camera"), "EOS R6")
        wait_for_files(page, 3)
        hand.choose(field("There"), "pending")
        wait_for_files(page, 1)
        hand.write(field("Camera"), "")
        hand.choose(field("There"), "")
        wait_for_files(page, 7)
        frame = shoot.studio.client("operate").get("frames")["frames"][3]
        done = shoot.studio.client("operate").post("marks", {"set": {"rating": 4}, "selection": {"sha256": [frame["sha256"]]}})
        check(done.status == 200, f"the mark is refused: {json.dumps(done.json)}")
        hand.choose(field("Stars"), "3")
        wait_for_files(page, 1)
        check(cells(page)[0].startswith(frame["path"].rsplit("/", 1)[-1]), f"with stars there is {cells(page)}")
        shoot.gallery.start()
        wait_for_port(shoot.gallery_port)
