"""``txtfp warmup``: compile every kernel once, so that no later first call has to."""

from __future__ import annotations

import argparse
import time
from typing import Any

#: Text that takes every road: ASCII, a mark to compose, Hangul, a ligature, an emoji.
SAMPLE = "Plain ASCII words, e\u0301 \u1112\u1161\u11ab ﬁne 日本 😀 " * 3


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "warmup", help="compile every kernel once and keep it on disk"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Call everything that has a kernel behind it."""
    begin = time.perf_counter()
    warm_up()
    print(f"compiled in {time.perf_counter() - begin:.1f} s")
    return 0


def warm_up() -> None:
    """Call every public function that runs a kernel, on a little text."""
    import numpy as np

    import txtfp_np as tx
    from txtfp_np.sketch.giant import GIANT_BYTES

    texts = [SAMPLE, "another text"]
    giant = SAMPLE * (1 + GIANT_BYTES // len(SAMPLE))
    tx.TextColumn.from_buffers(np.frombuffer(SAMPLE.encode(), np.uint8), np.array([0, len(SAMPLE.encode())]))
    words, graphemes = tx.WordTokenizer(), tx.GraphemeTokenizer()
    column = tx.Canonicalizer().canonicalize(texts)
    column.take([1, 0])
    for tokenizer in (words, graphemes, tx.ShingleTokenizer(k=2), tx.CharShingleTokenizer(k=2)):
        tokenizer.tokens(column)
    minhash, simhash = tx.MinHashFingerprinter(), tx.SimHashFingerprinter()
    table = tx.IdfTable.fit(texts)
    signatures = minhash.fingerprint(texts)
    fingerprints = simhash.fingerprint(texts)
    simhash.replace(weighting="uniform", hasher="xxh64").fingerprint(texts)
    minhash.replace(hasher="murmur3_x64_128").fingerprint(texts)
    simhash.replace(weighting=table).fingerprint(texts)
    for stream in (tx.MinHashStreaming(minhash, max_bytes=None), tx.SimHashStreaming(simhash, max_bytes=None)):
        stream.update(giant.encode())
        stream.finalize()
    minhash.fingerprint(giant)
    pairs = np.array([0]), np.array([1])
    tx.jaccard(signatures[:, np.newaxis], signatures)
    tx.jaccard_pairs(signatures, *pairs)
    tx.hamming(fingerprints[:, np.newaxis], fingerprints)
    tx.cosine_estimate(fingerprints[:, np.newaxis], fingerprints)
    tx.hamming_pairs(fingerprints, *pairs)
    packed = tx.pack_bits(signatures, 8)
    tx.jaccard_bits(packed[:, np.newaxis], packed, h=128, b=8)
    tx.jaccard_bits(packed, packed, h=128, b=8)
    _warm_up_indexes(signatures, fingerprints)
    _warm_up_dedup(texts, minhash)
    _warm_up_semantic()
    _warm_up_files(texts)
    _warm_up_measures()
    _warm_up_sketches(texts)


def _warm_up_sketches(texts: Any) -> None:
    import numpy as np

    import txtfp_np as tx

    text, _ = tx.TlshFingerprinter().fingerprint(texts, on_empty="mask")
    packed, _ = tx.TlshFingerprinter(packed=True).fingerprint(texts, on_empty="mask")
    tx.tlsh_distance(text[:1, np.newaxis], packed[:1])
    tx.tlsh_distance_pairs(text[:1], [0], [0])
    tx.tlsh_distance(text[[0, 0]], text[[0, 0]])
    fly = tx.FlyHashFingerprinter().fingerprint(texts)
    tx.flyhash_overlap(fly[:, np.newaxis], fly)
    tx.flyhash_overlap_pairs(fly, [0], [1])
    fly = tx.FlyHashFingerprinter(form="winners").fingerprint(texts)
    tx.flyhash_overlap(fly[:, np.newaxis], fly)
    tx.flyhash_overlap_pairs(fly, [0], [1])
    fuzzy = tx.FuzzyFingerprinter().fingerprint(texts)
    tx.ssdeep_compare(fuzzy[:, np.newaxis], fuzzy)
    tx.ssdeep_compare_pairs(fuzzy, [0], [1])
    tx.WinnowFingerprinter().fingerprint(texts)
    tx.winnow_match(texts[0], texts[0])
    tx.winnow_match("a " * 80, "a " * 80)


def _warm_up_dedup(texts: Any, minhash: Any) -> None:
    import numpy as np

    import txtfp_np as tx
    from txtfp_np.dedup.linkage import LINKAGES, link
    from txtfp_np.dedup.policies import keep_order

    i, j = np.array([0]), np.array([1])
    for linkage in LINKAGES:
        for copy_of in (None, np.array([0, 0])):
            link(2, i, j, np.ones(1, np.float32), keep_order("first", 2), linkage, copy_of)
    column = [*texts, SAMPLE + "more", SAMPLE.upper(), texts[0], None]
    tx.dedup(column, 0.5, fingerprinter=minhash).explain(0, 2)
    tx.dedup(column, 0.5, scope="containment")
    tx.dedup(column, method="simhash")


def _warm_up_semantic() -> None:
    import txtfp_np as tx

    vectors = tx.EmbeddingColumn([[1, 2], [3, 4]])
    tx.semantic_similarity(vectors[:, None], vectors)
    tx.semantic_similarity(vectors, vectors)
    for search in ("exact", "codes"):
        tx.dedup(method="embedding", embeddings=vectors, search=search)
    for search in ("exact", "codes"):
        tx.EmbeddingIndex(vectors, search=search).query(vectors)
    tx.Pooling.MEAN.apply([[1.0, 2.0]])
    for mode in tx.ChunkMode:
        tx.chunk_for_model([SAMPLE, SAMPLE], tx.ChunkingStrategy(max_tokens=8, mode=mode))


def _warm_up_files(texts: list[str]) -> None:
    import tempfile
    from pathlib import Path

    from ..dedup.linkage import LINKAGES
    from ..engine import dedup_files

    words = " ".join(map(str, range(40)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.txt"
        path.write_text("\n".join([*texts, words, f"{words} more"]), encoding="utf-8")
        for linkage in LINKAGES:
            dedup_files(path, path.with_name("kept.txt"), linkage=linkage, overwrite=True)


def _warm_up_measures() -> None:
    import numpy as np

    import txtfp_np as tx

    rows, vectors = tx.Ragged.of([SAMPLE, "another text"]), np.eye(2)
    for measure in (tx.levenshtein, tx.set_jaccard, tx.multiset_jaccard):
        measure(rows, rows)
    for distance in (tx.cosine, tx.manhattan, tx.mahalanobis):
        distance(vectors, vectors)
        distance(vectors[:, np.newaxis], vectors)


def _warm_up_indexes(signatures: Any, fingerprints: Any) -> None:
    import numpy as np

    import txtfp_np as tx

    index = tx.LshIndex()
    many = np.repeat(signatures, 5000)
    for first in range(0, 3 * len(many), len(many)):  # enough for batches to be merged
        index.insert(np.arange(first, first + len(many)), many)
    index.insert([1 << 40], signatures[:1])
    index.query_with_threshold(signatures, 0.5)
    index.query(signatures, k=1, return_similarity=True)
    index.query(signatures[0])
    index.remove(0)
    index.self_join(0.5)
    seen = tx.BloomLsh(capacity=len(signatures))
    seen.add(signatures)
    seen.contains(signatures)
    seen.add_if_new(signatures)
    for values in (fingerprints, np.stack([fingerprints, fingerprints], axis=1)):
        bits = 64 * values.size // len(values)
        near = tx.HammingIndex(values, bits=bits)
        near.find_all()
        near.find_clusters()
        near.query(values)
        tx.hamming_scan(values, values, 3, bits=bits)
    tx.seomoz_simhash([SAMPLE])
