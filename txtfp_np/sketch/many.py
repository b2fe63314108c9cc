"""Several sketches in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..columns import Document, Progress, Texts
from ..errors import ConfigError
from .base import BlockFingerprinter
from .run import sign


def fingerprint_many(
    texts: Document | Texts,
    fingerprinters: Iterable[BlockFingerprinter],
    *,
    on_empty: str = "raise",
    errors: str = "strict",
    threads: int | None = None,
    progress: Progress = False,
) -> list[Any]:
    """Signatures by several fingerprinters, canonicalising and tokenising once where they agree.

    Parameters
    ----------
    texts : str, bytes or column
        One document, or anything that :class:`TextColumn` takes; an iterator is read once.
    fingerprinters : iterable of fingerprinters
        Of this package, those that make one record a document: all but winnowing, whose result is ragged.
    on_empty, errors, threads, progress
        As in :meth:`MinHashFingerprinter.fingerprint`.

    Returns
    -------
    list
        What each ``fingerprint(texts)`` would have given, in order.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> fps = [tx.MinHashFingerprinter(), tx.SimHashFingerprinter()]
    >>> [signatures.shape for signatures in fingerprint_many(["one text", "another"], fps)]
    [(2,), (2,)]
    """
    try:
        chosen = list(fingerprinters)
    except TypeError:
        given = type(fingerprinters).__name__
        raise ConfigError(f"fingerprinters must be a list of them, got {given}", argument="fingerprinters") from None
    for fingerprinter in chosen:
        if not isinstance(fingerprinter, BlockFingerprinter):
            raise ConfigError(
                "fingerprinters must be fingerprinters of this package that make one record a document, "
                f"got {type(fingerprinter).__name__}",
                argument="fingerprinters",
            )
    return sign(texts, chosen, on_empty, errors, threads, progress)
