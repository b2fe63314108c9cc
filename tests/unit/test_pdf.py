"""PDF: text of whole files, clear errors for broken ones, and files that cannot hang or fill the caller."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pdf_files import bomb_pdf, encrypted_pdf, page, pdf, text_pdf

import txtfp_np as tx

pytest.importorskip("pypdfium2")

WHOLE = text_pdf(["Hello (PDF) wörld", "second line"], ["page two"])


def test_text():
    assert tx.pdf_to_text(WHOLE) == "Hello (PDF) wörld\nsecond line\n\npage two"
    assert tx.pdf_to_text(bytearray(WHOLE)) == tx.pdf_to_text(memoryview(WHOLE)) == tx.pdf_to_text(WHOLE)
    assert tx.pdf_to_text(pdf([b""])) == ""


def test_many():
    column = tx.pdf_to_text([WHOLE, None, text_pdf(["x"])], threads=2)
    assert column.to_list() == [tx.pdf_to_text(WHOLE), None, "x"]
    assert tx.pdf_to_text([]).to_list() == []
    files = [WHOLE, encrypted_pdf(), text_pdf(["x"])]
    with pytest.raises(tx.InvalidInputError, match=r"pdf parse error: .* \(row 1\)") as caught:
        tx.pdf_to_text(files)
    assert caught.value.row == 1
    assert tx.pdf_to_text(files, on_error="null").to_list() == [tx.pdf_to_text(WHOLE), None, "x"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "Data format error"),
        (b"not a pdf", "Data format error"),
        (encrypted_pdf(), "Incorrect password"),
        (WHOLE[: len(WHOLE) // 2], "Data format error"),
    ],
    ids=["empty", "text", "encrypted", "truncated"],
)
def test_broken_files(data, message):
    with pytest.raises(tx.InvalidInputError, match=f"^invalid input: pdf parse error: .*{message}"):
        tx.pdf_to_text(data)


def test_a_file_without_a_table_of_references_is_repaired():
    assert tx.pdf_to_text(WHOLE[: WHOLE.index(b"xref")] + WHOLE[WHOLE.index(b"trailer") :]) == tx.pdf_to_text(WHOLE)


def test_limits():
    with pytest.raises(tx.InvalidInputError, match=r"pdf input \(101 bytes\) exceeds 100-byte cap"):
        tx.pdf_to_text_with(bytes(101), tx.PdfOptions(max_bytes=100))
    with pytest.raises(tx.InvalidInputError, match=r"pdf parse exceeded 0\.001-second timeout"):
        tx.pdf_to_text_with(WHOLE, tx.PdfOptions(timeout_secs=0.001))  # no process starts in a millisecond
    for options in ({"max_bytes": -1}, {"timeout_secs": 0}, {"timeout_secs": float("nan")}, {"timeout_secs": True}):
        with pytest.raises(tx.ConfigError):
            tx.PdfOptions(**options)


def test_a_killed_parser_is_reaped():
    import multiprocessing

    with pytest.raises(tx.InvalidInputError):
        tx.pdf_to_text_with(WHOLE, tx.PdfOptions(timeout_secs=0.001))
    assert not multiprocessing.active_children()
    assert not getattr(subprocess, "_active", [])  # children that nobody waited for


def test_a_file_that_was_not_read_to_its_end_leaves_no_pipe():
    import gc

    for _ in range(5):
        with pytest.raises(tx.InvalidInputError):
            tx.pdf_to_text_with(bytes(10_000_000), tx.PdfOptions(timeout_secs=0.001))
    gc.collect()  # warnings of open files are errors in tests


@pytest.mark.slow
def test_a_bomb_stays_in_its_process():
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bomb = bomb_pdf(60)
    assert len(bomb) < 10_000
    # Whether it is read, refused, or runs out of time or memory is the parser's affair; it ends, in its own process.
    found = tx.pdf_to_text_with([bomb, WHOLE], tx.PdfOptions(timeout_secs=10), on_error="null").to_list()
    assert found[1] == tx.pdf_to_text(WHOLE)
    assert found[0] is None or set(found[0]) <= set("a \n")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KB


def test_a_parser_whose_caller_is_gone_ends():
    """A loop in a file would go on for ever."""

    from txtfp_np.markup import pdf as module

    command = [sys.executable, "-P", str(module._CHILD), "-4.5", "."]  # half a second
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.wait(60) == 1  # although its input never ends


def test_the_parser_is_found_where_the_caller_finds_it(tmp_path, monkeypatch):
    """Folders that are put on ``sys.path`` by hand are not there in another process."""

    (tmp_path / "pypdfium2").mkdir()
    (tmp_path / "pypdfium2" / "__init__.py").write_text("raise RuntimeError('the one that the caller has')")
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "executable", getattr(sys, "_base_executable", sys.executable))  # nothing is installed
    monkeypatch.delitem(sys.modules, "pypdfium2", raising=False)
    with pytest.raises(tx.InvalidInputError, match="the one that the caller has"):
        tx.pdf_to_text(WHOLE)


def test_a_system_without_limits_of_memory_reads(monkeypatch):
    """macOS knows the name and refuses the limit."""
    resource = pytest.importorskip("resource")
    from txtfp_np.markup import pdf_child

    def refuse(*limits):
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    pdf_child._limit_memory()


def test_an_endless_page_tree_ends():
    looping = pdf([page("x")]).replace(b"/Kids [3 0 R]", b"/Kids [2 0 R]")
    with pytest.raises(tx.InvalidInputError, match="pdf parse error"):
        tx.pdf_to_text_with(looping, tx.PdfOptions(timeout_secs=10))


def test_arguments():
    with pytest.raises(tx.InvalidInputError, match="files must be bytes or an iterable of bytes, got str"):
        tx.pdf_to_text("name.pdf")
    with pytest.raises(tx.InvalidInputError, match="a PDF must be bytes or None, got str") as caught:
        tx.pdf_to_text([None, "name.pdf"])
    assert caught.value.row == 1
    with pytest.raises(tx.ConfigError, match="on_error must be 'raise' or 'null', got 'skip'"):
        tx.pdf_to_text([], on_error="skip")
    with pytest.raises(tx.ConfigError, match="options must be PdfOptions"):
        tx.pdf_to_text_with(WHOLE, {})


# A parser that tells its process and reads on until it may end.
SLOW_PARSER = """
import os, time
from pathlib import Path

folder = Path(__file__).parent.parent

class PdfDocument:
    def __init__(self, data):
        (folder / f"{os.getpid()}.running").touch()
        while not (folder / "go").exists():
            time.sleep(0.01)
    def __len__(self):
        return 0
    def close(self):
        pass
"""
READ = """
import os, signal, sys
import txtfp_np as tx

if sys.argv[2] == "goes on":
    signal.signal(signal.SIGINT, lambda *_: None)
files = [b"x"] if sys.argv[1] == "1" else [b"x"] * 8
try:
    found = tx.pdf_to_text_with(files, tx.PdfOptions(timeout_secs=600), threads=int(sys.argv[1]), on_error="null")
    print(found.to_list())
except KeyboardInterrupt:
    print("interrupted")
try:
    print("a child is left", os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    pass
"""


def read_interrupted(folder, threads, then):
    """Interrupt a process, and its group, as soon as its first files are being read: what it says."""
    (folder / "pypdfium2").mkdir()
    (folder / "pypdfium2" / "__init__.py").write_text(SLOW_PARSER)
    root = Path(tx.__file__).parent.parent
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", READ, str(threads), then]
    path = f"{folder}{os.pathsep}{root}"
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,  # where a process that nobody waited for would be told
        text=True,
        process_group=0,
    ) as reader:
        try:
            while len(list(folder.glob("*.running"))) < threads:
                assert reader.poll() is None
                time.sleep(0.01)
            os.killpg(reader.pid, signal.SIGINT)
            if then == "goes on":
                (folder / "go").touch()
            said, _ = reader.communicate(timeout=100)
        finally:
            (folder / "go").touch()  # ends every parser that is left
            reader.kill()
    return said.split()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Windows has no groups of processes")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_waits_for_no_file_and_leaves_no_process(threads, tmp_path):
    assert read_interrupted(tmp_path, threads, "ends") == ["interrupted"]
    assert len(list(tmp_path.glob("*.running"))) == threads  # and no other file was begun


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Windows has no groups of processes")
def test_an_interrupt_that_the_caller_takes_loses_no_file(tmp_path):
    assert read_interrupted(tmp_path, 1, "goes on") == ["['']"]
