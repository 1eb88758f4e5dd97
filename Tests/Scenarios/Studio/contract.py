"""The API against its own description: schemathesis asks every address with what the description allows and forbids."""
import os
import shutil
import subprocess
import sys
import tempfile

from shoot import Shoot

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"


def contract(options):
    program = os.path.join(os.path.dirname(sys.executable), "schemathesis")
    if not os.path.exists(program):
        print("schemathesis is not installed", file=sys.stderr)
        return 2
    base = tempfile.mkdtemp(prefix="filmgate-studio-")
    # Left out: a stream, which has no end, and leaving, which would end the token's own session.
    with Shoot(options.filmgate, base) as shoot:
        shoot.begin()
        shoot.drop(20, serial="SER1")
        shoot.wait(20)
        words = [program, "run", shoot.studio.address + "/api/v1/openapi.json", "--url", shoot.studio.address, "--checks", CHECKS]
        words += ["--header", f"Authorization: Bearer {shoot.studio.token('admin')}", "--max-examples", str(options.examples), "--no-color"]
        words += ["--exclude-path", "/api/v1/stream", "--exclude-operation-id", "leave", "--phases", "examples,coverage,fuzzing"]
        code = subprocess.run(words, cwd=base, check=False).returncode
        alive = shoot.studio.is_running and shoot.run.is_running
    print("pass" if code == 0 and alive else "FAIL", f" the API keeps to its description; the page and the run {'go on' if alive else 'have ended'}")
    if code == 0 and alive:
        shutil.rmtree(base, ignore_errors=True)
    return 0 if code == 0 and alive else 1
