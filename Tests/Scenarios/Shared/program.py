"""Programs that a scenario starts, ends and starts again, and the ports of this machine where they answer."""
import os
import random
import signal
import socket
import subprocess
import time

from proof import Failure

# Every gallery and every run of a scenario finds the same token in its environment.
os.environ["FILMGATE_GALLERY_TOKEN"] = "scenario-token"


def free_port():
    """A port of this machine that nobody uses, below those that the system gives to connections: it stays free until it is used."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                free.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def answers(port, seconds=10, host="127.0.0.1"):
    """True as soon as a server answers at the port, false if none has after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex((host, port)) == 0:
                return True
        time.sleep(0.05)
    return False


def wait_for_port(port, seconds=20, host="127.0.0.1"):
    """Returns as soon as a server answers at the port; a failure if none does."""
    if not answers(port, seconds, host):
        raise Failure(f"nothing answers on port {port}")


class Program:
    """A program that can be ended and started again; its output is appended to `log`.

    `again` is the command for every start but the first. As a context it runs inside the context.
    """

    def __init__(self, name, command, log=os.devnull, again=None, environment=None, own_session=False):
        self.name, self.command, self.again, self.log = name, command, again or command, log
        self.environment, self.own_session = environment, own_session
        self.process, self.said = None, 0

    def start(self, first=True):
        self.said = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(
                self.command if first else self.again, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, start_new_session=self.own_session)
        return self

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def code(self):
        """The exit status, once it has ended."""
        return self.process.returncode

    def kill(self, number=signal.SIGKILL, timeout=60):
        """Ends the running program with a signal; its exit status. One that had ended before it was killed is a failure."""
        if not self.is_running and number == signal.SIGKILL:
            raise Failure(f"{self.name} had ended by itself with {self.code}; see {self.log}")
        self.process.send_signal(number)
        return self.process.wait(timeout=timeout)

    def stop(self, expected=130, number=signal.SIGINT):
        """Ends it as a person would; another exit status than `expected` is a failure."""
        code = self.kill(number)
        if code != expected:
            raise Failure(f"{self.name} ended with {code} instead of {expected}; see {self.log}")

    def close(self):
        """Ends it if it still runs."""
        if self.process is None:
            return
        if self.is_running:
            self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()


def gallery(filmgate, folder, port, log=os.devnull):
    """The program's own sample gallery, not started yet."""
    serve = ["sample", "gallery", "--dir", folder, "--port", str(port), "--token-env", "FILMGATE_GALLERY_TOKEN"]
    return Program("gallery", [filmgate, *serve], log)
