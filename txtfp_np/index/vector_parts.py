"""What an index of vectors holds at one moment, and how it changes: parts that are never written to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..columns.checks import read_only
from ..errors import InvalidInputError
from .nearest import Ids, Part
from .vector_files import Stored, merged

_MANY_DEAD = 1 << 12


class State(NamedTuple):
    """What the index holds at one moment; rows keep their numbers as long as ``epoch`` is the same."""

    parts: tuple[Part, ...] = ()
    dim: int | None = None
    model_id: str | None = None
    epoch: int = 0


def following(parts: Sequence[Part], n: int) -> Ids:
    """The ids that follow the highest one."""
    highest = max((int(part.ids.max()) for part in parts if len(part)), default=-1)
    if highest + n >= 1 << 64:
        raise InvalidInputError(f"ids must be given: none of {n} would follow {highest}", argument="ids")
    return np.arange(n, dtype=np.uint64) + np.uint64(highest + 1)


def without(parts: Sequence[Part], ids: Ids) -> tuple[tuple[Part, ...], int]:
    """The parts without some ids, and how many of these were there."""
    left, n = [], 0
    for part in parts:
        gone = np.isin(part.ids, ids)
        if part.alive is not None:
            gone &= part.alive
        if gone.any():
            n += int(gone.sum())
            alive = ~gone if part.alive is None else part.alive & ~gone
            part = Part(part.ids, part.held, part.codes, read_only(alive), part.name)
        left.append(part)
    return tuple(left), n


def grown(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Parts in memory, merged so that there are few; rows keep their numbers."""
    held = list(parts)
    while len(held) > 1 and held[-2].name is None and len(held[-2]) < 2 * len(held[-1]):
        last, before = held.pop(), held.pop()
        alive = None
        if before.alive is not None or last.alive is not None:
            masks = [np.ones(len(part), np.bool_) if part.alive is None else part.alive for part in (before, last)]
            alive = read_only(np.concatenate(masks))
        whole = merged([Part(part.ids, part.held, part.codes) for part in (before, last)])
        held.append(Part(whole.ids, whole.held, whole.codes, alive))
    return tuple(held)


def thinned(state: State, stored: Stored | None) -> State:
    """The same, or without its dead rows if most rows are: they cost memory, and time in every query."""
    n, n_dead = sum(map(len, state.parts)), sum(part.n_dead for part in state.parts)
    if stored is not None or n_dead < _MANY_DEAD or 2 * n_dead < n:
        return state
    return state._replace(parts=(merged(state.parts),), epoch=state.epoch + 1)
