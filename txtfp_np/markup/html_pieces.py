"""HTML pages as a browser would mend them, piece by piece: no tree of a large page is ever whole in memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

from .html_layout import names

Parser = Callable[[str], Any]

# Elements whose insides are never shown and not escaped when they are written, and those that hold no blocks.
_DROPPED = "head, script, style, template, iframe, noembed, noframes"
# Shown, and not escaped, either: written as what is alike in all other ways.
_RAW = "xmp, plaintext"

# Characters of a piece: a tree takes some twenty times as much.
PIECE = 4_000_000
# A page is cut before the end of an element: what is read next is read in the state after a start tag.
_CUT = re.compile(r"</(?:p|div|li|td|th|h[1-6]|dd|dt|section|article|a|b|i|em|strong|span|font|pre|blockquote)\b", re.I)
_ANY_CUT = re.compile(r"<(?:br|p|li|hr|img|td|tr|div|a|b|i|span)\b", re.I)
_LOOK_AHEAD = 100_000
_MAX_PREFIX = 20_000
# Elements whose state is not told by the elements around, and such as change what was read before.
_UNCUT_INSIDE = names("template select svg math plaintext frameset head")
_NEVER_CUT = re.compile(r"<(?:frameset|selectedcontent|plaintext)\b", re.I)
# Shows by how it is mended whether a form is open somewhere, and whether a table ends a paragraph.
_PROBE = "<object><form></object><object><p><table></table></object>"
_OPEN_FORM, _QUIRKS = "<object></object>", "<p><table></table></p></object>"


class Piece(NamedTuple):
    """A part of the mended page; all parts together are all of it."""

    html: str
    has_main: bool


class _Start(NamedTuple):
    """Start tags, and what they look like mended."""

    source: str
    mended: str


def pieces_of(html: str, parser: Parser, size: int = PIECE) -> list[Piece]:
    """The page with every element closed: nothing but tags, comments and escaped text.

    A large page is read in parts. The next part is read after the start tags of all elements that are open
    where the last one ends; where they don't lead to the same state of the parser, there is no place to cut,
    and both are read as one.
    """
    if len(html) <= size or _NEVER_CUT.search(html):
        return [_whole(html, parser)]
    mark = _unused_name(html)
    done: list[Piece] = []
    held: tuple[int, _Start, Piece] | None = None  # waits for what follows to prove that it was cut well
    begin, start, length = 0, _Start("", ""), size
    while True:
        end = _place_to_cut(html, begin + length)
        at_end = end == len(html)
        cut = "" if at_end else f"<{mark}>{_PROBE}</{mark}>"
        page, mended = _read(f"{start.source}{html[begin:end]}{cut}", parser)
        if not mended.startswith(start.mended):
            if held is None:
                return [_whole(html, parser)]
            begin, start, _ = held
            held, length = None, 2 * (end - begin)
            continue
        if held is not None:
            done.append(held[2])
            held = None
        if at_end:
            return [*done, _piece(page, mended, start, len(mended))]
        next_start = _start_after(page, mended, mark, parser)
        if next_start is None:
            length = 2 * (end - begin)
        else:
            held = begin, start, _piece(page, mended, start, mended.rfind(f"<{mark}>"))
            begin, start, length = end, next_start, size


def _whole(html: str, parser: Parser) -> Piece:
    page, mended = _read(html, parser)
    return _piece(page, mended, _Start("", ""), len(mended))


def _piece(page: Any, mended: str, start: _Start, end: int) -> Piece:
    return Piece(mended[len(start.mended) : end], page.css_first("main, [role=main]") is not None)


def _read(source: str, parser: Parser) -> tuple[Any, str]:
    """The page and its source as it should have been."""
    page = parser(source)
    for node in reversed(page.css(_DROPPED)):  # what is inside another one goes first
        node.decompose()
    for node in reversed(page.css(_RAW)):
        alike, attributes = page.create_node("textarea"), node.attributes
        for name in ("hidden", "style", "role"):
            if name in attributes:
                alike.attrs[name] = attributes[name] or ""
        alike.insert_child(node.text())
        node.replace_with(alike)
    return page, page.html or ""


def _unused_name(html: str) -> str:
    lower = html.lower()
    return next(name for name in map("x-cut{}".format, count()) if name not in lower)


def _place_to_cut(html: str, target: int) -> int:
    if target >= len(html):
        return len(html)
    match = _CUT.search(html, target, target + _LOOK_AHEAD) or _ANY_CUT.search(html, target)
    return match.start() if match else len(html)


def _start_after(page: Any, mended: str, mark: str, parser: Parser) -> _Start | None:
    """What to read before the source that follows; None where the elements around don't tell all."""
    around = _elements_around(page, mark)
    if around is None:
        return None
    probe = mended[mended.rfind(f"<{mark}>") :]
    if (_OPEN_FORM in probe) != any(tag == "form" for tag, _ in around):
        return None
    tags = [
        "".join([f"<{tag}", *(f' {name}="{_escaped(value)}"' for name, value in attributes), ">"])
        for tag, attributes in around
    ]
    begin = f"{mark}-begin"
    source = f"{'' if _QUIRKS in probe else '<!DOCTYPE html>'}{''.join(tags)}<{begin}></{begin}>"
    if len(source) > _MAX_PREFIX:
        return None
    opened, mended = _read(source, parser)
    if _elements_around(opened, begin) != around:
        return None
    closing = f"</{begin}>"
    return _Start(source, mended[: mended.rfind(closing) + len(closing)])


def _elements_around(page: Any, mark: str) -> list[tuple[str, list[tuple[str, str | None]]]] | None:
    """Elements that are open at the mark, outermost first; None if anything follows one of them."""
    node = page.css_first(mark)
    around = []
    while node is not None:
        if node.next is not None:
            return None
        around.append((node.tag, list(node.attributes.items())))
        node = node.parent
    around = [element for element in around[:0:-1] if not element[0].startswith("-")]  # not the document
    tags = [tag for tag, _ in around]
    return around if tags[:2] == ["html", "body"] and _UNCUT_INSIDE.isdisjoint(tags) else None


def _escaped(value: str | None) -> str:
    return (value or "").replace("&", "&amp;").replace('"', "&quot;")
