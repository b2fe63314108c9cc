"""Blocks of bits: which fingerprints must meet, and how many blocks make that cheap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import comb, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..errors import ConfigError
from ..options import check_count

MAX_BLOCKS = 64
_MAX_COMBINATIONS = 20_000

# Nanoseconds of one core of a Zen 5; only their ratios matter
_PASS_NS = 7.0  # a fingerprint into its bucket, once a combination
_COMPARE_NS = 0.15  # two fingerprints, eight at a time
_LOOKUP_NS = 40.0  # a probe into a bucket, once a table
_MAX_TABLES = 24  # of 12 bytes a fingerprint each
_SAMPLE = 1 << 13
_SAMPLE_FROM = 1 << 16  # below, no choice of blocks is slow


def equal_masks(blocks: int, bits: int = 64) -> tuple[int, ...]:
    """Blocks of nearly the same width: block ``i`` holds bits ``bits*i//blocks`` up to ``bits*(i+1)//blocks``.

    Parameters
    ----------
    blocks : int
        How many.
    bits : int
        Width of a fingerprint.

    Returns
    -------
    tuple of int
        One mask a block, that of the lowest bits first.

    Examples
    --------
    >>> [mask.bit_count() for mask in equal_masks(6)]
    [10, 11, 11, 10, 11, 11]
    """
    bounds = [bits * block // blocks for block in range(blocks + 1)]
    return tuple((1 << end) - (1 << begin) for begin, end in pairwise(bounds))


def check_blocks(blocks: object, max_distance: int, bits: int) -> int:
    """``blocks`` if so many can be made and some agree whenever ``max_distance`` bits differ."""
    most = min(MAX_BLOCKS, bits)
    count = check_count("blocks", blocks, 1, most)
    if count <= max_distance:
        raise ConfigError(
            f"blocks must be greater than max_distance, got {count} and {max_distance}",
            argument="blocks",
            advice="With no more blocks than differing bits, every block may differ.",
        )
    return count


def check_masks(masks: object, max_distance: int, bits: int) -> tuple[int, ...]:
    """``masks`` if they are runs of bits that together are all bits, each once."""
    try:
        given = list(masks)  # type: ignore[call-overload]
    except TypeError:
        given = [None]
    if not all(isinstance(mask, (int, np.integer)) and not isinstance(mask, bool) for mask in given):
        raise ConfigError(f"masks must be a sequence of ints, got {masks!r}", argument="masks")
    given = [int(mask) for mask in given]
    seen = 0
    for mask in given:
        lowest = mask & -mask
        if mask <= 0 or mask >> bits or (mask + lowest) & mask:
            raise ConfigError(f"masks must each be one run of the {bits} bits, got {mask:#x}", argument="masks")
        if seen & mask:
            raise ConfigError(f"masks must not overlap, got {mask:#x} twice", argument="masks")
        seen |= mask
    if seen != (1 << bits) - 1:
        raise ConfigError(
            f"masks must hold all {bits} bits, {seen ^ ((1 << bits) - 1):#x} is in none", argument="masks"
        )
    check_blocks(len(given), max_distance, bits)
    return tuple(given)


@dataclass(frozen=True)
class Plan:
    """Blocks, and the combinations of them by which fingerprints are put into buckets.

    Attributes
    ----------
    masks : tuple of int
        Bits of each block.
    max_distance : int
        Fingerprints with so many differing bits agree in ``len(masks) - max_distance`` blocks.
    bits : int
        Width of a fingerprint.

    Examples
    --------
    >>> plan = Plan(equal_masks(4), 3, 64)
    >>> plan.combinations, plan.key_bits
    (((0,), (1,), (2,), (3,)), 16)
    """

    masks: tuple[int, ...]
    max_distance: int
    bits: int

    def __reduce__(self) -> tuple[Any, ...]:
        # arrays that were made meanwhile would come back writable, and kernels compile again for these
        return Plan, (self.masks, self.max_distance, self.bits)

    @cached_property
    def combinations(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the blocks of each combination, in lexicographic order."""
        n_blocks = len(self.masks)
        return tuple(combinations(range(n_blocks), n_blocks - self.max_distance))

    @cached_property
    def key_bits(self) -> int:
        """Width of the narrowest combination."""
        widths = sorted(mask.bit_count() for mask in self.masks)
        return sum(widths[: len(widths) - self.max_distance])

    @cached_property
    def blocks(self) -> NDArray[np.uint64]:
        """``uint64[m, 2]`` for kernels: low and high word of each mask."""
        return read_only(np.array([_halves(mask) for mask in self.masks], np.uint64))

    @cached_property
    def rows(self) -> NDArray[np.uint64]:
        """``uint64[t, 5]`` for kernels: masks, rotations and set of blocks of each combination."""
        rows = []
        for chosen in self.combinations:
            low, high = _halves(sum(self.masks[block] for block in chosen))
            rows.append([low, high, -low.bit_length() % 64, -high.bit_length() % 64, sum(1 << b for b in chosen)])
        return read_only(np.array(rows, np.uint64))


def _halves(mask: int) -> tuple[int, int]:
    return mask & ((1 << 64) - 1), mask >> 64


def _candidates(max_distance: int, bits: int, most: int) -> Iterator[Plan]:
    """Plans of more and more blocks; the first always."""
    for count in range(max_distance + 1, min(MAX_BLOCKS, bits) + 1):
        if count > max_distance + 1 and comb(count, max_distance) > most:
            return
        yield Plan(equal_masks(count, bits), max_distance, bits)


def plan_for_pairs(low: NDArray[np.uint64], high: NDArray[np.uint64], max_distance: int, bits: int) -> Plan:
    """Plan by which all close pairs of a column of distinct values are found soonest.

    The cost is one pass over the column a combination, and a comparison of all that share a bucket.
    """
    crowd = _Crowd(low, high)
    n = crowd.n

    def cost(plan: Plan) -> tuple[float, float]:
        passes = comb(len(plan.masks), max_distance) * n * _PASS_NS
        return passes, passes + n * n / 2 * crowd.meetings(plan, log2(n)) * _COMPARE_NS

    return _cheapest(_candidates(max_distance, bits, _MAX_COMBINATIONS), cost)


def plan_for_probes(
    low: NDArray[np.uint64], high: NDArray[np.uint64], max_distance: int, bits: int, n: int | None = None
) -> Plan:
    """Plan by which the neighbours of a probe are found soonest, within some memory.

    ``n``: that many fingerprints are expected, like those given.
    """
    crowd = _Crowd(low, high, n)

    def cost(plan: Plan) -> tuple[float, float]:
        lookups = comb(len(plan.masks), max_distance) * _LOOKUP_NS
        return lookups, lookups + crowd.n * crowd.meetings(plan, log2(crowd.n) - 2) * _COMPARE_NS

    return _cheapest(_candidates(max_distance, bits, _MAX_TABLES), cost)


def _cheapest(plans: Iterator[Plan], cost: Callable[[Plan], tuple[float, float]]) -> Plan:
    """Plan of least cost; ``cost`` gives a part that only grows with the number of blocks, and the whole."""
    best = next(plans)
    least = cost(best)[1]
    for plan in plans:
        growing, whole = cost(plan)
        if growing >= least:
            break
        if whole < least:
            best, least = plan, whole
    return best


class _Crowd:
    """How many fingerprints share a bucket.

    As many as random bits would, at least; but real fingerprints crowd, and then want more blocks, so
    in long columns they are counted in a sample.
    """

    def __init__(self, low: NDArray[np.uint64], high: NDArray[np.uint64], n: int | None = None) -> None:
        self.n = max(len(low) if n is None else n, 2)
        self.sample: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None
        if len(low) >= _SAMPLE_FROM:
            places = _sample_of(len(low))
            self.sample = low[places], high[places] if len(high) else high

    def meetings(self, plan: Plan, bucket_bits: float) -> float:
        """Share of all pairs that must be compared, summed over combinations."""
        n_combinations = comb(len(plan.masks), plan.max_distance)
        random = n_combinations * float(2.0 ** -min(plan.key_bits, max(bucket_bits, 1)))
        if self.sample is None or n_combinations > MAX_BLOCKS:
            return random
        return max(random, _agreeing(plan, *self.sample))


def _sample_of(n: int) -> NDArray[np.int64]:
    """Places of some of ``n`` sorted values, the same each time; evenly spaced ones would hardly ever meet."""
    return np.unique(np.random.default_rng(0).integers(0, n, _SAMPLE))


def _agreeing(plan: Plan, low: NDArray[np.uint64], high: NDArray[np.uint64]) -> float:
    """Sum over combinations of the share of pairs of distinct values that agree there."""
    agreeing = 0
    for row in plan.rows:
        keys = (low & row[0]) * np.uint64(0x9E3779B97F4A7C15)
        if len(high):
            keys ^= (high & row[1]) * np.uint64(0xD6E8FEB86659FD93)
        keys.sort()
        sizes = np.diff(np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1], [True]])))
        agreeing += int((sizes * (sizes - 1)).sum())
    return agreeing / max(len(low) * (len(low) - 1), 1)


def resolve_plan(blocks: int | None, masks: Sequence[int] | None, max_distance: int, bits: int) -> Plan | None:
    """Plan that the options name; None if the choice is ours."""
    if masks is not None:
        if blocks is not None and blocks != len(masks):
            raise ConfigError(f"blocks is {blocks!r}, but there are {len(masks)} masks", argument="blocks")
        return _checked(Plan(check_masks(masks, max_distance, bits), max_distance, bits))
    if blocks is not None:
        return _checked(Plan(equal_masks(check_blocks(blocks, max_distance, bits), bits), max_distance, bits))
    return None


def _checked(plan: Plan) -> Plan:
    n_combinations: Any = comb(len(plan.masks), plan.max_distance)
    if n_combinations > _MAX_COMBINATIONS:
        raise ConfigError(
            f"{len(plan.masks)} blocks and max_distance {plan.max_distance} make {n_combinations} combinations, "
            f"at most {_MAX_COMBINATIONS} are possible",
            argument="blocks",
        )
    return plan
