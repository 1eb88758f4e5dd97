"""Scenarios: clients who may see one event, a page that comes through TLS, two people who mark at once, and further pages in every width."""
import time

from chromium import Keys, Touch
from mark_scenarios import mark
from scene import cells, check, counted, says, scenario, until, wait_for_files


@scenario()
def client_link(scene):
    """A client sees one event and nothing else, and nothing any more as soon as the link is taken back."""
    with scene.shoot() as shoot:
        shoot.begin()
        admin = shoot.studio.client("admin")
        admin.job("events/use", {"event": "Smith wedding", "now": "yes"})
        own = shoot.drop(2)
        shoot.wait(2)
        admin.job("events/use", {"event": "Secret gala", "now": "yes"})
        others = shoot.drop(3)
        shoot.wait(5)
        link = shoot.studio.link("view", "--event", "Smith wedding", "--label", "Ann")[0]
        page, _ = scene.open(shoot, link=link)
        wait_for_files(page, 2)
        scene.look(page, "client")
        check(page.locator("#event").text_content() == "Smith wedding", f"the header says {page.locator('#event').text_content()!r}")
        offered = page.eval_on_selector_all("#tabs a", "all => all.map((one) => one.getAttribute('href'))")
        check(offered == ["#/capture", "#/profile"], f"the client is offered {offered}")
        shown = page.locator("body").inner_text() + " ".join(cells(page))
        check(all(name in shown for name in own), f"the client does not see the own frames: {shown[:600]}")
        for secret in [*others, "Secret gala", "archive", "gallery", scene.base]:
            check(secret not in shown, f"the client is told of {secret}: {shown[:600]}")
        shoot.drop(1)
        shoot.wait(6)
        page.wait_for_timeout(1500)
        check(counted(page) == 2, f"the client sees {counted(page)} files after another one of the other event")
        grant = next(one for one in admin.get("sessions")["grants"] if one.get("label") == "Ann" or "Ann" in str(one))
        # What the page asks in that moment is refused.
        scene.browser.allow("401")
        begun = time.monotonic()
        check(admin.ask("DELETE", f"/api/v1/sessions/{grant['id']}").status in (200, 204), "the link cannot be taken back")
        until(page, lambda: "Pair this browser" in page.locator("body").inner_text(), 10, "the page goes on after its link was taken back")
        scene.took("shut out after", time.monotonic() - begun)
        check(all(name not in page.locator("body").inner_text() for name in own), "frames are still shown")
        page.reload()
        says(page, "Pair this browser")
        page.goto(link)
        says(page, "This link has ended.")


@scenario()
def encrypted(scene):
    """The page through TLS and HTTP/2: it lets in, shows, is told of changes and marks as it does without."""
    with scene.shoot(encrypted=True) as shoot:
        shoot.begin()
        shoot.drop(2)
        shoot.wait(2)
        # The certificate is its own.
        page, hand = scene.open(shoot, ignore_https_errors=True)
        wait_for_files(page, 2)
        kinds = page.evaluate("() => [...new Set(performance.getEntriesByType('resource').map((one) => one.nextHopProtocol))]")
        # Files that the scenario puts in their place come over no line.
        check("h2" in kinds and not {"http/1.0", "http/1.1"} & set(kinds), f"the browser speaks {kinds}")
        check(page.evaluate("() => isSecureContext"), "the browser does not trust the page")
        shoot.drop(1)
        wait_for_files(page, 3)
        mark(page, hand, 1, stars=3)
        until(page, lambda: "3 stars" in cells(page)[0], 5, lambda: f"the mark is not shown: {cells(page)}")
        cookies = page.context.cookies()
        kept = cookies and all(one["secure"] and one["httpOnly"] and one["sameSite"] == "Strict" for one in cookies)
        check(kept, f"a cookie that is not kept close: {cookies}")
        scene.look(page, "encrypted")


@scenario()
def marking_together(scene):
    """Two people mark at the same time: different frames keep what each said, the same one has what was said last, and both see the same."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(6)
        shoot.wait(6)
        one, hand = scene.open(shoot, role="pick")
        other, second = scene.open(shoot, role="pick")
        for page in (one, other):
            wait_for_files(page, 6)
        for place in (1, 2, 3):
            mark(one, hand, place, stars=place)
            mark(other, second, place + 3, stars=place + 2)
        wanted = ["1 star", "2 stars", "3 stars", "3 stars", "4 stars", "5 stars"]
        for page in (one, other):
            until(
                page, lambda page=page: all(stars in cell for stars, cell in zip(wanted, cells(page))), 10,
                lambda page=page: f"marks are missing: {cells(page)}")
        mark(one, hand, 1, stars=5)
        mark(other, second, 1, stars=2)
        for page in (one, other):
            until(page, lambda page=page: "2 stars" in cells(page)[0], 10, lambda page=page: f"the last word does not count: {cells(page)}")
        told = shoot.studio.client("view").get("frames")["frames"]
        check([frame["rating"] for frame in told] == [2, 2, 3, 3, 4, 5], f"the API tells {[frame['rating'] for frame in told]}")


@scenario((Touch, Keys))
def further_pages(scene):
    """The second screen, stations, a file's page and a run's: everybody can use them on a phone, a tablet and at 320 pixels."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(3, serial="SER1")
        shoot.wait(3)
        client = shoot.studio.client("operate")
        frame, run = client.get("frames")["frames"][0]["id"], client.get("runs")["runs"][0]["run"]
        page, _ = scene.open(shoot)
        wait_for_files(page, 3)
        pages = {"show": "img.photo", "stations": "h1", f"file/{frame}": "dl", f"run/{run}": "dl"}
        for place, sign in pages.items():
            page.evaluate("(place) => { location.hash = `#/${place}`; }", place)
            until(page, lambda: page.locator("main " + sign).count() > 0, 15, lambda: f"{place} does not open: {page.locator('main').inner_text()}")
            page.wait_for_timeout(500)
            size = page.viewport_size
            for width in (size["width"], 320, 800):
                page.set_viewport_size({"width": width, "height": 844})
                scene.look(page, "further-" + place.split("/")[0])
            page.set_viewport_size(size)
        page.goto(shoot.studio.address + "/show")
        until(page, lambda: page.evaluate("() => document.querySelector('img.photo')?.naturalWidth > 0"), 15, "the second screen shows no picture")
        check(page.locator("header").is_hidden(), "the second screen has a header")
