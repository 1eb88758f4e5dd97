"""Scenarios: one frame that a gallery refused is sent again, and frames that are chosen are given to an event, by touch and by keys."""
from chromium import Keys
from program import wait_for_port
from scene import button, cells, check, says, scenario, until, wait_for_files

ASKED = "dialog:not(.big)"


def refuse(shoot):
    """The gallery finds every file too large until it is started anew with `accept`."""
    shoot.gallery.kill()
    shoot.gallery.command = [*shoot.gallery.command, "--fault", "too-large"]
    shoot.gallery.start()
    wait_for_port(shoot.gallery_port)


def accept(shoot):
    shoot.gallery.kill()
    shoot.gallery.start(first=False)
    wait_for_port(shoot.gallery_port)


def choose(page, hand, *places):
    """Selects these frames and no others; places beside one another, by keys."""
    if isinstance(hand, Keys):
        hand.reach(page.locator('.cell[tabindex="0"]'))
        page.keyboard.press("Home")
        for _ in range(places[0] - 1):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Control+Space")
        for _ in places[1:]:
            page.keyboard.press("Shift+ArrowRight")
    else:
        hand.press(button(page, "Select"))
        for place in places:
            hand.press(page.locator(f'.cell[aria-posinset="{place}"]'))
        hand.press(button(page, "Select"))
    says(page, f"{len(places)} selected")


@scenario()
def one_again(scene):
    """A gallery refuses three frames: the page of one says why and sends it again, the sheet another one, and the third stays."""
    with scene.shoot() as shoot:
        refuse(shoot)
        shoot.begin()
        page, hand = scene.open(shoot, role="operate")
        shoot.drop(3)
        wait_for_files(page, 3)
        failed = lambda: [cell.split(",")[0] for cell in cells(page) if "gallery failed" in cell]  # noqa: E731
        until(page, lambda: len(failed()) == 3, 30, lambda: f"not all are refused: {cells(page)}")
        names = failed()
        if isinstance(hand, Keys):
            hand.reach(page.locator('.cell[tabindex="0"]'))
            page.keyboard.press("Home")
            page.keyboard.press("Enter")
        else:
            hand.press(page.locator('.cell[aria-posinset="1"]'))
        says(page, names[0], where="main h1")
        says(page, "finds the file too large (413)")
        scene.look(page, "file-refused")
        accept(shoot)
        again = button(page, "Try again: gallery")
        hand.press(again)
        until(page, lambda: again.count() == 0, 30, lambda: f"it can still be tried again: {page.locator('main').inner_text()}")
        says(page, "– done")
        check(shoot.sent() == 1, f"{shoot.sent()} frames were sent instead of one")
        scene.look(page, "file-again")
        if isinstance(hand, Keys):
            page.keyboard.press("Escape")
        else:
            hand.press(page.locator('main a[href="#/capture"]').first)
        wait_for_files(page, 3)
        until(page, lambda: failed() == names[1:], 10, lambda: f"refused are {failed()} instead of {names[1:]}")
        choose(page, hand, 2)
        if isinstance(hand, Keys):
            page.keyboard.press("r")
        else:
            hand.press(button(page, "Try again"))
        until(page, lambda: failed() == names[2:], 20, lambda: f"refused are {failed()} instead of {names[2:]}")
        scene.look(page, "sheet-again")
        check(shoot.sent() == 2, f"{shoot.sent()} frames were sent instead of two")


def assign(page, hand, event, question):
    hand.press(button(page, "Assign to event …"))
    says(page, question, where=ASKED)
    hand.write(page.locator(f"{ASKED} input"), event)
    if isinstance(hand, Keys):
        page.keyboard.press("Enter")
    else:
        hand.press(button(page, "Assign to event …", ASKED))


@scenario()
def assigning_some(scene):
    """Of frames that are held without an event two go to one; all that a filter leaves go to another, in one request."""
    with scene.shoot(more="event: { hold: true }") as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, role="operate")
        asked = []
        page.on("request", lambda request: request.url.endswith("/api/v1/assign") and asked.append(request.post_data_json))
        shoot.drop(5)
        wait_for_files(page, 5)
        until(page, lambda: sum("gallery held" in cell for cell in cells(page)) == 5, 20, lambda: f"not all are held: {cells(page)}")
        choose(page, hand, 1, 2)
        hand.press(button(page, "Assign to event …"))
        says(page, "Give 2 files to an event", where=ASKED)
        scene.look(page, "sheet-assign")
        for name in ("", "   "):
            page.locator(f"{ASKED} input").fill(name)
            hand.press(button(page, "Assign to event …", ASKED))
            says(page, "Give 2 files to an event", where=ASKED)
            check(page.locator(f"{ASKED} input").evaluate("field => !field.validity.valid"), f"{name!r} is taken for an event")
        hand.press(button(page, "No, leave it", ASKED))
        check(not asked, f"asked was for {asked}, though nobody said yes")
        assign(page, hand, "Smith wedding", "Give 2 files to an event")
        shoot.wait(2)
        until(page, lambda: len(asked) == 1 and len(asked[0]["selection"]["sha256"]) == 2, 5, lambda: f"asked was for {asked}")
        if hand.name == "phone":
            hand.press(page.locator("details.filters summary"))
        hand.choose(page.locator("details.filters label", has_text="Event").locator("select"), "event")
        wait_for_files(page, 3)
        if isinstance(hand, Keys):
            hand.reach(page.locator('.cell[tabindex="0"]'))
            page.keyboard.press("Control+A")
        else:
            hand.press(button(page, "Select all"))
        says(page, "3 selected")
        assign(page, hand, "Jones party", "Give 3 files to an event")
        shoot.wait(5)
        wait_for_files(page, 0)
        check(len(asked) == 2 and asked[1]["selection"]["filter"]["without"] == "event", f"asked was for {asked}")
        events = sorted(frame["event"] for frame in shoot.studio.client("operate").get("frames")["frames"])
        check(events == ["Jones party"] * 3 + ["Smith wedding"] * 2, f"the frames have the events {events}")


__all__ = ["assigning_some", "one_again"]
