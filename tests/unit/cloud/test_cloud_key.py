"""The key is shown nowhere."""

import json
import logging
import traceback

import pytest
from cloud_server import KEY, breaks_off, fails, hangs_up, says, stalls

import txtfp_np as tx

pytest.importorskip("httpx")

PROVIDERS = [tx.OpenAiProvider, tx.VoyageProvider, tx.CohereProvider]
every_provider = pytest.mark.parametrize("make", PROVIDERS)


@every_provider
def test_the_key_is_never_shown(make, server, clock, caplog):
    caplog.set_level(logging.DEBUG)
    shown = []
    for script in ([fails(401, content=f'{{"error": "bad key {KEY}"}}'.encode())], [hangs_up], [says(b"x")]):
        server.script = script
        with make(KEY, base_url=server.url, retry=clock.policy()) as provider:
            with pytest.raises(tx.HttpError) as caught:
                provider.embed("abc")
            error = caught.value
            lines = traceback.TracebackException.from_exception(error, capture_locals=True).format()
            shown += [repr(provider), str(vars(provider)), str(error), repr(error), *getattr(error, "__notes__", [])]
            shown += lines
    assert len(shown) > 30
    # The frame of this test holds what it sent; all others must not.
    ours = [text for text in shown if KEY in text and "test_cloud" not in text]
    assert ours == []
    assert KEY not in caplog.text
    with pytest.raises(tx.ConfigError) as caught:
        make(KEY + "\n")
    assert KEY not in str(caught.value)


def shown_by(error):
    """All that tools print of an error: local variables of every frame, causes and contexts, requests."""
    lines = list(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    while error is not None:
        lines += [str(error), repr(error), repr(vars(error))]
        request = getattr(error, "_request", None)
        lines += [] if request is None else [str(request.headers.raw)]
        error = error.__cause__ or error.__context__
    return [line for line in lines if "test_cloud" not in line]  # the frames of the test hold what it sent


@pytest.mark.parametrize("step", [hangs_up, breaks_off, stalls, "refused"])
def test_the_key_is_not_in_what_caused_an_error(step, server, clock):
    if step == "refused":
        server.close()
    else:
        server.script = [step]
    policy = clock.policy(budget=0)
    with tx.OpenAiProvider(KEY, base_url=server.url, timeout=0.2, retry=policy) as provider:
        with pytest.raises(tx.HttpError) as caught:
            provider.embed("abc")
        assert [line for line in shown_by(caught.value) if KEY in line] == []


def test_the_key_is_not_in_errors_of_options(provider):
    for call in (
        lambda: provider.with_model(""),
        lambda: provider.with_model("x", dimension=0),
        lambda: provider.with_base_url("nowhere"),
    ):
        with pytest.raises(tx.ConfigError) as caught:
            call()
        assert [line for line in shown_by(caught.value) if KEY in line] == []


def test_the_key_is_hidden_wherever_a_service_repeats_it(server, clock):
    key = KEY + '"\\x'
    server.script = [fails(429, [("Retry-After", key[:39])], json.dumps({"error": f"bad key {key}"}).encode())]
    with tx.OpenAiProvider(key, base_url=server.url, retry=clock.policy(budget=0)) as provider:
        with pytest.raises(tx.HttpError) as caught:
            provider.embed("abc")
        assert [line for line in shown_by(caught.value) if KEY in line] == []
        assert caught.value.advice == 'The service says: {"error": "bad key <key>"}'


@every_provider
def test_the_key_is_not_pickled(make):
    import pickle

    with pytest.raises(TypeError, match="holds a key and is not pickled"):
        pickle.dumps(make(KEY))


def test_redirects_do_not_carry_the_key_away(server, provider):
    server.script = [fails(307, [("Location", "http://127.0.0.1:9/elsewhere")])]
    with pytest.raises(tx.HttpError, match="returned 307 Temporary Redirect"):
        provider.embed("abc")
