"""Documents too large for one block: cut into pieces that go through the stages like blocks.

A piece is a run of whole tokens, so pieces can be worked off side by side, in memory that does not
grow with the document. Shingles that reach into the next piece get its first tokens from a little
text *ahead* of the cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..columns import NumberedBlock, Scratch, TextColumn
from ..columns.checks import read_only
from ..tokenize import GraphemeTokenizer, ShingleTokenizer, Tokenizer, WordTokenizer
from ..tokenize.base import Spans
from ..tokenize.shingle import joined_spans, window_spans
from ..unicode.frozen import table
from .base import BlockFingerprinter, SketchFingerprinter
from .stages import BlockStages, Hashes

GIANT_BYTES = 1 << 22  # from this size on a document is cut
PIECE_BYTES = 1 << 20
MOST_K = 1024  # longer shingles reach over too many pieces to be worth cutting
AHEAD_BYTES = 1 << 12  # looked at for the tokens that the last shingles of a piece need; more if they are long

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Piece:
    """``data[start:stop]`` of the document ``data``."""

    data: Bytes
    start: int
    stop: int
    row: int
    codes: str  # name of the table that says what canonicalising leaves alone

    @property
    def is_last(self) -> bool:
        """Whether the document ends with it."""
        return self.stop == len(self.data)

    def __len__(self) -> int:
        return int(self.is_last)  # documents that are done with it

    def texts(self, ahead: int) -> tuple[TextColumn, bool]:
        """The piece and some text behind it, as two documents, and whether that is all there is."""
        end = _cut(self.data, self.stop, self.stop + ahead, self.codes) if ahead else self.stop
        offsets = np.array([self.start, self.stop, end], np.int64)
        return TextColumn._trusted(self.data, offsets), end == len(self.data)


def _cut(data: Bytes, start: int, target: int, codes: str) -> int:
    """Last safe place to cut in ``data[start:target]``, or the first behind it."""
    from ..kernels.online import last_safe_cut

    size = target - start
    while target < len(data):
        target = _begin_of_code_point(data, target)
        found = int(last_safe_cut(data, start, target, table(codes), table("words"), table("graphemes")))
        if found > start:
            return found
        size *= 2
        target = start + size
    return len(data)


def _begin_of_code_point(data: Bytes, position: int) -> int:
    while data[position] & 0xC0 == 0x80:
        position -= 1
    return position


def splitter(fingerprinters: Sequence[BlockFingerprinter]) -> str | None:
    """Name of the table of codes by which documents can be cut for all of these, or None."""
    pipelines = {_pipeline(f.canonicalizer) for f in fingerprinters}
    simple = (isinstance(f, SketchFingerprinter) and _is_simple(f.tokenizer) for f in fingerprinters)
    if len(pipelines) != 1 or not all(simple):
        return None
    return pipelines.pop()


def _pipeline(canonicalizer: Canonicalizer) -> str | None:
    passes = canonicalizer.passes
    return f"{passes[0].pipeline}.codes" if len(passes) == 1 else None


def _is_simple(tokenizer: Tokenizer) -> bool:
    if isinstance(tokenizer, ShingleTokenizer):
        return isinstance(tokenizer.inner, (WordTokenizer, GraphemeTokenizer)) and 0 < tokenizer.k <= MOST_K
    return isinstance(tokenizer, (WordTokenizer, GraphemeTokenizer))


def with_pieces(
    blocks: Iterable[NumberedBlock[TextColumn]], codes: str | None
) -> Iterator[NumberedBlock[TextColumn] | Piece]:
    """The same blocks, giant documents cut into pieces."""
    for block in blocks:
        column = block.column
        if codes is None or len(column) != 1 or column.nbytes < GIANT_BYTES:
            yield block
            continue
        data = read_only(column.data[column.offsets[0] : column.offsets[1]])
        start = 0
        while start < len(data):
            stop = _cut(data, start, start + PIECE_BYTES, codes)
            yield Piece(data, start, stop, block.first_row, codes)
            start = stop


def piece_hashes(piece: Piece, fingerprinters: Sequence[SketchFingerprinter], scratch: Scratch) -> list[list[Hashes]]:
    """For each fingerprinter and each of its hashers, the hashes of the tokens that begin in the piece."""
    results = []
    for number, fingerprinter in enumerate(fingerprinters):
        spans = _piece_spans(piece, fingerprinter, scratch, f"@{number}")
        halves = (
            hasher.hash_spans(spans, scratch, f"@{number}.{which}")
            for which, hasher in enumerate(fingerprinter._hashers)
        )
        results.append([Hashes(low, high, spans.offsets) for low, high in halves])
    return results


def _piece_spans(piece: Piece, fingerprinter: SketchFingerprinter, scratch: Scratch, key: str) -> Spans:
    tokenizer = fingerprinter.tokenizer
    k, inner = (tokenizer.k, tokenizer.inner) if isinstance(tokenizer, ShingleTokenizer) else (1, tokenizer)
    ahead = AHEAD_BYTES if k > 1 else 0
    while True:
        column, is_all = piece.texts(ahead)
        stages = BlockStages(column, scratch)
        spans = stages.spans(fingerprinter.canonicalizer, inner)
        n_own, n_all = int(spans.offsets[1]), int(spans.offsets[2])
        if n_all - n_own >= k - 1 or is_all:
            break
        ahead *= 2
    n = min(n_all, n_own + k - 1)
    if n < k:  # the document ends here, and the last full shingle began before this piece
        n = 0
    offsets = read_only(np.array([0, n], np.int64))
    spans = Spans(spans.data, spans.base, spans.starts[:n], spans.ends[:n], offsets)
    if k == 1:
        return spans
    return window_spans(joined_spans(spans, scratch, key), k, scratch, key)
