"""The scheduler: order, errors, scratch, threads, progress."""

import os
import threading
import time

import numpy as np
import pytest

from txtfp_np.columns import Appender, Scratch, block_bounds, resolve_threads, run_blocks
from txtfp_np.errors import ConfigError

THREADS = (1, 2, 4)


# ── threads ─────────────────────────────────────────────────────────────────────────────────────
def test_resolve_threads():
    assert resolve_threads(1) == 1
    assert resolve_threads(np.int64(7)) == 7
    assert type(resolve_threads(np.int64(7))) is int
    if hasattr(os, "sched_getaffinity"):
        assert resolve_threads(None) == len(os.sched_getaffinity(0))
    assert resolve_threads(None) >= 1


@pytest.mark.parametrize("threads", [0, -1, 1.0, "2", True, np.int64(0)])
def test_threads_that_are_refused(threads):
    with pytest.raises(ConfigError, match="threads must be None or an int >= 1") as caught:
        resolve_threads(threads)
    assert caught.value.argument == "threads"


def test_resolve_threads_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert resolve_threads(None) == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert resolve_threads(None) == 1


# ── bounds ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([], []),
        ([0], [(0, 1)]),
        ([10], [(0, 1)]),
        ([11], [(0, 1)]),
        ([5, 5], [(0, 2)]),
        ([5, 6], [(0, 1), (1, 2)]),
        ([1, 100, 1], [(0, 1), (1, 2), (2, 3)]),
        ([0, 0, 0, 0, 0], [(0, 3), (3, 5)]),
        ([10, 0, 0, 0], [(0, 3), (3, 4)]),
    ],
)
@pytest.mark.parametrize("start", [0, 1000])
def test_bounds(lengths, expected, start):
    offsets = start + np.cumsum([0, *lengths])
    assert block_bounds(offsets, block_bytes=10, block_rows=3) == expected


def test_bounds_of_ten_million_empty_documents():
    bounds = block_bounds(np.zeros(10_000_001, np.int64))
    assert bounds[0] == (0, 1 << 16)
    assert bounds[-1][1] == 10_000_000


hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies


@hypothesis.given(st.lists(st.integers(0, 30), max_size=50), st.integers(1, 40), st.integers(1, 10))
def test_bounds_cover_everything_within_limits(lengths, block_bytes, block_rows):
    offsets = np.cumsum([0, *lengths])
    bounds = block_bounds(offsets, block_bytes, block_rows)
    assert [row for first, stop in bounds for row in range(first, stop)] == list(range(len(lengths)))
    for first, stop in bounds:
        assert 0 < stop - first <= block_rows
        assert stop - first == 1 or sum(lengths[first:stop]) <= block_bytes


# ── scratch, appender ───────────────────────────────────────────────────────────────────────────
def test_scratch_reuses_and_grows():
    scratch = Scratch()
    first = scratch.take("a", 100, np.int64)
    assert (first.shape, first.dtype) == ((100,), np.int64)
    assert first.flags.c_contiguous
    assert first.flags.writeable
    assert scratch.take("a", 80, np.int64).ctypes.data == first.ctypes.data
    assert not np.shares_memory(first, scratch.take("b", 100, np.int64))
    grown = scratch.take("a", 101, np.int64)
    assert grown.shape == (101,)
    assert scratch.take("a", 150, np.int64).ctypes.data == grown.ctypes.data, "grows by half at least"
    assert scratch.take("a", 10, np.uint8).dtype == np.uint8
    assert scratch.take("c", 0, np.uint8).shape == (0,)


def test_appender_that_fits_exactly_does_not_copy():
    appender = Appender(np.int32, 6)
    inside = appender._array
    appender.append(np.arange(4))
    appender.append(np.arange(2))
    assert len(appender) == 6
    assert appender.finish() is inside
    assert inside.tolist() == [0, 1, 2, 3, 0, 1]
    assert inside.dtype == np.int32


def test_appender_trims_with_a_view_or_a_copy():
    small, large = Appender(np.int64, 100), Appender(np.int64, 100)
    small.append(np.arange(76))
    assert small.finish().base is not None
    large.append(np.arange(75))
    assert large.finish().base is None
    assert large.finish().tolist() == list(range(75))


def test_appender_grows():
    appender = Appender(np.uint8, 0)
    for value in range(100):
        appender.append(np.full(value, value, np.uint8))
    assert appender.finish().tolist() == [value for value in range(100) for _ in range(value)]
    assert Appender(np.uint8, 0).finish().tolist() == []


# ── running ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("n_blocks", [0, 1, 2, 3, 50])
def test_results_come_in_order_on_the_calling_thread(threads, n_blocks):
    results, consumers, workers = [], set(), set()

    def work(block, scratch):
        time.sleep(0.002 * (len(block) % 3))  # later blocks finish earlier
        workers.add(threading.get_ident())
        return list(block)

    def consume(result):
        consumers.add(threading.get_ident())
        results.append(result)

    blocks = [[i] * (i % 5) for i in range(n_blocks)]
    run_blocks(iter(blocks), work, consume, threads=threads)
    assert results == blocks
    assert consumers <= {threading.get_ident()}
    assert len(workers) <= threads
    if threads == 1 or n_blocks == 1:
        assert workers <= {threading.get_ident()}, "nothing is gained by a thread for a single block"
    elif n_blocks:
        assert threading.get_ident() not in workers


@pytest.mark.parametrize("threads", THREADS)
def test_scratch_is_recycled_only_after_its_result_was_consumed(threads):
    scratches, results = set(), []

    def work(block, scratch):
        scratches.add(id(scratch))
        view = scratch.take("result", 1000, np.int64)
        view[:] = block[0]
        return view

    def consume(view):
        time.sleep(0.001)  # others would overwrite it meanwhile
        results.append(sorted(set(view.tolist())))

    run_blocks(([i] for i in range(40)), work, consume, threads=threads)
    assert results == [[i] for i in range(40)]
    assert len(scratches) <= threads + 2


@pytest.mark.parametrize("threads", THREADS)
def test_few_blocks_are_in_flight(threads):
    drawn = consumed = worst = 0

    def blocks():
        nonlocal drawn, worst
        for i in range(60):
            drawn += 1
            worst = max(worst, drawn - consumed)
            yield [i]

    def consume(result):
        nonlocal consumed
        consumed += 1

    run_blocks(blocks(), lambda block, scratch: time.sleep(0.0005), consume, threads=threads)
    assert worst <= threads + 3


@pytest.mark.parametrize("threads", THREADS)
def test_the_first_exception_in_block_order_is_raised(threads):
    results, closed = [], []

    def blocks():
        try:
            for i in range(1000):
                yield [i]
        finally:
            closed.append(True)

    def work(block, scratch):
        if block[0] == 5:
            time.sleep(0.02)  # the error of block 6 is there first
            raise ValueError("five")
        if block[0] == 6:
            raise ValueError("six")
        return block[0]

    with pytest.raises(ValueError, match="five"):
        run_blocks(blocks(), work, results.append, threads=threads)
    assert results == [0, 1, 2, 3, 4]
    assert closed == [True]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("txtfp_np")]


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("good", [0, 1, 2, 6])
def test_an_error_of_the_source_comes_after_the_blocks_before_it(threads, good):
    results = []

    def blocks():
        for i in range(good):
            yield [i]
        raise ValueError("source")

    def work(block, scratch):
        time.sleep(0.002)
        return block[0]

    with pytest.raises(ValueError, match="source"):
        run_blocks(blocks(), work, results.append, threads=threads)
    assert results == list(range(good))

    def fails_late(block, scratch):
        time.sleep(0.002)
        raise KeyError("work")

    if good:
        with pytest.raises(KeyError, match="work"):
            run_blocks(blocks(), fails_late, results.append, threads=threads)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_of_the_consumer_stops_everything(threads, error):
    worked = []

    def work(block, scratch):
        worked.append(block[0])
        time.sleep(0.001)
        return block[0]

    def consume(result):
        if result == 3:
            raise error

    with pytest.raises(error):
        run_blocks(([i] for i in range(1000)), work, consume, threads=threads)
    assert max(worked) < 20
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("txtfp_np")]


def test_an_interrupted_source_does_not_work_off_the_rest():
    results = []

    def blocks():
        yield from ([i] for i in range(3))
        raise KeyboardInterrupt

    def work(block, scratch):
        time.sleep(0.02)
        return block[0]

    with pytest.raises(KeyboardInterrupt):
        run_blocks(blocks(), work, results.append, threads=2)
    assert results == []


# ── progress ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("threads", THREADS)
def test_progress_is_told_in_documents(threads):
    told = []
    run_blocks(
        [[1, 2], [3], [4, 5, 6]],
        lambda block, scratch: block,
        lambda result: None,
        threads=threads,
        progress=lambda done, total: told.append((done, total)),
        total=6,
    )
    assert told == [(2, 6), (3, 6), (6, 6)]


def test_progress_line(capsys):
    def run(**options):
        run_blocks([[0]] * 2000, lambda block, scratch: None, lambda result: None, threads=1, **options)
        return capsys.readouterr()

    quiet = run()
    assert (quiet.out, quiet.err) == ("", "")
    shown = run(progress=True, total=2000)
    assert shown.out == ""
    assert shown.err.endswith("\n")
    assert "2,000 of 2,000 (100%) documents" in shown.err
    assert shown.err.count("\r") < 10, "a few updates a second, not one a block"
    assert "2,000 documents" in run(progress=True).err


def test_progress_must_be_a_bool_or_a_callable():
    with pytest.raises(ConfigError, match="progress must be a bool or a callable, got str"):
        run_blocks([], lambda block, scratch: None, print, threads=1, progress="yes")
