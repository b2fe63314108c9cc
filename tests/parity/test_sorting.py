"""``kernels/sorting.py`` against NumPy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from txtfp_np.kernels.sorting import sort_keys

RNG = np.random.default_rng(20)


def keys_of(kind, n):
    hashes = RNG.integers(0, 1 << 64, n, np.uint64)
    if kind == "hashes":
        return hashes
    if kind == "small":
        return hashes >> np.uint64(60)
    if kind == "equal":
        return np.full(n, 5, np.uint64)
    if kind == "pairs":  # differing bits in two separate places
        return hashes >> np.uint64(55) << np.uint64(32) | hashes & np.uint64(0xFFF)
    if kind == "low bits":  # the upper ones are shared, so that they put nothing in order
        return hashes | np.uint64(0xFFFFFFFF) << np.uint64(32)
    return np.sort(hashes)[::-1].copy()


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 100, 5000, 70_000])
@pytest.mark.parametrize("kind", ["hashes", "small", "equal", "pairs", "low bits", "descending"])
def test_sorting(kind, n):
    keys = keys_of(kind, n)
    order = np.argsort(keys, kind="stable")
    payload = RNG.permutation(n).astype(np.uint32)
    for numbered in (False, True):
        made = keys.copy()
        rows = payload.copy() if numbered else np.full(n, 7, np.uint32)
        sort_keys(made, rows, numbered, np.empty_like(made), np.empty_like(rows))
        assert (made == keys[order]).all()
        assert (rows == (payload[order] if numbered else order)).all()
