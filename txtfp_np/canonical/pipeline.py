"""Running the canonicalisation kernel over blocks: its tables, its growing buffers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..unicode.frozen import table

if TYPE_CHECKING:
    from ..columns import Scratch


_SOFT_HYPHEN = "\u00ad"


class Pass(NamedTuple):
    """One run of the kernel: a pipeline of ``kernels/layout.py`` and what it strips."""

    pipeline: str
    drop_format: bool = False
    drop_bidi: bool = False
    drop_soft_hyphen: bool = False


@cache
def _tables(pipeline: str, drop_soft_hyphen: bool) -> Any:
    from ..kernels.canonical import Tables
    from ..kernels.layout import DROP_FORMAT, PIPELINES
    from ..kernels.normalize import END

    decomposition, _, mapping = PIPELINES[pipeline]
    keys = table("composition_keys")
    parts = [
        table("combining_class"),
        table(decomposition or "canonical"),
        table(mapping or "fold"),
        table("sequence_offsets"),
        table("sequences"),
        keys >> np.uint64(32),
        keys & np.uint64(0xFFFFFFFF),
        table("composition_values"),
    ]
    begins = np.cumsum([END + 1, *map(len, parts)])
    full = np.concatenate([begins, *parts]).astype(np.uint32)
    quick = {name: table(f"{pipeline}.{name}") for name in ("codes", "words", "descriptions", "pool")}
    if drop_soft_hyphen:
        codes = quick["codes"].copy()
        lead, second = _SOFT_HYPHEN.encode()
        codes[lead << 6 | second & 63] = DROP_FORMAT
        quick["codes"] = read_only(codes)
    return Tables(**quick, full=read_only(full))


@cache
def _options(step: Pass) -> Any:
    from ..kernels.canonical import Options
    from ..kernels.layout import PIPELINES

    _, composes, mapping = PIPELINES[step.pipeline]
    return Options(
        drop_format=int(step.drop_format),
        drop_bidi=int(step.drop_bidi),
        ascii_copies=int(mapping != "confusable"),
        case_bit=0x20 if mapping == "fold" else 0,
        composes=int(composes),
        maps=int(mapping is not None),
    )


def canonicalize_block(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], passes: tuple[Pass, ...], scratch: Scratch, key: str = ""
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Canonical text of one block as ``(data, offsets)``, views into ``scratch``.

    Parameters
    ----------
    data : uint8, read-only
    offsets : int64 (n + 1,), read-only
    passes : tuple of Pass
        Applied one after another.
    scratch : Scratch
        Holds the result until it is used again.
    key : str
        Ends the names under which it does.
    """
    for number, step in enumerate(passes):
        data, offsets = _run_pass(data, offsets, step, scratch, f"canonical-{number}{key}")
    return data, offsets


def _run_pass(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], step: Pass, scratch: Scratch, name: str
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    from ..kernels.canonical import OUT_FULL, OUT_SLACK, WORK_SIZE, canonicalize_rows

    tables, options = _tables(step.pipeline, step.drop_soft_hyphen), _options(step)
    n_bytes = int(offsets[-1] - offsets[0])
    # Text seldom grows: 1/8 more than it is now is enough for all but compatibility characters.
    out = scratch.take(f"{name}-out", n_bytes + n_bytes // 8 + 2 * OUT_SLACK, np.uint8)
    work = scratch.take(f"{name}-work", WORK_SIZE, np.uint32)
    out_offsets = scratch.take(f"{name}-offsets", len(offsets), np.int64)
    out_offsets[0] = 0
    row = 0
    while True:
        row, missing = canonicalize_rows(data, offsets, row, tables, options, work, out, out_offsets)
        if row == len(offsets) - 1:
            return read_only(out[: out_offsets[row]]), read_only(out_offsets)
        if missing == OUT_FULL:
            done = int(out_offsets[row])
            larger = scratch.take(f"{name}-out-{2 * len(out)}", 2 * len(out), np.uint8)
            larger[:done] = out[:done]
            out = larger
        else:
            work = np.empty(2 * len(work), np.uint32)
