"""Scenarios: signing in where something is held for want of it, the second screen, following the newest, and pictures that come later."""
import os
import time

from chromium import Keys
from provider import Provider
from scene import button, check, says, scenario, until, wait_for_files

# How the server refuses a picture that it makes no room for now.
BUSY = {"status": 503, "headers": {"Retry-After": "1"}, "json": {"type": "error", "code": "unavailable", "message": "Busy."}}
# Whether a picture is there with all of its pixels.
DRAWN = "(image) => image.complete && image.naturalWidth > 0"


@scenario()
def signing_in(scene):
    """What is held for want of a sign-in is let go on Deliveries: a refusal is told, then address, code and QR code lead in, and everything is sent."""
    with Provider(os.environ["FILMGATE_GALLERY_TOKEN"]) as provider, scene.shoot(auth=provider.auth) as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, "deliveries")
        shoot.drop(2)
        says(page, "Held: 2 wait", 20, "ul.cards")
        hand.press(button(page, "Who is signed in: gallery"))
        says(page, "signed out")
        scene.look(page, "deliveries-signed-out")
        hand.press(button(page, "Sign in: studio"))
        invited(page, provider)
        scene.look(page, "deliveries-invited")
        provider.refuse()
        says(page, "sign-in is needed, or was refused", 20)
        check(not page.locator("svg.qr").count(), "the code is shown although it counts no more")
        check(provider.begun == 1, f"{provider.begun} codes were asked for")
        hand.press(button(page, "Sign in: studio"))
        invited(page, provider)
        provider.allow()
        says(page, "all are signed in", 20)
        shoot.wait(2)
        until(page, lambda: "Held" not in page.locator("ul.cards").inner_text(), 15, "the page still says that something is held")
        check(provider.token not in page.content(), "the page shows the token")


def invited(page, provider):
    """The page shows where to sign in, by words and by a picture for a telephone."""
    says(page, "Open this address on any device:", 20)
    until(page, lambda: page.locator("code.secret").inner_text() == provider.CODE, 5, "the code is not shown")
    link = page.locator("main a[target=_blank]")
    check(link.get_attribute("href").startswith(provider.issuer + "/device"), f"the address is {link.get_attribute('href')}")
    check(page.locator("svg.qr path").count() == 1, "there is no QR code")


@scenario()
def second_screen(scene):
    """`/show` has the newest frame and nothing else: it changes by itself, and stays what it was while nothing comes."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(1)
        page, _ = scene.open(shoot)
        wait_for_files(page, 1)
        page.goto(shoot.studio.address + "/show")
        image = page.locator("main img.photo")
        until(page, lambda: image.get_attribute("src") and image.evaluate(DRAWN), 15, "the second screen shows no picture")
        says(page, "IMG_0001.JPG", where=".caption")
        check(not page.locator("nav").is_visible() and not page.locator("header").is_visible(), "there is more than the frame")
        scene.look(page, "show")
        before = image.get_attribute("src")
        shoot.drop(1)
        says(page, "IMG_0002.JPG", 15, ".caption")
        check(image.get_attribute("src") != before and image.evaluate(DRAWN), "the picture is not that of the newest frame")
        check(image.get_attribute("alt") == "Picture of IMG_0002.JPG", f"it is called {image.get_attribute('alt')}")
        shoot.run.kill()
        page.wait_for_timeout(1500)
        says(page, "IMG_0002.JPG", where=".caption")
        check(image.evaluate(DRAWN), "without a run the screen is empty")
        page.keyboard.press("Escape")
        until(page, lambda: page.locator("nav").is_visible(), 10, "Esc does not lead back")


@scenario((Keys,))
def following(scene):
    """F shows each new frame as it comes, in the sheet and as large as the window; without it what is looked at stays."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(3)
        page, _ = scene.open(shoot)
        wait_for_files(page, 3)
        page.locator('.cell[tabindex="0"]').focus()
        page.keyboard.press("Space")
        caption = page.locator("dialog.big .caption b")
        before = caption.inner_text()
        shoot.drop(1)
        page.wait_for_timeout(1500)
        check(caption.inner_text() == before, "another frame is shown although nobody follows")
        page.keyboard.press("f")
        says(page, "IMG_0004.JPG", 5, "dialog.big .caption")
        for number in (5, 6):
            shoot.drop(1)
            says(page, f"IMG_{number:04}.JPG", 10, "dialog.big .caption")
        image = page.locator("dialog.big img.photo")
        until(page, lambda: image.evaluate(DRAWN) and "/preview" in image.get_attribute("src"), 10, "the newest has no large picture")
        scene.look(page, "follow")
        page.keyboard.press("f")
        shoot.drop(1)
        wait_for_files(page, 7)
        page.wait_for_timeout(1000)
        check(caption.inner_text() == "IMG_0006.JPG", f"after F was pressed again the page goes on to {caption.inner_text()}")
        page.keyboard.press("Escape")
        check(page.locator('main button[aria-pressed="false"]', has_text="Follow the newest").count() == 1, "the button says that it follows")


@scenario((Keys,))
def pictures_later(scene):
    """A picture that the server has no room for comes as soon as it has, and is not asked for by a page that shows it no more; one that is gone is called so at once."""
    scene.browser.allow("503", "429", "404")
    with scene.shoot() as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, role="operate")
        asked, is_busy = [], True

        def small(route):
            asked.append(time.monotonic())
            return route.fulfill(**BUSY) if is_busy else route.continue_()

        page.route("**/thumbnail", small)
        shoot.drop(3)
        wait_for_files(page, 3)
        page.wait_for_timeout(3000)
        check(not page.locator(".cell .picture.there").count(), "pictures are shown that did not come")
        is_busy = False
        until(page, lambda: page.locator(".cell .picture.there").count() == 3, 10, "there is room again, and pictures do not come")
        is_busy = True
        shoot.drop(1)
        wait_for_files(page, 4)
        hand.go("doctor")
        page.wait_for_timeout(1000)
        before = len(asked)
        page.wait_for_timeout(5000)
        check(len(asked) == before, f"{len(asked) - before} pictures were asked for although nobody sees them")
        hand.go("capture")
        wait_for_files(page, 4)
        page.locator('.cell[tabindex="0"]').focus()
        refusals = [429, 429]
        page.route("**/full", lambda route: route.fulfill(**{**BUSY, "status": refusals.pop()}) if refusals else route.continue_())
        page.keyboard.press("Space")
        page.keyboard.press("z")
        depth = page.locator("dialog.big .under span[role=status]").last
        until(page, lambda: depth.inner_text() == "240 × 160 pixels", 6, lambda: f"all pixels do not come: {depth.inner_text()}")
        check(not refusals, "all pixels were shown before there was room")
        page.route("**/full", lambda route: route.fulfill(status=404, json={"type": "error", "code": "noPicture", "message": "Gone."}))
        page.keyboard.press("z")
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(500)
        begun = time.monotonic()
        page.keyboard.press("z")
        says(page, "A preview of", 1.5, "dialog.big")
        scene.took("that only a preview is left is said after", time.monotonic() - begun)
