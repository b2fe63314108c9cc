"""Three short documents through every pipeline from text to score: the near-duplicate is above the unrelated text.

The case study of the H3D paper (Tables 10 and 11) with documents of the same roles, and the sizes of its five
pipelines: 100 permutations, 64 bits, 8 winners of 128. What is asserted is the ranking, by pipelines that have nothing
in common but their input.
"""

import numpy as np
import pytest

import txtfp_np as tx

ORIGINAL = (
    "The harbour of the old town freezes over in most winters. Fishing boats are pulled ashore in November, and the "
    "crews repair nets and engines until the ice breaks in March. A museum in the former customs house shows how the "
    "work on the ice was done a hundred years ago, when herring was the only trade."
)
NEAR_DUPLICATE = (
    "The harbour of the old town freezes over in nearly all winters. Fishing boats are pulled ashore in late November, "
    "and the crews repair nets and engines until the ice breaks in March. The museum in the former customs house shows "
    "how work on the ice was done a century ago, when herring was the only trade."
)
UNRELATED = (
    "A violin maker begins with the wood. Spruce for the belly and maple for the back are cut along the grain and left "
    "to dry for ten years or more. Only then are the plates carved, tapped and listened to, planed again and glued, "
    "before varnish gives the instrument its colour and protects it against sweat and weather."
)
TEXTS = [ORIGINAL, NEAR_DUPLICATE, UNRELATED]


def embeddings():
    """A stand-in for a language model: weighted counts of hashed character trigrams, centred."""
    tokens = tx.CharShingleTokenizer(k=3).tokens(tx.Canonicalizer().canonicalize(TEXTS))
    rows = np.zeros((3, 256))
    for row, values in zip(rows, tx.Ragged.of(tokens).tolist(), strict=True):
        np.add.at(row, [value % 256 for value in values], 1.0)
    return np.sqrt(rows) - np.sqrt(rows).mean()


def minhash():
    return tx.MinHashFingerprinter(tokenizer=tx.CharShingleTokenizer(k=3), h=100).fingerprint(TEXTS)


def simhash():
    return tx.SimHashFingerprinter(tokenizer=tx.CharShingleTokenizer(k=4), bits=64).fingerprint(TEXTS)


def winnowing():
    return tx.WinnowFingerprinter(tokenizer=tx.CharShingleTokenizer(k=3), k=1, window=5).fingerprint(TEXTS)


def fuzzy():
    return tx.FuzzyFingerprinter().fingerprint(TEXTS)


def flyhash():
    return tx.FlyHashFingerprinter(bits=128, active=8).fingerprint(TEXTS)


def wide_flyhash():
    return tx.FlyHashFingerprinter(weighting=tx.IdfTable.fit(TEXTS)).fingerprint(TEXTS)


def winners():
    return tx.FlyHashFingerprinter(bits=65_472, active=32, fan=1, form="winners").fingerprint(TEXTS)


PIPELINES = {
    "minhash": (minhash, "minhash"),
    "simhash": (simhash, "bits"),
    "winnowing": (winnowing, "winnowing"),
    "fuzzy": (fuzzy, "fuzzy"),
    "flyhash": (flyhash, "bits"),
    "flyhash of weighted words": (wide_flyhash, "bits"),
    "flyhash winners": (winners, "winners"),
    "tlsh": (lambda: tx.TlshFingerprinter().fingerprint(TEXTS), "tlsh"),
    "embeddings": (embeddings, "embedding"),
    "binary hash": (lambda: tx.BinaryHash(128).fingerprint(embeddings()), "bits"),
    "hyperplane hash": (lambda: tx.HyperplaneHash(128, 6).fingerprint(embeddings()), "bits"),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_the_near_duplicate_is_above_the_unrelated_text(name):
    make, kind = PIPELINES[name]
    fingerprints = make()
    measures = [measure for measure, reason in tx.measures_for(kind).items() if reason is None]
    assert tx.DEFAULT_MEASURES[kind] in measures
    for measure in measures:
        near, unrelated = tx.similarity_pairs(fingerprints, 0, [1, 2], kind=kind, measure=measure)
        itself = tx.similarity_pairs(fingerprints, 0, 0, kind=kind, measure=measure)
        assert itself == pytest.approx(1)
        if measure == "ssdeep":  # 0 for all but close copies, which so short a text cannot show
            assert near >= unrelated == 0
        else:
            assert itself > near > unrelated, measure
        other_side = tx.similarity_pairs(fingerprints, [1, 2], 0, kind=kind, measure=measure)
        assert other_side.tolist() == pytest.approx([near, unrelated])


def test_parts_of_the_near_duplicate_are_found_and_none_of_the_unrelated():
    near, unrelated = tx.levenshtein_similarity(ORIGINAL, [NEAR_DUPLICATE, UNRELATED])
    assert near > 0.8 > 0.4 > unrelated
    passages = tx.winnow_match(ORIGINAL, NEAR_DUPLICATE)
    assert len(passages) > 0
    assert len(tx.winnow_match(ORIGINAL, UNRELATED)) == 0
