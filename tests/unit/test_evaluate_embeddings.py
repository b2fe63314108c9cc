"""Rows of the H3D benchmark for embeddings: given as a file, or made by a model."""

import json
import re
import shutil

import numpy as np
import pytest
from judged_papers import WORDS, csfcube
from onnx_models import write_graph, write_tokenizer

import txtfp_np as tx
from txtfp_np import evaluate as ev
from txtfp_np.cli import main
from txtfp_np.cli.embeddings import paper_codes

DIM = 24


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return csfcube(tmp_path_factory.mktemp("csfcube"))


def vectors_of(collection, kind):
    """One vector a text: any will do, if a text always has the same."""
    rows = []
    for text in ev.make_task(collection, kind).texts:
        rng = np.random.default_rng(sum(map(ord, text)))
        rows.append(rng.normal(size=DIM))
    return np.array(rows, np.float32)


def rows_by_name(capsys):
    return {(row["method"], row["text"]): row for row in json.loads(capsys.readouterr().out)["rows"]}


def test_embeddings_in_the_order_of_the_written_texts(data, tmp_path, capsys):
    collection = ev.read_collection(data)
    command = ["evaluate", "h3d", "--data", str(data)]
    assert main([*command, "--texts", str(tmp_path / "texts.jsonl")]) == 0
    assert "152 texts written" in capsys.readouterr().out
    lines = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["kind"] for line in lines] == ["facet"] * 114 + ["paper"] * 38
    assert [line["text"] for line in lines[114:]] == list(ev.make_task(collection, "paper").texts)

    facet, paper = vectors_of(collection, "facet"), vectors_of(collection, "paper")
    np.save(tmp_path / "mine.npy", np.concatenate([facet, paper]))
    assert main([*command, "--json", "--only", "mine", "--embeddings", str(tmp_path / "mine.npy")]) == 0
    found = rows_by_name(capsys)
    names = ["mine", *(f"mine, {label}" for label in paper_codes(DIM))]
    assert list(dict.fromkeys(found)) == [(name, kind) for kind in ("facet", "paper") for name in names]
    np.savez(tmp_path / "papers.npz", paper=paper)
    assert main([*command, "--json", "--only", "papers", "--embeddings", str(tmp_path / "papers.npz")]) == 0
    again = rows_by_name(capsys)
    assert [key for key in again if key[1] == "facet"] == []
    for label in ("", f", {DIM} signs", ", HyperplaneHash 128, 4 parts"):
        assert again[f"papers{label}", "paper"]["metrics"] == found[f"mine{label}", "paper"]["metrics"]


def test_measures_and_codes_are_what_their_names_say(data):
    collection = ev.read_collection(data)
    task = ev.make_task(collection, "paper")
    vectors = vectors_of(collection, "paper")
    vectors[:, 3] = 1  # the same everywhere: no variance
    codes = {"signs": tx.BinaryHash(DIM)}
    rows = ev.run_h3d(
        collection, ev.embedding_methods("mine", lambda texts: vectors[: len(texts)], codes, texts=("paper",))
    )
    by_measure = {measure: row for row in rows for measure in row.measures if row.method == "mine"}
    assert set(by_measure) == {"cosine", "manhattan", "mahalanobis", "mahalanobis by variance"}
    a, b = vectors[task.i].astype(float), vectors[task.j].astype(float)
    scale = np.where(vectors.std(axis=0, dtype=float) == 0, 1, vectors.std(axis=0, dtype=float))
    expected = {
        "cosine": (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1),
        "manhattan": -np.abs(a - b).sum(axis=1),
        "mahalanobis": -np.linalg.norm(a - b, axis=1),
        "mahalanobis by variance": -np.linalg.norm((a - b) / scale, axis=1),
    }
    for measure, scores in expected.items():
        wanted = ev.average_precision(task.relevance >= 2, scores, task.unit)
        np.testing.assert_allclose(by_measure[measure].metrics["average_precision"], wanted, atol=1e-6)
    (signs,) = (row for row in rows if row.method == "mine, signs" and "hamming" in row.measures)
    equal = ((a > 0) == (b > 0)).sum(axis=1)
    wanted = ev.average_precision(task.relevance >= 2, equal, task.unit)
    np.testing.assert_allclose(signs.metrics["average_precision"], wanted)
    assert (signs.n_bytes, by_measure["cosine"].n_bytes) == (DIM / 8, 4 * DIM)


def test_each_column_is_embedded_once_and_its_seconds_count_for_every_code(data):
    collection = ev.read_collection(data)
    asked = []

    def embed(texts):
        asked.append(len(texts))
        return vectors_of(collection, "paper")[: len(texts)]

    codes = {"signs": tx.BinaryHash(DIM), "few": tx.BinaryHash(8)}
    rows = ev.run_h3d(collection, ev.embedding_methods("mine", embed, codes, texts=("paper",)))
    assert asked.count(38) == 1
    assert set(asked) == {2, 38}  # two texts to warm up
    assert min(row.fingerprint_seconds for row in rows) >= rows[0].fingerprint_seconds / 2 > 0
    with pytest.raises(tx.InvalidInputError, match="a row of floats for each of the 2 texts"):
        ev.run_h3d(collection, ev.embedding_methods("mine", lambda texts: np.zeros(3), codes))


def test_codes_that_can_be_made():
    assert list(paper_codes(384)) == [
        "384 signs",
        *(f"BinaryHash {bits}" for bits in (32, 64, 128)),
        *(f"HyperplaneHash 128, {parts}" for parts in ("8 parts", "4 parts", "1 part")),
    ]
    assert list(paper_codes(3)) == ["3 signs", "HyperplaneHash 128, 1 part"]
    for dim in (1, 7, 64, 384):
        for code in paper_codes(dim).values():
            assert code.fingerprint(np.ones((2, dim))).shape == (2, -(-code.bits // 8))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.zeros((5, 3), np.float32), "must hold 152 rows, one a text"),
        ({"facet": np.zeros((5, 3), np.float32)}, "'facet' of .* must hold 114 rows of floats"),
        ({"paper": np.zeros((38, 3), np.int64)}, "'paper' of .* must hold 38 rows of floats"),
        ({"other": np.zeros((38, 3))}, "must hold an array 'facet' or 'paper', got other"),
        ({"paper": np.full((38, 3), np.nan)}, "must be finite"),
        (b"no arrays", "holds no arrays of NumPy"),
    ],
)
def test_embeddings_that_do_not_fit(data, tmp_path, capsys, content, message):
    path = tmp_path / ("mine.npz" if isinstance(content, dict) else "mine.npy")
    if isinstance(content, dict):
        np.savez(path, **content)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content)
    assert main(["evaluate", "h3d", "--data", str(data), "--embeddings", str(path)]) == 1
    assert re.search(message, capsys.readouterr().err)


def test_a_model_embeds_the_texts(data, tmp_path, capsys):
    for module in ("onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(module)
    folder = tmp_path / "small-encoder"
    (folder / "onnx").mkdir(parents=True)
    write_graph(folder / "onnx" / "model.onnx", write_tokenizer(folder / "tokenizer.json", words=WORDS))
    command = ["evaluate", "h3d", "--data", str(data), "--json", "--max-tokens", "16", "--model"]
    assert main([*command, str(folder), "--only", "small-encoder"]) == 0
    of_folder = rows_by_name(capsys)
    assert len({name for name, _ in of_folder}) == 1 + len(paper_codes(8))
    assert {kind for _, kind in of_folder} == {"facet", "paper"}
    assert of_folder["small-encoder", "facet"]["fingerprint_seconds"] > 0
    shutil.copy(folder / "onnx" / "model.onnx", folder / "graph.onnx")
    for graph in (folder / "onnx" / "model.onnx", folder / "graph.onnx"):  # tokenizer.json above it, and beside it
        assert main([*command, str(graph), "--only", graph.stem]) == 0
        of_file = rows_by_name(capsys)
        assert of_file[graph.stem, "paper"]["metrics"] == of_folder["small-encoder", "paper"]["metrics"]
    assert main([*command, str(folder), "--pooling", "cls", "--only", "small-encoder"]) == 0
    assert rows_by_name(capsys)["small-encoder", "paper"]["metrics"] != of_folder["small-encoder", "paper"]["metrics"]
