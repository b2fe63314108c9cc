"""Banded LSH over MinHash signatures: which stored signatures agree with a probe in a whole band."""

from __future__ import annotations

import os
import threading
from typing import Any, Self

import numpy as np

from ..columns import resolve_threads
from ..errors import InvalidInputError
from ..options import check_flag
from ..schema.signatures import Signatures, minhash_dtype
from .arguments import check_config_hash, check_geometry, check_ids, check_signatures
from .persistence import Stored, attach, rewrite, save_changes
from .search import LshSearch
from .snapshot import Snapshot
from .tables import CHUNK, Ids, Words

_BLOCK = 1 << 16
_MANY_DEAD = 1 << 12


class LshIndex(LshSearch):
    """Signatures by the bands in which they agree.

    A signature is cut into ``bands`` of ``rows`` slots; two signatures are candidates of each other if
    they agree in at least one whole band. Results and their order are those of the Rust crate.

    Parameters
    ----------
    bands, rows : int
        ``bands * rows`` must equal ``h``. :class:`LshIndexBuilder` chooses them for a threshold.
    h : int
        Slots of the signatures.
    partial : bool
        Allow ``bands * rows < h``; the first slots are used.
    config_hash : int, optional
        That of the fingerprinter whose signatures are to be indexed. Signatures that are given with
        another one are refused.

    Notes
    -----
    An index is a few sorted arrays: about 11.5 bytes a signature and band, 19.5 bytes an id, and the
    signatures themselves. New signatures are sorted in batches and merged when there are as many new ones as old.
    Queries read a snapshot: any number of threads may ask while others insert or remove.

    Examples
    --------
    >>> from txtfp_np.sketch import MinHashFingerprinter
    >>> fp = MinHashFingerprinter()
    >>> sigs = fp.fingerprint(["a text about one thing", "a text about another", "a text about one thing"])
    >>> index = LshIndex(16, 8, 128, config_hash=fp.config_hash)
    >>> index.insert([10, 11, 12], sigs)
    >>> index.query(sigs[0])
    array([10, 12], dtype=uint64)
    >>> indptr, ids = index.query(sigs)
    >>> indptr, ids
    (array([0, 2, 3, 5]), array([10, 12, 11, 10, 12], dtype=uint64))
    >>> len(index), 11 in index, index.remove(11) == sigs[1], 11 in index
    (3, True, np.True_, False)
    """

    def __init__(
        self,
        bands: int = 16,
        rows: int = 8,
        h: int = 128,
        *,
        partial: bool = False,
        config_hash: int | None = None,
    ) -> None:
        self._geometry = check_geometry(bands, rows, h, check_flag("partial", partial))
        check_config_hash(None, config_hash)
        self._config_hash = None if config_hash is None else int(config_hash)
        self._snapshot = Snapshot.empty()
        self._lock = threading.RLock()
        self._attachment: Stored | None = None

    # ── changing it ─────────────────────────────────────────────────────────────────────────────
    def insert(
        self, ids: object, sigs: Signatures | np.void, *, threads: int | None = None, config_hash: int | None = None
    ) -> None:
        """Add signatures.

        Parameters
        ----------
        ids : int, or n integers
            From 0 to 2**64 - 1. An id that is already there, also earlier in the same call, is removed
            and then added at the end, as the crate does.
        sigs : record, or array (n,) of minhash_dtype(h)
            Copied.
        threads : int, optional
            Threads to use; None: every core this process may use.
        config_hash : int, optional
            Of the fingerprinter that made them; checked against that of the index.

        Raises
        ------
        InvalidInputError
            If an id is not such a number (with ``.row``), the signatures are of another kind, or there
            are not as many ids as signatures. Nothing is added then.
        ConfigError
            If ``config_hash`` is not that of the index.
        """
        n_threads = resolve_threads(threads)
        check_config_hash(self._config_hash, config_hash)
        words, _ = check_signatures(sigs, self.h)
        numbers, _ = check_ids(ids)
        if len(numbers) != len(words):
            raise InvalidInputError(f"{len(numbers)} ids for {len(words)} signatures", argument="ids")
        if len(numbers):
            with self._lock:
                self._snapshot = self._thinned(self._inserted(numbers, words, n_threads))

    def _inserted(self, ids: Ids, words: Words, threads: int) -> Snapshot:
        before, (bands, rows, _) = self._snapshot, self._geometry
        if len(before):
            found = before.find(ids)
            known = found[found >= 0]
            before = before.without(np.unique(known) if len(known) > 1 else known)
        if before.tail_size + len(ids) <= CHUNK:
            return before.with_small(ids, words, rows, bands)
        after = before.without_tail(threads)
        if len(ids) <= CHUNK:
            return after.with_small(ids, words, rows, bands)
        return after.with_rows(ids, words, rows, bands, threads)

    def remove(self, id: object) -> np.void | None:
        """Remove one id.

        Parameters
        ----------
        id : int

        Returns
        -------
        record or None
            The signature it had; None if it was not there.
        """
        ids, alone = check_ids(id)
        if not alone:
            raise InvalidInputError("remove takes one id", argument="id", advice="remove_many takes several.")
        with self._lock:
            rows = self._snapshot.find(ids)
            if rows[0] < 0:
                return None
            record = self._record(self._snapshot, int(rows[0]))
            self._snapshot = self._thinned(self._snapshot.without(rows))
        return record

    def remove_many(self, ids: object) -> int:
        """Remove several ids at once; how many of them were there.

        Parameters
        ----------
        ids : n integers

        Returns
        -------
        int
        """
        numbers, _ = check_ids(ids)
        with self._lock:
            rows = self._snapshot.find(numbers)
            rows = np.unique(rows[rows >= 0])
            self._snapshot = self._thinned(self._snapshot.without(rows))
        return len(rows)

    def _thinned(self, snapshot: Snapshot) -> Snapshot:
        """The same, or without its dead rows if most rows are: they cost memory, and time in every query."""
        if self._attachment is not None or snapshot.n_dead < _MANY_DEAD or snapshot.n_dead < len(snapshot):
            return snapshot
        return rewrite(snapshot, self._geometry, 1)

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────
    def save(self, folder: str | os.PathLike[str], *, threads: int | None = None) -> None:
        """Write the index to a folder.

        Into the folder it was opened from, or saved to last, only what is new is written, as one more
        segment. Elsewhere all of it is. From then on the index uses the files.

        Parameters
        ----------
        folder : path
            Made if it does not exist. Another index there is replaced.
        threads : int, optional
            As in :meth:`insert`.

        Raises
        ------
        OSError
            If it cannot be written; what was in the folder before stays valid.
        ConfigError
            If another process saved to it since it was opened.
        """
        with self._lock:
            self._snapshot, self._attachment = save_changes(
                self._snapshot, self._geometry, self._config_hash, folder, self._attachment, resolve_threads(threads)
            )

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """Index of a folder, memory-mapped.

        Takes the same time whatever its size: sizes of files, headers and the manifest are checked,
        :meth:`verify` checks the rest.

        Parameters
        ----------
        folder : path

        Raises
        ------
        InvalidInputError
            If it is not an LSH index, or a file is missing or cut short; the text names it.
        """
        snapshot, attachment, meta = attach(folder)
        index = cls(meta["bands"], meta["rows"], meta["h"], partial=True, config_hash=meta["config_hash"])
        index._snapshot, index._attachment = snapshot, attachment
        return index

    def verify(self) -> None:
        """Read all files and compare them with their checksums; nothing to do for an index in memory.

        Raises
        ------
        InvalidInputError
            If a file was altered; the text names it.
        """
        attachment = self._attachment
        if attachment is not None:
            attachment.store.verify()

    def compact(self, *, threads: int | None = None) -> None:
        """Merge all segments into one, without what was removed. A stored index is saved by that.

        Parameters
        ----------
        threads : int, optional
            As in :meth:`insert`.
        """
        n_threads = resolve_threads(threads)
        with self._lock:
            if self._attachment is None:
                self._snapshot = rewrite(self._snapshot, self._geometry, n_threads)
            else:
                self._snapshot, self._attachment = save_changes(
                    self._snapshot,
                    self._geometry,
                    self._config_hash,
                    self._attachment.store.folder,
                    self._attachment,
                    n_threads,
                    whole=True,
                )

    def __reduce__(self) -> tuple[Any, ...]:
        # as one array of ids and one of signatures: addresses and locks do not travel
        blocks = list(self._snapshot.live(_BLOCK))
        ids = np.concatenate([np.empty(0, np.uint64), *(ids for ids, _ in blocks)])
        words = np.concatenate([np.empty((0, 1 + self.h), np.uint64), *(words for _, words in blocks)])
        return _rebuild, (tuple(self._geometry), self._config_hash, ids, words)


def _rebuild(geometry: tuple[int, int, int], config_hash: int | None, ids: Ids, words: Words) -> LshIndex:
    index = LshIndex(*geometry, partial=True, config_hash=config_hash)
    index.insert(ids, words.view(minhash_dtype(geometry[2]))[:, 0])
    return index
