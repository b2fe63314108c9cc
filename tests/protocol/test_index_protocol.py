"""The index against a dict of lists: in memory, reopened, compacted; same answers, same order."""

import numpy as np
import pytest
from oracles.lsh import NaiveLsh

from txtfp_np.index import LshIndex
from txtfp_np.schema import minhash_dtype

pytest.importorskip("hypothesis")
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

H, BANDS, ROWS = 12, 4, 3


def records(slots):
    array = np.zeros(len(slots), minhash_dtype(H))
    array["schema"] = 1
    array["hashes"] = np.array(slots, np.uint64).reshape(len(slots), H)
    return array


# two values a slot: many shared bands, many equal signatures
slots = st.lists(st.sampled_from([0, 2**64 - 1]), min_size=H, max_size=H)
ids = st.integers(0, 30) | st.sampled_from([2**64 - 1, 2**63])


class Machine(RuleBasedStateMachine):
    @initialize(tmp=st.uuids())
    def start(self, tmp):
        import tempfile

        self.folder = tempfile.mkdtemp()
        self.index = LshIndex(BANDS, ROWS, H)
        self.naive = NaiveLsh(BANDS, ROWS)
        self.saved = None

    @rule(id=ids, sig=slots)
    def insert_one(self, id, sig):
        self.index.insert(id, records([sig])[0])
        self.naive.insert(id, sig)

    @rule(rows=st.lists(st.tuples(ids, slots), max_size=40), repeat=st.sampled_from([1, 1, 1, 40]))
    def insert_many(self, rows, repeat):
        rows = rows * repeat
        self.index.insert([id for id, _ in rows], records([sig for _, sig in rows]))
        for id, sig in rows:
            self.naive.insert(id, sig)

    @rule(id=ids)
    def remove(self, id):
        record, expected = self.index.remove(id), self.naive.remove(id)
        assert (record is None) == (expected is None)
        if record is not None:
            assert record["hashes"].tolist() == expected

    @rule(chosen=st.lists(ids, max_size=5))
    def remove_many(self, chosen):
        there = {id for id in chosen if self.naive.remove(id) is not None}
        assert self.index.remove_many(chosen) == len(there)

    @rule()
    def save(self):
        self.index.save(self.folder)
        self.saved = True

    @precondition(lambda self: self.saved)
    @rule()
    def reopen(self):
        self.index.save(self.folder)
        self.index = LshIndex.open(self.folder)
        self.index.verify()

    @rule()
    def compact(self):
        self.index.compact()

    @rule(sig=slots, needed=st.integers(0, H))
    def ask(self, sig, needed):
        probe = records([sig])
        assert self.index.query(probe[0]).tolist() == self.naive.query(sig)
        expected = self.naive.query_with(sig, needed)
        assert self.index.query_with_threshold(probe[0], needed / H).tolist() == expected
        many = np.repeat(probe, 40)
        indptr, found = self.index.query_with_threshold(many, needed / H, threads=2)
        assert np.diff(indptr).tolist() == [len(expected)] * 40
        assert found.tolist() == expected * 40

    @rule(needed=st.integers(0, H))
    def join(self, needed):
        pairs = self.index.self_join(needed / H)
        found = {frozenset((int(p["a"]), int(p["b"]))) for p in pairs}
        assert len(found) == len(pairs)
        every = self.naive.pairs(needed)
        assert found <= every
        assert components(found, self.naive.slots) == components(every, self.naive.slots)
        of = {}
        for id, sig in self.naive.slots.items():
            of.setdefault(tuple(sig), id)
        firsts = set(of.values())
        assert {pair for pair in every if pair <= firsts} <= found
        for pair in pairs:
            equal = self.naive.equal(int(pair["a"]), self.naive.slots[int(pair["b"])])
            assert pair["similarity"] == np.float32(equal) / np.float32(H)

    @invariant()
    def same_ids(self):
        assert len(self.index) == len(self.naive.slots)
        assert list(self.index) == list(self.naive.slots)


def components(pairs, ids):
    group = {id: {id} for id in ids}
    for a, b in map(tuple, pairs):
        if group[a] is not group[b]:
            joined = group[a] | group[b]
            for member in joined:
                group[member] = joined
    return {frozenset(members) for members in group.values()}


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
