"""What live shoots are made of: a pipeline over virtual cameras, and processes that can be killed and started again."""
import os
import signal
import subprocess

from proof import Failure
from scene import TOKEN

PIPELINE = """\
version: 1
name: crash
sources:
{sources}
stages:
  - exif: {{}}
  - dedupe: {{}}
  - upload: {{ to: [archive, gallery] }}
targets:
  archive: {{ folder: {{ path: "{archive}" }} }}
  gallery:
    http:
      url: "http://127.0.0.1:{port}/api/assets"
      auth: studio
      digest: {{ json: sha256 }}
      find: {{ url: "http://127.0.0.1:{port}/api/assets/by-digest/{{sha256}}" }}
auth:
  studio: {{ bearer: {{ token: "${{env:FILMGATE_GALLERY_TOKEN}}" }} }}
"""


class Actor:
    """A process that can be killed and started again; what it says goes to `log`."""

    def __init__(self, name, command, log=os.devnull, again=None):
        self.name, self.command, self.again, self.log = name, command, again or command, log
        self.process, self.said = None, 0

    def start(self, first=True):
        self.said = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        environment = dict(os.environ, FILMGATE_GALLERY_TOKEN=TOKEN)
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(self.command if first else self.again, env=environment, stdout=out, stderr=subprocess.STDOUT)

    def kill(self, number=signal.SIGKILL):
        if self.process.poll() is not None and number == signal.SIGKILL:
            raise Failure(f"{self.name} had ended by itself with {self.process.returncode}; see {self.log}")
        self.process.send_signal(number)
        return self.process.wait(timeout=60)
