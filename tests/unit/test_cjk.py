"""Words by dictionaries: the crate's tokens for jieba, own names for the others, and no stand-ins."""

import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import txtfp_np as tx
from txtfp_np.tokenize import cjk

DATA = Path(__file__).resolve().parent.parent / "data"


@pytest.mark.parametrize(("hmm", "field"), [(False, "cjk_jieba_tokens"), (True, "cjk_jieba_hmm_tokens")])
def test_jieba_is_the_crates(hmm, field):
    pytest.importorskip("rjieba")
    vectors = json.loads((DATA / "txtfp-0.2.2.json").read_text(encoding="utf-8"))["vectors"]
    tokenizer = tx.CjkTokenizer("jieba", hmm=hmm)
    expected = [vector[field] for vector in vectors]
    assert sum(map(len, expected)) > 3000
    assert tokenizer.tokens([vector["canonical"] for vector in vectors]).to_list() == expected
    assert [tokenizer.tokens(vector["canonical"]) for vector in vectors] == expected


def test_mecab():
    pytest.importorskip("fugashi")
    pytest.importorskip("ipadic")
    tokenizer = tx.CjkTokenizer("mecab-ipadic")
    expected = ["吾輩", "は", "猫", "で", "ある", "。", "名前", "は", "まだ", "無い", "。"]
    assert tokenizer.tokens("吾輩は猫である。名前はまだ無い。") == expected
    assert tokenizer.tokens("吾輩は猫で\0ある。\n\n\u3000名前は まだ\x1c無い。\0") == expected
    assert tokenizer.name == "cjk-mecab-ipadic"
    assert tokenizer.tokens("吾輩は猫である。" * 50_000) == expected[:6] * 50_000
    for line in ("a" * 200_000, "漢字" * 300_000, "アあ𠀀" * 100_000):  # which end the process, as they stand
        assert "".join(tokenizer.tokens(line)) == line


@pytest.mark.slow
def test_kiwi():
    pytest.importorskip("kiwipiepy")
    tokenizer = tx.CjkTokenizer("kiwi")
    assert {"형태소", "분석기"} <= set(tokenizer.tokens("형태소 분석기를 씁니다."))
    assert tokenizer.name.startswith("cjk-kiwi-0.")
    assert tokenizer.tokens([" ", None]).to_list() == [[], []]


def test_threads_share_an_engine(monkeypatch):
    pytest.importorskip("ipadic")
    monkeypatch.setattr(cjk, "_engines", {})
    text = "東京都に住んでいる人は多い。" * 20
    expected = tx.CjkTokenizer("mecab-ipadic").tokens(text)
    monkeypatch.setattr(cjk, "_engines", {})
    loaded = []
    load = cjk._LOADERS[cjk.CjkSegmenter.MECAB_IPADIC]
    monkeypatch.setitem(cjk._LOADERS, cjk.CjkSegmenter.MECAB_IPADIC, lambda: loaded.append(1) or load())
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: tx.CjkTokenizer("mecab-ipadic").tokens(text), range(40)))
    assert results == [expected] * 40
    assert loaded == [1]


def test_works_as_a_tokenizer():
    pytest.importorskip("rjieba")
    tokenizer = pickle.loads(pickle.dumps(tx.CjkTokenizer("jieba", hmm=True)))
    assert tokenizer == tx.CjkTokenizer(tx.CjkSegmenter.JIEBA, hmm=True)
    assert tokenizer.name == "cjk-jieba-hmm"
    assert tx.CjkTokenizer().name == "cjk-jieba"
    fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2, inner=tx.CjkTokenizer()))
    a, b = fp.fingerprint(["我们中出了一个叛徒", "我们中出了两个叛徒"])
    assert 0 < tx.jaccard(a, b) < 1
    assert tx.ShingleTokenizer(k=2, inner=tx.CjkTokenizer()).name == "shingle-k=2/cjk-jieba"


@pytest.mark.parametrize(
    ("segmenter", "missing"), [("jieba", "rjieba"), ("mecab-ipadic", "ipadic"), ("kiwi", "kiwipiepy")]
)
def test_a_missing_engine_has_no_stand_in(monkeypatch, segmenter, missing):
    monkeypatch.setattr(cjk, "find_spec", lambda name: None if name == missing else sys)
    with pytest.raises(tx.FeatureDisabledError, match=r'feature `cjk` is not installed: pip install "txtfp-np\[cjk\]"'):
        tx.CjkTokenizer(segmenter)
    monkeypatch.undo()
    if segmenter == "kiwi":  # its name asks for the version of its models
        pytest.importorskip("kiwipiepy_model")
    monkeypatch.setattr(cjk, "_engines", {})
    cjk._jieba_dictionary.cache_clear()
    monkeypatch.setitem(sys.modules, missing, None)  # as Python has it for a module that is not there
    monkeypatch.setattr(cjk, "find_spec", lambda name: sys)
    with pytest.raises(tx.TokenizerError) as caught:
        tx.CjkTokenizer(segmenter).tokens("文")
    assert isinstance(caught.value.__cause__, tx.FeatureDisabledError)


def test_an_engine_that_splits_otherwise_is_refused():
    """The answer of rjieba 0.2.2."""
    pytest.importorskip("rjieba")
    with pytest.raises(tx.TokenizerError, match="splits otherwise than the crate's jieba") as caught:
        cjk._check_jieba(["forty-two", " ", "v1.2", " ", "我们"])
    assert caught.value.__notes__ == ['pip install "rjieba<0.2.2"']


@pytest.mark.parametrize(
    ("arguments", "argument"), [(("lindera",), "segmenter"), (("jieba", 1), "hmm"), (("kiwi", True), "hmm")]
)
def test_options(arguments, argument):
    with pytest.raises(tx.ConfigError) as caught:
        tx.CjkTokenizer(*arguments)
    assert caught.value.argument == argument
