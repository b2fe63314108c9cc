"""How much of a text may be missing before a sketch no longer knows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn, Texts
from ..compare.arrays import as_array
from ..errors import ConfigError, InvalidInputError
from ..options import check_count
from .pairs import auc

# A full stop and the like, and what closes a quotation, before a blank; those of East Asia need none.
_SENTENCE_END = re.compile(
    r"""(?<=[.!?…؟।])\s+ | (?<=[.!?…؟।]["'”’»)\]])\s+ | (?<=[.!?…؟।]["'”’»)\]]{2})\s+
    | (?<=[。！？])(?![」』）”’])\s* | (?<=[。！？][」』）”’])\s* | \n+""",
    re.VERBOSE,
)

Score = Callable[[TextColumn, TextColumn], Any]


class Rung(NamedTuple):
    """A step of a ladder."""

    strength: float
    similarity: float  # mean of each text with what is left of it
    unrelated: float  # mean of each text with what is left of the next one
    auc: float  # probability that the former is higher than the latter


def delete_sentences(texts: Texts, share: float, *, seed: int = 0) -> TextColumn:
    """Texts without some of their sentences, drawn at random; at least one stays.

    Parameters
    ----------
    texts : column
        Documents.
    share : float
        Of the sentences of each document, from 0 to 1; rounded to whole sentences.
    seed : int
        Of the draws, at least 0. What goes at a lower share also goes at a higher one.

    Returns
    -------
    TextColumn
        Sentences that were apart stay apart by one blank, those that were not (Chinese, say) stay so; a text from which
        nothing goes stays as it is.

    Examples
    --------
    >>> delete_sentences(["One. Two! Three? Four."], 0.5).to_list()
    ['Two! Four.']
    """
    part, own_seed = _check_share("share", share), check_count("seed", seed)
    return TextColumn([_shortened(text, part, own_seed, row) for row, text in enumerate(TextColumn(texts))])


def _check_share(argument: str, share: object) -> float:
    is_number = isinstance(share, (int, float, np.integer, np.floating))
    if not is_number or not 0 <= share <= 1:  # type: ignore[operator]
        raise ConfigError(f"{argument} must be between 0 and 1, got {share!r}", argument=argument)
    return float(share)  # type: ignore[arg-type]


def _shortened(text: str, share: float, seed: int, row: int) -> str:
    sentences = _sentences(text)
    n_gone = min(round(share * len(sentences)), len(sentences) - 1)
    if n_gone <= 0:
        return text
    gone = set(np.random.default_rng((seed, row)).permutation(len(sentences))[:n_gone].tolist())
    return "".join(part for number, part in enumerate(sentences) if number not in gone).rstrip()


def _sentences(text: str) -> list[str]:
    """Sentences, each with a blank behind it if there was any white space."""
    found = []
    begin = 0
    for end in _SENTENCE_END.finditer(text):
        found.append(text[begin : end.start()] + (" " if end.group() else ""))
        begin = end.end()
    return [part for part in [*found, text[begin:]] if part.strip()]


def deletion_ladder(
    texts: Texts, score: Score, *, shares: Sequence[float] = (0.0, 0.2, 0.4, 0.6, 0.8), seed: int = 0
) -> list[Rung]:
    """A sketch on texts that lose more and more of their sentences.

    Parameters
    ----------
    texts : column
        At least two documents.
    score : callable
        Two columns of one length to similarities: row by row, larger is more alike.
    shares : sequence of float
        Of the sentences that go.
    seed : int
        See :func:`delete_sentences`.

    Returns
    -------
    list of Rung
        One for each share.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2))
    >>> texts = ["It rains. The dog sleeps. We read.", "Go home now. The cat eats. Who is there?"]
    >>> ladder = deletion_ladder(texts, lambda a, b: tx.jaccard(fp.fingerprint(a), fp.fingerprint(b)))
    >>> [rung.auc for rung in ladder], ladder[0].similarity
    ([1.0, 1.0, 1.0, 1.0, 1.0], 1.0)
    """
    if not callable(score):
        raise ConfigError(f"score must be a function of two columns, got {type(score).__name__}", argument="score")
    try:
        steps = [_check_share("shares", share) for share in shares]
    except TypeError:
        raise ConfigError(f"shares must be a sequence of numbers, got {shares!r}", argument="shares") from None
    column = TextColumn(texts)
    if len(column) < 2:
        raise InvalidInputError("texts must be at least two, else nothing is unrelated", argument="texts")
    following = np.roll(np.arange(len(column)), -1)
    rungs = []
    for share in steps:
        left = delete_sentences(column, share, seed=seed)
        own = _scores(score, column, left)
        other = _scores(score, column, left.take(following))
        labels = np.repeat([1, 0], len(column))
        rungs.append(Rung(share, float(own.mean()), float(other.mean()), auc(labels, np.concatenate([own, other]))))
    return rungs


def _scores(score: Score, a: TextColumn, b: TextColumn) -> NDArray[np.float64]:
    found = as_array("score", score(a, b))
    if found.shape != (len(a),) or found.dtype.kind not in "iufb":
        raise InvalidInputError(
            f"score must give one number a row, {len(a)} in all, got {found.dtype} of shape {found.shape}",
            argument="score",
        )
    return found.astype(np.float64)
