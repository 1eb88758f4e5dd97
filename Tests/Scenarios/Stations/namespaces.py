"""Whether this machine gives a scenario namespaces of its own, which containers often do not; nothing is left out without a word."""
import os
import subprocess

from proof import Failure

OPTION = "--without-namespaces"


def can_hide_folders():
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


def can_have_networks():
    name = f"fg{os.getpid()}t"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode == 0
    if made:
        words = ["ip", "link", "add", name, "type", "veth", "peer", "name", name + "p"]
        made = subprocess.run(words, capture_output=True, check=False).returncode == 0
        subprocess.run(["ip", "link", "del", name], capture_output=True, check=False)
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return made


def required(what, is_there):
    """A failure where they are missing: whoever wants the rest says so."""
    if not is_there():
        raise Failure(f"{what} needs namespaces, which this machine does not give (as root it may); {OPTION} leaves that out")


def add_option(parser):
    parser.add_argument(OPTION, action="store_true", help="leave out what needs namespaces of mounts and networks, and say so at the end")


def closing(left_out):
    """The last line of what went well."""
    return f"ok, without what needs namespaces: {', '.join(left_out)}" if left_out else "ok"
