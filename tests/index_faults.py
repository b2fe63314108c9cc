"""Faults that are real: processes that are killed, disks that are full, folders that cannot be written."""

import os
import shutil
import signal
import subprocess
import sys
import traceback
import warnings
from contextlib import contextmanager

import pytest

PAGE = 4096
NOBODY = 65534


# ── processes ───────────────────────────────────────────────────────────────────────────────────
def started(work):
    """A process that does ``work`` and ends: with 0, or with 1 and a traceback for :func:`ended`."""
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # newer Pythons warn of threads; ours have ended, and those of the test runner hold nothing of ours
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    code = 1
    try:
        os.close(reading)
        work()
        code = 0
    except BaseException:
        os.write(writing, traceback.format_exc().encode()[-PAGE:])
    finally:
        os._exit(code)


def ended(process):
    """What ended it: a negative signal or its exit code; and what it had to say."""
    pid, reading = process
    with open(reading, "rb") as file:
        said = file.read().decode()
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), said


def must_succeed(*processes):
    """Wait for all of them."""
    for code, said in [ended(process) for process in processes]:
        assert code == 0, said


def must_be_killed(work):
    """Do ``work`` in a process of its own, which must not reach the end of it."""
    code, said = ended(started(work))
    assert code == -signal.SIGKILL, said or f"ended with {code}"


def kill_me():
    """What ``kill -9`` does: no handler, no cleaning up."""
    os.kill(os.getpid(), signal.SIGKILL)


def killing_at(n, function):
    """``function``, whose ``n``-th call never returns."""
    calls = 0

    def call(*arguments, **options):
        nonlocal calls
        calls += 1
        if calls == n:
            kill_me()
        return function(*arguments, **options)

    return call


def calls_into(folder, work, stop=None):
    """Number of Python calls that ``work`` makes into the files of a folder; the ``stop``-th one kills."""
    calls = 0

    def seen(frame, event, argument):
        nonlocal calls
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            calls += 1
            if calls == stop:
                kill_me()

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def become_nobody():
    """Give up the right to write anywhere; for good, so in a process of its own."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


# ── disks ───────────────────────────────────────────────────────────────────────────────────────
def _mount(*arguments):
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount a small disk: {done.stderr.strip()}")


@contextmanager
def small_disk(folder, size="1m"):
    """A disk of its own at ``folder``."""
    if shutil.which("mount") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    folder.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        # lazily: an index may still map files that are on it
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def make_read_only(folder):
    """From now on the disk at ``folder`` can be read only."""
    _mount("-o", "remount,ro", str(folder))


def fill(path, pages_left):
    """Write a file until the disk is full, then give some pages back."""
    with open(path, "wb", buffering=0) as file:
        block = bytes(PAGE)
        try:
            while True:
                assert file.write(block) == PAGE
        except OSError:
            pass
        file.truncate(max(file.tell() - pages_left * PAGE, 0))
