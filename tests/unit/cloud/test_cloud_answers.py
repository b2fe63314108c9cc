"""Answers of a service that lies."""

import sys

import pytest
from cloud_server import KEY, answer, good, says

import txtfp_np as tx

pytest.importorskip("httpx")

ITEM = {"index": 0, "embedding": [1, 2, 3]}


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ({"data": []}, tx.EmptyEmbeddingError, "provider returned no embeddings"),
        ({"data": [ITEM]}, tx.HttpError, "answered 1 embeddings for 2 texts"),
        ({"data": [ITEM] * 3}, tx.HttpError, "index 0 of 3 embeddings"),
        ({"data": [ITEM, ITEM]}, tx.HttpError, "index 0 of 2 embeddings"),
        ({"data": [ITEM, {"index": 5, "embedding": [1, 2, 3]}]}, tx.HttpError, "index 5 of 2 embeddings"),
        ({"data": [ITEM, {"index": -1, "embedding": [1, 2, 3]}]}, tx.HttpError, "index -1"),
        ({"data": [ITEM, {"index": 1, "embedding": [1, 2]}]}, tx.HttpError, "rows of one length"),
        ({"data": [ITEM, {"index": 1, "embedding": [1, "x", 3]}]}, tx.HttpError, "something else than embeddings"),
        ({"data": [ITEM, {"index": 1, "embedding": [1, None, 3]}]}, tx.HttpError, "something else than embeddings"),
        (b'{"data": [{"embedding": [1, NaN, 3]}, {"embedding": [1, 2, 3]}]}', tx.HttpError, "non-finite"),
        ({"data": [{"embedding": [1, 2]}, {"embedding": [3, 4]}]}, tx.DimensionMismatchError, "a = 3, b = 2"),
        ({"data": [{"embedding": []}, {"embedding": []}]}, tx.HttpError, "vector is empty"),
        ({"data": [{"embedding": "AAAA"}, {"embedding": "AAAA"}]}, tx.HttpError, "something else than embeddings"),
        ({"data": None}, tx.HttpError, "something else than embeddings"),
        ({"data": 5}, tx.HttpError, "something else than embeddings"),
        ({"data": [ITEM, {"index": "1", "embedding": [1, 2, 3]}]}, tx.HttpError, "something else than embeddings"),
        ({"data": [ITEM, {"index": 0.5, "embedding": [1, 2, 3]}]}, tx.HttpError, "something else than embeddings"),
        (b'{"data": [{"embedding": [1, 2, 3]}, {"embedding": [1, 1e400, 3]}]}', tx.HttpError, r"\(row 1\)"),
        ({"data": [1, 2]}, tx.HttpError, "something else than embeddings"),
        ({"error": "none"}, tx.HttpError, "something else than embeddings"),
        ([], tx.HttpError, "something else than embeddings"),
        (b"<html>", tx.HttpError, "something else than embeddings"),
        (b"", tx.HttpError, "something else than embeddings"),
        (b"\xff\xfe", tx.HttpError, "something else than embeddings"),
        (b"[" * 100_000, tx.HttpError, "something else than embeddings"),
    ],
)
def test_answers_that_lie(content, error, message, server, provider, clock):
    server.script = [says(content)]
    with pytest.raises(error, match=message):
        provider.embed_batch(["a", "b"])
    assert clock.slept == []


def test_errors_of_answers_that_look_well_are_shown(server, provider):
    server.script = [says({"error": {"message": f"model overloaded, {KEY}"}})]
    with pytest.raises(tx.HttpError, match="KeyError") as caught:
        provider.embed("a")
    assert caught.value.advice == 'The service says: {"error": {"message": "model overloaded, <key>"}}'


@pytest.mark.parametrize("content", [5, True, "ab", {"float": [[1, 2, 3]]}, [[1, 2, 3], None], [5, 6], [[[1]], [[2]]]])
def test_numbered_by_nothing_but_their_place(content, server, clock):
    server.script = [says({"embeddings": content})]
    with tx.CohereProvider(KEY, base_url=server.url, retry=clock.policy()) as provider:  # noqa: SIM117
        with pytest.raises(tx.HttpError, match="Cohere answered something else than embeddings"):
            provider.embed_batch(["a", "b"])
    assert len(server.requests) == 1


def test_rows_are_those_of_the_column(server, provider):
    server.script = [good, says(b'{"data": [{"embedding": [1, 2, 3]}, {"embedding": [NaN, 2, 3]}]}')]
    with pytest.raises(tx.HttpError, match=r"non-finite values \(row 2\)$") as caught:
        provider.embed_batch(["a" * 300_000, "b", "c"])
    assert caught.value.row == 2
    server.script = [says(b'{"data": [{"embedding": [NaN, 2, 3]}]}')]
    with pytest.raises(tx.HttpError, match=r"non-finite values$"):
        provider.embed("a")


def test_answers_without_end(server, provider, clock, monkeypatch):
    monkeypatch.setattr(sys.modules[tx.OpenAiProvider.__mro__[1].__module__], "_MAX_ANSWER", 50_000)
    server.script = [says(b" " * 1_000_000)]
    with pytest.raises(tx.HttpError, match="OpenAI answered more than 50000 bytes"):
        provider.embed("abc")
    assert clock.slept == []


def test_later_batches_must_agree(server, clock):
    server.script = [good, says({"data": [{"embedding": [1, 2]}]})]
    with tx.OpenAiProvider(KEY, model="x", base_url=server.url, retry=clock.policy()) as provider:  # noqa: SIM117
        with pytest.raises(tx.DimensionMismatchError, match="a = 3, b = 2"):
            provider.embed_batch(["a" * 200_000, "b" * 200_000])


def test_content_that_cannot_be_unpacked(server, provider, clock):
    server.script = [lambda handler, body: answer(handler, 200, b"no gzip", [("content-encoding", "gzip")])]
    with pytest.raises(tx.HttpError, match="OpenAI send: "):
        provider.embed("abc")
    assert clock.slept == []
