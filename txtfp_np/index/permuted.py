"""One permuted table at a time, as Manku and others draw it: for tables and shards on machines of their own.

:class:`~txtfp_np.index.HammingIndex` keeps all tables of a fingerprint in one place and is the faster
way on one machine. Here each table stands alone: what has the same leading blocks is neighbours in
it, so that it can be cut anywhere by its leading byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ConfigError, InvalidInputError
from ..options import check_count
from .blocks import check_blocks, check_masks, equal_masks
from .scan import as_words

_BITS = 64
_SHARD_BITS = 8


def permutations(blocks: int, max_distance: int) -> list[tuple[int, ...]]:
    """Combinations of leading blocks, one a table: enough for every distance up to ``max_distance``.

    Parameters
    ----------
    blocks : int
        More than ``max_distance``, at most 64.
    max_distance : int
        Number of bits, hence of blocks, that may differ.

    Returns
    -------
    list of tuple of int
        ``blocks - max_distance`` blocks each, counted from the lowest bits, in lexicographic order.

    Raises
    ------
    ConfigError
        If there are too few blocks, or too many.

    Examples
    --------
    >>> permutations(4, 3)
    [(0,), (1,), (2,), (3,)]
    >>> len(permutations(6, 3)), len(permutations(5, 3)), len(permutations(7, 2))
    (20, 10, 21)
    """
    distance = check_count("max_distance", max_distance, 0, _BITS - 1)
    count = check_blocks(blocks, distance, _BITS)
    return list(combinations(range(count), count - distance))


class PermutedTable:
    """Fingerprints of 64 bits with some blocks of bits moved to the front, sorted.

    Parameters
    ----------
    blocks : int
        Number of blocks, counted from the lowest bits.
    combination : sequence of int
        Blocks that lead, the first of them at the very front; the others follow in their order.
        ``blocks - len(combination)`` bits may differ.
    fingerprints : uint64 (n,), optional
        What it holds from the start. Each value is in a table once.
    masks : sequence of int, optional
        Blocks of one's own: each a run of bits, together all bits.

    Attributes
    ----------
    max_distance : int
        Number of bits that may differ.
    search_mask : int
        The leading blocks, after permuting.

    Notes
    -----
    A table finds those that agree with the query in *its* leading blocks; all tables of
    :func:`permutations` together find everything.

    References
    ----------
    G. S. Manku, A. Jain, A. Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007, section 3.

    Examples
    --------
    >>> table = PermutedTable(4, (3,), [0x1234_0000_0000_0000, 0x1234_0000_0000_0007])
    >>> [hex(x) for x in table.find(0x1234_0000_0000_0003)]
    ['0x1234000000000000', '0x1234000000000007']
    """

    def __init__(
        self,
        blocks: int,
        combination: Sequence[int],
        fingerprints: ArrayLike = (),
        masks: Sequence[int] | None = None,
    ) -> None:
        count = check_count("blocks", blocks, 1, _BITS)
        self.combination = _check_combination(combination, count)
        self.blocks = count
        self.max_distance = count - len(self.combination)
        self.masks = equal_masks(count) if masks is None else check_masks(masks, self.max_distance, _BITS)
        if len(self.masks) != count:
            raise ConfigError(f"blocks is {count}, but there are {len(self.masks)} masks", argument="blocks")
        order = [*self.combination, *(block for block in range(count) if block not in self.combination)]
        # (mask, shift to the left); blocks are laid down from the front
        self._moves: list[tuple[int, int]] = []
        place = _BITS
        for block in order:
            mask = self.masks[block]
            place -= mask.bit_count()
            self._moves.append((mask, place - (mask & -mask).bit_length() + 1))
        leading = sum(self.masks[block].bit_count() for block in self.combination)
        self.search_mask = (1 << _BITS) - (1 << (_BITS - leading))
        self._keys = np.empty(0, np.uint64)
        self.insert(fingerprints)

    @classmethod
    def tables(cls, blocks: int, max_distance: int, fingerprints: ArrayLike = ()) -> list[PermutedTable]:
        """All tables of :func:`permutations`, each with the same fingerprints.

        Examples
        --------
        >>> [table.combination for table in PermutedTable.tables(3, 1)]
        [(0, 1), (0, 2), (1, 2)]
        """
        return [cls(blocks, combination, fingerprints) for combination in permutations(blocks, max_distance)]

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[int]:
        """Permuted fingerprints in ascending order."""
        return iter(self._keys.tolist())

    def __repr__(self) -> str:
        return f"PermutedTable(blocks={self.blocks}, combination={self.combination}, {len(self)} fingerprints)"

    @property
    def keys(self) -> NDArray[np.uint64]:
        """Permuted fingerprints in ascending order."""
        return self._keys

    def permute(self, fingerprints: ArrayLike) -> Any:
        """Leading blocks to the front.

        Examples
        --------
        >>> hex(PermutedTable(4, (0,)).permute(0x1111_2222_3333_4444))
        '0x4444333322221111'
        """
        return self._moved(fingerprints, self._moves)

    def unpermute(self, keys: ArrayLike) -> Any:
        """Blocks back to where they were: the inverse of :meth:`permute`.

        Examples
        --------
        >>> hex(PermutedTable(4, (0,)).unpermute(0x4444_3333_2222_1111))
        '0x1111222233334444'
        """
        return self._moved(keys, [(_shifted(mask, shift), -shift) for mask, shift in self._moves], "keys")

    def _moved(self, values: ArrayLike, moves: list[tuple[int, int]], argument: str = "fingerprints") -> Any:
        words = as_words(argument, values, _BITS)[:, 0]
        single = np.ndim(values) == 0
        out = np.zeros(len(words), np.uint64)
        for mask, shift in moves:
            block = words & np.uint64(mask)
            out |= block << np.uint64(shift) if shift >= 0 else block >> np.uint64(-shift)
        return out[0] if single else out

    def insert(self, fingerprints: ArrayLike) -> None:
        """Add fingerprints; those that are there already change nothing."""
        keys = self.permute(np.atleast_1d(as_words("fingerprints", fingerprints, _BITS)[:, 0]))
        self._keys = np.union1d(self._keys, keys)

    def remove(self, fingerprints: ArrayLike) -> None:
        """Take fingerprints out; those that are not there change nothing."""
        keys = self.permute(np.atleast_1d(as_words("fingerprints", fingerprints, _BITS)[:, 0]))
        self._keys = np.setdiff1d(self._keys, keys, assume_unique=False)

    def find(self, query: int | np.unsignedinteger[Any]) -> NDArray[np.uint64]:
        """Everything in this table within ``max_distance`` of the query and with the same leading blocks.

        Parameters
        ----------
        query : int

        Returns
        -------
        uint64 (m,)
            Fingerprints as they were inserted, in the order of their permuted forms.
        """
        keys = self._moved(query, self._moves, "query")
        if np.ndim(keys):
            raise InvalidInputError(f"query must be one fingerprint, got {len(keys)}", argument="query")
        key = np.uint64(keys)
        mask = np.uint64(self.search_mask)
        begin, end = self._keys.searchsorted(key & mask), self._keys.searchsorted(key | ~mask, side="right")
        near = self._keys[begin:end]
        near = near[np.bitwise_count(near ^ key) <= self.max_distance]
        return self.unpermute(near)  # type: ignore[no-any-return]

    def find_first(self, query: int | np.unsignedinteger[Any]) -> np.uint64 | None:
        """First of :meth:`find`; None if there is none.

        Examples
        --------
        >>> table = PermutedTable(2, (0,), [0b110, 0b111 << 40])
        >>> table.find_first(1 << 63 | 0b110), table.find_first(5)
        (np.uint64(6), None)
        """
        found = self.find(query)
        return found[0] if len(found) else None

    # ── shards ──────────────────────────────────────────────────────────────────────────────────
    def shard_of(self, fingerprints: ArrayLike) -> Any:
        """Leading byte of each fingerprint, permuted: the shard that holds it and that answers for it.

        Raises
        ------
        ConfigError
            If the leading blocks have less than 8 bits: a query would then concern several shards.

        Examples
        --------
        >>> PermutedTable(4, (3,)).shard_of([0x12 << 56, 0xFF << 56])
        array([ 18, 255], dtype=uint8)
        """
        if self.search_mask >> (_BITS - _SHARD_BITS) != (1 << _SHARD_BITS) - 1:
            raise ConfigError(
                f"shards need {_SHARD_BITS} leading bits, these blocks have {self.search_mask.bit_count()}",
                argument="blocks",
            )
        keys = self.permute(fingerprints)
        return (keys >> np.uint64(_BITS - _SHARD_BITS)).astype(np.uint8)

    def shards(self) -> dict[int, PermutedTable]:
        """The table cut by leading byte, without empty shards.

        Each answers a query that :meth:`shard_of` gives to it exactly as the whole table would.

        Examples
        --------
        >>> table = PermutedTable(4, (3,), [0x12 << 56, 0x12 << 56 | 1, 0xFF << 56])
        >>> {number: len(shard) for number, shard in table.shards().items()}
        {18: 2, 255: 1}
        """
        values = self.unpermute(self._keys)
        owners = self.shard_of(values)
        numbers, begins = np.unique(owners, return_index=True)
        parts = np.split(values, begins[1:])
        return {
            int(number): PermutedTable(self.blocks, self.combination, part, self.masks)
            for number, part in zip(numbers, parts, strict=False)
        }


def _shifted(mask: int, shift: int) -> int:
    return mask << shift if shift >= 0 else mask >> -shift


def _check_combination(combination: object, blocks: int) -> tuple[int, ...]:
    try:
        given: tuple[Any, ...] = tuple(combination)  # type: ignore[arg-type]
    except TypeError:
        given = ()
    whole = all(isinstance(block, (int, np.integer)) and not isinstance(block, bool) for block in given)
    if not whole or not given or len(set(given)) < len(given) or not 0 <= min(given) <= max(given) < blocks:
        raise ConfigError(
            f"combination must name different blocks between 0 and {blocks - 1}, got {combination!r}",
            argument="combination",
        )
    return tuple(int(block) for block in given)
