"""TLSH digests."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..canonical.canonicalizer import check_canonicalizer
from ..columns.checks import read_only
from ..errors import InvalidInputError
from ..options import check_flag
from ..schema.identity import config_hash_of
from ..schema.signatures import MIN_INPUT_BYTES
from .base import EMPTY, BlockFingerprinter, Signed
from .stages import BlockStages

_PACKED_BYTES = 35
_TEXT_BYTES = 72


@dataclass(frozen=True)
class TlshFingerprinter(BlockFingerprinter):
    """TLSH: digests of 35 bytes whose distance grows slowly as bytes are changed, moved or inserted.

    Parameters
    ----------
    canonicalizer : Canonicalizer
        Stage 1; TLSH takes the canonical text as bytes, without a tokenizer.
    packed : bool
        False: digests as ``S72``, ``T1`` and 70 upper-case hexadecimal digits. True: the 35 bytes that the digits
        spell, as ``V35``.

    Notes
    -----
    128 buckets, one byte of checksum, a window of five bytes: the strings are those of the Rust crate (which takes them
    from ``tlsh2``) and of ``py-tlsh``.

    There is no digest of canonical text below 50 bytes, nor of text with so little variety that half of the
    buckets stay empty. With ``on_empty="mask"`` such rows are ``b""`` (packed: 35 zero bytes, which no document has).

    References
    ----------
    J. Oliver, C. Cheng, Y. Chen, "TLSH - A Locality Sensitive Hash", 4th Cybercrime and Trustworthy Computing
    Workshop, 2013.

    Examples
    --------
    >>> fp = TlshFingerprinter()
    >>> text = "the quick brown fox jumps over the lazy dog at noon"
    >>> fp.fingerprint(text)
    np.bytes_(b'T1C990024A21191294648A1894438D94B692C8C510672114126570E10258089319CBC866')
    >>> digests, ok = fp.fingerprint([text, "too short"], on_empty="mask")
    >>> digests.dtype, ok
    (dtype('S72'), array([ True, False]))
    >>> fp.replace(packed=True).fingerprint(text).tobytes().hex()[:12]
    'c990024a2119'
    """

    canonicalizer: Canonicalizer = field(default_factory=Canonicalizer)
    packed: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_canonicalizer(self.canonicalizer)
        object.__setattr__(self, "packed", check_flag("packed", self.packed))

    @property
    def algorithm(self) -> str:
        """``'tlsh'``."""
        return "tlsh"

    @property
    def dtype(self) -> np.dtype[Any]:
        """``S72``, or ``V35`` if packed."""
        return np.dtype(f"V{_PACKED_BYTES}" if self.packed else f"S{_TEXT_BYTES}")

    @property
    def config_hash(self) -> int:
        """Hash of what decides a digest: the canonicalizer. Packed digests are the same in another spelling."""
        return config_hash_of(self.canonicalizer.config_string(), "", self.algorithm)

    def sketch_bytes(self, data: bytes | bytearray | memoryview) -> Any:
        """Digest of bytes as they are, which need not be text; no canonicalizer sees them.

        Parameters
        ----------
        data : bytes-like

        Returns
        -------
        np.bytes_, or np.void if packed

        Raises
        ------
        InvalidInputError
            With the crate's texts: nothing there, fewer than 50 bytes, too little variety.

        Examples
        --------
        >>> TlshFingerprinter().sketch_bytes(bytes(range(256)))
        np.bytes_(b'T1DBD09524A6514D7D1F175ADC504E44DF554FCDE301C5002517F146D1C510194440ED1D')
        >>> TlshFingerprinter().sketch_bytes(b"too short")
        Traceback (most recent call last):
        txtfp_np.errors.InvalidInputError: invalid input: tlsh requires at least 50 bytes, got 9
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InvalidInputError(f"expected bytes, got {type(data).__name__}", argument="data")
        array = np.frombuffer(bytes(data), np.uint8)
        records, ok = self._digests(array, read_only(np.array([0, len(array)], np.int64)))
        if not ok[0]:
            raise InvalidInputError(_refusal(len(array), len(array)), argument="data")
        return records[0]

    def _sign(self, stages: BlockStages, key: str) -> Signed:
        return self._digests(*stages.canonical(self.canonicalizer))

    def _digests(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Signed:
        from ..kernels.tlsh import text_of_packed, tlsh_rows

        n_rows = len(offsets) - 1
        packed, ok = np.empty((n_rows, _PACKED_BYTES), np.uint8), np.empty(n_rows, np.bool_)
        tlsh_rows(data, offsets, _pair_hashes(), packed, ok)
        if self.packed:
            return Signed(packed.view(self.dtype).reshape(n_rows), ok)
        text = np.empty((n_rows, _TEXT_BYTES), np.uint8)
        text_of_packed(read_only(packed), read_only(ok.view()), text)
        return Signed(text.view(self.dtype).reshape(n_rows), ok)

    def _refusal(self, stages: BlockStages, row: int) -> str:
        canonical = stages.canonical(self.canonicalizer)[1]
        given = stages.block.offsets
        return _refusal(int(given[row + 1] - given[row]), int(canonical[row + 1] - canonical[row]))


def _refusal(n_given: int, n_canonical: int) -> str:
    """The crate's reason, in the order in which it looks."""
    if n_given == 0:
        return EMPTY
    if n_canonical < MIN_INPUT_BYTES:
        return f"tlsh requires at least {MIN_INPUT_BYTES} bytes, got {n_canonical}"
    return "tlsh build failed (insufficient entropy)"


@cache
def _pair_hashes() -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint8]]:
    from ..kernels.tlsh import pair_hashes

    first, second, third = (np.empty(1 << 16, dtype) for dtype in (np.uint32, np.uint16, np.uint8))
    pair_hashes(first, second, third)
    return read_only(first), read_only(second), read_only(third)
