"""The Unicode tables inside the package: what they are, and that they never move."""

import hashlib
import re
from functools import cache
from importlib.resources import files

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.kernels import layout
from txtfp_np.unicode.frozen import table

# Of names, types and values of all arrays. A new form of the same tables may change it; if any golden
# changes as well, signatures have changed, and that needs a schema version.
CONTENT_SHA256 = "1f21e1b82d5719169bb72388f135c5e12d090d847198af7aa495e0e6ff675bbc"
PLAIN = {"strip_bidi": False, "strip_format": False}


def file_bytes():
    return files("txtfp_np.unicode").joinpath("tables.npz").read_bytes()


@cache
def names():
    with files("txtfp_np.unicode").joinpath("tables.npz").open("rb") as file, np.load(file) as archive:
        return sorted(archive.files)


def content_digest(arrays):
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def test_content_is_pinned():
    assert content_digest({name: table(name) for name in names()}) == CONTENT_SHA256


def test_file_is_small():
    assert len(file_bytes()) < 1_500_000


def test_arrays_are_read_only_and_shared():
    for name in names():
        array = table(name)
        assert array is table(name)
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_every_pipeline_has_its_tables():
    for pipeline in layout.PIPELINES:
        for part in ("codes", "words", "descriptions", "pool"):
            assert f"{pipeline}.{part}" in names()


def test_unicode_version():
    assert tx.UNICODE_VERSION == "17.0.0"


UTF8_TRIES = ["words", "graphemes", "sentences", *(f"{pipeline}.codes" for pipeline in layout.PIPELINES)]
TRIES = ["combining_class", "canonical", "compatibility", "fold", "confusable"]


def test_every_trie_is_known():
    assert sorted(UTF8_TRIES + TRIES) == [name for name in names() if table(name).dtype == np.uint16]


@pytest.mark.parametrize("name", TRIES)
def test_tries_stay_inside_their_arrays(name):
    """Kernels look up without a bounds check."""
    trie = table(name)
    n_blocks, rest = divmod(len(trie) - layout.TRIE_INDEX, layout.TRIE_BLOCK)
    assert rest == 0
    assert trie[: layout.TRIE_INDEX].max() == n_blocks - 1
    n_values = 256 if name == "combining_class" else len(table("sequence_offsets")) - 1
    assert trie[layout.TRIE_INDEX :].max() < n_values
    assert table("sequence_offsets")[-1] == len(table("sequences"))


def utf8_values(trie):
    """Value of every code point, by the definition in layout.py."""
    blocks = trie[layout.UTF8_INDEX :].reshape(-1, 64)
    first = trie[: layout.UTF8_INDEX].reshape(256, 64)
    three = blocks[first[0xE0:0xF0].ravel() - layout.UTF8_DEEPER].ravel()
    planes = blocks[first[0xF0:0xF5].ravel()[16 : 16 + 256] - layout.UTF8_DEEPER].ravel()
    four = blocks[planes - layout.UTF8_DEEPER].ravel()
    values = np.concatenate([first[:0x80, 0], first[0xC2:0xE0].ravel(), three[0x800:], four])
    assert len(values) == layout.N_CODE_POINTS
    return values


@pytest.mark.parametrize("name", UTF8_TRIES)
def test_utf8_tries_stay_inside_their_arrays(name):
    trie = table(name)
    assert (len(trie) - layout.UTF8_INDEX) % 64 == 0
    assert (trie[: 0x80 * 64].reshape(0x80, 64) == trie[: 0x80 * 64 : 64, np.newaxis]).all()
    values = utf8_values(trie)  # indexing is checked
    if name == "words":
        assert values.max() < 2 * layout.WORD_ALPHANUMERIC
    elif name == "sentences":
        assert values.max() < 2 * layout.SENTENCE_WHITE_SPACE
        assert (values & 31).max() == len(layout.SENTENCE_CLASSES) - 1
    elif name == "graphemes":
        assert values.max() == len(layout.GRAPHEME_CLASSES) - 1
    else:
        n = len(table(name.replace("codes", "words")))
        assert len(table(name.replace("codes", "descriptions"))) == n
        assert values.max() < layout.MAPPED + n


def test_long_replacements_lie_in_the_pool():
    for pipeline in layout.PIPELINES:
        descriptions = table(f"{pipeline}.descriptions").astype(np.int64)
        lengths = descriptions & layout.REPLACEMENT_LENGTH
        long = lengths > 8
        ends = (descriptions >> layout.REPLACEMENT_OFFSET_SHIFT) + (lengths + 7) // 8 * 8
        assert not long.any() or ends[long].max() <= len(table(f"{pipeline}.pool"))


def test_letters_that_came_with_17_do_not_fold():
    """Folding is at 16.0, as in the crate; Unicode 17.0 gave these capitals a small letter."""
    for capital in ("\ua7ce", "\ua7d2", "\ua7d4", "\U00016ea0", "\U00016eb8"):
        assert tx.Canonicalizer().canonicalize(capital) == capital
        assert tx.WordTokenizer().tokens(capital) == [capital]


@cache
def unassigned():
    unicodedata2 = pytest.importorskip("unicodedata2")
    if unicodedata2.unidata_version != "17.0.0":
        pytest.skip(f"needs unicodedata2 17.0.0, got {unicodedata2.unidata_version}")
    return [chr(cp) for cp in range(0x110000) if unicodedata2.category(chr(cp)) == "Cn"]


@pytest.mark.parametrize("normalization", ["nfkc", "nfc", "none"])
@pytest.mark.parametrize("case_fold", ["simple", "none"])
def test_unassigned_code_points_pass_through(normalization, case_fold):
    """So that a code point which a later Unicode assigns keeps the bytes it has today."""
    canonicalizer = tx.Canonicalizer(normalization=normalization, case_fold=case_fold)
    column = tx.TextColumn(unassigned())
    assert len(column) > 800_000
    assert canonicalizer.canonicalize(column) == column


def test_unassigned_code_points_have_no_prototype():
    canonicalizer = tx.Canonicalizer(apply_confusable=True, **PLAIN)
    column = tx.TextColumn(unassigned())
    assert canonicalizer.canonicalize(column) == column


def test_unassigned_code_points_are_no_words():
    column = tx.TextColumn(unassigned())
    assert tx.WordTokenizer().tokens(column).n_tokens == 0
    assert np.array_equal(tx.GraphemeTokenizer().tokens(column).counts, np.ones(len(column), np.int64))


def test_unassigned_code_points_part_words():
    texts = [f"a{character}b" for character in unassigned()[::17] if character not in "\u2065"]
    texts = [text for text in texts if not re.search("[\U000e0000-\U000e0fff]", text)]
    assert len(texts) > 40_000
    assert tx.WordTokenizer().tokens(texts).to_list() == [["a", "b"]] * len(texts)


@pytest.mark.slow
@pytest.mark.data
def test_rebuilding_gives_the_same_tables(shared_data):
    for module in ("unicodedata2", "regex"):
        pytest.importorskip(module)
    from txtfp_np.unicode.build import build

    arrays = build(shared_data / "ucd")
    assert sorted(arrays) == names()
    for name, array in arrays.items():
        assert array.dtype == table(name).dtype
        assert np.array_equal(array, table(name)), name
