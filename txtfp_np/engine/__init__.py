"""Corpora in files: reading them in batches, removing near-duplicates in bounded memory.

=================  ==========================================================================
``readers``        :func:`open_input`: documents of files in any known format, batch by batch
``inputs``         which files are meant, and what format they have
``lines``, ``tables``, ``folders``   the formats, each with its way in
=================  ==========================================================================
"""

from .batches import Batch
from .readers import Input, open_input

__all__ = ["Batch", "Input", "open_input"]
