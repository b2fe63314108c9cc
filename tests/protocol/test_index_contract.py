"""One contract for every kind of index and every state of it, against naive indexes in plain Python.

In memory; reopened from disk; appended to after reopening, and saved again; compacted, in memory and on
disk; pickled: an index answers the same in all of them.
"""

import pickle

import numpy as np
import pytest
from index_kinds import CONFIG_HASH, KINDS, Slots, check_answers

N, N_PROBES = 500, 120


def in_memory(kind, items, folder):
    return kind.filled(items)


def in_steps(kind, items, folder):
    index = kind.new()
    for first in range(0, len(items), 61):
        kind.insert(index, items[first : first + 61], first)
        kind.ask(index, items[:3])  # kinds that build when asked build many small parts
    return index


def reopened(kind, items, folder):
    kind.filled(items).save(folder)
    return kind.cls.open(folder)


def appended(kind, items, folder):
    half = len(items) // 2
    index = reopened(kind, items[:half], folder)
    kind.insert(index, items[half:], half)
    index.save(folder)
    return kind.cls.open(folder)


def replaced(kind, items, folder):
    """In a folder that held something else."""
    kind.filled(kind.items(30, seed=77)).save(folder)
    return reopened(kind, items, folder)


def compacted(kind, items, folder):
    index = in_steps(kind, items, folder)
    index.compact()
    return index


def compacted_on_disk(kind, items, folder):
    index = appended(kind, items, folder)
    index.compact()
    return kind.cls.open(folder)


def pickled(kind, items, folder):
    return pickle.loads(pickle.dumps(kind.filled(items)))


def pickled_from_disk(kind, items, folder):
    return pickle.loads(pickle.dumps(reopened(kind, items, folder)))


ANYWHERE = [in_memory, in_steps, pickled]
ON_DISK = [reopened, appended, replaced, compacted, compacted_on_disk, pickled_from_disk]
CASES = [
    pytest.param(kind, state, id=f"{kind.name}-{state.__name__}")
    for kind in KINDS
    for state in ANYWHERE + ON_DISK * kind.stored
]
every_state = pytest.mark.parametrize(("kind", "state"), CASES)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def both(kind, state, items, folder):
    """The index in a state, and the naive one."""
    naive = kind.naive()
    naive.put(items, 0)
    return state(kind, items, folder), naive


def probes_for(kind, items):
    return items[: N_PROBES // 2] + kind.items(N_PROBES, seed=5)


@every_state
def test_finds_what_it_must_and_nothing_else(kind, state, tmp_path):
    items = kind.items(N)
    index, naive = both(kind, state, items, tmp_path / "index")
    expected = naive.answers(probes_for(kind, items))
    assert any(expected)
    assert not all(expected)  # there is something to be found, and something not
    check_answers(kind, index, naive, probes_for(kind, items))
    assert len(index) == len(naive)


@every_state
def test_nothing_in_it(kind, state, tmp_path):
    index, naive = both(kind, state, [], tmp_path / "index")
    assert len(index) == 0
    assert kind.ask(index, []) == []
    assert kind.ask(index, kind.items(3)) == naive.answers(kind.items(3))
    kind.insert(index, kind.items(4), 0)
    naive.put(kind.items(4), 0)
    check_answers(kind, index, naive, kind.items(8))
    assert len(index) == len(naive)


@every_state
def test_equal_items(kind, state, tmp_path):
    items = kind.items(20) * 8
    index, naive = both(kind, state, items, tmp_path / "index")
    check_answers(kind, index, naive, kind.items(40))
    assert len(index) == len(naive)


@every_state
def test_removal(kind, state, tmp_path):
    if not kind.removes:
        assert not hasattr(index_of(kind), "remove")
        return
    items = kind.items(N)
    index, naive = both(kind, state, items, tmp_path / "index")
    for numbers in ([0], [7, 8, 9], list(range(N // 3, N)), [1, 2, 1]):
        before = len(naive)
        for number in numbers:
            naive.drop(number)
        assert kind.remove(index, numbers) == before - len(naive)
        check_answers(kind, index, naive, probes_for(kind, items))
        assert len(index) == len(naive)
    assert kind.remove(index, [0]) == 0  # it is gone
    kind.insert(index, items[:5], N)
    naive.put(items[:5], N)
    check_answers(kind, index, naive, probes_for(kind, items))
    for number in range(N + 5):
        naive.drop(number)
    kind.remove(index, list(range(N + 5)))
    assert len(index) == 0
    check_answers(kind, index, naive, probes_for(kind, items)[:20])


def index_of(kind, n=0):
    return kind.filled(kind.items(n))


@pytest.mark.parametrize(
    ("kind", "state"), [case for case in CASES if case.values[1] in ON_DISK and case.values[0].removes]
)
def test_removals_are_saved(kind, state, tmp_path):
    items = kind.items(N)
    index, naive = both(kind, state, items, tmp_path / "index")
    kind.remove(index, list(range(0, N, 4)))
    for number in range(0, N, 4):
        naive.drop(number)
    index.save(tmp_path / "index")
    again = kind.cls.open(tmp_path / "index")
    check_answers(kind, again, naive, probes_for(kind, items))
    again.compact()
    check_answers(kind, again, naive, probes_for(kind, items))
    check_answers(kind, kind.cls.open(tmp_path / "index"), naive, probes_for(kind, items))
    assert len(again) == len(naive)


@every_state
def test_shapes_and_dtypes(kind, state, tmp_path):
    items = kind.items(50)
    index = state(kind, items, tmp_path / "index")
    for n in (0, 1, 9):
        raw = kind.raw(index, kind.array(items[:n]))
        if kind.name == "tables":
            assert [part.dtype for part in raw[0]] == [np.uint64] * n
            continue
        assert tuple(part.dtype for part in raw) == kind.answer_dtypes
        assert all(part.ndim == 1 and part.flags.c_contiguous for part in raw)
        if len(raw) == 1:
            assert len(raw[0]) == n
            continue
        assert raw[0][0] == 0
        assert len(raw[0]) == n + 1
        assert (np.diff(raw[0]) >= (1 if n else 0)).all()  # each is its own neighbour
        assert all(len(part) == raw[0][-1] for part in raw[1:])


@every_state
def test_one_probe_and_an_array_of_one(kind, state, tmp_path):
    items = kind.items(80)
    index = state(kind, items, tmp_path / "index")
    if kind.name == "tables":
        assert [table.find_first(items[3]) for table in index.tables] == [
            table.find(items[3])[0] for table in index.tables
        ]
        return
    for probe in kind.array([*items[:5], *kind.items(5, seed=9)]):
        alone, of_one = kind.raw(index, probe), kind.raw(index, probe[None])
        if kind.name in ("lsh", "embedding-exact"):  # one has no rows to point to
            of_one = of_one[1:]
        elif kind.name == "bloom":
            of_one = (of_one[0][0],)
            assert isinstance(alone[0], np.bool_)
        for left, right in zip(alone, of_one, strict=True):
            assert np.array_equal(left, right)


@every_state
def test_threads_do_not_matter(kind, state, tmp_path):
    if kind.name == "tables":
        assert len(index_of(kind, 9).tables) == 10  # has none: tables are spread by their user
        return
    items = kind.items(300)
    index = state(kind, items, tmp_path / "index")
    probes = kind.array(kind.items(3000, seed=3) * 8)  # several blocks
    one = kind.raw(index, probes, threads=1)
    for threads in (2, 5, None):
        for left, right in zip(one, kind.raw(index, probes, threads=threads), strict=True):
            assert np.array_equal(left, right)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if isinstance(kind, Slots)], ids=str)
def test_threads_of_insertions_do_not_matter(kind):
    items, probes = kind.items(6000), kind.array(kind.items(200, seed=4))
    one, many = kind.new(), kind.new()
    kind.insert(one, items, 0, threads=1)
    kind.insert(many, items, 0, threads=3)
    for left, right in zip(kind.raw(one, probes), kind.raw(many, probes), strict=True):
        assert np.array_equal(left, right)


@every_kind
def test_one_by_one_is_all_at_once(kind):
    items = kind.items(60)
    index, naive = kind.new(), kind.naive()
    for number, item in enumerate(items):
        kind.insert(index, [item], number)
        naive.put([item], number)
        check_answers(kind, index, naive, [item, items[0], items[-1]])
    check_answers(kind, kind.filled(items), naive, items)


@every_state
def test_a_copy_is_on_its_own(kind, state, tmp_path):
    items = kind.items(100)
    index, naive = both(kind, state, items[:60], tmp_path / "index")
    copy = pickle.loads(pickle.dumps(index))
    kind.insert(copy, items[60:], 60)
    check_answers(kind, index, naive, items)
    assert len(index) == len(naive)
    naive.put(items[60:], 60)
    check_answers(kind, copy, naive, items)
    assert len(copy) == len(naive)


@pytest.mark.parametrize(("kind", "state"), [case for case in CASES if case.values[0].hashed])
def test_the_config_hash_stays_with_it(kind, state, tmp_path):
    items = kind.items(20)
    index = state(kind, items, tmp_path / "index")
    assert index.config_hash == CONFIG_HASH
    kind.raw(index, kind.array(items), config_hash=CONFIG_HASH)
    for refused in (
        lambda: kind.raw(index, kind.array(items), config_hash=CONFIG_HASH + 1),
        lambda: kind.insert(index, items, 0, config_hash=CONFIG_HASH + 1),
    ):
        with pytest.raises(ValueError, match="config_hash"):
            refused()
    assert len(index) == 20
