"""What earns the trust of the kernels: offsets in range and in order, every document valid UTF-8."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError, InvalidInputError

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Positions inside a block are 32-bit, and a block holds at least one whole document.
_LONG_BYTES = 1 << 16  # below it, decoding is quicker than calling a kernel
MAX_DOCUMENT_BYTES = (1 << 31) - 2

_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACE_ADVICE = 'errors="replace" puts U+FFFD in its place.'


def check_errors_option(errors: object) -> None:
    """Refuse any ``errors`` but the two there are."""
    if not isinstance(errors, str) or errors not in ("strict", "replace"):
        raise ConfigError(f'errors must be "strict" or "replace", got {errors!r}', argument="errors")


def encode_str(text: str, errors: str, row: int | None = None) -> bytes:
    """UTF-8 of one ``str``; a lone surrogate has none."""
    try:
        return str.encode(text)
    except UnicodeEncodeError as error:
        if errors == "replace":
            return _SURROGATE.sub("\ufffd", text).encode()
        raise InvalidInputError(
            f"lone surrogate U+{ord(text[error.start]):04X} at character {error.start}",
            row=row,
            argument="texts",
            advice=_REPLACE_ADVICE,
        ) from None


def check_bytes(text: bytes, errors: str, row: int | None = None) -> bytes:
    """One document given as bytes, proved to be UTF-8 or made so."""
    if len(text) > _LONG_BYTES:
        from ..kernels.utf8 import first_invalid

        # Decoding would build a str of up to four times the size, only to throw it away.
        if first_invalid(read_only(np.frombuffer(text, np.uint8)), 0, len(text)) < 0:
            return text
    try:
        text.decode()
    except UnicodeDecodeError as error:
        if errors == "replace":
            return text.decode("utf-8", "replace").encode()
        raise InvalidInputError(
            f"invalid UTF-8 at byte {error.start}", row=row, argument="texts", advice=_REPLACE_ADVICE
        ) from None
    return text


def check_length(n_bytes: int, row: int | None = None) -> None:
    """Refuse a document that 32-bit positions cannot address."""
    if n_bytes > MAX_DOCUMENT_BYTES:
        raise InvalidInputError(
            f"document of {n_bytes} bytes, at most {MAX_DOCUMENT_BYTES} are possible",
            row=row,
            argument="texts",
            advice="Split it into several documents.",
        )


def check_lengths(offsets: Offsets, first_row: int = 0) -> None:
    """Refuse a column that holds a document which 32-bit positions cannot address."""
    if offsets[-1] - offsets[0] > MAX_DOCUMENT_BYTES:  # else no single one can be that long
        lengths = np.diff(offsets)
        row = int(lengths.argmax())
        check_length(int(lengths[row]), first_row + row)


def check_offsets(offsets: Offsets, n_bytes: int) -> None:
    """Refuse offsets that leave the buffer or run backwards."""
    if len(offsets) == 0:
        raise InvalidInputError("offsets must have one element more than there are documents, got none")
    if offsets[0] < 0 or offsets[-1] > n_bytes:
        raise InvalidInputError(
            f"offsets must lie between 0 and {n_bytes}, got {offsets[0]} to {offsets[-1]}", argument="offsets"
        )
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        raise InvalidInputError("offsets must not decrease", row=int(falls.argmax()), argument="offsets")


def gather(data: Bytes, starts: Offsets, ends: Offsets) -> tuple[Bytes, Offsets]:
    """Spans of ``data`` one after another, and the offsets of the result."""
    from ..kernels.utf8 import gather_spans

    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(ends - starts, out=offsets[1:])
    out = np.empty(int(offsets[-1]), np.uint8)
    gather_spans(data, read_only(starts), read_only(ends), out, read_only(offsets))
    return out, offsets


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """View that cannot be written through; the array itself if it already is so."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def _suspects(data: Bytes, offsets: Offsets, *, every: bool) -> NDArray[np.int64]:
    """Rows among which the invalid ones are; without ``every``, at least the first of them."""
    from ..kernels.utf8 import first_invalid

    start, stop = int(offsets[0]), int(offsets[-1])
    rows: list[int] = []
    # A border inside a code point: the bytes as a whole are well-formed, the documents are not.
    inner = offsets[: int(offsets.searchsorted(stop))]
    cut = (data[inner] & 0xC0) == 0x80
    if cut.any():
        filled = np.flatnonzero(offsets[1:] > offsets[:-1])
        begins_cut = (data[offsets[filled]] & 0xC0) == 0x80
        rows.extend(filled[begins_cut].tolist())
        # ... and so is the document before it, which lost its end.
        rows.extend(filled[:-1][begins_cut[1:]].tolist())
    position = start
    while (bad := int(first_invalid(data, position, stop))) >= 0:
        row = int(offsets.searchsorted(bad, side="right")) - 1
        rows.append(row)
        if not every:
            break
        position = int(offsets[row + 1])
    return np.unique(np.array(rows, np.int64))


def check_utf8(data: Bytes, offsets: Offsets, errors: str, first_row: int = 0) -> tuple[Bytes, Offsets]:
    """The same column if every document is valid UTF-8; else an error, or a repaired copy.

    Offsets must have been checked. ``first_row`` is the position of the first document in the
    column that the caller was given.
    """
    if offsets[0] == offsets[-1]:
        return data, offsets
    suspects = _suspects(data, offsets, every=errors == "replace")
    if len(suspects) == 0:
        return data, offsets
    pieces: list[Bytes] = []
    lengths = np.diff(offsets)
    done = int(offsets[0])
    for row in suspects.tolist():
        document = data[offsets[row] : offsets[row + 1]].tobytes()
        repaired = check_bytes(document, errors, first_row + row)
        pieces += [data[done : offsets[row]], np.frombuffer(repaired, np.uint8)]
        lengths[row] = len(repaired)
        done = int(offsets[row + 1])
    pieces.append(data[done : offsets[-1]])
    repaired_offsets = np.zeros(len(offsets), np.int64)
    np.cumsum(lengths, out=repaired_offsets[1:])
    return np.concatenate(pieces), repaired_offsets
