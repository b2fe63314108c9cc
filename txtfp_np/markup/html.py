"""Text of HTML pages, as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, overload

from ..columns import Document, Progress, TextColumn, Texts
from ..errors import FeatureDisabledError, InvalidInputError
from ..options import check_count, check_flag
from .convert import convert


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_ROW = _names("br dd div dt hr li option tr caption legend summary optgroup")
_PARAGRAPH = _names(
    "address article aside blockquote body center dir dl details dialog fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup main menu nav ol p pre search section table tbody "
    "tfoot thead ul"
)
_CELLS = frozenset({"td", "th"})
_KEEPS_SPACE = frozenset({"pre", "textarea", "listing", "plaintext", "xmp"})
# Never shown, or a substitute for what cannot be shown.
_UNSEEN = _names(
    "script style template noscript head title svg canvas object embed iframe audio video noembed noframes datalist"
)
_AROUND = frozenset({"nav", "aside", "menu", "form", "dialog", "search"})
_AROUND_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar", "dialog"}
)
_UNSEEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\n\f\r]+")

# Parsers look through all open elements for every tag, so that depth costs its square; browsers stop at 512.
_MAX_DEPTH = 512
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_END_OF_TAG = re.compile(r"[^>]*>?")
# These end themselves or are ended by the next one: they never pile up.
_SHALLOW = _names(
    "area base basefont bgsound body br col colgroup dd dt embed frame head hr html img input keygen "
    "li link meta option optgroup p param rp rt script source style tbody td tfoot th thead title tr "
    "track wbr textarea"
)


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
        Whole pages or fragments; bytes are UTF-8, whatever a ``meta`` element says.
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
        return _text_of(parser(_flattened(html)), main_content) if html else ""

    return convert(texts, function, errors, progress)


def _parser() -> Any:
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise FeatureDisabledError("markup") from error
    return LexborHTMLParser


# ── depth ───────────────────────────────────────────────────────────────────────────────────────
def _flattened(html: str) -> str:
    """The page with tags below the greatest depth replaced by line breaks."""
    if html.count("<") <= _MAX_DEPTH:
        return html
    pieces: list[str] = []
    kept = 0
    for begin in _deep_tags(html):
        if begin >= kept:  # a tag inside an attribute of another is gone already
            if begin > kept or not pieces:  # one line break for tags that follow each other
                pieces += (html[kept:begin], "<br>")
            match = _END_OF_TAG.match(html, begin)
            kept = match.end() if match else len(html)
    return "".join([*pieces, html[kept:]]) if pieces else html


def _deep_tags(html: str) -> Iterator[int]:
    depth = 0
    for match in _TAG.finditer(html):
        if match[2].lower() in _SHALLOW:
            continue
        if match[1]:
            if depth > _MAX_DEPTH:
                yield match.start()
            depth = max(depth - 1, 0)
        else:
            depth += 1
            if depth > _MAX_DEPTH:
                yield match.start()


# ── text ────────────────────────────────────────────────────────────────────────────────────────
class _Place(NamedTuple):
    """Where text stands: in which block, in which cell of it, and whether it shows."""

    block: int
    cell: int
    gap: int  # line feeds around the block
    keeps_space: bool
    shown: bool
    scoped: bool  # inside an article or main: headers and footers belong to it


class _Places:
    """Places of elements, each found out once."""

    def __init__(self, main_content: bool, has_main: bool) -> None:
        self.main_content = main_content
        self.known: dict[int, _Place] = {}
        self.root = _Place(0, 0, 2, False, not has_main, False)

    def of(self, node: Any) -> _Place:
        chain = []
        place = self.root
        while node is not None:
            found = self.known.get(node.mem_id)
            if found is not None:
                place = found
                break
            chain.append(node)
            node = node.parent
        for element in reversed(chain):
            place = self.known[element.mem_id] = self.inside(place, element)
        return place

    def inside(self, outer: _Place, element: Any) -> _Place:
        tag = element.tag
        if tag in _UNSEEN:
            return outer._replace(shown=False)
        attributes = element.attributes
        shown, scoped = outer.shown, outer.scoped
        if attributes and ("hidden" in attributes or _UNSEEN_STYLE.search(attributes.get("style") or "")):
            return outer._replace(shown=False)
        if self.main_content:
            role = (attributes.get("role") or "").strip().lower()
            if tag == "main" or role == "main":
                shown, scoped = True, True
            elif self.is_around(tag, role, scoped):
                return outer._replace(shown=False)
            scoped = scoped or tag == "article"
        keeps_space = outer.keeps_space or tag in _KEEPS_SPACE
        if tag in _CELLS:
            return outer._replace(cell=element.mem_id, keeps_space=keeps_space, shown=shown, scoped=scoped)
        gap = 2 if tag in _PARAGRAPH else 1 if tag in _ROW else 0
        if gap:
            return _Place(element.mem_id, 0, gap, keeps_space, shown, scoped)
        return outer._replace(keeps_space=keeps_space, shown=shown, scoped=scoped)

    @staticmethod
    def is_around(tag: str, role: str, scoped: bool) -> bool:
        return tag in _AROUND or role in _AROUND_ROLES or (tag in ("header", "footer") and not scoped)


def _text_of(page: Any, main_content: bool) -> str:
    root = page.body or page.root
    if root is None:
        return ""
    has_main = main_content and page.css_first("main, [role=main]") is not None
    places = _Places(main_content, has_main)
    writer = _Writer()
    for node in root.traverse(include_text=True):
        tag = node.tag
        if tag == "-text":
            place = places.of(node.parent)
            if place.shown:
                writer.write(node.text_content or "", place)
        elif tag == "br":
            writer.line_breaks += places.of(node.parent).shown
        elif tag in _PARAGRAPH:
            writer.gap = 2
        elif tag in _ROW:
            writer.gap = max(writer.gap, 1)
    return "".join(writer.pieces).rstrip()


class _Writer:
    """Pieces of text with what belongs between them."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.place: _Place | None = None
        self.gap = 0  # blocks that began since the last piece
        self.line_breaks = 0
        self.space = False  # the last piece was followed by white space

    def write(self, text: str, place: _Place) -> None:
        if not place.keeps_space:
            text = _SPACES.sub(" ", text)
            if text in ("", " "):
                self.space = self.space or text == " "
                return
        if self.place is not None:
            self.pieces.append(self.between(place, text))
        self.pieces.append(text if place.keeps_space else text.strip(" "))
        self.space = text.endswith(" ") and not place.keeps_space
        self.place, self.gap, self.line_breaks = place, 0, 0

    def between(self, place: _Place, text: str) -> str:
        last = self.place
        assert last is not None
        gap = self.gap
        if last.block != place.block:
            gap = max(gap, last.gap, place.gap)
        gap = max(gap, min(self.line_breaks, 2))
        if gap:
            return "\n" * gap
        if last.cell != place.cell:
            return "\t"
        return " " if self.space or (not place.keeps_space and text.startswith(" ")) else ""
