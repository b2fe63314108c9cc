"""Corpora in files: reading them in batches, removing near-duplicates in bounded memory.

=================  ==========================================================================
``readers``        :func:`open_input`: documents of files in any known format, batch by batch
``inputs``         which files are meant, and what format they have
``lines``          JSONL and plain text; ``tables``: CSV, Parquet, Arrow; ``folders``: of text files
``local``          :func:`dedup_files`, and the stages of its work in their order:
``scan``           sign all documents; ``ids``: their ids
``pairing``        equal documents, candidates band by band; ``sorting``: by 64-bit hashes
``verifying``      exact similarities; ``linking``: who stands by whom
``outputs``        where results go; ``writers``: in which format
``against``        what other files, or an index, have already; ``reporting``: a page about a job
``work``           files between the stages, and how far they are right; ``job``: options, memory
=================  ==========================================================================
"""

from .batches import Batch
from .local import FileReport, dedup_files
from .readers import Input, open_input

__all__ = ["Batch", "FileReport", "Input", "dedup_files", "open_input"]
