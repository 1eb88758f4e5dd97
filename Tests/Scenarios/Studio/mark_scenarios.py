"""Scenarios: what people say of pictures on the page, by touch and by keys, and what goes out because of it."""
from chromium import Keys
from scene import button, cells, check, says, scenario, until, wait_for_files

WAITING = "profiles: [ { match: {}, deliver: { archive: {}, gallery: { picks: only } } } ]"


@scenario()
def marking(scene):
    """A pick sends its frame at once, another browser sees it, and what was marked by mistake is taken back."""
    with scene.shoot(more=WAITING) as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, role="pick")
        other, _ = scene.open(shoot, role="operate")
        shoot.drop(3)
        for one in (page, other):
            wait_for_files(one, 3)
        until(other, lambda: all("archive done, gallery pending" in cell for cell in cells(other)), 15, lambda: f"nothing waits: {cells(other)}")
        scene.look(page, "marks-none")
        mark(page, hand, 1, stars=4, pick=True)
        for one in (page, other):
            until(one, lambda one=one: "picked, 4 stars" in cells(one)[0], 5, lambda one=one: f"the mark is not shown: {cells(one)}")
        until(page, lambda: shoot.sent() == 1, 10, lambda: f"{shoot.sent()} frames were sent")
        mark(page, hand, 2, reject=True)
        until(other, lambda: "rejected" in cells(other)[1], 5, lambda: f"the rejection is not shown: {cells(other)}")
        scene.look(page, "marks")
        undo(page, hand)
        until(other, lambda: "rejected" not in cells(other)[1], 5, lambda: f"the rejection is still shown: {cells(other)}")
        everything(page, hand)
        until(page, lambda: shoot.sent() == 3, 10, lambda: f"{shoot.sent()} frames were sent")
        large(page, scene)


def mark(page, hand, place, stars=None, pick=False, reject=False):
    """Marks one frame: by keys where it has the focus, else by choosing it and a button."""
    if isinstance(hand, Keys):
        hand.reach(page.locator('.cell[tabindex="0"]'))
        page.keyboard.press("Home")
        for _ in range(place - 1):
            page.keyboard.press("ArrowRight")
        if stars is not None:
            page.keyboard.press(str(stars))
        if pick or reject:
            page.keyboard.press("t" if pick else "x")
        return
    hand.press(button(page, "Select"))
    hand.press(page.locator(f'.cell[aria-posinset="{place}"]'))
    says(page, "1 selected")
    if stars is not None:
        hand.choose(page.locator('main select[aria-label="Stars"]').first, str(stars))
    if pick or reject:
        hand.press(button(page, "✔ Pick" if pick else "✘ Reject").first)
    hand.press(button(page, "Select none"))
    hand.press(button(page, "Select"))


def undo(page, hand):
    if isinstance(hand, Keys):
        page.keyboard.press("Control+Z")
    else:
        hand.press(button(page, "↶ Undo").first)


def everything(page, hand):
    """All of the list is picked in one go."""
    if isinstance(hand, Keys):
        page.keyboard.press("Control+A")
        says(page, "3 selected")
        page.keyboard.press("Control+=")
        page.keyboard.press("Escape")
    else:
        hand.press(button(page, "Select all"))
        says(page, "3 selected")
        hand.press(button(page, "✔ Pick").first)
        hand.press(button(page, "Select none"))


def large(page, scene):
    """The same keys on a frame as large as the window; a switch turns the single ones off."""
    page.locator('.cell[tabindex="0"]').focus()
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    page.keyboard.press("2")
    says(page, "★★", where="dialog.big")
    scene.look(page, "marks-big")
    page.keyboard.press("?")
    says(page, "Single letters and digits are keys, too", where="dialog:not(.big)")
    scene.look(page, "marks-keys")
    page.locator("dialog:not(.big) input").click()
    page.keyboard.press("Escape")
    page.keyboard.press("5")
    page.wait_for_timeout(300)
    check("★★★" not in page.locator("dialog.big").inner_text(), "a key that is turned off marks")
