"""Kernels of the engine for files against plain Python and xxhash."""

import numpy as np
import pytest

pytest.importorskip("hypothesis")
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from oracles import dedup as oracle

from txtfp_np.columns.checks import read_only
from txtfp_np.index.tables import seedless
from txtfp_np.kernels.digests import digest_runs
from txtfp_np.kernels.streams import end_components, share_stream, star_stream, unite_stream


@given(st.lists(st.binary(max_size=600)), st.sampled_from([1, 8]))
def test_digests(runs, width):
    runs = [run[: len(run) // width * width] for run in runs]
    data = np.frombuffer(b"".join(runs) + b"x", np.uint8)
    offsets = np.concatenate([[0], np.cumsum([len(run) // width for run in runs])]).astype(np.int64)
    out = np.empty((len(runs), 2), np.uint64)
    digest_runs(data, read_only(offsets), width, seedless(), out)
    assert [(int(high) << 64) | int(low) for low, high in out] == [xxhash.xxh3_128_intdigest(run) for run in runs]


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 12))
    node = st.integers(0, n - 1)
    pairs = draw(
        st.lists(st.tuples(node, node).filter(lambda pair: pair[0] != pair[1]).map(lambda p: (min(p), max(p))))
    )
    return n, list(dict.fromkeys(pairs)), draw(st.permutations(range(n))), draw(st.integers(1, 5))


def expected_shares(n, pairs, representative):
    of = {pair: number for number, pair in enumerate(pairs)}
    shares = []
    for row in range(n):
        with_whom = representative[row]
        shares.append(1 if with_whom == row else of.get((min(row, with_whom), max(row, with_whom)), float("nan")))
    return shares


@given(graphs())
def test_linking_block_by_block(graph):
    n, pairs, rank, step = graph
    pairs.sort(key=lambda pair: min(rank[pair[0]], rank[pair[1]]))
    better = np.array([min(pair, key=lambda row: rank[row]) for pair in pairs], np.uint32)
    other = np.array([max(pair, key=lambda row: rank[row]) for pair in pairs], np.uint32)
    share = np.arange(len(pairs), dtype=np.float32)
    representative, similarity = np.arange(n), np.ones(n, np.float32)
    for first in range(0, len(pairs), step):
        some = (read_only(side[first : first + step]) for side in (better, other, share))
        star_stream(*some, representative, similarity)
    expected = oracle.star(n, pairs, rank)
    assert representative.tolist() == expected
    assert similarity.tolist() == expected_shares(n, pairs, expected)


@given(graphs())
def test_components_block_by_block(graph):
    n, pairs, rank, step = graph
    i, j = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    share = np.arange(len(pairs), dtype=np.float32)
    representative, similarity = np.arange(n), np.ones(n, np.float32)
    blocks = range(0, len(pairs), step)
    for first in blocks:
        some = (read_only(side[first : first + step]) for side in (i, j))
        unite_stream(*some, read_only(np.array(rank, np.int64)), representative)
    end_components(representative)
    expected = oracle.components(n, pairs, rank)
    assert representative.tolist() == expected
    similarity[representative != np.arange(n)] = np.nan
    for first in blocks:
        some = (read_only(side[first : first + step]) for side in (i, j, share))
        share_stream(*some, representative, similarity)
    assert similarity.tolist() == pytest.approx(expected_shares(n, pairs, expected), nan_ok=True)
