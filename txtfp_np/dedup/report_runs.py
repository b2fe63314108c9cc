"""Differences cut to what a page has room for: every change, and a little of what stands around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

BOTH, ONLY_A, ONLY_B, GAP_BOTH, GAP_A, GAP_B, REST = range(7)
"""Kinds of runs in a page. Gaps and the rest carry a number of characters in place of a text."""

_KINDS = {"both": (BOTH, GAP_BOTH), "a": (ONLY_A, GAP_A), "b": (ONLY_B, GAP_B)}
_CONTEXT = 120  # characters that are shown beside a change
_LONG = 900  # characters that are shown of one change
_WORD = 24  # so far a cut is moved to the next space

ShownRun: TypeAlias = tuple[int, str] | tuple[int, int]


def shorten(runs: Iterable[Any], max_characters: int) -> list[ShownRun]:
    """Runs with long shared and long differing stretches replaced by their lengths.

    Parameters
    ----------
    runs : iterable of Run
        From :func:`~txtfp_np.dedup.explain.explain_texts`.
    max_characters : int
        Of text to be shown in all; what is beyond is counted.

    Returns
    -------
    list of (kind, text) or (kind, number of characters)

    Examples
    --------
    >>> from collections import namedtuple
    >>> run = namedtuple("run", "kind text")
    >>> shorten([run("both", "one "), run("a", "small"), run("b", "giant"), run("both", " step " * 50)], 1000)[:3]
    [(0, 'one '), (1, 'small'), (2, 'giant')]
    """
    shown: list[ShownRun] = []
    given = list(runs)
    room = max_characters
    for number, run in enumerate(given):
        kind, gap = _KINDS[run.kind]
        if room <= 0:
            rest = sum(len(left.text) for left in given[number:])
            shown.append((REST, rest))
            break
        if kind == BOTH:
            head = _CONTEXT if number else 0
            tail = _CONTEXT if number + 1 < len(given) else 0
            if len(given) == 1:
                head = _LONG  # nothing differs: there is only this
        else:
            head, tail = _LONG, 0
        pieces = _cut(run.text, kind, gap, min(head, room), min(tail, room))
        room -= sum(len(text) for _, text in pieces if isinstance(text, str))
        shown += pieces
    return shown


def _cut(text: str, kind: int, gap: int, head: int, tail: int) -> list[ShownRun]:
    """The beginning and the end of a text; all of it if little would be left out."""
    if len(text) <= head + tail + 2 * _WORD:
        return [(kind, text)]
    begin = _to_space(text, head, 1) if head else 0
    end = _to_space(text, len(text) - tail, -1) if tail else len(text)
    pieces: list[ShownRun] = [(kind, text[:begin]), (gap, end - begin), (kind, text[end:])]
    return [piece for piece in pieces if piece[1]]


def _to_space(text: str, at: int, step: int) -> int:
    """The nearest space in one direction, or the place itself where words are long."""
    for moved in range(at, at + step * _WORD, step):
        if 0 < moved < len(text) and text[moved - 1].isspace():
            return moved
    return at
