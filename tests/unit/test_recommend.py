"""Proposals for columns: by script, by length, and with reasons."""

import pytest

import txtfp_np as tx

GERMAN = (
    "Der Fährmann sah den alten Brief lange an, dann faltete er ihn und steckte ihn in die Tasche seiner Jacke. " * 2
)
CHINESE = "渡船在六点过后不久离开港口，码头上的灯还亮着，渔民们还没有收起他们的网。" * 3


@pytest.mark.parametrize(
    ("texts", "name", "threshold"),
    [
        ([GERMAN] * 3, "shingle-k=3/word-uax29", 0.4),
        ([GERMAN, CHINESE], "char-k=5", 0.5),
        ([CHINESE], "char-k=5", 0.4),
        (["วันนี้อากาศดีมากเราไปเดินเล่นกันเถอะ"], "char-k=3", 0.5),
        (["วันนี้อากาศดีมากเราไปเดินเล่นกันเถอะ" * 3], "char-k=5", 0.4),
        (["渡船几点离开港口", "码头上的灯还亮着吗？"], "char-k=2", 0.5),
        (["渡船 ferry", "码头 harbour lights"], "char-k=2", 0.5),
        (["渡船 ferry timetable of the summer"], "char-k=3", 0.5),
        (["two words", "three more words"], "char-k=3", 0.5),
        ([GERMAN[:90]], "char-k=5", 0.5),
        (["조선 시대의 궁궐은 모두 다섯 곳이 남아 있으며 그 가운데 가장 큰 것은 " * 5], "shingle-k=3/word-uax29", 0.4),
    ],
)
def test_proposals(texts, name, threshold):
    found = tx.recommend(texts)
    assert found.tokenizer.name == name
    assert found.threshold == threshold
    assert f"k={found.k}" in name
    assert len(found.reasons) >= 3
    assert sum(share for _, share in found.scripts) == pytest.approx(1)
    assert tx.MinHashFingerprinter(tokenizer=found.tokenizer).fingerprint(texts).shape == (len(texts),)


def test_short_texts_with_an_edit_are_found():
    """Questions of a dozen characters, each with one character replaced."""
    questions = ["渡船几点离开港口呢？", "码头上的灯还亮着吗？", "渔民什么时候收起网？", "今天的海风会不会大？"]
    edited = ["渡船几点离开海口呢？", "码头上的灯还开着吗？", "渔民什么时候收回网？", "今天的海风是不会大？"]
    found = tx.recommend(questions + edited)
    fingerprinter = tx.MinHashFingerprinter(tokenizer=found.tokenizer)
    alike = tx.jaccard(fingerprinter.fingerprint(questions), fingerprinter.fingerprint(edited))
    assert (alike >= found.threshold).all()
    assert any("short texts (10 characters" in reason for reason in found.reasons)


def test_rows_without_text_are_no_short_texts():
    assert tx.recommend([CHINESE, None, "", None, ""]).k == 5


def test_terms_in_latin_letters_do_not_make_a_column_mixed():
    """Pages about software: most letters are Latin, but every page is Chinese."""
    page = CHINESE + " HyperText Transfer Protocol, Application Programming Interface" * 5
    found = tx.recommend([page] * 3)
    assert dict(found.scripts)["Latin"] > 0.7
    assert (found.k, found.threshold) == (5, 0.4)
    assert tx.recommend([page, GERMAN]).threshold == 0.5


def test_engines_are_named():
    assert any('CjkTokenizer("jieba")' in reason for reason in tx.recommend([CHINESE]).reasons)
    assert any('CjkTokenizer("mecab-ipadic")' in reason for reason in tx.recommend(["これはペンです。漢字"]).reasons)
    assert not any("CjkTokenizer" in reason for reason in tx.recommend([GERMAN]).reasons)


def test_large_columns_are_sampled():
    assert tx.recommend([GERMAN, None] * 5000).scripts[0][0] == "Latin"


def test_nothing_to_go_by():
    for texts in ([], ["", None], ["123 !"]):
        with pytest.raises(tx.InvalidInputError, match="no letters in any text"):
            tx.recommend(texts)
