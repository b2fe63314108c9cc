"""PermutedTable: one table of seomoz' first generation."""

import numpy as np
import pytest

from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.index import PermutedTable, permutations

MASKS = [0x1FF, *(0x7FF << place for place in (9, 20, 31, 42, 53))]


@pytest.mark.parametrize("masks", [None, MASKS])
@pytest.mark.parametrize("combination", permutations(6, 3))
def test_unpermute_is_the_inverse(combination, masks):
    table = PermutedTable(6, combination, masks=masks)
    values = np.random.default_rng(0).integers(0, 1 << 64, 100, np.uint64, endpoint=False)
    keys = table.permute(values)
    assert keys.dtype == np.uint64
    assert np.array_equal(table.unpermute(keys), values)
    assert np.array_equal(np.bitwise_count(keys), np.bitwise_count(values))


def test_a_single_value_stays_single():
    table = PermutedTable(6, (0, 1, 2))
    assert isinstance(table.permute(5), np.uint64)
    assert table.unpermute(table.permute(5)) == 5


def test_a_table_is_a_set_in_permuted_order():
    table = PermutedTable(4, (0,), [3 << 60, 1, 2, 1])
    assert len(table) == 3
    keys = list(table)
    assert keys == sorted(keys) == table.keys.tolist()
    assert keys == sorted(table.permute([3 << 60, 1, 2]).tolist())
    table.insert([1, 9])
    assert len(table) == 4
    table.insert(7)
    table.remove([9, 7, 12345])
    assert sorted(table.unpermute(table.keys).tolist()) == [1, 2, 3 << 60]
    table.remove(1)
    assert len(table) == 2


def test_find_is_in_permuted_order_and_zero_can_be_found():
    table = PermutedTable(4, (3,), [0, 0b1111, 0b11, 1 << 48])
    assert table.find(1).tolist() == [0, 0b11, 0b1111]
    assert table.find_first(1) == 0
    assert table.find_first(0b111_0000) == 0
    assert table.find_first(0b1111_0000) is None


def test_a_table_finds_only_what_agrees_in_its_leading_blocks():
    assert PermutedTable(4, (3,), [0]).find(1).tolist() == [0]
    assert PermutedTable(4, (0,), [0]).find(1).tolist() == []


@pytest.mark.parametrize(("blocks", "distance", "n"), [(6, 3, 20), (5, 3, 10), (4, 3, 4), (7, 2, 21), (1, 0, 1)])
def test_number_of_tables(blocks, distance, n):
    assert len(permutations(blocks, distance)) == n


@pytest.mark.parametrize(("blocks", "distance"), [(65, 3), (3, 3), (2, 3), (0, 0), (4, -1), (4.0, 1)])
def test_impossible_blocks(blocks, distance):
    with pytest.raises(ConfigError):
        permutations(blocks, distance)


@pytest.mark.parametrize("combination", [(), (0, 0), (6,), (-1,), (1.0,), ("a",)])
def test_impossible_combinations(combination):
    with pytest.raises(ConfigError, match="combination"):
        PermutedTable(6, combination)


def test_masks_must_fit():
    with pytest.raises(ConfigError, match="masks"):
        PermutedTable(5, (0, 1), masks=MASKS)
    with pytest.raises(ConfigError, match="masks"):
        PermutedTable(6, (0, 1, 2), masks=MASKS[:-1])


def test_no_fingerprints():
    with pytest.raises(InvalidInputError):
        PermutedTable(6, (0, 1, 2), [1.5])
    with pytest.raises(InvalidInputError):
        PermutedTable(6, (0, 1, 2)).find("x")


def test_shards_need_a_leading_byte():
    with pytest.raises(ConfigError, match="8 leading bits"):
        PermutedTable(64, (0, 1), [1]).shards()


def test_shards_of_nothing():
    assert PermutedTable(6, (0, 1, 2)).shards() == {}


def test_repr():
    assert repr(PermutedTable(6, (0, 1, 2), [1])) == "PermutedTable(blocks=6, combination=(0, 1, 2), 1 fingerprints)"
