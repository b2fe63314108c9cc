"""Text of mended HTML: what shows of it, laid out in blocks, rows and cells."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


def names(listed: str) -> frozenset[str]:
    """Of a list with spaces."""
    return frozenset(listed.split())


_ROW = names("br dd div dt hr li option tr caption legend summary optgroup")
_PARAGRAPH = names(
    "address article aside blockquote body center dir dl details dialog fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup main menu nav ol p pre search section table tbody "
    "tfoot thead ul"
)
_CELLS = names("td th")
_KEEPS_SPACE = names("pre textarea listing plaintext xmp")
# Never shown, or a substitute for what cannot be shown. Scripts and the like are gone when a page is mended.
_UNSEEN = names("noscript title svg canvas object audio video datalist")
EMPTY = names(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
)  # no end tag
_AROUND = names("nav aside menu form dialog search")
_AROUND_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar", "dialog"}
)
# Line feeds around a block.
_GAPS = {**dict.fromkeys(_ROW - {"br"}, 1), **dict.fromkeys(_PARAGRAPH, 2)}
_LAID_OUT = _ROW | _PARAGRAPH | _CELLS | _KEEPS_SPACE | _UNSEEN

_ATTRIBUTE = re.compile(r' (=?[^ =>]+)="([^"]*)"')
_UNSEEN_STYLE = re.compile(r"(?<![\w-])(?:display\s*:\s*none|(?:content-)?visibility\s*:\s*hidden)\b", re.IGNORECASE)
# Names of elements some of which may be hidden, or whose role matters.
_MARKED = r'<([^ >]+) (?:[^>]* )?(?:hidden=|{}style="[^">]*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b)'
_MAY_HIDE = re.compile(_MARKED.format(""), re.IGNORECASE)
_MAY_HIDE_OR_HAVE_A_ROLE = re.compile(_MARKED.format("role=|"), re.IGNORECASE)
_MAX_NAMES = 200  # in one expression

_TAG_OR_COMMENT = re.compile("<(?:!--.*?--|([^>]*))>", re.DOTALL)  # no tag in the group: a comment
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
_TAG_IN_A_TAG = re.compile("<[^>!][^>]*<")  # such names there are
_SPACES = re.compile(r"[ \t\n\f\r]+")


@lru_cache(maxsize=32)
def _as_if_not_there(looked_at: frozenset[str]) -> re.Pattern[str]:
    """Tags of other names."""
    listed = "|".join(map(re.escape, sorted(looked_at)))
    return re.compile(f"<(?!/?(?:{listed})[ >])[^>]*>")


class _Place(NamedTuple):
    """Where text stands: in which block, in which cell of it, and whether it shows."""

    block: int
    cell: int
    gap: int
    keeps_space: bool
    shown: bool
    scoped: bool  # inside an article or main: headers and footers belong to it


class Layout:
    """Text of a page that comes in pieces.

    Nothing but tags and escaped text is in them, and all that is opened is closed, maybe in a later piece.
    """

    def __init__(self, main_content: bool, has_main: bool) -> None:
        self.main_content = main_content
        self.names = _LAID_OUT
        self.pieces: list[str] = []
        self.open: list[tuple[str, _Place]] = [("", _Place(0, 0, 2, False, not has_main, False))]
        self.n_places = 0
        self.hidden = ""  # an element whose insides are not shown,
        self.n_hidden = 0  # and how many of its name are open
        self.last: _Place | None = None  # where the last piece of text stands
        self.gap = 0  # around blocks that began since
        self.line_breaks = 0
        self.space = False  # it was followed by white space

    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces).rstrip()

    def add(self, html: str) -> None:
        """One more piece."""
        # Many tags in few steps, if there is no angle bracket in any: expressions would begin again at each.
        plain = not _TAG_IN_A_TAG.search(html)
        parts = [] if plain else _TAG_OR_COMMENT.split(html)
        if plain:
            html = _COMMENT.sub("", html)
        marked = _MAY_HIDE_OR_HAVE_A_ROLE if self.main_content else _MAY_HIDE
        # A name that is looked at once is looked at ever after: its end tags belong to start tags that were seen.
        found = marked.findall(html) if plain else [tag.partition(" ")[0] for tag in parts[1::2] if tag and " " in tag]
        self.names = self.names.union(found) - EMPTY | {"br", "hr"}
        if plain:
            few = len(self.names) <= _MAX_NAMES
            parts = _TAG_OR_COMMENT.split(_as_if_not_there(self.names).sub("", html) if few else html)
        parts.append(None)
        for text, tag in zip(parts[::2], parts[1::2], strict=True):
            if self.hidden:
                self._pass_by(tag)
                continue
            if text:
                place = self.open[-1][1]
                if place.shown:
                    self._write(text, place)
            if not tag:
                continue
            if tag[0] == "/":
                if self.open[-1][0] == tag[1:]:
                    self.open.pop()
            elif tag[0] not in "!?":  # declarations and instructions have no end
                name, space, attributes = tag.partition(" ")
                if name in self.names:
                    self._enter(name, space + attributes)

    def _pass_by(self, tag: str | None) -> None:
        """Of what is hidden, only the ends of blocks are left."""
        if not tag:
            return
        if tag[0] == "/":
            if tag[1:] == self.hidden:
                self.n_hidden -= 1
                if not self.n_hidden:
                    self.hidden = ""
        else:
            name = tag.partition(" ")[0]
            self.gap = max(self.gap, _GAPS.get(name, 0))
            self.n_hidden += name == self.hidden

    def _enter(self, name: str, attributes: str) -> None:
        outer = self.open[-1][1]
        if name == "br":
            self.line_breaks += outer.shown
            return
        gap = _GAPS.get(name, 0)
        if gap > self.gap:
            self.gap = gap
        if name in EMPTY:
            return
        values = dict(_ATTRIBUTE.findall(attributes)) if attributes else {}
        if name in _UNSEEN or "hidden" in values or _UNSEEN_STYLE.search(values.get("style", "")):
            self.hidden, self.n_hidden = name, 1
            return
        shown, scoped = outer.shown, outer.scoped
        if self.main_content:
            role = values.get("role", "").strip().lower()
            if name == "main" or role == "main":
                shown = scoped = True
            elif _is_around(name, role, scoped):
                shown = False
            scoped = scoped or name == "article"
        keeps_space = outer.keeps_space or name in _KEEPS_SPACE
        self.n_places += 1
        if name in _CELLS:
            place = _Place(outer.block, self.n_places, outer.gap, keeps_space, shown, scoped)
        elif gap:
            place = _Place(self.n_places, 0, gap, keeps_space, shown, scoped)
        else:
            place = _Place(outer.block, outer.cell, outer.gap, keeps_space, shown, scoped)
        self.open.append((name, place))

    def _write(self, text: str, place: _Place) -> None:
        if not place.keeps_space:
            text = _SPACES.sub(" ", text)
            if text == " ":
                self.space = True
                return
        if "&" in text:
            text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        if self.last is not None:
            self.pieces.append(self._between(self.last, place, text))
        self.pieces.append(text if place.keeps_space else text.strip(" "))
        self.space = text.endswith(" ") and not place.keeps_space
        self.last, self.gap, self.line_breaks = place, 0, 0

    def _between(self, last: _Place, place: _Place, text: str) -> str:
        gap = self.gap
        if last.block != place.block:
            gap = max(gap, last.gap, place.gap)
        gap = max(gap, min(self.line_breaks, 2))
        if gap:
            return "\n" * gap
        if last.cell != place.cell:
            return "\t"
        return " " if self.space or (not place.keeps_space and text.startswith(" ")) else ""


def _is_around(name: str, role: str, scoped: bool) -> bool:
    return name in _AROUND or role in _AROUND_ROLES or (name in ("header", "footer") and not scoped)
