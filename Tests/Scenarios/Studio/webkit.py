#!/usr/bin/env python3
"""Operates the page of `filmgate studio` with a real WebKit, over WebDriver: the main path of a shoot, at a phone's width and a desktop's.

A link lets the browser in, frames fill the sheet, one is opened, a card is imported and proven, the run is killed and told, and a client's
code is refused. Chromium has the rest, in browser.py. Needs root or user namespaces to mount cards, and Xvfb where there is no display.
"""
import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Shared"))
from program import Program, free_port, wait_for_port  # noqa: E402
from proof import Failure  # noqa: E402
from shoot import Shoot, own_mounts  # noqa: E402

# Which key of an answer names an element: W3C WebDriver, section 11.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER = "\ue007"
WIDTHS = {"phone": (390, 844), "desk": (1280, 800)}


def browsers():
    """Where Debian keeps WebKit's own small browser."""
    for version in ("webkit2gtk-4.1", "webkit2gtk-4.0", "webkitgtk-6.0"):
        path = f"/usr/lib/{os.uname().machine}-linux-gnu/{version}/MiniBrowser"
        if os.path.exists(path):
            return path
    raise Failure("there is no MiniBrowser: install webkit2gtk-driver")


class WebKit:
    """One window of WebKit; use as a context."""

    def __init__(self, log, size):
        self.port, self.size, self.session, self.screen = free_port(), size, None, None
        environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1", NO_AT_BRIDGE="1")
        if "DISPLAY" not in environment:
            number = next(number for number in range(90, 190) if not os.path.exists(f"/tmp/.X11-unix/X{number}"))
            self.screen = Program("screen", ["Xvfb", f":{number}", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"], log=log)
            environment["DISPLAY"] = f":{number}"
        self.driver = Program("driver", ["WebKitWebDriver", f"--port={self.port}"], log=log, environment=environment)

    def __enter__(self):
        if self.screen:
            self.screen.start()
            time.sleep(1)
        self.driver.start()
        wait_for_port(self.port)
        options = {"binary": browsers(), "args": ["--automation"]}
        try:
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}, bare=True)
            self.session = answer["sessionId"]
            self.version = f"{answer['capabilities'].get('browserName')} {answer['capabilities'].get('browserVersion')}"
            self.call("POST", "/window/rect", {"width": self.size[0], "height": self.size[1]})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.session:
            try:
                self.call("DELETE", "")
            except Failure:
                pass
        for program in (self.driver, self.screen):
            if program:
                program.close()

    def call(self, method, path, body=None, bare=False):
        address = f"http://127.0.0.1:{self.port}" + (path if bare else f"/session/{self.session}{path}")
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(f"WebDriver, {method} {path}: {error.read().decode(errors='replace')[:300]}") from None
        except OSError as error:
            raise Failure(f"WebDriver, {method} {path}: {error}") from None

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *words):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(words)})

    def text(self, selector):
        """What the first such element shows; nothing where there is none."""
        return self.run("const one = document.querySelector(arguments[0]); return one ? one.innerText : ''", selector)

    def says(self, words, seconds=20, where="body"):
        self.until(lambda: words in self.text(where), seconds, lambda: f"the page does not say “{words}” but {self.text(where)[:500]!r}")

    def until(self, holds, seconds, otherwise):
        end = time.monotonic() + seconds
        while not (value := holds()):
            if time.monotonic() > end:
                raise Failure(otherwise() if callable(otherwise) else otherwise)
            time.sleep(0.1)
        return value

    def press(self, selector, words=None):
        """Presses the first such element, and one that says exactly `words` where these are given, as a person does."""
        find = """return [...document.querySelectorAll(arguments[0])].find((one) =>
            one.offsetParent && (arguments[1] === null || one.innerText.trim() === arguments[1] || one.ariaLabel === arguments[1])) ?? null"""
        for tries_left in range(4, -1, -1):
            place = self.until(lambda: self.run(find, selector, words), 15, f"there is no {words or selector} to press")
            try:
                self.run("arguments[0].scrollIntoView({block: 'center'})", place)
                return self.call("POST", f"/element/{place[ELEMENT]}/click")
            except Failure as failure:
                # The page has put another element there meanwhile: a person would press that one.
                if "stale element" not in str(failure) or not tries_left:
                    raise

    def write(self, selector, text):
        place = self.until(lambda: self.run("return document.querySelector(arguments[0])", selector), 15, f"there is no {selector}")
        self.call("POST", f"/element/{place[ELEMENT]}/value", {"text": text})

    def go(self, tab):
        """Opens a page by its name in the address; what the bar has no room for lies under Profile."""
        shown = "const one = document.querySelector(arguments[0]); return Boolean(one && one.offsetParent)"
        if not self.run(shown, f'nav a[href="#/{tab}"]'):
            self.press('nav a[href="#/profile"]')
            return self.press(f'main a[href="#/{tab}"]')
        self.press(f'nav a[href="#/{tab}"]')

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))


def files(page):
    words = page.text("form.bar [role=status]")
    return int(words.split()[0].replace(",", "")) if words[:1].isdigit() else 0


def wait_for_files(page, count):
    page.until(lambda: files(page) == count, 30, lambda: f"the sheet has {files(page)} files instead of {count}")


def shooting(page, shoot, keep):
    """Frames fill the sheet, one is opened, the run is killed and comes back."""
    shoot.begin()
    page.open(shoot.studio.told()["link"])
    page.says("Taking", where="#run")
    if "k=" in page.call("GET", "/url"):
        raise Failure("the code stays in the address")
    page.run("window.isSame = true")
    shoot.drop(12)
    wait_for_files(page, 12)
    drawn = "return [...document.querySelectorAll('.cell img')].filter((one) => one.complete && one.naturalWidth > 0).length"
    page.until(lambda: page.run(drawn) >= 6, 30, lambda: f"only {page.run(drawn)} pictures are shown")
    keep("capture")
    newest = page.run("return document.querySelector('.cell[aria-posinset=\"1\"]').ariaLabel").split(",")[0]
    page.press('.cell[aria-posinset="1"]')
    page.says(newest, where="main h1")
    keep("file")
    page.go("capture")
    shoot.run.kill()
    page.says("No run", 15, "#run")
    shoot.begin()
    page.says("Taking", 15, "#run")
    shoot.drop(2)
    wait_for_files(page, 14)
    if not page.run("return window.isSame === true"):
        raise Failure("the page was opened anew")


def proving(page, shoot, keep):
    """A card is imported and proven; a changed copy takes the YES back."""
    page.open(shoot.studio.told()["link"])
    page.says("All well", where="header")
    page.go("cards")
    shoot.insert()
    page.says("FILMGATE_TEST", 20)
    page.press("main button", "Import: FILMGATE_TEST")
    shoot.wait(6, 60)
    ask = lambda: page.press("main button", "May I format it?: FILMGATE_TEST")
    ask()
    page.says("✓ YES", 60, "p.verdict")
    keep("yes")
    copy = shoot.kept()[0]
    with open(copy, "r+b") as file:
        file.seek(-3, os.SEEK_END)
        byte = file.read(1)
        file.seek(-3, os.SEEK_END)
        file.write(bytes([byte[0] ^ 1]))
    page.until(lambda: "✓ YES" not in page.text("p.verdict"), 3, "the page still says YES after a copy has changed")
    ask()
    page.says("✗ NO", 60, "p.verdict")
    keep("no")


def refusing(page, shoot, keep):
    """A code is typed: a wrong one is refused in words, a right one lets in, and signing out leads back."""
    page.open(shoot.studio.address)
    page.says("Pair this browser")
    page.write("#code", "ABCD-EFGH")
    page.press("main button", "Pair")
    page.says("This code is wrong")
    keep("refused")
    page.run("document.querySelector('#code').value = ''")
    page.write("#code", shoot.studio.link("operate")[1].lower())
    page.press("main button", "Pair")
    page.says("All well", where="header")
    page.go("profile")
    page.says("operate")
    page.press("main button", "Sign this browser out")
    page.says("Pair this browser")


SCENARIOS = [(shooting, {}), (proving, {"card": True}), (refusing, {})]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--only", choices=[function.__name__ for function, _ in SCENARIOS], help="carry out only this scenario")
    parser.add_argument("--shots", help="a folder for pictures of the pages")
    options = parser.parse_args()
    own_mounts([sys.executable, *sys.argv])
    if options.shots:
        os.makedirs(options.shots, exist_ok=True)
    failed = done = 0
    for function, more in SCENARIOS:
        for width, size in WIDTHS.items():
            if options.only and function.__name__ != options.only:
                continue
            base, begun = tempfile.mkdtemp(prefix="filmgate-webkit-"), time.monotonic()
            keep = lambda name: options.shots and page.picture(os.path.join(options.shots, f"webkit-{name}-{size[0]}.png"))
            done += 1
            try:
                with Shoot(os.path.abspath(options.filmgate), base, **more) as shoot, WebKit(os.path.join(base, "webkit.log"), size) as page:
                    function(page, shoot, keep)
                print(f"pass  {function.__name__}, {width}: {time.monotonic() - begun:.1f} s  {page.version}", flush=True)
                shutil.rmtree(base, ignore_errors=True)
            except (Failure, OSError, KeyError) as failure:
                failed += 1
                print(f"FAIL  {function.__name__}, {width}: {failure}\n      its folder is {base}", flush=True)
    print(f"{done - failed} of {done} scenarios passed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
