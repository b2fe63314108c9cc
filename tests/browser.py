"""A page in a real browser: what it has become after its scripts have run."""

import shutil
import subprocess
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",  # a container's root has no other way
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--enable-logging=stderr",
    "--virtual-time-budget=3000",
)


def find_browser() -> str:
    """Path of a Chromium; skips where there is none."""
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    pytest.skip(f"no browser here: none of {', '.join(NAMES)} is installed")


def dump(page: str, folder: Path, fragment: str = "", script: str = "") -> str:
    """The document as HTML after it was loaded, at an address with a fragment.

    ``script`` runs at its end, with the page's policy taken away; whatever the console says is a failure.
    """
    browser = find_browser()
    if script:
        begin = page.index('<meta http-equiv="Content-Security-Policy"')
        page = page[:begin] + page[page.index("\n", begin) :]
        page = page.replace("</body>", f"<script>{script}</script></body>")
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    profile = folder / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    address = file.as_uri() + (f"#{fragment}" if fragment else "")
    done = subprocess.run(
        [browser, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", address],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "CONSOLE" not in done.stderr, done.stderr
    assert done.stdout.startswith("<!DOCTYPE html>"), done.stdout[:200]
    return done.stdout
