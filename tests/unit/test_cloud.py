"""Embedding services, against a real HTTP server on this machine that fails in every way it can. No test sleeps."""

import contextlib
import json
import logging
import random
import sys
import threading
import traceback
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import txtfp_np as tx

httpx = pytest.importorskip("httpx")

KEY = "sk-very-secret-0123456789"
NOW = 1_700_000_000.0


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self):
        self.elapsed = 0.0
        self.slept = []

    def sleep(self, seconds):
        self.slept.append(round(seconds, 6))
        self.elapsed += seconds

    def policy(self, **options):
        return tx.RetryPolicy(
            sleep=self.sleep,
            monotonic=lambda: self.elapsed,
            now=lambda: NOW + self.elapsed,
            uniform=options.pop("uniform", lambda low, high: 1.0),
            **options,
        )


@pytest.fixture
def clock():
    return Clock()


class Server:
    """Answers each request by the next function of ``script``; the last one goes on for ever."""

    def __init__(self):
        self.requests = []
        self.script = [good]
        self.stop = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append((self.path, dict(self.headers), body))
                step = outer.script.pop(0) if len(outer.script) > 1 else outer.script[0]
                step(self, body)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.stop = self.stop
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def close(self):
        self.stop.set()
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server():
    running = Server()
    yield running
    running.close()


def answer(handler, status, content, headers=()):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    handler.send_response(status)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def vector(text):
    return [float(len(text)), 1.0, -0.5]


def good(handler, body):
    if "texts" in body:
        answer(handler, 200, {"embeddings": [vector(text) for text in body["texts"]]})
    else:
        items = [{"index": i, "embedding": vector(text)} for i, text in enumerate(body["input"])]
        answer(handler, 200, {"data": items[::-1]})  # in another order, but numbered


def fails(status, headers=(), content=b"{}"):
    return lambda handler, body: answer(handler, status, content, headers)


def says(content):
    return lambda handler, body: answer(handler, 200, content)


def hangs_up(handler, body):
    handler.close_connection = True
    handler.connection.close()


def breaks_off(handler, body):
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.close_connection = True


def stalls(handler, body):
    handler.server.stop.wait(30)
    handler.close_connection = True


PROVIDERS = [tx.OpenAiProvider, tx.VoyageProvider, tx.CohereProvider]
every_provider = pytest.mark.parametrize("make", PROVIDERS)


@pytest.fixture
def provider(server, clock):
    with tx.OpenAiProvider(KEY, base_url=server.url, dimension=3, retry=clock.policy()) as made:
        yield made


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


# ── retries ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(status, server, provider, clock):
    server.script = [fails(status)] * 3 + [good]
    assert provider.embed("abc").vector.tolist() == vector("abc")
    assert clock.slept == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("status", "phrase"),
    [(400, "Bad Request"), (401, "Unauthorized"), (404, "Not Found"), (501, "Not Implemented"), (302, "Found")],
)
def test_what_stays_fails_at_once(status, phrase, server, provider, clock):
    server.script = [fails(status, content=b'{"error": "why not"}'), good]
    with pytest.raises(tx.HttpError) as caught:
        provider.embed("abc")
    assert str(caught.value) == f"http error: OpenAI returned {status} {phrase}"
    assert caught.value.__notes__ == ['The service says: {"error": "why not"}']
    assert clock.slept == []
    assert len(server.requests) == 1


def test_waits_end_with_the_budget(server, provider, clock):
    server.script = [fails(503)]
    with pytest.raises(tx.HttpError) as caught:
        provider.embed("abc")
    assert str(caught.value) == "http error: OpenAI returned 503 Service Unavailable"
    assert clock.slept == [0.5, 1, 2, 4, 8, 16, 30, 28.5]  # the last one is cut to what is left of 90 s
    assert len(server.requests) == 9


def test_jitter_stays_within_bounds(server, clock):
    asked = []

    def uniform(low, high):
        asked.append((low, high))
        return high

    server.script = [fails(500)]
    policy = clock.policy(uniform=uniform)
    with tx.OpenAiProvider(KEY, base_url=server.url, retry=policy) as provider, pytest.raises(tx.HttpError):
        provider.embed("abc")
    assert clock.slept[:3] == [0.65, 1.3, 2.6]
    assert max(clock.slept) == 30
    assert set(asked) == {(0.7, 1.3)}


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.5),  # a server that is overrun is not asked again at once, for as long as the budget lasts
        ("0000000000007", 7.0),
        ("9" * 5000, 60.0),
        ("3600", 60.0),
        (formatdate(NOW + 12, usegmt=True), 12.0),
        (formatdate(NOW - 12, usegmt=True), 0.5),  # a clock that is ahead
        (formatdate(NOW + 9999, usegmt=True), 60.0),
        ("soon", 0.5),
        ("1.5", 0.5),
        ("-3", 0.5),
        ("²", 0.5),
        ("", 0.5),
        ("NaN", 0.5),
        ("Tue, 15 Nov 1994 12:45:26 +99999999999999999999", 0.5),
        ("Tue, 15 Nov 99999 12:45:26 GMT", 0.5),
        ("Mon, 01 Jan 0001 00:00:00 +2300", 0.5),
        ("Tue, 15 Nov 1994 " + "9" * 5000 + ":45:26 GMT", 0.5),
    ],
)
def test_retry_after(header, seconds, server, provider, clock):
    server.script = [fails(429, [("Retry-After", header.encode().decode("latin-1"))]), good]
    provider.embed("abc")
    assert clock.slept == [seconds]


def test_retry_after_is_named_at_the_end(server, provider, clock):
    server.script = [fails(429, [("Retry-After", "50")])]
    with pytest.raises(tx.HttpError) as caught:
        provider.embed("abc")
    assert str(caught.value) == "http error: OpenAI returned 429 Too Many Requests (Retry-After 50)"
    assert clock.slept == [50, 40]


def breaks_off_chunked(handler, body):
    handler.send_response(200)
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b'a\r\n{"data": [')
    handler.close_connection = True


def speaks_something_else(handler, body):
    handler.wfile.write(b"SSH-2.0-server\r\n")
    handler.close_connection = True


@pytest.mark.parametrize("step", [hangs_up, breaks_off, breaks_off_chunked, speaks_something_else])
def test_broken_connections_are_tried_again(step, server, provider, clock):
    server.script = [step, step, good]
    assert provider.embed("abc").dim == 3
    assert clock.slept == [0.5, 1.0]
    server.script = [step]
    with pytest.raises(tx.HttpError, match=r"^http error: OpenAI send: .") as caught:
        provider.embed("abc")
    assert isinstance(caught.value.__cause__, httpx.TransportError)


def stalls_in_the_middle(handler, body):
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.wfile.flush()
    stalls(handler, body)


@pytest.mark.parametrize("step", [stalls, stalls_in_the_middle])
def test_a_service_that_stalls(step, server, clock):
    server.script = [step, good]
    with tx.OpenAiProvider(KEY, base_url=server.url, dimension=3, timeout=0.2, retry=clock.policy()) as provider:
        assert provider.embed("abc").dim == 3
    assert clock.slept == [0.5]


def test_a_service_that_drips(server, clock):
    """Every byte comes in time, all of them do not."""

    def drips(handler, body):
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        for _ in range(50):
            clock.elapsed += 10  # what the client's clock shows
            handler.wfile.write(b" ")
            handler.wfile.flush()
        handler.close_connection = True

    server.script = [drips]
    with tx.OpenAiProvider(KEY, base_url=server.url, retry=clock.policy()) as provider:  # noqa: SIM117
        with pytest.raises(tx.HttpError, match="OpenAI send: "):
            provider.embed("abc")


@pytest.mark.parametrize("what", ["a header", "provisional answers"])
def test_a_service_that_drips_before_its_answer(what, server, clock):
    """No read waits for long, but the headers never end, or are never those of the answer."""
    n_sent = []

    def drips(handler, body):
        handler.close_connection = True
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: " if what == "a header" else b"")
        with contextlib.suppress(OSError):  # the client has had enough
            while not handler.server.stop.is_set() and len(n_sent) < 2000:
                clock.elapsed += 0.7
                n_sent.append(1)
                handler.wfile.write(b"x" if what == "a header" else b"HTTP/1.1 103 Early Hints\r\n\r\n")
                handler.server.stop.wait(0.005)

    server.script = [drips]
    with tx.OpenAiProvider(KEY, base_url=server.url, retry=clock.policy(budget=0)) as provider:  # noqa: SIM117
        with pytest.raises(tx.HttpError, match="OpenAI send: the answer takes too long"):
            provider.embed("abc")
    assert 30 <= clock.elapsed < 700


def test_nobody_there(clock, server):
    server.close()
    with tx.VoyageProvider(KEY, base_url=server.url, retry=clock.policy(budget=1.0)) as provider:  # noqa: SIM117
        with pytest.raises(tx.HttpError, match=r"^http error: Voyage send: .*refused"):
            provider.embed("abc")
    assert clock.slept == [0.5, 0.5]


# ── answers ─────────────────────────────────────────────────────────────────────────────────────
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


# ── the key ─────────────────────────────────────────────────────────────────────────────────────
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


# ── the rest ────────────────────────────────────────────────────────────────────────────────────
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


@pytest.mark.parametrize(
    "options",
    [
        {"budget": -1},
        {"jitter": 1.5},
        {"factor": float("inf")},
        {"factor": 10**400},
        {"max_delay": "30"},
        {"sleep": 3},
        {"uniform": None},
    ],
)
def test_policies(options):
    with pytest.raises(tx.ConfigError) as caught:
        tx.RetryPolicy(**options)
    assert caught.value.argument == next(iter(options))


def test_delays_stay_within_bounds():
    """Whatever a service asks for, however often it has been asked."""
    generator = random.Random(4)
    parts = [
        "Tue,",
        "15",
        "Nov",
        "1994",
        "12:45:26",
        "GMT",
        "+0100",
        "-0000",
        "::",
        "9" * 400,
        "-1",
        "",
        ",",
        "Feb",
        "0",
    ]
    for n in range(3000):
        policy = tx.RetryPolicy(
            factor=generator.choice([0, 0.5, 2, 1e10, 1e300]), first_delay=generator.choice([0, 0.1, 3])
        )
        header = generator.choice([None, " ".join(generator.choices(parts, k=generator.randint(1, 7)))])
        assert 0 <= policy.delay(n, header) <= 60
