"""When to ask a service again, and how long to wait before."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..errors import ConfigError

#: Answers that another try may change.
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """Waits that double, each a little off, until the time for all of them is used up.

    Parameters
    ----------
    first_delay, factor : float
        Seconds before the second try, and what they are multiplied with before each further one.
    jitter : float
        Largest share that a wait is off, so that clients do not come back all at once.
    max_delay : float
        Largest wait, jitter included.
    budget : float
        Seconds for one request in all: no further try begins after them.
    max_retry_after : float
        Largest wait that a service may ask for. Asking for none, or for a time that has passed (clocks
        differ), counts as not asking.
    sleep, monotonic, now, uniform : callable
        Where time and chance come from.

    Examples
    --------
    >>> policy = RetryPolicy(uniform=lambda low, high: 1.0)
    >>> [policy.delay(n, None) for n in range(8)]
    [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    >>> policy.delay(0, "7"), policy.delay(0, "3600")
    (7.0, 60.0)
    """

    first_delay: float = 0.5
    factor: float = 2.0
    jitter: float = 0.3
    max_delay: float = 30.0
    budget: float = 90.0
    max_retry_after: float = 60.0
    sleep: Callable[[float], object] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    uniform: Callable[[float, float], float] = random.uniform

    def __post_init__(self) -> None:
        for name in ("first_delay", "factor", "jitter", "max_delay", "budget", "max_retry_after"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= sys.float_info.max:
                raise ConfigError(f"{name} must be a finite number >= 0, got {value!r}", argument=name)
        if self.jitter > 1:
            raise ConfigError(f"jitter must be <= 1, got {self.jitter!r}", argument="jitter")
        for name in ("sleep", "monotonic", "now", "uniform"):
            if not callable(getattr(self, name)):
                raise ConfigError(f"{name} must be callable, got {getattr(self, name)!r}", argument=name)

    def delay(self, n_retries: int, retry_after: str | None) -> float:
        """Seconds to wait after ``n_retries`` retries; what the service asks for comes first."""
        asked = None if retry_after is None else self._seconds(retry_after)
        if asked is not None and asked > 0:
            return min(asked, self.max_retry_after)
        try:
            grown = self.first_delay * float(self.factor) ** n_retries
        except OverflowError:
            grown = self.max_delay if self.first_delay else 0.0
        return min(min(grown, self.max_delay) * self.uniform(1 - self.jitter, 1 + self.jitter), self.max_delay)

    def _seconds(self, retry_after: str) -> float | None:
        """A ``Retry-After`` header: whole seconds, or an HTTP date (RFC 9110, section 10.2.3)."""
        text = retry_after.strip()
        if text.isascii() and text.isdigit():
            return float(text.lstrip("0")[:9] or 0)
        from datetime import UTC
        from email.utils import parsedate_to_datetime

        try:
            date = parsedate_to_datetime(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - self.now()
        except (ValueError, OverflowError, TypeError, IndexError):  # what odd dates lead to
            return None

    def attempts(self) -> Iterator[Callable[[str | None], bool]]:
        """One function a try; called after a failure it waits, and says whether there is time for another."""
        begin = self.monotonic()
        n_retries = 0
        goes_on = True

        def wait(retry_after: str | None) -> bool:
            nonlocal goes_on
            left = self.budget - (self.monotonic() - begin)
            goes_on = left > 0
            if goes_on:
                self.sleep(min(self.delay(n_retries, retry_after), left))
            return goes_on

        while goes_on:
            yield wait
            n_retries += 1
