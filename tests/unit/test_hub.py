"""Models from a hub: a real server on this machine, caches, networks that fail. No test sleeps."""

import sys

import numpy as np
import pytest
from hub_server import Hub, break_off, hang_up, status
from onnx_models import write_graph, write_tokenizer

import txtfp_np as tx

for module in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(module)
huggingface_hub = pytest.importorskip("huggingface_hub")

from huggingface_hub import constants  # noqa: E402

TOKENIZER = "tokenizer.json"
QUANTIZED = "onnx/model_quantized.onnx"
PATTERN = "/{repo_id}/resolve/{revision}/{filename}"


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    write_graph(folder / "m.onnx", write_tokenizer(folder / TOKENIZER))
    return {QUANTIZED: (folder / "m.onnx").read_bytes(), TOKENIZER: (folder / TOKENIZER).read_bytes()}


@pytest.fixture
def hub(contents, monkeypatch):
    running = Hub(dict(contents))
    monkeypatch.setattr(constants, "ENDPOINT", running.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", running.url + PATTERN)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # the library waits between its tries
    yield running
    running.close()


def load(tmp_path, name="org/tiny", **options):
    return tx.LocalProvider.from_pretrained(name, cache_dir=tmp_path, **options)


def got(hub):
    return [path.split("/main/")[-1] for command, path in hub.requests if command == "GET" and "/main/" in path]


def test_files_are_fetched_once(hub, tmp_path):
    provider = load(tmp_path)
    assert provider.model_id == "org/tiny"
    assert got(hub) == [QUANTIZED, TOKENIZER]  # and no full graph, no weights beside it: there are none
    vector = provider.embed("gulls").vector
    assert np.array_equal(load(tmp_path).embed("gulls").vector, vector)
    assert got(hub) == [QUANTIZED, TOKENIZER]


@pytest.mark.parametrize("trouble", ["closed", hang_up, status(500), status(503)])
def test_what_is_cached_needs_no_network(trouble, hub, tmp_path):
    """Though ``onnx/model.onnx`` is asked for first, and the hub cannot say that there is none."""
    load(tmp_path)
    if trouble == "closed":
        hub.close()
        hub.close = lambda: None
    else:
        hub.fails = trouble
    assert load(tmp_path).embed("gulls").dim == 8
    hub.requests.clear()
    assert load(tmp_path, local_files_only=True).embed("gulls").dim == 8
    assert hub.requests == []


@pytest.mark.parametrize("trouble", ["closed", hang_up, status(500), status(403), status(429)])
def test_what_is_not_cached_does(trouble, hub, tmp_path):
    if trouble == "closed":
        hub.close()
        hub.close = lambda: None
    else:
        hub.fails = trouble
    with pytest.raises(tx.OnnxError, match=r"cannot get onnx/model.onnx of org/tiny: ."):
        load(tmp_path)


def test_another_graph_is_not_taken_because_the_network_fails(hub, tmp_path, contents):
    """One that is in the cache, while nothing is known of the first choice."""
    load(tmp_path, onnx_path=QUANTIZED)
    hub.fails = hang_up
    with pytest.raises(tx.OnnxError, match=r"cannot get onnx/model.onnx of org/tiny") as caught:
        load(tmp_path)
    assert "local_files_only=True" in caught.value.advice
    assert load(tmp_path, onnx_path=QUANTIZED).dimension == 8
    assert load(tmp_path, local_files_only=True).dimension == 8


@pytest.mark.parametrize("options", [{"pooling": "median"}, {"max_seq_len": 0}, {"query_prefix": 3}, {"speed": 1}])
def test_options_are_checked_before_anything_is_fetched(options, hub, tmp_path):
    with pytest.raises((tx.ConfigError, TypeError)):
        load(tmp_path, **options)
    assert hub.requests == []


@pytest.mark.parametrize("module", ["onnxruntime", "tokenizers"])
def test_what_is_not_installed_is_named_before_anything_is_fetched(module, hub, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(tx.FeatureDisabledError, match=r"txtfp-np\[semantic\]"):
        load(tmp_path)
    assert hub.requests == []


def test_offline_by_the_environment(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(tx.OnnxError, match="in the cache, and the network is not to be asked"):
        load(tmp_path)
    assert hub.requests == []


def test_downloads_that_break_off_go_on(hub, tmp_path):
    hub.fails = break_off(1)
    assert load(tmp_path).dimension == 8


def test_downloads_that_always_break_off(hub, tmp_path):
    hub.fails = break_off(1000)
    with pytest.raises(tx.OnnxError, match=f"cannot get {QUANTIZED} of org/tiny"):
        load(tmp_path)
    hub.fails = lambda handler, path: False
    assert load(tmp_path).dimension == 8  # half a file is not taken for a whole one


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (QUANTIZED, r"org/tiny has no onnx/model.onnx nor onnx/model_quantized.onnx nor model.onnx$"),
        (TOKENIZER, r"org/tiny has no tokenizer.json$"),
    ],
)
def test_what_a_model_lacks(missing, message, hub, tmp_path):
    del hub.files[missing]
    with pytest.raises(tx.OnnxError, match=message):
        load(tmp_path)


def test_models_that_are_not_there(hub, tmp_path):
    with pytest.raises(tx.OnnxError, match=r"cannot get onnx/model.onnx of org/none: "):
        load(tmp_path, "org/none")
    with pytest.raises(tx.OnnxError, match=r"cannot get onnx/model.onnx of a b/c: "):
        load(tmp_path, "a b/c")


def test_weights_beside_the_graph(hub, tmp_path, contents):
    """As graphs above 2 GB have them; in the cache both are links to files of other names."""
    import onnx

    path = tmp_path / "whole.onnx"
    path.write_bytes(contents[QUANTIZED])
    onnx.save(
        onnx.load(str(path)),
        str(tmp_path / "model.onnx"),
        save_as_external_data=True,
        location="model.onnx_data",
        size_threshold=64,
    )
    expected = load(tmp_path / "cache").embed("gulls")
    del hub.files[QUANTIZED]
    for name in ("model.onnx", "model.onnx_data"):
        hub.files[f"onnx/{name}"] = (tmp_path / name).read_bytes()
    assert load(tmp_path / "cache").embed("gulls") == expected
