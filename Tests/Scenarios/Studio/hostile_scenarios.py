"""Scenarios: those who may see little, requests that are wrong, names that look like programs, and clients that hold on to connections."""
import json
import socket
import statistics
import threading
import time

from chromium import Touch
from proof import Failure
from scene import check, says, scenario, until, wait_for_files
from studio import Client

ONCE = (Touch,)
# A file's name, an artist and an event that would do something if anybody read them as HTML or as a command.
BAD = '<img src=x onerror=alert(1)>'
NAMES = [
    BAD + ".JPG", '"><svg onload=alert(1)>.JPG', "javascript:alert(1).JPG", "{{7*7}}${7*7}.JPG", "--state=x.JPG", "\u202egpj.exe\u202c.JPG",
    "a\u200d\u200db.JPG", "a\u0301\u0301\u0301.JPG", "line\nbreak.JPG", "x" * 240 + ".JPG", "&lt;b&gt;&amp;.JPG",
]


@scenario()
def looking_only(scene):
    """Who may only look sees no folder, target, event, serial number or person, and every command is refused."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(3, serial="SECRETSERIAL", artist="Secret Person")
        shoot.wait(3)
        shoot.studio.client("operate").job("events/use", {"event": "Secret Event", "now": "yes"})
        page, hand = scene.open(shoot, role="view")
        wait_for_files(page, 3)
        scene.look(page, "view-capture")
        for tab in ("events", "cards", "deliveries", "history", "pipeline", "doctor"):
            check(not page.locator(f'a[href="#/{tab}"]').count(), f"{tab} is offered to who may not see it")
            page.evaluate(f"location.hash = '#/{tab}'")
            says(page, "This session may not see it.")
            scene.look(page, f"view-{tab}")
        hand.go("capture")
        wait_for_files(page, 3)
        hand.press(page.locator('.cell[aria-posinset="1"]') if hand.name == "phone" else page.locator(".newest a"))
        says(page, "Captured")
        scene.look(page, "view-file")
        shown = page.locator("body").inner_text()
        client = shoot.studio.client("view")
        told = [client.ask("GET", "/api/v1/" + path).body.decode() for path in ("frames", "board", "session")]
        told += [client.ask("GET", "/api/v1/frames/" + frame["id"]).body.decode() for frame in json.loads(told[0])["frames"]]
        for secret in ("SECRETSERIAL", "Secret Person", "Secret Event", scene.base, "archive", "gallery"):
            for text in [shown, *told]:
                check(secret not in text, f"{secret} is told to who may only look: {text[:2000]}")
        refused(client)


def refused(client):
    """Every address that needs a higher role is refused, whoever asks nicely or not."""
    ranks = {"view": 0, "pick": 1, "operate": 2, "admin": 3}
    for path, operations in client.get("openapi.json")["paths"].items():
        for method, operation in operations.items():
            if ranks.get(operation.get("x-role"), 0) < 1:
                continue
            answer = client.ask(method.upper(), path.replace("{id}", "1"), {} if method == "post" else None)
            check(answer.status == 403, f"{method} {path} by a view session: {answer.status} {answer.body[:300]!r}")
            told(answer, 403, f"{method} {path}")


def told(answer, status, what):
    """It is refused with that status, a code, words, and what to do."""
    check(answer.status == status, f"{what}: {answer.status} instead of {status}: {answer.body[:300]!r}")
    error = answer.json
    check(isinstance(error, dict) and error.get("type") == "error", f"{what}: no error object: {answer.body[:300]!r}")
    check(error.get("code") and error.get("message") and "advice" in error, f"{what}: {error}")


@scenario(ONCE)
def wrong_requests(scene):
    """Each wrong request has its status, and says in words what is wrong and what to do."""
    with scene.shoot() as shoot:
        client, nobody = shoot.studio.client("admin"), Client(shoot.studio.port)
        own = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
        table = [
            ("no session", nobody.ask("GET", "/api/v1/frames"), 401),
            ("a token that is none", Client(shoot.studio.port, "0" * 64).ask("GET", "/api/v1/frames"), 401),
            ("a wrong code", nobody.ask("POST", "/api/v1/session", b'{"code":"AAAA-AAAA"}', own), 401),
            ("a body that is no JSON", client.ask("POST", "/api/v1/retry", b"{target", {"Content-Type": "application/json"}), 400),
            ("a body that is no object", client.ask("POST", "/api/v1/retry", b"[]", {"Content-Type": "application/json"}), 400),
            ("an unknown field", client.post("retry", {"tarket": "gallery"}), 400),
            ("a field that is no text", client.post("retry", {"target": 1}), 400), ("a missing field", client.post("assign"), 400),
            ("a form", client.ask("POST", "/api/v1/retry", b"a=b", {"Content-Type": "text/plain"}), 415),
            ("a body of 70 kB", client.ask("POST", "/api/v1/retry", b" " * 70_000, {"Content-Type": "application/json"}), 413),
            ("an unknown parameter", client.ask("GET", "/api/v1/frames?limt=1"), 400),
            ("a limit of 501", client.ask("GET", "/api/v1/frames?limit=501"), 400),
            ("an unknown address", client.ask("GET", "/api/v1/nothing"), 404),
            ("an unknown frame", client.ask("GET", "/api/v1/frames/0123456789abcdef"), 404),
            ("an unknown run", client.ask("GET", "/api/v1/runs/99"), 404), ("an unknown job", client.ask("GET", "/api/v1/jobs/99"), 404),
            ("a card that is gone", client.post("cards/0123456789abcdef/prove"), 404), ("another method", client.ask("PUT", "/api/v1/frames"), 405),
            ("another page asks", nobody.ask("POST", "/api/v1/session", b'{"code":"AAAA-AAAA"}', {**own, "Sec-Fetch-Site": "same-site"}), 403),
            ("no page asks", nobody.ask("POST", "/api/v1/session", b'{"code":"AAAA-AAAA"}', {"Content-Type": "application/json"}), 403),
            ("another page reads", client.ask("GET", "/api/v1/frames", headers={"Sec-Fetch-Site": "cross-site"}), 403),
        ]
        for what, answer, status in table:
            told(answer, status, what)
        job = client.job("retry", {"target": "galery"})
        check(job["exit"] == 2 and any("`galery`" in str(one.get("message")) for one in job["objects"]), f"an unknown target: {job}")
        for host in ("filmgate.test", "localhost.filmgate.test", "127.0.0.1.", "127.1", "2130706433", "[::ffff:127.0.0.1]"):
            answer = nobody.ask("GET", "/", headers={"Host": f"{host}:{shoot.studio.port}"})
            check(answer.status == 421 and b"--name" in answer.body, f"Host: {host}: {answer.status} {answer.body[:200]!r}")
        # A browser says that it heeds that header of ours at trustworthy addresses only.
        scene.browser.allow("421", "Cross-Origin-Opener-Policy header has been ignored")
        page, _ = scene.window()
        page.goto(f"http://filmgate.test:{shoot.studio.port}/")
        says(page, "does not answer to this name")
        scene.look(page, "other-name")


@scenario()
def names_are_text(scene):
    """Names of files, people and events are shown as they are, on every page, and never obeyed."""
    with scene.shoot() as shoot:
        shoot.begin()
        for name in NAMES:
            shoot.drop(1, name=name, artist=BAD, serial=BAD, model=BAD)
        shoot.wait(len(NAMES))
        client = shoot.studio.client("operate")
        job = client.job("events/use", {"event": BAD, "now": "yes"})
        check(job["exit"] == 0, f"the event is not taken: {job}")
        page, hand = scene.open(shoot)
        wait_for_files(page, len(NAMES))
        says(page, BAD, where="#event")
        scene.look(page, "names")
        harmless(page, "capture")
        shown = set()
        for frame in client.get("frames")["frames"]:
            page.evaluate("(id) => { location.hash = `#/file/${id}`; }", frame["id"])
            until(page, lambda: frame["sha256"] in page.locator("main").inner_text(), 10, "a file's page does not open")
            shown.add(page.locator("main h1").text_content())
            harmless(page, f"the page of {frame['path']}")
        # Signs that turn the direction of text are shown by their numbers.
        wanted = {name.replace("\u202e", "\\u202e").replace("\u202c", "\\u202c") for name in NAMES}
        check(shown == wanted, f"the pages of the files are called {shown}")
        scene.look(page, "names-file")
        for tab in ("events", "deliveries", "history", "doctor", "profile"):
            hand.go(tab)
            page.wait_for_timeout(400)
            harmless(page, tab)
            scene.look(page, f"names-{tab}")


def harmless(page, where):
    # Pictures of frames are the page's own.
    bad = "img[src]:not([src^='/api/v1/frames/'], .photo), svg, iframe, object, [onerror], [onload], a[href^=javascript]"
    found = page.evaluate("(bad) => [...document.querySelectorAll(bad)].map((one) => one.outerHTML)", bad)
    check(not found, f"{where}: a name became a part of the page: {found}")


@scenario()
def plain_page(scene):
    """The page without scripts, for a token as its password: it fits the window, and names are text there, too."""
    with scene.shoot() as shoot:
        shoot.begin()
        for name in NAMES:
            shoot.drop(1, name=name)
        shoot.wait(len(NAMES))
        page, _ = scene.window(http_credentials={"username": "anyone", "password": shoot.studio.token("operate")})
        scene.browser.allow("401")
        page.goto(shoot.studio.address + "/plain")
        says(page, "Newest of")
        says(page, BAD)
        harmless(page, "the plain page")
        scene.look(page, "plain")


@scenario(ONCE)
def slow_clients(scene):
    """Three hundred connections that say nothing, little or half of something: the run takes and sends as before, and the page answers again soon."""
    with scene.shoot() as shoot:
        shoot.begin()
        usual = latencies(shoot, 20)
        before = shoot.studio.resident()
        crowd, ended = [], threading.Event()
        half = b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 9\r\n\r\n{" % shoot.studio.port
        for number in range(300):
            one = socket.socket()
            one.settimeout(1)
            crowd.append(one)
            try:
                one.connect(("127.0.0.1", shoot.studio.port))
                one.sendall((b"", b"GET / HTTP/1.1\r\nHost: ", half)[number % 3])
            except OSError:
                pass
        drip = threading.Thread(target=trickle, args=(crowd, ended), daemon=True)
        drip.start()
        during = latencies(shoot, 20)
        held, client = shoot.studio.resident() - before, Client(shoot.studio.port, timeout=30)
        begun = time.monotonic()
        check(client.ask("GET", "/api/v1/about").status == 200, "the page does not answer")
        scene.took("page answered during it after", time.monotonic() - begun)
        ended.set()
        drip.join()
        for one in crowd:
            one.close()
        shown = [f"{statistics.median(times) * 1000:.0f} ms" for times in (usual, during)]
        scene.figures.append(f"frame to archive and gallery {shown[0]}, meanwhile {shown[1]}; {held:.1f} MiB more")
        check(statistics.median(during) < 2 * statistics.median(usual) + 0.05, "frames take longer while others hold connections")
        check(held < 32, f"the connections cost {held:.0f} MiB")
        page, _ = scene.open(shoot)
        wait_for_files(page, 40)


def trickle(crowd, ended):
    """A byte by each, once a second."""
    while not ended.wait(1):
        for one in crowd:
            try:
                one.sendall(b"x")
            except OSError:
                pass


def latencies(shoot, count):
    """How long each of so many frames took to the archive and the gallery."""
    found = []
    for _ in range(count):
        there = len(shoot.kept()) + 1
        begun = time.monotonic()
        shoot.drop(1)
        while len(shoot.kept()) < there or shoot.sent() < there:
            if time.monotonic() > begun + 20:
                raise Failure("a frame was not delivered within 20 s")
            time.sleep(0.002)
        found.append(time.monotonic() - begun)
    return found


@scenario(ONCE)
def too_many_streams(scene):
    """The 33rd stream of a session is refused in words, and what the others hear goes on."""
    with scene.shoot() as shoot:
        client = shoot.studio.client("operate")
        head = f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{shoot.studio.port}\r\nAuthorization: Bearer {client.token}\r\n\r\n".encode()
        streams = []
        for _ in range(32):
            one = socket.create_connection(("127.0.0.1", shoot.studio.port), timeout=10)
            one.sendall(head)
            check(b" 200 " in one.recv(4096), "a stream is not opened")
            streams.append(one)
        told(client.ask("GET", "/api/v1/stream"), 429, "the 33rd stream")
        for one in streams:
            one.close()
        end = time.monotonic() + 10
        while time.monotonic() < end:
            with socket.create_connection(("127.0.0.1", shoot.studio.port), timeout=10) as one:
                one.sendall(head)
                if b" 200 " in one.recv(4096):
                    return
            time.sleep(0.2)
        raise Failure("streams whose clients are gone still count after ten seconds")


@scenario()
def every_page(scene):
    """Each page with much to show: in three widths, with more contrast and with the system's own colours."""
    with scene.shoot(retry="first: 60s, most: 120s") as shoot:
        shoot.begin()
        shoot.drop(8, serial="SER1")
        shoot.wait(8)
        shoot.gallery.kill()
        shoot.drop(4)
        client = shoot.studio.client("admin")
        client.job("events/use", {"event": "Smith wedding"})
        page, hand = scene.open(shoot)
        wait_for_files(page, 12, 20)
        for tab in ("events", "capture", "cards", "deliveries", "history", "pipeline", "doctor", "profile"):
            hand.go(tab)
            if tab == "doctor":
                hand.press(page.locator("main button"))
                until(page, lambda: page.locator("ul.rows li").count() > 0, 30, "doctor says nothing")
            page.wait_for_timeout(600)
            scene.look(page, f"full-{tab}")
            size = page.viewport_size
            for width in (320, 800):
                page.set_viewport_size({"width": width, "height": 640})
                scene.look(page, f"full-{tab}")
            page.set_viewport_size(size)
            page.emulate_media(forced_colors="active", contrast="more")
            # axe reads the colours of the style sheet, which are not those that are painted then.
            scene.look(page, f"forced-{tab}", judged=False)
            page.emulate_media(forced_colors="none", contrast="no-preference")
