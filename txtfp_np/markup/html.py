"""Text of HTML pages, as a reader sees it."""

from __future__ import annotations

from typing import Any, overload

from ..columns import Document, Progress, TextColumn, Texts
from ..errors import FeatureDisabledError, InvalidInputError
from ..options import check_count, check_flag
from .convert import convert
from .html_layout import Layout
from .html_pieces import pieces_of
from .html_tags import tamed


@overload
def html_to_text(texts: Document, /, *, main_content: bool = ..., max_bytes: int = ..., errors: str = ...) -> str: ...
@overload
def html_to_text(
    texts: Texts, /, *, main_content: bool = ..., max_bytes: int = ..., errors: str = ..., progress: Progress = ...
) -> TextColumn: ...
def html_to_text(
    texts: Document | Texts,
    /,
    *,
    main_content: bool = False,
    max_bytes: int = 256 * 1024 * 1024,
    errors: str = "strict",
    progress: Progress = False,
) -> str | TextColumn:
    r"""Text of one HTML page, or of a column of them.

    Parameters
    ----------
    texts : str, bytes or column
        Whole pages or fragments; bytes are UTF-8, whatever a ``meta`` element says, with or without a mark of it.
    main_content : bool
        Leave out what stands around it: navigation, asides, forms, and headers and footers of the page.
        Where there is a ``main`` element, only what is inside is taken.
    max_bytes : int
        Pages above it are refused; a page takes about 16 times its size of memory while it is read.
    errors : {"strict", "replace"}
        Whether bad UTF-8 is an error or becomes U+FFFD.
    progress : bool or callable
        True: a line on stderr. A callable gets (documents done, documents in all).

    Returns
    -------
    str, or TextColumn for a column

    Raises
    ------
    FeatureDisabledError
        If selectolax is not installed.
    InvalidInputError
        If a page is too large, or not text (with ``.row``).

    Notes
    -----
    Read as a browser does, broken tags and all, to a depth of 512 elements: tags below that are taken for
    line breaks. Scripts, styles, templates, comments, embedded objects and elements that are ``hidden`` by
    attribute or inline style are left out. Paragraphs are parted by an empty line, rows by a line feed,
    cells by a tab; other white space is one space, except in ``pre``. Unlike the Rust crate, there are no
    decorations (``# Title``, ``**bold**``, footnotes); the text has no byte promise.

    Examples
    --------
    >>> html_to_text("<h1>Title</h1><p>One &amp; <b>two</b>.<script>f()</script><ul><li>a<li>b</ul>")
    'Title\n\nOne & two.\n\na\nb'
    >>> html_to_text(["<nav>Home</nav><main>Text</main>", None], main_content=True).to_list()
    ['Text', None]
    """
    check_flag("main_content", main_content)
    check_count("max_bytes", max_bytes)
    parser = _parser()

    def function(html: str) -> str:
        n_bytes = len(html) if html.isascii() else len(html.encode())
        if n_bytes > max_bytes:
            raise InvalidInputError(f"html input ({n_bytes} bytes) exceeds {max_bytes}-byte cap", argument="texts")
        html = html.removeprefix("\ufeff")  # a mark of the encoding, as to a browser
        pieces = pieces_of(tamed(html), parser) if html else []
        layout = Layout(main_content, main_content and any(piece.has_main for piece in pieces))
        while pieces:
            layout.add(pieces.pop(0).html)
        return layout.text()

    return convert(texts, function, errors, progress)


def _parser() -> Any:
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise FeatureDisabledError("markup") from error
    return LexborHTMLParser
