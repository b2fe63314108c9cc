"""Fixtures that every test folder shares."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

try:
    from hypothesis import settings
except ImportError:
    pass  # property tests say so themselves, with importorskip
else:
    # A first call compiles, so no deadline. With CI set the examples are the same in every run.
    settings.register_profile("suite", deadline=None, print_blob=True, derandomize=bool(os.environ.get("CI")))
    settings.load_profile("suite")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the corpora that are too large for the repository; skips where they are not."""
    named = os.environ.get("TXTFP_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no corpora at {folder}: set TXTFP_DATA to the folder that holds them")
    return folder
