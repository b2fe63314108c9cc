"""Signatures as bytes: the record of a MinHash signature, the word of a SimHash, and the checked way in.

Offsets and sizes stand in ``docs/format.md``; they are those of the Rust crate and never change
within one schema version. All numbers are little-endian.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..errors import InvalidInputError, SchemaMismatchError
from ..options import check_count

FORMAT_VERSION = 1
"""Version of the byte format as a whole."""
DEFAULT_SEED = 0x00C0FFEE5EED
"""Seed of every hash, unless another is given."""
MINHASH_SCHEMA = 1
"""Schema version that every MinHash record carries."""
SIMHASH_SCHEMA = 1
"""Schema version of SimHash; a bare number has no room for it, so it stands in names only."""
MIN_INPUT_BYTES = 50
"""TLSH needs canonical text of at least so many bytes."""

MAX_SLOTS = 4096
_HEADER_BYTES = 8
_SLOT_BYTES = 8
_SHOWN_SLOTS = 4

Signatures: TypeAlias = NDArray[np.void]
Words: TypeAlias = NDArray[np.uint64]

SimHash64: np.dtype[np.uint64] = np.dtype("<u8")
"""dtype of a 64-bit SimHash."""


def minhash_dtype(h: int) -> np.dtype[np.void]:
    """Structured dtype of a MinHash signature of ``h`` slots; :data:`MinHashSig` is another name for it.

    Parameters
    ----------
    h : int
        Number of slots, 1 to 4096.

    Returns
    -------
    dtype
        ``schema`` (``<u2``), ``_pad`` (6 bytes, zero), ``hashes`` (``h`` times ``<u8``):
        ``8 + 8 * h`` bytes without gaps.

    Raises
    ------
    ConfigError
        If ``h`` is not such a number.

    Examples
    --------
    >>> minhash_dtype(128).itemsize
    1032
    >>> {name: offset for name, (_, offset) in minhash_dtype(2).fields.items()}
    {'schema': 0, '_pad': 2, 'hashes': 8}
    """
    return _minhash_dtype(check_count("h", h, least=1, most=MAX_SLOTS))


@lru_cache(maxsize=256)
def _minhash_dtype(h: int) -> np.dtype[np.void]:
    return np.dtype([("schema", "<u2"), ("_pad", "u1", (6,)), ("hashes", "<u8", (h,))])


MinHashSig = minhash_dtype


def signature_slots(dtype: np.dtype[Any]) -> int | None:
    """Number of slots if ``dtype`` is that of MinHash signatures, in either byte order; else None.

    Examples
    --------
    >>> signature_slots(minhash_dtype(64)), signature_slots(np.dtype("<u8"))
    (64, None)
    """
    words, rest = divmod(dtype.itemsize, _SLOT_BYTES)
    if dtype.names is None or rest or not 2 <= words <= 1 + MAX_SLOTS:
        return None
    wanted = _minhash_dtype(words - 1)
    return words - 1 if dtype in (wanted, wanted.newbyteorder()) else None


def empty_signature(h: int) -> np.void:
    """Signature of no shingles at all: schema 1 and every slot ``2**64 - 1``.

    The start value of sketching, and what masked rows hold. Two of them are equal in every slot, so
    they would count as the same text: leave them out of comparisons.

    Parameters
    ----------
    h : int
        Number of slots, 1 to 4096.

    Returns
    -------
    np.void
        One record of :func:`minhash_dtype`.

    Examples
    --------
    >>> signature_display(empty_signature(2))
    'MinHashSig<2>[ffffffffffffffff, ffffffffffffffff]'
    """
    record = np.zeros(1, minhash_dtype(h))
    record["schema"] = MINHASH_SCHEMA
    record["hashes"] = np.uint64(0xFFFFFFFFFFFFFFFF)
    return cast(np.void, record[0])


def as_signatures(data: bytes | bytearray | memoryview | NDArray[Any] | np.void, h: int) -> Signatures:
    """MinHash signatures that come from elsewhere: a file, a socket, a column of bytes.

    Checks everything that the bytes can tell, and copies only what it must: a memory map, a
    buffer and an array of native byte order are used where they lie.

    Parameters
    ----------
    data : bytes-like, array or record
        Records one after another as ``bytes``, ``bytearray``, ``memoryview`` or a ``uint8`` array;
        or an array of :func:`minhash_dtype`, of any shape and either byte order; or a ``uint64``
        array whose last axis has ``1 + h`` words, the first of them the header.
    h : int
        Number of slots that the signatures must have.

    Returns
    -------
    ndarray of minhash_dtype(h)
        One-dimensional if bytes were given. Read-only where the source is.

    Raises
    ------
    InvalidInputError
        If the bytes do not make whole records, or the array is of another type or another ``h``.
    SchemaMismatchError
        If a record has another schema version (with ``.row``).

    See Also
    --------
    from_json : The crate's text form, which takes any schema version as the crate does.

    Examples
    --------
    >>> stored = empty_signature(2).tobytes() * 3
    >>> as_signatures(stored, 2).shape
    (3,)
    >>> as_signatures(stored[:-5], 2)
    Traceback (most recent call last):
    txtfp_np.errors.InvalidInputError: invalid input: 67 bytes are no whole number of 24-byte signatures \
(h = 2): 19 bytes are left over
    """
    wanted = minhash_dtype(h)
    if isinstance(data, np.void):
        sigs = _from_array(np.asarray(data), wanted, h)
    elif isinstance(data, np.ndarray):
        sigs = _from_array(data, wanted, h)
    elif isinstance(data, (bytes, bytearray, memoryview)):
        try:
            raw = np.frombuffer(data, np.uint8)
        except (BufferError, ValueError):  # a memoryview with strides
            raw = np.frombuffer(bytes(data), np.uint8)
        sigs = _from_bytes(raw, wanted, h)
    else:
        raise InvalidInputError(f"signatures must be bytes or an array, got {type(data).__name__}", argument="data")
    _check_schema(sigs)
    return sigs


def _from_array(array: NDArray[Any], wanted: np.dtype[np.void], h: int) -> Signatures:
    if array.dtype == wanted:
        return array
    if array.dtype.names is not None and array.dtype == wanted.newbyteorder():
        return array.astype(wanted)
    if array.dtype == np.uint8:
        if array.ndim != 1:
            raise InvalidInputError(f"signatures as uint8 must have one axis, got shape {array.shape}", argument="data")
        return _from_bytes(np.ascontiguousarray(array), wanted, h)
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        return _from_words(array, wanted, h)
    slots = signature_slots(array.dtype)
    got = f"signatures of h = {slots}" if slots else f"dtype {array.dtype}"
    raise InvalidInputError(
        f"expected signatures of h = {h} ({wanted.itemsize} bytes each), got {got}", argument="data"
    )


def _from_bytes(raw: NDArray[np.uint8], wanted: np.dtype[np.void], h: int) -> Signatures:
    left = len(raw) % wanted.itemsize
    if left:
        raise InvalidInputError(
            f"{len(raw)} bytes are no whole number of {wanted.itemsize}-byte signatures (h = {h}): "
            f"{left} bytes are left over",
            argument="data",
        )
    return raw.view(wanted)


def _from_words(array: NDArray[Any], wanted: np.dtype[np.void], h: int) -> Signatures:
    if array.ndim == 0 or array.shape[-1] != 1 + h:
        raise InvalidInputError(
            f"a matrix of uint64 must have 1 + h = {1 + h} columns, got shape {array.shape}", argument="data"
        )
    words = array.astype("<u8", copy=False)
    if words.strides[-1] != _SLOT_BYTES:
        words = np.ascontiguousarray(words)
    return words.view(wanted)[..., 0]


def _check_schema(sigs: Signatures) -> None:
    wrong = sigs["schema"] != MINHASH_SCHEMA
    if wrong.any():
        row = int(wrong.argmax())
        raise SchemaMismatchError(MINHASH_SCHEMA, int(sigs["schema"].flat[row]), row=row, argument="data")


def signature_words(sigs: Signatures | np.void) -> Words:
    """Signatures as the matrix of words that kernels read: one of header, then the slots.

    Parameters
    ----------
    sigs : ndarray of minhash_dtype(h), or one record
        Of any shape; axes are flattened in C order.

    Returns
    -------
    uint64 (n, 1 + h)
        C-contiguous, aligned, in native byte order. A view if the signatures already are, else a copy.

    Raises
    ------
    InvalidInputError
        If it is not an array of signatures.

    Examples
    --------
    >>> sigs = np.zeros(3, minhash_dtype(4))
    >>> signature_words(sigs).shape, np.shares_memory(sigs, signature_words(sigs))
    ((3, 5), True)
    """
    array = np.asarray(sigs)
    slots = signature_slots(array.dtype)
    if slots is None:
        raise InvalidInputError(f"expected MinHash signatures, got dtype {array.dtype}", argument="sigs")
    stored = np.ascontiguousarray(array, _minhash_dtype(slots)).reshape(-1)
    # aligned: a buffer may begin at any byte, and kernels are compiled for aligned words only
    return np.require(stored.view("<u8").reshape(-1, 1 + slots), np.uint64, ["C", "A"])


def signature_display(record: np.void) -> str:
    """Text of one MinHash signature, as the crate's ``Display`` has it.

    Examples
    --------
    >>> words = np.arange(7, dtype=np.uint64)
    >>> words[0] = 1
    >>> signature_display(as_signatures(words, 6)[()])
    'MinHashSig<6>[0000000000000001, 0000000000000002, 0000000000000003, 0000000000000004, ..+2 more]'
    """
    slots = one_signature(record)[1:].tolist()
    shown = [f"{slot:016x}" for slot in slots[:_SHOWN_SLOTS]]
    if len(slots) > _SHOWN_SLOTS:
        shown.append(f"..+{len(slots) - _SHOWN_SLOTS} more")
    return f"MinHashSig<{len(slots)}>[{', '.join(shown)}]"


def one_signature(record: object) -> Words:
    """The words of exactly one signature, read-only."""
    array = np.asarray(record)
    if array.ndim:
        raise InvalidInputError(f"expected one signature, got an array of shape {array.shape}", argument="sig")
    return cast(Words, read_only(signature_words(array)[0]))


def simhash_display(value: int | np.unsignedinteger[Any]) -> str:
    """Text of a 64-bit SimHash, as the crate's ``Display`` has it.

    Examples
    --------
    >>> simhash_display(np.uint64(0xC60631522CC4F840))
    'SimHash64(c60631522cc4f840)'
    """
    return f"SimHash64({check_word(value):016x})"


def check_word(value: object, argument: str = "value") -> int:
    """A 64-bit SimHash as an int; anything else is refused."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if whole and 0 <= int(value) < 1 << 64:  # type: ignore[call-overload]
        return int(value)  # type: ignore[call-overload,no-any-return]
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind == "u":
        return int(value)
    raise InvalidInputError(f"{argument} must be an int between 0 and 2**64 - 1, got {value!r}", argument=argument)
