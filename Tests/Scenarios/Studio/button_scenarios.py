"""Scenarios: what a person does on the page during a shoot and after it, by touch and by keys."""
import os
import signal
import time
from datetime import datetime, timedelta

from program import wait_for_port
from proof import Failure, digest
from scene import button, check, says, scenario, until, wait_for_files


@scenario()
def events(scene):
    """An event is typed and chosen; "Use now" lets the run go on with it, and another one is for the next run."""
    with scene.shoot() as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, "events")
        says(page, "No event was chosen or read yet.")
        scene.look(page, "events-empty")
        choose(page, hand, "Smith wedding")
        hand.press(button(page, "Use now …: Smith wedding"))
        says(page, "Begin anew with Smith wedding?", where="dialog")
        scene.look(page, "events-ask")
        hand.press(button(page, "Use now …", "dialog"))
        begun = time.monotonic()
        says(page, "Smith wedding", 15, "#event")
        scene.took("run with the new event told after", time.monotonic() - begun)
        shoot.drop(2)
        shoot.wait(2)
        frames = shoot.studio.client("operate").get("frames")["frames"]
        check([frame["event"] for frame in frames] == ["Smith wedding"] * 2, f"the frames have other events: {frames}")
        check(shoot.run.is_running, "the run has ended")
        choose(page, hand, "Jones party")
        says(page, "Smith wedding", 5, "ul.rows")
        check(page.locator("#event").inner_text() == "Smith wedding", "the run goes on with an event that is for the next one")
        # The event of a run is locked: another one takes its place only after somebody said so.
        says(page, "Smith wedding is locked")
        check(not button(page, "Use now …: Jones party").is_visible(), "a locked event can be changed")
        scene.look(page, "events")
        hand.press(button(page, "Unlock"))
        says(page, "Smith wedding is unlocked")
        check(not button(page, "Use now …: Smith wedding").is_visible(), "the run can begin anew with its own event")
        hand.press(button(page, "Use now …: Jones party"))
        hand.press(button(page, "Use now …", "dialog"))
        says(page, "Jones party is locked", 15)


def choose(page, hand, name):
    """Types an event and chooses it for the next run."""
    hand.write(page.locator("form.bar input"), name)
    hand.press(page.locator("form.bar button"))
    says(page, f"chosen {name}", where="ul.rows")


@scenario()
def assigning(scene):
    """Frames that are held without an event are given one, and go."""
    with scene.shoot(more="event: { hold: true }") as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, "events")
        shoot.drop(4)
        says(page, "are held without an event", 20)
        says(page, "held", where="#health")
        choose(page, hand, "Smith wedding")
        scene.look(page, "events-held")
        hand.press(button(page, "Assign held …: Smith wedding"))
        says(page, "Give everything that is held without an event to Smith wedding", where="dialog")
        hand.press(button(page, "Assign held …", "dialog"))
        shoot.wait(4)
        says(page, "All well", where="#health")
        until(page, lambda: not page.locator("main p.wait").first.is_visible(), 10, "the page still says that frames are held")


@scenario()
def target_away(scene):
    """A gallery that is away: Deliveries says why, and "Try again" sends everything once it is back."""
    with scene.shoot(retry="first: 60s, most: 120s") as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, "deliveries")
        shoot.gallery.kill()
        shoot.drop(3)
        card = page.locator("ul.cards > li", has=page.locator("h2", has_text="gallery"))
        until(page, lambda: card.count() and "Reason" in card.inner_text(), 20, lambda: f"no reason is told: {page.locator('main').inner_text()}")
        says(page, "3 files")
        says(page, "waiting", where="#health")
        rows = page.locator("main > ul.rows").inner_text()
        scene.look(page, "deliveries-away")
        shoot.gallery.start()
        wait_for_port(shoot.gallery_port)
        hand.press(button(page, "Try again: gallery"))
        shoot.wait(3)
        until(page, lambda: "Nothing waits" in card.inner_text(), 15, lambda: f"the gallery is not told to be well: {card.inner_text()}")
        says(page, "All well", where="#health")
        scene.look(page, "deliveries")
        check("IMG_0001.JPG" in rows, f"what waits is not told by its name: {rows}")


@scenario()
def taking_back(scene):
    """What waits for a target is taken back after a question, and nothing waits then."""
    with scene.shoot(retry="first: 60s, most: 120s") as shoot:
        shoot.begin()
        page, hand = scene.open(shoot, "deliveries")
        shoot.gallery.kill()
        shoot.drop(2)
        says(page, "2 files", 20, "main .bar [role=status]")
        said = lambda: page.locator("main").inner_text()
        until(page, lambda: "2 waiting" in said() or "2 held" in said(), 20, lambda: f"two do not wait: {said()}")
        hand.press(button(page, "Take back …: gallery"))
        says(page, "Take back 2 deliveries that gallery does not have yet?", where="dialog")
        scene.look(page, "deliveries-ask")
        page.keyboard.press("Escape")
        until(page, lambda: page.locator("dialog").count() == 0, 5, "Esc does not close the question")
        hand.press(button(page, "Take back …: gallery"))
        hand.press(button(page, "Take back …", "dialog"))
        says(page, "All well", 20, "#health")
        shoot.gallery.start()


@scenario()
def card(scene):
    """Plan, import, YES; and each change of the card or of a copy ends the YES within two seconds, and is a NO when asked again."""
    with scene.shoot(card=True) as shoot:
        page, hand = scene.open(shoot, "cards")
        says(page, "No card is mounted.")
        scene.look(page, "cards-empty")
        point = shoot.insert()
        label = os.path.basename(point)
        says(page, label, 10)
        hand.press(button(page, f"Plan: {label}"))
        says(page, "6 delivered", 20)
        hand.press(button(page, f"Import: {label}"))
        shoot.wait(6)
        says(page, "Import", 10)
        proof = Proof(scene, shoot, page, hand, label)
        check(proof.ask() == "YES", f"the card is not proven: {proof.words()}")
        scene.look(page, "cards-yes")
        added = os.path.join(point, "DCIM", "100CANON", "IMG_9999.JPG")
        proof.ends("a file added to the card", lambda: write(added, b"\xff\xd8new\xff\xd9"))
        check(proof.ask() == "NO", f"with a further file: {proof.words()}")
        scene.look(page, "cards-no")
        os.unlink(added)
        check(proof.ask() == "YES", f"without the further file: {proof.words()}")
        copy = shoot.kept()[0]
        before = read(copy)
        proof.ends("one byte of a copy changed", lambda: write(copy, before[:-3] + bytes([before[-3] ^ 1]) + before[-2:], at=len(before) - 3))
        check(proof.ask() == "NO", f"with a changed copy: {proof.words()}")
        write(copy, before)
        check(proof.ask() == "YES", f"with the copy mended: {proof.words()}")
        proof.ends("a copy removed", lambda: os.unlink(copy))
        check(proof.ask() == "NO", f"without the copy: {proof.words()}")
        write(copy, before)
        check(proof.ask() == "YES", f"with the copy back: {proof.words()}")
        proof.ends("the card pulled", lambda: shoot.pull(point), stays=False)
        says(page, "No card is mounted.", 10)


def imported(scene, shoot, files, **more):
    """A card that was imported through the page: the page, the mount point, and what asks for its proof."""
    page, hand = scene.open(shoot, "cards")
    point = shoot.insert(**more)
    label = os.path.basename(point)
    says(page, label, 10)
    hand.press(button(page, f"Import: {label}"))
    shoot.wait(files)
    proof = Proof(scene, shoot, page, hand, label)
    until(page, lambda: all(job["state"] != "running" for job in proof.client.get("jobs")["jobs"]), 20, "the import does not end")
    check(proof.ask() == "YES", f"the card is not proven: {proof.words()}")
    return page, point, proof


@scenario()
def watched(scene):
    """The copies of sidecars are watched, too; what a gallery lost ends the YES once somebody hears of it, and where it does not answer there is none."""
    with scene.shoot(card=True) as shoot:
        page, point, proof = imported(scene, shoot, 4, count=2, sidecars=True)
        copy = next(path for path in shoot.kept() if path.lower().endswith(".xmp"))
        before = read(copy)
        proof.ends("one byte of a sidecar's copy changed", lambda: write(copy, before[:-3] + bytes([before[-3] ^ 1]) + before[-2:], at=len(before) - 3))
        check(proof.ask() == "NO", f"with a changed sidecar: {proof.words()}")
        write(copy, before)
        check(proof.ask() == "YES", f"with the sidecar mended: {proof.words()}")
        proof.ends("a sidecar's copy removed", lambda: os.unlink(copy))
        check(proof.ask() == "NO", f"without the sidecar's copy: {proof.words()}")
        write(copy, before)
        check(proof.ask() == "YES", f"with the sidecar's copy back: {proof.words()}")
        bring_back = shoot.lose(digest(shoot.kept()[0]))
        proof.ends("the gallery's asset removed, and asked for", lambda: shoot.prove(point, 8))
        check(proof.ask() == "NO", f"without the gallery's asset: {proof.words()}")
        bring_back()
        check(proof.ask() == "YES", f"with the gallery's asset back: {proof.words()}")
        shoot.gallery.kill()
        check(proof.ask() == "NO", f"with the gallery away: {proof.words()}")
        says(page, "No answer now from gallery", 5, "p.verdict")
        scene.look(page, "cards-unasked")


@scenario()
def silent(scene):
    """A page whose server says nothing any more does not go on to show YES."""
    with scene.shoot(card=True) as shoot:
        page, _, proof = imported(scene, shoot, 1, count=1)
        shoot.studio.process.send_signal(signal.SIGSTOP)
        try:
            begun = time.monotonic()
            until(page, lambda: "✓ YES" not in proof.words(), 9, f"nine seconds later the page still says {proof.words()!r}")
            scene.took("a silent server: no YES after", time.monotonic() - begun)
            says(page, "Not known now", 2, "p.verdict")
        finally:
            shoot.studio.process.send_signal(signal.SIGCONT)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data, at=None):
    """The whole file, or one byte of it."""
    if at is None:
        with open(path, "wb") as file:
            file.write(data)
        return
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data[at:at + 1])


class Proof:
    """What the page says to "may I format it?"."""

    def __init__(self, scene, shoot, page, hand, label):
        self.scene, self.page, self.hand, self.label = scene, page, hand, label
        self.client = shoot.studio.client("operate")

    def words(self):
        places = self.page.locator("p.verdict")
        return places.first.inner_text() if places.count() else ""

    def state(self):
        mounted = self.client.get("cards")["mounted"]
        return (mounted[0]["proof"] or {}) if mounted else {}

    def ask(self):
        """Asks for a proof, and gives the word that the page shows in the end."""
        before = self.state().get("job")
        self.hand.press(button(self.page, f"May I format it?: {self.label}"))
        until(self.page, lambda: self.state().get("job") != before and self.state().get("verdict") != "CHECKING", 60, "the proof does not end")
        verdict = self.state()["verdict"]
        sign = "✓ YES" if verdict == "YES" else "✗ NO" if verdict in ("NO", "WITHDRAWN") else "? NO"
        until(self.page, lambda: self.words().startswith(sign), 5, lambda: f"the proof is {verdict}, and the page says {self.words()!r}")
        return verdict

    def ends(self, what, change, stays=True):
        """After `change` the page shows no YES within two seconds, and none later."""
        change()
        begun = time.monotonic()
        until(self.page, lambda: "✓ YES" not in self.words(), 2, f"{what}: two seconds later the page still says {self.words()!r}")
        self.scene.took(f"{what}: withdrawn after", time.monotonic() - begun)
        if stays:
            says(self.page, "but counts no more", 2, "p.verdict")
        while time.monotonic() < begun + 5:
            if "✓ YES" in self.words():
                raise Failure(f"{what}: the page says YES again without having been asked")
            self.page.wait_for_timeout(100)


@scenario()
def searching(scene):
    """A file is found by a part of its name, the beginning of its digest, and a body's serial number; its run is found, too."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(5, serial="SER4711", artist="Ann")
        shoot.wait(5)
        page, hand = scene.open(shoot, "history")
        says(page, "Run 1")
        scene.look(page, "history")
        wanted = next(path for path in shoot.kept() if path.endswith("IMG_0003.JPG"))
        for words, count in (("img_0003", 1), (digest(wanted)[:12], 1), ("SER4711", 5), ("no such file", 0)):
            hand.write(page.locator("main input[type=search]"), words)
            says(page, "1 file" if count == 1 else f"{count} files" if count else "Nothing here.", 5, "main [role=status]")
        hand.write(page.locator("main input[type=search]"), digest(wanted)[:12])
        says(page, "1 file", 5, "main [role=status]")
        scene.look(page, "history-found")
        hand.press(page.locator('main a[href^="#/file/"]'))
        says(page, "IMG_0003.JPG", where="main h1")
        says(page, digest(wanted))
        says(page, wanted)
        hand.go("history")
        hand.press(page.locator('main a[href="#/run/1"]'))
        says(page, "IMG_0003.JPG")
        scene.look(page, "run")


@scenario()
def clocks(scene):
    """Every moment is told by the browser's own clock."""
    with scene.shoot() as shoot:
        shoot.begin()
        run = shoot.studio.client("operate").get("runs")["runs"][0]
        page, _ = scene.open(shoot, "history", timezone_id="Asia/Bangkok")
        there = datetime.fromisoformat(run["started"].replace("Z", "+00:00")) + timedelta(hours=7)
        says(page, there.strftime("%Y-%m-%d %H:%M:%S"))


@scenario()
def inviting(scene):
    """A code for another browser, which may only look, made on the page; ended there, it is out at once."""
    with scene.shoot() as shoot:
        page, hand = scene.open(shoot, "profile")
        hand.choose(page.locator("main select", has=page.locator('option[value="operate"]')), "view")
        hand.press(button(page, "Make a code"))
        says(page, "Type this code there within five minutes:")
        scene.look(page, "profile")
        code = page.locator("main code.secret").inner_text()
        scene.browser.allow("401")
        guest, hands = scene.window()
        guest.goto(shoot.studio.address)
        hands.write(guest.locator("#code"), code)
        hands.press(button(guest, "Pair"))
        says(guest, "Nothing has been taken yet.")
        hand.go("capture")
        hand.go("profile")
        row = page.locator("ul.rows li", has_text="session, view")
        hand.press(row.get_by_role("button"))
        begun = time.monotonic()
        says(guest, "Pair this browser", 10)
        scene.took("out after", time.monotonic() - begun)


@scenario()
def finding_keys(scene):
    """The search is reached by its key on the sheet, and Esc leads back from a file."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(30)
        page, hand = scene.open(shoot)
        wait_for_files(page, 30, 20)
        page.keyboard.press("/")
        page.keyboard.type("IMG_0007")
        wait_for_files(page, 1)
        hand.write(page.locator("main input[type=search]"), "")
        wait_for_files(page, 30)
        if hand.name == "keys":
            hand.reach(page.locator('.cell[tabindex="0"]'))
            for key, place in (("End", 30), ("Home", 1), ("ArrowRight", 2), ("PageDown", None), ("Home", 1)):
                page.keyboard.press(key)
                now = page.evaluate("() => Number(document.activeElement.getAttribute('aria-posinset'))")
                check(now == place if place else now > 2, f"after {key} the frame {now} has the focus")
