"""How many bands of how many rows: the crate's choice for a threshold, and one for a wanted recall."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ConfigError, FeatureDisabledError, InvalidInputError
from ..options import check_count
from ..schema.signatures import MAX_SLOTS
from .arguments import check_geometry

if TYPE_CHECKING:
    from .lsh import LshIndex

_INTERVALS = 200  # of the trapezoid rule of the crate
_TIE = 1e-3  # relative; well above the rounding of two sums of 200 float32
_CURVE_POINTS = 256


@dataclass(frozen=True)
class LshIndexBuilder:
    """Bands and rows, and what follows from them.

    Parameters
    ----------
    bands, rows : int
        ``bands * rows`` must equal ``h``, or be at most ``h`` with ``partial``.
    h : int
        Slots of the signatures.
    partial : bool
        Allow ``bands * rows < h``.

    Raises
    ------
    ConfigError
        If they do not fit.

    Examples
    --------
    >>> builder = LshIndexBuilder.for_threshold(0.7, 128)
    >>> builder.bands, builder.rows
    (16, 8)
    >>> builder.collision_probability([0.5, 0.7, 0.9]).round(4)
    array([0.0607, 0.6133, 0.9999])
    >>> LshIndexBuilder(15, 9, 128)
    Traceback (most recent call last):
    txtfp_np.errors.ConfigError: config error: bands * rows (15 * 9 = 135) must equal H = 128
    """

    bands: int
    rows: int
    h: int = 128
    partial: bool = False

    def __post_init__(self) -> None:
        for name, value in zip(("bands", "rows", "h"), self._checked(), strict=True):
            object.__setattr__(self, name, value)

    def _checked(self) -> tuple[int, int, int]:
        return check_geometry(self.bands, self.rows, self.h, self.partial)

    @classmethod
    def for_threshold(cls, threshold: float, h: int = 128, *, weights: tuple[float, float] = (0.5, 0.5)) -> Self:
        """Bands for which dissimilar pairs are found, and similar ones missed, least.

        Parameters
        ----------
        threshold : float
            Jaccard similarity, between 0 and 1, from which pairs count as similar.
        h : int
            Slots of the signatures.
        weights : (float, float)
            What a false positive and a false negative cost. Equal ones give the choice of the crate.

        Returns
        -------
        LshIndexBuilder
            With ``bands * rows == h``.

        Raises
        ------
        ConfigError
            If the threshold is not between 0 and 1, or ``h`` is 0.

        Notes
        -----
        Minimises the integral of the collision probability below the threshold, plus that of its
        complement above, over all divisors of ``h``. With equal weights the two errors weigh the same
        whatever the distribution of similarities: at the threshold itself, many pairs are still missed.
        :meth:`for_recall` promises recall instead.

        Examples
        --------
        >>> LshIndexBuilder.for_threshold(0.5, 128)
        LshIndexBuilder(bands=32, rows=4, h=128, partial=False)
        >>> LshIndexBuilder.for_threshold(0.5, 128, weights=(0.1, 0.9)).bands
        32
        """
        t = _check_threshold(threshold)
        slots = check_count("h", h, 0, MAX_SLOTS)
        if slots == 0:
            raise ConfigError("H cannot be zero", argument="h")
        costs = _check_weights(weights)
        choices = [b for b in range(1, slots + 1) if slots % b == 0]
        errors = np.array([_error(b, slots // b, float(t), costs) for b in choices])
        close = [b for b, error in zip(choices, errors, strict=True) if error <= errors.min() * (1 + _TIE)]
        if len(close) > 1 and costs[0] == costs[1]:
            # the rounding of the crate's own sum decides; the fewest bands of those that are equal
            best = min(close, key=lambda b: (float(_crate_error(b, slots // b, t)), b))
        else:
            best = close[0]
        return cls(best, slots // best, slots)

    @classmethod
    def for_recall(
        cls,
        threshold: float,
        h: int = 128,
        *,
        recall: float = 0.99,
        distribution: Callable[[float], float] | None = None,
    ) -> Self:
        """The bands that find pairs at the threshold with a given probability at the least cost.

        Parameters
        ----------
        threshold : float
            Jaccard similarity, between 0 and 1. More similar pairs are found more often.
        h : int
            Slots of the signatures; not all need be used.
        recall : float
            Probability, below 1, with which a pair at the threshold must be found.
        distribution : callable, optional
            Density of the similarities of pairs on 0 to 1; None: uniform. Need not be normalised.

        Returns
        -------
        LshIndexBuilder
            With the fewest expected candidates among all ``bands * rows <= h``.

        Raises
        ------
        ConfigError
            If a number is out of range.

        Examples
        --------
        >>> LshIndexBuilder.for_recall(0.7, 128)
        LshIndexBuilder(bands=17, rows=4, h=128, partial=True)
        """
        t = float(_check_threshold(threshold))
        slots = check_count("h", h, 1, MAX_SLOTS)
        wanted = _check_number("recall", recall)
        if not 0 < wanted < 1:
            raise ConfigError(f"recall must be in (0.0, 1.0); got {wanted}", argument="recall")
        density = None if distribution is None else _checked_density(distribution)
        best: tuple[float, int, int] | None = None
        for rows in range(1, slots + 1):
            # more bands find more: the fewest that suffice are the best for these rows
            miss = np.log1p(-(t**rows)) if t**rows < 1 else -np.inf
            if miss * slots > np.log1p(-wanted):
                break  # not with all slots, and even less with more rows
            least = max(1, int(np.ceil(np.log1p(-wanted) / miss))) if miss < 0 else slots + 1
            least += int(_collision(t, least, rows) < wanted)  # where the logarithms were rounded
            if least * rows > slots:
                continue
            cost = _candidates(least, rows, t, density)
            if best is None or cost < best[0]:
                best = (cost, least, rows)
        if best is None:
            reach = float(_collision(t, slots, 1))
            raise ConfigError(
                f"no bands of {slots} slots find pairs at {t:g} with probability {wanted}; {reach:.6f} is the most",
                argument="recall",
            )
        _, bands, rows = best
        return cls(bands, rows, slots, partial=bands * rows < slots)

    def collision_probability(self, similarity: ArrayLike) -> Any:
        """Probability that a pair of such similarity shares a band: ``1 - (1 - s**rows)**bands``.

        Parameters
        ----------
        similarity : float or array
            Jaccard similarities.

        Returns
        -------
        float64, or an array of the shape given

        Raises
        ------
        InvalidInputError
            If they are not numbers.
        """
        try:
            given = np.asarray(similarity)
        except ValueError as error:  # rows of different length
            raise InvalidInputError(f"similarity must be an array: {error}", argument="similarity") from None
        if given.dtype.kind not in "iuf":
            raise InvalidInputError(f"similarity must hold numbers, got {similarity!r}", argument="similarity")
        return _collision(given.astype(np.float64), self.bands, self.rows)[()]

    def plot(self, ax: Any = None, *, threshold: float | None = None) -> Any:
        """Draw the S-curve: probability to be found, over similarity.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to; a new one if not given.
        threshold : float, optional
            Marked by a line.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        FeatureDisabledError
            If matplotlib is not installed.
        """
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError:
                raise FeatureDisabledError("plot") from None
            ax = plt.subplots()[1]
        similarity = np.linspace(0, 1, _CURVE_POINTS)
        ax.plot(similarity, self.collision_probability(similarity), label=f"{self.bands} × {self.rows}")
        if threshold is not None:
            ax.axvline(threshold, linestyle="--", linewidth=1)
        ax.set(xlabel="Jaccard similarity", ylabel="probability to be found", xlim=(0, 1), ylim=(0, 1.02))
        ax.legend(title="bands × rows")
        return ax

    def build(self, config_hash: int | None = None) -> LshIndex:
        """An empty index with these bands.

        Parameters
        ----------
        config_hash : int, optional
            As for :class:`LshIndex`.

        Returns
        -------
        LshIndex
        """
        from .lsh import LshIndex

        return LshIndex(self.bands, self.rows, self.h, partial=self.partial, config_hash=config_hash)


def _collision(s: Any, bands: int, rows: int) -> NDArray[np.float64]:
    # -expm1(bands * log1p(-s**rows)) keeps small probabilities, where 1 - (1 - x)**bands would lose them
    with np.errstate(divide="ignore"):
        missed = bands * np.log1p(-(np.clip(s, 0.0, 1.0) ** rows))
    result: NDArray[np.float64] = -np.expm1(missed)
    return result


def _candidates(bands: int, rows: int, t: float, density: Callable[[float], float] | None) -> float:
    """Expected share of pairs that become candidates; None: similarities are uniform."""
    if density is None:
        # the integral of (1 - s**rows)**bands over 0 to 1 is a beta function
        part = 1 / rows
        return -math.expm1(math.lgamma(1 + part) + math.lgamma(bands + 1) - math.lgamma(bands + 1 + part))
    from scipy.integrate import IntegrationWarning, quad

    def expected(s: float) -> float:
        return float(_collision(s, bands, rows)) * density(s)

    with warnings.catch_warnings():
        # a density may have any shape; a rough integral ranks choices as well
        warnings.simplefilter("ignore", IntegrationWarning)
        return float(quad(expected, 0.0, 1.0, points=[t], limit=200)[0])


def _checked_density(density: object) -> Callable[[float], float]:
    if not callable(density):
        raise ConfigError(f"distribution must be a function, got {density!r}", argument="distribution")

    def checked(similarity: float) -> float:
        value = density(similarity)
        number = isinstance(value, (int, float, np.integer, np.floating))
        if not number or not 0 <= value < np.inf:
            raise ConfigError(
                f"distribution must give finite numbers of at least 0, got {value!r} at {similarity:g}",
                argument="distribution",
            )
        return float(value)

    return checked


def _error(bands: int, rows: int, t: float, weights: tuple[float, float]) -> float:
    """Weighted integrals of what goes wrong below and above the threshold, on the grid of the crate."""
    from scipy.integrate import trapezoid

    below, above = np.linspace(0, t, _INTERVALS + 1), np.linspace(t, 1, _INTERVALS + 1)
    found = trapezoid(_collision(below, bands, rows), below)
    missed = trapezoid(1 - _collision(above, bands, rows), above)
    return float(weights[0] * found + weights[1] * missed)


# ── the crate's own arithmetic, in single precision, operation by operation ─────────────────────
def _powi(x: np.float32, n: int) -> np.float32:
    """``x**n`` as compiler-rt's ``__powisf2`` does it, by repeated squaring."""
    result = np.float32(1)
    while True:
        if n & 1:
            result = result * x
        n //= 2
        if n == 0:
            return result
        x = x * x


def _crate_collision(s: np.float32, bands: int, rows: int) -> np.float32:
    inside = np.float32(1) - _powi(s, rows)
    inside = min(max(inside, np.float32(0)), np.float32(1))
    return np.float32(1) - _powi(inside, bands)


def _crate_integral(f: Callable[[np.float32], np.float32], low: np.float32, high: np.float32) -> np.float32:
    dx = (high - low) / np.float32(_INTERVALS)
    total = np.float32(0.5) * (f(low) + f(high))
    for i in range(1, _INTERVALS):
        total = total + f(low + np.float32(i) * dx)
    return total * dx


def _crate_error(bands: int, rows: int, t: np.float32) -> np.float32:
    one = np.float32(1)
    # tiny powers become 0, as they do there
    with np.errstate(under="ignore"):
        found = _crate_integral(lambda s: _crate_collision(s, bands, rows), np.float32(0), t)
        missed = _crate_integral(lambda s: one - _crate_collision(s, bands, rows), t, one)
    return found + missed


# ── arguments ───────────────────────────────────────────────────────────────────────────────────
def _check_number(argument: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ConfigError(f"{argument} must be a number, got {value!r}", argument=argument)
    return float(value)


def _check_threshold(value: object) -> np.float32:
    with np.errstate(over="ignore"):
        t = np.float32(_check_number("threshold", value))
    if not 0 < t < 1:
        shown = "NaN" if np.isnan(t) else np.format_float_positional(t, trim="-")
        raise ConfigError(f"threshold must be in (0.0, 1.0); got {shown}", argument="threshold")
    return t


def _check_weights(weights: object) -> tuple[float, float]:
    try:
        positive, negative = (_check_number("weights", w) for w in weights)  # type: ignore[attr-defined]
    except (TypeError, ValueError):  # of which ours is one
        raise ConfigError(f"weights must be two numbers, got {weights!r}", argument="weights") from None
    if not (positive >= 0 and negative >= 0 and 0 < positive + negative < np.inf):
        raise ConfigError(f"weights must be at least 0 and not both 0, got {weights!r}", argument="weights")
    return positive, negative
