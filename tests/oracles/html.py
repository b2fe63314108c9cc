"""Text of HTML by a walk over the parser's tree, node by node."""

from __future__ import annotations

import re
from typing import Any, NamedTuple


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
_RAW = _names("script style template iframe noembed noframes head")  # nothing in there can show
_AROUND = frozenset({"nav", "aside", "menu", "form", "dialog", "search"})
_AROUND_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar", "dialog"}
)
_UNSEEN_STYLE = re.compile(r"(?<![\w-])(?:display\s*:\s*none|(?:content-)?visibility\s*:\s*hidden)\b", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\n\f\r]+")


class _Place(NamedTuple):
    """Where text stands: in which block, in which cell of it, and whether it shows."""

    block: int
    cell: int
    gap: int  # line feeds around the block
    keeps_space: bool
    shown: bool
    gone: bool  # inside something hidden, whatever else is in there
    scoped: bool  # inside an article or main: headers and footers belong to it


class _Places:
    """Places of elements, each found out once."""

    def __init__(self, main_content: bool, has_main: bool) -> None:
        self.main_content = main_content
        self.known: dict[int, _Place] = {}
        self.root = _Place(0, 0, 2, False, not has_main, False, False)

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
            return outer._replace(shown=False, gone=True)
        attributes = element.attributes
        shown, scoped = outer.shown, outer.scoped
        if attributes and ("hidden" in attributes or _UNSEEN_STYLE.search(attributes.get("style") or "")):
            return outer._replace(shown=False, gone=True)
        if self.main_content:
            role = (attributes.get("role") or "").strip().lower()
            if tag == "main" or role == "main":
                shown, scoped = not outer.gone, True
            elif self.is_around(tag, role, scoped):
                shown = False
            scoped = scoped or tag == "article"
        keeps_space = outer.keeps_space or tag in _KEEPS_SPACE
        if tag in _CELLS:
            return outer._replace(cell=element.mem_id, keeps_space=keeps_space, shown=shown, scoped=scoped)
        gap = 2 if tag in _PARAGRAPH else 1 if tag in _ROW else 0
        if gap:
            return _Place(element.mem_id, 0, gap, keeps_space, shown, outer.gone, scoped)
        return outer._replace(keeps_space=keeps_space, shown=shown, scoped=scoped)

    @staticmethod
    def is_around(tag: str, role: str, scoped: bool) -> bool:
        return tag in _AROUND or role in _AROUND_ROLES or (tag in ("header", "footer") and not scoped)


def text_of(page: Any, main_content: bool) -> str:
    root = page.body or page.root
    if root is None:
        return ""
    mains = [node for node in page.css("main, [role=main]") if node.tag not in _RAW]
    has_main = main_content and bool(mains)
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
