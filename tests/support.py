"""What tests of several folders need."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from txtfp_np.columns import iter_text_blocks


@contextmanager
def blocks_of(block_bytes: int, block_rows: int = 1 << 16) -> Iterator[None]:
    """Work columns off in blocks of another size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(iter_text_blocks.__kwdefaults__, "block_bytes", block_bytes)
        patch.setitem(iter_text_blocks.__kwdefaults__, "block_rows", block_rows)
        yield
