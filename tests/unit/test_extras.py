"""What is optional says how to get it, and does nothing before that."""

import sys
from pathlib import Path

import pytest

import txtfp_np as tx
from txtfp_np.engine import readers as engine_input
from txtfp_np.markup import markdown

CALLS = {
    "selectolax.lexbor": ("markup", lambda: tx.html_to_text("<p>a")),
    "markdown_it": ("markup", lambda: tx.markdown_to_text("a")),
    "usearch.index": ("ann", lambda: tx.dedup(method="embedding", embeddings=[[1.0]], search="usearch")),
    "httpx": ("cloud", lambda: tx.OpenAiProvider("key")),
    "onnxruntime": ("semantic", None),
    "tokenizers": ("semantic", None),
    "huggingface_hub": ("semantic", lambda: tx.LocalProvider.from_pretrained("org/model")),
}


@pytest.mark.parametrize("module", CALLS)
def test_missing_libraries_are_named(module, monkeypatch, tmp_path):
    extra, call = CALLS[module]
    if call is None:
        (tmp_path / "file").write_text("{}")
        if module == "onnxruntime":
            pytest.importorskip("tokenizers")
            from onnx_models import write_tokenizer

            write_tokenizer(tmp_path / "file")

        def call():
            return tx.LocalProvider.from_onnx(tmp_path / "file", tmp_path / "file")

    markdown._parser.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)  # as Python has it for a module that is not there
    with pytest.raises(tx.FeatureDisabledError) as caught:
        call()
    assert str(caught.value) == f'feature `{extra}` is not installed: pip install "txtfp-np[{extra}]"'


@pytest.mark.parametrize("name", ["removed.parquet", "removed.arrow", "removed.csv.zst", "kept.jsonl.zst"])
@pytest.mark.parametrize("in_memory", [False, True])
def test_what_cannot_be_written_is_refused_before_the_work(monkeypatch, tmp_path, name, in_memory):
    from txtfp_np.cli import main

    monkeypatch.chdir(tmp_path)
    Path("pages.jsonl").write_text('{"text": "a b c d e f"}\n')
    Path("known.jsonl").write_text('{"text": "a b c d e g"}\n')
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(engine_input.Input, "__iter__", lambda self: pytest.fail("an input was read"))
    outputs = ["-o", name] if name.startswith("kept") else ["-o", "kept.jsonl", "--removed", name]
    status = main(["dedup", "pages.jsonl", *outputs, *(["--against", "known.jsonl"] if in_memory else [])])
    assert status == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["known.jsonl", "pages.jsonl"]


def test_a_missing_pdf_library_is_named(monkeypatch):
    monkeypatch.setattr(sys.modules[tx.pdf_to_text.__module__], "find_spec", lambda name: None)
    with pytest.raises(tx.FeatureDisabledError, match=r"txtfp-np\[pdf\]"):
        tx.pdf_to_text(b"")
