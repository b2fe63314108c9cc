"""The Hamming index against a list: in memory, reopened, compacted, copied; whatever happens to it in which order."""

import pickle
import shutil
import tempfile
from itertools import pairwise

import pytest
from index_kinds import Hamming
from oracles import hamming as oracle

from txtfp_np.index import HammingIndex

pytest.importorskip("hypothesis")
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

K = 3


def listed(found):
    return list(zip(*(part.tolist() for part in found), strict=True))


def values(bits):
    """A few bits away from one of four values: many equal ones, many at the largest distance, many beyond."""
    middles = st.sampled_from([0, (1 << bits) - 1, (1 << bits) // 3, (1 << bits - 1) + 1])
    flips = st.sets(st.integers(0, bits - 1), max_size=3)
    return st.builds(lambda middle, bits: middle ^ sum(1 << bit for bit in bits), middles, flips)


class Machine(RuleBasedStateMachine):
    bits = 64

    @initialize(data=st.data(), blocks=st.sampled_from([None, 4, 7]))
    def start(self, data, blocks):
        self.kind = Hamming(self.bits, K)
        self.folder = tempfile.mkdtemp()
        self.saved = False
        self.blocks = blocks
        self.naive = self.kind.naive()
        given = data.draw(st.lists(values(self.bits), max_size=10))
        self.index = HammingIndex(self.kind.array(given), K, blocks, bits=self.bits, config_hash=9)
        self.naive.put(given, 0)

    def teardown(self):
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    @rule(data=st.data(), repeat=st.sampled_from([1, 1, 1, 20]))
    def insert(self, data, repeat):
        given = data.draw(st.lists(values(self.bits), max_size=6)) * repeat
        first = len(self.naive.values)
        self.kind.insert(self.index, given, first, config_hash=9)
        self.naive.put(given, first)

    @precondition(lambda self: self.naive.values)
    @rule(data=st.data())
    def remove(self, data):
        chosen = data.draw(st.lists(st.integers(0, len(self.naive.values) - 1), max_size=8))
        assert self.index.remove(chosen) == len(set(chosen) - self.naive.gone)
        for position in chosen:
            self.naive.drop(position)

    @precondition(lambda self: self.naive.values)
    @rule(data=st.data())
    def remove_most(self, data):
        keep = data.draw(st.sets(st.integers(0, len(self.naive.values) - 1), max_size=2))
        chosen = [position for position in range(len(self.naive.values)) if position not in keep]
        assert self.index.remove(chosen) == len(set(chosen) - self.naive.gone)
        self.naive.gone.update(chosen)

    @rule()
    def save(self):
        self.index.save(self.folder)
        self.saved = True

    @precondition(lambda self: self.saved)
    @rule()
    def reopen(self):
        self.index.save(self.folder)
        self.index = HammingIndex.open(self.folder)
        self.index.verify()

    @rule()
    def move(self):
        """Save elsewhere, and go on from there."""
        before, self.folder = self.folder, tempfile.mkdtemp()
        self.index.save(self.folder)
        self.saved = True
        shutil.rmtree(before)

    @rule()
    def compact(self):
        self.index.compact()

    @rule()
    def copy(self):
        self.index = pickle.loads(pickle.dumps(self.index))
        self.saved = False
        shutil.rmtree(self.folder)
        self.folder = tempfile.mkdtemp()

    @rule(data=st.data(), k=st.integers(0, K))
    def query(self, data, k):
        probes = data.draw(st.lists(values(self.bits), max_size=4)) + self.naive.values[:2]
        found = self.kind.plain(self.index.query(self.kind.array(probes), k=k, config_hash=9))
        expected = oracle.query(self.naive.values, probes, k)
        assert found == [[hit for hit in hits if hit[0] not in self.naive.gone] for hits in expected]

    @rule(distinct=st.booleans())
    def find_all(self, distinct):
        there = [i for i in range(len(self.naive.values)) if i not in self.naive.gone]
        pairs = oracle.find_all([self.naive.values[i] for i in there], K, distinct)
        assert listed(self.index.find_all(distinct=distinct)) == [(there[i], there[j], d) for i, j, d in pairs]

    @rule()
    def find_clusters(self):
        clusters = self.index.find_clusters()
        parts = [clusters.positions[a:b].tolist() for a, b in pairwise(clusters.indptr)]
        assert parts == oracle.clusters(len(self.naive.values), self.naive.pairs())

    @invariant()
    def same_values(self):
        assert len(self.index) == len(self.naive)
        assert (self.index.bits, self.index.blocks, self.index.config_hash) == (self.bits, self.blocks, 9)
        assert self.index.fingerprints.tolist() == self.kind.array(self.naive.values).tolist()


class WideMachine(Machine):
    bits = 128


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestWideMachine = WideMachine.TestCase
TestWideMachine.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
