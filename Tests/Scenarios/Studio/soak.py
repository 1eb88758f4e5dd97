#!/usr/bin/env python3
"""A long shoot, as `make soak` plays it, that five browsers look at all the time.

They miss nothing, and neither the run nor the page's server needs more and more memory.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Before this folder, which has a `shoot` of its own.
sys.path[:0] = [os.path.join(HERE, "..", "Crash"), os.path.join(HERE, "..", "Shared")]
from chaos import Chaos, arguments, play  # noqa: E402
from chromium import DESK, PHONE, Chromium, until  # noqa: E402
from proof import Failure  # noqa: E402
from studio import Studio, memory  # noqa: E402

# What each browser shows, and on what; the first two show the list of files.
VIEWS = (("capture", DESK), ("capture", PHONE), ("deliveries", DESK), ("history", DESK), ("show", DESK))
LISTS = 2
KINDS = "jpeg,raw,heif,image,video"
# MiB that the page's server may gain: it knows each file, as `filmgate studio` is documented.
MAY_GAIN = 12


class Watched(Chaos):
    """The shoot, the page's server and the browsers."""

    def __init__(self, options, place, rng):
        super().__init__(options, place, rng)
        self.studio = Studio(self.program, self.state, os.path.join(place, "studio.log"))
        self.browser, self.pages, self.errors, self.resident, self.looks = None, [], [], [], 0

    def open(self):
        """Everybody comes as soon as there is a ledger."""
        self.studio.start()
        self.browser = Chromium().__enter__()
        for view, size in VIEWS:
            page = self.browser.context(size, watched=False).new_page()
            page.on("pageerror", lambda error: self.errors.append(str(error)))
            page.goto(self.studio.link()[0])
            until(page, lambda page=page: page.locator("#health").inner_text(), 60, "the page does not let the browser in")
            page.evaluate("(view) => { location.hash = '#/' + view; }", view)
            self.pages.append(page)

    def sample(self):
        super().sample()
        if not self.pages:
            return self.open()
        if not self.studio.is_running:
            raise Failure(f"the page's server ended with {self.studio.code}; see {self.studio.log}")
        self.resident.append(memory(self.studio.process.pid, "VmRSS"))
        self.looks += 1
        # The lists are looked through, and the browsers are heard.
        part = self.looks * 0.37 % 1
        for page in self.pages[:LISTS]:
            page.evaluate("(part) => { const grid = document.querySelector('.grid'); if (grid) grid.scrollTop = grid.scrollHeight * part; }", part)
        for page in self.pages:
            page.wait_for_timeout(5)

    def wait(self):
        super().wait()
        total = str(self.studio.client().get(f"frames?kind={KINDS}&group=shot&limit=1")["total"])
        for page in self.pages[:LISTS]:
            count = page.locator("form.bar [role=status]")
            shown = lambda count=count: re.sub(r"\D", "", count.inner_text())
            until(page, lambda shown=shown: shown() == total, 30, lambda shown=shown: f"a browser shows {shown()} files of {total}")
        for page, (view, _) in zip(self.pages, VIEWS):
            words = page.locator("#health").inner_text()
            if "lost" in words.lower() or not words:
                raise Failure(f"the browser at {view} says {words!r}")
        if self.errors:
            raise Failure(f"{len(self.errors)} errors in the pages, such as {self.errors[0]}")
        self.heaps = [self.heap(page) for page in self.pages]

    @staticmethod
    def heap(page):
        """MB of the page's own objects, after what is not needed was given back."""
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.enable")
        session.send("HeapProfiler.collectGarbage")
        session.send("Performance.enable")
        return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}["JSHeapUsedSize"] / 1e6

    def check_steady(self):
        words = super().check_steady()
        part = len(self.resident) // 8
        if part < 3:
            return words + "; too short to compare the page's server"
        eighths = [sorted(self.resident[number * part:(number + 1) * part])[part // 2] for number in range(8)]
        print("the page's server, MiB by eighths: " + ", ".join(f"{one:.1f}" for one in eighths), flush=True)
        heaps = ", ".join(f"{one:.1f}" for one in self.heaps)
        own = f"; the page's server {eighths[1]:.1f} → {eighths[-1]:.1f} MiB with {len(self.pages)} browsers, whose scripts hold {heaps} MB"
        if eighths[-1] > eighths[1] + MAY_GAIN or max(self.heaps) > 40:
            raise Failure(words + own)
        return words + own

    def close(self):
        try:
            if self.browser:
                self.browser.__exit__()
        finally:
            self.studio.close()
            super().close()


if __name__ == "__main__":
    sys.exit(play(arguments().parse_args(), Watched))
