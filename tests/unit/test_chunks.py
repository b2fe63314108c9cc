"""Chunks: equal to plain Python, in every mode; places in the text; chunks counted by a tokenizer."""

import random
from itertools import pairwise

import numpy as np
import pytest
from oracles import segmentation
from oracles import sentences as oracle
from support import blocks_of

import txtfp_np as tx
from txtfp_np.semantic.chunk_blocks import sentences_of

# One of every sentence class and then some: terminators, cases, spaces, marks, both kinds of line ends.
ALPHABET = [
    *"aB٣1.!?…\"'()», ;:-\n\n\r\t \u2028\u0085",
    "\u0308",
    "\u00ad",
    "가",
    "日",
    "。",
    "é",
    "İ",
    "Mr.",
    "\n\n",
    "ab cd",
    "😀",
]
MODES = {
    "fixed_tokens": oracle.fixed_tokens,
    "sentence_bounded": oracle.sentence_bounded,
    "recursive": oracle.recursive,
}


def random_texts(n, length, seed=0):
    generator = random.Random(seed)
    return ["".join(generator.choices(ALPHABET, k=generator.randrange(length))) for _ in range(n)]


def all_sentences(texts):
    column = tx.TextColumn(texts)
    units = sentences_of(column.data, column.offsets, every=True)
    raw, bounds, rows = units.data.tobytes(), units.offsets.tolist(), units.of_document.tolist()
    return [
        [raw[bounds[i] : bounds[i + 1]].decode() for i in range(rows[row], rows[row + 1])] for row in range(len(texts))
    ]


@pytest.fixture(scope="module", autouse=True)
def _oracle_needs_regex():
    pytest.importorskip("regex")


def test_sentences_are_the_oracle():
    texts = random_texts(3000, 14)
    assert all_sentences(texts) == [oracle.sentence_segments(text) for text in texts]


def test_sentences_of_known_texts():
    texts = [
        "He paid $3.50. Then he left.",
        "etc. and so on. So?",
        "U.S.A. is",
        "J.R.R. Tolkien",
        "a.\n\nb",
        "「好。」他說。",
        "",
    ]
    assert all_sentences(texts) == [
        ["He paid $3.50. ", "Then he left."],
        ["etc. and so on. ", "So?"],
        ["U.S.A. is"],
        ["J.R.R. ", "Tolkien"],
        ["a.\n", "\n", "b"],
        ["「好。」", "他說。"],
        [],
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("max_tokens", "overlap"), [(1, 0), (2, 5), (5, 2), (13, 4), (40, 13), (0, 0)])
def test_chunks_are_the_oracle(mode, max_tokens, overlap):
    texts = [*random_texts(120, 60, max_tokens), "", " \n\n ", "one"]
    strategy = tx.ChunkingStrategy(max_tokens=max_tokens, overlap=overlap, mode=mode)
    expected = [MODES[mode](text, max_tokens, overlap) for text in texts]
    assert tx.chunk_for_model(texts, strategy).to_list() == expected
    assert tx.chunk_for_model(texts[3], strategy) == expected[3]


def letters(text):
    return [character for character in text if segmentation.is_alphanumeric(character)]


@pytest.mark.parametrize("mode", MODES)
def test_places_lead_to_the_text_of_a_chunk(mode):
    texts = random_texts(200, 50, 5)
    strategy = tx.ChunkingStrategy(max_tokens=6, overlap=2, mode=mode)
    chunks, offsets = tx.chunk_for_model(texts, strategy, return_offsets=True)
    rows = np.repeat(np.arange(len(texts)), chunks.counts)
    flat = [chunk for document in chunks for chunk in document]
    assert len(flat) == len(offsets) > 300
    for row, chunk, (begin, end) in zip(rows, flat, offsets.tolist(), strict=True):
        place = texts[row][begin:end]
        # joining drops and adds nothing but what stands between words
        assert letters(chunk) == letters(place)
        assert place.rstrip(oracle.WHITE_SPACE) == place
        assert chunk[-1] == place[-1]
    alone, places = tx.chunk_for_model(texts[7], strategy, return_offsets=True)
    assert alone == chunks[7]
    assert places.tolist() == offsets[rows == 7].tolist()


@pytest.mark.parametrize("count_tokens", [None, len])
def test_blocks_and_threads_change_nothing(count_tokens):
    texts = [*random_texts(40, 80, 9), None]
    for mode in MODES:
        strategy = tx.ChunkingStrategy(max_tokens=9, overlap=3, mode=mode, count_tokens=count_tokens)
        chunks, offsets = tx.chunk_for_model(texts, strategy, return_offsets=True, threads=1)
        with blocks_of(50):
            again, places = tx.chunk_for_model(texts, strategy, return_offsets=True, threads=3)
        assert again == chunks
        assert np.array_equal(places, offsets)
    assert tx.chunk_for_model([]).to_list() == []


def crude_tokens(text):
    """As a subword tokenizer: pieces of at most four characters, and two special tokens."""
    return 2 + sum(-(-len(word) // 4) for word in text.split())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("overlap", [0, 5])
def test_counted_chunks_keep_the_limit_and_lose_nothing(mode, overlap):
    texts = [
        "Sentence one is short. " * 9 + "A " + "long " * 60 + "one.\n\nAnd a new paragraph? Yes!" * 3,
        "",
        "...",
        "supercalifragilistic" * 4,
    ]
    strategy = tx.ChunkingStrategy(max_tokens=20, overlap=overlap, mode=mode, count_tokens=crude_tokens)
    chunks, offsets = tx.chunk_for_model(texts, strategy, return_offsets=True)
    assert chunks.counts.tolist()[1:] == [0, 0, 1]
    assert chunks[3] == [texts[3]]  # a single word above the limit stands alone
    text, places = texts[0], offsets[: chunks.counts[0]].tolist()
    assert [text[begin:end] for begin, end in places] == chunks[0]
    assert max(map(crude_tokens, chunks[0])) <= 20
    covered = np.zeros(len(text), bool)
    for begin, end in places:
        covered[begin:end] = True
    assert all(character.isspace() for character, inside in zip(text, covered, strict=True) if not inside)
    repeats = [previous[1] > following[0] for previous, following in pairwise(places)]
    assert any(repeats) == (overlap > 0)
    for previous, following in pairwise(places):
        assert following[0] > previous[0]
        assert following[1] > previous[1]
        if previous[1] > following[0]:
            assert crude_tokens(text[following[0] : previous[1]]) <= overlap


def test_counted_chunks_take_as_much_as_fits():
    text = "one two three four five six seven"
    strategy = tx.ChunkingStrategy(max_tokens=3, overlap=1, mode="fixed_tokens", count_tokens=lambda s: len(s.split()))
    assert tx.chunk_for_model(text, strategy) == ["one two three", "three four five", "five six seven"]
    units = tx.ChunkingStrategy(max_tokens=12, overlap=0, count_tokens=len)
    assert tx.chunk_for_model("Aa bb. Cc! D d d d d d d d d. E.", units) == [
        "Aa bb. Cc!",
        "D d d d d d",
        "d d d.",
        "E.",
    ]


def test_a_sentence_may_begin_inside_a_word():
    """A full stop without a space before Korean, Arabic or Hindi: UAX #29 ends a sentence there, but no word."""
    strategy = tx.ChunkingStrategy(max_tokens=4, overlap=0, count_tokens=len)
    assert tx.WordTokenizer().tokens("했다.그리고 갔다") == ["했다.그리고", "갔다"]
    assert tx.chunk_for_model("했다.그리고 갔다", strategy) == ["했다.", "그리고", "갔다"]
    assert tx.chunk_for_model("하.하다. (그리) 갔다", strategy) == ["하.", "하다.", "(그리)", "갔다"]


def saturating(text):
    """As a tokenizer that cuts long texts: never more than the limit."""
    return min(len(text), 200)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count_tokens", [crude_tokens, len, saturating, lambda text: 0, lambda text: 10**6])
def test_what_is_counted_grows_with_the_text(mode, count_tokens):
    """Not with its square, whatever the units and the counts."""
    words = "Sentence number one is rather short. The second one, though, goes on for quite a while! " * 3 + "\n\n"
    for text in (words * 60, "word " * 3000, "a. " * 4000, "\n\n".join(["short"] * 2500), "x" * 9000 + " y" * 900):
        counted = []
        strategy = tx.ChunkingStrategy(
            max_tokens=200,
            overlap=30,
            mode=mode,
            count_tokens=lambda piece, counted=counted: counted.append(len(piece)) or count_tokens(piece),
        )
        tx.chunk_for_model(text, strategy)
        assert sum(counted) <= 14 * len(text)


@pytest.mark.parametrize("count_tokens", [crude_tokens, len, lambda text: len(text.encode())])
@pytest.mark.parametrize("max_tokens", [3, 20, 150])
def test_no_further_word_fits(count_tokens, max_tokens):
    generator = random.Random(max_tokens)
    text = " ".join("é" * generator.choice([1, 1, 2, 3, 9, 40]) for _ in range(400))
    strategy = tx.ChunkingStrategy(max_tokens=max_tokens, overlap=0, mode="fixed_tokens", count_tokens=count_tokens)
    chunks, offsets = tx.chunk_for_model(text, strategy, return_offsets=True)
    for (begin, _), (next_begin, _) in pairwise(offsets.tolist()):
        following = text.find(" ", next_begin)
        assert count_tokens(text[begin : following if following >= 0 else None]) > max_tokens
    assert " ".join(chunks) == text


def test_counting_goes_wrong():
    def fails(text):
        raise RuntimeError("no vocabulary")

    for count_tokens, message in [
        (fails, "count_tokens failed: RuntimeError"),
        (lambda text: "3", "must give an int >= 0, got '3'"),
    ]:
        strategy = tx.ChunkingStrategy(count_tokens=count_tokens)
        with pytest.raises(tx.TokenizerError, match=message) as caught:
            tx.chunk_for_model(["", "a text"], strategy)
        assert caught.value.row == 1
        with pytest.raises(tx.TokenizerError) as caught:
            tx.chunk_for_model("a text", strategy)
        assert caught.value.row is None


@pytest.mark.parametrize(
    "options",
    [{"max_tokens": -1}, {"overlap": 1.5}, {"mode": "pages"}, {"count_tokens": 3}, {"max_tokens": True}],
)
def test_options_are_checked(options):
    with pytest.raises(tx.ConfigError) as caught:
        tx.ChunkingStrategy(**options)
    assert caught.value.argument == next(iter(options))


def test_arguments_are_checked():
    with pytest.raises(tx.ConfigError, match="strategy must be a ChunkingStrategy, got int"):
        tx.chunk_for_model("a", 256)
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.chunk_for_model(["a", 3])
    assert caught.value.row == 1
