"""Cutting texts into chunks that fit an embedding model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..columns import (
    Document,
    NumberedBlock,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    TokenColumn,
    as_text_column,
    document_bytes,
    is_single,
    iter_text_blocks,
    numbered,
    resolve_threads,
    run_blocks,
)
from ..columns.checks import read_only
from ..errors import ConfigError
from ..options import check_choice, check_count, check_flag
from . import chunk_blocks
from .counted import counted_chunks

Spans = NDArray[np.int64]
ChunkBlock = tuple[TokenColumn, Spans]


class ChunkMode(StrEnum):
    """Where a text may be cut: between words, sentences, or paragraphs and then sentences."""

    FIXED_TOKENS = "fixed_tokens"
    SENTENCE_BOUNDED = "sentence_bounded"
    RECURSIVE = "recursive"


@dataclass(frozen=True, kw_only=True)
class ChunkingStrategy:
    """How texts are cut.

    Parameters
    ----------
    max_tokens : int
        Size of a chunk. 0 gives no chunks.
    overlap : int
        Tokens that a chunk repeats of the one before it.
    mode : {"sentence_bounded", "fixed_tokens", "recursive"}
        ``fixed_tokens``: windows of words. ``sentence_bounded``: whole sentences of UAX #29, longer ones
        as windows. ``recursive``: whole paragraphs (between empty lines), longer ones by sentences.
    count_tokens : callable, optional
        ``str -> int``: how many tokens a model's own tokenizer makes of a text, special tokens included
        if it adds them. None: the crate's estimate, 1.3 tokens a word.

    Notes
    -----
    Without ``count_tokens`` chunks are those of the Rust crate, whose ways are worth knowing: windows
    and repeated words are joined by single spaces, so that punctuation is lost there; in ``recursive``
    nothing is repeated between paragraphs; and what is repeated may push a chunk above
    ``max_tokens``.

    With ``count_tokens`` every chunk is a piece of the text as it stands, no chunk is above
    ``max_tokens`` except a single word that is (with the punctuation behind it), and whole words are
    repeated, up to ``overlap`` tokens of them, where they fit. Sentences without letter or number, such as
    rows of emoji, may be left out between chunks. It is called a few times a chunk, on one thread; counts
    should not fall as a text grows.

    Examples
    --------
    >>> ChunkingStrategy(max_tokens=128).mode
    <ChunkMode.SENTENCE_BOUNDED: 'sentence_bounded'>
    """

    max_tokens: int = 256
    overlap: int = 32
    mode: ChunkMode | str = ChunkMode.SENTENCE_BOUNDED
    count_tokens: Callable[[str], int] | None = None

    def __post_init__(self) -> None:
        # positions are 32-bit, so no text has as many words
        object.__setattr__(self, "max_tokens", check_count("max_tokens", self.max_tokens, 0, 1 << 40))
        object.__setattr__(self, "overlap", check_count("overlap", self.overlap, 0, 1 << 40))
        object.__setattr__(self, "mode", check_choice("mode", self.mode, ChunkMode))
        if self.count_tokens is not None and not callable(self.count_tokens):
            raise ConfigError(
                f"count_tokens must be None or callable, got {type(self.count_tokens).__name__}",
                argument="count_tokens",
                advice="for a tokenizer of the package tokenizers: lambda text: len(tokenizer.encode(text).ids)",
            )


@overload
def chunk_for_model(
    texts: Document, strategy: ChunkingStrategy = ..., *, return_offsets: Literal[False] = ..., errors: str = ...
) -> list[str]: ...
@overload
def chunk_for_model(
    texts: Document, strategy: ChunkingStrategy = ..., *, return_offsets: Literal[True], errors: str = ...
) -> tuple[list[str], Spans]: ...
@overload
def chunk_for_model(
    texts: Texts,
    strategy: ChunkingStrategy = ...,
    *,
    return_offsets: Literal[False] = ...,
    errors: str = ...,
    threads: int | None = ...,
    progress: Progress = ...,
) -> TokenColumn: ...
@overload
def chunk_for_model(
    texts: Texts,
    strategy: ChunkingStrategy = ...,
    *,
    return_offsets: Literal[True],
    errors: str = ...,
    threads: int | None = ...,
    progress: Progress = ...,
) -> tuple[TokenColumn, Spans]: ...
def chunk_for_model(
    texts: Document | Texts,
    strategy: ChunkingStrategy = ChunkingStrategy(),
    *,
    return_offsets: bool = False,
    errors: str = "strict",
    threads: int | None = None,
    progress: Progress = False,
) -> Any:
    """Cut one text or a column into chunks that fit a model.

    Parameters
    ----------
    texts : str, bytes or column
        Taken as they are: canonicalise first where that is wanted.
    strategy : ChunkingStrategy
        Size, overlap, and where to cut.
    return_offsets : bool
        Also give where each chunk begins and ends in its text, in characters: ``text[begin:end]`` goes
        from its first word to the end of its last.
    errors : {"strict", "replace"}
        Whether bad UTF-8 is an error or becomes U+FFFD.
    threads : int, optional
        Threads to use; None: every core this process may use.
    progress : bool or callable
        True: a line on stderr. A callable gets (documents done, documents in all).

    Returns
    -------
    list of str, or TokenColumn for a column
        With ``return_offsets`` a pair of it and an ``int64`` array (n_chunks, 2).

    Raises
    ------
    InvalidInputError
        If something is not text, or not UTF-8 (with ``.row``).
    TokenizerError
        If ``count_tokens`` fails or gives no whole number (with ``.row``).

    References
    ----------
    UAX #29, section 5, revision for Unicode 17.0.

    Examples
    --------
    >>> text = "One sentence. Another one, a little longer. The end!"
    >>> chunk_for_model(text, ChunkingStrategy(max_tokens=8, overlap=3))
    ['One sentence.', 'One sentence Another one, a little longer.', 'little longer The end!']
    >>> chunks, offsets = chunk_for_model([text, ""], ChunkingStrategy(max_tokens=8, overlap=0), return_offsets=True)
    >>> chunks.to_list()
    [['One sentence.', 'Another one, a little longer.', 'The end!'], []]
    >>> offsets.tolist()
    [[0, 13], [14, 43], [44, 52]]

    Counted by a model's own tokenizer (here, characters):

    >>> by_characters = ChunkingStrategy(max_tokens=20, overlap=0, count_tokens=len)
    >>> chunk_for_model(text, by_characters)
    ['One sentence.', 'Another one, a', 'little longer.', 'The end!']
    """
    if not isinstance(strategy, ChunkingStrategy):
        raise ConfigError(f"strategy must be a ChunkingStrategy, got {type(strategy).__name__}", argument="strategy")
    check_flag("return_offsets", return_offsets)
    n_threads = resolve_threads(threads)
    if is_single(texts):
        data = np.frombuffer(document_bytes(texts, errors), np.uint8)  # type: ignore[arg-type]
        one = TextColumn._trusted(data, np.array([0, len(data)], np.int64))
        chunks, spans = _chunk_block(one, strategy, None)
        return (chunks[0], spans) if return_offsets else chunks[0]
    column = as_text_column(texts, errors=errors)
    parts: list[ChunkBlock] = []

    def work(block: NumberedBlock[TextColumn], scratch: Scratch) -> ChunkBlock:
        return _chunk_block(block.column, strategy, block.first_row)

    run_blocks(
        numbered(iter_text_blocks(column)),
        work,
        parts.append,
        threads=n_threads if strategy.count_tokens is None else 1,
        detached=True,
        progress=progress,
        total=len(column),
    )
    result = TokenColumn.concat([chunks for chunks, _ in parts])
    if not return_offsets:
        return result
    return result, np.concatenate([np.empty((0, 2), np.int64), *(spans for _, spans in parts)])


_MODES = {
    ChunkMode.FIXED_TOKENS: chunk_blocks.fixed_tokens,
    ChunkMode.SENTENCE_BOUNDED: chunk_blocks.sentence_bounded,
    ChunkMode.RECURSIVE: chunk_blocks.recursive,
}


def _chunk_block(column: TextColumn, strategy: ChunkingStrategy, first_row: int | None) -> ChunkBlock:
    data, offsets = column.data, column.offsets
    if strategy.max_tokens == 0:
        none = np.empty(0, np.int32)
        chunks = TokenColumn._trusted(np.empty(0, np.uint8), none, none, np.zeros(len(offsets), np.int64))
        return chunks, np.empty((0, 2), np.int64)
    if strategy.count_tokens is not None:
        spans, of_document = counted_chunks(
            column, strategy.count_tokens, strategy.max_tokens, strategy.overlap, str(strategy.mode), first_row
        )
        own = data[offsets[0] : offsets[-1]]
        starts, ends = spans.astype(np.int32).T
        chunks = TokenColumn._trusted(own, np.ascontiguousarray(starts), np.ascontiguousarray(ends), of_document)
    else:
        size = chunk_blocks.Size.of(strategy.max_tokens, strategy.overlap)
        made = _MODES[ChunkMode(strategy.mode)](data, offsets, size)
        spans, of_document = made.spans, made.of_document
        short = len(made.data) <= np.iinfo(np.int32).max  # what is repeated can outgrow the text
        bounds = made.offsets.astype(np.int32) if short else made.offsets
        chunks = TokenColumn._trusted(made.data, bounds[:-1], bounds[1:], of_document)
    return chunks, _in_characters(spans, of_document, data, offsets)


def _in_characters(spans: Spans, of_document: Spans, data: NDArray[np.uint8], offsets: Spans) -> Spans:
    """Spans from bytes of the block to characters of their documents."""
    block = read_only(data[offsets[0] : offsets[-1]])
    before = np.zeros(len(block) + 1, np.int64)
    np.cumsum((block & 0xC0) != 0x80, out=before[1:])
    first = before[offsets[:-1] - offsets[0]]
    in_characters: Spans = before[spans] - np.repeat(first, np.diff(of_document))[:, np.newaxis]
    return in_characters
