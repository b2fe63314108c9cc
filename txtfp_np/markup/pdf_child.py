"""Run as a script: a PDF on standard input, its text on standard output, and nothing else of the package.

The first byte says which it is: ``T`` text, ``E`` a message. Whatever happens in here, an endless loop or a
crash in the parser, cannot reach the process that asked.
"""

from __future__ import annotations

import faulthandler
import sys
from contextlib import suppress

# Address space of the child: a bomb of a few kilobytes must not take the machine's memory.
_MAX_MEMORY = 2 << 30


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MAX_MEMORY if hard == resource.RLIM_INFINITY else min(_MAX_MEMORY, hard)
    with suppress(ValueError, OSError):  # systems that have the name but not the limit, as macOS
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _text_of(data: bytes) -> str:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    pages = []
    for number in range(len(document)):
        page = document[number]
        text_page = page.get_textpage()
        pages.append(text_page.get_text_range())
        text_page.close()
        page.close()
    document.close()
    return "\n\n".join(pages)


def _answer(data: bytes) -> bytes:
    try:
        text = _text_of(data)
    except MemoryError:
        return b"Epdf parse error: out of memory"
    except Exception as error:
        return f"Epdf parse error: {error}".encode("utf-8", "replace")
    # U+FFFE is how the parser marks a hyphen at the end of a line, between two parts of a word.
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "").replace("\0", "\ufffd")
    return b"T" + text.encode("utf-8", "replace")


if __name__ == "__main__":
    seconds, folder = sys.argv[1:]
    # Who asked kills this process in time, unless it was killed itself: then nobody else would end a loop.
    faulthandler.dump_traceback_later(float(seconds) + 5, exit=True)
    sys.path.append(folder)  # who asked may find the parser where this process would not look
    _limit_memory()
    answer = _answer(sys.stdin.buffer.read())
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
