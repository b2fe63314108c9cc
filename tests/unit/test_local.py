"""A model on this machine: a small encoder with attention, checked against NumPy text by text."""

import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from onnx_models import DIM, N_POSITIONS, WORDS, encode, write_graph, write_tokenizer

import txtfp_np as tx
from txtfp_np.semantic import models

for module in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(module)

TEXTS = [
    "The ferry left the harbour",
    "gulls",
    "a little after six: lamps, more words " * 3,
    "unknown things",
    "the gulls sing",
]


class Files:
    """A folder laid out like a model on the hub."""

    def __init__(self, folder):
        self.folder = folder
        self.tokenizer = folder / "tokenizer.json"
        self.vocabulary = write_tokenizer(self.tokenizer)
        self.graph = folder / "onnx" / "model.onnx"
        write_graph(self.graph, self.vocabulary)

    def provider(self, **options):
        return tx.LocalProvider.from_onnx(self.graph, self.tokenizer, **options)

    def ids(self, text, max_seq_len=512):
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_seq_len)
        return tokenizer.encode(text).ids

    def hidden(self, text, max_seq_len=512):
        return encode(self.ids(text, max_seq_len), self.vocabulary)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Files(tmp_path_factory.mktemp("model"))


def unit(vector):
    return vector / np.linalg.norm(vector)


POOLED = {
    "cls": lambda hidden: unit(hidden[0]),
    "mean": lambda hidden: unit(hidden.mean(axis=0)),
    "mean_no_norm": lambda hidden: hidden.mean(axis=0),
    "max": lambda hidden: unit(hidden.max(axis=0)),
}


@pytest.mark.parametrize("pooling", POOLED)
def test_embeddings_are_those_of_numpy(files, pooling):
    provider = files.provider(pooling=pooling)
    assert isinstance(provider, tx.EmbeddingProvider)
    assert provider.dimension == DIM
    expected = [POOLED[pooling](files.hidden(text)) for text in TEXTS]
    column = provider.embed(TEXTS)  # lengths differ, so there is padding, which must not count
    assert column.model_id == provider.model_id == "local-onnx"
    np.testing.assert_allclose(column.vectors, expected, rtol=1e-4, atol=1e-5)
    for text, vector in zip(TEXTS, expected, strict=True):
        np.testing.assert_allclose(provider.embed(text).vector, vector, rtol=1e-4, atol=1e-5)


def test_columns_keep_their_order_in_any_batches(files):
    provider = files.provider()
    generator = np.random.default_rng(5)
    texts = [" ".join(generator.choice(WORDS, generator.integers(1, 30))) for _ in range(300)]
    expected = np.stack([provider.embed(text).vector for text in texts])
    seen = []
    for batch_size in (1, 7, 1000):
        column = provider.embed(texts, batch_size=batch_size, progress=lambda done, total: seen.append((done, total)))
        np.testing.assert_allclose(column.vectors, expected, rtol=1e-4, atol=1e-5)
    assert seen[-1] == (300, 300)
    assert (7, 300) in seen
    assert provider.embed([]).vectors.shape == (0, DIM)


def test_windows_do_not_matter(files, monkeypatch):
    provider = files.provider()
    whole = provider.embed(TEXTS * 4)
    monkeypatch.setattr(sys.modules[tx.LocalProvider.__module__], "_WINDOW", 3)
    np.testing.assert_allclose(provider.embed(TEXTS * 4).vectors, whole.vectors, rtol=1e-4, atol=1e-5)
    monkeypatch.setattr(sys.modules[tx.LocalProvider.__module__], "_WINDOW_BYTES", 40)
    np.testing.assert_allclose(provider.embed(TEXTS * 4).vectors, whole.vectors, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("max_seq_len", [3, 4, 9])
def test_long_texts_lose_their_end_but_not_the_closing_token(files, max_seq_len):
    provider = files.provider(max_seq_len=max_seq_len, pooling="mean")
    ids = files.ids(TEXTS[2], max_seq_len)
    assert len(ids) == max_seq_len
    assert ids[-1] == 3
    expected = POOLED["mean"](files.hidden(TEXTS[2], max_seq_len))
    np.testing.assert_allclose(provider.embed(TEXTS[2]).vector, expected, rtol=1e-4, atol=1e-5)


def test_too_little_room_is_refused(files):
    with pytest.raises(tx.ConfigError, match="max_seq_len must be an int >= 3"):
        files.provider(max_seq_len=2)
    with pytest.raises(tx.ConfigError):
        files.provider(max_seq_len=0)


@pytest.mark.parametrize("kind", ["INT64", "INT32"])
@pytest.mark.parametrize("inputs", [("input_ids", "attention_mask"), ("attention_mask", "input_ids", "token_type_ids")])
def test_inputs_are_what_the_graph_has(files, tmp_path, kind, inputs):
    write_graph(tmp_path / "m.onnx", files.vocabulary, inputs=inputs, kind=kind)
    provider = tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer)
    assert provider.embed(TEXTS).dim == DIM


def test_positions_are_given_to_graphs_that_want_them(files, tmp_path):
    inputs = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
    write_graph(tmp_path / "m.onnx", files.vocabulary, inputs=inputs)
    provider = tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer)
    texts = ["the gulls", "a little after six: lamps"]
    expected = [unit(encode(files.ids(text), files.vocabulary, positions=True).mean(axis=0)) for text in texts]
    np.testing.assert_allclose(provider.embed(texts).vectors, expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(tx.OnnxError, match="running the model failed") as caught:
        provider.embed([*texts, "gulls " * 600])
    assert caught.value.advice == "It was given 512 tokens a text: max_seq_len may be more than it takes."
    shorter = tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer, max_seq_len=N_POSITIONS)
    assert len(shorter.embed([*texts, "gulls " * 600])) == 3


def test_outputs_are_chosen_by_name(files, tmp_path):
    expected = files.provider(pooling="mean").embed(TEXTS)
    for output in ("last_hidden_state", "token_embeddings"):  # the first one, if none is known
        write_graph(tmp_path / "m.onnx", files.vocabulary, output=output)
        assert tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer).embed(TEXTS) == expected
    write_graph(
        tmp_path / "m.onnx", files.vocabulary, output="sentence_embedding", rank=2, extra_output="last_hidden_state"
    )
    provider = tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer)
    sums = np.stack([files.hidden(text).sum(axis=0) for text in TEXTS])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    np.testing.assert_allclose(provider.embed(TEXTS).vectors, sums / lengths, rtol=1e-4, atol=1e-5)
    raw = tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer, pooling="mean_no_norm")
    np.testing.assert_allclose(raw.embed(TEXTS).vectors, sums, rtol=1e-4, atol=1e-4)


def test_a_graph_that_does_not_say_its_width(files, tmp_path):
    write_graph(tmp_path / "m.onnx", files.vocabulary, symbolic=True)
    assert tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer).dimension == DIM


def test_half_precision_comes_out_single(files, tmp_path):
    write_graph(tmp_path / "onnx" / "model_fp16.onnx", files.vocabulary, fp16=True)
    write_tokenizer(tmp_path / "tokenizer.json")
    provider = tx.LocalProvider.from_pretrained(str(tmp_path), fp16=True)
    np.testing.assert_allclose(provider.embed(TEXTS).vectors, files.provider().embed(TEXTS).vectors, atol=2e-3)
    with pytest.raises(tx.OnnxError, match=r"has no onnx/model_fp16.onnx nor model_fp16.onnx"):
        tx.LocalProvider.from_pretrained(str(files.folder), fp16=True)


def test_prefixes(files):
    provider = files.provider(query_prefix="query: ", document_prefix="passage: ")
    plain = files.provider()
    for text in TEXTS:
        assert provider.embed_query(text) == plain.embed("query: " + text)
        assert provider.embed_document(text) == provider.embed(text) == plain.embed("passage: " + text)
    assert provider.embed_query(TEXTS) == plain.embed(["query: " + text for text in TEXTS])
    e5 = files.provider(model_id="intfloat/e5-small-v2", document_prefix="")
    assert (e5.query_prefix, e5.document_prefix) == ("query: ", "")


E5 = [f"intfloat/{name}" for name in ("multilingual-e5-small", "multilingual-e5-base", "multilingual-e5-large")]
E5 += [f"intfloat/e5-{size}-v2" for size in ("small", "base", "large")]
BGE = [f"BAAI/bge-{size}-en-v1.5" for size in ("small", "base", "large")]
OTHERS = ["BAAI/bge-m3", "Snowflake/snowflake-arctic-embed-m", "mixedbread-ai/mxbai-embed-large-v1"]


def test_what_is_known_of_models():
    for name in (*BGE, *OTHERS):
        assert models.pooling_of(name) is tx.Pooling.CLS
        assert models.document_prefix_of(name) == ""
    for name in (*E5, "nomic-ai/nomic-embed-text-v1.5", "somebody/something", "baai/bge-m3"):
        assert models.pooling_of(name) is tx.Pooling.MEAN
    assert {models.query_prefix_of(name) for name in BGE} == {
        "Represent this sentence for searching relevant passages: "
    }
    assert {(models.query_prefix_of(name), models.document_prefix_of(name)) for name in E5} == {
        ("query: ", "passage: ")
    }
    assert {models.query_prefix_of(name) for name in (*OTHERS, "x")} == {""}


def test_threads_share_a_provider(files):
    provider = files.provider(intra_threads=1)
    expected = provider.embed(TEXTS)
    with ThreadPoolExecutor(6) as pool:
        assert all(found == expected for found in pool.map(lambda _: provider.embed(TEXTS), range(30)))


def test_tokens_can_be_counted_for_chunks(files):
    provider = files.provider(max_seq_len=10)
    assert provider.count_tokens("the gulls") == 4
    for n in (1, 3, 4, 5, 50):  # fewer and more than fit
        assert provider.count_tokens("the gulls " * n) == 2 + 2 * n == len(files.ids("the gulls " * n))
    assert provider.count_tokens("") == 2
    with pytest.raises(tx.InvalidInputError, match="text must be a str, got bytes"):
        provider.count_tokens(b"the")
    text = "The gulls left. " * 20
    strategy = tx.ChunkingStrategy(max_tokens=10, overlap=0, count_tokens=provider.count_tokens)
    chunks = tx.chunk_for_model(text, strategy)
    assert len(chunks) > 5
    assert max(len(files.ids(chunk)) for chunk in chunks) <= 10
    # The limit may be above that of the model: of another model, or to embed only the begin of a chunk.
    strategy = tx.ChunkingStrategy(max_tokens=22, overlap=0, count_tokens=provider.count_tokens)
    assert [len(files.ids(chunk)) for chunk in tx.chunk_for_model(text, strategy)] == [22] * 4


# ── where files come from ───────────────────────────────────────────────────────────────────────
def hub_cache(folder, files, name="org/tiny"):
    """A cache as the hub's library leaves it: references and snapshots."""
    root = folder / f"models--{name.replace('/', '--')}"
    commit = "0123456789abcdef0123456789abcdef01234567"
    (root / "refs").mkdir(parents=True)
    (root / "refs" / "main").write_text(commit)
    snapshot = root / "snapshots" / commit
    (snapshot / "onnx").mkdir(parents=True)
    (snapshot / "onnx" / "model_quantized.onnx").write_bytes(files.graph.read_bytes())
    (snapshot / "tokenizer.json").write_bytes(files.tokenizer.read_bytes())
    return folder


def test_from_the_cache_without_a_network(files, tmp_path):
    pytest.importorskip("huggingface_hub")
    cache = hub_cache(tmp_path, files)
    provider = tx.LocalProvider.from_pretrained("org/tiny", cache_dir=cache, local_files_only=True)
    assert provider.model_id == "org/tiny"
    assert provider.embed(TEXTS).vectors.tolist() == files.provider().embed(TEXTS).vectors.tolist()
    with pytest.raises(tx.OnnxError, match=r"org/other has no .* in the cache, and the network is not to be asked"):
        tx.LocalProvider.from_pretrained("org/other", cache_dir=cache, local_files_only=True)
    with pytest.raises(tx.OnnxError, match=r"has no vocab.json in the cache"):
        tx.LocalProvider.from_pretrained(
            "org/tiny", tokenizer_path="vocab.json", cache_dir=cache, local_files_only=True
        )
    with pytest.raises(tx.OnnxError, match="cannot get"):
        tx.LocalProvider.from_pretrained("not/a/name", cache_dir=cache, local_files_only=True)


def test_from_a_folder(files):
    provider = tx.LocalProvider.from_pretrained(str(files.folder), model_id="mine", pooling="cls")
    assert repr(provider) == f"LocalProvider('mine', dimension={DIM}, pooling='cls')"
    assert tx.LocalProvider.from_pretrained(files.folder).model_id == str(files.folder)
    with pytest.raises(tx.ConfigError, match="name must be a non-empty str, got 3"):
        tx.LocalProvider.from_pretrained(3)
    with pytest.raises(tx.OnnxError, match=r"has no other.onnx$"):
        tx.LocalProvider.from_pretrained(str(files.folder), onnx_path="other.onnx")
    for options in ({"onnx_path": 3}, {"tokenizer_path": None}, {"fp16": "yes"}, {"fp16": True, "onnx_path": "m.onnx"}):
        with pytest.raises(tx.ConfigError) as caught:
            tx.LocalProvider.from_pretrained(str(files.folder), **options)
        assert caught.value.argument == next(iter(options))
    with pytest.raises(tx.OnnxError, match=r"has no other.json$"):
        tx.LocalProvider.from_pretrained(str(files.folder), tokenizer_path="other.json")


# ── errors ──────────────────────────────────────────────────────────────────────────────────────
def test_files_that_cannot_be_used(files, tmp_path):
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x00 neither graph nor JSON")
    with pytest.raises(tx.OnnxError, match=r"cannot load .*broken"):
        tx.LocalProvider.from_onnx(broken, files.tokenizer)
    with pytest.raises(tx.TokenizerError, match=r"cannot load .*broken"):
        tx.LocalProvider.from_onnx(files.graph, broken)
    with pytest.raises(FileNotFoundError, match="onnx_path: no file"):
        tx.LocalProvider.from_onnx(tmp_path / "none", files.tokenizer)
    with pytest.raises(FileNotFoundError, match="tokenizer_path: no file"):
        tx.LocalProvider.from_onnx(files.graph, tmp_path / "none")


def test_a_tokenizer_that_panics(files, tmp_path):
    """A special token that its template names and does not have: Rust gives up, and Python sees no Exception."""
    told = json.loads(files.tokenizer.read_text())
    del told["post_processor"]["special_tokens"]["[CLS]"]
    (tmp_path / "t.json").write_text(json.dumps(told))
    provider = tx.LocalProvider.from_onnx(files.graph, tmp_path / "t.json")
    with pytest.raises(tx.TokenizerError, match="the model's tokenizer failed: "):
        provider.embed("gulls")
    with pytest.raises(tx.TokenizerError, match="the model's tokenizer failed: "):
        provider.count_tokens("gulls")


@pytest.mark.parametrize("change", ["cut", "no vocabulary", "another kind"])
def test_tokenizers_that_are_damaged(files, tmp_path, change):
    text = files.tokenizer.read_text()
    told = json.loads(text)
    if change == "no vocabulary":
        told["model"]["vocab"] = {}
    if change == "another kind":
        told["model"]["type"] = "BPE"
    (tmp_path / "t.json").write_text(text[:900] if change == "cut" else json.dumps(told))
    with pytest.raises(tx.TokenizerError):
        tx.LocalProvider.from_onnx(files.graph, tmp_path / "t.json").embed("gulls")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_graphs_that_are_cut(files, tmp_path, share):
    content = files.graph.read_bytes()
    (tmp_path / "m.onnx").write_bytes(content[: int(share * len(content))])
    with pytest.raises(tx.OnnxError, match="cannot load"):
        tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer)


def test_a_vocabulary_that_is_too_large_for_the_graph(files, tmp_path):
    write_graph(tmp_path / "m.onnx", 5)  # rows for five tokens
    provider = tx.LocalProvider.from_onnx(tmp_path / "m.onnx", files.tokenizer)
    with pytest.raises(tx.OnnxError, match="running the model failed"):
        provider.embed("gulls")


def test_a_tokenizer_without_special_tokens(files, tmp_path):
    write_tokenizer(tmp_path / "t.json", special=False)
    provider = tx.LocalProvider.from_onnx(files.graph, tmp_path / "t.json", max_seq_len=1)
    assert provider.embed(" ").vector.tolist() == [0] * DIM  # no token at all
    assert provider.embed("the ferry") == provider.embed("the")


def test_documents(files):
    provider = files.provider()
    with pytest.raises(tx.InvalidInputError, match=r"empty document \(row 1\)"):
        provider.embed(["a", None])
    with pytest.raises(tx.InvalidInputError, match=r"empty document$"):
        provider.embed("")
    assert provider.embed(b"gulls") == provider.embed("gulls")
    with pytest.raises(tx.InvalidInputError, match=r"invalid UTF-8 at byte 0\n") as caught:
        provider.embed(b"\xff")
    assert caught.value.row is None
    with pytest.raises(tx.InvalidInputError, match=r"invalid UTF-8 at byte 1 \(row 2\)"):
        provider.embed(["a", "b", b"c\xff"])


@pytest.mark.parametrize(
    "options",
    [
        {"pooling": "median"},
        {"intra_threads": 0},
        {"intra_threads": 10**12},
        {"model_id": ""},
        {"execution_providers": "cpu"},
        {"execution_providers": ["quantum"]},
        {"execution_providers": []},
        {"query_prefix": 3},
    ],
)
def test_options(files, options):
    with pytest.raises(tx.ConfigError) as caught:
        files.provider(**options)
    assert caught.value.argument == next(iter(options))


def test_unknown_options(files):
    with pytest.raises(TypeError, match="unexpected options: speed"):
        files.provider(speed="high")
    with pytest.raises(tx.ConfigError, match="batch_size"):
        files.provider().embed(["a"], batch_size=0)


def test_providers_travel(files, monkeypatch, tmp_path):
    monkeypatch.chdir(files.folder)
    provider = tx.LocalProvider.from_onnx(
        "onnx/model.onnx", "tokenizer.json", model_id="intfloat/e5-small-v2", pooling="max", max_seq_len=9
    )
    pickled = pickle.dumps(provider)
    assert len(pickled) < 2000
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(pickled)
    assert repr(again) == repr(provider)
    assert again.embed_query(TEXTS) == provider.embed_query(TEXTS)
    (tmp_path / "onnx").mkdir()
    for file in ("onnx/model.onnx", "tokenizer.json"):
        (tmp_path / file).write_bytes((files.folder / file).read_bytes())
    pickled = pickle.dumps(tx.LocalProvider.from_onnx("onnx/model.onnx", "tokenizer.json"))
    (tmp_path / "onnx" / "model.onnx").unlink()
    with pytest.raises(FileNotFoundError, match="onnx_path: no file"):
        pickle.loads(pickled)


def test_embeddings_travel(files):
    column = files.provider().embed(TEXTS)
    assert pickle.loads(pickle.dumps(column)) == column
