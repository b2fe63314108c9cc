"""An embedding service on this machine that fails in every way it can, and time that passes only when it is told to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import txtfp_np as tx

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
