"""Has a similar signature been seen: banded LSH with a Bloom filter a band, in a few bytes a signature."""

from __future__ import annotations

import math
import os
import threading
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, resolve_threads, run_blocks
from ..columns.checks import read_only
from ..errors import InvalidInputError
from ..options import check_count, check_flag
from ..schema.signatures import Signatures
from .arguments import Banded, Geometry, check_config_hash, check_geometry, check_signatures
from .bloom_size import check_rate, size_for
from .storage import Attachment, Store
from .tables import Keys, Words, seedless

Filters: TypeAlias = NDArray[np.uint64]

KIND = "bloom"
_MOST = 1 << 40
_BLOCK = 1 << 12  # signatures whose keys are in the cache when filters are asked
_ADDED = 1 << 15  # and so many when filters, one a thread, are filled: that takes some ms


class BloomLsh(Banded):
    """Which signatures agree in a whole band with one that was added: yes or no, not with which.

    Bands are those of :class:`LshIndex`. Of each, only a Bloom filter of its keys is kept: what was added
    is always found again, and a signature that shares no band with any is taken for known with a
    probability of at most ``error_rate``.

    Parameters
    ----------
    bands, rows : int
        ``bands * rows`` must equal ``h``. :class:`LshIndexBuilder` chooses them for a threshold.
    h : int
        Slots of the signatures.
    capacity : int
        Number of signatures up to which ``error_rate`` holds. More may be added; the rate rises then,
        see :meth:`current_error_rate`.
    error_rate : float
        Of the whole index, between 0 and 1. A band has ``1 - (1 - error_rate)**(1 / bands)``.
    partial : bool
        Allow ``bands * rows < h``; the first slots are used.
    config_hash : int, optional
        That of the fingerprinter whose signatures are to be added. Signatures that are given with
        another one are refused.

    Raises
    ------
    ConfigError
        If the options contradict each other.

    Notes
    -----
    The filters are as large as the rate demands, rounded up to 512 bits each and to no power of two:
    59 bytes a signature for 16 bands and a rate of 1e-5, taken at once. Nothing can be removed.
    Any number of threads may ask while others add; additions wait for each other.

    References
    ----------
    A. Khan and others, "LSHBloom: memory-efficient, extreme-scale document deduplication", 2024.
    A. Kirsch, M. Mitzenmacher, "Less hashing, same performance", ESA 2006.

    Examples
    --------
    >>> from txtfp_np.sketch import MinHashFingerprinter
    >>> fp = MinHashFingerprinter()
    >>> sigs = fp.fingerprint(["a text about one thing", "a text about another", "a text about one thing"])
    >>> index = BloomLsh(16, 8, 128, capacity=1000, config_hash=fp.config_hash)
    >>> index.add_if_new(sigs)
    array([False, False,  True])
    >>> index.contains(sigs[1]), len(index)
    (np.True_, 2)
    """

    def __init__(
        self,
        bands: int = 16,
        rows: int = 8,
        h: int = 128,
        *,
        capacity: int,
        error_rate: float = 1e-5,
        partial: bool = False,
        config_hash: int | None = None,
    ) -> None:
        self._geometry = check_geometry(bands, rows, h, check_flag("partial", partial))
        self._capacity = check_count("capacity", capacity, 1, _MOST)
        self._error_rate = check_rate(error_rate)
        check_config_hash(None, config_hash)
        self._config_hash = None if config_hash is None else int(config_hash)
        size = size_for(self._capacity, self._error_rate, self._geometry.bands)
        self._probes = size.probes
        self._filters: Filters = np.zeros((self._geometry.bands, size.words), np.uint64)
        self._n = 0
        self._lock = threading.RLock()
        self._attachment: Attachment | None = None

    # ── what it is ──────────────────────────────────────────────────────────────────────────────
    @property
    def capacity(self) -> int:
        """Number of signatures up to which :attr:`error_rate` holds."""
        return self._capacity

    @property
    def error_rate(self) -> float:
        """Probability, at capacity, that a signature without a shared band is taken for known."""
        return self._error_rate

    @property
    def nbytes(self) -> int:
        """Bytes of all filters, those that are mapped from files included."""
        return int(self._filters.nbytes)

    def __len__(self) -> int:
        """Number of signatures added, equal ones counted as often as they were."""
        return self._n

    def __repr__(self) -> str:
        bands, rows, h = self._geometry
        return f"BloomLsh(bands={bands}, rows={rows}, h={h}, n={len(self)}, capacity={self._capacity})"

    def current_error_rate(self) -> float:
        """Probability that a signature without a shared band is taken for known now. Reads all filters.

        Examples
        --------
        >>> BloomLsh(capacity=10).current_error_rate()
        0.0
        """
        filters = self._filters
        missed = 0.0
        for filter in filters:  # band by band: the counts of bits are an eighth of a filter
            share = int(np.bitwise_count(filter).sum(dtype=np.int64)) / (64 * len(filter))
            missed += math.log1p(-(share**self._probes)) if share < 1 else -math.inf
        return -math.expm1(missed) + 0.0

    # ── adding and asking ───────────────────────────────────────────────────────────────────────
    def add(self, sigs: Signatures | np.void, *, threads: int | None = None, config_hash: int | None = None) -> None:
        """Add signatures, known or not.

        Parameters
        ----------
        sigs : record, or array (n,) of minhash_dtype(h)
        threads : int, optional
            Threads to use; None: every core this process may use. Never changes the result.
        config_hash : int, optional
            Of the fingerprinter that made them; checked against that of the index.

        Raises
        ------
        InvalidInputError
            If the signatures are of another kind. Nothing is added then.
        ConfigError
            If ``config_hash`` is not that of the index.
        """
        from ..kernels.bloom import bloom_add

        n_threads = resolve_threads(threads)
        check_config_hash(self._config_hash, config_hash)
        words, _ = check_signatures(sigs, self.h)
        with self._lock:
            filters = self._writable()
            for begin in range(0, len(words), _ADDED):
                keys = self._keys(words[begin : begin + _ADDED])

                # each filter has one writer: no bit is lost
                def work(band: range, scratch: Scratch, keys: Keys = keys) -> None:
                    bloom_add(filters[band.start], keys[band.start], self._probes)

                bands = (range(band, band + 1) for band in range(self.bands))
                run_blocks(bands, work, _ignore, threads=n_threads if len(words) > _BLOCK else 1)
            self._n += len(words)

    def contains(
        self, sigs: Signatures | np.void, *, threads: int | None = None, config_hash: int | None = None
    ) -> Any:
        """Whether a signature that shares a band was added.

        Parameters
        ----------
        sigs, threads, config_hash
            As in :meth:`add`.

        Returns
        -------
        np.bool, or bool array (n,)
            True whenever one was; also by mistake, as often as :attr:`error_rate` says.

        Raises
        ------
        InvalidInputError, ConfigError
            As in :meth:`add`.
        """
        from ..kernels.bloom import bloom_contains

        n_threads = resolve_threads(threads)
        check_config_hash(self._config_hash, config_hash)
        words, alone = check_signatures(sigs, self.h)
        filters = read_only(self._filters)
        out = np.empty(len(words), np.bool_)

        def work(block: range, scratch: Scratch) -> None:
            keys = self._keys(words[block.start : block.stop])
            bloom_contains(filters, keys, self._probes, out[block.start : block.stop])

        n = len(words)
        blocks = (range(begin, min(begin + _BLOCK, n)) for begin in range(0, n, _BLOCK))
        run_blocks(blocks, work, _ignore, threads=n_threads if n > _BLOCK else 1)
        return out[0] if alone else out

    def add_if_new(self, sigs: Signatures | np.void, *, config_hash: int | None = None) -> Any:
        """Whether each signature is known, one after another; those that are not are added.

        What is known is not added, so its own bands do not make others known: the signatures that are
        added are those that one would keep. Each depends on all before it, hence one thread.

        Parameters
        ----------
        sigs, config_hash
            As in :meth:`add`.

        Returns
        -------
        np.bool, or bool array (n,)
            True if one that shares a band was added before, also earlier in the same call.

        Raises
        ------
        InvalidInputError, ConfigError
            As in :meth:`add`.
        """
        from ..kernels.bloom import bloom_add_new

        check_config_hash(self._config_hash, config_hash)
        words, alone = check_signatures(sigs, self.h)
        out = np.empty(len(words), np.bool_)
        with self._lock:
            filters = self._writable()
            for begin in range(0, len(words), _BLOCK):
                part = out[begin : begin + _BLOCK]
                bloom_add_new(filters, self._keys(words[begin : begin + _BLOCK]), self._probes, part)
                self._n += len(part) - int(np.count_nonzero(part))
        return out[0] if alone else out

    def _keys(self, words: Words) -> Keys:
        from ..kernels.bands import band_keys

        keys = np.empty((self.bands, len(words)), np.uint64)
        band_keys(words, self.rows, seedless(), 0, keys)
        return read_only(keys)

    def _writable(self) -> Filters:
        """The filters; a copy in memory of those that are mapped from a file."""
        if not self._filters.flags.writeable:
            self._filters = self._filters.copy()
        return self._filters

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────
    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index to a folder, as a whole and in one step.

        Parameters
        ----------
        folder : path
            Made if it does not exist. Another index of this kind there is replaced.

        Raises
        ------
        OSError
            If it cannot be written; what was in the folder before stays valid.
        ConfigError
            If another process saved to it since it was opened from there, or saved to last.
        """
        store = Store(folder, KIND)
        bands, rows, h = self._geometry
        with self._lock:
            known = self._attachment
            generation = known.generation if known is not None and known.is_at(folder) else None
            meta = {
                "bands": bands,
                "rows": rows,
                "h": h,
                "config_hash": self._config_hash,
                "n": self._n,
                "capacity": self._capacity,
                "error_rate": self._error_rate,
                "probes": self._probes,
            }
            contents = store.save_segments(meta, [{"filters": self._filters}], generation=generation)
            self._attachment = Attachment(store, contents.generation)

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """Index of a folder, memory-mapped; the first addition reads it into memory.

        Takes the same time whatever its size: sizes of files, headers and the manifest are checked,
        :meth:`verify` checks the rest.

        Parameters
        ----------
        folder : path

        Raises
        ------
        InvalidInputError
            If it is not an index of this kind, or a file is missing or cut short; the text names it.
        """
        store = Store(folder, KIND)
        contents = store.open()
        meta = contents.meta
        filters = contents.segments[0].arrays["filters"]
        if filters.ndim != 2 or len(filters) != meta["bands"] or filters.dtype != np.uint64:
            raise InvalidInputError(f"{store.folder} is damaged: it has no filter for each of {meta['bands']} bands")
        index = cls.__new__(cls)
        index._geometry = Geometry(meta["bands"], meta["rows"], meta["h"])
        index._restore(meta["config_hash"], meta["n"], meta["capacity"], meta["error_rate"], meta["probes"], filters)
        index._attachment = Attachment(store, contents.generation)
        return index

    def verify(self) -> None:
        """Read all files and compare them with their checksums; nothing to do for an index in memory.

        Raises
        ------
        InvalidInputError
            If a file was altered; the text names it.
        """
        if self._attachment is not None:
            self._attachment.store.verify()

    def compact(self) -> None:
        """Save a stored index; nothing else, because filters do not grow and nothing is removed from them."""
        attachment = self._attachment
        if attachment is not None:
            self.save(attachment.store.folder)

    def _restore(
        self, config_hash: int | None, n: int, capacity: int, error_rate: float, probes: int, filters: Filters
    ) -> None:
        self._config_hash, self._n, self._capacity = config_hash, n, capacity
        self._error_rate, self._probes, self._filters = error_rate, probes, filters
        self._lock = threading.RLock()
        self._attachment = None

    def __getstate__(self) -> tuple[Any, ...]:
        with self._lock:  # neither it nor a folder travels
            state = (self._config_hash, self._n, self._capacity, self._error_rate, self._probes)
            return (tuple(self._geometry), *state, self._filters.copy())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._geometry = Geometry(*state[0])
        self._restore(*state[1:])


def _ignore(result: None) -> None:
    """Results are written where they belong by the workers."""
