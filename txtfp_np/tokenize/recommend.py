"""Which tokens suit a column: a look at its scripts and lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..columns import TextColumn, Texts, as_text_column
from ..errors import InvalidInputError
from .base import Tokenizer
from .segment import WordTokenizer
from .shingle import CharShingleTokenizer, ShingleTokenizer

# Blocks of letters (Unicode, Blocks.txt), coarse on purpose: shares of a column are wanted, not properties.
_RANGES = [
    (0x41, 0x5A, "Latin"),
    (0x61, 0x7A, "Latin"),
    (0xC0, 0x24F, "Latin"),
    (0x370, 0x3FF, "Greek"),
    (0x400, 0x52F, "Cyrillic"),
    (0x530, 0x58F, "Armenian"),
    (0x590, 0x5FF, "Hebrew"),
    (0x600, 0x77F, "Arabic"),
    (0x900, 0xDFF, "Indic"),
    (0xE00, 0xE7F, "Thai"),
    (0xE80, 0xEFF, "Lao"),
    (0xF00, 0xFFF, "Tibetan"),
    (0x1000, 0x109F, "Myanmar"),
    (0x10A0, 0x10FF, "Georgian"),
    (0x1100, 0x11FF, "Hangul"),
    (0x1200, 0x139F, "Ethiopic"),
    (0x1780, 0x17FF, "Khmer"),
    (0x1E00, 0x1EFF, "Latin"),
    (0x1F00, 0x1FFF, "Greek"),
    (0x3041, 0x30FF, "Kana"),
    (0x3130, 0x318F, "Hangul"),
    (0x31F0, 0x31FF, "Kana"),
    (0x3400, 0x4DBF, "Han"),
    (0x4E00, 0x9FFF, "Han"),
    (0xAC00, 0xD7FF, "Hangul"),
    (0xF900, 0xFAFF, "Han"),
    (0xFF66, 0xFF9F, "Kana"),
    (0x20000, 0x323AF, "Han"),
]
_UNSPACED = frozenset({"Han", "Kana", "Thai", "Lao", "Tibetan", "Myanmar", "Khmer"})
_ENGINES = {"Kana": "mecab-ipadic", "Han": "jieba"}  # the first one that is there: Japanese has Han, too

_SAMPLE_ROWS = 1000
_SAMPLE_CHARACTERS = 10_000  # of a row
_SHORT, _VERY_SHORT = 25, 10  # words
_SHORT_RUN, _VERY_SHORT_RUN = 80, 25  # characters, where words are not parted by spaces
_FEW = 0.05  # of all letters: a name here, a quotation there
_MOST = 0.8


@dataclass(frozen=True)
class Recommendation:
    """What :func:`recommend` proposes, and why.

    Attributes
    ----------
    tokenizer : Tokenizer
        To be given to a fingerprinter; needs nothing but this package.
    k : int
        Its length of shingles.
    threshold : float
        Similarity from which on two documents may be taken for near-duplicates.
    scripts : tuple of (str, float)
        Share of the letters of each script, largest first.
    reasons : tuple of str
        One sentence for each decision.
    """

    tokenizer: Tokenizer
    k: int
    threshold: float
    scripts: tuple[tuple[str, float], ...]
    reasons: tuple[str, ...]


def recommend(texts: Texts) -> Recommendation:
    """Propose a tokenizer, a length of shingles and a threshold for near-duplicates in a column.

    Parameters
    ----------
    texts : column
        At most 1,000 rows, spread evenly, are looked at.

    Returns
    -------
    Recommendation

    Raises
    ------
    InvalidInputError
        If there is no letter in any text.

    Notes
    -----
    A starting point, not a verdict: look at pairs on both sides of the threshold. Where it comes from,
    best F1 of pairs among 200 revised Wikipedia pages a language (400 for Chinese), H = 256:

    ====================  =========  =========  =========  =========
    tokens                Chinese    Japanese   Korean     French
    ====================  =========  =========  =========  =========
    5 characters          .847       .886       .953       .904
    5 graphemes           .844       .891       .953       .898
    3 words (UAX #29)     .868       .907       .953       .902
    3 words (dictionary)  .854       .894
    ====================  =========  =========  =========  =========

    at thresholds of .25 to .55 for characters and .15 to .50 for words. A dictionary finds no more than
    characters do, and is slower by two orders of magnitude; it is worth having where tokens are looked at.

    Titles, questions and single sentences get runs of 2 or 3 characters, as few of the longer ones survive
    an edit: with one or two edits in each of 3,649 Chinese questions of 12 characters, F1 is .88 with 2
    characters at .5, and .54 with 5 at .4.

    Examples
    --------
    >>> found = recommend(["Der schnelle braune Fuchs springt über den faulen Hund. " * 3])
    >>> found.tokenizer.name, found.k, found.threshold
    ('shingle-k=3/word-uax29', 3, 0.4)
    >>> recommend(["いろはにほへと ちりぬるを 我が世誰ぞ 常ならむ"]).tokenizer.name
    'char-k=2'
    """
    column = as_text_column(texts)
    sample = column.take(np.linspace(0, len(column) - 1, min(len(column), _SAMPLE_ROWS)).astype(np.int64))
    scripts, unspaced_rows = _scripts(sample)
    if not scripts:
        raise InvalidInputError("no letters in any text", argument="texts")
    unspaced = sum(share for name, share in scripts if name in _UNSPACED)
    counts = WordTokenizer().tokens(sample).counts
    words = float(np.median(counts[counts > 0])) if counts.any() else 0.0
    found = ", ".join(f"{name} {share:.0%}" for name, share in scripts if share >= 0.005)
    reasons = [f"letters: {found}"]
    tokenizer: Tokenizer
    if unspaced >= _FEW:
        characters = float(np.median([len(text) for text in sample if text]))
        k, threshold, reason = _runs_of_characters(unspaced_rows >= _MOST, characters)
        reasons.append(reason)
        engine = next((engine for name, engine in _ENGINES.items() if dict(scripts).get(name, 0) >= _FEW), None)
        if engine:
            reasons.append(f'for words by a dictionary: CjkTokenizer("{engine}"), extra "cjk"')
        tokenizer = CharShingleTokenizer(k)
    elif words < _SHORT:
        k, threshold = 3 if words < _VERY_SHORT else 5, 0.5
        reasons.append(f"short texts ({words:.0f} words, the median): one changed word breaks most runs of words")
        tokenizer = CharShingleTokenizer(k)
    else:
        k, threshold = 3, 0.4
        reasons.append(f"words with spaces between them ({words:.0f} a text, the median): runs of 3 words")
        tokenizer = ShingleTokenizer(k=k)
    reasons.append(f"threshold {threshold}: edited copies; raise it for exact copies with other headers or dates")
    return Recommendation(tokenizer, k, threshold, scripts, tuple(reasons))


def _runs_of_characters(unspaced: bool, characters: float) -> tuple[int, float, str]:
    """Length, threshold and reason for scripts that have no spaces between words, all or in part."""
    if characters < _SHORT_RUN:
        k = 2 if characters < _VERY_SHORT_RUN else 3
        return k, 0.5, f"short texts ({characters:.0f} characters, the median): one edit breaks most runs of 5"
    if unspaced:
        return 5, 0.4, "scripts without spaces between words: runs of 5 characters find as much as words do"
    return 5, 0.5, "scripts with and without spaces between words: runs of 5 characters suit both"


def _scripts(sample: TextColumn) -> tuple[tuple[tuple[str, float], ...], float]:
    """Shares of letters, largest first; share of the documents that have no spaces between words.

    Names and terms are written in Latin letters, of which a word takes several, in such documents, too: in
    Chinese pages about software they are three of four letters.
    """
    pieces = [text[:_SAMPLE_CHARACTERS] for text in sample]
    code_points = np.frombuffer("".join(pieces).encode("utf-32-le"), np.uint32)
    rows = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    firsts = np.array([first for first, _, _ in _RANGES])
    lasts = np.array([last for _, last, _ in _RANGES])
    place = np.searchsorted(firsts, code_points, side="right") - 1
    inside = (place >= 0) & (code_points <= lasts[place])
    place, rows = place[inside], rows[inside]
    counts = np.bincount(place, minlength=len(_RANGES))
    shares: dict[str, float] = {}
    for (_, _, name), count in zip(_RANGES, counts.tolist(), strict=True):
        if count:
            shares[name] = shares.get(name, 0.0) + count / len(place)
    unspaced = np.array([name in _UNSPACED for _, _, name in _RANGES])[place]
    letters = np.bincount(rows, minlength=1)
    of_them = np.bincount(rows, unspaced, minlength=1)
    written = letters > 0
    unspaced_rows = float((of_them[written] >= _FEW * letters[written]).mean()) if written.any() else 0.0
    return tuple(sorted(shares.items(), key=lambda item: -item[1])), unspaced_rows
