"""What embedding services are asked, and what a provider may be given. No test sleeps."""

import numpy as np
import pytest
from cloud_server import KEY, vector

import txtfp_np as tx

pytest.importorskip("httpx")

PROVIDERS = [tx.OpenAiProvider, tx.VoyageProvider, tx.CohereProvider]
every_provider = pytest.mark.parametrize("make", PROVIDERS)


@every_provider
def test_embeddings_come_in_order(make, server):
    with make(KEY, base_url=server.url, dimension=3) as provider:
        assert isinstance(provider, tx.EmbeddingProvider)
        assert provider.embed("four") == tx.Embedding(vector("four"), provider.model_id)
        texts = ["a" * n for n in range(1, 400)]
        column = provider.embed_batch(texts)
        assert column == tx.EmbeddingColumn([vector(text) for text in texts], provider.model_id)
        sizes = [len(body.get("texts", body.get("input"))) for _, _, body in server.requests[1:]]
        assert max(sizes) <= provider._max_texts
        assert sum(sizes) == 399
        assert len(sizes) == -(-399 // provider._max_texts)
    path, headers, body = server.requests[0]
    assert path == f"/v1/{provider._path}"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body["model"] == provider.model_id


@pytest.mark.parametrize(
    ("make", "types"),
    [
        (tx.OpenAiProvider, [None]),
        (tx.VoyageProvider, ["document", "query"]),
        (tx.CohereProvider, ["search_document", "search_query", "classification", "clustering"]),
    ],
)
def test_input_types(make, types, server):
    with make(KEY, base_url=server.url, dimension=3) as provider:
        provider.embed("a")
        assert server.requests[-1][2].get("input_type") == types[0]
        for kind in types:
            provider.embed_batch(["a"], kind)
            assert server.requests[-1][2].get("input_type") == kind
        with pytest.raises(tx.ConfigError, match=r"input_type must be .*, got 'essay'"):
            provider.embed_batch(["a"], "essay")


@pytest.mark.parametrize(
    ("make", "types"),
    [
        (tx.OpenAiProvider, (None, None)),
        (tx.VoyageProvider, ("document", "query")),
        (tx.CohereProvider, ("search_document", "search_query")),
    ],
)
def test_queries_are_sent_as_such(make, types, server):
    from txtfp_np.semantic.sources import embed_texts

    with make(KEY, base_url=server.url, dimension=3) as provider:
        for queries, kind in zip((False, True), types, strict=True):
            assert embed_texts(provider, tx.TextColumn(["a", "bc"]), queries=queries).vectors[1, 0] == 2
            assert server.requests[-1][2].get("input_type") == kind


def test_prompts_of_the_service_count(server):
    """A text of 136 bytes counts 200 with what the service puts around it, so that 120,000 bytes hold 600."""
    with tx.VoyageProvider(KEY, base_url=server.url, dimension=3) as provider:
        assert len(provider.embed_batch(["a" * 136] * 1000)) == 1000
        assert len(provider.embed_batch(["a" * 10] * 1500)) == 1500
    assert [len(body["input"]) for _, _, body in server.requests] == [600, 400, 1000, 500]


def test_batches_are_cut_by_bytes_too(server, provider):
    texts = ["é" * 60_000, "b", "c" * 200_000, "d" * 99_999, "e" * 400_000, "f"]
    assert len(provider.embed_batch(texts)) == 6
    assert [len(body["input"]) for _, _, body in server.requests] == [2, 2, 1, 1]


def test_no_texts_no_request(server, provider):
    assert len(provider.embed_batch([])) == 0
    assert provider.embed_batch([]).dim == 3
    assert server.requests == []


def test_what_is_refused_is_not_sent(server, provider):
    for texts in (["a", ""], ["a", None]):
        with pytest.raises(tx.InvalidInputError, match=r"empty document \(row 1\)"):
            provider.embed_batch(texts)
    with pytest.raises(tx.InvalidInputError, match=r"empty document$"):
        provider.embed("")
    with pytest.raises(tx.InvalidInputError, match=r"texts must be a column: \[text\]"):
        provider.embed_batch("text")
    with pytest.raises(tx.InvalidInputError, match="expected one text, got list"):
        provider.embed(["text"])
    assert server.requests == []


@pytest.mark.parametrize(
    ("make", "models"),
    [
        (
            tx.OpenAiProvider,
            {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536, "x": 1536},
        ),
        (
            tx.VoyageProvider,
            {"voyage-3-lite": 512, "voyage-3": 1024, "voyage-large-2": 1536, "voyage-code-2": 1536, "x": 1024},
        ),
        (
            tx.CohereProvider,
            {
                "embed-english-v3.0": 1024,
                "embed-english-light-v3.0": 384,
                "embed-multilingual-light-v3.0": 384,
                "x": 1024,
            },
        ),
    ],
)
def test_models(make, models):
    provider = make(KEY)
    assert provider.model_id == next(iter(models))
    for model, dimension in models.items():
        assert provider.with_model(model).dimension == dimension
        assert provider.with_model(model).model_id == model
    assert provider.with_base_url("http://localhost:1/v2/").base_url == "http://localhost:1/v2"
    assert provider.with_model("x", dimension=7).dimension == 7


def test_threads_share_a_provider(server, provider):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: provider.embed("a" * n).vector[0], range(1, 60)))
    assert np.array_equal(found, np.arange(1, 60))


def test_a_closed_provider_opens_again(server, provider):
    provider.embed("a")
    provider.close()
    assert provider.embed("ab").vector[0] == 2


def test_progress(server, provider):
    seen = []
    provider.embed_batch(["a" * 200_000] * 3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    "options",
    [
        {"model": ""},
        {"model": 3},
        {"base_url": "api.openai.com"},
        {"base_url": "http://[::1"},
        {"base_url": "http://"},
        {"base_url": "http:///v1"},
        {"base_url": "ftp://host/v1"},
        {"base_url": "https://user:password@host/v1"},
        {"base_url": "https://host/v1?version=1"},
        {"base_url": "https://host/v1#part"},
        {"base_url": "http://host:99999"},
        {"dimension": 0},
        {"timeout": 0},
        {"timeout": True},
        {"retry": 3},
    ],
)
def test_options(options):
    with pytest.raises(tx.ConfigError) as caught:
        tx.OpenAiProvider(KEY, **options)
    assert caught.value.argument == next(iter(options))


def test_addresses_do_not_show_passwords():
    with pytest.raises(tx.ConfigError) as caught:
        tx.OpenAiProvider(KEY, base_url="https://user:password@host/v1")
    assert "user:password" not in str(caught.value)


@pytest.mark.parametrize("key", ["", None, b"key", "ключ", "a\nb", "key ", " key", "a b", "key\r\n", "a\x7f"])
def test_keys(key):
    with pytest.raises(tx.ConfigError, match="api_key must be a non-empty str"):
        tx.OpenAiProvider(key)
