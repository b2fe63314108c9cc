"""ssdeep's fuzzy hashes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..canonical.canonicalizer import check_canonicalizer
from ..columns.checks import read_only
from ..errors import InvalidInputError
from ..schema.identity import config_hash_of
from .base import BlockFingerprinter, Signed
from .stages import BlockStages

_TEXT_BYTES = 108
AS_GIVEN = Canonicalizer(normalization="none", case_fold="none", strip_bidi=False, strip_format=False)


@dataclass(frozen=True)
class FuzzyFingerprinter(BlockFingerprinter):
    """ssdeep: a letter for each piece of a text, pieces ending where the text itself says so.

    Parameters
    ----------
    canonicalizer : Canonicalizer
        Stage 1. The default leaves texts as they are: ssdeep's strings are those of bytes. Choose another to have
        texts compared that differ in case or normal form.

    Notes
    -----
    Strings are ``S108``: block size, letters, and letters at twice that size, those of ssdeep 2.14, byte for byte. A
    text of any length has one, but strings of fewer than seven letters (short texts and monotonous ones) are alike to
    equal ones only.

    Rows without any text are ``b""`` with ``on_empty="mask"``.

    References
    ----------
    J. Kornblum, "Identifying almost identical files using context triggered piecewise hashing", DFRWS 2006.

    Examples
    --------
    >>> fp = FuzzyFingerprinter()
    >>> text = "Also called fuzzy hashes, CTPH can match inputs that have homologies."
    >>> fp.fingerprint(text)
    np.bytes_(b'3:AXGBicFlIHBGcL6wCrFQEv:AXGH6xLsr2C')
    >>> fp.fingerprint([text, text.upper()]).dtype
    dtype('S108')
    """

    canonicalizer: Canonicalizer = field(default=AS_GIVEN)

    def __post_init__(self) -> None:
        check_canonicalizer(self.canonicalizer)

    @property
    def algorithm(self) -> str:
        """``'ssdeep'``."""
        return "ssdeep"

    @property
    def dtype(self) -> np.dtype[Any]:
        """``S108``."""
        return np.dtype(f"S{_TEXT_BYTES}")

    @property
    def config_hash(self) -> int:
        """Hash of what decides a string: the canonicalizer."""
        return config_hash_of(self.canonicalizer.config_string(), "", self.algorithm)

    def sketch_bytes(self, data: bytes | bytearray | memoryview) -> np.bytes_:
        """String of bytes as they are, which need not be text; no canonicalizer sees them.

        Parameters
        ----------
        data : bytes-like
            Nothing at all has the string ``3::``, as with ssdeep.

        Returns
        -------
        np.bytes_

        Raises
        ------
        InvalidInputError
            If it is not bytes.

        Examples
        --------
        >>> FuzzyFingerprinter().sketch_bytes(bytes(range(100)))
        np.bytes_(b'3:Iq103+54vmkCNMvWRQzaLhMvmNKzuxBJn:Iq103+54vmkCNMvWRQzaLhMvmNKzuxBJ')
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InvalidInputError(f"expected bytes, got {type(data).__name__}", argument="data")
        array = np.frombuffer(bytes(data), np.uint8)
        return np.bytes_(_strings(array, read_only(np.array([0, len(array)], np.int64)))[0])

    def _sign(self, stages: BlockStages, key: str) -> Signed:
        data, offsets = stages.canonical(self.canonicalizer)
        records = _strings(data, offsets)
        ok = offsets[1:] > offsets[:-1]
        records[~ok] = b""
        return Signed(records, ok)


def _strings(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.bytes_]:
    from ..kernels.ssdeep import ssdeep_rows

    room = int(np.diff(offsets).max(initial=0)) + 1
    places, ends = np.empty(room, np.int64), np.empty(room, np.uint32)
    out = np.empty((len(offsets) - 1, _TEXT_BYTES), np.uint8)
    ssdeep_rows(read_only(data), offsets, places, ends, out)
    return out.view(f"S{_TEXT_BYTES}").reshape(-1)
