"""From a function of one ``str`` to a function of one document or a column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..columns import (
    Document,
    NumberedBlock,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    as_text_column,
    document_bytes,
    is_single,
    iter_text_blocks,
    numbered,
    run_blocks,
)
from ..errors import TxtfpError

# White_Space, what Rust's ``trim`` takes off; ``str.strip`` takes U+001C to U+001F as well.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def convert(
    texts: Document | Texts, function: Callable[[str], str], errors: str, progress: Progress
) -> str | TextColumn:
    """Apply ``function`` to one document, or to every row of a column; a null stays a null.

    The libraries behind hold the GIL, so everything runs on the calling thread.
    """
    if is_single(texts):
        return function(document_bytes(texts, errors).decode())  # type: ignore[arg-type]
    column = as_text_column(texts, errors=errors)
    parts: list[TextColumn] = []

    def work(block: NumberedBlock[TextColumn], scratch: Scratch) -> TextColumn:
        encoded = []
        for row, text in enumerate(block.column):
            try:
                encoded.append(function(text).encode())
            except TxtfpError as error:
                raise error.at_row(block.first_row + row, "texts") from error.__cause__
        return column_of(encoded, block.column.validity)

    run_blocks(numbered(iter_text_blocks(column)), work, parts.append, threads=1, progress=progress, total=len(column))
    return TextColumn.concat(parts)


def column_of(encoded: list[bytes], validity: np.ndarray[tuple[int], np.dtype[np.bool_]] | None) -> TextColumn:
    """A column of documents that are UTF-8 for sure."""
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    return TextColumn._trusted(np.frombuffer(b"".join(encoded), np.uint8), offsets, validity)
