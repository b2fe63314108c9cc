"""Equal documents: equal bytes, or equal sets of shingles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..columns import Appender, Scratch, TextColumn, TextRows, iter_text_blocks, resolve_threads, run_blocks
from ..columns.checks import read_only
from ..index.join import sort_in_place
from ..index.tables import seedless
from ..sketch.base import SketchFingerprinter
from ..sketch.run import SKETCH_BLOCK_BYTES
from ..sketch.stages import BlockStages
from .verify import ShingleSets

Rows = NDArray[np.int64]
Digests = NDArray[np.uint64]


def equal_bytes(column: TextColumn) -> Rows:
    """First document with the same bytes, for every document.

    Examples
    --------
    >>> equal_bytes(TextColumn(["a", "b", "a", "a "]))
    array([0, 1, 0, 3])
    """
    return _first_equal(column.data, column.offsets, 1)


def equal_sets(sets: ShingleSets) -> Rows:
    """First document with the same set, for every document."""
    values, offsets = (read_only(np.ascontiguousarray(part)) for part in sets)
    return _first_equal(read_only(values.view(np.uint8)), offsets, 8)


def equal_vectors(vectors: NDArray[np.float32]) -> Rows:
    """First vector with the same elements, for every vector.

    Examples
    --------
    >>> equal_vectors(np.array([[1, 2], [1, 3], [1, 2]], np.float32))
    array([0, 1, 0])
    """
    plain = read_only(np.ascontiguousarray(vectors) + np.float32(0))  # of -0 and 0 makes 0
    width = 4 * vectors.shape[1]
    offsets = read_only(np.arange(0, width * (len(vectors) + 1), width))
    return _first_equal(read_only(plain.view(np.uint8).reshape(-1)), offsets, 1)


def _first_equal(data: NDArray[np.uint8], offsets: Rows, width: int) -> Rows:
    from ..kernels.copies import first_equal_runs, hash_runs

    keys, out = np.empty(len(offsets) - 1, np.uint64), np.empty(len(offsets) - 1, np.int64)
    hash_runs(data, offsets, width, seedless(), keys)
    order = sort_in_place(keys)
    first_equal_runs(data, offsets, width, read_only(keys), order, out)
    return out


def set_digests(rows: TextRows, fingerprinter: SketchFingerprinter, threads: int | None) -> Digests:
    """XXH3-64 of the sorted distinct shingle hashes of each document; the sets themselves are not kept."""
    from ..kernels.copies import hash_runs
    from ..kernels.sets import distinct_sets

    digests = Appender(np.uint64, len(rows))

    def work(block: TextColumn, scratch: Scratch) -> Digests:
        stages = BlockStages(block, scratch)
        hashes = stages.hashes(fingerprinter.canonicalizer, fingerprinter.tokenizer, fingerprinter._hashers[0])
        out = scratch.take("sets", len(hashes.low), np.uint64)
        offsets = np.empty(len(hashes.offsets), np.int64)
        distinct_sets(hashes.low, hashes.offsets, out, offsets)
        keys = np.empty(len(block), np.uint64)
        hash_runs(read_only(out.view(np.uint8)), read_only(offsets), 8, seedless(), keys)
        return keys

    n_threads = resolve_threads(threads) if fingerprinter._threadable else 1
    blocks = iter_text_blocks(rows, block_bytes=SKETCH_BLOCK_BYTES)
    run_blocks(blocks, work, digests.append, threads=n_threads, detached=True)
    return digests.values()


def refine(first: Rows, rows: TextRows, fingerprinter: SketchFingerprinter, threads: int | None) -> Rows:
    """Split groups of equal signatures into groups of equal sets.

    Parameters
    ----------
    first : int64 (n,)
        Position of the first document with the same signature.
    rows : TextRows
        The ``n`` documents.
    fingerprinter, threads
        As in :func:`set_digests`.

    Returns
    -------
    int64 (n,)
        Position of the first document with the same set.
    """
    in_groups = np.zeros(len(first), np.bool_)
    copies = np.flatnonzero(first != np.arange(len(first)))
    in_groups[copies] = in_groups[first[copies]] = True
    members = np.flatnonzero(in_groups)
    digests = set_digests(TextRows(rows.column, rows.rows[members]), fingerprinter, threads)
    order = np.lexsort((members, digests, first[members]))
    groups, keys = first[members][order], digests[order]
    begins = np.ones(len(members), np.bool_)
    begins[1:] = (groups[1:] != groups[:-1]) | (keys[1:] != keys[:-1])
    refined = np.arange(len(first))
    if len(members):
        ordered = members[order]
        refined[ordered] = ordered[begins][np.cumsum(begins) - 1]
    return refined
