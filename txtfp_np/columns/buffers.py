"""Memory that stages reuse from block to block, and arrays that grow at their end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Scratch:
    """Buffers that outlive a block.

    Fresh memory is handed out by the kernel page by page, each page zeroed on first touch; a block
    that reuses the buffers of the one before pays for that only once.

    Examples
    --------
    >>> scratch = Scratch()
    >>> first = scratch.take("positions", 100, np.int32)
    >>> first.shape, first.dtype
    ((100,), dtype('int32'))
    >>> np.shares_memory(first, scratch.take("positions", 50, np.int32))
    True
    """

    __slots__ = ("_buffers",)

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[Any]] = {}

    def take(self, name: str, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Array of ``size`` elements, not initialised, valid until ``name`` is taken again.

        Parameters
        ----------
        name : str
            What it is for; two names never share memory.
        size : int
            Number of elements; ask for the slack that a kernel needs, too.
        dtype : dtype
            If it differs from the one before under this name, the buffer is made anew.

        Returns
        -------
        ndarray
            One-dimensional and C-contiguous.
        """
        buffer = self._buffers.get(name)
        if buffer is None or buffer.dtype != dtype:
            buffer = self._buffers[name] = np.empty(size, dtype)
            return buffer
        if len(buffer) < size:
            # Half as much again: blocks of slowly growing size must not reallocate each time.
            buffer = self._buffers[name] = np.empty(max(size, len(buffer) + len(buffer) // 2), dtype)
        return buffer[:size]


class Appender:
    """An array that grows at its end.

    Parameters
    ----------
    dtype : dtype
        Of the elements.
    capacity : int
        Expected number of elements. With a good guess nothing is ever moved.

    Examples
    --------
    >>> appender = Appender(np.int64, 4)
    >>> appender.append(np.array([1, 2])); appender.append(np.array([3]))
    >>> appender.finish()
    array([1, 2, 3])
    """

    __slots__ = ("_array", "_size")

    def __init__(self, dtype: DTypeLike, capacity: int) -> None:
        self._array: NDArray[Any] = np.empty(max(int(capacity), 0), dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, values: NDArray[Any], shift: Any = None) -> None:
        """Copy ``values`` (one-dimensional), plus ``shift`` if given, to the end."""
        needed = self._size + len(values)
        if needed > len(self._array):
            grown = np.empty(max(needed, len(self._array) + len(self._array) // 2), self._array.dtype)
            grown[: self._size] = self._array[: self._size]
            self._array = grown
        if shift is None:
            self._array[self._size : needed] = values
        else:
            np.add(values, shift, out=self._array[self._size : needed])
        self._size = needed

    def cast(self, dtype: DTypeLike) -> Appender:
        """The same content with another dtype."""
        other = Appender(dtype, len(self._array))
        other.append(self.values())
        return other

    def values(self) -> NDArray[Any]:
        """View of everything that was appended so far."""
        return self._array[: self._size]

    def finish(self) -> NDArray[Any]:
        """Everything that was appended; the appender must not be used afterwards.

        Returns
        -------
        ndarray
            The array itself if it is full, a view of it if less than a quarter is unused, else a
            copy: moving a large array costs more than a little unused memory.
        """
        array, size = self._array, self._size
        if size == len(array):
            return array
        if (len(array) - size) * 4 < len(array):
            return array[:size]
        return array[:size].copy()
