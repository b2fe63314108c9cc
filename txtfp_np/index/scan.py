"""Fingerprints compared one by one with all others, and the door through which fingerprints come in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import Appender, Scratch, resolve_threads, run_blocks
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError
from ..options import check_count
from .codes import scan_codes
from .segments import Hits, Words, cut

_WIDTHS = (32, 64, 128)
_MOST_BITS = (1 << 16) - 64  # distances are 16-bit
_COMPARISONS_A_BLOCK = 1 << 24  # some ms
_LEAST_PROBES = 16  # the kernel reads memory once for so many


def check_width(bits: object) -> int:
    """``bits`` if fingerprints of an index can be so wide."""
    if isinstance(bits, (int, np.integer)) and bits in _WIDTHS:
        return int(bits)
    raise ConfigError(
        f"bits must be one of {', '.join(map(str, _WIDTHS))}, got {bits!r}",
        argument="bits",
        advice="hamming_scan takes any multiple of 64. For embeddings there is EmbeddingIndex(search='codes').",
    )


def check_scan_width(bits: object) -> int:
    """``bits`` if fingerprints that are scanned can be so wide."""
    if isinstance(bits, (int, np.integer)) and bits > 128 and bits % 64 == 0 and bits <= _MOST_BITS:
        return int(bits)
    if isinstance(bits, (int, np.integer)) and bits in _WIDTHS:
        return int(bits)
    raise ConfigError(f"bits must be 32 or a multiple of 64 up to {_MOST_BITS}, got {bits!r}", argument="bits")


def as_words(argument: str, fingerprints: ArrayLike, bits: int) -> Words:
    """Fingerprints as ``uint64[n, words]``, contiguous; a single one makes a column of one.

    Examples
    --------
    >>> as_words("fingerprints", [1, 2**64 - 1], 64)
    array([[                   1],
           [18446744073709551615]], dtype=uint64)
    """
    n_words = max(1, bits // 64)
    axes = 2 if n_words > 1 else 1
    array = _as_unsigned(argument, fingerprints, bits, n_words)
    if array.ndim == axes - 1:
        array = array[None]
    if array.ndim != axes or (n_words > 1 and array.shape[1] != n_words):
        wanted = f"(n, {n_words})" if n_words > 1 else "(n,)"
        width = 8 * array.itemsize * array.shape[1] if array.ndim == 2 else 0
        advice = None
        if array.dtype == np.uint8 and width == bits:
            words = f".view(np.uint{min(bits, 64)})" + (".ravel()" if n_words == 1 else "")
            advice = f"{words} makes words of codes in bytes."
        elif width != bits and (width == 32 or (width and width % 64 == 0)):
            advice = f"If these are codes of {width} bits, give bits={width}."
        raise InvalidInputError(
            f"{argument} must have shape {wanted}, got {array.shape}", argument=argument, advice=advice
        )
    return read_only(np.ascontiguousarray(array, np.uint64).reshape(-1, n_words))


def _as_unsigned(argument: str, fingerprints: ArrayLike, bits: int, n_words: int) -> NDArray[Any]:
    if isinstance(fingerprints, (list, tuple, int)):
        return _from_ints(argument, fingerprints, bits, n_words)
    array: NDArray[Any] = np.asarray(fingerprints)
    if array.dtype.kind != "u" or 8 * array.dtype.itemsize > bits:
        raise InvalidInputError(
            f"{argument} must hold unsigned integers of at most {min(bits, 64)} bits, got dtype {array.dtype}",
            argument=argument,
        )
    return array


def _from_ints(argument: str, fingerprints: Any, bits: int, n_words: int) -> NDArray[np.uint64]:
    """Python's ints; NumPy would make floats of a list that holds small and very large ones."""
    try:
        array: NDArray[Any] = np.array(fingerprints, object)
    except ValueError as error:  # rows of different length
        raise InvalidInputError(f"{argument} must be an array: {error}", argument=argument) from None
    if array.size == 0:
        return np.empty(0 if n_words == 1 else (0, n_words), np.uint64)
    limit = 1 << min(bits, 64)
    for value in array.flat:
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 0 <= value < limit:
            raise InvalidInputError(
                f"{argument} must be ints between 0 and 2**{min(bits, 64)} - 1, got {value!r}", argument=argument
            )
    return array.astype(np.uint64)


def hamming_scan(
    fingerprints: ArrayLike, queries: ArrayLike, max_distance: int, bits: int = 64, threads: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8] | NDArray[np.uint16]]:
    """Everything near each query, by comparing it with every fingerprint.

    Nothing is built, so for few queries it is the fastest way; it is also the way for distances at which
    blocks no longer help. See :class:`~txtfp_np.index.HammingIndex` for many.

    Parameters
    ----------
    fingerprints, queries : uint64 (n,), uint32 (n,), or uint64 (n, bits / 64) above 64 bits
        Codes of embeddings, whose number of bits is a multiple of 64, are that by ``codes.view(np.uint64)``.
    max_distance : int
        Largest number of differing bits, up to ``bits``.
    bits : int
        Width of a fingerprint: 32, or any multiple of 64.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    indptr : int64 (queries + 1,)
        Query ``q`` has the neighbours ``positions[indptr[q]:indptr[q + 1]]``, as in a CSR matrix.
    positions : int64 (m,)
        In ``fingerprints``, ascending for each query.
    distances : uint8 (m,), or uint16 above 128 bits

    Raises
    ------
    InvalidInputError
        If these are not fingerprints of that width.

    Examples
    --------
    >>> codes = np.array([[0, 0, 0], [7, 1, 0]], np.uint64)
    >>> hamming_scan(codes, codes[1], 4, bits=192)
    (array([0, 2]), array([0, 1]), array([4, 0], dtype=uint16))
    >>> hamming_scan(np.array([0, 1, 3, 7], np.uint64), [3], 1)
    (array([0, 3]), array([1, 2, 3]), array([1, 0, 1], dtype=uint8))
    """
    from ..kernels.hamming_scan import scan

    width = check_scan_width(bits)
    limit = check_count("max_distance", max_distance, 0, width)
    words, probes = as_words("fingerprints", fingerprints, width), as_words("queries", queries, width)
    n_threads = resolve_threads(threads)
    if width > 128:
        found = scan_codes(words, probes, limit, n_threads)
        return np.concatenate([[0], np.cumsum(found.counts)]), found.positions, found.distances
    low = read_only(np.ascontiguousarray(words[:, 0]))
    high = read_only(np.ascontiguousarray(words[:, 1]) if width > 64 else np.empty(0, np.uint64))
    counts = Appender(np.int64, len(probes) + 1)
    positions, distances = Appender(np.int64, len(probes)), Appender(np.uint8, len(probes))
    counts.append(np.zeros(1, np.int64))

    def work(block: Words, scratch: Scratch) -> Hits:
        found = np.zeros(len(block), np.int64)
        state = np.zeros(2, np.int64)
        room = 1 << 12
        where, how_far = scratch.take("positions", room, np.int64), scratch.take("distances", room, np.uint8)
        while True:
            scan(low, high, block, limit, state, where, how_far, found)
            if state[0] == len(block):
                return Hits(found, where[: state[1]], how_far[: state[1]])
            room *= 4
            larger = np.empty(room, np.int64), np.empty(room, np.uint8)
            larger[0][: state[1]], larger[1][: state[1]] = where[: state[1]], how_far[: state[1]]
            where, how_far = larger

    def consume(hits: Hits) -> None:
        counts.append(hits.counts)
        positions.append(hits.positions)
        distances.append(hits.distances)

    size = max(_LEAST_PROBES, _COMPARISONS_A_BLOCK // max(len(low), 1))
    run_blocks(cut(probes, size), work, consume, threads=n_threads)
    return np.cumsum(counts.values()), positions.finish(), distances.finish()
