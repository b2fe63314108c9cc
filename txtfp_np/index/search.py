"""What can be asked of an LSH index: the half of :class:`LshIndex` that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns import resolve_threads
from ..errors import InvalidInputError
from ..options import check_count, check_flag
from ..schema.signatures import Signatures, minhash_dtype
from .arguments import Banded, check_config_hash, check_ids, check_signatures, slots_needed
from .join import PAIR, join_blocks
from .queries import Answer, Question, ask
from .snapshot import Snapshot

Similarities: TypeAlias = NDArray[np.float32]
_BLOCK = 1 << 16
_ALL = 1 << 32  # more rows than there can be


class LshSearch(Banded):
    """Signatures by the bands in which they agree, for reading. Each call sees one snapshot."""

    _snapshot: Snapshot

    # ── what it is ──────────────────────────────────────────────────────────────────────────────
    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, those that are mapped from files included."""
        snapshot = self._snapshot
        total = snapshot.dead.nbytes + snapshot.words_at.nbytes + snapshot.ids_at.nbytes
        total += sum(s.lines.nbytes for s in snapshot.segments)
        total += sum(extent.ids.nbytes + extent.words.nbytes for extent in snapshot.extents)
        if snapshot.tail is not None:
            total += snapshot.tail.ids.nbytes + snapshot.tail.words.nbytes + snapshot.tail.keys.nbytes
        return total

    def __len__(self) -> int:
        return len(self._snapshot)

    def __contains__(self, id: object) -> bool:
        try:
            ids, alone = check_ids(id)
        except InvalidInputError:
            return False
        return alone and bool(self._snapshot.find(ids)[0] >= 0)

    def __iter__(self) -> Iterator[int]:
        """Ids in the order of their insertion, as they were when the iteration began."""
        for ids, _ in self._snapshot.live(_BLOCK):
            yield from ids.tolist()

    def _highest_id(self) -> int:
        return max((int(ids.max()) for ids, _ in self._snapshot.live(_BLOCK) if len(ids)), default=-1)

    def __repr__(self) -> str:
        bands, rows, h = self._geometry
        return f"{type(self).__name__}(bands={bands}, rows={rows}, h={h}, n={len(self)})"

    def get(self, id: object) -> np.void | None:
        """Signature of an id.

        Parameters
        ----------
        id : int

        Returns
        -------
        record or None
            A copy; None if the id is not there.
        """
        ids, alone = check_ids(id)
        if not alone:
            raise InvalidInputError("get takes one id", argument="id")
        snapshot = self._snapshot
        row = int(snapshot.find(ids)[0])
        return None if row < 0 else self._record(snapshot, row)

    def _record(self, snapshot: Snapshot, row: int) -> np.void:
        words = snapshot.row_words(row).copy()
        return words.view(minhash_dtype(self.h))[0]  # type: ignore[no-any-return]

    # ── asking it ───────────────────────────────────────────────────────────────────────────────
    def query(
        self,
        sigs: Signatures | np.void,
        *,
        k: int | None = None,
        return_similarity: bool = False,
        threads: int | None = None,
        config_hash: int | None = None,
    ) -> Any:
        """Ids that share at least one band with a signature.

        Parameters
        ----------
        sigs : record, or array (n,) of minhash_dtype(h)
        k : int, optional
            Keep only the k most similar, most similar first; equally similar ones in the usual order.
        return_similarity : bool
            Give the estimated Jaccard similarity, too.
        threads, config_hash
            As in :meth:`insert`.

        Returns
        -------
        uint64 (m,)
            For one record: ids in the order of the crate, that is by the first band that is shared, and
            within a band by insertion.
        indptr : int64 (n + 1,), ids : uint64 (m,)
            For an array, even of length 1: those of row i are ``ids[indptr[i]:indptr[i + 1]]``.
        similarity : float32 (m,)
            Last, if asked for.
        """
        best = None if k is None else min(check_count("k", k, 0), _ALL)
        exact = check_flag("return_similarity", return_similarity) or best is not None
        question = Question(self.bands, self.rows, None, exact, best)
        return self._asked(sigs, question, return_similarity, threads, config_hash)

    def query_with_threshold(
        self,
        sigs: Signatures | np.void,
        threshold: float,
        *,
        k: int | None = None,
        return_similarity: bool = False,
        threads: int | None = None,
        config_hash: int | None = None,
    ) -> Any:
        """Ids that share a band with a signature and are at least so similar to it.

        Parameters
        ----------
        sigs : record, or array (n,) of minhash_dtype(h)
        threshold : float
            Least share of equal slots, taken as a single-precision number between 0 and 1. NaN: nothing
            is that similar.
        k, return_similarity, threads, config_hash
            As in :meth:`query`.

        Returns
        -------
        As :meth:`query`.

        Examples
        --------
        >>> sigs = np.zeros(2, minhash_dtype(4))
        >>> sigs["hashes"] = [[1, 2, 3, 4], [1, 2, 3, 5]]
        >>> from txtfp_np.index import LshIndex
        >>> index = LshIndex(2, 2, 4)
        >>> index.insert([7, 8], sigs)
        >>> index.query_with_threshold(sigs[0], 0.75, return_similarity=True)
        (array([7, 8], dtype=uint64), array([1.  , 0.75], dtype=float32))
        """
        best = None if k is None else min(check_count("k", k, 0), _ALL)
        exact = check_flag("return_similarity", return_similarity) or best is not None
        needed = slots_needed(threshold, self.h)
        # more slots than there are: nothing passes
        question = Question(self.bands, self.rows, self.h + 1 if needed is None else needed, exact, best)
        return self._asked(sigs, question, return_similarity, threads, config_hash)

    def _asked(
        self, sigs: object, question: Question, similarity: bool, threads: int | None, config_hash: int | None
    ) -> Any:
        n_threads = resolve_threads(threads)
        check_config_hash(self._config_hash, config_hash)
        words, alone = check_signatures(sigs, self.h)
        answer = ask(self._snapshot, words, question, n_threads)
        extra = (self._similarities(answer),) if similarity else ()
        if alone:
            return (answer.ids, *extra) if similarity else answer.ids
        indptr = np.zeros(len(words) + 1, np.int64)
        np.cumsum(answer.counts, out=indptr[1:])
        return indptr, answer.ids, *extra

    def _similarities(self, answer: Answer) -> Similarities:
        assert answer.equal is not None
        return answer.equal.astype(np.float32) / np.float32(self.h)

    def self_join(self, threshold: float) -> NDArray[np.void]:
        """All pairs of stored signatures that share a band and are at least so similar.

        See :meth:`iter_self_join`, of whose blocks this is the concatenation.

        Returns
        -------
        structured array
            ``a <u8, b <u8, similarity <f4``: ids, the older one first.

        Examples
        --------
        >>> sigs = np.zeros(3, minhash_dtype(4))
        >>> sigs["hashes"] = [[1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 3, 4]]
        >>> from txtfp_np.index import LshIndex
        >>> index = LshIndex(2, 2, 4)
        >>> index.insert([7, 8, 9], sigs)
        >>> index.self_join(0.5).tolist()
        [(7, 9, 1.0), (7, 8, 0.75)]
        """
        blocks = list(self.iter_self_join(threshold))
        return np.concatenate(blocks) if blocks else np.empty(0, PAIR)

    def iter_self_join(self, threshold: float) -> Iterator[NDArray[np.void]]:
        """Blocks of the pairs that :meth:`self_join` gives, in bounded memory.

        Parameters
        ----------
        threshold : float
            As in :meth:`query_with_threshold`.

        Yields
        ------
        structured array
            ``a <u8, b <u8, similarity <f4``.

        Notes
        -----
        Signatures that are equal in all slots are paired with the oldest of them only, and only that
        one takes part in further pairs: n equal signatures cost n - 1 pairs, not n * (n - 1) / 2. The
        connected components of the pairs are the same. Every other pair occurs once. Memory: about 40
        bytes a signature besides the index.
        """
        needed = slots_needed(threshold, self.h)
        if needed is None:
            return iter(())
        return join_blocks(self._snapshot, self._geometry, needed)
