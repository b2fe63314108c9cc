"""Winnowing: a few hashes of k-grams a document, with the places they come from; and passages two texts share."""

from __future__ import annotations

import dataclasses
import operator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..canonical.canonicalizer import check_canonicalizer
from ..canonical.origins import trace_origins
from ..columns import (
    Appender,
    Document,
    NumberedBlock,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    document_bytes,
    is_single,
    iter_text_blocks,
    known_length,
    numbered,
    resolve_threads,
    run_blocks,
)
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError, TxtfpError
from ..options import check_count
from ..schema.identity import FingerprintMetadata, HashFamily, config_hash_of
from ..schema.signatures import DEFAULT_SEED
from ..tokenize import Tokenizer, WordTokenizer
from ..tokenize.base import BlockTokenizer, Spans
from ..tokenize.callables import check_tokenizer
from .base import EMPTY
from .hashing import Hasher, check_hasher, check_seed
from .stages import BlockStages, Hashes

_MOST = 1 << 16  # tokens of a k-gram, k-grams of a window: beyond that it is a mistake


class WinnowRow(NamedTuple):
    """Fingerprints of one document: hashes, and where their k-grams begin and end in the text, in code points."""

    values: NDArray[np.uint64]
    positions: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WinnowColumn:
    """Fingerprints of a column of documents.

    Attributes
    ----------
    values : uint64 (m,)
        Hashes, in the order of the text; one may come again.
    positions, ends : int64 (m,)
        Where the k-gram of a hash begins and ends in its document as it was given, in code points: of a ``str`` it is
        ``text[position:end]``.
    offsets : int64 (n + 1,)
        Document ``i`` has ``values[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> column = WinnowFingerprinter(k=2, window=2).fingerprint(["one two three", "four five"])
    >>> len(column), column.offsets, column[1].positions, column
    (2, array([0, 1, 2]), array([0]), WinnowColumn(2 documents, 2 fingerprints))
    """

    values: NDArray[np.uint64]
    positions: NDArray[np.int64]
    ends: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: SupportsIndex) -> WinnowRow:
        row = operator.index(row)
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} is out of range for a column of {len(self)} documents")
        part = slice(self.offsets[row % len(self)], self.offsets[row % len(self) + 1])
        return WinnowRow(self.values[part], self.positions[part], self.ends[part])

    def __repr__(self) -> str:
        return f"WinnowColumn({len(self)} documents, {len(self.values)} fingerprints)"


class Grams(NamedTuple):
    """The k-grams of a block of documents that were chosen, and the tokens they are made of."""

    tokens: Hashes
    spans: Spans
    values: NDArray[np.uint64]
    picks: NDArray[np.int64]  # first token of each, counted from the first of its document
    offsets: NDArray[np.int64]


@dataclass(frozen=True)
class WinnowFingerprinter:
    """Winnowing: of every window of k-gram hashes the smallest is kept, so that a shared passage shares fingerprints.

    Parameters
    ----------
    canonicalizer : Canonicalizer
        Stage 1.
    tokenizer : Tokenizer
        Stage 2: what a k-gram has k of. Words by default; ``CharShingleTokenizer(k=1)`` for code points. It must take
        its tokens from the text as they stand there, so that they have a place.
    k : int
        Tokens a k-gram. A document of fewer tokens is one k-gram.
    window : int
        K-grams a window. A document of fewer k-grams is one window.
    hasher : {"xxh3_64", "murmur3_x64_128", "xxh64"} or callable
        Hash of a token, of which the low 64 bits are used.
    seed : int
        64 bits.

    Notes
    -----
    Whatever two documents share in ``window + k - 1`` tokens or more, they share a fingerprint of; nothing shared
    that is shorter than ``k`` tokens is noticed. About ``2 / (window + 1)`` of all k-grams are kept.

    The hash of a k-gram rolls along: a polynomial of its tokens' hashes modulo 2**61 - 1 (Karp, Rabin), its bits
    mixed afterwards. With ``k=1`` it is the token's hash itself. So ``tokenizer=CharShingleTokenizer(k=3), k=1`` hashes
    k-grams of three characters as texts, with any function.

    Of equal hashes the last in a window is taken, and a k-gram that stays the smallest is kept once.

    References
    ----------
    S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003.
    R. Karp, M. Rabin, "Efficient randomized pattern-matching algorithms", 1987.

    Examples
    --------
    >>> fp = WinnowFingerprinter(k=3, window=4)
    >>> text = "Once upon a time, in a land far away: once upon a time!"
    >>> row = fp.fingerprint(text)
    >>> [text[begin:end] for begin, end in zip(row.positions, row.ends)]
    ['a time, in', 'in a land', 'far away: once']
    """

    canonicalizer: Canonicalizer = field(default_factory=Canonicalizer)
    tokenizer: Tokenizer = field(default_factory=WordTokenizer)
    k: int = field(default=5, kw_only=True)
    window: int = field(default=4, kw_only=True)
    hasher: Any = field(default=HashFamily.XXH3_64, kw_only=True)
    seed: int = field(default=DEFAULT_SEED, kw_only=True)

    def __post_init__(self) -> None:
        check_canonicalizer(self.canonicalizer)
        check_tokenizer("tokenizer", self.tokenizer)
        if not isinstance(self.tokenizer, BlockTokenizer) or not self.tokenizer._in_place:
            raise ConfigError(
                f"tokenizer must take its tokens from the text as they stand, {self.tokenizer.name!r} does not",
                argument="tokenizer",
                advice="WordTokenizer, GraphemeTokenizer and CharShingleTokenizer do; k makes k-grams of their tokens",
            )
        object.__setattr__(self, "k", check_count("k", self.k, 1, _MOST))
        object.__setattr__(self, "window", check_count("window", self.window, 1, _MOST))
        object.__setattr__(self, "hasher", check_hasher(self.hasher))
        object.__setattr__(self, "seed", check_seed(self.seed))

    @property
    def algorithm(self) -> str:
        """``'winnow-k<k>-w<window>'``."""
        return f"winnow-k{self.k}-w{self.window}"

    @cached_property
    def _hash(self) -> Hasher:
        return Hasher(self.hasher, self.seed)

    @property
    def config_hash(self) -> int:
        """Hash of everything that decides the fingerprints; those of other hashes must not be compared."""
        stages = self.canonicalizer.config_string(), self.tokenizer.name, self.algorithm
        return config_hash_of(*stages, self._hash.name, f"{self.seed:016x}")

    def metadata(self) -> FingerprintMetadata:
        """Identity of the fingerprints, and the size of one hash."""
        return FingerprintMetadata(self.algorithm, self.config_hash, None, 1, 8)

    def replace(self, **changes: Any) -> Self:
        """A copy with other options.

        Examples
        --------
        >>> WinnowFingerprinter().replace(window=8).algorithm
        'winnow-k5-w8'
        """
        return dataclasses.replace(self, **changes)

    def fingerprint(
        self,
        texts: Document | Texts,
        *,
        on_empty: str = "raise",
        errors: str = "strict",
        threads: int | None = None,
        progress: Progress = False,
    ) -> Any:
        """Fingerprints of one document, or of a column.

        Parameters
        ----------
        texts, on_empty, errors, threads, progress
            As in :meth:`MinHashFingerprinter.fingerprint`. A document without a token has no fingerprints.

        Returns
        -------
        WinnowRow or WinnowColumn
            With ``on_empty="mask"`` a pair of it and ``ok``, True where a document has fingerprints.

        Raises
        ------
        InvalidInputError
            If a document has no token, is not text or not UTF-8 (with ``.row``).
        """
        if on_empty not in ("raise", "mask"):
            raise ConfigError(f"on_empty must be 'raise' or 'mask', got {on_empty!r}", argument="on_empty")
        n_threads = resolve_threads(threads)
        single = is_single(texts)
        source: Any = TextColumn([document_bytes(texts, errors)]) if single else texts  # type: ignore[arg-type]
        parts = _Parts(known_length(source) or 0, single, on_empty == "raise")
        run_blocks(
            numbered(iter_text_blocks(source, errors=errors)),
            lambda block, scratch: self._work(block, scratch, single),
            parts.add,
            threads=n_threads if isinstance(self.hasher, HashFamily) else 1,
            detached=True,
            progress=progress,
            total=known_length(source),
        )
        column = parts.column()
        ok = np.diff(column.offsets) > 0
        if single:
            return (column[0], ok[0]) if on_empty == "mask" else column[0]
        return (column, ok) if on_empty == "mask" else column

    def _work(self, block: NumberedBlock[TextColumn], scratch: Scratch, single: bool) -> _Part:
        stages = BlockStages(block.column, scratch)
        try:
            grams = self._grams(stages)
        except TxtfpError as error:  # a user's hasher
            if error.row is not None:
                error.row = None if single else error.row + block.first_row
            raise
        positions, ends = self._trace(stages, grams)
        return _Part(grams.values, positions, ends, grams.offsets, block.first_row)

    def _grams(self, stages: BlockStages) -> Grams:
        """The k-grams that are kept; arrays are made anew except for those of the stages."""
        from ..kernels.winnowing import roll_rows, winnow_rows

        tokens = stages.hashes(self.canonicalizer, self.tokenizer, self._hash)
        spans = stages.spans(self.canonicalizer, self.tokenizer)
        values, offsets = tokens.low, tokens.offsets
        if self.k > 1:
            rolled, rolled_offsets = np.empty(len(values), np.uint64), np.empty(len(offsets), np.int64)
            roll_rows(values, offsets, self.k, rolled, rolled_offsets)
            values, offsets = read_only(rolled[: rolled_offsets[-1]]), read_only(rolled_offsets)
        picks, pick_offsets = np.empty(len(values), np.int64), np.empty(len(offsets), np.int64)
        winnow_rows(values, offsets, self.window, picks, pick_offsets)
        picks = picks[: pick_offsets[-1]].copy()
        first = np.repeat(offsets[:-1], np.diff(pick_offsets))
        return Grams(tokens, spans, read_only(values[first + picks]), read_only(picks), read_only(pick_offsets))

    def _trace(self, stages: BlockStages, grams: Grams) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the k-grams begin and end in the text as it was given."""
        counts = np.diff(grams.offsets)
        begins = np.repeat(grams.tokens.offsets[:-1], counts) + grams.picks
        lasts = np.minimum(begins + self.k, np.repeat(grams.tokens.offsets[1:], counts)) - 1
        return self._trace_tokens(stages, grams.spans, begins, lasts, grams.offsets)

    def _trace_tokens(
        self,
        stages: BlockStages,
        spans: Spans,
        begins: NDArray[np.int64],
        lasts: NDArray[np.int64],
        offsets: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where runs of tokens begin and end in the text as it was given."""
        given = stages.block.data, stages.block.offsets
        canonical = stages.canonical(self.canonicalizer)
        origins = trace_origins(given, canonical, self.canonicalizer.passes, stages.scratch)
        base = np.int64(spans.base)
        return origins.trace(base + spans.starts[begins], base + spans.ends[lasts], offsets)


class _Part(NamedTuple):
    """What comes of a block."""

    values: NDArray[np.uint64]
    positions: NDArray[np.int64]
    ends: NDArray[np.int64]
    offsets: NDArray[np.int64]
    first_row: int


class _Parts:
    """Blocks on their way into one column."""

    def __init__(self, n_rows: int, single: bool, refuse_empty: bool) -> None:
        self.single, self.refuse_empty = single, refuse_empty
        self.values = Appender(np.uint64, 0)
        self.positions, self.ends = Appender(np.int64, 0), Appender(np.int64, 0)
        self.offsets = Appender(np.int64, n_rows + 1)
        self.offsets.append(np.zeros(1, np.int64))

    def add(self, part: _Part) -> None:
        counts = np.diff(part.offsets)
        if self.refuse_empty and not counts.all():
            row = part.first_row + int(np.argmin(counts))
            raise InvalidInputError(
                EMPTY,
                row=None if self.single else row,
                argument="texts",
                advice='on_empty="mask" fingerprints the others and says which are empty',
            )
        self.offsets.append(part.offsets[1:], shift=len(self.values))
        self.values.append(part.values)
        self.positions.append(part.positions)
        self.ends.append(part.ends)

    def column(self) -> WinnowColumn:
        parts = (self.values, self.positions, self.ends, self.offsets)
        return WinnowColumn(*(part.finish() for part in parts))
