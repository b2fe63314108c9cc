"""What is tried again, when, and for how long: a service that fails, stalls, drips and hangs up. No test sleeps."""

import contextlib
import random
from email.utils import formatdate

import pytest
from cloud_server import KEY, NOW, breaks_off, fails, good, hangs_up, stalls, vector

import txtfp_np as tx

httpx = pytest.importorskip("httpx")


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
