"""Exact similarity of documents: of their sets of shingle hashes, not of sketches of these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Appender, Progress, Scratch, TextColumn, Texts, iter_text_blocks, resolve_threads, run_blocks
from ..columns.checks import read_only
from ..errors import ConfigError
from ..sketch.base import SketchFingerprinter
from ..sketch.run import SKETCH_BLOCK_BYTES
from ..sketch.stages import BlockStages

Rows = NDArray[np.int64]
SCOPES = ("resemblance", "containment")
_PAIRS_A_BLOCK = 1 << 13


class ShingleSets(NamedTuple):
    """Sets of 64-bit hashes; that of document ``d`` is ``values[offsets[d]:offsets[d + 1]]``, ascending."""

    values: NDArray[np.uint64]
    offsets: NDArray[np.int64]

    @property
    def sizes(self) -> Rows:
        """Number of distinct shingles of each document."""
        return np.diff(self.offsets)


def shingle_sets(
    texts: Texts,
    fingerprinter: SketchFingerprinter,
    threads: int | None = None,
    *,
    errors: str = "strict",
    progress: Progress = False,
) -> ShingleSets:
    """Distinct shingles of every document, as the fingerprinter sees them.

    Parameters
    ----------
    texts : Texts
        Documents.
    fingerprinter : MinHashFingerprinter or SimHashFingerprinter
        Canonicalises, tokenises and hashes.
    threads : int, optional
        None: every core this process may use.
    errors : {"strict", "replace"}
        About bytes that are not UTF-8.
    progress : bool or callable
        As everywhere.

    Returns
    -------
    ShingleSets
        The low 64 bits of the hashes: two shingles of a pair of documents of a million shingles each are
        confused with probability 5e-8.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2))
    >>> shingle_sets(["to be or not to be", "To Be", ""], fp).offsets
    array([0, 4, 5, 5])
    """
    from ..kernels.sets import distinct_sets

    n_threads = resolve_threads(threads) if fingerprinter._threadable else 1
    values, sizes = Appender(np.uint64, 0), Appender(np.int64, 0)

    def work(block: TextColumn, scratch: Scratch) -> tuple[NDArray[np.uint64], Rows]:
        stages = BlockStages(block, scratch)
        hashes = stages.hashes(fingerprinter.canonicalizer, fingerprinter.tokenizer, fingerprinter._hashers[0])
        out = scratch.take("sets", len(hashes.low), np.uint64)
        offsets = np.empty(len(hashes.offsets), np.int64)
        distinct_sets(hashes.low, hashes.offsets, out, offsets)
        return out[: offsets[-1]].copy(), np.diff(offsets)

    def consume(part: tuple[NDArray[np.uint64], Rows]) -> None:
        values.append(part[0])
        sizes.append(part[1])

    blocks = iter_text_blocks(texts, errors=errors, block_bytes=SKETCH_BLOCK_BYTES)
    run_blocks(blocks, work, consume, threads=n_threads, detached=True, progress=progress)
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes.values(), out=offsets[1:])
    return ShingleSets(read_only(values.finish()), read_only(offsets))


def set_similarity(
    sets: ShingleSets, i: Rows, j: Rows, scope: str = "resemblance", threads: int | None = 1
) -> NDArray[np.float32]:
    """Exact similarity of pairs.

    Parameters
    ----------
    sets : ShingleSets
        From :func:`shingle_sets`.
    i, j : int64 (m,)
        Pairs of documents.
    scope : {"resemblance", "containment"}
        Shared shingles over those of both together, or over those of the smaller one.
    threads : int, optional
        None: every core this process may use.

    Returns
    -------
    float32 (m,)
        0 where a document has no shingles.

    Examples
    --------
    >>> sets = ShingleSets(np.array([1, 2, 3, 2, 3], np.uint64), np.array([0, 3, 5]))
    >>> set_similarity(sets, np.array([0]), np.array([1]))
    array([0.6666667], dtype=float32)
    >>> set_similarity(sets, np.array([0]), np.array([1]), "containment")
    array([1.], dtype=float32)
    """
    return set_shares(sets, i, j, scope, threads).astype(np.float32)


def set_shares(
    sets: ShingleSets, i: Rows, j: Rows, scope: str = "resemblance", threads: int | None = 1
) -> NDArray[np.float64]:
    """As :func:`set_similarity`, in double precision: the nearest number to the fraction.

    So 7 of 10 compares equal to a threshold of 0.7, which is the nearest number to it, too.
    """
    from ..kernels.sets import common_pairs

    check_scope(scope)
    values, offsets = (read_only(np.ascontiguousarray(part)) for part in sets)
    i, j = (read_only(np.ascontiguousarray(rows, np.int64)) for rows in (i, j))
    common = np.empty(len(i), np.int64)

    def work(block: range, scratch: Scratch) -> None:
        part = slice(block.start, block.stop)
        common_pairs(values, offsets, i[part], j[part], common[part])

    blocks = (range(begin, min(begin + _PAIRS_A_BLOCK, len(i))) for begin in range(0, len(i), _PAIRS_A_BLOCK))
    run_blocks(blocks, work, lambda _: None, threads=resolve_threads(threads))
    sizes = np.diff(offsets)
    whole = np.minimum(sizes[i], sizes[j]) if scope == "containment" else sizes[i] + sizes[j] - common
    shares: NDArray[np.float64] = common / np.maximum(whole, 1)
    return shares


def check_scope(scope: object) -> None:
    """Refuse any scope but the two there are."""
    if not isinstance(scope, str) or scope not in SCOPES:
        raise ConfigError(f"scope must be 'resemblance' or 'containment', got {scope!r}", argument="scope")
