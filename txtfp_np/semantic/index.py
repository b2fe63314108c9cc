"""Search by meaning: the embeddings that are nearest to others."""

from __future__ import annotations

import os
import threading
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..columns import Texts
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError
from ..index.ann import graph_type
from ..index.arguments import check_ids
from ..index.cosine import Directions
from ..index.nearest import Ids, Part
from ..index.vector_files import Stored, merged, open_parts, save_parts
from ..index.vector_parts import State, following, grown, thinned, without
from .column import EmbeddingColumn
from .provider import EmbeddingProvider
from .search import EmbeddingSearch, check_comparable, codes_of

_SEARCHES = ("exact", "codes", "usearch")


class EmbeddingIndex(EmbeddingSearch):
    """Embeddings by ids, and those that are nearest to others by their cosine.

    Parameters
    ----------
    embeddings : EmbeddingColumn, real numbers (n, dim), or column of texts, optional
        To begin with. Texts need a provider.
    ids : n integers, optional
        As in :meth:`insert`.
    search : {"exact", "codes", "usearch"}
        Exact: all products, tile by tile. Codes: only those are compared whose codes of 256 bits are near; this finds
        nearly all, in a fraction of the time. usearch (extra ``ann``): those that a graph names; it is built in memory
        by the first query, from all embeddings, and stays there.
    provider : EmbeddingProvider, optional
        Makes embeddings of texts that are inserted or asked for. It is not saved.

    Raises
    ------
    InvalidInputError, ConfigError
        As of :meth:`insert`.

    Notes
    -----
    Whatever finds candidates, similarities are those of :func:`~txtfp_np.cosine`, and order the answers. Memory is that
    of the embeddings, 8 bytes an id, and with codes 32 bytes more. Queries read a snapshot: any number of threads may
    ask while others insert or remove.

    Examples
    --------
    >>> index = EmbeddingIndex([[1, 0], [3, 4], [0, 2]], ids=[10, 11, 12])
    >>> index
    EmbeddingIndex(3 embeddings, dim=2, search='exact')
    >>> index.query([2, 0], k=2, return_similarity=True)
    (array([10, 11], dtype=uint64), array([1. , 0.6], dtype=float32))
    >>> indptr, ids = index.query([[0, 1], [1, 0]], k=None, threshold=0.7)
    >>> ids[indptr[0]:indptr[1]], ids[indptr[1]:indptr[2]]
    (array([12, 11], dtype=uint64), array([10], dtype=uint64))
    """

    def __init__(
        self,
        embeddings: EmbeddingColumn | ArrayLike | Texts | None = None,
        ids: object = None,
        *,
        search: str = "exact",
        provider: EmbeddingProvider | None = None,
    ) -> None:
        if search not in _SEARCHES:
            raise ConfigError(
                f"search must be 'exact', 'codes' or 'usearch', got {search!r}",
                argument="search",
            )
        if search == "usearch":
            graph_type()  # before there is anything to lose
        self._begin(State(), search, provider)
        if embeddings is not None:
            self.insert(embeddings, ids)

    def _begin(self, state: State, search: str, provider: EmbeddingProvider | None) -> None:
        self._state, self._search, self._provider = state, search, provider
        self._lock = threading.RLock()
        self._stored: Stored | None = None
        self._graph = None

    # ── changing it ─────────────────────────────────────────────────────────────────────────────
    def insert(self, embeddings: EmbeddingColumn | ArrayLike | Texts, ids: object = None) -> Ids:
        """Add embeddings.

        Parameters
        ----------
        embeddings : EmbeddingColumn, real numbers (n, dim), or column of texts
            Copied.
        ids : n integers, optional
            From 0 to 2**64 - 1. An id that is there already, also earlier in the same call, is removed and
            then added at the end. None: those that follow the highest one.

        Returns
        -------
        uint64 (n,)
            The ids.

        Raises
        ------
        InvalidInputError
            If these are no embeddings, one of them has length 0 or is not finite (with ``.row``), or there are not as
            many ids. Nothing is added then.
        ModelMismatchError, DimensionMismatchError
            If they cannot be compared with those that are there.

        Examples
        --------
        >>> index = EmbeddingIndex([[1, 0], [3, 4]])
        >>> index.insert([[0, 1]]), index.insert([[5, 5]], ids=0), index.ids
        (array([2], dtype=uint64), array([0], dtype=uint64), array([1, 2, 0], dtype=uint64))
        """
        column, _ = self._embeddings(embeddings, "embeddings", queries=False)
        numbers = None if ids is None else check_ids(ids)[0]
        if numbers is not None and len(numbers) != len(column):
            raise InvalidInputError(f"{len(numbers)} ids for {len(column)} embeddings", argument="ids")
        vectors = column.vectors.copy()
        codes = codes_of(vectors) if self._search == "codes" else None
        with self._lock:
            state = self._state
            check_comparable(state, column, "embeddings")
            if numbers is None:
                numbers = following(state.parts, len(column))
            if len(numbers) == 0:
                return numbers
            parts, _ = without(state.parts, numbers)
            last = np.zeros(len(numbers), np.bool_)
            last[len(numbers) - 1 - np.unique(numbers[::-1], return_index=True)[1]] = True
            alive = None if last.all() else read_only(last)
            turned = None if codes is None else read_only(np.ascontiguousarray(codes.T))
            parts = (*parts, Part(read_only(numbers.copy()), Directions(read_only(vectors)), turned, alive))
            model_id = column.model_id if state.model_id is None else state.model_id
            self._state = thinned(State(grown(parts), column.dim, model_id, state.epoch), self._stored)
        return numbers

    def remove(self, ids: object) -> int:
        """Remove ids; how many of them were there.

        Parameters
        ----------
        ids : int, or n integers

        Returns
        -------
        int

        Examples
        --------
        >>> index = EmbeddingIndex([[1, 0], [3, 4]])
        >>> index.remove([1, 5]), index.remove(1), 1 in index
        (1, 0, False)
        """
        numbers, _ = check_ids(ids)
        with self._lock:
            parts, n = without(self._state.parts, numbers)
            self._state = thinned(self._state._replace(parts=parts), self._stored)
        return n

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────
    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index to a folder.

        Into the folder it was opened from, or saved to last, only what is new is written. Elsewhere all
        of it is. From then on the index uses the files.

        Parameters
        ----------
        folder : path
            Made if it does not exist. Another index of this kind there is replaced.

        Raises
        ------
        OSError
            If it cannot be written; what was in the folder before stays valid.
        ConfigError
            If another process saved to it since it was opened.
        InvalidInputError
            If the folder holds something else.
        """
        with self._lock:
            self._save(folder, whole=False)

    def _save(self, folder: str | os.PathLike[str], whole: bool) -> None:
        state = self._state
        meta = {"dim": state.dim, "model_id": state.model_id, "search": self._search, "n": len(self)}
        saved = save_parts(folder, meta, state.parts, self._stored, whole=whole)
        parts, self._stored = saved
        self._state = state._replace(parts=parts, epoch=state.epoch + 1)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, provider: EmbeddingProvider | None = None) -> Self:
        """Open a saved index, memory-mapped.

        Sizes of files, headers and the manifest are checked, :meth:`verify` checks the rest.

        Parameters
        ----------
        folder : path
        provider : EmbeddingProvider, optional
            As for the class.

        Returns
        -------
        EmbeddingIndex
            Changes of it stay in memory until it is saved.

        Raises
        ------
        InvalidInputError
            If the folder is no such index, or a file is missing or cut short; the text names it.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     EmbeddingIndex([[1, 0], [3, 4]]).save(folder)
        ...     EmbeddingIndex.open(folder)
        EmbeddingIndex(2 embeddings, dim=2, search='exact')
        """
        parts, stored, meta = open_parts(folder)
        index = cls(search=meta["search"], provider=provider)
        index._state = State(parts, meta["dim"], meta["model_id"])
        index._stored = stored
        return index

    def verify(self) -> None:
        """Read all files and compare them with their checksums; nothing to do for an index in memory.

        Raises
        ------
        InvalidInputError
            If a file was altered; the text names it.
        """
        stored = self._stored
        if stored is not None:
            stored.store.verify()

    def compact(self) -> None:
        """Make one segment of all, without what was removed. A stored index is saved by that."""
        with self._lock:
            if self._stored is not None:
                self._save(self._stored.store.folder, whole=True)
            elif self._state.parts:
                parts, epoch = (merged(self._state.parts),), self._state.epoch + 1
                self._state = self._state._replace(parts=parts, epoch=epoch)

    def __reduce__(self) -> tuple[Any, ...]:
        # neither locks, files nor graphs travel, and providers hold keys or sessions
        state = self._state
        parts = tuple((part.ids, part.held.vectors) for part in (merged(state.parts),)) if state.parts else ()
        return _rebuild, (self._search, state.dim, state.model_id, parts)


def _rebuild(search: str, dim: int | None, model_id: str | None, parts: Any) -> EmbeddingIndex:
    index = EmbeddingIndex(search=search)
    index._state = State((), dim, model_id)
    for ids, vectors in parts:
        index.insert(EmbeddingColumn(vectors, model_id), ids)
    return index
