"""Scenarios: pages and servers of others, which are no friends of this page."""
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chromium import Touch
from hostile_scenarios import BAD, harmless
from scene import check, says, scenario, until, wait_for_files
from studio import Client

ONCE = (Touch,)
# A page at another port of this machine: browsers call it the same site, and send it every cookie of this address.
ELSEWHERE = """<!doctype html><title>Elsewhere</title><script>
const at = "http://127.0.0.1:PORT", found = (window.found = {});
const element = (name, source) => new Promise((done) => {
  const one = document.createElement(name);
  one.onload = () => done("read"); one.onerror = () => done("refused");
  one[name === "link" ? "href" : "src"] = source; if (name === "link") one.rel = "stylesheet";
  document.documentElement.append(one);
});
const asked = (path, more) => fetch(at + path, { credentials: "include", ...more }).then(
  (answer) => (answer.type === "opaque" ? "blind" : "read"), () => "refused");
(async () => {
  found.image = await element("img", at + "/api/v1/frames/FRAME/thumbnail");
  found.script = await element("script", at + "/api/v1/frames");
  found.style = await element("link", at + "/api/v1/frames");
  found.stream = await new Promise((done) => {
    const source = new EventSource(at + "/api/v1/stream", { withCredentials: true });
    source.onopen = () => done("read"); source.onerror = () => { source.close(); done("refused"); };
  });
  found.list = await asked("/api/v1/frames");
  found.headers = await asked("/api/v1/frames", { headers: { "X-Filmgate-Key": "0" } });
  const plain = { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" } };
  found.pause = await asked("/api/v1/pause", { ...plain, body: "{}" });
  found.code = await asked("/api/v1/session", { ...plain, body: '{"code":"AAAA-AAAA"}' });
  const frame = document.createElement("iframe");
  frame.src = at + "/";
  document.documentElement.append(frame);
  await new Promise((done) => { frame.onload = done; setTimeout(done, 3000); });
  try { found.frame = frame.contentDocument ? "read" : "refused"; } catch { found.frame = "refused"; }
  window.done = true;
})();
</script>"""


class Others(ThreadingHTTPServer):
    """A server that has the same words for everything; use as a context."""

    daemon_threads = True

    def __init__(self, port=0, status=200, text=""):
        self.status, self.text, self.cookies = status, text, []
        super().__init__(("127.0.0.1", port), Answers)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        while length > 0:
            length -= len(self.rfile.read(min(length, 1 << 16))) or length
        self.server.cookies.append(self.headers.get("Cookie") or "")
        body = self.server.text.encode()
        # Who asks whether a file is there is told that it is not.
        is_page = self.server.status == 200
        self.send_response(self.server.status if is_page or self.command in ("POST", "PUT") else 404)
        self.send_header("Content-Type", "text/html" if is_page else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.close_connection = True

    do_GET = do_POST = do_PUT = do_HEAD = answer

    def log_message(self, *_):
        pass


@scenario(ONCE)
def another_port(scene):
    """A page at another port reads nothing and does nothing, though the browser gives it the cookie; neither does whoever replays that."""
    with scene.shoot() as shoot:
        shoot.begin()
        shoot.drop(2)
        shoot.wait(2)
        page, _ = scene.open(shoot)
        wait_for_files(page, 2)
        client = shoot.studio.client("operate")
        frame = client.get("frames")["frames"][0]["id"]
        text = ELSEWHERE.replace("PORT", str(shoot.studio.port)).replace("FRAME", frame)
        with Others(text=text) as others:
            # What the browser says of each thing that was kept from that page.
            scene.browser.allow(f":{shoot.studio.port}", "CORS", "frame-ancestors", "X-Frame-Options", "MIME type", "favicon")
            other = page.context.new_page()
            other.goto(f"http://127.0.0.1:{others.server_port}/elsewhere")
            until(
                other, lambda: other.evaluate("() => window.done"), 30,
                lambda: f"the other page is not done: {other.evaluate('() => window.found')}")
            found, cookies = other.evaluate("() => window.found"), [one for one in others.cookies if one]
        for what, how in found.items():
            check(how != "read", f"a page at another port reads {what}: {found}")
        check(client.get("board")["paused"] is False, "a page at another port has paused the run")
        check(cookies, "the browser gives its cookies to one port alone: this scenario shows nothing")
        replay(shoot, frame, cookies[0])
        wait_for_files(page, 2)


def replay(shoot, frame, cookie):
    """Who has the cookie alone asks for everything, and says of himself what a browser would say."""
    for site in (None, "same-origin", "none", "same-site", "cross-site"):
        headers = {"Cookie": cookie} | ({"Sec-Fetch-Site": site} if site else {})
        for path in ("frames", "session", "board", "sessions", f"frames/{frame}"):
            status = Client(shoot.studio.port).ask("GET", "/api/v1/" + path, headers=headers).status
            check(status in (401, 403), f"{path} with a stolen cookie, {site}: {status}")
        body = {**headers, "Content-Type": "application/json"}
        status = Client(shoot.studio.port).ask("POST", "/api/v1/pause", b"{}", body).status
        check(status in (401, 403), f"pause with a stolen cookie, {site}: {status}")
    for site in (None, "same-site", "cross-site"):
        headers = {"Cookie": cookie} | ({"Sec-Fetch-Site": site} if site else {})
        status = Client(shoot.studio.port).ask("GET", f"/api/v1/frames/{frame}/thumbnail", headers=headers).status
        check(status in (401, 403), f"a picture with a stolen cookie, {site}: {status}")


@scenario(ONCE)
def words_of_a_gallery(scene):
    """What a gallery answers is shown as text, on every page that tells why something was refused."""
    with scene.shoot() as shoot:
        shoot.gallery.kill()
        words = '{"message": "%s", "error": "%s", "detail": "%s"}' % (BAD, BAD, BAD)
        with Others(shoot.gallery_port, 422, words):
            shoot.begin()
            shoot.drop(2)
            page, hand = scene.open(shoot)
            wait_for_files(page, 2)
            client = shoot.studio.client("operate")
            told = lambda: str(client.get("deliveries"))  # noqa: E731
            until(page, lambda: "onerror" in told(), 30, lambda: f"the gallery's words are told nowhere: {told()}")
            hand.go("deliveries")
            says(page, BAD)
            harmless(page, "deliveries")
            scene.look(page, "words-deliveries")
            page.evaluate("(id) => { location.hash = `#/file/${id}`; }", client.get("frames")["frames"][0]["id"])
            says(page, BAD)
            harmless(page, "a file's page")
            scene.look(page, "words-file")


@scenario(ONCE)
def words_without_end(scene):
    """Names that are no text, halves of signs and 64 kB of letters: each is refused in words or shown as text, and the page goes on."""
    with scene.shoot() as shoot:
        shoot.begin()
        client = shoot.studio.client("admin")
        kind = {"Content-Type": "application/json"}
        for what, text in (
                ("half of a sign", b'"\\ud800"'), ("the other half", b'"a\\udc00b"'),
                ("halves in the wrong order", b'"\\udc00\\ud800"'), ("bytes that are no text", b'"\xff\xfe"'),
                ("a zero", b'"a\\u0000b"'), ("64 kB", b'"' + b"x" * 64_000 + b'"'), ("a line break", b'"a\\nb"')):
            answer = client.ask("POST", "/api/v1/events/use", b'{"event":' + text + b"}", kind)
            check(answer.status in (202, 400, 413), f"{what} as an event: {answer.status} {answer.body[:300]!r}")
            for path in ("frames?q=", "frames?event="):
                got = client.ask("GET", "/api/v1/" + path + "%ED%A0%80" + "x" * 2000)
                check(got.status in (200, 400, 414), f"half of a sign in {path}: {got.status}")
            until_idle(client)
        got = client.ask("GET", "/api/v1/frames?q=" + "x" * 64_000)
        check(got.status in (400, 414, 431), f"a question of 64 kB: {got.status}")
        shoot.drop(1, name="half\udced\udca0\udc80sign.JPG")
        shoot.drop(1, name="plain.JPG", artist="x" * 60_000, serial="y" * 4000)
        shoot.drop(1, name="\U0001f4f7" * 50 + ".JPG")
        shoot.wait(2)
        page, _ = scene.open(shoot)
        until(page, lambda: page.locator(".cell[aria-label]").count() >= 2, 15, "the sheet does not show the files")
        scene.look(page, "endless")
        for frame in client.get("frames")["frames"]:
            page.evaluate("(id) => { location.hash = `#/file/${id}`; }", frame["id"])
            until(page, lambda: frame["sha256"] in page.locator("main").inner_text(), 10, "a file's page does not open")
            harmless(page, "a file's page")
            scene.look(page, "endless-file")


def until_idle(client):
    end = time.monotonic() + 20
    while time.monotonic() < end and any(job["state"] == "running" for job in client.get("jobs")["jobs"]):
        time.sleep(0.1)
