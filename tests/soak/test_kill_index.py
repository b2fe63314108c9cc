"""Every stored kind of index survives kill -9 at any moment: ``make soak``. Too long for every day."""

import os
import random
import signal
import time

import pytest
from index_faults import ended, started
from index_kinds import STORED, Embedding, H, Slots

pytestmark = [pytest.mark.soak, pytest.mark.slow]

N_KILLS = 50
BATCH = 2_000
N_BATCHES = 30  # then the index begins anew
LONGEST = 0.5  # seconds; some twenty saves


class FarApart(Embedding):
    """Of so many dimensions that no two are near by chance."""

    dim = 64


SOAKED = [FarApart(kind.search) if isinstance(kind, Embedding) else kind for kind in STORED]


def batch_of(kind, number):
    rng = random.Random(number)
    if isinstance(kind, Slots):
        return [tuple(rng.getrandbits(64) for _ in range(H)) for _ in range(BATCH)]
    if isinstance(kind, Embedding):
        return [tuple(rng.gauss(0, 1) for _ in range(kind.dim)) for _ in range(BATCH)]
    return [rng.getrandbits(kind.bits) for _ in range(BATCH)]


@pytest.mark.parametrize("kind", SOAKED, ids=str)
def test_nothing_that_was_saved_is_lost(kind, tmp_path):
    """Killed at random moments of insert, save and compact; reopened, checked, and gone on with."""
    folder, log = tmp_path / "index", tmp_path / "confirmed"
    moments = random.Random(7)
    batches = [batch_of(kind, number) for number in range(N_BATCHES)]
    kept = BATCH - kind.removes  # of a batch; its first one is removed again

    def write():
        confirm = os.open(log, os.O_WRONLY | os.O_APPEND)
        index = kind.cls.open(folder)
        for number in range(len(index) // kept, N_BATCHES):
            kind.insert(index, batches[number], number * BATCH)
            if kind.removes:
                assert kind.remove(index, [number * BATCH]) == 1
            index.save(folder)
            os.write(confirm, f"{len(index)}\n".encode())
            if number % 5 == 4:
                index.compact()

    def begin():
        for path in folder.glob("*"):
            path.unlink()
        log.write_text("0\n")
        index = kind.new() if kind.exact else kind.new(capacity=N_BATCHES * BATCH)
        index.save(folder)

    begin()
    write()  # compiles, which a process of half a second has no time for
    begin()
    longest = 0
    for _ in range(N_KILLS):
        writer = started(write)
        time.sleep(moments.uniform(0, LONGEST))
        os.kill(writer[0], signal.SIGKILL)
        code, said = ended(writer)
        assert code in (0, -signal.SIGKILL), said
        index = kind.cls.open(folder)
        index.verify()
        assert len(index) >= int(log.read_text().split()[-1])
        assert len(index) % kept == 0
        n = len(index) // kept
        for number in range(n):
            answers = kind.ask(index, batches[number][:7])
            assert all(answers[1:])
            assert bool(answers[0]) != kind.removes
        if n < N_BATCHES:
            assert sum(map(bool, kind.ask(index, batches[n][:100]))) <= (0 if kind.exact else 10)
        longest = max(longest, n)
        if n == N_BATCHES:
            begin()
    assert longest > 5  # kills did not all come before the first save
