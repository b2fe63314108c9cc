"""Tracing positions in canonical text back to the text as it was given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch
from ..columns.checks import Bytes, Offsets, read_only
from ..unicode.frozen import table
from .pipeline import Pass, canonicalize_block


class Origins(NamedTuple):
    r"""Segments of a block of texts that canonicalise apart from each other.

    Examples
    --------
    >>> from txtfp_np import Canonicalizer
    >>> given = read_only(np.frombuffer("Eﬁ\u200bX".encode(), np.uint8)), read_only(np.array([0, 8]))
    >>> passes, scratch = Canonicalizer().passes, Scratch()
    >>> canonical = canonicalize_block(*given, passes, scratch)
    >>> canonical[0].tobytes()
    b'efix'
    >>> starts = np.arange(4)
    >>> trace_origins(given, canonical, passes, scratch).trace(starts, starts + 1, np.array([0, 4]))
    (array([0, 1, 1, 3]), array([1, 3, 3, 4]))
    """

    data: Bytes
    offsets: Offsets
    begins: NDArray[np.int64]
    canonical: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    segment_offsets: NDArray[np.int64]

    def trace(self, begins: NDArray[np.int64], ends: NDArray[np.int64], offsets: Offsets) -> tuple[Any, Any]:
        """Begin and end of spans of canonical text in the text as given, in code points.

        A code point that became several is whole in every span that has a part of it; marks that follow a code point,
        and what was dropped behind it, belong to it.
        """
        from ..kernels.origins import trace_rows

        found = np.empty(len(begins), np.int64), np.empty(len(begins), np.int64)
        segments = self.begins, self.canonical, self.kinds, self.segment_offsets
        spans = tuple(read_only(np.asarray(part, np.int64)[:]) for part in (begins, ends, offsets))
        trace_rows(self.data, self.offsets, segments, spans, *found)
        return found


def trace_origins(
    given: tuple[Bytes, Offsets],
    canonical: tuple[Bytes, Offsets],
    passes: tuple[Pass, ...],
    scratch: Scratch,
) -> Origins:
    """Segments of texts whose canonical form is known.

    The cuts are proved: segments are canonicalised one by one, and a row that this does not give back is left whole.
    """
    from ..kernels.origins import RUN, WHOLE, kept_rows

    data, offsets = given
    keeps_ascii = int(len(passes) == 1)  # the skeleton turns one letter into two
    rows = np.empty(len(offsets) - 1, np.uint8)
    kept_rows(data, offsets, *canonical, keeps_ascii, rows)
    while True:
        origins, again = _segments(given, rows, keeps_ascii, passes, scratch)
        differing = _differing_rows(again, canonical, origins, rows)
        differing &= rows != RUN
        if not differing.any():
            return origins
        rows[differing] = WHOLE


def _segments(
    given: tuple[Bytes, Offsets], rows: NDArray[np.uint8], keeps_ascii: int, passes: tuple[Pass, ...], scratch: Scratch
) -> tuple[Origins, Bytes]:
    from ..kernels.origins import segments_rows

    data, offsets = given
    most = int(offsets[-1] - offsets[0]) + len(offsets) + 1
    begins, kinds = scratch.take("origin-begins", most, np.int64), scratch.take("origin-kinds", most, np.uint8)
    segment_offsets = np.empty(len(offsets), np.int64)
    options = int(passes[0].drop_format), int(passes[0].drop_bidi), keeps_ascii
    codes = table(f"{passes[0].pipeline}.codes")
    segments_rows(data, offsets, codes, options, read_only(rows.copy()), begins, kinds, segment_offsets)
    n = int(segment_offsets[-1])
    begins = read_only(begins[: n + 1].copy())
    again, canonical = canonicalize_block(data, begins, passes, scratch, "-origins")
    origins = Origins(
        data, offsets, begins, read_only(canonical.copy()), read_only(kinds[:n].copy()), read_only(segment_offsets)
    )
    return origins, again


def _differing_rows(
    again: Bytes, canonical: tuple[Bytes, Offsets], origins: Origins, rows: NDArray[np.uint8]
) -> NDArray[np.bool_]:
    text, text_offsets = canonical
    found = origins.canonical[origins.segment_offsets]
    if np.array_equal(found, text_offsets) and np.array_equal(again, text[: text_offsets[-1]]):
        return np.zeros(len(rows), np.bool_)
    pairs = zip(found[:-1], found[1:], text_offsets[:-1], text_offsets[1:], strict=True)
    return np.array([again[a:b].tobytes() != text[c:d].tobytes() for a, b, c, d in pairs], np.bool_)
