"""Tables of half keys against plain Python: making, merging, looking up, and what a shared half must not change."""

import numba
import numpy as np
import pytest
from oracles import tables as oracle
from oracles.lsh import NaiveLsh, band_keys

from txtfp_np.index import LshIndex
from txtfp_np.index.snapshot import Snapshot
from txtfp_np.index.tables import home_lines, merge, seedless, sort_bands
from txtfp_np.kernels import bands, lsh, scan, tables
from txtfp_np.schema import minhash_dtype

KINDS = ["hashes", "low bits", "high bits", "few", "one", "ends", "last"]


def keys_of(kind, n, seed=0):
    keys = np.random.default_rng(seed + n).integers(0, 2**64, n, dtype=np.uint64)
    if kind == "low bits":
        keys >>= np.uint64(33)
    elif kind == "high bits":
        keys &= np.uint64(0xFFF << 52)
    elif kind == "few":
        keys = np.array([3 << 40, 2**63, 2**63 + 2**32, 7], np.uint64)[keys % np.uint64(4)]
    elif kind == "one":
        keys[:] = 2**63
    elif kind == "ends":
        keys = np.array([0, 2**32, 2**64 - 1, 2**64 - 2**32, 2**64 - 2**33], np.uint64)[keys % np.uint64(5)]
    elif kind == "last":  # all in the last line, so that others are needed behind it
        keys |= np.uint64(0xFFFFFF << 40)
    return keys


def frozen(array):
    array = np.array(array)
    array.flags.writeable = False
    return array


# ── tables ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 100, 1000, 5000])
@pytest.mark.parametrize("kind", KINDS)
def test_making(kind, n):
    keys = keys_of(kind, n)
    expected = oracle.entries(keys.tolist())
    made = keys.copy()
    tables.sort_entries(made, np.empty_like(made))
    assert made.tolist() == expected
    for homes in {home_lines(n), 1, 3 * n + 1}:
        words = oracle.table(expected, homes)
        out = np.zeros(len(words) + 24, np.uint64)
        assert tables.place_entries(made, homes, out) == len(words) // 8
        assert out.tolist() == words + [oracle.NOTHING] * 24
        small = np.zeros(len(words) - 8, np.uint64)
        assert tables.place_entries(made, homes, small) == len(words) // 8


@pytest.mark.parametrize("n", [300_000, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_large_tables(n):
    """Also with more rows than digits that fit between the row numbers and the top of a key."""
    keys = keys_of("hashes", n)
    fragments = np.minimum(keys >> np.uint64(32), np.uint64(2**32 - 2))
    entries = np.sort(fragments << np.uint64(32) | np.arange(n, dtype=np.uint64))
    tables.sort_entries(keys, np.empty_like(keys))
    assert (keys == entries).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("a", "b"), [(0, 5), (5, 0), (1, 1), (700, 40), (500, 500)])
def test_merging(kind, a, b):
    first, second = keys_of(kind, a), keys_of(kind, b, 1)
    segments = [
        sort_bands(np.stack([keys, keys[::-1]]), base, 1024, 1) for keys, base in ((first, 2048), (second, 4096))
    ]
    both = merge(*segments, 2)
    assert (len(both), both.base, both.span) == (a + b, 2048, 2048 + 1024)
    for i, step in enumerate((1, -1)):
        older, newer = first[::step].tolist(), second[::step].tolist()
        expected = sorted(oracle.entries(older) + [entry + 2048 for entry in oracle.entries(newer)])
        words = oracle.table(expected, home_lines(a + b))
        assert both.lines[i, : len(words)].tolist() == words
        assert (both.lines[i, len(words) :] == oracle.NOTHING).all()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled with NUMBA_DISABLE_JIT")
def test_comparing_a_line():
    compare_8 = numba.njit(lambda at, half: scan.compare_8(at, half))
    rng = np.random.default_rng(0)
    for _ in range(200):
        line = rng.integers(0, 4, 8, dtype=np.uint64) << np.uint64(32) | rng.integers(0, 2**32, 8, dtype=np.uint64)
        for half in range(5):
            assert compare_8(line.ctypes.data, np.uint64(half)) == scan._twin_compare_8(line.ctypes.data, half)


# ── looking up ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cuts", [[3000], [1100, 3000], [2000, 2900, 2990, 3000]])
def test_ids_that_share_their_half(kind, cuts):
    """Ids with chosen keys, in segments and in the unsorted tail."""
    keys = np.unique(keys_of(kind, 3000) ^ np.arange(3000, dtype=np.uint64))
    ids = np.array([oracle.unmixed(key) for key in keys.tolist()], np.uint64)
    assert [oracle.mixed(id) for id in ids[:20].tolist()] == keys[:20].tolist()
    np.random.default_rng(1).shuffle(ids)
    snapshot, words = Snapshot.empty(), np.zeros((len(ids), 3), np.uint64)
    begin = 0
    for end in cuts:
        part = ids[begin:end]
        if len(part) > 1024:
            snapshot = snapshot.without_tail(1).with_rows(part, frozen(words[: len(part)]), 1, 2, 1)
        elif len(part):
            snapshot = snapshot.with_small(part, frozen(words[: len(part)]), 1, 2)
        begin = end
    where = {id: row for extent in snapshot.all_extents() for row, id in enumerate(extent.ids.tolist(), extent.base)}
    gone = np.array(sorted(where.values()))[::7]
    snapshot = snapshot.without(gone)
    probes = np.concatenate([ids, np.array([oracle.unmixed(key ^ 5 << 20) for key in keys[:500].tolist()], np.uint64)])
    expected = [-1 if where.get(id, -1) in set(gone.tolist()) else where.get(id, -1) for id in probes.tolist()]
    assert snapshot.find(frozen(probes)).tolist() == expected
    assert [int(snapshot.find(frozen(probes[i : i + 1]))[0]) for i in range(0, len(probes), 97)] == expected[::97]


def test_equal_ids_of_one_call_among_those_that_share_their_half():
    ids = [oracle.unmixed(9 << 32 | i % 50) for i in range(3000)] + [oracle.unmixed(11 << 32)] * 3 + list(range(500))
    sigs = np.zeros(len(ids), minhash_dtype(4))
    sigs["hashes"][:, 0] = np.arange(len(ids))
    index = LshIndex(4, 1, 4)
    index.insert(ids, sigs)
    last = {id: row for row, id in enumerate(ids)}
    assert list(index) == sorted(last, key=last.get)
    for id in ids[2900:3010]:
        assert index.get(id)["hashes"][0] == last[id]


@pytest.mark.parametrize("values", [2, 60])
def test_candidates(values):
    """Against the oracle: several segments, a tail, dead rows, every order of magnitude of buckets."""
    rng = np.random.default_rng(values)
    sizes, base, rows, parts, described = [2500, 1300, 60], 0, 2, [], []
    alive = []
    for n in sizes:
        words = rng.integers(0, values, (n, 9), dtype=np.uint64)
        keys = np.empty((4, n), np.uint64)
        bands.band_keys(frozen(words), rows, seedless(), 0, keys)
        parts.append((base, keys.T.tolist()))
        if n == 60:
            described.append([keys.ctypes.data, n, 0, 0, n, base])
            alive.append(keys)
        else:
            alive.append(sort_bands(keys.copy(), base, 4096, 1))
            described.append(alive[-1].describe())
        base += 4096
    probes = frozen(rng.integers(0, values, (40, 9), dtype=np.uint64))
    gone = set(rng.integers(0, 2500, 300).tolist()) | {4096, 8192 + 3}
    dead = np.zeros(129, np.uint64)
    for row in gone:
        dead[row >> 6] |= np.uint64(1 << (row & 63))
    out, seen, counts = np.empty(1 << 14, np.int64), np.empty(1 << 15, np.int64), np.empty(40, np.int64)
    found, first = [], 0
    while first < 40:
        shape = (4, rows, first)
        stop, used, most = lsh.collect_rows(
            frozen(described), probes, shape, seedless(), frozen(dead), seen, out, counts
        )
        assert stop > first
        assert stop == 40 or used + most > len(out)
        ends = np.cumsum(counts[first:stop])
        assert ends[-1] == used
        found += [part.tolist() for part in np.split(out[:used].copy(), ends[:-1])]
        first = stop
    for probe, mine in zip(probes, found, strict=True):
        pairs = oracle.candidates(parts, band_keys(probe[1:].tolist(), 4, rows), gone)
        assert [(one >> lsh.ROW_BITS, one & (1 << lsh.ROW_BITS) - 1) for one in mine] == pairs
    tiny = np.empty(3, np.int64)
    stop, used, most = lsh.collect_rows(
        frozen(described), probes, (4, rows, 0), seedless(), frozen(dead), seen, tiny, counts
    )
    assert (stop, used) == (0, 0)
    assert len(found[0]) <= most <= sum(sizes)


# ── halves that keys share by chance ────────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def twins():
    """Pairs of slots whose band keys, of one slot a band, have the same upper half."""
    n = 600_000
    words = np.zeros((n, 2), np.uint64)
    words[:, 1] = np.arange(n)
    keys = np.empty((1, n), np.uint64)
    bands.band_keys(frozen(words), 1, seedless(), 0, keys)
    order = np.argsort(keys[0])
    halves = keys[0][order] >> np.uint64(32)
    at = np.flatnonzero(halves[1:] == halves[:-1])
    pairs = np.stack([order[at], order[at + 1]], axis=1)
    assert len(pairs) >= 8
    for x, y in pairs.tolist():
        (a,), (b,) = band_keys([x], 1, 1), band_keys([y], 1, 1)
        assert a != b
        assert a >> 32 == b >> 32
    return pairs


@pytest.mark.parametrize("many", [1, 100])
@pytest.mark.parametrize("n_fill", [0, 5000])
def test_shared_halves_change_nothing(twins, many, n_fill):
    (x, y), (v, w) = twins[:2].tolist()
    slots = [
        [y, 2, 3, 4],  # agrees with the probe in bands 1 to 3, seems to in band 0
        [y, 9, 9, 9],  # only seems to
        [8, 9, 3, 9],
        [x, 9, 9, 9],
        [y, w, 3, 9],  # seems to in bands 0 and 1, agrees in band 2
        [y, v, 9, 4],  # seems to in 0, agrees in 1 and 3
    ] * many
    slots = [[s + 2**40 * (i // 6) if s == 9 else s for s in row] for i, row in enumerate(slots)]
    slots += [[2**50 + i + j for j in range(4)] for i in range(n_fill)]
    probe = [x, v, 3, 4]
    naive, index = NaiveLsh(4, 1), LshIndex(4, 1, 4)
    sigs = np.zeros(len(slots), minhash_dtype(4))
    sigs["hashes"] = slots
    index.insert(range(len(slots)), sigs)
    for id, row in enumerate(slots):
        naive.insert(id, row)
    probes = np.zeros(50, minhash_dtype(4))
    probes["hashes"] = probe
    assert index.query(probes[0]).tolist() == naive.query(probe)
    indptr, ids = index.query(probes)
    assert ids.tolist() == naive.query(probe) * 50
    for needed in range(5):
        indptr, ids, similarity = index.query_with_threshold(probes, needed / 4, return_similarity=True)
        assert ids[indptr[7] : indptr[8]].tolist() == naive.query_with(probe, needed)
        assert (similarity[indptr[7] : indptr[8]] * 4).tolist() == [naive.equal(i, probe) for i in ids[: indptr[1]]]
    pairs = {frozenset(pair) for pair in index.self_join(0.5)[["a", "b"]].tolist()}
    if many == 1:
        assert pairs == naive.pairs(2)


def test_a_huge_bucket_and_those_pushed_behind_it():
    """A quarter of all rows in one bucket: others stand far from their home, and cost no more to find."""
    rng = np.random.default_rng(3)
    sigs = np.zeros(40_000, minhash_dtype(4))
    sigs["hashes"] = rng.integers(0, 2**60, (len(sigs), 4), dtype=np.uint64)
    sigs["hashes"][:10_000] = 7
    index = LshIndex(2, 2, 4)
    for begin in (0, 15_000, 20_000, 39_500):
        end = min(begin + 15_000, len(sigs)) if begin == 0 else {15_000: 20_000, 20_000: 39_500, 39_500: 40_000}[begin]
        index.insert(range(begin, end), sigs[begin:end])
    assert index.query(sigs[0]).tolist() == list(range(10_000))
    indptr, ids = index.query_with_threshold(sigs[10_000:], 1.0)
    assert ids.tolist() == list(range(10_000, 40_000))
    assert (np.diff(indptr) == 1).all()
    pairs = index.self_join(1.0)
    assert pairs["a"].tolist() == [0] * 9999
    assert pairs["b"].tolist() == list(range(1, 10_000))
    for id in range(0, 10_000, 3):
        index.remove(id)
    left = [id for id in range(10_000) if id % 3]
    assert index.query(sigs[0]).tolist() == left
    assert index.query(sigs[:33])[1].tolist() == left * 33


def test_memory():
    """At most 12 bytes a signature and band, and a line or two more a table."""
    for n in (1500, 20_000, 100_000):
        index = LshIndex(16, 1, 16)
        sigs = np.zeros(n, minhash_dtype(16))
        sigs["hashes"] = np.random.default_rng(n).integers(0, 2**64, (n, 16), dtype=np.uint64)
        index.insert(range(n), sigs)
        signatures = n * (8 + 8 * 17)
        assert index.nbytes - signatures <= 17 * (12 * n + 1024)
