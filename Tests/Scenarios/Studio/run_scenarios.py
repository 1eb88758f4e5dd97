"""Scenarios: what the page says of a run, how it is ended, and the keys of every page."""
import json
import re

from chromium import Keys, opened
from scene import button, check, says, scenario, until, wait_for_files

ONLY_KEYS = (Keys,)
# By how much the large picture is wider than a point of the screen for each of its own.
WIDE = """() => { const image = document.querySelector("dialog.big .photo");
  return image.getBoundingClientRect().width * devicePixelRatio - image.naturalWidth; }"""


@scenario()
def ending(scene):
    """The strip shows a camera with its battery and room; "End capture" takes nothing more, delivers what was taken, and says what the run did."""
    with scene.shoot(camera=True, ftp=True) as shoot:
        names = shoot.photograph(3)
        shoot.begin()
        page, hand = scene.open(shoot)
        names += shoot.drop(5) + shoot.push(2)
        wait_for_files(page, len(names), 30)
        says(page, "battery 80 %", 30, ".sources")
        says(page, "free", 5, ".sources")
        scene.look(page, "capture-sources")
        hand.press(button(page, "End capture …"))
        says(page, "End the capture?", where="dialog:not(.big)")
        scene.look(page, "capture-end-ask")
        page.keyboard.press("Escape")
        check(page.locator("#run").inner_text() == "Taking", "the capture was ended without a yes")
        hand.press(button(page, "End capture …"))
        hand.press(button(page, "End capture …", "dialog:not(.big)"))
        says(page, "Nothing is on its way.", 30, ".taking")
        says(page, f"{len(names)} delivered", 10, ".taking")
        says(page, "Paused", where="#run")
        scene.look(page, "capture-end")
        hand.press(button(page, "Continue", ".taking"))
        says(page, "Taking", 15, "#run")
        shoot.drop(1)
        wait_for_files(page, len(names) + 1)


@scenario()
def no_event(scene):
    """Where frames wait for an event and none is chosen, the page says so and leads to Events."""
    with scene.shoot(more="event: { hold: true }") as shoot:
        shoot.begin()
        page, hand = scene.open(shoot)
        shoot.drop(2)
        says(page, "No event is chosen", 20, ".taking")
        scene.look(page, "capture-no-event")
        hand.press(page.get_by_role("link", name="Choose an event"))
        opened(page, "events")
        # Whatever else waits, these are counted.
        says(page, "are held without an event", 10)
        # From then on Capture asks for an event first, or for a clear word that there is none.
        hand.press(page.locator('nav a[href="#/capture"]'))
        says(page, "No event is chosen", 10)
        opened(page, "events")
        scene.look(page, "events-needed")
        hand.press(page.get_by_role("link", name="capture without an event"))
        opened(page, "capture")
        says(page, "No event is chosen", 10, ".taking")
        job = shoot.studio.client("operate").job("events/use", {"event": "Smith wedding", "now": "yes"})
        check(job["exit"] == 0, f"the event is not taken: {json.dumps(job)}")
        hand.go("capture")
        says(page, "Smith wedding", 15, "#event")
        until(page, lambda: not page.locator(".taking > p").is_visible(), 10, "the page still says that no event is chosen")


def target(event, waiting):
    """A target as Deliveries has it."""
    numbers = {name: 0 for name in ("done", "held", "failed", "cancelled", "bytes_waiting", "denied")}
    nothing = {name: None for name in ("oldest_waiting", "next_try", "reason", "denied_reason")}
    return {"name": "gallery", "identity": f"http:gallery.example/api:{event}", "pending": waiting, **numbers, **nothing}


@scenario(ONLY_KEYS)
def two_of_a_name(scene):
    """Of two events whose targets are called the same, what is taken back says which is meant."""
    with scene.shoot() as shoot:
        page, hand = scene.open(shoot)
        targets = [target("one", 1), target("two", 1)]
        row = {"type": "delivery", "target": "gallery", "state": "pending", "reason": None}
        waiting = [
            {**row, "identity": one["identity"], "name": f"IMG_{number}.JPG", "content": str(number) * 64} for number, one in enumerate(targets)]
        answer = {"type": "deliveries", "targets": targets, "total": 2, "at": 0, "next": None, "deliveries": waiting}
        page.route(re.compile(r"/api/v1/deliveries\?"), lambda route: route.fulfill(json=answer))
        asked = []

        def refuse(route):
            asked.append(route.request.post_data_json)
            route.fulfill(status=409, json={"type": "error", "code": "conflict", "message": "Not now.", "advice": None})

        page.route("**/api/v1/cancel", refuse)
        scene.browser.allow("409")
        hand.go("deliveries")
        hand.press(button(page, "Take back …: IMG_1.JPG"))
        hand.press(button(page, "Take back …", "dialog"))
        says(page, "Not now.")
        check(asked == [{"target": targets[1]["identity"], "file": "1" * 64}], f"asked was for {asked}")


@scenario(ONLY_KEYS)
def keys(scene):
    """Pages, the pause, comparing and a picture's own size by keys; all of them are listed, and one switch turns them off."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(3, width=2400)
        page, _ = scene.open(shoot)
        wait_for_files(page, 3)
        for key, tab in (("d", "deliveries"), ("e", "events"), ("h", "history"), ("c", "capture")):
            page.keyboard.press("g")
            page.keyboard.press(key)
            opened(page, tab)
        wait_for_files(page, 3)
        page.keyboard.press("p")
        says(page, "Pause? The run takes nothing new", where="dialog:not(.big)")
        page.keyboard.press("Escape")
        check(page.locator("#run").inner_text() == "Taking", "the run was paused without a yes")
        page.locator('.cell[tabindex="0"]').focus()
        page.keyboard.press("Home")
        page.keyboard.press("Shift+ArrowRight")
        says(page, "2 selected")
        page.keyboard.press("c")
        until(page, lambda: page.locator("dialog .many img").count() == 2, 5, "two frames are not compared")
        scene.look(page, "compare")
        page.keyboard.press("Escape")
        large(page, scene)
        page.keyboard.press("?")
        for words in ("Z, C, F3", "R, P", "G, then E C A D H S I O P", "T, X, U"):
            says(page, words, where="dialog:not(.big)")
        scene.look(page, "keys")
        page.locator("dialog:not(.big) input").click()
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("d")
        page.keyboard.press("p")
        page.wait_for_timeout(500)
        check(page.url.endswith("#/capture") and not page.locator("dialog[open]").count(), "keys that are turned off do something")


def large(page, scene):
    """A frame as large as the window, and in its own size."""
    page.locator('.cell[tabindex="0"]').focus()
    page.keyboard.press("Space")
    whole = button(page, "1:1", "dialog.big")
    page.keyboard.press("z")
    check(whole.get_attribute("aria-pressed") == "true", "Z does not show the picture in its own size")
    # First the picture for a screen, of 1600 pixels, then all that the frame has.
    says(page, "2400 × 1600 pixels", where="dialog.big .under")
    wide = page.evaluate(WIDE)
    check(abs(wide) < 2, f"the picture is {wide} pixels too wide")
    scene.look(page, "big-whole")
    page.keyboard.press("z")
    check(whole.get_attribute("aria-pressed") == "false", "Z does not show the whole picture again")
    page.keyboard.press("Escape")
