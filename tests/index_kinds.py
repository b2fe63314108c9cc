"""Every kind of index behind one small interface, so that one contract can be asked of all of them.

A kind makes an empty index, items for it as plain Python values, and a naive index in plain Python.
Items are numbered in the order in which they were put in; removal is by that number.
"""

import random
from itertools import pairwise

import numpy as np
from oracles import hamming as naive_hamming
from oracles.cosine import cosine
from oracles.lsh import NaiveLsh

from txtfp_np import EmbeddingIndex
from txtfp_np.index import BloomLsh, HammingIndex, LshIndex, PermutedTable
from txtfp_np.schema import minhash_dtype

H, BANDS, ROWS = 12, 4, 3
CONFIG_HASH = 0xFEED
WORD = (1 << 64) - 1
ERROR_RATE = 0.01


def csr_rows(indptr, *columns):
    """Rows of a CSR answer as lists: of values, or of tuples for several columns."""
    values = [column.tolist() for column in columns]
    rows = values[0] if len(values) == 1 else list(zip(*values, strict=True))
    return [rows[begin:end] for begin, end in pairwise(indptr.tolist())]


def records(items, h=H):
    """Signatures of slots."""
    array = np.zeros(len(items), minhash_dtype(h))
    array["schema"] = 1
    array["hashes"] = np.array(items, np.uint64).reshape(len(items), h)
    return array


class Kind:
    """What kinds have in common."""

    name = ""
    cls: type = object
    stored = True  # save, open, verify, compact
    removes = True
    hashed = False  # config_hash
    exact = True  # answers are exactly those of the naive index
    answer_dtypes: tuple = ()

    def __repr__(self):
        return self.name

    def filled(self, items):
        index = self.new()
        self.insert(index, items, 0)
        return index

    def ask(self, index, probes, **options):
        """Answers to probes, one plain Python value each."""
        return self.plain(self.raw(index, self.array(probes), **options))


class Slots(Kind):
    """Kinds that hold MinHash signatures: slots of few values, so that bands are shared now and then."""

    hashed = True

    def items(self, n, seed=0):
        rng = random.Random(seed)
        return [tuple(rng.randrange(9) * (WORD // 8) for _ in range(H)) for _ in range(n)]

    def array(self, items):
        return records(items)


class Lsh(Slots):
    name, cls = "lsh", LshIndex
    answer_dtypes = (np.int64, np.uint64, np.float32)

    def id(self, number):
        return WORD - 3 * number  # above 2**63, and descending: nothing sorts itself

    def new(self):
        return LshIndex(BANDS, ROWS, H, config_hash=CONFIG_HASH)

    def insert(self, index, items, first, **options):
        index.insert([self.id(first + i) for i in range(len(items))], records(items), **options)

    def remove(self, index, numbers):
        return index.remove_many([self.id(number) for number in numbers])

    def raw(self, index, array, **options):
        return index.query(array, return_similarity=True, **options)

    def plain(self, raw):
        return csr_rows(*raw)

    def naive(self):
        return _NaiveSlots(self)

    def naive_answer(self, naive, probe):
        return [(id, float(np.float32(naive.equal(id, probe) / H))) for id in naive.query(probe)]


class Bloom(Slots):
    name, cls, removes, exact = "bloom", BloomLsh, False, False
    answer_dtypes = (np.bool_,)

    def id(self, number):
        return number

    def new(self, capacity=2000):
        return BloomLsh(BANDS, ROWS, H, capacity=capacity, error_rate=ERROR_RATE, config_hash=CONFIG_HASH)

    def insert(self, index, items, first, **options):
        index.add(records(items), **options)

    def raw(self, index, array, **options):
        return (index.contains(array, **options),)

    def plain(self, raw):
        return raw[0].tolist()

    def naive(self):
        return _NaiveSlots(self)

    def naive_answer(self, naive, probe):
        return bool(naive.query(probe))


class _NaiveSlots(NaiveLsh):
    def __init__(self, kind):
        super().__init__(BANDS, ROWS)
        self.kind = kind

    def put(self, items, first):
        for number, item in enumerate(items, first):
            self.insert(self.kind.id(number), item)

    def drop(self, number):
        self.remove(self.kind.id(number))

    def answers(self, probes):
        return [self.kind.naive_answer(self, probe) for probe in probes]

    def __len__(self):
        return len(self.slots)


class Hamming(Kind):
    cls, hashed = HammingIndex, True
    answer_dtypes = (np.int64, np.int64, np.uint8)

    def __init__(self, bits, distance=3):
        self.name, self.bits, self.distance = f"hamming{bits}", bits, distance

    def new(self):
        return HammingIndex(max_distance=self.distance, bits=self.bits, config_hash=CONFIG_HASH)

    def items(self, n, seed=0):
        """Values of which most are a few bits away from one of 40."""
        rng = random.Random(seed)
        middles = [random.Random(i).getrandbits(self.bits) for i in range(40)]
        return [
            rng.choice(middles) ^ sum(1 << bit for bit in rng.sample(range(self.bits), rng.randrange(5)))
            for _ in range(n)
        ]

    def array(self, items):
        if self.bits == 128:
            return np.array([[item & WORD, item >> 64] for item in items], np.uint64).reshape(-1, 2)
        return np.array(items, np.uint64)

    def insert(self, index, items, first, **options):
        assert index.insert(self.array(items), **options).tolist() == list(range(first, first + len(items)))

    def remove(self, index, numbers):
        return index.remove(numbers)

    def raw(self, index, array, **options):
        return index.query(array, **options)

    def plain(self, raw):
        return csr_rows(*raw)

    def naive(self):
        return _NaiveHamming(self.distance)


class _NaiveHamming:
    def __init__(self, distance):
        self.distance, self.values, self.gone = distance, [], set()

    def put(self, items, first):
        assert first == len(self.values)
        self.values += items

    def drop(self, number):
        self.gone.add(number)

    def answers(self, probes):
        found = naive_hamming.query(self.values, probes, self.distance)
        return [[hit for hit in hits if hit[0] not in self.gone] for hits in found]

    def pairs(self):
        found = naive_hamming.find_all(self.values, self.distance)
        return [(i, j, d) for i, j, d in found if i not in self.gone and j not in self.gone]

    def __len__(self):
        return len(self.values) - len(self.gone)


class Tables(Kind):
    """All permuted tables of 5 blocks, two of which may differ; a set of values, without files."""

    name, cls, stored = "tables", PermutedTable, False
    answer_dtypes = (np.uint64,)

    def __init__(self):
        self.values = Hamming(64, 2)

    def new(self):
        return _AllTables(PermutedTable.tables(5, 2))

    def items(self, n, seed=0):
        return self.values.items(n, seed)

    def array(self, items):
        return np.array(items, np.uint64)

    def insert(self, index, items, first):
        index.given[first:] = items
        for table in index.tables:
            table.insert(self.array(items))

    def remove(self, index, numbers):
        before = len(index)
        for table in index.tables:
            table.remove(self.array([index.given[number] for number in numbers]))
        return before - len(index)

    def raw(self, index, array):
        return ([np.unique(np.concatenate([table.find(probe) for table in index.tables])) for probe in array],)

    def plain(self, raw):
        return [found.tolist() for found in raw[0]]

    def naive(self):
        return _NaiveSet()


class _AllTables:
    def __init__(self, tables):
        self.tables, self.given = tables, []

    def __len__(self):
        sizes = {len(table) for table in self.tables}
        assert len(sizes) == 1
        return sizes.pop()


class _NaiveSet:
    def __init__(self):
        self.given, self.values = [], set()

    def put(self, items, first):
        self.given[first:] = items
        self.values |= set(items)

    def drop(self, number):
        self.values.discard(self.given[number])

    def answers(self, probes):
        values = sorted(self.values)
        return [[value for value in values if (value ^ probe).bit_count() <= 2] for probe in probes]

    def __len__(self):
        return len(self.values)


class Embedding(Kind):
    """Directions of few values, some of them equal up to their length."""

    cls = EmbeddingIndex
    answer_dtypes = (np.int64, np.uint64, np.float32)
    least, dim = np.float32(0.95), 6

    def __init__(self, search):
        self.name, self.search, self.exact = f"embedding-{search}", search, search == "exact"

    def id(self, number):
        return WORD - 3 * number

    def new(self):
        return EmbeddingIndex(search=self.search)

    def items(self, n, seed=0):
        rng = random.Random(seed)
        return [tuple(rng.choice((-5, -2, 1, 3)) for _ in range(self.dim)) for _ in range(n)]

    def array(self, items):
        return np.array(items, np.float32).reshape(-1, self.dim)

    def insert(self, index, items, first, **options):
        ids = [self.id(first + i) for i in range(len(items))]
        assert index.insert(self.array(items), ids, **options).tolist() == ids

    def remove(self, index, numbers):
        return index.remove([self.id(number) for number in numbers])

    def raw(self, index, array, **options):
        return index.query(array, k=None, threshold=self.least, return_similarity=True, **options)

    def plain(self, raw):
        return csr_rows(*raw)

    def naive(self):
        return _NaiveEmbeddings(self)


class _NaiveEmbeddings:
    def __init__(self, kind):
        self.kind, self.vectors = kind, {}

    def put(self, items, first):
        self.vectors |= {self.kind.id(number): item for number, item in enumerate(items, first)}

    def drop(self, number):
        self.vectors.pop(self.kind.id(number), None)

    def answers(self, probes):
        return [self.answer(probe) for probe in probes]

    def answer(self, probe):
        found = [(id, float(np.float32(cosine(probe, vector)))) for id, vector in self.vectors.items()]
        near = [hit for hit in found if hit[1] >= self.kind.least]
        return sorted(near, key=lambda hit: -hit[1])

    def __len__(self):
        return len(self.vectors)


KINDS = [Lsh(), Hamming(64), Hamming(128), Bloom(), Embedding("exact"), Tables()]
STORED = [kind for kind in KINDS if kind.stored]
BY_NAME = {kind.name: kind for kind in KINDS}


def check_answers(kind, index, naive, probes, **options):
    """What it must find and nothing else; a Bloom index may err to one side, as often as it says."""
    found, expected = kind.ask(index, probes, **options), naive.answers(probes)
    if kind.exact:
        assert found == expected
        return
    assert all(found[i] for i, known in enumerate(expected) if known)
    strangers = [i for i, known in enumerate(expected) if not known]
    mistakes = sum(found[i] for i in strangers)
    allowed = ERROR_RATE * len(strangers)
    assert mistakes <= allowed + 5 * (allowed + 1) ** 0.5
