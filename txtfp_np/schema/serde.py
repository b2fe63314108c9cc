"""Signatures as JSON, exactly as the Rust crate writes it and with its rules for reading."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError, InvalidInputError, TxtfpError
from .embedding import Embedding
from .signatures import Signatures, check_word, minhash_dtype, signature_slots, signature_words

_MAX_U16 = (1 << 16) - 1
_MAX_U64 = (1 << 64) - 1
_MIN_I64 = -(1 << 63)
_LONGEST_INTEGER = 20  # digits and sign of the largest that are integers to the crate
# Powers of ten between which Rust's JSON writer prints without an exponent
_PLAIN_POWERS = {np.float32: range(-6, 13), np.float64: range(-5, 16)}


# ── writing ─────────────────────────────────────────────────────────────────────────────────────
def to_json(x: np.void | Signatures | int | np.uint64 | NDArray[np.uint64] | Embedding) -> str:
    """JSON of a signature, in the bytes that the crate's ``serde_json`` writes.

    Parameters
    ----------
    x : record or array of minhash_dtype(h), int or uint64, uint64 array, Embedding
        MinHash signatures, 64-bit SimHashes, or an embedding. An array becomes a JSON array.

    Returns
    -------
    str
        Without any blanks. ``_pad`` is left out.

    Raises
    ------
    InvalidInputError
        If it is none of these.

    Examples
    --------
    >>> from txtfp_np.schema import empty_signature
    >>> to_json(empty_signature(1))
    '{"schema":1,"hashes":[18446744073709551615]}'
    >>> to_json(np.array([7, 8], np.uint64)), to_json(Embedding([1, 0.1]))
    ('[7,8]', '{"vector":[1.0,0.1],"model_id":null}')
    """
    if isinstance(x, Embedding):
        return _embedding_json(x)
    if isinstance(x, (int, np.integer)):
        return str(check_word(x, "x"))
    shown = type(x).__name__
    if isinstance(x, (np.void, np.ndarray)):
        array: NDArray[Any] = np.asarray(x)
        if array.ndim <= 1 and signature_slots(array.dtype) is not None:
            words = signature_words(array)
            records = [_minhash_json(row) for row in words.tolist()]
            return _join(records) if array.ndim else records[0]
        if array.ndim <= 1 and array.dtype.kind == "u":
            return json.dumps(array.tolist(), separators=(",", ":"))
        shown = f"an array of {array.dtype}, shape {array.shape}"
    raise InvalidInputError(f"expected signatures, SimHashes or an Embedding, got {shown}", argument="x")


def _join(items: Iterable[str]) -> str:
    return f"[{','.join(items)}]"


def _minhash_json(words: list[int]) -> str:
    # the schema is the low 16 bits of the first word: it stands first and all is little-endian
    return f'{{"schema":{words[0] & _MAX_U16},"hashes":{_join(map(str, words[1:]))}}}'


def _embedding_json(embedding: Embedding) -> str:
    vector = _join(map(_float_json, embedding.vector))
    return f'{{"vector":{vector},"model_id":{json.dumps(embedding.model_id, ensure_ascii=False)}}}'


def _float_json(value: np.float32 | np.float64) -> str:
    """Shortest digits that read back as ``value``, laid out as Rust's JSON writer does."""
    if not np.isfinite(value):
        return "null"
    mantissa, power = np.format_float_scientific(value, trim="-").split("e")
    if value == 0 or int(power) in _PLAIN_POWERS[type(value)]:
        return np.format_float_positional(value, trim="0")
    return f"{mantissa}e{int(power)}"


# ── reading ─────────────────────────────────────────────────────────────────────────────────────
class _Object(list[tuple[str, Any]]):
    """Members of a JSON object in their order, repeated keys included."""


def from_json(
    text: str | bytes, kind: str = "minhash", h: int = 128
) -> np.void | Signatures | np.uint64 | NDArray[np.uint64] | Embedding:
    """Signature from JSON, accepted or refused as the crate would.

    Parameters
    ----------
    text : str or bytes
        One JSON value; an array of them gives an array.
    kind : {"minhash", "simhash", "embedding"}
        What it is.
    h : int
        Number of slots of a MinHash signature.

    Returns
    -------
    np.void, np.uint64 or Embedding, or an array of the first two

    Raises
    ------
    InvalidInputError
        With the text of Rust's ``serde_json``, without its line and column; with ``.row`` if the
        value is an element of an array.

    Notes
    -----
    As in the crate, any schema version is accepted (:func:`as_signatures` is stricter), a repeated
    key of a MinHash object counts with its last value, and the values of an embedding are not
    looked at: an empty vector passes.

    Examples
    --------
    >>> from_json('{"schema":1,"hashes":[3,4]}', h=2)["hashes"]
    array([3, 4], dtype=uint64)
    >>> from_json("[7,8]", kind="simhash")
    array([7, 8], dtype=uint64)
    >>> from_json('{"schema":1}')
    Traceback (most recent call last):
    txtfp_np.errors.InvalidInputError: invalid input: missing field `hashes`
    """
    if kind not in ("minhash", "simhash", "embedding"):
        raise ConfigError(f"kind must be 'minhash', 'simhash' or 'embedding', got {kind!r}", argument="kind")
    dtype = minhash_dtype(h)
    value = _parse(text)
    if kind == "embedding":
        return _read_embedding(value)
    if kind == "simhash":
        if not _is_array(value):
            return np.uint64(_read_integer(value, "u64", _MAX_U64))
        return np.array(_read_rows(value, lambda item: _read_integer(item, "u64", _MAX_U64)), np.uint64)
    if not _is_array(value):
        return cast(np.void, np.array(_read_minhash(value, h), dtype)[()])
    return np.array(_read_rows(value, lambda item: _read_minhash(item, h)), dtype)


def _refuse(message: str) -> NoReturn:
    raise InvalidInputError(message, argument="text")


def _is_array(value: object) -> bool:
    return isinstance(value, list) and not isinstance(value, _Object)


def _read_rows(values: list[Any], read: Callable[[Any], Any]) -> list[Any]:
    rows = []
    for row, value in enumerate(values):
        try:
            rows.append(read(value))
        except TxtfpError as error:
            raise error.at_row(row) from None
    return rows


def _parse(text: str | bytes) -> Any:
    if not isinstance(text, (str, bytes)):
        _refuse(f"JSON must be a str or bytes, got {type(text).__name__}")
    try:
        string = text.decode() if isinstance(text, bytes) else text
        return json.loads(
            string,
            object_pairs_hook=_Object,
            parse_int=_parse_integer,
            parse_float=_parse_float,
            parse_constant=_parse_constant,
        )
    except RecursionError:
        _refuse("recursion limit exceeded")
    except json.JSONDecodeError as error:
        _refuse(f"not JSON: {error.msg} at line {error.lineno} column {error.colno}")
    except UnicodeDecodeError as error:
        _refuse(f"not JSON: invalid UTF-8 at byte {error.start}")


def _parse_integer(text: str) -> int | float:
    """Integers that 64 bits hold; to the crate everything else is a floating-point number."""
    if len(text) <= _LONGEST_INTEGER and text != "-0":
        number = int(text)
        if _MIN_I64 <= number <= _MAX_U64:
            return number
    return _parse_float(text)


def _parse_float(text: str) -> float:
    number = float(text)
    if not np.isfinite(number):
        _refuse("number out of range")
    return number


def _parse_constant(text: str) -> NoReturn:
    _refuse(f"not JSON: {text}")


def _shown(value: object) -> str:
    """A JSON value as serde's messages name it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, int):
        return f"integer `{value}`"
    if isinstance(value, float):
        return f"floating point `{_float_json(np.float64(value))}`"
    if isinstance(value, str):
        return f"string {json.dumps(value, ensure_ascii=False)}"
    return "map" if isinstance(value, _Object) else "sequence"


def _refuse_type(value: object, expected: str) -> NoReturn:
    _refuse(f"invalid type: {_shown(value)}, expected {expected}")


def _read_integer(value: object, name: str, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        _refuse_type(value, name)
    if not 0 <= value <= most:
        _refuse(f"invalid value: integer `{value}`, expected {name}")
    return value


def _read_minhash(value: object, h: int) -> tuple[int, tuple[int, ...], list[int]]:
    """Fields of a record, members looked at in the order in which they stand."""
    if not isinstance(value, _Object):
        _refuse_type(value, f"a MinHashSig<{h}> struct")
    schema: int | None = None
    hashes: list[int] | None = None
    for key, member in value:
        if key == "schema":
            schema = _read_integer(member, "u16", _MAX_U16)
        elif key == "hashes":
            hashes = _read_slots(member, h)
        else:
            _refuse(f"unknown field `{key}`, expected `schema` or `hashes`")
    if schema is None:
        _refuse("missing field `schema`")
    if hashes is None:
        _refuse("missing field `hashes`")
    return schema, (0,) * 6, hashes


def _read_slots(value: Any, h: int) -> list[int]:
    expected = f"an array of exactly {h} u64 hash slots"
    if not _is_array(value):
        _refuse_type(value, expected)
    # one more than wanted is looked at, and proves that there are too many
    slots = [_read_integer(item, "u64", _MAX_U64) for item in value[: h + 1]]
    if len(slots) != h:
        _refuse(f"invalid length {len(slots)}, expected {expected}")
    return slots


def _read_embedding(value: Any) -> Embedding:
    """What ``#[derive(Deserialize)]`` accepts: unknown keys are ignored, known ones come once."""
    fields: dict[str, Any] = {}
    if isinstance(value, _Object):
        for key, member in value:
            if key in fields:
                _refuse(f"duplicate field `{key}`")
            if key == "vector":
                fields[key] = _read_vector(member)
            elif key == "model_id":
                fields[key] = _read_model_id(member)
        if "vector" not in fields:
            _refuse("missing field `vector`")
    elif _is_array(value):
        readers = {"vector": _read_vector, "model_id": _read_model_id}
        for (key, read), member in zip(readers.items(), value, strict=False):
            fields[key] = read(member)
        if len(fields) < len(readers):
            _refuse(f"invalid length {len(fields)}, expected struct Embedding with 2 elements")
        if len(value) > len(readers):
            _refuse("trailing characters")
    else:
        _refuse_type(value, "struct Embedding")
    return Embedding._unchecked(fields["vector"], fields.get("model_id"))


def _read_vector(value: Any) -> NDArray[np.float32]:
    if not _is_array(value):
        _refuse_type(value, "a sequence")
    for item in value:
        if not isinstance(item, (int, float)) or isinstance(item, bool):
            _refuse_type(item, "f32")
    with np.errstate(over="ignore"):  # to infinity, as Rust's `as f32`
        return np.array(value, np.float64).astype(np.float32)


def _read_model_id(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        _refuse_type(value, "a string")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            _refuse("lone surrogate in a string")
    return value
