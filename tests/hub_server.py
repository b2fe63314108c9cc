"""A hub of models on this machine: the part of the protocol of huggingface.co by which files are fetched."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """Serves ``files`` (path: bytes) of the repository ``org/tiny``; ``fails`` may answer instead.

    ``fails`` gets the handler and the path, and says whether it has dealt with the request.
    """

    def __init__(self, files):
        self.files = files
        self.requests = []
        self.fails = lambda handler, path: False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self):
                self.reply(False)

            def do_GET(self):
                self.reply(True)

            def reply(self, with_body):
                outer.requests.append((self.command, self.path))
                repository, _, rest = self.path.lstrip("/").partition("/resolve/")
                path = rest.partition("/")[2]
                if outer.fails(self, path):
                    return
                if repository != "org/tiny":
                    self.send(404, b"", {"X-Error-Code": "RepoNotFound"}, False)
                elif path not in outer.files:
                    self.send(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT}, False)
                else:
                    content = outer.files[path]
                    tag = hashlib.sha1(content).hexdigest()
                    begin = self.headers.get("range", "bytes=0-")[6:].split("-")[0]
                    status = 206 if "range" in self.headers else 200
                    self.send(status, content[int(begin) :], {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT}, with_body)

            def send(self, status, content, headers, with_body):
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                if with_body:
                    self.wfile.write(content)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.files = files
        self.http.handle_error = lambda request, address: None  # clients that go away
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


def hang_up(handler, path):
    """No answer."""
    handler.close_connection = True
    handler.connection.close()
    return True


def status(number):
    """Always the same answer."""

    def fails(handler, path):
        handler.send(number, b"", {}, False)
        return True

    return fails


def break_off(times):
    """Half of the file, then nothing more, so many times."""
    left = [times]

    def fails(handler, path):
        if handler.command == "HEAD" or left[0] == 0 or path not in handler_files(handler):
            return False
        left[0] -= 1
        content = handler_files(handler)[path]
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[: len(content) // 2])
        handler.wfile.flush()
        return hang_up(handler, path)

    def handler_files(handler):
        return handler.server.files

    return fails
