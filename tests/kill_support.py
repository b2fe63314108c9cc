"""A child process that deduplicates a file and is killed, by itself or from outside."""

import json
import subprocess
import sys

CHILD = """
import json, os, signal, sys
from pathlib import Path
from txtfp_np.engine import dedup_files, scan

wanted = json.loads(sys.argv[1])
scan.CHECKPOINT_SECONDS = 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

class Fault:
    name, calls = None, 0
    def stage(self, name):
        self.name, self.calls = name, 0
        if wanted["at"] == [name, 0]:
            die()
    def __call__(self, done, total):
        self.calls += 1
        if wanted["at"] == [self.name, self.calls]:
            die()

if wanted["at"][0] == "publish":
    renames = []
    rename = Path.replace
    def replace(self, target):
        if Path(target).name in ("kept.jsonl", "removed.jsonl"):
            renames.append(target)
            if len(renames) > wanted["at"][1]:
                die()
        return rename(self, target)
    Path.replace = replace

if wanted["at"][0] == "remove":
    unlink = Path.unlink
    def fatal(self, missing_ok=False):
        if self.parent.name.startswith(".txtfp-") and self.name == "similarity":
            die()
        return unlink(self, missing_ok=missing_ok)
    Path.unlink = fatal

dedup_files(*wanted["files"], progress=Fault(), **wanted["options"])
print("finished")
"""


def start(files, options, at=("never", 0)):
    """Start the job in a child; ``at``: stage, and how many calls of progress later it kills itself."""
    given = {"files": [str(path) for path in files], "options": options, "at": list(at)}
    return subprocess.Popen([sys.executable, "-c", CHILD, json.dumps(given)], stdout=subprocess.PIPE, text=True)
