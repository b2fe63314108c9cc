"""What every kind of index refuses: one table of arguments and of what they cannot be.

Each error is ours, carries the name of the argument, and shows what is required and what was given.
Nothing has changed after it.
"""

import re

import numpy as np
import pytest

from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.index import (
    BloomLsh,
    HammingIndex,
    LshIndex,
    LshIndexBuilder,
    PermutedTable,
    hamming_scan,
    permutations,
)
from txtfp_np.schema import minhash_dtype

NAN, HUGE, H = float("nan"), 1 << 64, 16


def sigs_of(n, h=H):
    sigs = np.zeros(n, minhash_dtype(h))
    sigs["schema"] = 1
    sigs["hashes"] = np.random.default_rng(0).integers(0, 9, (n, h))
    return sigs


def lsh():
    index = LshIndex(8, 2, H, config_hash=5)
    index.insert([3, 4, 5], sigs_of(3))
    return index


def hamming(bits=64):
    values = np.arange(6, dtype=np.uint64).reshape(3, 2) if bits == 128 else [1, 2, 3]
    return HammingIndex(values, bits=bits, config_hash=5)


def bloom():
    index = BloomLsh(8, 2, H, capacity=10, config_hash=5)
    index.add(sigs_of(3))
    return index


def table():
    return PermutedTable(6, (0, 1, 2), [1, 2, 3])


NO_COUNTS = [-1, 1.5, True, "1", NAN, None, [1]]
NO_FINGERPRINTS = [
    *[-1, 1.5, HUGE, True, "1", None, NAN, [-1], [1, HUGE], [1, 1.0], [True], ["1"], [None], [1, [2]], [[1, 2]]],
    *[np.array([1], np.int64), np.array([1.0]), np.array([True]), np.array(["1"]), np.array([[1, 2]], np.uint64)],
    *[np.array([HUGE], object), sigs_of(1)],
]
NO_IDS = [-1, 1.5, HUGE, True, "7", b"7", None, NAN]
NO_SIGNATURES = [
    *[7, None, "x", [1, [2]], [[1] * H], np.zeros((2, H), np.uint64)],
    *[sigs_of(2, 8), sigs_of(4).reshape(2, 2)],
]

# where an argument is given; its name; what it cannot be
TABLE = [
    # ids
    (lsh, lambda index, bad: index.insert(bad, sigs_of(1)[0]), "ids", NO_IDS),
    (lsh, lambda index, bad: index.insert([7, bad], sigs_of(2)), "ids", NO_IDS),
    (lsh, lambda index, bad: index.insert(np.array([bad]), sigs_of(1)), "ids", [-1, 1.5, True, "7", b"7", None, NAN]),
    (lsh, lambda index, bad: index.insert(bad, sigs_of(2)), "ids", [[[1, 2]], np.array([[1, 2]]), [1], [1, 2, 3]]),
    *[(lsh, call, "ids", NO_IDS) for call in (LshIndex.get, LshIndex.remove)],
    (lsh, lambda index, bad: index.remove_many([3, bad]), "ids", NO_IDS),
    *[(lsh, call, "id", [[3, 4], np.array([3])]) for call in (LshIndex.get, LshIndex.remove)],
    # signatures
    (lsh, lambda index, bad: index.insert([1, 2], bad), "sigs", NO_SIGNATURES),
    (lsh, LshIndex.query, "sigs", NO_SIGNATURES),
    (lsh, lambda index, bad: index.query_with_threshold(bad, 0.5), "sigs", NO_SIGNATURES),
    *[(bloom, call, "sigs", NO_SIGNATURES) for call in (BloomLsh.add, BloomLsh.contains, BloomLsh.add_if_new)],
    # positions and fingerprints
    (hamming, HammingIndex.remove, "positions", [-1, 3, [0, 99], 1.5, HUGE, True, "0", None, NAN, [[1], 2]]),
    (hamming, HammingIndex.insert, "fingerprints", NO_FINGERPRINTS),
    (hamming, HammingIndex.query, "fingerprints", NO_FINGERPRINTS),
    (lambda: hamming(128), HammingIndex.query, "fingerprints", [5, [5], [[1, 2, 3]], np.zeros(3, np.uint64)]),
    (lambda: hamming(128), HammingIndex.insert, "fingerprints", [5, [5], [[1, HUGE]], np.zeros((1, 2), np.int64)]),
    (None, lambda bad: HammingIndex(bad, bits=32), "fingerprints", [1 << 32, np.zeros(3, np.uint64)]),
    (None, lambda bad: hamming_scan(bad, [1], 3), "fingerprints", NO_FINGERPRINTS),
    (None, lambda bad: hamming_scan([1], bad, 3), "queries", NO_FINGERPRINTS),
    (table, PermutedTable.insert, "fingerprints", NO_FINGERPRINTS),
    (table, PermutedTable.remove, "fingerprints", NO_FINGERPRINTS),
    (table, PermutedTable.permute, "fingerprints", NO_FINGERPRINTS),
    (table, PermutedTable.shard_of, "fingerprints", NO_FINGERPRINTS),
    (table, PermutedTable.unpermute, "keys", NO_FINGERPRINTS),
    (table, PermutedTable.find, "query", [*NO_FINGERPRINTS, [1, 2], [1]]),
    (table, PermutedTable.find_first, "query", [*NO_FINGERPRINTS, [1, 2]]),
    # bands
    *[
        (None, lambda bad, make=make, name=name: make(**{"bands": 8, "rows": 2, "h": H, name: bad}), name, NO_COUNTS)
        for make in (LshIndex, LshIndexBuilder, lambda **geometry: BloomLsh(capacity=9, **geometry))
        for name in ("bands", "rows", "h")
    ],
    (None, lambda bad: LshIndex(bad, 2, H), "bands", [0, 7, 9, 1 << 70]),
    (None, lambda bad: LshIndex(bad, 2, H, partial=True), "bands", [0, 9, 1 << 70]),
    (None, lambda bad: LshIndex(8, bad, H, partial=True), "bands", [0, 3]),
    (None, lambda bad: LshIndexBuilder(bad, 2, H, partial=True), "bands", [0, 9]),
    (None, lambda bad: BloomLsh(bad, 2, H, capacity=9), "bands", [0, 7, 9]),
    (None, lambda bad: LshIndex(1, 1, bad, partial=True), "h", [0, 1 << 20]),
    *[
        (None, lambda bad, make=make: make(8, 2, H, partial=bad), "partial", [0, 1, None, "yes"])
        for make in (LshIndex, lambda *geometry, partial: BloomLsh(*geometry, capacity=9, partial=partial))
    ],
    # choosing them
    (None, LshIndexBuilder.for_threshold, "threshold", [0, 1, -0.1, 2, NAN, np.inf, "0.5", None, True, 1e-60, 1 << 70]),
    (None, LshIndexBuilder.for_recall, "threshold", [0, 1, -0.1, 2, NAN, -np.inf, "0.5", None, False]),
    (None, lambda bad: LshIndexBuilder.for_recall(0.7, recall=bad), "recall", [0, 1, -1, 2, NAN, "1", None, True]),
    (None, lambda bad: LshIndexBuilder.for_threshold(0.7, bad), "h", [*NO_COUNTS, 0]),
    (None, lambda bad: LshIndexBuilder.for_recall(0.7, bad), "h", [*NO_COUNTS, 0]),
    (
        None,
        lambda bad: LshIndexBuilder.for_threshold(0.7, weights=bad),
        "weights",
        [5, None, (1,), (1, 2, 3), (0, 0), (-1, 2), (NAN, 1), (1, np.inf), ("1", 1), (True, 1)],
    ),
    (None, lambda bad: LshIndexBuilder.for_recall(0.7, distribution=bad), "distribution", [1.0, "uniform", [1, 2]]),
    (
        None,
        lambda bad: LshIndexBuilder.for_recall(0.7, distribution=lambda s: bad),
        "distribution",
        [-1.0, NAN, np.inf, None, "1", [1.0]],
    ),
    (None, LshIndexBuilder(16, 8).collision_probability, "similarity", ["0.5", None, [True], [[1], 2], 1j]),
    # thresholds and numbers of answers
    (lsh, lambda index, bad: index.query_with_threshold(sigs_of(1), bad), "threshold", ["0.5", None, True, [0.5], 1j]),
    (lsh, LshIndex.self_join, "threshold", ["0.5", None, True, [0.5]]),
    (lsh, LshIndex.iter_self_join, "threshold", ["0.5", None, True, [0.5]]),
    (lsh, lambda index, bad: index.query(sigs_of(1), k=bad), "k", [-1, 1.5, True, "1", NAN]),
    (lsh, lambda index, bad: index.query_with_threshold(sigs_of(1), 0.5, k=bad), "k", [-1, 1.5, True, "1", NAN]),
    (hamming, lambda index, bad: index.query([1], k=bad), "k", [-1, 4, 1.5, True, "1", NAN, HUGE]),
    (None, lambda bad: HammingIndex([1], bad), "max_distance", [*NO_COUNTS, 64, HUGE]),
    (None, lambda bad: HammingIndex([1], bad, bits=32), "max_distance", [32]),
    (None, lambda bad: hamming_scan([1], [1], bad), "max_distance", [*NO_COUNTS, 65]),
    (None, lambda bad: permutations(6, bad), "max_distance", [*NO_COUNTS, 64]),
    # blocks
    (None, lambda bad: HammingIndex([1], blocks=bad), "blocks", [-1, 0, 3, 65, 4.0, True, "4", NAN]),
    (None, lambda bad: permutations(bad, 3), "blocks", [*NO_COUNTS, 0, 3, 65]),
    (None, lambda bad: PermutedTable(bad, (0,)), "blocks", [*NO_COUNTS, 0, 65]),
    *[
        (None, call, "masks", [5, "1", [1.0] * 4, ["1"], [True], [0, HUGE - 1], [-1], [HUGE], [5, HUGE - 6], [3, 6]])
        for call in (lambda bad: HammingIndex([1], masks=bad), lambda bad: PermutedTable(4, (0,), masks=bad))
    ],
    (None, lambda bad: PermutedTable(6, bad), "combination", [5, None, (), (0, 0), (6,), (-1,), (1.0,), (True,), "1"]),
    (None, lambda bad: HammingIndex([1], bits=bad), "bits", [0, 63, 64.0, "64", None, 256]),
    (None, lambda bad: hamming_scan([1], [1], 3, bits=bad), "bits", [0, 63, 64.0, "64", None, 200, 1 << 17]),
    # Bloom filters
    (None, lambda bad: BloomLsh(8, 2, H, capacity=bad), "capacity", [*NO_COUNTS, 0, 1 << 41]),
    (
        None,
        lambda bad: BloomLsh(8, 2, H, capacity=9, error_rate=bad),
        "error_rate",
        [0, 1, -0.1, 2, NAN, "0.1", None, True],
    ),
    # options of all
    *[
        (new, call, "config_hash", [6, -1, HUGE, 1.5, True, "5"])
        for new, call in [
            (lsh, lambda index, bad: index.insert(9, sigs_of(1)[0], config_hash=bad)),
            (lsh, lambda index, bad: index.query(sigs_of(1), config_hash=bad)),
            (lsh, lambda index, bad: index.query_with_threshold(sigs_of(1), 0.5, config_hash=bad)),
            (hamming, lambda index, bad: index.insert([9], config_hash=bad)),
            (hamming, lambda index, bad: index.query([9], config_hash=bad)),
            (bloom, lambda index, bad: index.add(sigs_of(1), config_hash=bad)),
            (bloom, lambda index, bad: index.contains(sigs_of(1), config_hash=bad)),
            (bloom, lambda index, bad: index.add_if_new(sigs_of(1), config_hash=bad)),
        ]
    ],
    *[
        (None, call, "config_hash", [-1, HUGE, 1.5, True, "5"])
        for call in (
            lambda bad: LshIndex(8, 2, H, config_hash=bad),
            lambda bad: HammingIndex(config_hash=bad),
            lambda bad: BloomLsh(8, 2, H, capacity=9, config_hash=bad),
            lambda bad: LshIndexBuilder(16, 8).build(config_hash=bad),
        )
    ],
    *[
        (new, call, "threads", [0, -1, 1.5, True, "2", NAN])
        for new, call in [
            (lsh, lambda index, bad: index.insert(9, sigs_of(1)[0], threads=bad)),
            (lsh, lambda index, bad: index.query(sigs_of(1), threads=bad)),
            (lsh, lambda index, bad: index.save("never", threads=bad)),
            (lsh, lambda index, bad: index.compact(threads=bad)),
            (hamming, lambda index, bad: index.query([9], threads=bad)),
            (hamming, lambda index, bad: index.find_all(threads=bad)),
            (hamming, lambda index, bad: index.find_clusters(threads=bad)),
            (hamming, lambda index, bad: index.save("never", threads=bad)),
            (hamming, lambda index, bad: index.compact(threads=bad)),
            (None, lambda bad: hamming_scan([1], [1], 3, threads=bad)),
            (bloom, lambda index, bad: index.add(sigs_of(1), threads=bad)),
            (bloom, lambda index, bad: index.contains(sigs_of(1), threads=bad)),
        ]
    ],
    (lsh, lambda index, bad: index.query(sigs_of(1), return_similarity=bad), "return_similarity", [1, None, "yes"]),
    (hamming, lambda index, bad: index.find_all(distinct=bad), "distinct", [1, None, "yes"]),
]
OF_THE_CRATE = ["H cannot be zero"]
# what was given is part of the sentence, or is nothing one could show
SHOWN_OTHERWISE = [
    *["H cannot be zero", "bands and rows must be > 0", "must equal H", "must be at most H", "takes one id"],
    *["ids for", "must be an array", "these have 0x", "masks must hold all 64 bits", "there are"],
]
CASES = [
    pytest.param(new, call, name, bad, id=f"{row}-{name}-{str(bad)[:20]}")
    for row, (new, call, name, values) in enumerate(TABLE)
    for bad in values
]


def contents(index):
    if isinstance(index, LshIndex):
        return [(id, index.get(id).tobytes()) for id in index]
    if isinstance(index, HammingIndex):
        return len(index), index.fingerprints.tolist(), [part.tolist() for part in index.find_all()]
    if isinstance(index, BloomLsh):
        return len(index), index.current_error_rate()
    return index.keys.tolist()


@pytest.mark.parametrize(("new", "call", "name", "bad"), CASES)
def test_it_is_refused_and_named(new, call, name, bad):
    given = () if new is None else (new(),)
    before = [contents(index) for index in given]
    with pytest.raises((InvalidInputError, ConfigError)) as caught:
        call(*given, bad)
    assert caught.value.argument == name
    said = str(caught.value)
    assert re.search(rf"\b{name}\b", said) or any(text in said for text in OF_THE_CRATE)
    assert "got " in said or any(text in said for text in SHOWN_OTHERWISE)
    assert [contents(index) for index in given] == before


def test_the_row_is_named():
    for ids, row in [([0, -1], 1), (np.array([4, 5, -5]), 2), ([1, 2, HUGE], 2), (["a", 1], 0)]:
        with pytest.raises(InvalidInputError) as caught:
            lsh().remove_many(ids)
        assert caught.value.row == row
        assert f"(row {row})" in str(caught.value)


@pytest.mark.parametrize("threshold", [NAN, np.float32("nan")])
def test_nothing_is_as_similar_as_nan(threshold):
    """As in the crate, where it is no error: every comparison with it is false."""
    index = lsh()
    assert index.query_with_threshold(sigs_of(3)[0], threshold).tolist() == []
    assert index.query_with_threshold(sigs_of(3), threshold)[0].tolist() == [0, 0, 0, 0]
    assert len(index.self_join(threshold)) == 0


def test_the_largest_of_everything():
    index = lsh()
    index.insert(HUGE - 1, sigs_of(1)[0])
    assert HUGE - 1 in index
    assert len(index.query(sigs_of(1)[0], k=1 << 70)) == len(index.query(sigs_of(1)[0]))
    wide = HammingIndex([HUGE - 1, 0], 63)
    assert wide.query([1], k=63)[1].tolist() == [0, 1]
    assert hamming_scan([HUGE - 1], [0], 64)[2].tolist() == [64]
    assert hamming_scan(np.full((1, 2), HUGE - 1, np.uint64), np.zeros((1, 2), np.uint64), 128, bits=128)[2] == 128
