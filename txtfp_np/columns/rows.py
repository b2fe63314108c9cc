"""Some rows of a column, gathered block by block: for a second pass over a part of the documents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .blocks import block_bounds
from .text import TextColumn


class TextRows:
    """Rows of a column as a source of blocks; never more than a block of text is copied at a time.

    Parameters
    ----------
    column : TextColumn
    rows : int64 (m,)
        Which rows, in which order.

    Examples
    --------
    >>> from txtfp_np.columns import iter_text_blocks
    >>> rows = TextRows(TextColumn(["a", "b", "c"]), np.array([2, 0]))
    >>> [block.to_list() for block in iter_text_blocks(rows)]
    [['c', 'a']]
    """

    __slots__ = ("column", "rows")

    def __init__(self, column: TextColumn, rows: NDArray[np.int64]) -> None:
        self.column = column
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[str]:
        for block in self.blocks(1 << 18, 1 << 12):
            yield from block

    def blocks(self, block_bytes: int, block_rows: int) -> Iterator[TextColumn]:
        """Columns with their own bytes, or slices of the column if these are all of its rows."""
        offsets = self.column.offsets
        if len(self.rows) == len(self.column) and np.array_equal(self.rows, np.arange(len(self.rows))):
            for first, stop in block_bounds(offsets, block_bytes, block_rows):
                yield self.column[first:stop]
            return
        ends = np.zeros(len(self.rows) + 1, np.int64)
        np.cumsum(offsets[self.rows + 1] - offsets[self.rows], out=ends[1:])
        for first, stop in block_bounds(ends, block_bytes, block_rows):
            yield self.column.take(self.rows[first:stop])
