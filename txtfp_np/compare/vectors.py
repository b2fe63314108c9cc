"""Cosine, Manhattan and Mahalanobis distance of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns.checks import read_only
from ..errors import ConfigError, DimensionMismatchError, InvalidInputError
from .arrays import as_array, as_vectors
from .broadcasting import Comparison, Indices, Shape, WorkTile, compare_all, compare_pairs
from .signatures import Integers

_TILE = 1 << 17  # pairs of a few hundred dimensions that take a few ms
_LEAST_SHARE = 1e-12  # below it, a variance is the rounding of a singular matrix
_DOT, _MANHATTAN, _EUCLIDEAN = 0, 1, 2  # as the kernel numbers them

Doubles = NDArray[np.float64]


def cosine(a: ArrayLike, b: ArrayLike, *, threads: int | None = None) -> Any:
    """Cosine of the angle between vectors.

    Parameters
    ----------
    a, b : real numbers (..., d)
        The last axis is a vector; the others broadcast: ``cosine(x[:, None], x)`` is the matrix of all pairs. Whole
        numbers above ``2**53`` are rounded to double precision.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape
        From -1 to 1. **0 where a vector is zero**: it has no direction. Computed in double precision.

    Raises
    ------
    InvalidInputError
        If something is no real number, not finite, or the shapes do not broadcast.
    DimensionMismatchError
        If the vectors differ in length.

    Examples
    --------
    >>> cosine([3, 4], [[3, 4], [-4, 3], [0, 0]])
    array([1., 0., 0.], dtype=float32)
    """
    return _compare(directions(_vectors("a", a)), directions(_vectors("b", b)), _DOT, threads)


def cosine_pairs(vectors: ArrayLike, i: Integers, j: Integers, *, threads: int | None = None) -> Any:
    """:func:`cosine` of chosen pairs of one column.

    Parameters
    ----------
    vectors : real numbers (n, d)
    i, j : integers
        Rows, counted from 0; broadcast against each other.
    threads : int, optional
        As in :func:`cosine`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> cosine_pairs([[1, 0], [0, 2], [5, 0]], [0, 0], [1, 2])
    array([0., 1.], dtype=float32)
    """
    return _pairs(directions(_vectors("vectors", vectors)), i, j, _DOT, threads)


def manhattan(a: ArrayLike, b: ArrayLike, *, threads: int | None = None) -> Any:
    """Sum of the absolute differences.

    Parameters
    ----------
    a, b, threads
        As in :func:`cosine`.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape
        Computed in double precision; infinite where the sum is beyond single precision (3.4e38).

    Examples
    --------
    >>> manhattan([1, 2], [[1, 2], [3, 0]])
    array([0., 4.], dtype=float32)
    """
    return _compare(_vectors("a", a), _vectors("b", b), _MANHATTAN, threads)


def manhattan_pairs(vectors: ArrayLike, i: Integers, j: Integers, *, threads: int | None = None) -> Any:
    """:func:`manhattan` of chosen pairs of one column.

    Parameters
    ----------
    vectors, i, j, threads
        As in :func:`cosine_pairs`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> manhattan_pairs([[1, 0], [0, 2]], 0, 1)
    np.float32(3.0)
    """
    return _pairs(_vectors("vectors", vectors), i, j, _MANHATTAN, threads)


def mahalanobis(a: ArrayLike, b: ArrayLike, *, covariance: ArrayLike | None = None, threads: int | None = None) -> Any:
    """Distance in units of the spread of the data.

    Parameters
    ----------
    a, b : real numbers (..., d)
        As in :func:`cosine`.
    covariance : real numbers (d,) or (d, d), optional
        The variances of the dimensions, or their covariance matrix, which must be symmetric and positive
        definite. None: the identity, and so the Euclidean distance.
    threads : int, optional
        As in :func:`cosine`.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape
        Computed in double precision; infinite where it is beyond single precision.

    Raises
    ------
    ConfigError
        If the covariance has another shape, or is not positive definite.

    Examples
    --------
    >>> mahalanobis([0, 0], [3, 4])
    np.float32(5.0)
    >>> mahalanobis([0, 0], [3, 4], covariance=[9, 16])
    np.float32(1.4142135)
    >>> mahalanobis([0, 0], [1, 1], covariance=[[2, 1], [1, 2]])
    np.float32(0.8164966)
    """
    one, other = _vectors("a", a), _vectors("b", b)
    return _compare(_whitened(one, covariance), _whitened(other, covariance), _EUCLIDEAN, threads)


def mahalanobis_pairs(
    vectors: ArrayLike,
    i: Integers,
    j: Integers,
    *,
    covariance: ArrayLike | None = None,
    threads: int | None = None,
) -> Any:
    """:func:`mahalanobis` of chosen pairs of one column.

    Parameters
    ----------
    vectors, i, j, threads
        As in :func:`cosine_pairs`.
    covariance : real numbers (d,) or (d, d), optional
        As in :func:`mahalanobis`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> mahalanobis_pairs([[0, 0], [3, 4]], 0, 1)
    np.float32(5.0)
    """
    return _pairs(_whitened(_vectors("vectors", vectors), covariance), i, j, _EUCLIDEAN, threads)


def inverse_score(distance: ArrayLike) -> Any:
    """``1 / (1 + distance)``: a similarity from 1 for equal ones down to 0, in the order of the distance.

    Parameters
    ----------
    distance : numbers, at least 0

    Returns
    -------
    np.float32, or float32 array

    Raises
    ------
    InvalidInputError
        If a distance is negative, or no number.

    Examples
    --------
    >>> inverse_score([0, 1, 3])
    array([1.  , 0.5 , 0.25], dtype=float32)
    """
    distances = as_array("distance", distance)
    if distances.size and (distances.dtype.kind not in "iuf" or not (distances >= 0).all()):
        raise InvalidInputError("distance must hold numbers of at least 0", argument="distance")
    return (1 / (1 + distances.astype(np.float64))).astype(np.float32)


def _vectors(argument: str, given: ArrayLike) -> Doubles:
    return np.ascontiguousarray(as_vectors(argument, given), np.float64)


def directions(vectors: Doubles) -> Doubles:
    """Vectors of length 1; zero stays zero."""
    from ..kernels.vectors import direction_rows

    rows = _rows(vectors)
    out = np.empty_like(rows)
    direction_rows(rows, out)
    return out.reshape(vectors.shape)


def _whitened(vectors: Doubles, covariance: ArrayLike | None) -> Doubles:
    """Vectors whose Euclidean distance is the Mahalanobis distance of those given."""
    if covariance is None:
        return vectors
    dim = vectors.shape[-1]
    matrix = as_array("covariance", covariance)
    if matrix.dtype.kind not in "iufb":
        raise ConfigError(
            f"covariance must hold real numbers, got {type(covariance).__name__} of {matrix.dtype}",
            argument="covariance",
        )
    matrix = matrix.astype(np.float64)
    if matrix.shape == (dim,):
        if not (np.isfinite(matrix).all() and (matrix > 0).all()):
            raise ConfigError("covariance must have positive variances", argument="covariance")
        with np.errstate(over="ignore"):
            return _not_too_large(np.divide(vectors, np.sqrt(matrix)))
    if matrix.shape != (dim, dim):
        raise ConfigError(
            f"covariance must have shape ({dim},) or ({dim}, {dim}), got {matrix.shape}", argument="covariance"
        )
    # beside the largest one: what is near 0 in another unit may be the whole matrix
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, rtol=1e-6, atol=1e-12 * np.abs(matrix).max()):
        raise ConfigError("covariance must be symmetric and finite", argument="covariance")
    try:
        lower = np.linalg.cholesky(matrix)
        # the share of a variance that the dimensions before do not explain
        is_regular = bool((np.diag(lower) ** 2 > _LEAST_SHARE * np.diag(matrix)).all())
    except np.linalg.LinAlgError:
        is_regular = False
    if not is_regular:
        raise ConfigError(
            "covariance must be positive definite",
            argument="covariance",
            advice="A dimension that never varies, or fewer rows than dimensions, make it singular: "
            "add a little to its diagonal.",
        )
    flat = vectors.reshape(-1, dim)
    with np.errstate(all="ignore"):
        solved: Doubles = np.asarray(np.linalg.solve(lower, flat.T), np.float64)
    return _not_too_large(solved.T.reshape(vectors.shape))


def _not_too_large(whitened: Doubles) -> Doubles:
    if not np.isfinite(whitened).all():
        raise InvalidInputError(
            "vectors over the spread of the covariance must be finite in double precision", argument="covariance"
        )
    return whitened


def _compare(a: Doubles, b: Doubles, kind: int, threads: int | None) -> Any:
    if a.shape[-1] != b.shape[-1]:
        raise DimensionMismatchError(a.shape[-1], b.shape[-1])
    shapes: tuple[Shape, Shape] = a.shape[:-1], b.shape[:-1]
    return compare_all(_comparison(_rows(a), _rows(b), kind), *shapes, threads)


def _pairs(vectors: Doubles, i: Integers, j: Integers, kind: int, threads: int | None) -> Any:
    if vectors.ndim != 2:
        raise InvalidInputError(f"vectors must have two axes, got shape {vectors.shape}", argument="vectors")
    rows = _rows(vectors)
    return compare_pairs(_comparison(rows, rows, kind), len(rows), i, j, threads)


def _rows(vectors: Doubles) -> Doubles:
    return read_only(np.ascontiguousarray(vectors.reshape(-1, vectors.shape[-1])))


def _comparison(a: Doubles, b: Doubles, kind: int) -> Comparison:
    from ..kernels.vectors import vector_pairs, vector_tile

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        vector_pairs(a, b, i, j, kind, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, columns = (b, a) if swapped else (a, b)
        return lambda tile, out: vector_tile(rows, columns, tile.rows, tile.columns, kind, out)

    return Comparison(pairs, all_pairs, np.float32, _TILE)
