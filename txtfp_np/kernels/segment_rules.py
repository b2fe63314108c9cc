"""The rules of UAX #29 as transition tables, built from a readable form when kernels are imported.

A table has 32 columns, one a class; an entry is ``next state << 3 | action``. States stand for the
left context with trailing Extend, Format and ZWJ taken off (rule WB4), so one look decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .layout import GRAPHEME_CLASSES, WORD_CLASSES

JOIN = 0  # no boundary before the code point
BREAK = 1  # a boundary before it
WAIT = 2  # joins if the right neighbour comes (WB6, WB7b, WB12); remember the place
RESOLVE = 4  # the right neighbour has come: what waited joins
GIVE_UP = 6  # it has not: a boundary where the wait began, and one here
# Only BREAK is odd: kernels turn that bit into a boundary without looking at the rest.
CLASS_BITS = 5

_LETTERS = ("ALetter", "Hebrew_Letter", "PictographicLetter")
_NEWLINES = ("CR", "LF", "Newline")
_IGNORED = ("Extend", "Format", "ZWJ")
_WORD_STATES = (
    "Empty",  # no code point yet
    "Newline",
    "CR",
    "Space",
    "Other",
    "Letter",
    "Hebrew",
    "Number",
    "Katakana",
    "Connector",
    "Flag",  # an odd number of regional indicators
    "HebrewQuote",  # WB7a joined a quote; WB7 may go on
    "LetterMid",  # waits for a letter
    "HebrewDouble",  # waits for a Hebrew letter
    "NumberMid",  # waits for a digit
)
_WAITING = {"LetterMid": _LETTERS, "HebrewDouble": ("Hebrew_Letter",), "NumberMid": ("Numeric",)}
_WORD_JOINS: dict[str, tuple[str, ...]] = {
    "Letter": (*_LETTERS, "Numeric", "ExtendNumLet"),  # WB5, WB9, WB13a
    "Hebrew": (*_LETTERS, "Numeric", "ExtendNumLet", "Single_Quote"),  # and WB7a
    "HebrewQuote": _LETTERS,  # WB7
    "Number": (*_LETTERS, "Numeric", "ExtendNumLet"),  # WB8, WB10, WB13a
    "Katakana": ("Katakana", "ExtendNumLet"),  # WB13, WB13a
    "Connector": (*_LETTERS, "Numeric", "Katakana", "ExtendNumLet"),  # WB13a, WB13b
}
_WORD_WAITS: dict[tuple[str, str], str] = {
    **{(state, mid): "LetterMid" for state in ("Letter", "Hebrew") for mid in ("MidLetter", "MidNumLet")},
    ("Letter", "Single_Quote"): "LetterMid",
    ("Hebrew", "Double_Quote"): "HebrewDouble",
    **{("Number", mid): "NumberMid" for mid in ("MidNum", "MidNumLet", "Single_Quote")},
}
_WORD_INITIAL = {
    "CR": "CR",
    "LF": "Newline",
    "Newline": "Newline",
    "WSegSpace": "Space",
    "Regional_Indicator": "Flag",
    "Katakana": "Katakana",
    "Hebrew_Letter": "Hebrew",
    "ALetter": "Letter",
    "PictographicLetter": "Letter",
    "Numeric": "Number",
    "ExtendNumLet": "Connector",
}

State = tuple[str, bool]  # left context, and whether a ZWJ stands right before


def _word_initial(name: str) -> State:
    return _WORD_INITIAL.get(name, "Other"), name == "ZWJ"


def _word_step(state: str, after_zwj: bool, name: str) -> tuple[int, State]:
    waiting = state in _WAITING
    if state == "Empty":
        return JOIN, _word_initial(name)
    if state == "CR" and name == "LF":
        return JOIN, ("Newline", False)  # WB3
    if state in ("CR", "Newline"):
        return BREAK, _word_initial(name)  # WB3a
    if name in _NEWLINES:
        return GIVE_UP if waiting else BREAK, _word_initial(name)  # WB3b
    if after_zwj and name.startswith("Pictographic"):
        # WB3c. As the crate has it: the code point counts as an emoji alone, even if it is a letter
        # too, and a wait is forgotten, all that waited staying in the segment.
        return RESOLVE if waiting else JOIN, ("Other", False)
    if state == "Space" and name == "WSegSpace":
        return JOIN, ("Space", False)  # WB3d
    if name in _IGNORED:
        return JOIN, ("Other" if state == "Space" else state, name == "ZWJ")  # WB4
    if waiting:
        return RESOLVE if name in _WAITING[state] else GIVE_UP, _word_initial(name)
    if (state, name) in _WORD_WAITS:
        return WAIT, (_WORD_WAITS[state, name], False)
    if state == "Flag" and name == "Regional_Indicator":
        return JOIN, ("Other", False)  # WB15, WB16
    if name in _WORD_JOINS.get(state, ()):
        return JOIN, ("HebrewQuote", False) if name == "Single_Quote" else _word_initial(name)
    return BREAK, _word_initial(name)  # WB999


# ── graphemes ───────────────────────────────────────────────────────────────────────────────────
_GRAPHEME_STATES = (
    "Empty",
    "CR",
    "Control",
    "Other",
    "L",
    "V",
    "T",
    "Flag",
    "Prepend",
    "Pictographic",  # and any number of Extend after it
    "PictographicZwj",
    "Consonant",  # and Extend without a linker
    "ConsonantLinked",
)
_CONTROLS = ("CR", "LF", "Control")
_EXTENDS = ("Extend", "ConjunctExtend", "Linker", "ZWJ")
_GRAPHEME_JOINS: dict[str, tuple[str, ...]] = {
    "L": ("L", "V", "LV", "LVT"),  # GB6
    "V": ("V", "T"),  # GB7
    "T": ("T",),  # GB8
    "PictographicZwj": ("Pictographic",),  # GB11
    "ConsonantLinked": ("Consonant",),  # GB9c
}
_GRAPHEME_INITIAL = {
    "CR": "CR",
    "LF": "Control",
    "Control": "Control",
    "Regional_Indicator": "Flag",
    "Prepend": "Prepend",
    "L": "L",
    "V": "V",
    "LV": "V",
    "T": "T",
    "LVT": "T",
    "Pictographic": "Pictographic",
    "Consonant": "Consonant",
}
_GRAPHEME_EXTENDED = {
    ("Pictographic", "ZWJ"): "PictographicZwj",
    ("Pictographic", "Extend"): "Pictographic",
    ("Pictographic", "ConjunctExtend"): "Pictographic",
    ("Pictographic", "Linker"): "Pictographic",
    ("Consonant", "ZWJ"): "Consonant",
    ("Consonant", "ConjunctExtend"): "Consonant",
    ("Consonant", "Linker"): "ConsonantLinked",
    ("ConsonantLinked", "ZWJ"): "ConsonantLinked",
    ("ConsonantLinked", "ConjunctExtend"): "ConsonantLinked",
    ("ConsonantLinked", "Linker"): "ConsonantLinked",
}


def _grapheme_step(state: str, name: str) -> tuple[int, str]:
    initial = _GRAPHEME_INITIAL.get(name, "Other")
    if state == "Empty":
        return JOIN, initial
    if state == "CR" and name == "LF":
        return JOIN, "Control"  # GB3
    if state in ("CR", "Control") or name in _CONTROLS:
        return BREAK, initial  # GB4, GB5
    if name in _EXTENDS:
        return JOIN, _GRAPHEME_EXTENDED.get((state, name), "Other")  # GB9
    if name == "SpacingMark":
        return JOIN, "Other"  # GB9a
    if state == "Prepend" or name in _GRAPHEME_JOINS.get(state, ()):
        return JOIN, initial  # GB9b
    if state == "Flag" and name == "Regional_Indicator":
        return JOIN, "Other"  # GB12, GB13
    return BREAK, initial  # GB999


def _pack(steps: Iterable[tuple[int, int, int, int]], n_states: int) -> NDArray[Any]:
    table = np.zeros(n_states << CLASS_BITS, np.uint8)
    for state, column, action, following in steps:
        table[(state << CLASS_BITS) | column] = following << 3 | action
    return table


def word_transitions() -> NDArray[Any]:
    """Table over (state, class). State 0 is an empty segment."""
    # "Empty" stays number 0; a state after a ZWJ is a state of its own only where that can happen.
    direct = ("Empty", "Newline", "CR", "Space")
    states: list[State] = [(state, False) for state in _WORD_STATES]
    states += [(state, True) for state in _WORD_STATES if state not in direct]

    def steps() -> Iterable[tuple[int, int, int, int]]:
        for number, (state, after_zwj) in enumerate(states):
            for column, name in enumerate(WORD_CLASSES):
                action, following = _word_step(state, after_zwj, name)
                yield number, column, action, states.index(following)

    return _pack(steps(), len(states))


def grapheme_transitions() -> NDArray[Any]:
    """Table over (state, class). State 0 is an empty cluster."""

    def steps() -> Iterable[tuple[int, int, int, int]]:
        for number, state in enumerate(_GRAPHEME_STATES):
            for column, name in enumerate(GRAPHEME_CLASSES):
                action, following = _grapheme_step(state, name)
                yield number, column, action, _GRAPHEME_STATES.index(following)

    return _pack(steps(), len(_GRAPHEME_STATES))
