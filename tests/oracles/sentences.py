"""Sentences and chunks the slow way: the rules of UAX #29 asked before every character, then plain lists.

Imports neither NumPy nor the package. Character properties are those of ``regex`` 2025.11.3 (Unicode 17.0).
"""

from __future__ import annotations

import math

from oracles.embeddings import f32
from oracles.segmentation import _class_of, _split, is_alphanumeric, words

_CLASSES = (
    *("CR", "LF", "Sep", "Extend", "Format", "Sp", "Lower", "Upper", "OLetter", "Numeric"),
    *("ATerm", "STerm", "Close", "SContinue"),
)
_PARA_SEP = {"CR", "LF", "Sep"}
_TERM = {"ATerm", "STerm"}
# White_Space, what Rust's ``trim`` takes off; ``str.strip`` takes U+001C to U+001F as well.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


class _Sentences:
    """The sentence rules over one text."""

    def __init__(self, text: str) -> None:
        self.classes = [_class_of(character, "SB", _CLASSES) for character in text]

    def before(self, i: int) -> int:
        """Place of the character that counts as the one before ``i`` (SB5), or -1."""
        j = i - 1
        while j > 0 and self.classes[j] in ("Extend", "Format") and self.classes[j - 1] not in _PARA_SEP:
            j -= 1
        return j

    def kind(self, i: int) -> str:
        return self.classes[i] if i >= 0 else "none"

    def back(self, i: int, wanted: set[str]) -> int:
        """First place to the left of ``i`` that is not of a wanted class."""
        j = self.before(i)
        while j >= 0 and self.kind(j) in wanted:
            j = self.before(j)
        return j

    def lower_follows(self, i: int) -> bool:
        """Whether only characters that decide nothing stand between here and a lower-case letter (SB8)."""
        for name in self.classes[i:]:
            if name == "Lower":
                return True
            if name in {"OLetter", "Upper"} | _PARA_SEP | _TERM:
                return False
        return False

    def is_boundary(self, i: int) -> bool:
        left, right = self.classes[i - 1], self.classes[i]
        if left == "CR" and right == "LF":
            return False  # SB3
        if left in _PARA_SEP:
            return True  # SB4
        if right in ("Extend", "Format"):
            return False  # SB5
        p = self.before(i)
        q = self.before(p)
        if self.kind(p) == "ATerm" and right == "Numeric":
            return False  # SB6
        if self.kind(q) in {"Upper", "Lower"} and self.kind(p) == "ATerm" and right == "Upper":
            return False  # SB7
        no_spaces = self.back(i, {"Sp"})  # SATerm Close* Sp*
        term = no_spaces if self.kind(no_spaces) != "Close" else self.back(no_spaces, {"Close"})
        if self.kind(term) == "ATerm" and self.lower_follows(i):
            return False  # SB8
        if self.kind(term) in _TERM and right in {"SContinue"} | _TERM:
            return False  # SB8a
        if self.kind(term) in _TERM and no_spaces == p and right in {"Close", "Sp"} | _PARA_SEP:
            return False  # SB9
        if self.kind(term) in _TERM and right in {"Sp"} | _PARA_SEP:
            return False  # SB10
        return self.kind(term) in _TERM  # SB11, SB998


def sentence_segments(text: str) -> list[str]:
    return _split(text, _Sentences(text).is_boundary)


def sentences(text: str) -> list[str]:
    """The segments that hold a letter or a number, without white space at their ends."""
    kept = [segment for segment in sentence_segments(text) if any(map(is_alphanumeric, segment))]
    return [segment.strip(WHITE_SPACE) for segment in kept]


def estimate(n_words: int) -> int:
    return math.ceil(f32(n_words * f32(1.3)))


def _in_words(tokens: int) -> int:
    return math.floor(f32(tokens / f32(1.3)))


def fixed_tokens(text: str, max_tokens: int, overlap: int) -> list[str]:
    found = words(text)
    if not found or max_tokens == 0:
        return []
    size = max(1, _in_words(max_tokens))
    stride = size - min(_in_words(overlap), size - 1)
    chunks = []
    for first in range(0, len(found), stride):
        chunks.append(" ".join(found[first : first + size]))
        if first + size >= len(found):
            break
    return chunks


def sentence_bounded(text: str, max_tokens: int, overlap: int) -> list[str]:
    if max_tokens == 0:
        return []
    chunks: list[str] = []
    current: list[str] = []
    held = 0
    for sentence in sentences(text):
        size = estimate(len(words(sentence)))
        if size > max_tokens:
            chunks += [" ".join(current)] * bool(current)
            current, held = [], 0
            chunks += fixed_tokens(sentence, max_tokens, overlap)
            continue
        if current and held + size > max_tokens:
            chunks.append(" ".join(current))
            n_tail = _in_words(overlap)
            previous = words(chunks[-1])
            tail = previous[len(previous) - n_tail :] if n_tail < len(previous) else previous
            current = [" ".join(tail)] if tail else []
            held = estimate(len(tail)) if tail else 0
        current.append(sentence)
        held += size
    return chunks + [" ".join(current)] * bool(current)


def recursive(text: str, max_tokens: int, overlap: int) -> list[str]:
    if max_tokens == 0:
        return []
    chunks: list[str] = []
    current: list[str] = []
    held = 0
    for part in text.split("\n\n"):
        paragraph = part.strip(WHITE_SPACE)
        if not paragraph:
            continue
        size = estimate(len(words(paragraph)))
        if size > max_tokens or (current and held + size > max_tokens):
            chunks += ["\n\n".join(current)] * bool(current)
            current, held = [], 0
        if size > max_tokens:
            chunks += sentence_bounded(paragraph, max_tokens, overlap)
        else:
            current.append(paragraph)
            held += size
    return chunks + ["\n\n".join(current)] * bool(current)
