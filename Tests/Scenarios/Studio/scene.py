"""What every scenario of the page has at hand, and the list of them all."""
from contextlib import contextmanager

from chromium import Keys, Touch, says, until
from proof import Failure
from shoot import Shoot

SCENARIOS = []


def scenario(ways=(Touch, Keys)):
    """Puts a function on the list; it is carried out once with each of `ways`."""
    def add(function):
        SCENARIOS.append((function, ways))
        return function
    return add


def check(holds, otherwise):
    if not holds:
        raise Failure(otherwise)


class Scene:
    """One scenario while it goes on."""

    def __init__(self, filmgate, browser, way, base, is_long=False):
        self.filmgate, self.browser, self.way, self.base, self.is_long, self.figures = filmgate, browser, way, base, is_long, []

    @contextmanager
    def shoot(self, **more):
        """A shoot of its own; every window is closed before it ends, so that none of them sees its end."""
        with Shoot(self.filmgate, self.base, **more) as shoot:
            try:
                yield shoot
            except BaseException:
                self.browser.pictures(self.base)
                raise
            finally:
                self.browser.close()

    def window(self, **more):
        """A browser that was never here, and who operates it."""
        page = self.browser.context(self.way.size, **more).new_page()
        return page, self.way(page)

    def open(self, shoot, tab=None, role="admin", link=None, **more):
        """The page in a browser that was let in."""
        page, hand = self.window(**more)
        page.goto(link or shoot.studio.link(role)[0])
        until(page, lambda: page.locator("#health").inner_text(), 15, "the page shows no state of things")
        if tab and tab != "capture":
            hand.go(tab)
        return page, hand

    def look(self, page, name, judged=True):
        self.browser.look(page, name, judged)

    def took(self, what, seconds):
        self.figures.append(f"{what} {seconds:.1f} s")


def button(page, name, where="main"):
    return page.locator(where).get_by_role("button", name=name, exact=True)


def counted(page):
    """How many files the sheet says that there are."""
    words = page.locator("form.bar [role=status]").inner_text()
    return int(words.split()[0].replace(",", "")) if words[:1].isdigit() else 0


def wait_for_files(page, count, seconds=15):
    until(page, lambda: counted(page) == count, seconds, lambda: f"the sheet has {counted(page)} files instead of {count}")


def cells(page):
    """What the cells of the sheet are called, newest first."""
    return page.locator(".cell").evaluate_all(
        "(all) => all.sort((one, other) => one.ariaPosInSet - other.ariaPosInSet).map((cell) => cell.getAttribute('aria-label') ?? '')")


__all__ = ["Scene", "SCENARIOS", "button", "cells", "check", "counted", "says", "scenario", "until", "wait_for_files"]
