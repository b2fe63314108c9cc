"""Passages that two texts share, found by winnowing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Document, Scratch, TextColumn, document_bytes
from ..columns.checks import read_only
from ..errors import ConfigError
from ..options import check_count
from .stages import BlockStages
from .winnowing import Grams, WinnowFingerprinter

PASSAGE = np.dtype([("a_start", "<i8"), ("a_end", "<i8"), ("b_start", "<i8"), ("b_end", "<i8"), ("tokens", "<i8")])
_MOST_REPEATS = 64  # a k-gram that comes so often in both texts is a refrain, and its pairs are too many


def winnow_match(
    a: Document,
    b: Document,
    *,
    fingerprinter: WinnowFingerprinter | None = None,
    gap: int = 12,
    least: int = 12,
    errors: str = "strict",
) -> NDArray[np.void]:
    r"""Passages that two texts share.

    Parameters
    ----------
    a, b : str or bytes
        Texts, short or long: a sentence is found inside a book.
    fingerprinter : WinnowFingerprinter, optional
        How texts are canonicalised, cut into tokens and winnowed; the default of its class if not given.
    gap : int
        Tokens that may differ between two parts of one passage, in either text.
    least : int
        Shared tokens that a passage must have.
    errors : {"strict", "replace"}
        Whether bad UTF-8 is an error or becomes U+FFFD.

    Returns
    -------
    structured array
        One record a passage, in the order of ``a``: it is ``a[a_start:a_end]`` and ``b[b_start:b_end]`` (positions in
        code points, of the texts as given), and ``tokens`` of those in ``a`` are shared. Empty if there is none, or a
        text has no token.

    Raises
    ------
    InvalidInputError
        If something is not text.

    Notes
    -----
    Equal fingerprints are seeds; each is extended over equal tokens to both sides, and runs that lie close to each
    other in both texts are joined. A run of ``window + k - 1`` equal tokens is never missed, unless all its k-grams
    come more than 64 times in either text.

    Examples
    --------
    >>> a = "An opening. It was the best of times,\nit was the worst of times, it was the age of wisdom. Bye."
    >>> b = "Dickens wrote: It was the best of times, it was the worst of times - it was the age of wisdom, and so on."
    >>> for passage in winnow_match(a, b):
    ...     print(repr(b[passage["b_start"] : passage["b_end"]]), passage["tokens"])
    'It was the best of times, it was the worst of times - it was the age of wisdom' 18
    """
    chosen = WinnowFingerprinter() if fingerprinter is None else fingerprinter
    if not isinstance(chosen, WinnowFingerprinter):
        raise ConfigError(
            f"fingerprinter must be a WinnowFingerprinter, got {type(chosen).__name__}", argument="fingerprinter"
        )
    gap, least = check_count("gap", gap), check_count("least", least)
    one, other = _Side(chosen, a, errors), _Side(chosen, b, errors)
    found = _passages(one, other, chosen.k, gap, least)
    out = np.empty(len(found), PASSAGE)
    out["a_start"], out["a_end"] = one.trace(found[:, 0], found[:, 1])
    out["b_start"], out["b_end"] = other.trace(found[:, 2], found[:, 3])
    out["tokens"] = found[:, 4]
    return out


class _Side:
    """One of the two texts."""

    def __init__(self, fingerprinter: WinnowFingerprinter, text: Document, errors: str) -> None:
        data = np.frombuffer(document_bytes(text, errors), np.uint8)
        column = TextColumn._trusted(data, np.array([0, len(data)], np.int64))
        self.fingerprinter = fingerprinter
        self.stages = BlockStages(column, Scratch())
        self.grams: Grams = fingerprinter._grams(self.stages)

    @property
    def tokens(self) -> NDArray[np.uint64]:
        return self.grams.tokens.low

    def trace(self, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[Any, Any]:
        """Where runs of tokens lie in the text as given; in any order."""
        if not len(begins):
            return begins, ends
        order = np.argsort(begins), np.argsort(ends)
        offsets = np.array([0, len(begins)], np.int64)
        trace = self.fingerprinter._trace_tokens
        sorted_begins, sorted_lasts = begins[order[0]], ends[order[1]] - 1
        positions, stops = trace(self.stages, self.grams.spans, sorted_begins, sorted_lasts, offsets)
        found = np.empty_like(begins), np.empty_like(ends)
        found[0][order[0]], found[1][order[1]] = positions, stops
        return found


class _Seeds(NamedTuple):
    """Tokens at which equal k-grams begin."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]


def _passages(a: _Side, b: _Side, k: int, gap: int, least: int) -> NDArray[np.int64]:
    from ..kernels.winnowing import extend_seeds, join_runs

    seeds = _seeds(a.grams, b.grams)
    runs = np.empty((len(seeds.i), 3), np.int64)
    runs = runs[: extend_seeds(a.tokens, b.tokens, seeds.i, seeds.j, k, runs)]
    runs = read_only(runs[np.lexsort((runs[:, 1], runs[:, 0]))])
    passages = np.empty((len(runs), 5), np.int64)
    passages = passages[: join_runs(runs, gap, passages)]
    return passages[passages[:, 4] >= least]


def _seeds(a: Grams, b: Grams) -> _Seeds:
    """All pairs of k-grams with one hash, by diagonal and then by place."""
    order = np.argsort(b.values, kind="stable")
    ordered = b.values[order]
    first, last = (np.searchsorted(ordered, a.values, side) for side in ("left", "right"))
    counts = last - first
    counts[counts > _MOST_REPEATS] = 0
    _, number, times = np.unique(a.values, return_inverse=True, return_counts=True)
    counts[times[number] > _MOST_REPEATS] = 0
    i = np.repeat(a.picks, counts)
    within = np.arange(len(i)) - np.repeat(np.cumsum(counts) - counts, counts)
    j = b.picks[order[np.repeat(first, counts) + within]]
    by_diagonal = np.lexsort((i, i - j))
    return _Seeds(read_only(i[by_diagonal]), read_only(j[by_diagonal]))
