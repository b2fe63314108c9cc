"""Kernels of the engine for files against plain Python and xxhash."""

import numpy as np
import pytest

pytest.importorskip("hypothesis")
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from oracles import dedup as oracle

from txtfp_np.columns.checks import read_only
from txtfp_np.index.join import words_at
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
    best, none = read_only(np.arange(n)), read_only(np.empty(0, np.int64))
    crowds = np.empty(0, np.uint32), np.empty((0, 2), np.int64)
    rows = none, read_only(np.empty(0, np.uint64)), none, read_only(np.empty(0, np.uint32))
    for first in range(0, len(pairs), step):
        some = (read_only(side[first : first + step]) for side in (better, other, share))
        rest = (0, 0, 0.0, True), np.zeros(4, np.int64), representative, similarity
        assert star_stream(*some, best, crowds, rows, *rest)
    expected = oracle.star(n, pairs, rank)
    assert representative.tolist() == expected
    assert similarity.tolist() == expected_shares(n, pairs, expected)


H = 8


@st.composite
def members_of_crowds(draw):
    """Rows with sets, the slots of which a signature shows; crowds of them; copies; and an order."""
    n = draw(st.integers(2, 120))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sets = [sorted(set(rng.integers(0, draw(st.integers(2, 9)), 6).tolist())) for _ in range(n)]
    slots = np.array([(run * H)[:H] for run in sets], np.uint64)
    crowds = [np.flatnonzero(rng.random(n) < share) for share in rng.random(draw(st.integers(1, 3)))]
    return sets, slots, [rows for rows in crowds if len(rows)], rng.permutation(n), draw(st.integers(1, 200))


@given(members_of_crowds(), st.sampled_from([0.2, 0.5, 1.0]), st.booleans())
def test_crowds(made, threshold, is_exact):
    sets, slots, groups, rank, step = made
    n, needed = len(sets), 3
    words = np.concatenate([np.zeros((n, 1), np.uint64), slots], axis=1)
    pairs = {}
    for rows in groups:
        for at, i in enumerate(rows.tolist()):
            for j in rows[at + 1 :].tolist():
                equal = int((slots[i] == slots[j]).sum())
                a, b = set(sets[i]), set(sets[j])
                share = len(a & b) / len(a | b) if is_exact else equal / H
                if equal >= needed and (share >= threshold or not is_exact):
                    pairs[i, j] = np.float32(share)
    expected = oracle.star(n, list(pairs), rank.tolist())
    events = sorted((int(rank[row]), int(row), crowd) for crowd, rows in enumerate(groups) for row in rows)
    better, other = (np.array([event[side] for event in events], np.uint32) for side in (1, 2))
    share = np.full(len(events), np.nan, np.float32)
    ends = np.cumsum([len(rows) for rows in groups]).astype(np.int64)
    members = np.concatenate([*groups, []]).astype(np.uint32)
    crowds = members, np.column_stack((np.concatenate([[0], ends[:-1]]) if len(ends) else ends, ends))
    values = np.concatenate([np.array(run, np.uint64) for run in sets])
    offsets = np.concatenate([[0], np.cumsum([len(run) for run in sets])]).astype(np.int64)
    number = np.arange(n, dtype=np.uint32)
    rows = words_at(words), read_only(values), read_only(offsets), read_only(number)
    representative, similarity, removed = np.arange(n), np.ones(n, np.float32), 0
    for first in range(0, len(events), step):
        some = [read_only(side[first : first + step]) for side in (better, other, share)]
        cursor = np.zeros(4, np.int64)
        rest = (1 + H, needed, threshold, is_exact), cursor, representative, similarity
        while not star_stream(*some, read_only(np.arange(n)), crowds, rows, *rest):
            pass
        removed += cursor[3]
    assert representative.tolist() == expected
    assert removed == sum(row != of for row, of in enumerate(expected))
    for row, of in enumerate(expected):
        assert similarity[row] == (1 if row == of else pairs[min(row, of), max(row, of)])


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
