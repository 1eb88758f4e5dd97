"""Ways to a catalogue that others provide: TLS with the wrong certificate, passwords that are asked for in the clear, and pgbouncer."""
import os
import shutil
import subprocess
import time

from cluster import OWNER
from invariants import Invariants
from program import Program, free_port, wait_for_port
from proof import Failure
from sharer import ended


class Authority:
    """Signs the certificates of servers."""

    def __init__(self, folder):
        self.folder, self.root = folder, f"{folder}/ca.crt"
        os.makedirs(folder)
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/ca.key", "-out", self.root, "-days", "2",
                     "-subj", "/CN=Authority of a scenario")

    @staticmethod
    def openssl(*words):
        done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"openssl: {done.stderr}")

    def sign(self, name, days=2):
        """A certificate for an address or a name, in place of the one before."""
        at = f"{self.folder}/server"
        with open(f"{at}.names", "w", encoding="ascii") as file:
            file.write(f"subjectAltName={'IP' if name[0].isdigit() else 'DNS'}:{name}\n")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{at}.key", "-out", f"{at}.csr", "-subj", f"/CN={name}")
        self.openssl("x509", "-req", "-in", f"{at}.csr", "-CA", self.root, "-CAkey", f"{self.folder}/ca.key", "-CAcreateserial",
                     "-days", str(days), "-extfile", f"{at}.names", "-out", f"{at}.crt")
        os.chmod(f"{at}.key", 0o600)
        if OWNER:
            for part in ("key", "crt"):
                shutil.chown(f"{at}.{part}", "postgres")

    def server(self, name, way="scram-sha-256"):
        """Options of a server that is reached over TLS alone, and asks for passwords in that way."""
        self.sign(name)
        settings = {"ssl": "on", "ssl_cert_file": f"{self.folder}/server.crt", "ssl_key_file": f"{self.folder}/server.key"}
        return {"settings": settings, "access": ["local all all trust", f"hostssl all all 0.0.0.0/0 {way}"]}

    def options(self, word):
        """What a station says beside the address."""
        os.environ["FILMGATE_SCENARIO_WORD"] = word
        return f', password: "${{env:FILMGATE_SCENARIO_WORD}}", root: "{self.root}"'


def certificates(scene):
    """A server that cannot be proven to be the right one is told nothing, and ingest goes on."""
    authority, other = Authority(f"{scene.folder}/authority"), Authority(f"{scene.folder}/other")
    server = scene.catalogue(address="127.0.0.1", **authority.server("127.0.0.1"))
    url = f"postgresql://one@127.0.0.1:{server.port}/filmgate?sslmode=verify-full&channel_binding=require"
    more = authority.options("a word of one")
    one = scene.station("one", server, None, url, password="a word of one", more=more)
    truth = Invariants(server, [one])
    said = one.call("catalog", "check", "--pipeline", one.file)
    if "TLS" not in said:
        raise Failure(f"`catalog check` does not say how the connection is protected:\n{said}")
    truth.check("over TLS", one.take(scene.card(10)))

    def refused(what, words):
        before = server.sql("SELECT applied, (SELECT max(heard) FROM catalog.session) FROM catalog.station")
        said = one.call("catalog", "check", "--pipeline", one.file, exits=(5,))
        if words not in said:
            raise Failure(f"{what}: `catalog check` says:\n{said}")
        said = one.take(scene.card(10))
        if said.count("going on alone") != 1:
            raise Failure(f"{what}: the import says:\n{said}")
        if server.sql("SELECT applied, (SELECT max(heard) FROM catalog.session) FROM catalog.station") != before:
            raise Failure(f"{what}: it was told something all the same")

    def back(what):
        truth.check(what, one.take(scene.card(5)))

    one.more = more.replace(authority.root, other.root)
    one.write()
    refused("a certificate of another authority", "cannot be proven")
    one.more = more
    one.write()
    back("with the right authority")
    for name, days, what in (("db.example", 2, "a certificate of another name"), ("127.0.0.1", 0, "a certificate that is over")):
        authority.sign(name, days)
        time.sleep(0 if days else 1.5)
        server.sql("SELECT pg_reload_conf()")
        refused(what, "cannot be proven")
        authority.sign("127.0.0.1")
        server.sql("SELECT pg_reload_conf()")
        back(f"after {what}")
    # Whoever stands between would ask for the password itself.
    access = f"{server.data}/pg_hba.conf"
    with open(access, encoding="utf-8") as file:
        text = file.read()
    for way, words in (("password", "cannot be proven"), ("md5", "cannot be proven"), ("trust", "cannot be proven")):
        with open(access, "w", encoding="utf-8") as file:
            file.write(text.replace("scram-sha-256", way))
        if way == "md5":
            server.sql("SET password_encryption = 'md5'; ALTER ROLE one PASSWORD 'a word of one'")
        server.sql("SELECT pg_reload_conf()")
        refused(f"a server that asks for a password by `{way}`", words)
    with open(access, "w", encoding="utf-8") as file:
        file.write(text)
    server.sql("SET password_encryption = 'scram-sha-256'; ALTER ROLE one PASSWORD 'a word of one'; SELECT pg_reload_conf()")
    back("with SCRAM again")
    print("another authority, another name, a certificate that is over, a weaker way to sign in: refused, told nothing, ingest goes on")


def pooler(scene):
    """pgbouncer in transaction mode before the server: two stations over two connections, and it is killed in the middle."""
    server, gallery, port = scene.catalogue(), scene.gallery(delay=0.05), free_port()
    folder = f"{server.folder}/pooler"
    os.makedirs(folder)
    with open(f"{folder}/users.txt", "w", encoding="utf-8") as file:
        file.write('"one" ""\n"two" ""\n')
    with open(f"{folder}/pgbouncer.ini", "w", encoding="utf-8") as file:
        file.write(f"""[databases]
filmgate = host={server.folder} port={server.port} dbname=filmgate
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = 1
""")
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
    with Program("pgbouncer", [*OWNER, program, f"{folder}/pgbouncer.ini"], f"{scene.folder}/pooler.log") as bouncer:
        wait_for_port(port)
        one, two = (scene.station(name, server, gallery, f"postgresql://{name}@127.0.0.1:{port}/filmgate") for name in ("one", "two"))
        truth = Invariants(server, [one, two], gallery)
        for number in range(scene.count):
            card = scene.card(40)
            processes = [station.begin(card) for station in (one, two)]
            if number % 2:
                before = len(gallery.kept)
                while len(gallery.kept) < before + 5:
                    if all(process.poll() is not None for process in processes):
                        raise Failure("both imports were over before the pooler was killed")
                bouncer.kill()
                bouncer.start()
                wait_for_port(port)
            said = "".join(ended(process, "an import through pgbouncer") for process in processes)
            truth.check(f"through pgbouncer, {number + 1}", said + one.tell(card) + two.tell(card))
        one.call("catalog", "check", "--pipeline", one.file)
    print(f"pgbouncer in transaction mode, a connection for each station: {scene.count} cards in both stations, each picture sent once")
