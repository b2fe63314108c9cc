"""The text hash of the first generation of seomoz/simhash, for users of its fingerprints."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..columns import (
    Appender,
    Document,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    document_bytes,
    is_single,
    iter_text_blocks,
    known_length,
    resolve_threads,
    run_blocks,
)
from ..columns.checks import read_only


@overload
def seomoz_simhash(
    texts: Document, *, errors: str = ..., threads: int | None = ..., progress: Progress = ...
) -> np.uint64: ...
@overload
def seomoz_simhash(
    texts: Texts, *, errors: str = ..., threads: int | None = ..., progress: Progress = ...
) -> NDArray[np.uint64]: ...
def seomoz_simhash(
    texts: Document | Texts, *, errors: str = "strict", threads: int | None = None, progress: Progress = False
) -> Any:
    """Fingerprints as seomoz/simhash made them from text until mid 2016.

    Parameters
    ----------
    texts : str, bytes or a column of them
    errors : {"strict", "replace"}
        What to do about bytes that are not UTF-8.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.
    progress : bool or callable
        As for the fingerprinters.

    Returns
    -------
    np.uint64, or uint64 (n,) for a column
        0 for a document without ASCII letters.

    Notes
    -----
    Tokens are maximal runs of ASCII letters, case kept. Each is hashed by Jenkins' lookup3
    (``hashlittle2``, seeds 0) and enters a cyclic hash over a window of three tokens; every state of
    that hash, the first two partial ones too, votes on the bits. A bit is set by more than half of
    the votes, rounded down, and bits are stored in reverse order.

    The second generation has no text hash; its ``compute`` over one's own hashes is
    ``SimHashFingerprinter(tie="zero")``.

    Examples
    --------
    >>> seomoz_simhash("hello world")
    np.uint64(1891547140177887264)
    >>> seomoz_simhash(["hello", "123"])
    array([11451844862936994604,                    0], dtype=uint64)
    """
    if is_single(texts):
        data = np.frombuffer(document_bytes(texts, errors), np.uint8)  # type: ignore[arg-type]
        column = TextColumn._trusted(data, np.array([0, len(data)], np.int64))
        return _hash_block(column, Scratch())[0]
    total = known_length(texts)
    out = Appender(np.uint64, total or 0)
    run_blocks(
        iter_text_blocks(texts, errors=errors),
        _hash_block,
        out.append,
        threads=resolve_threads(threads),
        progress=progress,
        total=total,
    )
    return out.finish()


def _hash_block(block: TextColumn, scratch: Scratch) -> NDArray[np.uint64]:
    from ..kernels.seomoz import seomoz_rows

    out = np.asarray(scratch.take("fingerprints", len(block), np.uint64))
    seomoz_rows(read_only(block.data), read_only(block.offsets), out)
    return out
