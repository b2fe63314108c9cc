"""Outputs of the programs of seomoz/simhash (tests/data/simhash-cpp.json): fix the code, not the vectors."""

import json
from pathlib import Path

import numpy as np
import pytest

from txtfp_np.columns.checks import read_only
from txtfp_np.index import HammingIndex, PermutedTable, permutations
from txtfp_np.sketch.seomoz import seomoz_simhash
from txtfp_np.sketch.simhash import vote

VECTORS = json.loads((Path(__file__).parent.parent / "data" / "simhash-cpp.json").read_text(encoding="utf-8"))


def numbers(texts):
    return np.array([int(text) for text in texts], np.uint64)


@pytest.mark.parametrize("case", VECTORS["permutations"], ids=lambda case: f"{case['blocks']}-{case['distance']}")
def test_permutations(case):
    tables = PermutedTable.tables(case["blocks"], case["distance"])
    assert len(permutations(case["blocks"], case["distance"])) == len(tables) == case["n_tables"]
    assert [int(table.permute(int(case["x"]))) for table in tables] == [int(x) for x in case["applied"]]
    assert [table.search_mask for table in tables] == [int(mask) for mask in case["search_masks"]]


@pytest.mark.parametrize("case", VECTORS["find_all"], ids=lambda c: f"{len(c['hashes'])}-{c['blocks']}-{c['distance']}")
@pytest.mark.parametrize("chosen", [True, False])
def test_find_all_and_clusters(case, chosen):
    hashes = numbers(case["hashes"])
    index = HammingIndex(hashes, case["distance"], case["blocks"] if chosen else None)
    i, j, distances = index.find_all(distinct=True)
    pairs = sorted([min(a, b), max(a, b)] for a, b in zip(hashes[i].tolist(), hashes[j].tolist(), strict=True))
    assert pairs == sorted([int(a), int(b)] for a, b in case["matches"])
    assert distances.tolist() == [
        (a ^ b).bit_count() for a, b in zip(hashes[i].tolist(), hashes[j].tolist(), strict=True)
    ]
    # equal values are one vertex there
    assert len(HammingIndex(np.unique(hashes), case["distance"]).find_clusters().indptr) - 1 == case["n_clusters"]


@pytest.mark.parametrize("case", VECTORS["compute"], ids=lambda case: str(len(case["hashes"])))
def test_compute_is_the_vote_with_ties_to_zero(case):
    hashes = read_only(numbers(case["hashes"]))
    out = np.empty(1, np.uint64)
    vote(hashes, None, read_only(np.array([0, len(hashes)])), "zero", out)
    assert int(out[0]) == int(case["simhash"])


def test_text_hash():
    cases = VECTORS["old_text_hash_a9b21b0"]
    expected = [int(case["hash_text_jenkins"]) for case in cases.values()]
    assert seomoz_simhash(list(cases)).tolist() == expected
    assert [int(seomoz_simhash(text)) for text in cases] == expected


def test_jenkins():
    from txtfp_np.columns import TextColumn
    from txtfp_np.kernels.seomoz import jenkins_rows

    cases = VECTORS["old_text_hash_a9b21b0"]
    column = TextColumn(list(cases))
    out = np.empty(len(cases), np.uint64)
    jenkins_rows(column.data, column.offsets, out)
    assert out.tolist() == [int(case["jenkins64_seed0"]) for case in cases.values()]


# ── cases of seomoz' own tests ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("blocks", range(4, 10))
def test_twenty_values_make_24_pairs_whatever_the_blocks(blocks):
    values = [value << shift for value in (0xFF, 0xEF, 0xEE, 0xCE, 0x33) for shift in (0, 8, 16, 24)]
    assert len(HammingIndex(values, 3, blocks).find_all()[0]) == 24


def test_two_values_are_one_cluster():
    clusters = HammingIndex([0x10, 0x20], 4, 5).find_clusters()
    assert clusters.positions.tolist() == [0, 1]
    assert clusters.indptr.tolist() == [0, 2]


def test_the_example_of_the_readme():
    """The two differ in blocks B, D and E; the table whose leading blocks are A, C and F finds them."""
    a = 0b0100101110111011001000101111101110111100001010011101100110110101
    b = 0b0100101110111011011000101111101110011100001010011100100110110101
    assert (a ^ b).bit_count() == 3
    # its masks: 11 bits each for A to E, 9 for F; blocks are counted from the lowest bits here, so F is 0
    widths, masks, place = [9, 11, 11, 11, 11, 11], [], 0
    for width in widths:
        masks.append(((1 << width) - 1) << place)
        place += width
    block_f, block_e, block_d, block_c, block_b, block_a = range(6)
    differing = [block for block, mask in enumerate(masks) if (a ^ b) & mask]
    assert differing == [block_e, block_d, block_b]
    finders = [
        combination for combination in permutations(6, 3) if len(PermutedTable(6, combination, [a], masks).find(b))
    ]
    assert finders == [(block_f, block_c, block_a)]
    table = PermutedTable(6, (block_a, block_c, block_f), [a], masks)
    assert table.find(b).tolist() == [a]
    assert HammingIndex([a, b], 3, masks=masks).find_all()[2].tolist() == [3]
