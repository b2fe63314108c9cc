"""The Bloom index against sets of band keys, which make no mistakes: neither do filters that are far too large."""

import pickle
import shutil
import tempfile

import pytest
from index_kinds import BANDS, ROWS, H, records
from oracles.lsh import band_keys

from txtfp_np.index import BloomLsh

pytest.importorskip("hypothesis")
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

slots = st.lists(st.sampled_from([0, 1, 2, 2**64 - 1]), min_size=H, max_size=H)
columns = st.lists(slots, max_size=12)


class Machine(RuleBasedStateMachine):
    @initialize()
    def start(self):
        self.folder = tempfile.mkdtemp()
        self.index = BloomLsh(BANDS, ROWS, H, capacity=10_000, error_rate=1e-12, config_hash=9)
        self.seen = [set() for _ in range(BANDS)]
        self.n = 0
        self.saved = False

    def teardown(self):
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def is_known(self, item):
        return any(key in seen for key, seen in zip(band_keys(item, BANDS, ROWS), self.seen, strict=True))

    def put(self, item):
        self.n += 1
        for key, seen in zip(band_keys(item, BANDS, ROWS), self.seen, strict=True):
            seen.add(key)

    @rule(items=columns)
    def add(self, items):
        self.index.add(records(items), config_hash=9)
        for item in items:
            self.put(item)

    @rule(items=columns)
    def add_if_new(self, items):
        found = self.index.add_if_new(records(items), config_hash=9)
        for item, known in zip(items, found.tolist(), strict=True):
            assert known == self.is_known(item)
            if not known:
                self.put(item)

    @rule(items=columns)
    def contains(self, items):
        assert self.index.contains(records(items)).tolist() == [self.is_known(item) for item in items]
        assert len(self.index) == self.n

    @rule()
    def save(self):
        self.index.save(self.folder)
        self.saved = True

    @precondition(lambda self: self.saved)
    @rule()
    def reopen(self):
        self.index.save(self.folder)
        self.index = BloomLsh.open(self.folder)
        self.index.verify()
        assert (self.index.capacity, self.index.error_rate, self.index.config_hash) == (10_000, 1e-12, 9)

    @rule()
    def compact(self):
        self.index.compact()

    @rule()
    def copy(self):
        self.index = pickle.loads(pickle.dumps(self.index))
        self.saved = False


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
