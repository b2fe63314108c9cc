"""Kernels of measures: compiled once whatever comes in; long sequences; beside plain Python."""

import json
import random
import subprocess
import sys

import numpy as np
import pytest
from oracles import measures as oracle

import txtfp_np as tx

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

MIXED = """
import json, sys
import numpy as np
import txtfp_np as tx

numbers = np.arange(12)
rows = [["ab", "b", ""], "text", b"bytes", tx.TextColumn(["a", "b", "c"])[1:], [[1, 2], [3]], [1, -2],
        np.arange(6, dtype=np.uint8).reshape(2, 3), np.arange(6, dtype=">i2").reshape(2, 3)[:, ::-1],
        tx.Ragged(numbers, [0, 5, 12]), tx.Ragged(numbers.astype(np.int32), np.array([2, 2, 9], np.int32)),
        tx.WordTokenizer().tokens(["one two", "three"]), np.array([b"a", b"bc"])]
for one in rows:
    given = tx.Ragged.of(one)
    for measure in (tx.levenshtein, tx.levenshtein_similarity, tx.set_jaccard, tx.multiset_jaccard):
        measure(given[..., None], given)
        measure(given, "other")
for name in ("levenshtein", "set_jaccard", "multiset_jaccard"):
    getattr(tx, name + "_pairs")(rows[0], np.array([0, 1], np.int32), 2)
matrix = np.arange(12.0).reshape(3, 4)
layouts = matrix, matrix.astype(np.float32), matrix.astype(int), np.asfortranarray(matrix), matrix[::-1, ::2], matrix[0]
for x in layouts:
    for measure in (tx.cosine, tx.manhattan, tx.mahalanobis):
        measure(x, x)
        measure(x[..., None, :], x)
        measure(x, x[..., None, :])
    tx.mahalanobis(x, x, covariance=np.ones(x.shape[-1]))
    tx.mahalanobis(x, x, covariance=np.eye(x.shape[-1]))
tx.cosine_pairs(matrix, [0], [1])

from txtfp_np.kernels import edits, sets, vectors
kernels = [edits.levenshtein_pairs, sets.distinct_sets, sets.sorted_runs, sets.common_of_two, vectors.vector_pairs,
           vectors.vector_tile, vectors.direction_rows]
json.dump({kernel.__name__: [str(signature) for signature in kernel.signatures] for kernel in kernels}, sys.stdout)
"""


def test_each_kernel_compiles_once():
    import numba

    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    done = subprocess.run([sys.executable, "-W", "error", "-c", MIXED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    signatures = json.loads(done.stdout)
    assert len(signatures) == 7
    assert {name: len(found) for name, found in signatures.items()} == dict.fromkeys(signatures, 1), signatures


lists = st.lists(st.one_of(st.integers(0, 3), st.sampled_from([2**64 - 1, 2**63])), max_size=150)


@hypothesis.given(lists, lists)
def test_any_two_sequences(a, b):
    pair = tx.Ragged.of([np.array(a, np.uint64), np.array(b, np.uint64)])
    assert tx.levenshtein_pairs(pair, 0, 1) == oracle.levenshtein(a, b)
    assert tx.set_jaccard_pairs(pair, 0, 1) == np.float32(oracle.set_jaccard(a, b))
    assert tx.multiset_jaccard_pairs(pair, 0, 1) == np.float32(oracle.multiset_jaccard(a, b))


@hypothesis.given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_levenshtein_is_a_distance(a, b, c):
    ab, bc, ac = (int(tx.levenshtein(x, y)) for x, y in ((a, b), (b, c), (a, c)))
    assert ac <= ab + bc
    assert (ab == 0) == (a == b)
    assert ab == tx.levenshtein(b, a)
    assert abs(len(a) - len(b)) <= ab <= max(len(a), len(b))


def test_long_sequences_take_little_memory():
    """Hundreds of blocks, with more symbols than any table of all of them should hold."""
    rng = random.Random(1)
    a = [rng.randrange(2**40) for _ in range(30_000)]
    b = list(a)
    edits = sorted(rng.sample(range(len(a)), 60), reverse=True)
    for at in edits[:20]:
        b[at] = -at - 1  # a symbol that is nowhere else
    for at in edits[20:40]:
        del b[at]
    for at in edits[40:]:
        b.insert(at, -at - 1)
    found = tx.levenshtein_pairs([a, b], 0, 1)
    assert 40 <= found <= 60
    assert found == tx.levenshtein_pairs([b, a], 0, 1)
