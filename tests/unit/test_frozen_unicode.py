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

# Of names, types and values of all arrays. A change here changes signatures: it needs a schema version.
CONTENT_SHA256 = "665195787e23b3da5e2de7110fac1f390e15c0b11ba3fe44921ab8f376ad569d"
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


def test_tries_stay_inside_their_arrays():
    """Kernels look up without a bounds check."""
    tries = [name for name in names() if table(name).dtype == np.uint16]
    assert len(tries) == 4 + len(layout.PIPELINES) + 3
    for name in tries:
        trie = table(name)
        n_blocks, rest = divmod(len(trie) - layout.TRIE_INDEX, layout.TRIE_BLOCK)
        assert rest == 0
        assert trie[: layout.TRIE_INDEX].max() == n_blocks - 1
    for pipeline in layout.PIPELINES:
        n = len(table(f"{pipeline}.words"))
        assert len(table(f"{pipeline}.descriptions")) == n
        assert table(f"{pipeline}.codes")[layout.TRIE_INDEX :].max() < layout.MAPPED + max(n, 1)
    assert table("words")[layout.TRIE_INDEX :].max() < 2 * layout.WORD_ALPHANUMERIC
    assert table("graphemes")[layout.TRIE_INDEX :].max() == len(layout.GRAPHEME_CLASSES) - 1
    sequences = len(table("sequence_offsets")) - 1
    for name in ("canonical", "compatibility", "fold", "confusable"):
        assert table(name)[layout.TRIE_INDEX :].max() < sequences
    assert table("sequence_offsets")[-1] == len(table("sequences"))


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
