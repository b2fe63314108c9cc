"""Words, graphemes and shingles the slow way: the rules of UAX #29, asked between any two characters.

Imports neither NumPy nor the package. Character properties are those of ``regex`` 2025.11.3, which is
at Unicode 17.0. A rule that looks back or ahead really does; nothing is remembered from one position
to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

ZWJ = "\u200d"
_WORD_CLASSES = (
    *("CR", "LF", "Newline", "Extend", "ZWJ", "Format", "Regional_Indicator", "Katakana", "Hebrew_Letter", "ALetter"),
    *("Single_Quote", "Double_Quote", "MidNumLet", "MidLetter", "MidNum", "Numeric", "ExtendNumLet", "WSegSpace"),
)
_CLUSTER_CLASSES = (
    *("CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark"),
    *("L", "V", "T", "LV", "LVT"),
)
_NEWLINES = {"CR", "LF", "Newline"}
_IGNORED = {"Extend", "Format", "ZWJ"}
_LETTERS = {"ALetter", "Hebrew_Letter"}
_MID_LETTER = {"MidLetter", "MidNumLet", "Single_Quote"}
_MID_NUMBER = {"MidNum", "MidNumLet", "Single_Quote"}


@cache
def _pattern(expression: str):
    import regex

    if regex.__version__ != "2025.11.3":
        raise RuntimeError(f"the oracle needs regex 2025.11.3, got {regex.__version__}")
    return regex.compile(expression)


def _has(character: str, expression: str) -> bool:
    return _pattern(expression).match(character) is not None


@cache
def _class_of(character: str, property_name: str, names: tuple[str, ...]) -> str:
    return next((name for name in names if _has(character, rf"\p{{{property_name}={name}}}")), "Other")


@cache
def is_pictographic(character: str) -> bool:
    return _has(character, r"\p{ExtPict}")


@cache
def is_alphanumeric(character: str) -> bool:
    return _has(character, r"[\p{Alphabetic}\p{N}]")


def _split(text: str, is_boundary: Callable[[int], bool]) -> list[str]:
    if not text:
        return []
    cuts = [0, *(i for i in range(1, len(text)) if is_boundary(i)), len(text)]
    return [text[a:b] for a, b in pairwise(cuts)]


# ── words ───────────────────────────────────────────────────────────────────────────────────────
class _Words:
    """The word rules over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw = [_class_of(character, "WB", _WORD_CLASSES) for character in text]

    def emoji_after_zwj(self, i: int) -> bool:
        return i > 0 and self.text[i - 1] == ZWJ and is_pictographic(self.text[i])

    def kind(self, i: int | None) -> str:
        """Class of character ``i``; first departure of the crate: right after ZWJ an emoji is no letter."""
        if i is None:
            return "none"
        return "Other" if self.emoji_after_zwj(i) else self.raw[i]

    def before(self, i: int) -> int | None:
        """The character that counts as the one before ``i`` (WB4: ignored ones belong to their base)."""
        j = i - 1
        while j > 0 and self.raw[j] in _IGNORED and self.raw[j - 1] not in _NEWLINES:
            j -= 1
        return j if j >= 0 else None

    def after(self, i: int) -> int | None:
        j = i + 1
        while j < len(self.text) and self.raw[j] in _IGNORED:
            j += 1
        return j if j < len(self.text) else None

    def finds(self, i: int, wanted: set[str]) -> bool:
        """Whether the mid character ``i`` gets its right neighbour.

        Second departure of the crate: a ZWJ and an emoji right behind it will do as well.
        """
        j = self.after(i)
        return j is not None and (self.kind(j) in wanted or self.emoji_after_zwj(j))

    def flags_before(self, i: int) -> int:
        n, j = 0, self.before(i)
        while j is not None and self.kind(j) == "Regional_Indicator":
            n, j = n + 1, self.before(j)
        return n

    def is_boundary(self, i: int) -> bool:
        left, right = self.raw[i - 1], self.raw[i]
        if left == "CR" and right == "LF":
            return False  # WB3
        if left in _NEWLINES or right in _NEWLINES:
            return True  # WB3a, WB3b
        if self.emoji_after_zwj(i):
            return False  # WB3c
        if left == "WSegSpace" and right == "WSegSpace":
            return False  # WB3d
        if right in _IGNORED:
            return False  # WB4
        return not self.joins(i)

    def joins(self, i: int) -> bool:
        """Rules WB5 and after, on characters with what they carry taken off."""
        p = self.before(i)
        q = self.before(p)
        before, left, right = self.kind(q), self.kind(p), self.raw[i]
        letter, number = _LETTERS, {"Numeric"}
        connected = {*_LETTERS, "Numeric", "Katakana", "ExtendNumLet"}
        hebrew = {"Hebrew_Letter"}
        return (
            (left in letter and right in letter)  # WB5
            or (left in letter and right in _MID_LETTER and self.finds(i, letter))  # WB6
            or (before in letter and left in _MID_LETTER and right in letter)  # WB7
            or (left in hebrew and right == "Single_Quote")  # WB7a
            or (left in hebrew and right == "Double_Quote" and self.finds(i, hebrew))  # WB7b
            or (before in hebrew and left == "Double_Quote" and right in hebrew)  # WB7c
            or (left in number and right in number)  # WB8
            or (left in letter and right in number)  # WB9
            or (left in number and right in letter)  # WB10
            or (before in number and left in _MID_NUMBER and right in number)  # WB11
            or (left in number and right in _MID_NUMBER and self.finds(i, number))  # WB12
            or (left == "Katakana" and right == "Katakana")  # WB13
            or (left in connected and right == "ExtendNumLet")  # WB13a
            or (left == "ExtendNumLet" and right in connected)  # WB13b
            or (right == "Regional_Indicator" and self.flags_before(i) % 2 == 1)  # WB15, WB16
        )


def word_segments(text: str) -> list[str]:
    return _split(text, _Words(text).is_boundary)


def words(text: str) -> list[str]:
    """The segments that hold a letter or a number."""
    return [segment for segment in word_segments(text) if any(map(is_alphanumeric, segment))]


# ── graphemes ───────────────────────────────────────────────────────────────────────────────────
def _is_linked(left: str) -> bool:
    """Whether ``left`` ends in a consonant, then linkers and extenders, one linker at least (GB9c)."""
    between = r"[\p{InCB=Extend}\p{InCB=Linker}]*"
    return _pattern(rf"\p{{InCB=Consonant}}{between}\p{{InCB=Linker}}{between}\Z").search(left) is not None


def _is_cluster_boundary(text: str, i: int) -> bool:
    left, right = (_class_of(character, "GCB", _CLUSTER_CLASSES) for character in text[i - 1 : i + 1])
    controls = {"CR", "LF", "Control"}
    if left == "CR" and right == "LF":
        return False  # GB3
    if left in controls or right in controls:
        return True  # GB4, GB5
    if (left == "L" and right in {"L", "V", "LV", "LVT"}) or (left in {"LV", "V"} and right in {"V", "T"}):
        return False  # GB6, GB7
    if left in {"LVT", "T"} and right == "T":
        return False  # GB8
    if right in {"Extend", "ZWJ", "SpacingMark"} or left == "Prepend":
        return False  # GB9, GB9a, GB9b
    if _has(text[i], r"\p{InCB=Consonant}") and _is_linked(text[:i]):
        return False  # GB9c
    if left == "ZWJ" and is_pictographic(text[i]):
        j = i - 2
        while j >= 0 and _class_of(text[j], "GCB", _CLUSTER_CLASSES) == "Extend":
            j -= 1
        return not (j >= 0 and is_pictographic(text[j]))  # GB11
    if right == "Regional_Indicator":
        j = i
        while j > 0 and _class_of(text[j - 1], "GCB", _CLUSTER_CLASSES) == "Regional_Indicator":
            j -= 1
        return (i - j) % 2 == 0  # GB12, GB13
    return True  # GB999


def graphemes(text: str) -> list[str]:
    """Extended grapheme clusters, all of them."""
    return _split(text, lambda i: _is_cluster_boundary(text, i))


# ── shingles ────────────────────────────────────────────────────────────────────────────────────
def shingles(tokens: Sequence[str], k: int) -> list[str]:
    """Runs of ``k`` tokens; all of them in one if they are fewer; none for ``k = 0``."""
    if k == 0 or not tokens:
        return []
    if len(tokens) <= k:
        return [" ".join(tokens)]
    return [" ".join(tokens[i : i + k]) for i in range(len(tokens) - k + 1)]


def char_shingles(text: str, k: int) -> list[str]:
    """Runs of ``k`` code points, with the same rules at the edges."""
    if k == 0 or not text:
        return []
    return [text] if len(text) <= k else [text[i : i + k] for i in range(len(text) - k + 1)]
