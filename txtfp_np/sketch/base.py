"""What all fingerprinters share: the way from texts through blocks of stages to arrays of records."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..canonical.canonicalizer import check_canonicalizer
from ..columns import (
    Document,
    Progress,
    Texts,
)
from ..schema.identity import FingerprintMetadata, HashFamily, config_hash_of
from ..tokenize import Tokenizer
from ..tokenize.callables import as_block_tokenizer, check_tokenizer
from .hashing import Hasher, check_hasher, check_seed
from .stages import BlockStages, Hashes

EMPTY = "empty document"


@runtime_checkable
class Fingerprinter(Protocol):
    """What can be plugged in where a fingerprinter is wanted.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> isinstance(tx.MinHashFingerprinter(), Fingerprinter)
    True
    """

    @property
    def config_hash(self) -> int:
        """Identity of what makes the signatures."""
        ...

    def fingerprint(self, texts: Any, /) -> Any:
        """One record for a ``str``, an array of records for a column."""
        ...


class Signed(NamedTuple):
    """Signatures of a block, and which of its documents had a token at all."""

    records: NDArray[Any]
    ok: NDArray[np.bool_]


class Accumulator(ABC):
    """A signature that is brought up to date as tokens come; their order never matters."""

    def __init__(self) -> None:
        self.n_tokens = 0

    def add(self, hashes: Sequence[Hashes]) -> None:
        """Take the hashes of more tokens of the document, one entry for each hasher."""
        self.n_tokens += len(hashes[0].low)
        self._add(hashes)

    @abstractmethod
    def _add(self, hashes: Sequence[Hashes]) -> None: ...

    @property
    def is_signed(self) -> bool:
        """Whether what came so far has a signature."""
        return self.n_tokens > 0

    @abstractmethod
    def signature(self) -> Any:
        """The record."""


class BlockFingerprinter(ABC):
    """A fingerprinter that goes through blocks of text and gives one record a document.

    Subclasses are frozen dataclasses: their fields are the options.
    """

    canonicalizer: Canonicalizer

    @property
    @abstractmethod
    def algorithm(self) -> str:
        """Name of the sketch and of every option that changes its bytes, for config hashes."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the signatures."""

    @property
    @abstractmethod
    def config_hash(self) -> int:
        """Hash of everything that decides the bytes of a signature.

        Signatures whose hashes differ must not be compared.
        """

    @property
    def _item_shape(self) -> tuple[int, ...]:
        """Shape of one signature."""
        return ()

    @abstractmethod
    def _sign(self, stages: BlockStages, key: str) -> Signed:
        """Signatures of one block; arrays may be views into the stages' scratch."""

    def _refusal(self, stages: BlockStages, row: int) -> str:
        """Why a document of the block got no signature."""
        return EMPTY

    @property
    def _threadable(self) -> bool:
        """Whether no Python code of a user's runs in it."""
        return True

    def metadata(self) -> FingerprintMetadata:
        """Identity and size of the signatures that this makes."""
        size = self.dtype.itemsize * int(np.prod(self._item_shape, dtype=np.int64))
        return FingerprintMetadata(
            algorithm=self.algorithm, config_hash=self.config_hash, model_id=None, schema_version=1, byte_size=size
        )

    def replace(self, **changes: Any) -> Self:
        """A copy with other options.

        Examples
        --------
        >>> import txtfp_np as tx
        >>> tx.MinHashFingerprinter().replace(h=256).h
        256
        """
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def fingerprint(
        self,
        texts: Document | Texts,
        *,
        on_empty: str = "raise",
        errors: str = "strict",
        threads: int | None = None,
        progress: Progress = False,
        out: NDArray[Any] | None = None,
    ) -> Any:
        """Signature of one document, or signatures of a column.

        Parameters
        ----------
        texts : str, bytes or column
            One document, or anything that :class:`TextColumn` takes.
        on_empty : {"raise", "mask"}
            What to do about documents without a single token: raise, or return a mask as well.
        errors : {"strict", "replace"}
            Whether bad UTF-8 is an error or becomes U+FFFD.
        threads : int, optional
            Threads to use; None: every core this process may use.
        progress : bool or callable
            True: a line on stderr. A callable gets (documents done, documents in all or None).
        out : ndarray, optional
            Array of the right dtype and length to write into, for example a memory map.

        Returns
        -------
        record, or array of records
            With ``on_empty="mask"`` a pair of it and ``ok``, True where a document was signed.

        Raises
        ------
        InvalidInputError
            If a document is empty or too short for the sketch, not text or not UTF-8 (with ``.row``).
        """
        from .run import sign

        (result,) = sign(texts, [self], on_empty, errors, threads, progress, None if out is None else [out])
        return result


@dataclasses.dataclass(frozen=True)
class SketchFingerprinter(BlockFingerprinter):
    """A fingerprinter of hashed tokens."""

    canonicalizer: Canonicalizer
    tokenizer: Tokenizer
    hasher: Any
    seed: int

    def _check(self) -> None:
        """Validate the fields that every sketch has; called from ``__post_init__``."""
        check_canonicalizer(self.canonicalizer)
        check_tokenizer("tokenizer", self.tokenizer)
        object.__setattr__(self, "hasher", check_hasher(self.hasher))
        object.__setattr__(self, "seed", check_seed(self.seed))

    @abstractmethod
    def _accumulator(self) -> Accumulator:
        """An empty signature to add tokens to."""

    @cached_property
    def _hash(self) -> Hasher:
        return Hasher(self.hasher, self.seed)

    @property
    def _threadable(self) -> bool:
        return as_block_tokenizer(self.tokenizer)._threadable and isinstance(self.hasher, HashFamily)

    @property
    def _hashers(self) -> list[Hasher]:
        """All hashers whose hashes the accumulator wants."""
        return [self._hash]

    @property
    def config_hash(self) -> int:
        """Hash of everything that decides the bytes of a signature.

        Signatures whose hashes differ must not be compared.
        """
        stages = self.canonicalizer.config_string(), self.tokenizer.name, self.algorithm
        return config_hash_of(*stages, self._hash.name, f"{self.seed:016x}")
