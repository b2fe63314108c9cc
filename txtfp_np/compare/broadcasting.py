"""One pair, a column against one, all pairs: NumPy's broadcasting for things compared by kernels.

All pairs of two columns are worked off in tiles on threads, everything else as a stream of index
pairs. Besides the result only a few tiles of memory are taken, never a copy of the operands at the
shape of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, resolve_threads, run_blocks
from ..columns.checks import read_only
from ..errors import InvalidInputError
from .arrays import as_array

Shape: TypeAlias = tuple[int, ...]
Indices: TypeAlias = NDArray[np.int64]

_TILE_COLUMNS = 1 << 12
_PAIRS_A_BLOCK = 1 << 16


class Tile(NamedTuple):
    """A part of all pairs: first and last but one row, first and last but one column."""

    rows: tuple[int, int]
    columns: tuple[int, int]


WorkPairs: TypeAlias = Callable[[Indices, Indices, NDArray[Any]], object]
WorkTile: TypeAlias = Callable[[Tile, NDArray[Any]], object]


class Comparison(NamedTuple):
    """How two operands, flattened to ``(n, ...)`` and ``(m, ...)``, are compared.

    ``pairs(i, j, out)`` compares chosen rows. ``all_pairs(swapped)`` gives a function that compares
    a tile of all with all, the operands exchanged if ``swapped``. ``dtype`` is that of the result,
    ``tile_pairs`` the size of a tile.
    """

    pairs: WorkPairs
    all_pairs: Callable[[bool], WorkTile]
    dtype: type[np.generic]
    tile_pairs: int


def compare_all(comparison: Comparison, a: Shape, b: Shape, threads: int | None) -> Any:
    """Result of broadcasting operands of shapes ``a`` and ``b``; a NumPy scalar if it has no axis."""
    n_threads = resolve_threads(threads)
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        raise InvalidInputError(f"shapes {a} and {b} do not broadcast") from None
    out = np.empty(shape, comparison.dtype)
    if out.size:
        size_a, size_b = int(np.prod(a)), int(np.prod(b))
        if _is_outer(a, b, shape):
            _run_tiles(comparison, False, out.reshape(size_a, size_b), n_threads)
        elif _is_outer(b, a, shape):
            _run_tiles(comparison, True, out.reshape(size_b, size_a), n_threads)
        else:
            _run_pairs(comparison.pairs, _index_blocks(a, b, shape), out.reshape(-1), n_threads)
    return out[()]


def compare_pairs(comparison: Comparison, n: int, i: object, j: object, threads: int | None) -> Any:
    """Result for rows ``i`` and ``j`` of one operand of ``n`` rows."""
    n_threads = resolve_threads(threads)
    first, second = _check_indices("i", i, n), _check_indices("j", j, n)
    try:
        shape = np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise InvalidInputError(f"shapes {first.shape} of i and {second.shape} of j do not broadcast") from None
    out = np.empty(shape, comparison.dtype)
    # a broadcast index array is small beside what it points to
    flat_i = np.broadcast_to(first, shape).reshape(-1)
    flat_j = np.broadcast_to(second, shape).reshape(-1)

    def blocks() -> Iterator[tuple[int, Indices, Indices]]:
        for begin in range(0, out.size, _PAIRS_A_BLOCK):
            part = slice(begin, begin + _PAIRS_A_BLOCK)
            yield begin, _as_indices(flat_i[part]), _as_indices(flat_j[part])

    _run_pairs(comparison.pairs, blocks(), out.reshape(-1), n_threads)
    return out[()]


def _is_outer(a: Shape, b: Shape, shape: Shape) -> bool:
    """Whether ``a`` varies along leading axes only, and ``b`` along all the others only."""
    padded_a = (1,) * (len(shape) - len(a)) + a
    padded_b = (1,) * (len(shape) - len(b)) + b
    axis = 0
    while axis < len(shape) and padded_b[axis] == 1:
        axis += 1
    return all(n == 1 for n in padded_a[axis:])


def _run_tiles(comparison: Comparison, swapped: bool, out: NDArray[Any], threads: int) -> None:
    work = comparison.all_pairs(swapped)
    n_rows, n_columns = out.shape
    if out.size <= comparison.tile_pairs:
        work(Tile((0, n_rows), (0, n_columns)), out)
        return
    width = min(n_columns, max(_TILE_COLUMNS, comparison.tile_pairs // n_rows))
    height = max(1, comparison.tile_pairs // width)

    def tiles() -> Iterator[Tile]:
        for row in range(0, n_rows, height):
            for column in range(0, n_columns, width):
                yield Tile((row, min(row + height, n_rows)), (column, min(column + width, n_columns)))

    def run(tile: Tile, scratch: Scratch) -> None:
        work(tile, out)

    run_blocks(tiles(), run, _ignore, threads=threads)


def _run_pairs(
    work: WorkPairs,
    blocks: Iterator[tuple[int, Indices, Indices]],
    out: NDArray[Any],
    threads: int,
) -> None:
    def run(block: tuple[int, Indices, Indices], scratch: Scratch) -> None:
        begin, i, j = block
        work(i, j, out[begin : begin + len(i)])

    run_blocks(blocks, run, _ignore, threads=threads)


def _ignore(result: None) -> None:
    """Results are written where they belong by the workers."""


def _index_blocks(a: Shape, b: Shape, shape: Shape) -> Iterator[tuple[int, Indices, Indices]]:
    """Flat positions in both operands for every place of the result, in its order."""
    if a == b:  # row against row, which needs no iterator
        n = int(np.prod(shape))
        for begin in range(0, n, _PAIRS_A_BLOCK):
            rows = read_only(np.arange(begin, min(begin + _PAIRS_A_BLOCK, n), dtype=np.int64))
            yield begin, rows, rows
        return
    positions = [np.broadcast_to(np.arange(np.prod(side), dtype=np.int64).reshape(side), shape) for side in (a, b)]
    flags: Any = ["external_loop", "buffered", "zerosize_ok"]
    begin = 0
    for i, j in np.nditer(positions, flags=flags, order="C", buffersize=_PAIRS_A_BLOCK):
        # the iterator uses its buffers again, maybe before a worker has come to this block
        yield begin, read_only(i.copy()), read_only(j.copy())
        begin += len(i)


def _as_indices(part: NDArray[Any]) -> Indices:
    return read_only(np.ascontiguousarray(part, np.int64))


def _check_indices(argument: str, given: object, n: int) -> NDArray[Any]:
    indices = as_array(argument, given)
    if indices.dtype.kind not in "iu":
        if indices.size == 0 and not isinstance(given, np.ndarray):  # an empty list has no dtype of its own
            return indices.astype(np.int64)
        raise InvalidInputError(f"{argument} must hold integers, got dtype {indices.dtype}", argument=argument)
    if indices.size and (indices.min() < 0 or indices.max() >= n):
        place = int(((indices < 0) | (indices >= n)).argmax())
        raise InvalidInputError(
            f"{argument} must lie between 0 and {n - 1}, got {indices.flat[place]} at position {place}"
            if n
            else f"{argument} must be empty, there are no rows",
            argument=argument,
        )
    return indices
