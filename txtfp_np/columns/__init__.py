"""Columns of text and of tokens, every way in, and the scheduler that works them off in blocks.

=================  ==========================================================================
``text``           :class:`TextColumn`, documents as UTF-8 bytes and offsets; ``rows``: some of its rows
``tokens``         :class:`TokenColumn`, tokens of documents as spans of bytes
``sources``        what is accepted as a column; ``arrow``: Arrow's buffers, in and out
``blocks``         cutting into blocks, running them on threads; ``buffers``: their memory
``checks``         UTF-8 and offsets, proved before a kernel sees them
=================  ==========================================================================
"""

from .blocks import (
    BLOCK_BYTES,
    BLOCK_ROWS,
    NumberedBlock,
    Progress,
    block_bounds,
    numbered,
    resolve_threads,
    run_blocks,
)
from .buffers import Appender, Scratch
from .rows import TextRows
from .sources import Document, Texts, as_text_column, document_bytes, is_single, iter_text_blocks, known_length
from .text import TextColumn
from .tokens import TokenColumn

__all__ = [
    "TextColumn",
    "TextRows",
    "TokenColumn",
    "Document",
    "Texts",
    "as_text_column",
    "document_bytes",
    "is_single",
    "iter_text_blocks",
    "known_length",
    "BLOCK_BYTES",
    "BLOCK_ROWS",
    "Appender",
    "NumberedBlock",
    "Progress",
    "Scratch",
    "block_bounds",
    "numbered",
    "resolve_threads",
    "run_blocks",
]
