"""Embeddings as codes of a few bits: the two hashes of the H3D paper."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compare.arrays import as_vectors
from ..errors import ConfigError
from ..options import check_count
from ..schema import Embedding
from .column import EmbeddingColumn

Codes: TypeAlias = NDArray[np.uint8]
Vectors: TypeAlias = ArrayLike | Embedding | Sequence[Embedding] | EmbeddingColumn

_MOST_BITS = 1 << 16
_ROWS = 1 << 12  # worked off at a time, so that products stay small
_MOST_SUMMED = 1e290
_PARTS = 1, 2, 4, 6, 8, 12  # of Table 9 of the H3D paper
_MOST_SEED = (1 << 32) - 1  # NumPy's frozen generator takes no larger one


@dataclass(frozen=True)
class EmbeddingHash(ABC):
    """What the hashes of embeddings share."""

    bits: int

    @property
    @abstractmethod
    def algorithm(self) -> str:
        """Name of the hash and of every option that changes its bits."""

    @abstractmethod
    def _ones(self, vectors: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Bits of vectors (n, d)."""

    @abstractmethod
    def _check_dim(self, dim: int) -> None:
        """Refuse embeddings that are too short."""

    def fingerprint(self, embeddings: Vectors) -> Codes:
        """Codes of embeddings.

        Parameters
        ----------
        embeddings : real numbers (..., d), Embedding, sequence of Embedding, or EmbeddingColumn
            Need not be of length 1: no bit depends on it.

        Returns
        -------
        uint8 (..., ceil(bits / 8))
            The lowest bit of the first byte comes first; bits behind the last one are 0. Compare with
            ``similarity(a, b, kind="bits")``.

        Raises
        ------
        InvalidInputError
            If something is no finite real number.
        ConfigError
            If the embeddings are too short for so many bits or parts.
        """
        values = as_vectors("embeddings", embeddings)
        self._check_dim(values.shape[-1])
        rows = values.reshape(-1, values.shape[-1])
        packed = np.empty((len(rows), -(-self.bits // 8)), np.uint8)
        for begin in range(0, len(rows), _ROWS):
            part = slice(begin, begin + _ROWS)
            packed[part] = np.packbits(self._ones(_summable(rows[part])), axis=1, bitorder="little")
        return packed.reshape(*values.shape[:-1], packed.shape[1])

    def replace(self, **changes: Any) -> Self:
        """A copy with other options.

        Examples
        --------
        >>> BinaryHash(64).replace(bits=128)
        BinaryHash(bits=128)
        """
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True)
class BinaryHash(EmbeddingHash):
    """H3D's BIHash: a bit is the sign of the mean of some dimensions.

    Parameters
    ----------
    bits : int
        Of a code. As many as dimensions: the plain sign of each.

    Notes
    -----
    The embedding is written row by row into a table of ``bits`` columns; a bit is 1 if the mean of its column is above
    0. **If the dimensions do not fill the last row**, the columns behind them have one dimension less; with fewer
    dimensions than bits some would have none, which is refused. A vector of zeros has the code of zeros.

    Examples
    --------
    >>> BinaryHash(3).fingerprint([0.5, -1.0, 1.0, -0.2, -1.0, -3.0])  # means 0.15, -1.0, -1.0
    array([1], dtype=uint8)
    >>> BinaryHash(4).fingerprint([[1, -1, 1, -1, 1], [-1, -1, -1, 1, 3]])  # 5 dimensions: the first bit has two
    array([[5],
           [9]], dtype=uint8)
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", check_count("bits", self.bits, 1, _MOST_BITS))

    @property
    def algorithm(self) -> str:
        """``'binaryhash-b<bits>'``."""
        return f"binaryhash-b{self.bits}"

    def _check_dim(self, dim: int) -> None:
        if dim < self.bits:
            raise ConfigError(
                f"bits must be at most the {dim} dimensions of the embeddings, got {self.bits}",
                argument="bits",
                advice="HyperplaneHash gives more bits than there are dimensions.",
            )

    def _ones(self, vectors: NDArray[np.float64]) -> NDArray[np.bool_]:
        n, dim = vectors.shape
        padded = np.zeros((n, -(-dim // self.bits) * self.bits))
        padded[:, :dim] = vectors
        ones: NDArray[np.bool_] = padded.reshape(n, -1, self.bits).sum(axis=1) > 0  # the sign of the sum is the mean's
        return ones


@dataclass(frozen=True)
class HyperplaneHash(EmbeddingHash):
    """H3D's LSHash: bits say on which side of random hyperplanes the parts of an embedding are.

    Parameters
    ----------
    bits : int
        Of a code.
    parts : int
        Into which an embedding is cut; all parts are asked by the same hyperplanes, ``bits / parts`` of them.
    seed : int
        Of the hyperplanes, 32 bits.

    Notes
    -----
    Bits come part by part; a bit is 1 if the product with the normal of the plane is at least 0 (a vector of zeros has
    the code of ones). **If parts do not divide the bits**, the first ``bits % parts`` parts are asked by one plane
    more; so 128 bits of 6 parts are 22, 22, 21, 21, 21, 21. **If parts do not divide the dimensions**, the first
    ``d % parts`` parts have one dimension more, and the others leave the last one of the normals out.

    Normals are drawn by ``numpy.random.RandomState(seed)``, whose stream is frozen. A product that is 0 but for the
    rounding of a sum may fall on either side on another machine.

    References
    ----------
    M. Charikar, Similarity estimation techniques from rounding algorithms, 2002.

    Examples
    --------
    >>> from txtfp_np.compare import similarity
    >>> codes = HyperplaneHash(64, parts=2).fingerprint([[1, 2, 3, 4], [1, 2, 3, 4.1], [-1, 2, -3, -4]])
    >>> codes.shape
    (3, 8)
    >>> similarity(codes[:1], codes, kind="bits")
    array([1.     , 1.     , 0.34375], dtype=float32)
    """

    parts: int = 1
    seed: int = field(default=123, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", check_count("bits", self.bits, 1, _MOST_BITS))
        object.__setattr__(self, "parts", check_count("parts", self.parts, 1))
        object.__setattr__(self, "seed", check_count("seed", self.seed, 0, _MOST_SEED))
        if self.parts > self.bits:
            raise ConfigError(f"parts must be at most bits ({self.bits}), got {self.parts}", argument="parts")

    @property
    def algorithm(self) -> str:
        """``'hyperplanehash-b<bits>-k<parts>-s<seed>'``."""
        return f"hyperplanehash-b{self.bits}-k{self.parts}-s{self.seed}"

    def _check_dim(self, dim: int) -> None:
        if dim < self.parts:
            raise ConfigError(
                f"parts must be at most the {dim} dimensions of the embeddings, got {self.parts}", argument="parts"
            )

    @cached_property
    def _known(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def _normals(self, dim: int) -> NDArray[np.float64]:
        """Normals (planes, dimensions of the longest part); the same for all embeddings of one length."""
        if dim not in self._known:
            shape = -(-self.bits // self.parts), -(-dim // self.parts)
            self._known[dim] = np.random.RandomState(self.seed).standard_normal(shape)
        return self._known[dim]

    def _ones(self, vectors: NDArray[np.float64]) -> NDArray[np.bool_]:
        normals = self._normals(vectors.shape[1])
        ones = []
        begin = 0
        for part in range(self.parts):
            width = _share(vectors.shape[1], self.parts, part)
            asked = normals[: _share(self.bits, self.parts, part), :width]
            ones.append(vectors[:, begin : begin + width] @ asked.T >= 0)
            begin += width
        return np.concatenate(ones, axis=1)


class GridCell(NamedTuple):
    """What codes of so many bits from so many parts are worth."""

    bits: int
    parts: int
    value: float


def hyperplane_grid(
    embeddings: Vectors,
    judge: Callable[[Codes], float],
    *,
    bits: Sequence[int] = (32, 64, 128),
    parts: Sequence[int] | None = None,
    seed: int = 123,
) -> list[GridCell]:
    """:class:`HyperplaneHash` at every combination of bits and parts, as in Table 9 of the H3D paper.

    Parameters
    ----------
    embeddings : real numbers (n, d), sequence of Embedding, or EmbeddingColumn
        Of whatever model.
    judge : callable
        Codes to a figure: mean average precision, say.
    bits : sequence of int
        Of codes.
    parts : sequence of int, optional
        None: those of 1, 2, 4, 6, 8 and 12 that are neither more than the dimensions nor than the bits. Whoever names
        parts gets all of them, or an error before anything is judged.
    seed : int
        Of the hyperplanes.

    Returns
    -------
    list of GridCell
        Bits outside, parts inside. A figure may be NaN: one that is not defined.

    Raises
    ------
    ConfigError
        If a combination cannot be, or the judge gives no number.
    InvalidInputError
        If embeddings are not finite: names the row.

    Examples
    --------
    >>> from txtfp_np.compare import similarity_pairs
    >>> vectors = np.random.default_rng(1).normal(size=(2, 96))
    >>> vectors[1] += 2 * vectors[0]
    >>> grid = hyperplane_grid(vectors, lambda codes: float(similarity_pairs(codes, 0, 1, kind="bits")), bits=[64])
    >>> [cell.parts for cell in grid], all(0.6 < cell.value < 1 for cell in grid)
    ([1, 2, 4, 6, 8, 12], True)
    """
    if not callable(judge):
        raise ConfigError(f"judge must be a function of codes, got {type(judge).__name__}", argument="judge")
    widths, shares = _sequence("bits", bits), None if parts is None else _sequence("parts", parts)
    values = as_vectors("embeddings", embeddings)
    dim = values.shape[-1]
    if shares is None:
        pairs = [(n_bits, n_parts) for n_bits in widths for n_parts in _PARTS if n_parts <= min(dim, n_bits)]
    else:
        pairs = [(n_bits, n_parts) for n_bits in widths for n_parts in shares]
    hashes = [HyperplaneHash(n_bits, n_parts, seed=seed) for n_bits, n_parts in pairs]
    for hasher in hashes:
        hasher._check_dim(dim)
    return [GridCell(hasher.bits, hasher.parts, _judged(judge, hasher.fingerprint(values))) for hasher in hashes]


def _sequence(argument: str, given: object) -> list[int]:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ConfigError(f"{argument} must be a sequence of int, got {given!r}", argument=argument)
    return [check_count(argument, number, least=1) for number in given]


def _judged(judge: Callable[[Codes], float], codes: Codes) -> float:
    figure = judge(codes)
    if np.ndim(figure) or not isinstance(figure, (int, float, np.number, np.ndarray)):
        raise ConfigError(f"judge must give a number, got {type(figure).__name__}", argument="judge")
    return float(figure)


def _summable(rows: NDArray[Any]) -> NDArray[np.float64]:
    """Vectors of which no sum is infinite: no bit depends on their length."""
    doubles: NDArray[np.float64] = rows.astype(np.float64)
    if rows.dtype.kind != "f" or rows.dtype.itemsize < 8:
        return doubles
    too_large = np.abs(doubles).max(axis=1, keepdims=True, initial=0) > _MOST_SUMMED
    return np.where(too_large, doubles * 2.0**-100, doubles) if too_large.any() else doubles


def _share(whole: int, n: int, number: int) -> int:
    """Size of share ``number`` if ``whole`` is dealt out evenly to ``n``, the first ones getting what is left."""
    return whole // n + (number < whole % n)
