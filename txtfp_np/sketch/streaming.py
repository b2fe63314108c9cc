"""Fingerprints of documents that arrive in pieces."""

from __future__ import annotations

import codecs
import copy
from typing import Any, Protocol, runtime_checkable

from ..columns import Scratch
from ..errors import ConfigError, InvalidInputError
from ..options import check_count
from .base import EMPTY, SketchFingerprinter
from .minhash import MinHashFingerprinter
from .online import OnlineCanonicalizer, online_tokens
from .simhash import SimHashFingerprinter
from .stages import Hashes

DEFAULT_MAX_BYTES = 16 * 1024 * 1024

_STEP_BYTES = 1 << 18  # taken through the stages at a time; 4 at the least, a whole code point


@runtime_checkable
class StreamingFingerprinter(Protocol):
    """What takes a document in pieces.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> isinstance(tx.SimHashStreaming(tx.SimHashFingerprinter()), StreamingFingerprinter)
    True
    """

    def update(self, chunk: bytes, /) -> None:
        """Take more bytes."""
        ...

    def finalize(self) -> Any:
        """Signature of everything so far."""
        ...

    def reset(self) -> None:
        """Forget everything."""
        ...


class _Streaming:
    """Bytes in, valid text out: shared by all streaming fingerprinters."""

    _fingerprinter_type: type[SketchFingerprinter]
    _fingerprinter: Any

    def __init__(self, fingerprinter: Any, *, max_bytes: int | None = DEFAULT_MAX_BYTES) -> None:
        if not isinstance(fingerprinter, self._fingerprinter_type):
            wanted, given = self._fingerprinter_type.__name__, type(fingerprinter).__name__
            raise ConfigError(f"fingerprinter must be a {wanted}, got {given}", argument="fingerprinter")
        self._fingerprinter = fingerprinter
        self._max_bytes = None if max_bytes is None else check_count("max_bytes", max_bytes)
        self.reset()

    def reset(self) -> None:
        """Forget everything, as if made anew."""
        self._carry = b""  # an incomplete code point
        self._buffer = bytearray()
        self._online = _Online(self._fingerprinter) if self._max_bytes is None else None

    @property
    def buffered(self) -> int:
        """Bytes held: the whole text, or what the online form keeps back."""
        return len(self._buffer) if self._online is None else self._online.held_bytes

    def update(self, chunk: bytes | bytearray | memoryview, /) -> None:
        """Take more bytes; they may end inside a code point.

        Parameters
        ----------
        chunk : bytes-like
            UTF-8.

        Raises
        ------
        InvalidInputError
            If the cap is exceeded (nothing is lost), or the bytes are not UTF-8: then the chunk, and
            an incomplete code point before it, are dropped, and the stream can go on. A stream without
            a buffer cannot go on if a token is too long or a function of yours raises: ``reset()`` it.
        """
        try:
            piece = bytes(memoryview(chunk))
        except TypeError:
            raise InvalidInputError(
                f"a chunk must be bytes, got {type(chunk).__name__}", argument="chunk", advice="encode text to UTF-8"
            ) from None
        if self._max_bytes is not None and len(self._buffer) + len(piece) > self._max_bytes:
            raise InvalidInputError("streaming buffer exceeded cap", argument="chunk")
        data, self._carry = self._carry + piece, b""
        try:
            _, n_valid = codecs.utf_8_decode(data, "strict", False)
        except UnicodeDecodeError:
            raise InvalidInputError("invalid UTF-8 in stream", argument="chunk") from None
        carry = data[n_valid:]
        if carry[:1] == b"\xed" and carry[1:2] >= b"\xa0":
            # The begin of a surrogate: Python would wait for its third byte before it refuses.
            raise InvalidInputError("invalid UTF-8 in stream", argument="chunk")
        self._carry = carry
        if self._online is None:
            self._buffer += data[:n_valid]
        else:
            self._online.push(data[:n_valid])

    def finalize(self) -> Any:
        """Signature of everything so far; more may follow.

        Returns
        -------
        record
            What ``fingerprint`` gives for the whole text.

        Raises
        ------
        InvalidInputError
            If the text ends inside a code point, or is empty.
        """
        if self._carry:
            raise InvalidInputError("trailing incomplete UTF-8")
        if self._online is None:
            return self._fingerprinter.fingerprint(bytes(self._buffer))
        return self._online.copy().finish()

    def __repr__(self) -> str:
        cap = "online" if self._max_bytes is None else f"max_bytes={self._max_bytes}"
        return f"{type(self).__name__}({cap}, {self.buffered} bytes held)"


class _Online:
    """The stages and the signature of a document that is not buffered."""

    def __init__(self, fingerprinter: SketchFingerprinter) -> None:
        self.fingerprinter = fingerprinter
        self.failed = False
        self.text = OnlineCanonicalizer(fingerprinter.canonicalizer)
        self.tokens = online_tokens(fingerprinter.tokenizer)
        self.hashers = fingerprinter._hashers
        self.signature = fingerprinter._accumulator()
        self.pending = bytearray()

    @property
    def held_bytes(self) -> int:
        return len(self.pending) + sum(map(len, self.text.held)) + self.tokens.held_bytes

    def copy(self) -> _Online:
        """A state of its own; what a user gave is shared, not copied."""
        shared = {id(thing): thing for thing in (self.fingerprinter, *self.hashers)}
        return copy.deepcopy(self, shared)

    def push(self, data: bytes) -> None:
        if self.failed:
            raise InvalidInputError("the stream has failed before", advice="reset() begins a new document")
        self.failed = True  # until it is clear that nothing was lost half-way
        self.pending += data
        while len(self.pending) >= _STEP_BYTES:
            cut = _STEP_BYTES
            while cut < len(self.pending) and self.pending[cut] & 0xC0 == 0x80:
                cut -= 1  # back to the begin of a code point
            step = bytes(self.pending[:cut])
            del self.pending[:cut]
            self._advance(step, final=False)
        self.failed = False

    def finish(self) -> Any:
        self.push(b"")
        self._advance(bytes(self.pending), final=True)
        if self.signature.n_tokens == 0:
            raise InvalidInputError(EMPTY)
        return self.signature.signature()

    def _advance(self, data: bytes, final: bool) -> None:
        spans = self.tokens.push(self.text.push(data, final), final)
        if len(spans.starts):
            scratch = Scratch()
            halves = [hasher.hash_spans(spans, scratch, str(number)) for number, hasher in enumerate(self.hashers)]
            self.signature.add([Hashes(low, high, spans.offsets) for low, high in halves])


class MinHashStreaming(_Streaming):
    """MinHash of a document that arrives in pieces of bytes.

    Parameters
    ----------
    fingerprinter : MinHashFingerprinter
        What to compute.
    max_bytes : int or None
        The document is buffered, up to this size (16 MiB, as in the Rust crate). None: it is *not*
        buffered; memory stays the same however long it is. That needs a tokenizer of this package.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=3))
    >>> stream = MinHashStreaming(fp, max_bytes=None)
    >>> for chunk in (b"the quick br", b"own fox ju", b"mps"):
    ...     stream.update(chunk)
    >>> bool(stream.finalize() == fp.fingerprint("the quick brown fox jumps"))
    True
    """

    _fingerprinter_type = MinHashFingerprinter


class SimHashStreaming(_Streaming):
    r"""SimHash of a document that arrives in pieces of bytes.

    Parameters
    ----------
    fingerprinter : SimHashFingerprinter
        What to compute.
    max_bytes : int or None
        As in :class:`MinHashStreaming`. Without a buffer, weightings other than ``"tf"`` keep one entry
        for each distinct token.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> stream = SimHashStreaming(tx.SimHashFingerprinter())
    >>> stream.update(b"a b c\xc3")
    >>> stream.update(b"\xa9")
    >>> hex(stream.finalize())
    '0x99c83b64d4e0da21'
    """

    _fingerprinter_type = SimHashFingerprinter
