"""Pages that would cost a parser more than their size, made harmless: depth, attributes, formatting."""

from __future__ import annotations

import re
from bisect import bisect_right

from .html_layout import EMPTY, names

# Parsers look through all open elements for every tag, so that depth costs its square; browsers stop at 512.
_MAX_DEPTH = 512
# Each attribute is compared with all before it in its tag.
_MAX_ATTRIBUTES = 1000
# Formatting that is not closed is opened again in each block that follows: so many elements at most.
_MAX_FORMATTING = 1_000_000
_SMALL = 20_000  # characters; with few tags, nothing can go wrong

_FORMATTING = names("a b big code em font i nobr s small strike strong tt u")
_MARKS = ("hidden", "style", "role")  # attributes that matter here
# Ended by the next one, or by what they are in.
_CELLS = names("caption td th")
_PARTS = _CELLS | names("colgroup tbody tfoot thead tr")
_ITEMS = names("dd dt li option p")
_ALONE = names("html head body frame image") | EMPTY  # there is one, or nothing is in them
_RAW = names("iframe noembed noframes script style textarea title xmp")
# An end tag of these ends what is open inside, up to a boundary; one of any other name is ignored where an element
# of these is open inside.
_BLOCKS = names(
    "address applet article aside blockquote button center details dialog dir div dl fieldset figcaption figure "
    "footer h1 h2 h3 h4 h5 h6 header hgroup listing main marquee menu nav object ol pre search section select "
    "summary table template ul"
)
# HTML again, inside of SVG and MathML.
_INSETS = names("annotation-xml desc foreignobject mi mn mo ms mtext title")
_SPECIAL = _BLOCKS | _PARTS | _INSETS | names("dd li p form frameset noscript plaintext")
_BOUNDARIES = _INSETS | names("applet marquee object select table template")
_FOREIGN = names("svg math")
_HEADINGS = names("h1 h2 h3 h4 h5 h6")
_END_P = (_BLOCKS | _ITEMS | names("form")) - names("applet button marquee object option select table template")
_END_CONTROLS = names("button hr input keygen optgroup option select textarea")
# They end SVG and MathML.
_BREAKOUT = names(
    "b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li listing "
    "menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)

_WHITE = r"[ \t\n\f\r]"
_ATTRIBUTE = (
    r"[ \t\n\f\r/]*+[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"
    rf"""(?:{_WHITE}*+={_WHITE}*+(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?+)?+"""
)
# A comment, or what is read as one; or a tag: end, name, attributes, too many attributes, the rest.
_MARKUP = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<[!?][^>]*+>?|</[^a-zA-Z>][^>]*+>?|"
    rf"<(/?)([a-zA-Z][^ \t\n\f\r/>]*+)((?:{_ATTRIBUTE}){{0,{_MAX_ATTRIBUTES}}}+)((?:{_ATTRIBUTE})*+)([ \t\n\f\r/]*+>?)",
    re.DOTALL,
)
_RUNS = {tag: re.compile(f"(?:{tag})++", re.IGNORECASE) for name in _ITEMS for tag in (f"<{name}>", f"</{name}>")}
_ONE_ATTRIBUTE = re.compile(_ATTRIBUTE)
_END_OF_RAW = {name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE) for name in _RAW}
_NOT_DEEP = _ALONE | _PARTS | _ITEMS | _RAW
# Many start tags of the plainest kind that follow each other.
_OPENING = re.compile(rf"(?:<(?!(?:{'|'.join(sorted(_NOT_DEEP))})>)[a-z][^\s/<>]*>)++", re.IGNORECASE)


def tamed(html: str) -> str:
    """The page, to be read in time and memory that grow with its size.

    Tags below the greatest depth are replaced by line breaks, attributes beyond the greatest number are left out, and
    where formatting piles up, it is read as tags that do nothing.
    """
    if len(html) <= _SMALL and html.count("<") <= _MAX_DEPTH:
        return html
    look = _Look(html, {})
    if look.n_lost * html.count("<") > _MAX_FORMATTING:
        inert = {name: "span" if name in look.marked else "img" for name in _FORMATTING}
        if re.search(
            "<(?:svg|math)", html, re.IGNORECASE
        ):  # which images end, and most of formatting; these two do not
            inert |= {"a": "x-a", "font": "x-a"}
        look = _Look(html, inert)
    return look.tamed


class _Look:
    """A walk over the tags, with those elements that may be open.

    Rather too many than too few: an end tag counts where a parser is sure to heed it.
    """

    def __init__(self, html: str, renamed: dict[str, str]) -> None:
        self.renamed = renamed
        self.open: list[tuple[str, int, int]] = []  # name, and places of the last special element and boundary
        self.places: dict[str, list[int]] = {}  # of open elements of a name
        self.foreign: list[bool] = [False]  # whether what is next is SVG or MathML: one for each open element
        self.formatting: list[int] = []  # places of open formatting,
        self.uncertain = False
        self.n_lost = 0  # and how much of it ended with what it was in
        self.marked: set[str] = set()  # formatting that may be hidden
        self.tamed = self._tame(html)

    def _tame(self, html: str) -> str:
        pieces: list[str] = []
        kept = place = n_page_attributes = n_gone = 0
        was_gone = -1  # end of the last tag that is gone
        while match := _MARKUP.search(html, place):
            begin, place = match.span()
            if match[2] is None:
                if self.foreign[-1] and html.startswith("<![CDATA[", begin):
                    end = html.find("]]>", begin)
                    place = len(html) if end < 0 else end + 3
                continue
            name = match[2].lower()
            if name in _ITEMS and (alike := _RUNS.get(match[0].lower())):
                place = alike.match(html, begin).end()  # type: ignore[union-attr]  # what the second does, all do
            renamed = self.renamed.get(name)
            name = renamed or name
            if match[1]:
                gone = n_gone > 0 and name not in _NOT_DEEP
                if gone:
                    n_gone -= 1
                else:
                    self._end(name)
            else:
                gone = not self._start(name, match[5].endswith("/>"))
                if gone and name not in _NOT_DEEP:
                    run = _OPENING.match(html, begin)
                    place = run.end() if run else place
                    n_gone += html.count("<", begin, place) if run else 1
                if match[3] and name in _FORMATTING and any(mark in match[3].lower() for mark in _MARKS):
                    self.marked.add(name)
            if gone:
                if begin != was_gone:  # one line break for tags that follow each other
                    pieces += (html[kept:begin], "<!---->" if self.foreign[-1] else "<br>")  # which would end SVG
                kept = was_gone = place
                continue
            if renamed:
                pieces += (html[kept : match.start(2)], renamed)
                kept = match.end(2)
            if match[4]:
                pieces.append(html[kept : match.start(4)])
                kept = match.end(4)
            if match[3] and name in ("html", "body"):  # of all these tags, attributes go to one element
                n_page_attributes += len(_ONE_ATTRIBUTE.findall(match[3]))
                if n_page_attributes > _MAX_ATTRIBUTES:
                    pieces.append(html[kept : match.start(3)])
                    kept = match.end(4)
            if name in _RAW and not match[1] and self._certain() and not self.places.get("select"):
                end_of_raw = _END_OF_RAW[name].search(html, place)
                place = end_of_raw.start() if end_of_raw else len(html)
        return "".join([*pieces, html[kept:]])

    def _start(self, name: str, self_closed: bool) -> bool:
        """False if the element would be too deep."""
        foreign = self.foreign[-1]
        if foreign and name in _BREAKOUT:
            foreign = self._leave_foreign()
        if self_closed and (foreign or name in _FOREIGN):
            return True
        if not foreign and (name in _BREAKOUT or self._certain()):
            if name in _END_CONTROLS and (self.places.get("select") or self.places.get("button")):
                self.n_lost += len(self.formatting)
                for place in self.places.get("select", [])[:1]:  # it may have ended
                    self._forget_from(place)
            if name in _ALONE or name in _RAW:
                return True
            if name in _PARTS:
                return self._start_part(name)
            name = _alike(name)
            if name in _END_P:
                self._end_item("p")
            if name in _ITEMS and name != "p":
                self._end_item(name)
        if len(self.open) >= _MAX_DEPTH:
            return False
        if name == "table" and (tables := self.places.get("table")):
            place = tables[-1]
            self._lose(place)
            if self._in_table() and (place == len(self.open) - 1 or self.open[place + 1][0] not in _CELLS):
                self._pop(place)  # tables are in cells only
        self._push(name, name in _FOREIGN or (foreign and name not in _INSETS))
        return True

    def _start_part(self, name: str) -> bool:
        """Parts of a table end all that is open in the last one; outside of tables they are ignored."""
        tables = self.places.get("table")
        if tables and self._in_table():
            self._lose(tables[-1])
            self._pop(tables[-1] + 1)
            if name in _CELLS:
                self._push(name, False)
            return True
        self._lose(-1)
        if not tables or self.open[-1][0] in _CELLS:
            return True
        if len(self.open) >= _MAX_DEPTH:
            return False
        self._push(name if name in _CELLS else "td", False)
        return True

    def _end_item(self, name: str) -> None:
        """It may have been ended already by what is not heeded here: so nothing else ends with it."""
        places = self.places.get(name)
        if places:
            self._lose(places[-1])
            if places[-1] == len(self.open) - 1:
                self._pop(places[-1])

    def _in_table(self) -> bool:
        """Whether parts of tables are sure to be heeded."""
        places = self.places
        return self._certain() and not (places.get("select") or places.get("template")) and bool(places.get("table"))

    def _leave_foreign(self) -> bool:
        """Nothing that is open in there is ended by its end tag."""
        roots = sorted(place for name in _FOREIGN for place in self.places.get(name, ()))
        self.uncertain |= len(roots) > 1  # the outer one may be open
        self._lose(roots[0])
        self._forget_from(roots[0])
        self.foreign = [False] * len(self.foreign)
        return False

    def _forget_from(self, first: int) -> None:
        for place in range(first, len(self.open)):
            name, special, boundary = self.open[place]
            self.places[name].remove(place)
            self.open[place] = "", special, boundary
            self.places.setdefault("", []).append(place)

    def _certain(self) -> bool:
        """Whether what is not foreign is HTML for sure."""
        return not (self.uncertain or self.places.get("svg") or self.places.get("math"))

    def _end(self, name: str) -> None:
        if self.foreign[-1] and name in ("br", "p"):
            self._leave_foreign()
        places = self.places.get(_alike(name))
        if not places:
            return
        place = places[-1]
        self._lose(place)
        if name in ("dd", "dt"):  # which of them is open?
            return
        _, special, boundary = self.open[-1]
        on_top = place == len(self.open) - 1
        only_on_top = name == "form" or name in _CELLS or name in _INSETS
        across = (name == "table" and self._in_table()) or place >= (boundary if name in _BLOCKS else special)
        if on_top or (across and not only_on_top):
            self._pop(place)
        elif name in _FOREIGN:
            self._leave_foreign()

    def _push(self, name: str, foreign: bool) -> None:
        place = len(self.open)
        _, special, boundary = self.open[-1] if self.open else ("", -1, -1)
        self.open.append((name, place if name in _SPECIAL else special, place if name in _BOUNDARIES else boundary))
        self.places.setdefault(name, []).append(place)
        self.foreign.append(foreign)
        if name in _FORMATTING:
            self.formatting.append(place)

    def _pop(self, place: int) -> None:
        for name, _, _ in self.open[place:]:
            self.places[name].pop()
        del self.open[place:], self.foreign[place + 1 :]
        while self.formatting and self.formatting[-1] >= place:
            self.formatting.pop()

    def _lose(self, place: int) -> None:
        """What formatting is open inside, a parser opens again behind."""
        if self.formatting:
            self.n_lost += len(self.formatting) - bisect_right(self.formatting, place)


def _alike(name: str) -> str:
    return "dd" if name == "dt" else "h1" if name in _HEADINGS else name
