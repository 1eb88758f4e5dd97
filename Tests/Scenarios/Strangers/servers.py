"""Servers of other people, each on a port of its own, with a folder that shows what they hold."""
import os
import subprocess
import sys

FTP = """
import os, random, sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import DTPHandler, FTPHandler
from pyftpdlib.servers import ThreadedFTPServer
rng, cuts = random.Random(3), sys.argv[3]
class Data(DTPHandler):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.limit = rng.randint(2000, 120000) if rng.random() < 0.35 else 0
    def handle_read(self):
        super().handle_read()
        if self.limit and self.tot_bytes_received > self.limit:
            self.limit = 0
            open(cuts, "a").write("x")
            self._resp = ("426 The connection broke.", None)
            self.close()
    handle_read_event = handle_read
people = DummyAuthorizer()
people.add_user("cam", "cam-5ecret", sys.argv[2], perm="elradfmwMT")
class Control(FTPHandler):
    authorizer, dtp_handler = people, Data
ThreadedFTPServer(("127.0.0.1", int(sys.argv[1])), Control).serve_forever()
"""

SSH = """
import asyncio, asyncssh, sys
port, files, keys = int(sys.argv[1]), sys.argv[2], sys.argv[3]
async def main():
    await asyncssh.listen("127.0.0.1", port, server_host_keys=[keys + "/host"], authorized_client_keys=keys + "/id.pub",
                          sftp_factory=lambda connection: asyncssh.SFTPServer(connection, chroot=files))
    await asyncio.Future()
asyncio.run(main())
"""


class Server:
    """A running server: `port` it answers on, `files` it keeps, `path` below them where a target's files end up."""

    def __init__(self, name, base, port, programs):
        self.name, self.base, self.port, self.programs = name, os.path.join(base, name), port, programs
        self.files = os.path.join(self.base, "files")
        os.makedirs(self.files)
        self.log = open(os.path.join(self.base, "log"), "wb")
        self.process = subprocess.Popen(getattr(self, name.replace("-", "_"))(), stdout=self.log, stderr=subprocess.STDOUT, cwd=self.base)

    def write(self, name, text):
        path = os.path.join(self.base, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def python(self, text, *arguments):
        return [os.path.join(self.programs, "python3"), self.write("server.py", text), str(self.port), self.files, *arguments]

    def apache(self):
        os.makedirs(os.path.join(self.base, "lock"))
        subprocess.run(["chown", "-R", "nobody:nogroup", self.files, os.path.join(self.base, "lock")], check=os.getuid() == 0)
        modules = "".join(
            f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in ("mpm_event", "authz_core", "dav", "dav_fs"))
        user = "User nobody\nGroup nogroup\n" if os.getuid() == 0 else ""
        configuration = self.write("conf", f"""ServerRoot {self.base}
PidFile {self.base}/pid
ServerName localhost
Listen 127.0.0.1:{self.port}
{user}{modules}DavLockDB {self.base}/lock/db
ErrorLog {self.base}/error.log
DocumentRoot {self.files}
<Directory />
Require all granted
</Directory>
<Location />
Dav On
</Location>
""")
        return ["apache2", "-f", configuration, "-DFOREGROUND"]

    def lighttpd(self):
        configuration = self.write("conf", f"""server.modules = ("mod_webdav")
server.document-root = "{self.files}"
server.port = {self.port}
server.bind = "127.0.0.1"
server.errorlog = "{self.base}/error.log"
webdav.activate = "enable"
""")
        return ["lighttpd", "-D", "-f", configuration]

    def wsgidav(self):
        return [os.path.join(self.programs, "wsgidav"), "--host", "127.0.0.1", "--port", str(self.port), "--root", self.files, "--auth",
                "anonymous", "-q"]

    def rclone(self, *arguments):
        return [os.path.join(self.programs, "rclone"), "serve", *arguments, "--addr", f"127.0.0.1:{self.port}", self.files]

    def rclone_webdav(self):
        return self.rclone("webdav")

    def rclone_sftp(self):
        self.make_keys()
        return self.rclone("sftp", "--key", f"{self.base}/host", "--authorized-keys", f"{self.base}/id.pub")

    def rclone_s3(self):
        os.makedirs(os.path.join(self.files, "frames"))
        return self.rclone("s3", "--auth-key", "cam,cam-5ecret-key")

    def asyncssh(self):
        self.make_keys()
        return self.python(SSH, self.base)

    def pyftpdlib(self):
        return self.python(FTP, os.path.join(self.base, "cuts"))

    def make_keys(self):
        for name in ("host", "id"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.base}/{name}"], check=True)

    def know(self, port):
        """A known_hosts file for a client that comes through `port`."""
        with open(f"{self.base}/host.pub", encoding="ascii") as file:
            key = " ".join(file.read().split()[:2])
        return self.write("known_hosts", f"[127.0.0.1]:{port} {key}\n")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


if __name__ == "__main__":
    sys.exit("Start strangers.py instead.")
