"""Ids, signatures and thresholds as users give them, checked once at the door of an index."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError
from ..options import check_count
from ..schema.signatures import MAX_SLOTS, signature_slots, signature_words
from .tables import Ids, Words

_LIMIT = 1 << 64


class Geometry(NamedTuple):
    """How signatures are cut: ``bands`` of ``rows`` slots each, of ``h`` slots."""

    bands: int
    rows: int
    h: int


class Banded:
    """What every index by bands says of itself."""

    _geometry: Geometry
    _config_hash: int | None

    @property
    def bands(self) -> int:
        """Number of bands."""
        return self._geometry.bands

    @property
    def rows(self) -> int:
        """Slots a band."""
        return self._geometry.rows

    @property
    def h(self) -> int:
        """Slots a signature."""
        return self._geometry.h

    @property
    def config_hash(self) -> int | None:
        """Identity of the configuration that made the signatures, if it was given."""
        return self._config_hash


def check_geometry(bands: object, rows: object, h: object, partial: bool) -> Geometry:
    """Bands and rows that fit ``h``, else the crate's complaint."""
    counts = Geometry(check_count("bands", bands), check_count("rows", rows), check_count("h", h, 1, MAX_SLOTS))
    if counts.bands == 0 or counts.rows == 0:
        raise ConfigError("bands and rows must be > 0", argument="bands")
    used = counts.bands * counts.rows
    shown = f"bands * rows ({counts.bands} * {counts.rows} = {used})"
    if partial and used > counts.h:
        raise ConfigError(f"{shown} must be at most H = {counts.h}", argument="bands")
    if not partial and used != counts.h:
        raise ConfigError(
            f"{shown} must equal H = {counts.h}",
            argument="bands",
            advice="partial=True allows fewer: the first slots are used." if used < counts.h else None,
        )
    return counts


def check_ids(ids: object) -> tuple[Ids, bool]:
    """Ids as ``uint64``, and whether it was one alone."""
    if isinstance(ids, (np.ndarray, np.generic, range)):
        array = np.asarray(ids)
    else:
        array = _from_objects(ids)
    if array.ndim > 1:
        raise InvalidInputError(f"ids must have one axis, got shape {array.shape}", argument="ids")
    flat = array.reshape(-1)
    if flat.dtype.kind == "O":
        flat = _from_objects(flat.tolist())
    if flat.dtype.kind not in "ui":
        wrong = f"{flat[0].item()!r}" if len(flat) else f"dtype {flat.dtype}"
        raise _not_an_id(wrong, 0 if len(flat) and array.ndim else None)
    if flat.dtype.kind == "i":
        below = flat < 0
        if below.any():
            row = int(below.argmax())
            raise _not_an_id(repr(flat[row].item()), row if array.ndim else None)
    return np.ascontiguousarray(flat, np.uint64), array.ndim == 0


def _from_objects(ids: Any) -> NDArray[Any]:
    """Python numbers, or a list, tuple or other iterable of them."""
    if isinstance(ids, (str, bytes)):
        raise _not_an_id(repr(ids), None)
    try:
        items = list(ids)
    except TypeError:
        return np.array(_one_id(ids, None), np.uint64)
    return np.array([_one_id(item, row) for row, item in enumerate(items)], np.uint64)


def _one_id(value: Any, row: int | None) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if whole and 0 <= int(value) < _LIMIT:
        return int(value)
    raise _not_an_id(repr(value), row)


def _not_an_id(shown: str, row: int | None) -> InvalidInputError:
    return InvalidInputError(f"ids must be whole numbers from 0 to 2**64 - 1, got {shown}", row=row, argument="ids")


def check_signatures(sigs: object, h: int) -> tuple[Words, bool]:
    """Words of signatures of ``h`` slots, read-only, and whether it was one record alone."""
    try:
        array: NDArray[Any] = np.asarray(sigs)
    except ValueError as error:  # rows of different length
        raise InvalidInputError(f"sigs must be an array: {error}", argument="sigs") from None
    slots = signature_slots(array.dtype)
    if slots != h:
        got = f"dtype {array.dtype}" if slots is None else f"h = {slots}"
        raise InvalidInputError(f"sigs must be MinHash signatures of h = {h}, got {got}", argument="sigs")
    if array.ndim > 1:
        raise InvalidInputError(f"sigs must have one axis, got shape {array.shape}", argument="sigs")
    return read_only(signature_words(array)), array.ndim == 0


def check_config_hash(mine: int | None, other: object) -> None:
    """Refuse signatures that were made in another way than those of the index."""
    if other is None:
        return
    given = check_count("config_hash", other, 0, _LIMIT - 1)
    if mine is not None and given != mine:
        raise ConfigError(
            f"the index holds signatures of config_hash {mine:#018x}, these have {given:#018x}",
            argument="config_hash",
            advice="Signatures of different configurations cannot be compared.",
        )


def slots_needed(threshold: object, h: int) -> int | None:
    """Least number of equal slots whose share of ``h`` is at least the threshold; None if it is NaN.

    The share and the comparison are those of the crate, in single precision; a threshold beyond 0 or 1
    counts as 0 or 1.

    Examples
    --------
    >>> slots_needed(0.7, 128), slots_needed(-3, 128), slots_needed(float("nan"), 128)
    (90, 0, None)
    """
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float, np.integer, np.floating)):
        raise ConfigError(f"threshold must be a number, got {threshold!r}", argument="threshold")
    value = float(threshold)
    if value != value:
        return None
    limit = np.float32(min(max(value, 0.0), 1.0))
    shares = np.arange(h + 1, dtype=np.float32) / np.float32(h)
    return int((shares >= limit).argmax())
