"""`filmgate studio` as a scenario starts it, and those who ask it: programs with a token, and readers of its stream."""
import http.client
import json
import os
import subprocess
import time

from program import Program, free_port
from proof import Failure


class Studio(Program):
    """The page over one state directory; use as a context, or start and close it."""

    def __init__(self, filmgate, state, log, pipeline=None, names=(), encrypted=False):
        self.filmgate, self.state, self.port, self.encrypted = os.path.abspath(filmgate), state, free_port(), encrypted
        words = ["--listen", f"127.0.0.1:{self.port}", "--state", state, "--json"]
        words += [word for name in names for word in ("--name", name)] + (["--self-signed"] if encrypted else [])
        super().__init__("studio", [self.filmgate, "studio", *([pipeline] if pipeline else []), *words], log=log)

    @property
    def address(self):
        return f"http{'s' if self.encrypted else ''}://127.0.0.1:{self.port}"

    def start(self, first=True, seconds=30):
        """Returns as soon as it has told its link."""
        super().start(first)
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.is_running:
            if self.told():
                return self
            time.sleep(0.01)
        raise Failure(f"the page was not served; see {self.log}")

    def told(self):
        """The object with which it began, since it was started last."""
        with open(self.log, "rb") as file:
            file.seek(self.said)
            lines = [line for line in file.read().splitlines() if line.startswith(b'{"type":"studio"') and line.endswith(b"}")]
        return json.loads(lines[0]) if lines else None

    def ask(self, verb, *words):
        done = subprocess.run(
            [self.filmgate, "studio", verb, *words, "--state", self.state, "--json"], capture_output=True, text=True, timeout=60, check=True)
        return json.loads(done.stdout.splitlines()[0])

    def link(self, role="admin", *words):
        """A link that lets one browser in, and its code; `words`: further ones of the command."""
        made = self.ask("link", "--role", role, *words)
        return f"{self.address}/#k={made['code']}", made["code"]

    def token(self, role="admin"):
        return self.ask("token", "--role", role, "--for", "12h")["token"]

    def client(self, role="admin"):
        return Client(self.port, self.token(role))

    # What the process costs.

    def resident(self):
        """MiB that it holds now."""
        return memory(self.process.pid, "VmRSS")

    def spent(self):
        return cpu(self.process.pid)


def memory(pid, field):
    """`VmRSS` or `VmHWM` of a process in MiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field + ":")) / 1024


def cpu(pid):
    """Seconds of CPU time that all threads of a process took so far, those that have ended too."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Answer:
    """What the server said."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Client:
    """Asks as a program does; without a token it is nobody."""

    def __init__(self, port, token=None, timeout=60):
        self.port, self.token, self.timeout, self.connection = port, token, timeout, None

    def ask(self, method, path, body=None, headers=None):
        """`body`: an object, which is sent as JSON, or bytes, which are sent as they are."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None and not isinstance(body, bytes):
            body, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        sent.update(headers or {})
        for last in (False, True):
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
            try:
                self.connection.request(method, path, body=body, headers=sent)
                answer = self.connection.getresponse()
                return Answer(answer.status, answer.headers, answer.read())
            except (http.client.HTTPException, OSError):
                # A connection that was kept open may have been closed meanwhile.
                self.close()
                if last:
                    raise

    def get(self, path):
        """The object at an address of the API; another status than 200 is a failure."""
        answer = self.ask("GET", "/api/v1/" + path)
        if answer.status != 200:
            raise Failure(f"GET {path} was answered with {answer.status}: {answer.body[:500]!r}")
        return answer.json

    def post(self, path, body=None):
        return self.ask("POST", "/api/v1/" + path, body if body is not None else {})

    def job(self, path, body=None, seconds=60):
        """Begins a command and waits for its end; everything that is known of it."""
        begun = self.post(path, body)
        if begun.status != 202:
            raise Failure(f"POST {path} was answered with {begun.status}: {begun.body[:500]!r}")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            job = self.get("jobs/" + begun.json["id"])
            if job["state"] != "running":
                return job
            time.sleep(0.05)
        raise Failure(f"{path} has not ended after {seconds} s")

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None
