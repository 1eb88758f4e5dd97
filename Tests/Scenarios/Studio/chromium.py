"""A real browser that looks at the page: what went wrong in it, whether everybody can use it, and two ways to operate it."""
import json
import os
import shutil
import time
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Error, sync_playwright

from proof import Failure

# Two sizes, and how each is operated.
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
DESK = {"viewport": {"width": 1280, "height": 800}}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# What the page's policy kept out, told by the page itself: the console names only the first of a kind.
POLICY = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} kept out ${event.blockedURI} ${event.sample}`);
}, true);
"""
TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
# What each page is called, by its name in the address.
TITLES = {
    "events": "Events", "capture": "Capture", "cards": "Cards", "deliveries": "Deliveries", "history": "History", "pipeline": "Pipeline",
    "doctor": "Doctor", "profile": "This browser", "stations": "Stations",
}
# A page that goes takes its requests with it, and a newer search ends the one before.
HARMLESS = ["net::ERR_ABORTED"]


def installed():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    raise Failure("there is no Chromium: install chromium")


class Chromium:
    """Chromium for a while; use as a context."""

    def __init__(self, shots=None, files=None):
        """`shots`: a folder for pictures; `files`: a folder whose scripts and styles are shown instead of the program's own."""
        self.shots, self.files, self.faults, self.allowed, self.contexts = shots, files, [], [], []

    def __enter__(self):
        self.driver = sync_playwright().start()
        # A name that leads to this machine, as a hostile page would make one.
        args = ["--host-resolver-rules=MAP filmgate.test 127.0.0.1"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        # Root is not let into Chromium's own sandbox; the pages here are ours.
        self.browser = self.driver.chromium.launch(executable_path=installed(), args=args)
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.driver.stop()

    def context(self, size, watched=True, **more):
        """A browser of its own: nothing is kept from another one. `watched` = what goes wrong in it is a failure."""
        context = self.browser.new_context(**size, **more)
        context.set_default_timeout(15_000)
        self.contexts.append(context)
        if self.files:
            context.route("**/page/*/*", self.own_file)
            context.route(lambda address: urlsplit(address).path in ("/", "/show"), self.own_page)
        if watched:
            context.add_init_script(POLICY)
            context.on("page", self.watch)
        return context

    def own_file(self, route):
        path = os.path.join(self.files, route.request.url.rsplit("/", 1)[-1])
        route.fulfill(path=path, headers={"Cross-Origin-Resource-Policy": "same-origin"}, content_type=TYPES[path.rsplit(".", 1)[-1]])

    def own_page(self, route):
        """The answer of the program with another text."""
        answer = route.fetch()
        with open(os.path.join(self.files, "index.html"), encoding="utf-8") as file:
            text = file.read().replace("{version}", "own")
        # It came packed, and is plain here.
        headers = {name: value for name, value in answer.headers.items() if name not in ("content-encoding", "content-length")}
        route.fulfill(response=answer, headers=headers, body=text if answer.ok else answer.text())

    def watch(self, page):
        page.on("console", lambda message: message.type == "error" and self.note(f"console: {message.text} {message.location.get('url', '')}"))
        page.on("pageerror", lambda error: self.note(f"error: {error}"))
        page.on("requestfailed", lambda request: self.note(f"request: {request.method} {request.url}: {request.failure}"))
        page.on("response", lambda answer: answer.status >= 400 and self.note(f"answer: {answer.status} {answer.request.method} {answer.url}"))
        page.on("dialog", lambda dialog: (self.note(f"dialog: {dialog.message}"), dialog.dismiss()))

    def note(self, words):
        if not any(word in words for word in HARMLESS + self.allowed):
            self.faults.append(words)

    def allow(self, *words):
        """From now on, until the next scenario, whatever has one of these words in it is expected."""
        self.allowed += words

    def begin(self):
        self.faults, self.allowed = [], []

    def pictures(self, folder):
        """Of every window, for whoever looks into a failure."""
        for number, page in enumerate(page for context in self.contexts for page in context.pages):
            try:
                page.screenshot(path=os.path.join(folder, f"failed-{number}.png"))
            except Error:
                pass

    def close(self):
        """Closes every window."""
        for context in self.contexts:
            try:
                context.close()
            except Error:
                pass
        self.contexts = []

    def look(self, page, name, judged=True):
        """Keeps a picture of what is shown; asks whether it fits the width and, where it is `judged`, axe whether everybody can use it."""
        page.wait_for_timeout(150)
        if self.shots:
            page.screenshot(path=os.path.join(self.shots, f"{name}-{page.viewport_size['width']}.png"))
        wide = page.evaluate("() => document.documentElement.scrollWidth") - page.viewport_size["width"]
        if wide > 0:
            self.note(f"{name}: wider than the window by {wide} pixels")
        for fault in axe(page) if judged else []:
            self.note(f"axe, {name}: {fault}")


def axe(page):
    """Every rule that is broken, with the first places; axe runs in a world of its own, where the page's policy does not bind it."""
    session = page.context.new_cdp_session(page)
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "axe"})["executionContextId"]
    look = """axe.run(document, {runOnly: %s, resultTypes: ["violations"]}).then((found) => JSON.stringify(found.violations.map((one) =>
      `${one.id} (${one.impact}) at ${one.nodes.slice(0, 3).map((node) =>
        `${node.target.join(" ")}: ${node.any.concat(node.all, node.none).map((check) => check.message).join("; ")}`).join(" | ")}`)))"""
    for text in (AXE_SCRIPT + ";undefined", look % json.dumps(RULES)):
        answer = session.send("Runtime.evaluate", {"expression": text, "contextId": world, "awaitPromise": True, "returnByValue": True})
        if "exceptionDetails" in answer:
            raise Failure(f"axe could not run: {answer['exceptionDetails']}")
    session.detach()
    return json.loads(answer["result"]["value"])


class Touch:
    """Operates a page with a finger."""
    name, size = "phone", PHONE

    def __init__(self, page):
        self.page = page

    def press(self, place):
        place.tap()

    def write(self, place, text):
        place.tap()
        place.fill("")
        self.page.keyboard.type(text)

    def choose(self, place, value):
        place.select_option(value)

    def go(self, tab):
        """Opens a page by its name in the address; what the bar has no room for lies under Profile."""
        link = self.page.locator(f'nav a[href="#/{tab}"]')
        if not link.is_visible():
            self.go("profile")
            link = self.page.locator(f'main a[href="#/{tab}"]')
        self.press(link)
        opened(self.page, tab)


class Keys:
    """Operates a page with nothing but keys."""
    name, size = "keys", DESK
    FARTHEST = 200

    def __init__(self, page):
        self.page = page

    def reach(self, place):
        for _ in range(self.FARTHEST):
            if place.evaluate("(one) => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise Failure(f"the Tab key does not lead to {place}")

    def press(self, place):
        self.reach(place)
        self.page.keyboard.press("Enter")

    def write(self, place, text):
        self.reach(place)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Delete")
        self.page.keyboard.type(text)

    def choose(self, place, value):
        self.reach(place)
        self.page.keyboard.press("Home")
        for _ in range(50):
            if place.input_value() == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise Failure(f"the arrow keys do not lead to {value}")

    def go(self, tab):
        self.press(self.page.locator(f'nav a[href="#/{tab}"]'))
        opened(self.page, tab)


def opened(page, tab):
    title = page.locator("main h1")
    until(page, lambda: title.count() and title.first.text_content() == TITLES[tab], 15, f"the page {tab} does not open")


def until(page, holds, seconds, otherwise):
    """Waits until `holds()` is true, and lets the page go on meanwhile; returns what it gave."""
    end = time.monotonic() + seconds
    while True:
        if value := holds():
            return value
        if time.monotonic() > end:
            raise Failure(otherwise() if callable(otherwise) else otherwise)
        page.wait_for_timeout(40)


def says(page, words, seconds=15, where="body"):
    """Waits until the page shows these words."""
    place = page.locator(where)
    return until(page, lambda: words in place.inner_text(), seconds, lambda: f"the page does not say “{words}” but: {place.inner_text()[:600]!r}")
