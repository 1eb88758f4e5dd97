#!/usr/bin/env python3
"""Pushes files by three logins into the `ftp` source, with lftp, curl and a replay of the commands that bodies send, over explicit and
implicit TLS, while others guess passwords, and proves that each reached the folder and the gallery exactly once. Then tries what must be
refused."""
import argparse
import collections
import ftplib
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from body import Body  # noqa: E402
from guess import Guesser  # noqa: E402
from program import Program, free_port, gallery, wait_for_port  # noqa: E402
from proof import Failure, digest, folder, integrity, received, settled  # noqa: E402

LOGINS = ("ann", "bob", "cyd")


def picture(rng, size):
    """A whole JPEG that nobody else has."""
    body = bytearray(b"\xff\xd8")
    while len(body) < size:
        part = rng.randbytes(min(65_000, size - len(body) + 1))
        body += b"\xff\xfe" + (len(part) + 2).to_bytes(2, "big") + part
    return bytes(body + b"\xff\xd9")


class Scene:
    def __init__(self, options, base):
        self.base, self.program, self.count = base, os.path.abspath(options.filmgate), options.count
        self.archive, self.gallery, self.state = (os.path.join(base, name) for name in ("archive", "gallery", "state"))
        self.rng, self.environment = random.Random(options.seed), dict(os.environ)
        self.environment.update({f"{login.upper()}_FTP": f"{login}'s word" for login in LOGINS})
        self.explicit, self.implicit, self.web = free_port(), free_port(), free_port()
        self.refused, self.seconds = collections.Counter(), 0
        # One in a hurry from an address of its own, one that waits for each answer behind the bodies' own address, and a crowd there that
        # would take every place that an address has for those who are not logged in, and goes back to it at once.
        self.guessers = [
            Guesser(self.implicit, "ann", "127.0.0.2", 4, 0.05), Guesser(self.implicit, "bob", "127.0.0.1", 2, 60),
            Guesser(self.implicit, "eve", "127.0.0.1", 16, 60)]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-keyout", base + "/key.pem", "-out", base + "/cert.pem"], check=True, stderr=subprocess.DEVNULL)

    def source(self, port, tls):
        logins = ", ".join(f'{{ user: {login}, password: "${{env:{login.upper()}_FTP}}" }}' for login in LOGINS)
        return (f'  - ftp: {{ listen: "127.0.0.1:{port}", tls: {tls}, certificate: "{self.base}/cert.pem", key: "{self.base}/key.pem", '
                f"settle: 1s, logins: [{logins}] }}\n")

    def pipeline(self):
        path = self.base + "/push.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write("version: 1\nname: push\nsources:\n" + self.source(self.explicit, "required") + self.source(self.implicit, "implicit"))
            file.write(f"""stages: [ {{ exif: {{}} }}, {{ dedupe: {{}} }}, {{ upload: {{ to: [archive, gallery] }} }} ]
targets:
  archive: {{ folder: {{ path: "{self.archive}" }} }}
  gallery:
    http:
      url: "http://127.0.0.1:{self.web}/api/assets"
      auth: studio
      digest: {{ json: sha256 }}
      find: {{ url: "http://127.0.0.1:{self.web}/api/assets/by-digest/{{sha256}}" }}
auth:
  studio: {{ bearer: {{ token: "${{env:FILMGATE_GALLERY_TOKEN}}" }} }}
""")
        return path

    def __enter__(self):
        self.server = gallery(self.program, self.gallery, self.web).start()
        run = [self.program, "run", self.pipeline(), "--state", self.state, "--json"]
        self.run = Program("run", run, log=self.base + "/run.log", environment=self.environment).start()
        for port in (self.web, self.explicit, self.implicit):
            wait_for_port(port)
        return self

    def __exit__(self, *_):
        for program in (self.run, self.server):
            program.close()

    def stock(self, login, part, count, first):
        """Files under names that all three bodies use."""
        path = os.path.join(self.base, "bodies", login, part)
        os.makedirs(path)
        for number in range(first, first + count):
            with open(f"{path}/IMG_{number:04}.JPG", "wb") as file:
                file.write(picture(self.rng, self.rng.randrange(10_000, 400_000)))
        return path

    # Who pushes

    def word(self, login):
        return self.environment[f"{login.upper()}_FTP"]

    def lftp(self, place, is_implicit):
        url = f"ftps://127.0.0.1:{self.implicit}" if is_implicit else f"ftp://127.0.0.1:{self.explicit}"
        words = ("set ssl:verify-certificate no; set ftp:ssl-force true; set ftp:ssl-protect-data true; set net:max-retries 3; "
                 f"mirror -R --parallel=3 {place} DCIM/100LFTP; bye")
        subprocess.run(["lftp", "-u", f"ann,{self.word('ann')}", "-e", words, url], check=True, stdout=subprocess.DEVNULL)

    def curl(self, place, is_implicit):
        url = f"ftps://127.0.0.1:{self.implicit}/" if is_implicit else f"ftp://127.0.0.1:{self.explicit}/"
        names = ",".join(sorted(os.listdir(place)))
        subprocess.run(
            ["curl", "-s", "-S", "-k", "--ssl-reqd", "--ftp-create-dirs", "-u", f"bob:{self.word('bob')}", "-T", f"{place}/{{{names}}}",
             url + "DCIM/100CURL/"], check=True, stdout=subprocess.DEVNULL)

    def replay(self, place, is_implicit):
        body = Body("127.0.0.1", self.implicit if is_implicit else self.explicit, is_implicit, "cyd", self.word("cyd"))
        for number, name in enumerate(sorted(os.listdir(place))):
            body.push(os.path.join(place, name), name, habit=number % 4)
        body.end()

    def push(self):
        third = self.count // 3
        shares = {"ann": third, "bob": third, "cyd": self.count - 2 * third}
        jobs, errors = [], []
        for login, how in zip(LOGINS, (self.lftp, self.curl, self.replay)):
            half = shares[login] // 2
            for part, count, first in (("explicit", half, 0), ("implicit", shares[login] - half, half)):
                jobs.append((how, self.stock(login, part, count, first), part == "implicit"))

        def act(how, place, is_implicit):
            try:
                how(place, is_implicit)
            except Exception as error:  # whatever a client dies of is told at the end
                errors.append(f"{how.__name__}, {'implicit' if is_implicit else 'explicit'}: {error!r}")

        threads = [threading.Thread(target=act, args=job) for job in jobs]
        for one in self.guessers:
            one.start()
        time.sleep(3)  # the crowd has every place by now
        for one in threads:
            one.start()
        for thread in threads:
            thread.join()
        self.seconds = max(guesser.stop() for guesser in self.guessers)
        if errors:
            raise Failure(f"clients failed: {errors}")

    # What must be refused

    def refusals(self):
        for scheme, port in (("ftp", self.explicit), ("ftps", self.implicit)):
            code = subprocess.run(
                ["curl", "-s", "-k", "--ssl-reqd", "-u", "ann:wrong", "-T", __file__, f"{scheme}://127.0.0.1:{port}/no.jpg"],
                check=False).returncode
            self.refuse(code == 67, "wrong password", "passwords", f"curl ended with {code}")
        with socket.create_connection(("127.0.0.1", self.explicit)) as plain:
            lines = plain.makefile("rwb")
            for line, code in (("", b"220"), ("USER ann", b"534"), ("PASS " + self.word("ann"), b"534")):
                if line:
                    lines.write(line.encode() + b"\r\n")
                    lines.flush()
                answer = lines.readline()
                self.refuse(answer.startswith(code), "log-in without TLS", "without TLS" if line else "", answer)
        body = Body("127.0.0.1", self.explicit, False, "ann", self.word("ann"))
        for command in ("STOR ../../../etc/filmgate-escape.jpg", "CWD /../..", "MKD ../out", "RNFR ../../state/ledger.sqlite"):
            try:
                body.client.voidcmd(command)
                self.refuse(False, command, "", "was obeyed")
            except ftplib.error_perm as error:
                self.refuse(str(error).startswith("55"), command, "paths outside", error)
        try:
            body.client.voidcmd("PROT C")
            self.refuse(False, "PROT C", "", "was obeyed")
        except ftplib.error_perm as error:
            self.refuse(str(error).startswith("53"), "PROT C", "without TLS", error)
        body.end()

    def refuse(self, is_refused, what, count, detail):
        if not is_refused:
            raise Failure(f"{what} was not refused: {detail}")
        if count:
            self.refused[count] += 1

    # The end

    def wait(self, patience):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            assets = os.path.join(self.gallery, "assets")
            if os.path.isdir(assets) and len(os.listdir(assets)) >= self.count and len(folder(self.archive)) >= self.count:
                return
            time.sleep(0.3)

    def check(self):
        time.sleep(2)
        self.run.stop()
        made = [digest(os.path.join(base, name)) for base, _, names in os.walk(self.base + "/bodies") for name in names]
        kept, sent = collections.Counter(folder(self.archive).values()), received(self.gallery)
        if kept != collections.Counter(made):
            raise Failure(f"folder: {sum(kept.values())} files of {len(made)}, {len(set(made) - set(kept))} lost, {len(set(kept) - set(made))} foreign")
        if set(sent) != set(made):
            raise Failure(f"gallery: {len(sent)} assets of {len(made)}")
        integrity(self.state)
        settled(self.state, targets=2)
        left = [name for base, _, names in os.walk(self.state + "/ftp") for name in names]
        if left:
            raise Failure(f"{len(left)} files were left in the inbox: {left[:3]}")
        self.check_counts()
        return len(made)

    def check_counts(self):
        with open(self.base + "/run.log", encoding="utf-8", errors="replace") as file:
            text = file.read()
        told = collections.Counter()
        for passwords, paths, plain in re.findall(r"FTP: refused (\d+) passwords, (\d+) paths outside, (\d+) without TLS", text):
            told.update({"passwords": int(passwords), "paths outside": int(paths), "without TLS": int(plain)})
        guessed = told["passwords"] - self.refused["passwords"]
        told["passwords"] -= guessed
        if +told != self.refused:
            raise Failure(f"the run counted {dict(told)}, refused were {dict(self.refused)}")
        self.check_guesses(text, guessed)

    def check_guesses(self, text, guessed):
        """Three of each address are free; from then on there is less than one a second, however many are tried."""
        answered, tried = (sum(getattr(guesser, name) for guesser in self.guessers) for name in ("answered", "tried"))
        allowed = 3 * len(self.guessers) + self.seconds
        if not answered <= guessed <= allowed:
            raise Failure(f"{guessed} of {tried} guesses were looked at in {self.seconds:.0f} s, {answered} answered")
        lines = text.count("FTP: refused: ")
        if lines > 3 * (2 + self.seconds / 60) * len(self.guessers):
            raise Failure(f"{lines} lines of the log are about guesses")
        print(f"  {tried} guesses in {self.seconds:.0f} s, {guessed} looked at", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filmgate", required=True, help="the program")
    parser.add_argument("--count", type=int, default=500, help="files")
    parser.add_argument("--patience", type=float, default=240, help="seconds to wait for the last delivery")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    base = tempfile.mkdtemp(prefix="filmgate-push-")
    print(f"seed {options.seed}", flush=True)
    try:
        with Scene(options, base) as scene:
            begun = time.monotonic()
            scene.push()
            print(f"  pushed after {time.monotonic() - begun:.1f} s", flush=True)
            scene.refusals()
            scene.wait(options.patience)
            count = scene.check()
    except Failure as failure:
        print(f"FAILED: {failure}\nLeft for a look: {base}", file=sys.stderr)
        return 1
    shutil.rmtree(base)
    print(f"{count} files by three logins, each once in the folder and at the gallery; refused and counted: "
          + ", ".join(f"{number} {what}" for what, number in sorted(scene.refused.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
