"""Tables of token weights for SimHash."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..canonical.canonicalizer import check_canonicalizer
from ..columns import (
    NumberedBlock,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    iter_text_blocks,
    numbered,
    resolve_threads,
    run_blocks,
)
from ..columns.checks import gather, read_only
from ..errors import ConfigError, TokenizerError
from ..schema.identity import HashFamily
from ..tokenize import Tokenizer, WordTokenizer
from ..tokenize.base import Spans
from ..tokenize.callables import as_block_tokenizer, check_tokenizer
from .distinct import Distinct, distinct_tokens
from .hashing import Hasher
from .keys import KeyCounter, open_table
from .stages import BlockStages

MISSING = np.float32(1.0)  # weight of a token that is not in the table


class IdfTable(Mapping[str, float]):
    """Weights of tokens, in single precision; a token that is not there weighs 1.

    Parameters
    ----------
    weights : mapping or iterable of (str, float)
        Keys must be *canonical* tokens. Of equal keys the last one counts.

    Notes
    -----
    Weights multiply the number of occurrences and are cut to whole numbers, as in the Rust crate: a
    weight below 1 makes a token that occurs once disappear. :meth:`fit` gives weights of at least 1.

    Weights that are NaN, infinite or beyond single precision are kept, as in the crate, and both SimHash and FlyHash
    give such a token the weight 1, however often it occurs.

    Examples
    --------
    >>> table = IdfTable({"fox": 3.9, "the": 0.25})
    >>> round(table["fox"], 2), len(table), "dog" in table
    (3.9, 2, False)
    """

    __slots__ = ("_by_hasher", "_column", "_digest", "_index", "_values")

    def __init__(self, weights: Any) -> None:
        try:
            pairs = dict(weights.items() if isinstance(weights, Mapping) else weights)
        except (TypeError, ValueError):
            given = type(weights).__name__
            raise ConfigError(f"weights must map str to numbers, got {given}", argument="weights") from None
        numbers = [_as_double(token, weight) for token, weight in pairs.items()]
        with np.errstate(over="ignore"):  # beyond single precision: infinite, as in the crate
            values = np.array(numbers, np.float64).astype(np.float32)
        self._fill(TextColumn(list(pairs)), values)

    def _fill(self, column: TextColumn, values: NDArray[np.float32]) -> None:
        self._column = column
        self._values = read_only(values)
        self._index: dict[str, int] | None = None
        self._digest: str | None = None
        self._by_hasher: dict[Hasher, tuple[NDArray[Any], ...]] = {}

    @classmethod
    def _from_arrays(cls, column: TextColumn, values: NDArray[np.float32]) -> IdfTable:
        table = cls.__new__(cls)
        table._fill(column, values)
        return table

    @classmethod
    def fit(
        cls,
        texts: Texts,
        tokenizer: Tokenizer | None = None,
        *,
        canonicalizer: Canonicalizer | None = None,
        errors: str = "strict",
        threads: int | None = None,
        progress: Progress = False,
    ) -> IdfTable:
        """Inverse document frequencies of a corpus: ``ln((1 + n) / (1 + df)) + 1``.

        Parameters
        ----------
        texts : column
            The corpus, anything that :class:`TextColumn` takes.
        tokenizer : Tokenizer
            The one that the fingerprinter will use; words by default.
        canonicalizer : Canonicalizer
            The one that the fingerprinter will use.
        errors, threads, progress
            As everywhere.

        Returns
        -------
        IdfTable

        Examples
        --------
        >>> table = IdfTable.fit(["the fox", "the dog", "the the"])
        >>> {token: round(weight, 3) for token, weight in table.items()}
        {'the': 1.0, 'fox': 1.693, 'dog': 1.693}
        """
        tokenizer = WordTokenizer() if tokenizer is None else tokenizer
        check_tokenizer("tokenizer", tokenizer)
        canonicalizer = Canonicalizer() if canonicalizer is None else canonicalizer
        check_canonicalizer(canonicalizer)
        counter = _DocumentCounter(canonicalizer, tokenizer)
        run_blocks(
            numbered(iter_text_blocks(texts, errors=errors)),
            counter.work,
            counter.consume,
            threads=resolve_threads(threads) if as_block_tokenizer(tokenizer)._threadable else 1,
            progress=progress,
        )
        tokens, frequencies = counter.result()
        idf = np.log((1 + counter.n_docs) / (1 + frequencies)) + 1
        return cls._from_arrays(tokens, idf.astype(np.float32))

    def __getitem__(self, token: str) -> float:
        return float(self._values[self._positions()[token]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._column)

    def __len__(self) -> int:
        return len(self._column)

    def __repr__(self) -> str:
        return f"IdfTable({len(self):,} tokens, digest {self.digest})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdfTable) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return IdfTable._from_arrays, (self._column, self._values)

    def _positions(self) -> dict[str, int]:
        if self._index is None:
            self._index = {token: position for position, token in enumerate(self._column)}
        return self._index

    @property
    def digest(self) -> str:
        """XXH3-128 of all tokens and weights in order of the tokens' bytes, as hex; part of config hashes."""
        if self._digest is None:
            import xxhash

            state = xxhash.xxh3_128()
            # By bytes, not by str: the order must not depend on how Python compares.
            pairs = sorted((token.encode(), value) for token, value in zip(self._column, self._values, strict=True))
            for token, value in pairs:
                state.update(len(token).to_bytes(8, "little") + token + np.float32(value).astype("<f4").tobytes())
            self._digest = state.hexdigest()
        return self._digest

    def look_up(self, low: NDArray[np.uint64], high: NDArray[np.uint64], hasher: Hasher) -> NDArray[np.float32]:
        """Weights of tokens that are given by their hashes."""
        from ..kernels.simhash import look_up_keys

        out = np.empty(len(low), np.float32)
        table_low, table_high, numbers = self._hashed(hasher)
        look_up_keys(low, high, table_low, table_high, numbers, self._values, MISSING, out)
        return out

    def _hashed(self, hasher: Hasher) -> tuple[NDArray[Any], ...]:
        """The table as an open-addressed one, by the hashes that ``hasher`` gives its tokens."""
        if hasher not in self._by_hasher:
            from ..kernels.simhash import number_keys

            low, high = hasher.hash_spans(_spans_of(self._column), Scratch())
            table_low, table_high, numbers = open_table(len(low))
            number_keys(low, high, table_low, table_high, numbers)
            self._by_hasher[hasher] = read_only(table_low), read_only(table_high), read_only(numbers)
        return self._by_hasher[hasher]


def _as_double(token: object, weight: object) -> float:
    is_number = isinstance(weight, (int, float, np.integer, np.floating)) and not isinstance(weight, bool)
    if not isinstance(token, str) or not is_number:
        raise ConfigError(f"weights must map str to numbers, got {token!r}: {weight!r}", argument="weights")
    try:
        return float(weight)  # type: ignore[arg-type]
    except OverflowError:  # an int beyond double precision
        return math.inf if weight > 0 else -math.inf  # type: ignore[operator]


def _spans_of(column: TextColumn) -> Spans:
    positions = (column.offsets - column.offsets[0]).astype(np.int32)
    starts, ends = read_only(positions[:-1]), read_only(positions[1:])
    return Spans(column.data, int(column.offsets[0]), starts, ends, column.offsets)


class _DocumentCounter:
    """In how many documents each token occurs."""

    def __init__(self, canonicalizer: Canonicalizer, tokenizer: Tokenizer) -> None:
        self.canonicalizer, self.tokenizer = canonicalizer, tokenizer
        self.hasher = Hasher(HashFamily.XXH3_64, 0)
        self.counter = KeyCounter()
        self.n_docs = 0
        self.tokens: list[TextColumn] = []

    def work(self, block: NumberedBlock[TextColumn], scratch: Scratch) -> tuple[BlockStages, Distinct]:
        stages = BlockStages(block.column, scratch)
        try:
            hashes = stages.hashes(self.canonicalizer, self.tokenizer, self.hasher)
        except TokenizerError as error:
            error.row = None if error.row is None else error.row + block.first_row
            raise
        return stages, distinct_tokens(hashes, scratch, "")

    def consume(self, result: tuple[BlockStages, Distinct]) -> None:
        stages, distinct = result
        self.n_docs += len(stages.block)
        new = distinct.positions[self.counter.add(distinct.low, distinct.high)]
        spans = stages.spans(self.canonicalizer, self.tokenizer)
        starts, ends = (read_only(spans.base + part[new].astype(np.int64)) for part in (spans.starts, spans.ends))
        self.tokens.append(TextColumn._trusted(*gather(spans.data, starts, ends)))

    def result(self) -> tuple[TextColumn, NDArray[np.int64]]:
        tokens = TextColumn.concat(self.tokens) if self.tokens else TextColumn([])
        return tokens, self.counter.counts
