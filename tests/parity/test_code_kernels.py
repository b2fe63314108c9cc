"""Kernels of wide codes against plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import hamming as oracle

from txtfp_np.columns import Scratch
from txtfp_np.index import codes, hamming_scan
from txtfp_np.index.codes import near_codes, radius, scan_codes, transposed
from txtfp_np.kernels.codes import nearest_limits
from txtfp_np.semantic import BinaryHash

widths = st.sampled_from([1, 2, 3, 4, 5, 6, 8])


def values_and_words(seed, n, n_words):
    """Codes, most of them a few bits from another."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << 64, size=(max(1, n // 3), n_words), dtype=np.uint64)[
        rng.integers(0, max(1, n // 3), n)
    ]
    flips = rng.integers(0, 64, size=(n, 2)).astype(np.uint64)
    words[:, 0] ^= np.uint64(1) << flips[:, 0]
    words[:, -1] ^= np.uint64(1) << flips[:, 1]
    return [sum(int(word) << 64 * at for at, word in enumerate(row)) for row in words], words


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 40), st.integers(0, 40), widths, st.integers(0, 200))
def test_scan(seed, n, n_probes, n_words, limit):
    values, words = values_and_words(seed, n + n_probes, n_words)
    found = scan_codes(words[:n], np.ascontiguousarray(words[n:]), limit, 2)
    expected = oracle.query(values[:n], values[n:], limit)
    assert found.counts.tolist() == [len(hits) for hits in expected]
    flat = [hit for hits in expected for hit in hits]
    assert list(zip(found.positions.tolist(), found.distances.tolist(), strict=True)) == flat


@pytest.mark.parametrize("n", [511, 512, 513, 1300])
@pytest.mark.parametrize("n_words", [1, 4, 6])
def test_all_pairs_over_tiles(n, n_words, monkeypatch):
    monkeypatch.setattr(codes, "_ROOM", 1)  # every block is begun anew until there is room
    values, words = values_and_words(n, n, n_words)
    limits = np.full(n, 5, np.uint64)
    hits = near_codes(words, transposed(words), np.arange(1, n + 1), limits, Scratch())
    i = np.repeat(np.arange(n), hits.counts)
    found = list(zip(i.tolist(), hits.positions.tolist(), hits.distances.tolist(), strict=True))
    if n < 600:
        assert found == oracle.find_all(values, 5)
    else:
        differing = np.bitwise_count(words[:, None] ^ words).sum(axis=2)
        assert found == [(a, b, differing[a, b]) for a, b in zip(*np.nonzero(differing <= 5), strict=True) if a < b]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 60), widths, st.integers(1, 70))
def test_nearest_limits(seed, n, n_words, wanted):
    values, words = values_and_words(seed, n, n_words)
    limits = np.empty(n, np.uint64)
    nearest_limits(words, transposed(words), wanted, limits)
    for value, limit in zip(values, limits.tolist(), strict=True):
        distances = sorted((value ^ other).bit_count() for other in values)
        assert limit == distances[wanted - 1] if wanted <= n else limit == 64 * n_words


def test_radius_is_the_quantile():
    rng = np.random.default_rng(0)
    for threshold, bits, recall in ((0.9, 256, 0.99), (0.7, 128, 0.9), (0.99, 512, 0.999)):
        draws = rng.binomial(bits, np.arccos(threshold) / np.pi, size=200_000)
        most = radius(threshold, bits, recall)
        assert (draws <= most).mean() >= recall - 0.005
        assert (draws <= most - 1).mean() < recall + 0.005


@pytest.mark.parametrize("bits", [192, 384, 1024])
def test_scan_of_wide_fingerprints(bits):
    values, words = values_and_words(bits, 300, bits // 64)
    for limit in (0, 3, bits):
        indptr, positions, distances = hamming_scan(words, words[:20], limit, bits)
        expected = oracle.query(values, values[:20], limit)
        assert np.diff(indptr).tolist() == [len(hits) for hits in expected]
        found = list(zip(positions.tolist(), distances.tolist(), strict=True))
        assert found == [hit for hits in expected for hit in hits]
        assert distances.dtype == np.uint16
    codes = BinaryHash(bits).fingerprint(np.random.default_rng(1).normal(size=(9, bits))).view(np.uint64)
    assert hamming_scan(codes, codes[4], 0, bits)[1].tolist() == [4]
