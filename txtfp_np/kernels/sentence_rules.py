"""The sentence rules of UAX #29 as a transition table; form and actions as in ``segment_rules.py``.

One action is different: a sentence that waits for a lower-case letter in vain (SB8) ends where the wait
began, and only there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .layout import SENTENCE_CLASSES
from .segment_rules import BREAK, CLASS_BITS, JOIN, RESOLVE, WAIT

BREAK_AT_WAIT = 6

_PARAGRAPH = ("CR", "LF", "Sep")
_TERMS = ("ATerm", "STerm")
_IGNORED = ("Extend", "Format")
# Left context. "Close" and "Sp" stand for any number of them behind a terminator.
_STATES = (
    "Empty",
    "CR",
    "ParaSep",
    "Other",
    "Cased",  # Upper or Lower
    "CasedATerm",  # and a full stop behind it
    "ATerm",
    "ATermClose",
    "ATermSp",
    "STerm",  # and any Close
    "STermSp",
    "Waiting",  # behind ATermSp, for what decides SB8
)
_AFTER_TERM = ("CasedATerm", "ATerm", "ATermClose", "ATermSp", "STerm", "STermSp")
_INITIAL = {
    "CR": "CR",
    "LF": "ParaSep",
    "Sep": "ParaSep",
    "Upper": "Cased",
    "Lower": "Cased",
    "ATerm": "ATerm",
    "STerm": "STerm",
}


def _step(state: str, name: str) -> tuple[int, str]:
    initial = _INITIAL.get(name, "Other")
    if state == "Empty":
        return JOIN, initial
    if state == "CR" and name == "LF":
        return JOIN, "ParaSep"  # SB3
    if state in ("CR", "ParaSep"):
        return BREAK, initial  # SB4
    if name in _IGNORED:
        return JOIN, state  # SB5
    if state == "Cased" and name == "ATerm":
        return JOIN, "CasedATerm"
    if state == "Waiting":
        if name == "Lower":
            return RESOLVE, initial  # SB8
        decided = name in ("OLetter", "Upper", *_PARAGRAPH, *_TERMS)
        return (BREAK_AT_WAIT, initial) if decided else (JOIN, "Waiting")
    if state in _AFTER_TERM:
        return _step_after_term(state, name, initial)
    return JOIN, initial  # SB998


def _step_after_term(state: str, name: str, initial: str) -> tuple[int, str]:
    full_stop = not state.startswith("STerm")
    if state in ("CasedATerm", "ATerm") and name == "Numeric":
        return JOIN, initial  # SB6
    if state == "CasedATerm" and name == "Upper":
        return JOIN, initial  # SB7
    if full_stop and name == "Lower":
        return JOIN, initial  # SB8
    if name == "SContinue" or name in _TERMS or name in _PARAGRAPH:
        return JOIN, initial  # SB8a, SB9, SB10
    if name == "Sp":
        return JOIN, "ATermSp" if full_stop else "STermSp"  # SB9, SB10
    if name == "Close" and not state.endswith("Sp"):
        return JOIN, "ATermClose" if full_stop else "STerm"  # SB9
    if full_stop and name not in ("OLetter", "Upper"):
        return WAIT, "Waiting"  # SB8, perhaps
    return BREAK, initial  # SB11


def sentence_transitions() -> NDArray[Any]:
    """Table over (state, class). State 0 is an empty sentence."""
    table = np.zeros(len(_STATES) << CLASS_BITS, np.uint8)
    for number, state in enumerate(_STATES):
        for column, name in enumerate(SENTENCE_CLASSES):
            action, following = _step(state, name)
            table[(number << CLASS_BITS) | column] = _STATES.index(following) << 3 | action
    return table
