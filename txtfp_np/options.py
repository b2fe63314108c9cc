"""Checking options: one wording for every class and function that takes them."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

import numpy as np

from .errors import ConfigError

Choice = TypeVar("Choice", bound=StrEnum)


def check_choice(argument: str, value: object, choices: type[Choice]) -> Choice:
    """The member of ``choices`` that ``value`` names.

    Examples
    --------
    >>> class Size(StrEnum):
    ...     SMALL = "small"
    ...     LARGE = "large"
    >>> check_choice("size", "huge", Size)
    Traceback (most recent call last):
    txtfp_np.errors.ConfigError: config error: size must be 'small' or 'large', got 'huge'
    """
    if isinstance(value, str):
        try:
            return choices(value)
        except ValueError:
            pass
    names = [repr(str(choice)) for choice in choices]
    listed = " or ".join([", ".join(names[:-1]), names[-1]])
    raise ConfigError(f"{argument} must be {listed}, got {value!r}", argument=argument)


def check_flag(argument: str, value: object) -> bool:
    """``value`` if it is a bool; truthy things are refused, they are mostly misplaced arguments."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ConfigError(f"{argument} must be True or False, got {value!r}", argument=argument)


def check_count(argument: str, value: object, least: int = 0, most: int | None = None) -> int:
    """``value`` as an int between ``least`` and ``most``."""
    is_int = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if is_int and least <= value and (most is None or value <= most):  # type: ignore[operator]
        return int(value)  # type: ignore[call-overload,no-any-return]
    upper = "" if most is None else f" and <= {most}"
    raise ConfigError(f"{argument} must be an int >= {least}{upper}, got {value!r}", argument=argument)
