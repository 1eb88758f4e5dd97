"""What a person waits for: the first picture of the page, a sheet that can be used, scrolling, jumping, filtering, searching."""
import re
import statistics
import time

from chromium import DESK, PHONE, Chromium, until
from ledgers import PER_FOLDER, digest
from measure import paired
from proof import Failure
from studio import Client, Studio, memory

# Notes moments in the page, from before its own scripts begin: when the whole first screen is there with its pictures, when each file's picture was
# seen first, long tasks, what a key did. A picture is there once it has been decoded.
MARKS = """(() => {
  const marks = (window.marks = { usable: 0, seen: {}, tasks: [], frames: [], keys: [], marked: [], acknowledged: [] });
  const painted = (then) => requestAnimationFrame(() => setTimeout(then));
  const inSight = (window.inSight = () => {
    const grid = document.querySelector(".grid");
    if (!grid) return [];
    const box = grid.getBoundingClientRect();
    const isIn = (own) => own.bottom > box.top + 1 && own.top < box.bottom - 1;
    return [...grid.querySelectorAll(".cell")].filter((cell) => isIn(cell.getBoundingClientRect()));
  });
  const isDecoded = (image) => image.complete && image.naturalWidth > 0;
  const isDone = (cell) => cell.hasAttribute("aria-label") && [...cell.querySelectorAll("img.picture")].every(isDecoded);
  const isWhole = (window.isWhole = () => { const cells = inSight(); return cells.length > 0 && cells.every(isDone); });
  // Of the cells in sight, those that show a picture: some files have none.
  const isPictured = (cell) => [...cell.querySelectorAll("img.picture")].some(isDecoded);
  window.pictured = () => { const cells = inSight(); return cells.filter(isPictured).length / cells.length; };
  const note = (cell) => {
    const name = (cell.getAttribute("aria-label") ?? "").split(",")[0];
    if (!name || marks.seen[name] !== undefined || !isDone(cell) || !cell.querySelector("img.picture")) return;
    marks.seen[name] = 0;
    painted(() => { marks.seen[name] = Date.now(); });
  };
  const look = () => { if (!marks.usable && isWhole()) { marks.usable = -1; painted(() => { marks.usable = performance.now(); }); } };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "attributes") note(target);
      const added = [...addedNodes].filter((node) => node.nodeType === 1);
      for (const node of added) (node.classList.contains("cell") ? [node] : node.querySelectorAll(".cell")).forEach(note);
    }
    look();
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-label"] });
  new PerformanceObserver((list) => list.getEntries().forEach((one) => marks.tasks.push(one.duration))).observe({ type: "longtask", buffered: true });
  // What a picture does is told to nobody above it, but may be overheard.
  document.addEventListener("load", ({ target }) => { const cell = target.closest?.(".cell"); if (cell) note(cell); look(); }, true);
  addEventListener("keydown", (event) => {
    painted(() => marks.keys.push(performance.now() - event.timeStamp));
    if (!/^[0-5]$/.test(event.key)) return;
    marks.key = event.timeStamp;
    const cell = document.activeElement?.closest(".cell"), before = cell?.getAttribute("aria-label");
    const drawn = () => marks.marked.push(performance.now() - event.timeStamp);
    const wait = () => (cell?.getAttribute("aria-label") !== before ? painted(drawn) : requestAnimationFrame(wait));
    if (cell) wait();
  }, true);
  const ask = window.fetch;
  window.fetch = async (...all) => {
    const answer = await ask(...all);
    if (String(all[0]).endsWith("/marks") && answer.ok) marks.acknowledged.push(performance.now() - marks.key);
    return answer;
  };
})();"""
# Moves the sheet to a part of its height; milliseconds until everything in sight is there with its picture.
JUMP = """(part) => new Promise((done) => {
  const grid = document.querySelector(".grid"), begun = performance.now();
  grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * part;
  const look = () => (isWhole() ? done(performance.now() - begun) : requestAnimationFrame(look));
  requestAnimationFrame(look);
})"""
# Sets a field; milliseconds until another number of files is told and everything in sight is there.
CHANGE = """([place, event, value]) => new Promise((done) => {
  const field = document.querySelector(place), count = document.querySelector("form.bar [role=status]");
  const before = count.textContent, begun = performance.now();
  field.value = value;
  field.dispatchEvent(new Event(event, { bubbles: true }));
  const look = () => (count.textContent !== before && isWhole() ? done(performance.now() - begun) : requestAnimationFrame(look));
  requestAnimationFrame(look);
})"""
# Milliseconds until everything in sight is there with its picture.
STILL = """() => new Promise((done) => {
  const begun = performance.now(), look = () => (isWhole() ? done(performance.now() - begun) : requestAnimationFrame(look));
  look();
})"""
PACE = """() => { const own = (window.marks.frames = []); let last = performance.now(); window.isPacing = true;
  const step = (now) => { own.push(now - last); last = now; if (window.isPacing) requestAnimationFrame(step); }; requestAnimationFrame(step); }"""


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


class Visit:
    """A browser that is let in, and opens the page as often as it is asked to, each time as if it had never been there."""

    def __init__(self, browser, studio):
        self.browser, self.studio = browser, studio
        context = browser.context(DESK, watched=False)
        page = context.new_page()
        page.goto(studio.link()[0])
        until(page, lambda: page.locator("#health").inner_text(), 30, "the page does not let the browser in")
        self.paired = context.storage_state()
        context.close()

    def open(self, size=DESK, throttled=False, context=None):
        """A page whose first screen is whole, and what it cost."""
        context = context or self.browser.context(size, watched=False, storage_state=self.paired)
        page = context.new_page()
        page.add_init_script(MARKS)
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        if throttled:
            line = {"offline": False, "latency": 40, "downloadThroughput": 2_500_000, "uploadThroughput": 2_500_000}
            session.send("Network.emulateNetworkConditions", line)
        traffic = Traffic(session)
        page.goto(self.studio.address + "/#/capture", wait_until="commit")
        until(page, lambda: page.evaluate("() => window.marks?.usable > 0"), 60, "the first screen is not whole after a minute")
        shows(page)
        return page, session, traffic


class Traffic:
    """Requests of a page and the bytes that came over the line for them."""

    def __init__(self, session):
        self.paths, self.sent_at = {}, {}
        session.on("Network.requestWillBeSent", self.sent)
        session.on("Network.dataReceived", self.received)
        session.on("Network.loadingFinished", self.finished)

    def before(self, moment):
        """How many were sent before it, in milliseconds since 1970: pictures that come in later are not waited for."""
        return sum(at < moment for at in self.sent_at.values())

    @property
    def bytes(self):
        return sum(count for _, count in self.paths.values())

    def sent(self, event):
        self.paths[event["requestId"]] = [event["request"]["url"].split("/", 3)[-1], 0]
        self.sent_at[event["requestId"]] = event["wallTime"] * 1000

    def received(self, event):
        if event["requestId"] in self.paths:
            self.paths[event["requestId"]][1] += event["encodedDataLength"]

    def finished(self, event):
        """All of it with its headers; nothing where it was kept from an earlier time."""
        if event["requestId"] in self.paths:
            self.paths[event["requestId"]][1] = event["encodedDataLength"]


def shows(page, part=0.8):
    """A sheet without pictures would be quick."""
    shown = page.evaluate("() => pictured()")
    if not shown >= part:
        raise Failure(f"only {shown:.0%} of the cells in sight show a picture")


def paint(page):
    return page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN")


def usable(page):
    return page.evaluate("() => window.marks.usable")


def first_screen(place, table, options, ledgers):
    """Cold, and again: first paint and a whole first screen, with few and with very many files."""
    rounds = 3 if options.quick else max(7, options.rounds)
    counts = (500, 50_000)
    with Chromium() as browser:
        studios = {count: Studio(place.filmgate, ledgers[count], f"{ledgers[count]}.studio-log").start() for count in counts}
        try:
            visits = {count: Visit(browser, studio) for count, studio in studios.items()}

            def cold(count, size=DESK, throttled=False):
                page, _, traffic = visits[count].open(size, throttled)
                found = {"paint": paint(page), "usable": usable(page), "bytes": traffic.bytes, "paths": traffic.paths}
                found["requests"] = traffic.before(page.evaluate("() => performance.timeOrigin") + found["usable"])
                page.context.close()
                return found

            results = paired({count: lambda _, count=count: cold(count) for count in counts}, rounds)
            phone = [cold(50_000, PHONE, True) for _ in range(rounds)]
            second = [again(visits[50_000]) for _ in range(rounds)]
            shell = shell_of(studios[500])
        finally:
            for studio in studios.values():
                studio.close()

    def line(what, found, key, limit, unit, scale=1):
        values = [one[key] * scale for one in found]
        table.line(what, statistics.median(values), limit, unit, each=values)

    line("first contentful paint, cold", results[50_000], "paint", 300, " ms")
    line("first contentful paint, phone at 20 Mbit/s and 40 ms", phone, "paint", 1000, " ms")
    line("first screen of pictures with 50,000 files", results[50_000], "usable", 700, " ms")
    line("first screen of pictures with 500 files", results[500], "usable", 700, " ms")
    ratio = statistics.median(one["usable"] for one in results[50_000]) / statistics.median(one["usable"] for one in results[500])
    table.line("first screen of pictures, 50,000 / 500 files", ratio, 1.1, " ×", each=[a["usable"] / b["usable"] for a, b in zip(results[50_000], results[500])])
    line("requests until the first screen", results[50_000], "requests", 12, "")
    line("bytes of the first screen, cold", results[50_000], "bytes", 1200, " kB", 1e-3)
    line("bytes of the first screen, second visit", second, "bytes", 60, " kB", 1e-3)
    largest = sorted(second[0]["paths"].values(), key=lambda one: -one[1])[:3]
    print("    second visit: " + ", ".join(f"{path} {count / 1000:.1f} kB" for path, count in largest))
    table.line("shell: HTML, CSS and JavaScript, raw", shell["raw"] / 1000, 133, " kB")
    table.line("… packed", shell["packed"] / 1000, 40, " kB")


def again(visit):
    """The page in a browser that was here before."""
    first, _, _ = visit.open()
    page, _, traffic = visit.open(context=first.context)
    found = {"bytes": traffic.bytes, "paths": traffic.paths}
    page.context.close()
    return found


def shell_of(studio):
    """Bytes of everything that the page can load beside data, as it is and as it goes over the line."""
    client, known, waiting, total = Client(studio.port), set(), ["/"], {"raw": 0, "packed": 0}
    while waiting:
        path = waiting.pop()
        if path in known:
            continue
        known.add(path)
        body = client.ask("GET", path).body
        total["raw"] += len(body)
        total["packed"] += len(client.ask("GET", path, headers={"Accept-Encoding": "gzip"}).body)
        base = path.rsplit("/", 1)[0] + "/"
        waiting += [one.decode() for one in re.findall(rb'(?:href|src)="(/page/[^"]+)"', body)]
        if path.endswith(".js"):
            waiting += [base + one.decode() for one in re.findall(rb'(?:from|import\()\s*"\./([^"]+)"', body)]
    return total


def starting(place, table, options, ledgers):
    """From the start of the process to the first screen's answer from the API."""
    for count, limit in ((50_000, 0.3), (ledgers.most, 2 * ledgers.most / 500_000)):
        times = []
        token = Studio(place.filmgate, ledgers[count], f"{ledgers[count]}.studio-log").token()
        for _ in range(3 if options.quick else 7):
            begun = time.monotonic()
            with Studio(place.filmgate, ledgers[count], f"{ledgers[count]}.studio-log") as studio:
                Client(studio.port, token).get("frames?limit=200")
                times.append(time.monotonic() - begun)
        table.line(f"start to the first answer with {count:,} files", statistics.median(times), limit, " s", each=times)


def moving(place, table, options, ledgers):
    """Scrolling, jumps, filters and searches in a list of 50,000, and what the page holds after them."""
    rounds = 5 if options.quick else 21
    with Chromium() as browser, Studio(place.filmgate, ledgers[50_000], f"{ledgers[50_000]}.studio-log") as studio:
        page, session, _ = Visit(browser, studio).open()
        scroll(page, session, table, options)
        jumps = [page.evaluate(JUMP, (number * 0.37 + 0.11) % 1) for number in range(rounds)]
        shows(page)
        table.line("jump to any place, to pictures", statistics.median(jumps), 300, " ms", f"p95 {percentile(jumps, 0.95):.0f} ms", each=jumps)
        page.evaluate(JUMP, 0)
        state, words = "form.bar label:nth-of-type(2) select", ("setAside", "delivered", "filtered", "")
        filters = [page.evaluate(CHANGE, [state, "change", words[number % 4]]) for number in range(rounds // 4 * 4 + 4)]
        table.line("filter, to pictures", statistics.median(filters), 300, " ms", f"p95 {percentile(filters, 0.95):.0f} ms", each=filters)
        page.evaluate(CHANGE, [state, "change", "delivered"])
        shows(page)
        words = [f"IMG_{number:04}" if number % 2 else f"IMG_{number:02}" for number in range(11, 11 + rounds)]
        searches = [page.evaluate(CHANGE, ["form.bar input", "input", word]) for word in words]
        detail = "150 ms of it wait for the next key"
        shows(page)
        table.line("search as it is typed, to the found pictures", statistics.median(searches), 200, " ms", detail, each=searches)
        page.evaluate(CHANGE, ["form.bar input", "input", ""])
        keys(page, table, rounds)
        marking(page, table, rounds)
        holds(page, session, table)


def scroll(page, session, table, options):
    """With the wheel, 4,000 pixels a second, downwards and back."""
    box = page.locator(".grid").bounding_box()
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    page.evaluate("() => { marks.tasks.length = 0; }")
    page.evaluate(PACE)
    distance = 12_000 if options.quick else 60_000
    blank = 0
    for sign in (-1, 1):
        session.send("Input.synthesizeScrollGesture", {**at, "yDistance": sign * distance, "speed": 4000, "gestureSourceType": "mouse"})
        blank = max(blank, page.evaluate(STILL))
        shows(page)
    page.evaluate("() => { window.isPacing = false; }")
    found = page.evaluate("() => marks")
    if len(found["frames"]) < 50:
        raise Failure("the sheet does not scroll")
    detail = f"{len(found['frames'])} frames, median {statistics.median(found['frames']):.1f} ms, longest {max(found['frames']):.0f} ms"
    table.line("scrolling, time per frame, p95", percentile(found["frames"], 0.95), 20, " ms", detail)
    table.line("blank cells after scrolling stopped", blank, 150, " ms")
    table.line("scrolling, longest task", max(found["tasks"], default=0), 50, " ms", f"{len(found['tasks'])} tasks over 50 ms")


def keys(page, table, rounds):
    page.locator('.cell[tabindex="0"]').focus()
    page.evaluate("() => { marks.keys.length = 0; }")
    for number in range(rounds * 4):
        page.keyboard.press(("ArrowRight", "ArrowDown", "PageDown", "ArrowLeft")[number % 4])
        page.wait_for_timeout(60)
    found = page.evaluate("() => marks.keys")
    table.line("key to the next frame marked, p95", percentile(found, 0.95), 50, " ms", each=found)


def marking(page, table, rounds):
    """Stars by a key: how soon they are on the screen, and written down."""
    page.locator('.cell[tabindex="0"]').focus()
    for number in range(rounds):
        page.keyboard.press("ArrowRight")
        page.keyboard.press(str(number % 4 + 1))
        page.wait_for_timeout(400)
    found = page.evaluate("() => marks")
    if len(found["marked"]) < rounds // 2 or len(found["acknowledged"]) < rounds // 2:
        raise Failure(f"of {rounds} keys {len(found['marked'])} marked a frame, and {len(found['acknowledged'])} were acknowledged")
    table.line("key to the mark on the screen, p95", percentile(found["marked"], 0.95), 50, " ms", each=found["marked"])
    table.line("… acknowledged by the server, p95", percentile(found["acknowledged"], 0.95), 150, " ms", each=found["acknowledged"])


def holds(page, session, table):
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    table.line("JavaScript heap after it", metrics["JSHeapUsedSize"] / 1e6, 40, " MB")
    table.line("DOM elements after it", page.evaluate("() => document.querySelectorAll('*').length"), 3000, "")
    processes = page.context.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    tabs = [memory(one["id"], "RssAnon") for one in processes if one["type"] == "renderer"]
    table.line("memory of the tab's process", max(tabs), 250, " MB")


def asking(place, table, options, ledgers):
    """The API's search over as many files as a year brings."""
    count = ledgers.most
    with Studio(place.filmgate, ledgers[count], f"{ledgers[count]}.studio-log") as studio:
        client = studio.client()
        client.get("frames?limit=1")
        print(f"    {count:,} files: {studio.resident():.0f} MiB resident")
        words = (
            ("a part of a name", lambda number: f"img_{number:04}"), ("the beginning of a digest", lambda number: digest(number)[:12]),
            ("a serial number", lambda number: f"SER{number % 20 + 2:06}"), ("a name that many have", lambda number: "IMG_1"),
            ("what is not there", lambda number: f"zzz{number}"),
        )
        for what, word in words:
            times = []
            for number in range(5 if options.quick else 15):
                begun = time.monotonic()
                client.get(f"frames?limit=50&q={word(7001 * (number + 1) % PER_FOLDER)}")
                times.append((time.monotonic() - begun) * 1000)
            table.line(f"search among {count:,} files: {what}", statistics.median(times), 200, " ms", each=times)
        for what, query in (("the last page", f"at={count - 200}&limit=200"), ("a filter of few", "ending=setAside&limit=200")):
            times = []
            for number in range(5 if options.quick else 15):
                begun = time.monotonic()
                client.get("frames?" + query)
                times.append((time.monotonic() - begun) * 1000)
            table.line(f"list of {count:,} files: {what}", statistics.median(times), 300, " ms", each=times)
