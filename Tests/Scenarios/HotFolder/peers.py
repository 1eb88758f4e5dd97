"""Real servers that write into a folder on behalf of their clients: OpenSSH, Samba, vsftpd. Each runs on a free port of this machine."""
import os
import shutil
import signal
import subprocess
import tempfile

from program import Program, answers, free_port

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Peer:
    """A server process and its folder; `None` from `start` means that it is not installed or cannot run here."""

    def __init__(self):
        self.base, self.server, self.port = tempfile.mkdtemp(prefix="filmgate-peer-"), None, free_port()
        os.chmod(self.base, 0o755)

    def run(self, command):
        # A session of its own: vsftpd ends its whole process group when it is told to end.
        self.server = Program(command[0], command, own_session=True).start()
        return self if answers(self.port, seconds=5) else None

    def write(self, name, text):
        path = os.path.join(self.base, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    def close(self):
        if self.server and self.server.is_running:
            self.server.kill(signal.SIGTERM)
        shutil.rmtree(self.base, ignore_errors=True)


class SSH(Peer):
    def start(self):
        server = shutil.which("sshd", path="/usr/sbin:/usr/bin")
        if not server or not shutil.which("scp"):
            return None
        os.makedirs("/run/sshd", exist_ok=True)
        for key in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.base}/{key}"], check=True)
        shutil.copy(f"{self.base}/client.pub", f"{self.base}/authorized")
        config = self.write("config", f"""ListenAddress 127.0.0.1
Port {self.port}
HostKey {self.base}/host
AuthorizedKeysFile {self.base}/authorized
StrictModes no
UsePAM no
PidFile none
Subsystem sftp internal-sftp
""")
        return self.run([server, "-D", "-f", config])

    def send(self, folder, target):
        options = ["-q", "-P", str(self.port), "-i", f"{self.base}/client", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
        subprocess.run(["scp", *options, "-r", folder, f"127.0.0.1:{target}"], check=True, **QUIET)


class Samba(Peer):
    def start(self, hot):
        server = shutil.which("smbd", path="/usr/sbin:/usr/bin")
        if not server or not shutil.which("smbclient"):
            return None
        os.makedirs(self.base + "/private")
        config = self.write("smb.conf", f"""[global]
smb ports = {self.port}
interfaces = lo
bind interfaces only = yes
private dir = {self.base}/private
state directory = {self.base}
cache directory = {self.base}
lock directory = {self.base}
pid directory = {self.base}
log file = {self.base}/log
map to guest = Bad User
guest account = root
server role = standalone server
strict allocate = yes
[hot]
path = {hot}
guest ok = yes
force user = root
read only = no
""")
        return self.run([server, "--foreground", "--no-process-group", "-s", config])

    def send(self, folder, target):
        words = f'prompt OFF; recurse ON; mkdir {target}; cd {target}; lcd {folder}; mput *'
        subprocess.run(["smbclient", "//127.0.0.1/hot", "-p", str(self.port), "-N", "-c", words], check=True, **QUIET)


class FTP(Peer):
    """vsftpd, with lftp or curl as its client."""

    def start(self, hot):
        server = shutil.which("vsftpd", path="/usr/sbin:/usr/bin")
        if not server:
            return None
        os.makedirs(self.base + "/empty")
        config = self.write("vsftpd.conf", f"""listen=YES
listen_address=127.0.0.1
listen_port={self.port}
background=NO
anonymous_enable=YES
no_anon_password=YES
anon_root={os.path.dirname(hot)}
anon_upload_enable=YES
anon_mkdir_write_enable=YES
anon_other_write_enable=YES
anon_umask=022
write_enable=YES
secure_chroot_dir={self.base}/empty
seccomp_sandbox=NO
""")
        self.below = os.path.basename(hot)
        return self.run([server, config])

    def send(self, folder, target):
        if shutil.which("lftp"):
            words = f"set net:max-retries 2; mirror -R --parallel=3 {folder} {self.below}/{target}; bye"
            subprocess.run(["lftp", "-e", words, f"ftp://127.0.0.1:{self.port}"], check=True, **QUIET)
        else:
            for base, _, names in os.walk(folder):
                for name in names:
                    there = os.path.relpath(os.path.join(base, name), folder)
                    url = f"ftp://127.0.0.1:{self.port}/{self.below}/{target}/{there}"
                    subprocess.run(["curl", "-s", "--ftp-create-dirs", "-T", os.path.join(base, name), url], check=True)
