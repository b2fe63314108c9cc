"""Passages that two texts share, found by winnowing."""

from __future__ import annotations

from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Document, Scratch, TextColumn, document_bytes
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError, TxtfpError
from ..options import check_count
from .stages import BlockStages
from .winnowing import Grams, WinnowFingerprinter

PASSAGE = np.dtype([("a_start", "<i8"), ("a_end", "<i8"), ("b_start", "<i8"), ("b_end", "<i8"), ("tokens", "<i8")])
_MOST_PAIRS = 1024  # of a k-gram that both texts have: how often it comes in one times how often in the other
_PAIRS = 1 << 18  # of all such k-grams together, and one more for every fingerprint
# Joining what joining brought together: each sweep sees what lies ahead of it, so they take turns, forward and backward
# in either text, as columns of boxes and their sign. Two are the rule, twenty the most seen; in one direction only,
# refrains take a sweep a step.
_TURNS = ([0, 1, 2, 3], 1), ([1, 0, 3, 2], -1), ([2, 3, 0, 1], 1), ([3, 2, 1, 0], -1)
_MOST_SWEEPS, _FREE_BOXES = 64, 1 << 22  # of all boxes, and boxes that are no matter: a second at the most


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
        code points, of the texts as given), and ``tokens`` of either are shared. Empty if there is none, or a text has
        no token.

    Raises
    ------
    InvalidInputError
        If something is not text.

    Notes
    -----
    Equal fingerprints are seeds; each is extended over equal tokens to both sides (their text is compared, not their
    hashes), and what lies close together in both texts is joined. What holds:

    - Two equal texts of ``least`` tokens or more are one passage, the whole of them.
    - A run of ``window + k - 1`` equal tokens or more is never missed, wherever it comes and however often, as long as
      the k-grams that it shares are not refrains: 1,024 pairs are looked at of a k-gram (32 times in both texts, or
      once and 1,024 times), and 2**18 and one for each fingerprint of all together, the rarest k-grams first.
    - Of refrains every place in either text that has a partner in the other is in a passage with one of them, chosen
      from 16 by how far the texts go on alike: not all places with all others. ``least`` is asked of that passage. What
      a text may cost here is 256 comparisons a token; beyond that (``k`` of thousands, and runs hardly longer) seeds
      that overlap with what was looked at are passed by.
    - The texts may change places: the passages are the same.
    - Time and memory are about linear in the length of the texts, whatever they are.

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
    one, other = _Side(chosen, "a", a, errors), _Side(chosen, "b", b, errors)
    found = _passages(one, other, chosen.k, gap, least)
    out = np.empty(len(found), PASSAGE)
    out["a_start"], out["a_end"] = one.trace(found[:, 0], found[:, 1])
    out["b_start"], out["b_end"] = other.trace(found[:, 2], found[:, 3])
    out["tokens"] = found[:, 4]
    return out


class _Side:
    """One of the two texts."""

    def __init__(self, fingerprinter: WinnowFingerprinter, name: str, text: Document, errors: str) -> None:
        try:
            data = np.frombuffer(document_bytes(text, errors), np.uint8)
        except InvalidInputError as error:
            error.argument = name
            raise
        column = TextColumn._trusted(data, np.array([0, len(data)], np.int64))
        self.fingerprinter = fingerprinter
        self.stages = BlockStages(column, Scratch())
        try:
            self.grams: Grams = fingerprinter._grams(self.stages)
        except TxtfpError as error:  # a user's hasher
            error.row = None
            raise

        spans, hashes = self.grams.spans, self.grams.tokens.low
        parts = hashes, spans.starts[: len(hashes)], spans.ends[: len(hashes)], spans.data[spans.base :]
        self.text = tuple(read_only(part) for part in parts)

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
    """k-grams of one text that the other has as well; rows as ``kernels/passages.py`` has them."""

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    pairs: NDArray[np.int64]  # of each row's k-gram, all in all


def _passages(a: _Side, b: _Side, k: int, gap: int, least: int) -> NDArray[np.int64]:
    """Begin and end in both texts, and the tokens that are shared; in the order of the first text."""
    runs = _runs(a, b, k)
    boxes, numbers = _joined(runs, min(gap, len(a.text[0]) + len(b.text[0])))  # no wider: sums must fit in 64 bits
    shared = np.minimum(*(_covered(runs[:, side], runs[:, 2], numbers, len(boxes)) for side in (0, 1)))
    enough = shared >= least
    found = np.column_stack((boxes, shared))[enough]
    return found[np.lexsort((found[:, 2], found[:, 0]))]


def _runs(a: _Side, b: _Side, k: int) -> NDArray[np.int64]:
    """Runs of equal tokens: begin in either text, and length."""
    from ..kernels.passages import extend_refrains, extend_seeds

    seeds = _seeds(a.grams, b.grams)
    most = _most_pairs(seeds, len(a.grams.values) + len(b.grams.values))
    few = seeds.pairs <= most
    runs = [extend_seeds(a.text, b.text, read_only(seeds.rows[few]), seeds.places, k)]
    sides: tuple[tuple[_Side, _Side, _Seeds | None], ...] = (a, b, seeds), (b, a, None)
    for side, (one, other, known) in enumerate(sides if not few.all() else ()):
        its = _seeds(one.grams, other.grams) if known is None else known
        reach = np.zeros(len(one.text[0]) + 1, np.int64)
        np.maximum.at(reach, runs[0][:, side], runs[0][:, side] + runs[0][:, 2])
        reach = np.maximum.accumulate(reach)
        rows = read_only(its.rows[its.pairs > most])
        found = extend_refrains(one.text, other.text, rows, its.places, k, read_only(reach))
        runs.append(found if side == 0 else found[:, [1, 0, 2]])
    return np.concatenate(runs)


def _seeds(a: Grams, b: Grams) -> _Seeds:
    ordered = np.argsort(b.values, kind="stable")
    distinct, number, times = np.unique(a.values, return_inverse=True, return_counts=True)
    first, last = (np.searchsorted(b.values[ordered], distinct, side) for side in ("left", "right"))
    mine = np.argsort(number, kind="stable")
    ranks = np.empty(len(mine), np.int64)
    ranks[mine] = np.arange(len(mine)) - np.repeat(np.cumsum(times) - times, times)
    rows = np.column_stack((a.picks, first[number], (last - first)[number], ranks, times[number]))
    rows = rows[rows[:, 2] > 0]
    return _Seeds(rows, read_only(b.picks[ordered]), rows[:, 2] * rows[:, 4])


def _most_pairs(seeds: _Seeds, n_fingerprints: int) -> int:
    """Pairs that a k-gram may have if all of its pairs are to be looked at; the same from both sides."""
    few = seeds.pairs <= _MOST_PAIRS
    up_to = np.cumsum(np.bincount(seeds.pairs[few], seeds.rows[few, 2], _MOST_PAIRS + 1))
    return int(np.searchsorted(up_to, _PAIRS + n_fingerprints, "right")) - 1


def _joined(runs: NDArray[np.int64], gap: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Boxes around runs that are close together in both texts, and which of them each run is in."""
    from ..kernels.passages import join_boxes

    begins, others, lengths = runs.T
    boxes = np.column_stack((begins, begins + lengths, others, others + lengths))
    numbers = np.arange(len(runs))
    patience = _MOST_SWEEPS * len(boxes) + _FREE_BOXES
    for columns, sign in cycle(_TURNS):
        turned = sign * boxes[:, columns]
        order = np.lexsort((turned[:, 2], turned[:, 0]))
        joined, parts = np.empty((len(boxes), 4), np.int64), np.empty(len(boxes), np.int64)
        n = join_boxes(read_only(np.ascontiguousarray(turned[order])), gap, joined, parts)
        into = np.empty(len(boxes), np.int64)
        into[order] = parts
        numbers = into[numbers]
        patience -= len(boxes)
        is_done = n == len(boxes) or patience < 0
        boxes = sign * joined[:n, columns]  # each turn undoes itself
        if is_done:
            break
    return boxes, numbers


def _covered(
    begins: NDArray[np.int64], lengths: NDArray[np.int64], numbers: NDArray[np.int64], n: int
) -> NDArray[np.int64]:
    """Tokens of each of ``n`` passages that are in its runs, each counted once."""
    base = numbers * (int((begins + lengths).max(initial=0)) + 1)  # one passage behind the other
    order = np.argsort(base + begins, kind="stable")
    starts = (base + begins)[order]
    stops = np.maximum.accumulate(starts + lengths[order])
    before = np.concatenate(([0], stops[:-1]))
    new = np.maximum(stops - np.maximum(starts, before), 0)
    return np.bincount(numbers[order], new, n).astype(np.int64)
