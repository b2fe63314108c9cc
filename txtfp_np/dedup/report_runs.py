"""Differences cut to what a page has room for: every change, and a little of what stands around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from .explain import Run, explain_texts

BOTH, ONLY_A, ONLY_B, GAP_BOTH, GAP_A, GAP_B, REST = range(7)
"""Kinds of runs in a page. Gaps and the rest carry a number of characters in place of a text."""

_KINDS = {"both": (BOTH, GAP_BOTH), "a": (ONLY_A, GAP_A), "b": (ONLY_B, GAP_B)}
_CONTEXT = 120  # characters that are shown beside a change
_LONG = 900  # characters that are shown of one change
_WORD = 24  # so far a cut is moved to the next space

ShownRun: TypeAlias = tuple[int | str, ...]


def compare(a: str, b: str, fingerprinter: Any, limit: int) -> tuple[list[Run], int]:
    """Differences of the first ``limit`` characters of two texts, and how many characters come after them.

    Examples
    --------
    >>> from txtfp_np.sketch import MinHashFingerprinter
    >>> runs, rest = compare("one two three four five", "zero one two three four five", MinHashFingerprinter(), 18)
    >>> [run.text for run in runs], rest
    (['zero ', 'one two three '], 19)
    """
    runs = list(explain_texts(a[:limit], b[:limit], fingerprinter).runs)
    rest = max(0, len(a) - limit) + max(0, len(b) - limit)
    # where texts were cut, one has words whose partners in the other were cut off
    while rest and len(runs) > 1 and runs[-1].kind != "both":
        rest += len(runs.pop().text)
    return runs, rest


def shorten(runs: Sequence[Run], max_characters: int, rest: int = 0) -> list[ShownRun]:
    """Runs with long shared and long differing stretches replaced by their lengths.

    Parameters
    ----------
    runs : sequence of Run
        From :func:`~txtfp_np.dedup.explain.explain_texts`.
    max_characters : int
        Of text to be shown in all, about; what is beyond is counted.
    rest : int
        Characters that come after the runs.

    Returns
    -------
    list of (kind, text) or (kind of gap, number of characters)
        With a third element, if the other side of what both have is written otherwise.

    Examples
    --------
    >>> steps = "step " * 90
    >>> runs = Run("both", "One ", "one "), Run("a", "small "), Run("b", "giant "), Run("both", steps, steps)
    >>> [run[:2] for run in shorten(runs, 1000)][:3], shorten(runs, 1000)[-1]
    ([(0, 'One '), (1, 'small '), (2, 'giant ')], (3, 330))
    """
    shown: list[ShownRun] = []
    room = max_characters
    for number, run in enumerate(runs):
        if room <= 0:
            rest += sum(len(text) for left in runs[number:] for text in _texts(left))
            break
        kind, gap = _KINDS[run.kind]
        head, tail = _LONG, 0
        if kind == BOTH and len(runs) > 1:  # a run that is alone has no change to stand around
            head, tail = _CONTEXT * (number > 0), _CONTEXT * (number + 1 < len(runs))
        cut = len(run.text) > head + tail + 3 * _WORD  # else there is little to be left out
        sides = [_cut(text, min(head, room), min(tail, room)) if cut else (text, 0, "") for text in _texts(run)]
        for part, what in enumerate((kind, gap, kind)):
            pieces = [side[part] for side in sides]
            if not any(pieces):
                continue
            shown.append((what, *(pieces if pieces[0] != pieces[-1] else pieces[:1])))
            room -= 0 if what == gap else len(str(pieces[0]))
    return [*shown, (REST, rest)] if rest else shown


def _texts(run: Run) -> list[str]:
    return [run.text, run.other] if run.kind == "both" else [run.text]


def _cut(text: str, head: int, tail: int) -> tuple[str, int, str]:
    """The beginning and the end of a text, and how much is between."""
    begin = _to_space(text, head, 1) if head else 0
    end = max(_to_space(text, len(text) - tail, -1) if tail else len(text), begin)
    return text[:begin], end - begin, text[end:]


def _to_space(text: str, at: int, step: int) -> int:
    """The nearest end of a word in one direction, or the place itself where words are long."""
    for moved in range(at, at + step * _WORD, step):
        if 0 < moved <= len(text) and text[moved - 1].isspace():
            return moved
    return min(max(at, 0), len(text))
