"""An index survives kill -9 at any moment: ``make soak``. Too long for every day."""

import random
import signal
import subprocess
import sys

import numpy as np
import pytest

import txtfp_np as tx

pytestmark = [pytest.mark.soak, pytest.mark.slow]

N_KILLS = 50
BATCH = 2_000
WRITER = """
import sys
import numpy as np
import txtfp_np as tx

folder, batch = sys.argv[1], int(sys.argv[2])
try:
    index = tx.LshIndex.open(folder)
except tx.InvalidInputError:
    index = tx.LshIndex(16, 8, 128)
while True:
    first = len(index)
    ids = np.arange(first, first + batch, dtype=np.uint64)
    sigs = np.zeros(batch, tx.minhash_dtype(128))
    sigs["schema"] = 1
    sigs["hashes"] = np.random.default_rng(first).integers(0, 2**64, (batch, 128), dtype=np.uint64)
    index.insert(ids, sigs)
    index.save(folder)
    print(len(index), flush=True)
    if first // batch % 5 == 4:
        index.compact()
        index.save(folder)
"""


def test_nothing_that_was_saved_is_lost(tmp_path):
    """Killed at random moments of insert, save and compact; reopened, checked, and gone on with."""
    folder = tmp_path / "index"
    moments = random.Random(7)
    confirmed = 0
    for _ in range(N_KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), str(BATCH)], stdout=subprocess.PIPE, text=True
        )
        confirmed = max(confirmed, int(writer.stdout.readline()))  # it is at work
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(moments.uniform(0, 0.6))
        writer.send_signal(signal.SIGKILL)
        confirmed = max([confirmed, *map(int, writer.communicate()[0].split())])
        index = tx.LshIndex.open(folder)
        index.verify()
        assert len(index) >= confirmed
        assert len(index) % BATCH == 0
        for first in range(0, len(index), 7 * BATCH):
            slots = np.random.default_rng(first).integers(0, 2**64, (BATCH, 128), dtype=np.uint64)
            record = index.get(first + 5)
            assert record is not None
            assert np.array_equal(record["hashes"], slots[5])
        confirmed = len(index)
        if confirmed > 60 * BATCH:
            for path in folder.iterdir():
                path.unlink()
            confirmed = 0
