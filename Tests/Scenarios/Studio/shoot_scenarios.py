"""Scenarios: letting a browser in, a sheet that fills by itself, and a page whose run, server or network goes away and comes back."""
import time

from chromium import Keys
from program import free_port
from proof import Failure
from scene import button, cells, check, counted, says, scenario, until, wait_for_files
from wire import Wire

# What a browser says when nobody answers.
GONE = [
    "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_INTERNET_DISCONNECTED",
    "ERR_NETWORK",
]


@scenario()
def pairing(scene):
    """A link lets one browser in, once; a typed code does, too; signing out leads back to the gate."""
    with scene.shoot() as shoot:
        link = shoot.studio.told()["link"]
        page, hand = scene.window()
        page.goto(link)
        says(page, "All well", where="header")
        check("k=" not in page.url, f"the code stays in the address: {page.url}")
        says(page, "Nothing has been taken yet.")
        scene.look(page, "capture-empty")
        page.reload()
        says(page, "All well", where="header")
        scene.browser.allow("401")
        other, hands = scene.window()
        other.goto(link)
        says(other, "This code is wrong, was used already, or is older than five minutes.")
        scene.look(other, "pair-used")
        code, field, held = shoot.studio.link("operate")[1].lower(), other.locator("#code"), []
        other.route("**/api/v1/session", lambda route: held.append(route))
        hands.write(field, "ABCD-EFGH")
        hands.press(button(other, "Pair"))
        until(other, lambda: held, 10, "a typed code is not tried")
        check(not other.locator(".trouble").count(), "what was said of the link stays while a code is tried")
        # Somebody types on while the wrong code is on its way.
        hands.write(field, code[:3])
        held[0].continue_()
        other.unroute("**/api/v1/session")
        says(other, "`filmgate studio link` prints a new one.")
        other.keyboard.type(code[3:])
        check(field.input_value() == code, f"of the code that was typed {field.input_value()!r} is left")
        hands.press(button(other, "Pair"))
        says(other, "All well", where="header")
        hands.go("profile")
        says(other, "operate")
        scene.look(other, "profile-operate")
        hands.press(button(other, "Sign this browser out"))
        says(other, "Pair this browser")
        scene.look(other, "pair")


@scenario()
def filling(scene):
    """A hot folder, a camera and a body that pushes over FTP fill the sheet; the newest is shown large, and each has a page of its own."""
    with scene.shoot(camera=True, ftp=True) as shoot:
        names = shoot.photograph(4)
        shoot.begin()
        page, hand = scene.open(shoot)
        says(page, "Taking", where="#run")
        names += shoot.drop(12, serial="SER0001", artist="Ann") + shoot.push(3)
        wait_for_files(page, len(names), 30)
        shoot.wait(len(names))
        all_done = lambda: all("archive done, gallery done" in cell for cell in cells(page))  # noqa: E731
        until(page, all_done, 15, lambda: f"not everything is shown as done: {cells(page)}")
        until(page, lambda: not page.locator(".pill").is_visible(), 10, "frames stay hidden while nobody looks")
        # Files of one millisecond may be shown in another order until the list is read again.
        order = [frame["path"].rsplit("/", 1)[-1] for frame in shoot.studio.client("view").get("frames")["frames"]]
        until(page, lambda: [cell.split(",")[0] for cell in cells(page)][:6] == order[:6], 10, lambda: f"the sheet has {cells(page)} instead of {order}")
        shown = [cell.split(",")[0] for cell in cells(page)]
        # Only what is near the window is there.
        check(len(set(shown)) >= 12 and set(shown) <= set(names), f"the sheet shows {shown} instead of {names}")
        says(page, "All well", where="header")
        newest = page.locator(".newest b")
        until(page, lambda: newest.inner_text() == shown[0], 5, lambda: f"the newest is {shown[0]}, and shown is {newest.inner_text()}")
        scene.look(page, "capture")
        open_first(page, hand, shown)
        says(page, "Copies and receipts")
        says(page, "proof: reread")
        scene.look(page, "file")
        if isinstance(hand, Keys):
            page.keyboard.press("Escape")
        else:
            hand.press(page.locator('main a[href="#/capture"]').first)
        wait_for_files(page, len(names))


@scenario()
def still_to_come(scene):
    """What is on a camera and not read yet is shown, with the camera's own pictures, and leaves as the frames come."""
    with scene.shoot(camera=True) as shoot:
        names = shoot.photograph(40, slow=True)
        shoot.begin()
        page, _ = scene.open(shoot)
        part, ahead = page.locator(".upcoming"), page.locator(".upcoming li")
        until(page, lambda: part.is_visible() and ahead.count() >= 3, 20, "what is still to come is not shown")
        says(page, "still to come", where=".upcoming")
        drawn = lambda: part.locator("img").evaluate_all("(all) => all.filter((one) => one.naturalWidth >= 100).length")  # noqa: E731
        until(page, lambda: drawn() >= 3, 20, "the camera's own pictures are not shown")
        scene.look(page, "capture-upcoming")
        left = shoot.studio.client("view").get("upcoming")
        check(0 < left["total"] < len(names) and all(one["source"] is None for one in left["frames"]), f"a viewer is told {left}")
        told = {one["name"] for one in left["frames"] if not one["begun"]}
        here = {frame["path"].rsplit("/", 1)[-1] for frame in shoot.studio.client("view").get("frames")["frames"]}
        check(told and told <= set(names), f"{told} are to come, of {names}")
        check(len(here) > 0, "nothing was read while pictures were asked for")
        wait_for_files(page, len(names), 90)
        until(page, lambda: not part.is_visible(), 20, "what is here is still to come")
        check(shoot.studio.client("view").get("upcoming")["total"] == 0, "something is still to come")


def open_first(page, hand, names):
    """The first frame by a tap, the third by keys."""
    if isinstance(hand, Keys):
        hand.reach(page.locator('.cell[tabindex="0"]'))
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        says(page, names[2], where="main h1")
    else:
        hand.press(page.locator('.cell[aria-posinset="1"]'))
        says(page, names[0], where="main h1")


@scenario()
def killed_run(scene):
    """The run is killed: the page says so, and that it is back, without being opened anew."""
    with scene.shoot() as shoot:
        shoot.begin()
        page, _ = scene.open(shoot)
        page.evaluate("() => { window.isSame = true; }")
        says(page, "Taking", where="#run")
        shoot.drop(3)
        wait_for_files(page, 3)
        shoot.run.kill()
        begun = time.monotonic()
        says(page, "No run", 10, "#run")
        scene.took("killed run told after", time.monotonic() - begun)
        scene.look(page, "no-run")
        shoot.begin()
        begun = time.monotonic()
        says(page, "Taking", 10, "#run")
        scene.took("new run told after", time.monotonic() - begun)
        shoot.drop(2)
        wait_for_files(page, 5)
        shoot.wait(5)
        check(page.evaluate("() => window.isSame"), "the page was opened anew")


@scenario()
def restarted_page(scene):
    """The page's server is killed: the page looks old, and goes on by itself when the server is back."""
    with scene.shoot() as shoot:
        shoot.begin()
        page, _ = scene.open(shoot)
        page.evaluate("() => { window.isSame = true; }")
        shoot.drop(2)
        wait_for_files(page, 2)
        scene.browser.allow(*GONE)
        shoot.studio.kill()
        begun = time.monotonic()
        says(page, "Lost connection, last seen", 10, "header")
        scene.took("loss told after", time.monotonic() - begun)
        check(page.evaluate("() => document.body.classList.contains('old')"), "a page without a server does not look old")
        scene.look(page, "lost")
        shoot.drop(2)
        shoot.studio.start(first=False)
        begun = time.monotonic()
        until(page, lambda: "Lost" not in page.locator("header").inner_text(), 20, "the page does not come back")
        scene.took("back after", time.monotonic() - begun)
        wait_for_files(page, 4)
        shoot.drop(1)
        wait_for_files(page, 5)
        check(page.evaluate("() => window.isSame"), "the page was opened anew")


@scenario()
def seven_tabs(scene):
    """More tabs than a browser opens connections: all are told, also after the one that listened was closed."""
    with scene.shoot() as shoot:
        shoot.begin()
        first, _ = scene.open(shoot)
        pages = [first] + [first.context.new_page() for _ in range(6)]
        for page in pages[1:]:
            page.goto(shoot.studio.address)
            says(page, "All well", where="header")
        shoot.drop(3)
        for page in pages:
            wait_for_files(page, 3)
        first.close()
        shoot.drop(2)
        for page in pages[1:]:
            wait_for_files(page, 5, 20)


@scenario()
def offline(scene):
    """The browser has no network for a while: it says so, and has everything when the network is back."""
    port = free_port()
    with scene.shoot(names=[f"127.0.0.1:{port}"]) as shoot, Wire(port, shoot.studio.port) as wire:
        shoot.begin()
        page, _ = scene.open(shoot, link=f"http://127.0.0.1:{port}/#k={shoot.studio.link()[1]}")
        shoot.drop(1)
        wait_for_files(page, 1)
        scene.browser.allow(*GONE)
        wire.hold()
        page.context.set_offline(True)
        begun = time.monotonic()
        says(page, "Lost connection", 30, "header")
        scene.took("loss told after", time.monotonic() - begun)
        shoot.drop(3)
        shoot.wait(4)
        wire.mend()
        page.context.set_offline(False)
        begun = time.monotonic()
        until(page, lambda: "Lost" not in page.locator("header").inner_text(), 20, "the page does not come back")
        wait_for_files(page, 4)
        scene.took("back after", time.monotonic() - begun)


@scenario()
def asleep(scene):
    """A tab that the system froze has everything within seconds of being looked at again."""
    with scene.shoot() as shoot:
        shoot.begin()
        page, _ = scene.open(shoot)
        session = page.context.new_cdp_session(page)
        shoot.drop(1)
        wait_for_files(page, 1)
        session.send("Page.enable")
        session.send("Page.setWebLifecycleState", {"state": "frozen"})
        shoot.drop(4)
        shoot.wait(5)
        time.sleep(600 if scene.is_long else 25)
        session.send("Page.setWebLifecycleState", {"state": "active"})
        begun = time.monotonic()
        try:
            wait_for_files(page, 5, 10)
        except Failure:
            raise Failure(f"ten seconds after its sleep the page has {counted(page)} of 5 files") from None
        scene.took("awake after", time.monotonic() - begun)
