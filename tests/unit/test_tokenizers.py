"""Tokenizers: options, names, doors, a user's own functions and objects, hostile documents."""

import copy
import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pytest
from support import blocks_of

import txtfp_np as tx

WORD, GRAPHEME = tx.WordTokenizer(), tx.GraphemeTokenizer()
BUILT_IN = [
    WORD,
    GRAPHEME,
    tx.ShingleTokenizer(k=2),
    tx.ShingleTokenizer(k=1, inner=GRAPHEME),
    tx.ShingleTokenizer(k=2, inner=tx.ShingleTokenizer(k=2)),
    tx.CharShingleTokenizer(k=3),
]
WHITE = tx.CallableTokenizer(str.split, name="white-v1")
every = pytest.mark.parametrize("tokenizer", [*BUILT_IN, WHITE], ids=lambda tokenizer: tokenizer.name)


class Commas:
    """Meets the protocol and knows nothing of the package."""

    name = "commas-v1"

    def tokens(self, texts):
        return tuple(texts.split(","))


# ── names and identity ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("tokenizer", "name"),
    [
        (WORD, "word-uax29"),
        (GRAPHEME, "grapheme-uax29"),
        (tx.ShingleTokenizer(), "shingle-k=5/word-uax29"),
        (tx.ShingleTokenizer(k=0), "shingle-k=0/word-uax29"),
        (tx.ShingleTokenizer(k=3, inner=GRAPHEME), "shingle-k=3/grapheme-uax29"),
        (tx.ShingleTokenizer(2, tx.ShingleTokenizer(k=7, inner=WORD)), "shingle-k=2/shingle-k=7/word-uax29"),
        (tx.ShingleTokenizer(k=2, inner=WHITE), "shingle-k=2/white-v1"),
        (tx.ShingleTokenizer(k=2, inner=Commas()), "shingle-k=2/commas-v1"),
        (tx.CharShingleTokenizer(), "char-k=3"),
        (tx.CharShingleTokenizer(k=9), "char-k=9"),
        (WHITE, "white-v1"),
    ],
)
def test_names(tokenizer, name):
    assert tokenizer.name == name
    assert type(tokenizer.name) is str


@every
def test_identity(tokenizer):
    assert isinstance(tokenizer, tx.Tokenizer)
    for twin in (pickle.loads(pickle.dumps(tokenizer)), copy.deepcopy(tokenizer), dataclasses.replace(tokenizer)):
        assert twin == tokenizer
        assert hash(twin) == hash(tokenizer)
        assert twin.tokens("a b, c") == tokenizer.tokens("a b, c")
    assert sum(tokenizer == other for other in [*BUILT_IN, WHITE]) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        tokenizer.k = 9


def test_numpy_k_becomes_plain():
    assert type(tx.ShingleTokenizer(k=np.int32(4)).k) is int
    assert tx.ShingleTokenizer(k=np.uint8(4)) == tx.ShingleTokenizer(k=4)


@pytest.mark.parametrize("kind", [tx.ShingleTokenizer, tx.CharShingleTokenizer])
@pytest.mark.parametrize("k", [-1, 2.0, "3", None, True])
def test_bad_k(kind, k):
    with pytest.raises(tx.ConfigError) as caught:
        kind(k=k)
    assert str(caught.value) == f"config error: k must be an int >= 0, got {k!r}"
    assert caught.value.argument == "k"


@pytest.mark.parametrize("kind", [tx.ShingleTokenizer, tx.CharShingleTokenizer])
def test_enormous_k(kind):
    """Either refused when it is given, or one shingle of all; never a failure later."""

    def outcome(k):
        try:
            tokenizer = kind(k=k)
        except tx.ConfigError as error:
            return f"refused: {error.argument}"
        return [tokenizer.tokens("a b"), *tokenizer.tokens(["a b"])]

    assert outcome(2**63 - 1) == [["a b"], ["a b"]]
    assert outcome(2**63) in ([["a b"], ["a b"]], "refused: k")
    assert outcome(2**64) in ([["a b"], ["a b"]], "refused: k")


class Nameless:
    def tokens(self, texts):
        return [texts]


@pytest.mark.parametrize("inner", [None, str.split, "word", Nameless(), tx.WordTokenizer])
def test_bad_inner(inner):
    with pytest.raises(tx.ConfigError) as caught:
        tx.ShingleTokenizer(inner=inner)
    given = f"the class {inner.__name__}" if isinstance(inner, type) else type(inner).__name__
    assert str(caught.value) == f"config error: inner must be a tokenizer, got {given}"
    assert caught.value.argument == "inner"


@pytest.mark.parametrize(
    ("arguments", "argument", "text"),
    [
        ((None, "x"), "f", "f must be callable, got NoneType"),
        ((str.split, ""), "name", "name must be a non-empty str, got ''"),
        ((str.split, 3), "name", "name must be a non-empty str, got 3"),
        ((str.split,), "name", "name must be a non-empty str, got ''"),
    ],
)
def test_bad_callable_tokenizer(arguments, argument, text):
    with pytest.raises(tx.ConfigError) as caught:
        tx.CallableTokenizer(*arguments)
    assert str(caught.value) == f"config error: {text}"
    assert caught.value.argument == argument


# ── what they give ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v2.0", ["v2.0"]),
        ("a_b __x _ __", ["a_b", "__x"]),
        ("e-mail", ["e", "mail"]),
        ("1,000 3.14 1;2", ["1,000", "3.14", "1;2"]),
        ("3.a a.3", ["3", "a", "a", "3"]),
        ("a:b 1:2", ["a:b", "1", "2"]),
        ("U.S.", ["U.S"]),
        ("'quoted'", ["quoted"]),
        ("can\u2019t", ["can\u2019t"]),
        ("½ ² ①", ["½", "²", "①"]),
        ("漢字ひら", ["漢", "字", "ひ", "ら"]),
        ("カタカナ 한국어", ["カタカナ", "한국어"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("\U0001f600 !", []),
        ("Z\u200d\u2139b", ["Z\u200d\u2139", "b"]),
        ("Z\u200d\u2139:b", ["Z\u200d\u2139", "b"]),
        ("Z:\u200d\U0001f600a", ["Z:\u200d\U0001f600", "a"]),
        ("", []),
        (" \t\r\n", []),
    ],
)
def test_words(text, words):
    assert WORD.tokens(text) == words
    assert WORD.tokens([text, text]).to_list() == [words, words]


def test_many_one_byte_words():
    """Numbers that are no digits part letters without a separator: two words in three bytes.

    In a process of its own, for kernels trust the size of their outputs.
    """
    code = (
        "import txtfp_np as tx\n"
        "for n in (5, 300, 100_000):\n"
        "    for text, words in (('a½', ['a', '½']), ('1²', ['1', '²']), ('½a', ['½', 'a'])):\n"
        "        assert tx.WordTokenizer().tokens(text * n) == words * n\n"
        "        assert tx.WordTokenizer().tokens([text * n] * 3).to_list() == [words * n] * 3\n"
        "print('done')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "done\n", done.stderr[-500:]
    assert done.returncode == 0


def test_graphemes():
    text = "e\u0301\r\n\U0001f468\u200d\U0001f469\u0915\u094d\u0937한\U0001f1e9\U0001f1ea\U0001f1eb"
    clusters = ["e\u0301", "\r\n", "\U0001f468\u200d\U0001f469", "\u0915\u094d\u0937", "한"]
    clusters += ["\U0001f1e9\U0001f1ea", "\U0001f1eb"]
    assert GRAPHEME.tokens(text) == clusters
    assert GRAPHEME.tokens([text]).to_list() == [clusters]


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (0, []),
        (1, ["to", "be", "or", "not"]),
        (2, ["to be", "be or", "or not"]),
        (3, ["to be or", "be or not"]),
        (4, ["to be or not"]),
        (5, ["to be or not"]),
    ],
)
def test_shingles(k, expected):
    tokenizer = tx.ShingleTokenizer(k=k)
    assert tokenizer.tokens("to be, or  not!") == expected
    assert tokenizer.tokens(["", "to be, or  not!", None, "?!"]).to_list() == [[], expected, [], []]


def test_shingles_of_graphemes_keep_spaces():
    assert tx.ShingleTokenizer(k=3, inner=GRAPHEME).tokens("a b") == ["a   b"]
    assert tx.ShingleTokenizer(k=2, inner=GRAPHEME).tokens("a b") == ["a  ", "  b"]


def test_nested_shingles():
    nested = tx.ShingleTokenizer(k=2, inner=tx.ShingleTokenizer(k=3))
    assert nested.tokens("a b c d e") == ["a b c b c d", "b c d c d e"]
    assert nested.tokens(["a b c d e", "a", "", "a b c"]).to_list() == [
        ["a b c b c d", "b c d c d e"],
        ["a"],
        [],
        ["a b c"],
    ]
    thrice = tx.ShingleTokenizer(k=2, inner=nested)
    assert thrice.tokens("a b c d e") == ["a b c b c d b c d c d e"]
    assert tx.ShingleTokenizer(k=1, inner=nested).tokens("a b c d e") == nested.tokens("a b c d e")
    assert tx.ShingleTokenizer(k=2, inner=tx.ShingleTokenizer(k=0)).tokens("a b c") == []


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (0, []),
        (1, ["h", "é", "日", "\U0001f600"]),
        (3, ["hé日", "é日\U0001f600"]),
        (4, ["hé日\U0001f600"]),
        (9, ["hé日\U0001f600"]),
    ],
)
def test_char_shingles(k, expected):
    tokenizer = tx.CharShingleTokenizer(k=k)
    assert tokenizer.tokens("hé日\U0001f600") == expected
    assert tokenizer.tokens(["", "hé日\U0001f600", None]).to_list() == [[], expected, []]
    assert tokenizer.tokens("") == []


def test_tokenizers_do_not_canonicalize():
    assert WORD.tokens("ＡＢ\u2060c") == ["ＡＢ\u2060c"]


# ── doors ───────────────────────────────────────────────────────────────────────────────────────
@every
def test_kinds_of_input(tokenizer):
    text = "Größe, a b"
    expected = tokenizer.tokens(text)
    assert type(expected) is list
    assert all(type(token) is str for token in expected)
    for one in (text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        assert tokenizer.tokens(one) == expected
    for many in ([text, None], (text, b""), tx.TextColumn([text, ""]), iter([text, ""]), np.array([text, ""])):
        column = tokenizer.tokens(many)
        assert type(column) is tx.TokenColumn
        assert column.to_list() == [expected, []]


@every
def test_empty(tokenizer):
    assert tokenizer.tokens("") == []
    assert tokenizer.tokens(b"") == []
    column = tokenizer.tokens([])
    assert len(column) == 0
    assert column.offsets.tolist() == [0]
    assert tokenizer.tokens(["", None, float("nan"), ""]).to_list() == [[], [], [], []]


@every
def test_for_each_token(tokenizer):
    for text in ("one two, three", "", "é"):
        seen = []
        assert tokenizer.for_each_token(text, seen.append) is None
        assert seen == tokenizer.tokens(text)
    seen = []
    tokenizer.for_each_token("zwei Wörter".encode(), seen.append)
    assert seen == tokenizer.tokens("zwei Wörter")
    with pytest.raises(tx.InvalidInputError):
        tokenizer.for_each_token(["a"], seen.append)


def test_for_each_token_passes_errors_on():
    def stop(token):
        raise LookupError(token)

    with pytest.raises(LookupError, match="one"):
        WORD.for_each_token("one two", stop)


@every
def test_bad_utf8(tokenizer):
    for texts, row in ((b"a \xff", None), (["a", "b", b"a \xff"], 2)):
        with pytest.raises(tx.InvalidInputError, match="invalid UTF-8 at byte 2") as caught:
            tokenizer.tokens(texts)
        assert caught.value.row == row
    assert tokenizer.tokens(b"a \xff", errors="replace") == tokenizer.tokens("a \ufffd")
    assert tokenizer.tokens([b"a \xff"], errors="replace").to_list() == [tokenizer.tokens("a \ufffd")]
    for texts in ("a", ["a"]):
        with pytest.raises(tx.ConfigError) as caught:
            tokenizer.tokens(texts, errors="ignore")
        assert caught.value.argument == "errors"


@every
@pytest.mark.parametrize("threads", [0, -3, 1.5, False])
def test_bad_threads(tokenizer, threads):
    with pytest.raises(tx.ConfigError) as caught:
        tokenizer.tokens(["a"], threads=threads)
    assert caught.value.argument == "threads"


@every
def test_progress(tokenizer):
    calls = []
    with blocks_of(16):
        tokenizer.tokens(["some text"] * 20, progress=lambda done, total: calls.append((done, total)))
    assert len(calls) > 5
    assert calls == sorted(set(calls))
    assert calls[-1] == (20, 20)
    with pytest.raises(tx.ConfigError) as caught:
        tokenizer.tokens(["a"], progress=1)
    assert caught.value.argument == "progress"


@every
def test_token_column_content(tokenizer):
    """Spans point at the tokens, documents do not overlap in the list of tokens, nothing can be written."""
    texts = ["one two three", "", "é 日本 x", None, "end"]
    column = tokenizer.tokens(texts)
    raw = column.data.tobytes()
    assert column.offsets[0] == 0
    assert column.offsets.dtype == np.int64
    assert len(column.starts) == len(column.ends) == column.offsets[-1] == column.n_tokens
    assert column.starts.dtype == column.ends.dtype == np.int32
    tokens = [raw[a:b].decode() for a, b in zip(column.starts.tolist(), column.ends.tolist(), strict=True)]
    assert tokens == [token for text in texts for token in tokenizer.tokens(text or "")]
    for array in (column.data, column.starts, column.ends, column.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_words_share_the_text():
    text = tx.TextColumn(["one two", "three"])
    for tokenizer in (WORD, GRAPHEME, tx.ShingleTokenizer(k=1), tx.CharShingleTokenizer(k=2)):
        assert np.shares_memory(tokenizer.tokens(text).data, text.data)
        assert tokenizer.tokens(text[1:]).to_list() == [tokenizer.tokens("three")]


def test_shingles_do_not_copy_tokens():
    column = tx.ShingleTokenizer(k=5).tokens(["word " * 1000])
    assert len(column.data) == 1000 * 5 - 1
    assert column.n_tokens == 996


# ── a user's own ────────────────────────────────────────────────────────────────────────────────
def test_callable_tokenizer():
    def generator(text):
        yield from text.split("|")

    tokenizer = tx.CallableTokenizer(generator, name="bars-v1")
    assert tokenizer.tokens("a|é||b") == ["a", "é", "", "b"]
    assert tokenizer.tokens(["a|b", "", None]).to_list() == [["a", "b"], [""], [""]]
    assert tx.ShingleTokenizer(k=2, inner=tokenizer).tokens("a|é||b") == ["a é", "é ", " b"]


def test_callable_tokenizer_may_make_text_longer():
    tokenizer = tx.CallableTokenizer(lambda text: [text * 50] * 3, name="echo")
    texts = ["é" * n for n in range(20)]
    with blocks_of(32):
        assert tokenizer.tokens(texts).to_list() == [[text * 50] * 3 for text in texts]


def test_protocol_object_as_inner():
    inner = Commas()
    assert isinstance(inner, tx.Tokenizer)
    tokenizer = tx.ShingleTokenizer(k=2, inner=inner)
    assert tokenizer.tokens("a,b c,d") == ["a b c", "b c d"]
    with blocks_of(4):
        column = tokenizer.tokens(["a,b c,d", "é", "", "x,y"])
    assert column.to_list() == [["a b c", "b c d"], ["é"], [""], ["x y"]]


def complains(text):
    if "bad" in text:
        raise KeyError("no such token")
    return text.split()


FAILING = tx.CallableTokenizer(complains, name="complains")
failing = pytest.mark.parametrize(
    "tokenizer",
    [
        FAILING,
        tx.ShingleTokenizer(k=2, inner=FAILING),
        tx.ShingleTokenizer(k=2, inner=tx.ShingleTokenizer(k=2, inner=FAILING)),
    ],
    ids=lambda tokenizer: tokenizer.name,
)


@failing
def test_failure_for_one_document(tokenizer):
    with pytest.raises(tx.TokenizerError) as caught:
        tokenizer.tokens("a bad one")
    assert str(caught.value) == "tokenizer error: complains failed: KeyError('no such token')"
    assert caught.value.row is None
    assert isinstance(caught.value.__cause__, KeyError)


@failing
@pytest.mark.parametrize("block_rows", [1, 2, 3, 100])
@pytest.mark.parametrize("row", [0, 4, 9])
def test_failure_names_the_row_of_the_column(tokenizer, block_rows, row):
    texts = ["fine text"] * 10
    texts[row] = "bad"
    with blocks_of(1 << 20, block_rows), pytest.raises(tx.TokenizerError) as caught:
        tokenizer.tokens(texts)
    assert caught.value.row == row
    assert caught.value.argument == "texts"
    assert str(caught.value).endswith(f"(row {row})")


@pytest.mark.parametrize("culprit", [1, None, b"bytes", "\ud800"])
def test_tokens_that_are_not_text(culprit):
    tokenizer = tx.CallableTokenizer(lambda text: ["fine", culprit], name="odd")
    with pytest.raises(tx.TokenizerError) as caught:
        tokenizer.tokens(["x"])
    assert caught.value.message == f"odd gave {culprit!r}, which is not a str of valid text"
    assert caught.value.row == 0
    assert caught.value.__notes__


def test_what_is_not_iterable():
    with pytest.raises(tx.TokenizerError, match="nothing failed: TypeError"):
        tx.CallableTokenizer(lambda text: None, name="nothing").tokens("x")


def test_interrupts_pass():
    def interrupted(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tx.CallableTokenizer(interrupted, name="interrupted").tokens(["x"])


def test_python_tokenizers_run_on_the_calling_thread():
    import threading

    seen = set()

    def spy(text):
        seen.add(threading.get_ident())
        return [text]

    with blocks_of(1, 1):
        tx.ShingleTokenizer(k=2, inner=tx.CallableTokenizer(spy, name="spy")).tokens(["a"] * 50, threads=4)
    assert seen == {threading.get_ident()}


# ── many and long documents ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("tokenizer", BUILT_IN, ids=lambda tokenizer: tokenizer.name)
def test_ten_million_empty_strings(tokenizer):
    column = tokenizer.tokens(tx.TextColumn.from_buffers(b"", np.zeros(10_000_001, np.int64)))
    assert len(column) == 10_000_000
    assert column.n_tokens == 0


def test_one_long_word():
    word = "a" * 1_000_000
    assert WORD.tokens(word) == [word]
    assert WORD.tokens(["x", word, "y"]).to_list() == [["x"], [word], ["y"]]
    assert GRAPHEME.tokens([word]).counts.tolist() == [1_000_000]
    assert tx.ShingleTokenizer(k=3).tokens(word) == [word]
    marks = "a" + "\u0301\u0323" * 500_000
    assert WORD.tokens(marks) == [marks]
    assert GRAPHEME.tokens(marks) == [marks]
    mids = "a:" * 500_000  # ends in a colon that waits in vain
    assert WORD.tokens(mids) == [mids[:-1]]
    waits = "a:\u0301" * 300_000
    assert WORD.tokens(waits) == [waits[:-2]]


def test_flags_and_conjuncts_in_a_row():
    flags = "\U0001f1e9" * 100_001
    assert GRAPHEME.tokens(flags) == ["\U0001f1e9" * 2] * 50_000 + ["\U0001f1e9"]
    conjunct = "\u0915\u094d" * 100_000 + "\u0915"
    assert GRAPHEME.tokens(conjunct) == [conjunct]
    assert WORD.tokens(flags) == []


def test_one_long_document():
    sentence = "The quick brown fóx; 3.14 日本語 can't e-mail. "
    words = WORD.tokens(sentence)
    n = 20_000_000 // len(sentence.encode())
    column = WORD.tokens([sentence * n])
    assert column.n_tokens == n * len(words)
    assert column.to_text_column()[: len(words)].to_list() == words
    assert column.to_text_column()[-len(words) :].to_list() == words
    shingles = tx.ShingleTokenizer(k=5).tokens([sentence * n])
    assert shingles.n_tokens == n * len(words) - 4
    assert tx.CharShingleTokenizer(k=3).tokens([sentence * n]).n_tokens == n * len(sentence) - 2
