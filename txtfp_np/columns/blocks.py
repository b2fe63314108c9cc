"""The one scheduler: cuts a column into blocks, works them off on threads, hands results back in order.

A block is small enough (about 1 MB of text) to stay in a core's L2 cache through all its stages and
large enough (milliseconds of kernel time) to make the cost of a thread switch disappear. Results
never depend on block size or number of threads: they are consumed in block order, on the calling
thread.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError
from .buffers import Scratch

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

BLOCK_BYTES = 1 << 20
BLOCK_ROWS = 1 << 16

Block = TypeVar("Block", bound=Sized)
Result = TypeVar("Result")
Progress: TypeAlias = bool | Callable[[int, int | None], object]


def resolve_threads(threads: int | None) -> int:
    """Number of worker threads for the ``threads`` argument of a public function.

    Parameters
    ----------
    threads : int or None
        None means every core this process may use.

    Returns
    -------
    int

    Raises
    ------
    ConfigError
        If it is neither None nor a positive whole number.

    Examples
    --------
    >>> resolve_threads(3)
    3
    """
    if threads is None:
        if hasattr(os, "sched_getaffinity"):  # honours taskset and container limits; Linux only
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ConfigError(
            f"threads must be None or an int >= 1, got {threads!r}",
            argument="threads",
            advice="None uses every core this process may use.",
        )
    return int(threads)


def block_bounds(
    offsets: NDArray[np.int64], block_bytes: int = BLOCK_BYTES, block_rows: int = BLOCK_ROWS
) -> list[tuple[int, int]]:
    """Ranges of documents, one a block.

    Parameters
    ----------
    offsets : int64 (n + 1,)
        Nondecreasing; need not start at 0.
    block_bytes : int
        A block holds at most so many bytes, unless it is a single document.
    block_rows : int
        A block holds at most so many documents.

    Returns
    -------
    list of (int, int)
        First document, and the one after the last; together they cover 0..n in order.

    Examples
    --------
    >>> block_bounds(np.array([0, 4, 8, 100, 101]), block_bytes=10)
    [(0, 2), (2, 3), (3, 4)]
    """
    n_docs = len(offsets) - 1
    bounds = []
    first = 0
    while first < n_docs:
        # Greedy, one binary search a block: the last document that still ends within the limit.
        fits = int(offsets.searchsorted(offsets[first] + np.int64(block_bytes), side="right")) - 1
        stop = min(max(fits, first + 1), first + block_rows, n_docs)
        bounds.append((first, stop))
        first = stop
    return bounds


@dataclass(frozen=True, slots=True)
class NumberedBlock(Generic[Block]):
    """A block that knows which document of the column is its first, for errors that name a row."""

    column: Block
    first_row: int

    def __len__(self) -> int:
        return len(self.column)


def numbered(blocks: Iterable[Block]) -> Iterator[NumberedBlock[Block]]:
    """The same blocks, numbered.

    Examples
    --------
    >>> [block.first_row for block in numbered([["a", "b"], ["c"], ["d"]])]
    [0, 2, 3]
    """
    first_row = 0
    for block in blocks:
        yield NumberedBlock(block, first_row)
        first_row += len(block)


class _Reporter:
    """Counts documents, and tells whoever wants to know."""

    __slots__ = ("_begin", "_callback", "_done", "_next", "_shown", "_total")

    def __init__(self, progress: Progress, total: int | None) -> None:
        if not (isinstance(progress, bool) or callable(progress)):
            raise ConfigError(
                f"progress must be a bool or a callable, got {type(progress).__name__}", argument="progress"
            )
        self._total = total
        self._done = 0
        self._begin = time.monotonic()
        self._next = self._begin
        self._shown = False
        self._callback = self._show if progress is True else progress or None

    def add(self, n_docs: int) -> None:
        self._done += n_docs
        if self._callback is not None:
            self._callback(self._done, self._total)

    def close(self) -> None:
        if self._shown:
            self._next = 0.0
            self._show(self._done, self._total)
            sys.stderr.write("\n")
            sys.stderr.flush()

    def _show(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.2
        self._shown = True
        rate = done / max(now - self._begin, 1e-9)
        share = f" of {total:,} ({done / total:.0%})" if total else ""
        sys.stderr.write(f"\r{done:,}{share} documents, {rate:,.0f} a second ")
        sys.stderr.flush()


def run_blocks(
    blocks: Iterable[Block],
    work: Callable[[Block, Scratch], Result],
    consume: Callable[[Result], object],
    *,
    threads: int,
    detached: bool = False,
    progress: Progress = False,
    total: int | None = None,
    give_up: Callable[[], object] | None = None,
) -> None:
    """Apply ``work`` to every block on worker threads and ``consume`` the results in block order.

    Parameters
    ----------
    blocks : iterable
        Of columns; drawn on the calling thread, never more than a few ahead. Closed at the end if
        it can be.
    work : callable
        ``work(block, scratch) -> result``; runs on a worker thread, so it should spend its time in
        kernels, which release the GIL. The result may be made of views into ``scratch``, unless it is
        ``detached``.
    consume : callable
        ``consume(result)``; runs on the calling thread. When it returns, the scratch of that block
        goes to another one: what is to be kept must be copied.
    threads : int
        From :func:`resolve_threads`. With 1 everything runs on the calling thread.
    detached : bool
        Results hold nothing of the scratch. Then every worker keeps its own, which stays in the cache
        of its core, and no worker waits for a result to be consumed.
    progress : bool or callable
        True writes a line to stderr a few times a second; a callable is given the number of
        finished documents and ``total`` after every block.
    total : int, optional
        Number of documents, if it is known.
    give_up : callable, optional
        Called when an exception ends the run, an interrupt too: ``work`` is on its way in other threads,
        which are waited for. If it may be long, this is to end it; what it returns then is not looked at.

    Raises
    ------
    Exception
        What ``blocks``, ``work`` or ``consume`` raised first, in block order: every earlier block
        has been consumed by then, no later one is.

    Examples
    --------
    >>> lengths = []
    >>> run_blocks([["a", "b"], ["c"]], lambda block, scratch: len(block), lengths.append, threads=2)
    >>> lengths
    [2, 1]
    """
    reporter = _Reporter(progress, total)
    try:
        if threads == 1:
            scratch = Scratch()
            for block in blocks:
                consume(work(block, scratch))
                reporter.add(len(block))
        else:
            _run_pooled(blocks, work, consume, threads, detached, reporter, give_up)
    finally:
        reporter.close()
        close = getattr(blocks, "close", None)
        if close is not None:
            close()


def _run_pooled(
    blocks: Iterable[Block],
    work: Callable[[Block, Scratch], Result],
    consume: Callable[[Result], object],
    threads: int,
    detached: bool,
    reporter: _Reporter,
    give_up: Callable[[], object] | None,
) -> None:
    from concurrent.futures import ThreadPoolExecutor  # only now: it takes a while to import

    pending: deque[tuple[Future[Result], Scratch | None, int]] = deque()
    # Two more blocks than workers: one is being consumed, one waits for the next free worker.
    idle: list[Scratch] = []
    most = 4 * threads if detached else threads + 2
    own = threading.local()
    pool: ThreadPoolExecutor | None = None
    alone: Block | None = None  # the first block, as long as no second one has come

    def work_with_own(block: Block) -> Result:
        if not hasattr(own, "scratch"):
            own.scratch = Scratch()
        return work(block, own.scratch)

    def submit(pool: ThreadPoolExecutor, block: Block) -> None:
        while pending and (len(pending) >= most or pending[0][0].done()):
            finish_oldest()
        if detached:
            pending.append((pool.submit(work_with_own, block), None, len(block)))
        else:
            scratch = idle.pop() if idle else Scratch()
            pending.append((pool.submit(work, block, scratch), scratch, len(block)))

    def finish_oldest() -> None:
        future, scratch, n_docs = pending.popleft()
        consume(future.result())
        if scratch is not None:
            idle.append(scratch)
        reporter.add(n_docs)

    stream = iter(blocks)
    failure: Exception | None = None
    try:
        while True:
            try:
                block = next(stream)
            except StopIteration:
                break
            except Exception as error:
                # It belongs behind the blocks in flight: one of them may fail, too, and is earlier.
                failure = error
                break
            if pool is not None:
                submit(pool, block)
            elif alone is None:
                alone = block
            else:
                pool = ThreadPoolExecutor(threads, thread_name_prefix="txtfp_np")
                submit(pool, alone)
                submit(pool, block)
        if pool is None and alone is not None:
            # Starting a thread takes longer than the few documents that most calls are about.
            consume(work(alone, Scratch()))
            reporter.add(len(alone))
        while pending:
            finish_oldest()
    except BaseException:
        if give_up is not None:
            give_up()
        raise
    finally:
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)
    if failure is not None:
        raise failure
