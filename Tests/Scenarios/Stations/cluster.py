"""A PostgreSQL of the scenario's own, from Debian's packages, in a folder of its own."""
import glob
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from program import free_port  # noqa: E402
from proof import Failure  # noqa: E402

# Debian keeps the servers of several versions beside each other; the newest is taken.
PROGRAMS = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
# PostgreSQL and pgbouncer refuse to run as root.
OWNER = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--"] if os.geteuid() == 0 else []


def made_for_owner(folder):
    """A new folder that belongs to whoever runs the servers."""
    os.makedirs(folder)
    if OWNER:
        shutil.chown(folder, "postgres")
    return folder


def call(program, *arguments):
    done = subprocess.run([*OWNER, f"{PROGRAMS}/{program}", *arguments], cwd="/", capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{program}: {done.stdout}{done.stderr}")
    return done.stdout


class Server:
    """A cluster that `postgres` owns and that writes to the disk what it says to have written.

    It is reached by its socket alone, or at `address`, too. `settings` go into its configuration; `access` are the lines of pg_hba.conf in
    place of trust; `copy_of`: a streaming standby of that one.
    """

    def __init__(self, folder, settings=None, address="", access=None, copy_of=None):
        self.folder, self.address, self.data = folder, address, f"{folder}/data"
        self.port = free_port() if address else 5432
        made_for_owner(folder)
        if copy_of:
            primary = ["-h", copy_of.folder, "-p", str(copy_of.port), "-U", "postgres"]
            call("pg_basebackup", *primary, "-D", self.data, "-R", "-c", "fast", "--no-sync")
        else:
            call("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--no-sync", "--no-instructions", "-E", "UTF8")
        with open(f"{self.data}/postgresql.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{key} = '{value}'\n" for key, value in (settings or {}).items())
        if access:
            with open(f"{self.data}/pg_hba.conf", "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in access)
        self.start()
        if not copy_of:
            self.sql("CREATE DATABASE filmgate", "postgres")

    def start(self, more=""):
        """`more`: settings of this start alone, such as `-c synchronous_standby_names='*'`."""
        options = f"-c listen_addresses='{self.address}' -p {self.port} -k {self.folder} {more}"
        done = subprocess.run(
            [*OWNER, f"{PROGRAMS}/pg_ctl", "-D", self.data, "-w", "-t", "120", "-l", f"{self.folder}/log", "-o", options, "start"],
            cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if done.returncode:
            with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as file:
                raise Failure(f"the server did not start: {file.read()[-2000:]}")

    def stop(self, how="fast"):
        call("pg_ctl", "-D", self.data, "-w", "-m", how, "stop")

    def promote(self):
        call("pg_ctl", "-D", self.data, "-w", "promote")

    @property
    def pid(self):
        with open(f"{self.data}/postmaster.pid", encoding="ascii") as file:
            return int(file.readline())

    def processes(self):
        """Its own process first, then what that has started."""
        children = subprocess.run(["pgrep", "-P", str(self.pid)], capture_output=True, text=True, check=False).stdout.split()
        return [self.pid, *map(int, children)]

    def kill(self):
        """As if the power had gone: all its processes at once."""
        # Stopped first: it starts no other process while its processes are counted.
        os.kill(self.pid, signal.SIGSTOP)
        processes = self.processes()
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while any(os.path.exists(f"/proc/{process}") for process in processes):
            time.sleep(0.02)

    def close(self):
        """Ends it if it runs, whatever it does."""
        command = [*OWNER, f"{PROGRAMS}/pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop"]
        subprocess.run(command, cwd="/", capture_output=True, check=False)

    def cpu(self):
        """Seconds of processor time that it and all its processes have used, those that ended included."""
        ticks = 0
        for number, process in enumerate(self.processes()):
            try:
                with open(f"/proc/{process}/stat", encoding="ascii") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except FileNotFoundError:
                continue
            ticks += sum(map(int, fields[11:13 if number else 15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def client(self, program, role="postgres", database="filmgate"):
        """The command of one of PostgreSQL's own programs, with where this server is."""
        return [f"{PROGRAMS}/{program}", "-h", self.folder, "-p", str(self.port), "-U", role, "-d", database]

    def sql(self, text, database="filmgate", role="postgres"):
        command = [*self.client("psql", role, database), "-XAtq", "-v", "ON_ERROR_STOP=1", "-f", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"psql: {done.stderr}")
        return done.stdout.strip()

    def url(self, role):
        return f"postgresql://{role}@{self.folder.replace('/', '%2F')}:{self.port}/filmgate"
