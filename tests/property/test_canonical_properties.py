"""Invariants of canonical text.

1. Twice is once, for every configuration without confusables.
2. NFC and NFKC are those of unicodedata2 17.0.
3. Any configuration equals the oracle: strip, normalise, fold, normalise, skeleton, one after another.
4. All pairs of some 400 interesting code points equal the oracle, in each pipeline.
5. A column is its documents: whatever the size of blocks and the number of threads.
6. Slices and concatenations of a column give slices and concatenations of the result.
7. What stands before, behind and beside a document in memory does not matter: at any alignment
   to the 64-byte steps, ASCII or not.
8. The result is valid UTF-8, and holds nothing that was to be stripped.
9. The oracle itself gives what the crate gave.
"""

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("hypothesis")
pytest.importorskip("unicodedata2")

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import canonical as oracle
from support import blocks_of

import txtfp_np as tx

FUZZ = Path(__file__).resolve().parent.parent / "data" / "fuzz.json"
FLAGS = ("strip_bidi", "strip_format", "apply_confusable")

# Code points that meet each other in normalisation, by what they are there for.
INTERESTING = {
    "letters": "aAbeEiIoOuUsSkKzQ0 1.-",
    "marks": "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u031b\u0323\u0324\u0325\u0327\u0328"
    "\u032d\u0331\u0338\u0340\u0341\u0342\u0343\u0344\u0345\u034f\u035c\u0360\u0361\u0591\u05b0"
    "\u05b4\u05bc\u05bf\u05c1"
    "\u05c2\u0653\u0654\u0655\u064b\u0651\u0670\u0711\u093c\u09bc\u0c56\u0e38\u0e48\u0eb8\u0f71"
    "\u0f72\u0f74\u0f80\u0f84"
    "\u1037\u1dce\u20d0\u20dd\u302a\u3099\u309a\U0001d165\U0001d16d\U000110ba\U0001e94a\U0001e947\U00011f5a",
    "composed": "éèÅåÄäÖǗǖǘẠạậẵồṩṨḉĳȫȭḝẛớǺǻΐΰΆάώϓϔᾳᾼᾲᾂῼἀἄἅἇὖὧῇӐӑЙйѷѶאּבּשׁשּׁﬞײַأؤۂऩऴক়ড়ਖ਼ଡ଼ୋோೋൌෝགྷཀྵ",
    "excluded": "\u0958\u095f\u09dc\u0a33\u0b5c\u0f43\u0f69\ufb1d\ufb4e\u2adc\u2126\u212a\u212b"
    "\U0001d15e\U0001d164\U0001d1bb\u0374"
    "\u037e\u0387\u1f71\u1ffd\u1fee\u2000\u2329\uf900\ufa0e\ufa10\U0002f800\u0f73\u0f75\u0f81",
    "pairs": "\u09c7\u09be\u09d7\u0b47\u0b3e\u0b56\u0bc6\u0bbe\u0bd7\u0cbf\u0cd5\u0cc6\u0cc2\u0d46"
    "\u0d3e\u0d57\u0dd9\u0dcf\u0dca\u0ddf"
    "\u1025\u102e\u1b05\u1b35\u1b06\U00011099\U000110ba\U00011131\U00011127\U00011347\U0001133e\U00011357\U000114b9"
    "\U000114ba\U000114b0\U00011935\U00011930\U000113c2\U000113b8\U00016121\U00016d63\U00016d67",
    "jamo": "\u1100\u1101\u1112\u1113\u1160\u1161\u1175\u1176\u11a7\u11a8\u11c2\u11c3\uac00\uac01"
    "\uac1b\uac1c\ud788\ud7a3\u3131\uffa1\uffdc\u3200",
    "compatibility": "ﬁﬀﬃſ㎏㎢①²½ªº…ﷺ㌀＀ＡａｶﾞﾟﾊＺ㈎ℌⅧΩ℡㍿𝐀𝛀𝟎𞸀㊿㋀㏾㏿⁇‥\u00a0\u00a8\u00af\u00b4\u00b8\u2017"
    "\u02d8\u1fbd\ufe4d\u3000\ufc5e"
    "\ufe70\ufe76\u0e33\u0eb3\u0edc\u0f77\u0f79\u0f0c\u1e9a\u01c4\u0149\u017f\u1e9b\u1fbf\u1fcd"
    "\u1fce\u309b\u309c\u309f\u30ff",
    "folding": "ßẞİıςΣσŉǰΐΰևẖẗẘẙẚἈᾀᾈᾖᾤᾯΆᾼῃῄῌὐὒῒΐῖῗῢῤῦῧῲᏸᎠꭰꮿϐϑϰϵẛιͅᲀᲈᲐაႠⴀꙊꞋ𐐀𐓀𐲀𑢠𖹀𞤀ﬀﬅﬓﬗÅKΩ",
    "strip": "\u061c\u180b\u180e\u180f\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2064\u2065"
    "\u2066\u2069\ufe00\ufe0f\ufeff"
    "\U000e0001\U000e0020\U000e007f\U000e0100\U000e01ef\u00ad\u206a\u0600\ufff9",
    "confusable": "mlIO05rnwvВСаеорѕіј℮ꓮꓳ𐊊⍺ɑаᎪ%‰″‴ϛϲꞵβƷʒ₽¢¥\u2010\u2212\u30fc｜\u0966\u0be6",
    "other": "日本語ひらカ한ไม้ကြ\U0001f468\U0001f3fd\u2764\U0001f1e9\U0001f600\u0378"
    "\U0010ffff\ue000\ufffd\ufdd0\U000323af",
}
ALPHABET = sorted(set("".join(INTERESTING.values())))


def texts(max_size=40):
    """Text rich in everything that meets its neighbours, with runs of ASCII as long as a vector or longer."""
    pieces = [st.sampled_from(alphabet) for alphabet in INTERESTING.values()]
    run = st.builds(lambda n, c: c * n, st.integers(1, 140), st.sampled_from("aZ 9"))
    anything = st.characters(exclude_categories=["Cs"])
    return st.lists(st.one_of(*pieces, st.sampled_from(INTERESTING["marks"]), run, anything), max_size=max_size).map(
        "".join
    )


def options(confusable=True):
    return st.fixed_dictionaries(
        {
            "normalization": st.sampled_from(["nfkc", "nfc", "none"]),
            "case_fold": st.sampled_from(["simple", "none"]),
            "strip_bidi": st.booleans(),
            "strip_format": st.booleans(),
            "apply_confusable": st.booleans() if confusable else st.just(False),
        }
    )


@pytest.fixture(scope="module")
def tables(shared_data):
    return oracle.load_tables(shared_data / "ucd")


def differences(found, expected, given_texts):
    return [
        (ascii(text), ascii(a), ascii(b)) for text, a, b in zip(given_texts, found, expected, strict=True) if a != b
    ][:5]


# 1
@settings(max_examples=300)
@given(texts(), options(confusable=False))
def test_idempotent(text, chosen):
    canonicalizer = tx.Canonicalizer(**chosen)
    once = canonicalizer.canonicalize(text)
    assert canonicalizer.canonicalize(once) == once


@pytest.mark.parametrize("normalization", ["nfkc", "nfc", "none"])
def test_idempotent_for_every_scalar_value(normalization):
    canonicalizer = tx.Canonicalizer(normalization=normalization)
    scalars = [chr(cp) for cp in range(0x110000) if not 0xD800 <= cp < 0xE000]
    once = canonicalizer.canonicalize(scalars)
    assert canonicalizer.canonicalize(once) == once


# 2
@settings(max_examples=600)
@given(texts(), options())
def test_soft_hyphens_dropped_are_as_if_never_there(text, chosen):
    chosen = {**chosen, "strip_format": True}
    without = tx.Canonicalizer(**chosen).canonicalize(text.replace("\u00ad", ""))
    assert tx.Canonicalizer(**chosen, strip_soft_hyphen=True).canonicalize(text) == without


@given(texts(), st.sampled_from(["nfkc", "nfc"]))
def test_normal_forms(text, form):
    canonicalizer = tx.Canonicalizer(normalization=form, case_fold="none", strip_bidi=False, strip_format=False)
    expected = oracle.normalize(form.upper(), text)
    assert canonicalizer.canonicalize(text) == expected
    assert canonicalizer.canonicalize(["a", text, "\u0301"])[1] == expected


def test_normal_forms_of_long_random_texts():
    chance = random.Random(17)
    given_texts = ["".join(chance.choices(ALPHABET, k=chance.randrange(400))) for _ in range(1_000)]
    for form in ("nfc", "nfkc"):
        canonicalizer = tx.Canonicalizer(normalization=form, case_fold="none", strip_bidi=False, strip_format=False)
        expected = [oracle.normalize(form.upper(), text) for text in given_texts]
        assert not differences(canonicalizer.canonicalize(given_texts), expected, given_texts)


# 3
@settings(max_examples=600)
@given(text=texts(), chosen=options())
def test_oracle(tables, text, chosen):
    canonicalizer = tx.Canonicalizer(**chosen)
    expected = oracle.canonicalize(text, tables, **chosen)
    assert canonicalizer.canonicalize(text) == expected
    assert canonicalizer.canonicalize([text, text]).to_list() == [expected, expected]


def every_option():
    for normalization, case_fold in itertools.product(["nfkc", "nfc", "none"], ["simple", "none"]):
        for flags in itertools.product([False, True], repeat=3):
            yield {"normalization": normalization, "case_fold": case_fold, **dict(zip(FLAGS, flags, strict=True))}


def test_oracle_on_long_random_texts(tables):
    chance = random.Random(16)
    given_texts = ["".join(chance.choices(ALPHABET, k=chance.randrange(200))) for _ in range(200)]
    for chosen in every_option():
        expected = [oracle.canonicalize(text, tables, **chosen) for text in given_texts]
        found = tx.Canonicalizer(**chosen).canonicalize(given_texts)
        assert not differences(found, expected, given_texts), chosen


# 4
@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"normalization": "nfc", "strip_format": False},
        {"normalization": "none"},
        {"case_fold": "none"},
        {"normalization": "nfc", "case_fold": "none", "strip_bidi": False, "strip_format": False},
        {"apply_confusable": True},
    ],
    ids=lambda chosen: tx.Canonicalizer(**chosen).config_string(),
)
def test_all_pairs(tables, chosen):
    alphabet = sorted({*ALPHABET, *random.Random(4).sample(sorted(tables.folding), 40)})
    assert len(alphabet) > 400
    pairs = [a + b for a, b in itertools.product(alphabet, repeat=2)]
    expected = [oracle.canonicalize(pair, tables, **chosen) for pair in pairs]
    assert not differences(tx.Canonicalizer(**chosen).canonicalize(pairs), expected, pairs)


def test_all_marks_between_two_letters(tables):
    """Letter, two marks, letter: order, blocking and composition at once."""
    marks = INTERESTING["marks"]
    triples = [f"{a}{x}{y}E" for a in "ae\u1ea1\u00c5\u03b1" for x, y in itertools.product(marks, repeat=2)]
    expected = [oracle.canonicalize(text, tables) for text in triples]
    assert not differences(tx.Canonicalizer().canonicalize(triples), expected, triples)


# 5
@settings(max_examples=120)
@given(
    documents=st.lists(st.one_of(texts(12), st.none(), st.just("")), max_size=12),
    chosen=options(),
    block_bytes=st.one_of(st.integers(1, 40), st.integers(41, 2_000)),
    block_rows=st.integers(1, 12),
    threads=st.integers(1, 4),
)
def test_column_is_its_documents(documents, chosen, block_bytes, block_rows, threads):
    canonicalizer = tx.Canonicalizer(**chosen)
    expected = [None if text is None else canonicalizer.canonicalize(text) for text in documents]
    with blocks_of(block_bytes, block_rows):
        assert canonicalizer.canonicalize(documents, threads=threads).to_list() == expected
        assert canonicalizer.canonicalize(tx.TextColumn(documents), threads=threads).to_list() == expected


def test_every_block_size_and_thread_count():
    documents = ["Aé", "", None, "e", "\u0301\u0323", "ﷺ" * 3, "X" * 70, "\u1100", "\u1161\u11a8", "ẞ\u200b", "0"]
    column = tx.TextColumn(documents)
    canonicalizer = tx.Canonicalizer()
    expected = [None if text is None else canonicalizer.canonicalize(text) for text in documents]
    for block_bytes in range(1, column.nbytes + 2):
        with blocks_of(block_bytes):
            for threads in (1, 2, 3, 4):
                assert canonicalizer.canonicalize(column, threads=threads).to_list() == expected


# 6
@settings(max_examples=80)
@given(st.lists(texts(8), max_size=10), st.data())
def test_slices_and_concatenations(documents, data):
    canonicalizer = tx.Canonicalizer()
    column = tx.TextColumn(documents)
    whole = canonicalizer.canonicalize(column)
    first = data.draw(st.integers(0, len(documents)))
    last = data.draw(st.integers(first, len(documents)))
    assert canonicalizer.canonicalize(column[first:last]) == whole[first:last]
    parts = [column[:first], column[first:last], column[last:]]
    assert tx.TextColumn.concat(map(canonicalizer.canonicalize, parts)) == whole
    assert canonicalizer.canonicalize(tx.TextColumn.concat(reversed(parts))).to_list() == [
        text for part in reversed(parts) for text in canonicalizer.canonicalize(part)
    ]
    assert canonicalizer.canonicalize(column[::-1]).to_list() == whole.to_list()[::-1]


# 7
def test_neighbours_in_memory_do_not_matter():
    """A document between two others: bytes of the next one must not leak in, those before must not join."""
    canonicalizer = tx.Canonicalizer()
    for n in range(140):
        text = "A" * n + "É" + "B" * (n % 67) + "e"
        expected = "a" * n + "é" + "b" * (n % 67) + "e"
        for before, after in (("", ""), ("x" * (n % 13), "\u0301"), ("E", "\u0323" * 30), ("é" * 7, "Z" * 80)):
            data = np.frombuffer((before + text + after).encode(), np.uint8)
            start = len(before.encode())
            stop = start + len(text.encode())
            column = tx.TextColumn.from_buffers(data, [start, stop])
            assert canonicalizer.canonicalize(column).to_list() == [expected]
            three = tx.TextColumn.from_buffers(data, [0, start, stop, len(data)])
            found = canonicalizer.canonicalize(three).to_list()
            assert found == [canonicalizer.canonicalize(t) for t in (before, text, after)]


@settings(max_examples=150)
@given(st.integers(0, 130), texts(6), st.integers(0, 130), texts(6), options(confusable=False))
def test_runs_of_ascii_at_any_alignment(n_before, middle, n_after, end, chosen):
    """Harmless ASCII around a piece of text changes nothing but its edges, and these the same way anywhere."""
    canonicalizer = tx.Canonicalizer(**chosen)
    text = "x" * n_before + ". " + middle + " " + "y" * n_after + " " + end
    expected = "x" * n_before + "." + canonicalizer.canonicalize(" " + middle)
    expected += canonicalizer.canonicalize(" " + "y" * n_after) + canonicalizer.canonicalize(" " + end)
    assert canonicalizer.canonicalize(text) == expected


# 8
@settings(max_examples=150)
@given(st.lists(texts(), min_size=1, max_size=5))
def test_result_is_clean(documents):
    column = tx.Canonicalizer().canonicalize(documents)
    decoded = [column.data[a:b].tobytes().decode() for a, b in itertools.pairwise(column.offsets.tolist())]
    assert decoded == column.to_list()
    assert column.offsets[0] == 0
    for text in decoded:
        assert oracle.strip(text, True, True) == text


# 9
def test_oracle_gives_what_the_crate_gave(tables):
    rows = json.loads(FUZZ.read_text(encoding="utf-8"))
    for field, chosen in (
        ("canonical_def", {}),
        ("canonical_nfc", {"normalization": "nfc"}),
        ("canonical_conf", {"apply_confusable": True}),
    ):
        assert len(rows[field]) == 3_000
        for text, expected in rows[field]:
            assert oracle.canonicalize(text, tables, **chosen) == expected
