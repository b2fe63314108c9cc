"""How many documents there are, about, from the beginnings of files."""

from __future__ import annotations

from .readers import Input

_SAMPLE_BYTES = 1 << 18


def estimate_documents(source: Input) -> int | None:
    r"""Documents of an input: exactly if that is known, else as many as there would be lines; None: no idea.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from txtfp_np.engine import open_input
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "texts.txt"
    >>> _ = path.write_text("a line\n" * 100_000)
    >>> round(estimate_documents(open_input(path)) / 100_000, 3)
    1.0
    >>> folder.cleanup()
    """
    total = source.total
    if total is not None:
        return total
    if any(file.compression for file in source.files):
        return None  # sizes say nothing there
    documents = 0.0
    for file in source.files:
        with file.path.open("rb") as stream:
            begin = stream.read(_SAMPLE_BYTES)
        last = begin.rfind(b"\n") + 1
        if file.size and not last:
            return None  # one line, as far as was read
        documents += begin.count(b"\n") * file.size / max(last, 1)
    return round(documents)
