"""Text of Markdown, with the bytes of the Rust crate."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, overload

from ..columns import Document, Progress, TextColumn, Texts
from ..errors import ConfigError, FeatureDisabledError
from ..options import check_flag
from .convert import WHITE_SPACE, convert

# Containers inside each other; the parser recurses. What lies deeper is text without their marks.
_MAX_NESTING = 100
_SPARE_LEVELS = 10  # a list goes two levels at once; at its own limit the parser would leave text out
_MARKS = re.compile(r"^(?:[ \t]*+(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))*+[ \t]*+", re.MULTILINE)
# The end of a label is looked for from each bracket, to the end of the paragraph: after so many characters, the
# brackets that are left in it are text.
_MAX_STEPS = 5_000_000
_STEPS = -1  # key in the parser's notes on a paragraph, which has places for keys
_BREAKING = frozenset(
    {"paragraph_open", "paragraph_close", "heading_open", "heading_close", "list_item_open", "list_item_close"}
)


@dataclass(frozen=True, kw_only=True)
class MarkdownOptions:
    """What becomes text.

    Parameters
    ----------
    include_code_blocks : bool
        Fenced and indented code.
    include_inline_code : bool
        Code between backticks.
    break_to_space : bool
        False joins lines and blocks with nothing in between.

    Examples
    --------
    >>> MarkdownOptions(include_code_blocks=False)
    MarkdownOptions(include_code_blocks=False, include_inline_code=True, break_to_space=True)
    """

    include_code_blocks: bool = True
    include_inline_code: bool = True
    break_to_space: bool = True

    def __post_init__(self) -> None:
        for name in ("include_code_blocks", "include_inline_code", "break_to_space"):
            check_flag(name, getattr(self, name))


@overload
def markdown_to_text(texts: Document, /, *, errors: str = ...) -> str: ...
@overload
def markdown_to_text(texts: Texts, /, *, errors: str = ..., progress: Progress = ...) -> TextColumn: ...
def markdown_to_text(
    texts: Document | Texts, /, *, errors: str = "strict", progress: Progress = False
) -> str | TextColumn:
    r"""Text of one Markdown document, or of a column, with default options.

    Parameters
    ----------
    texts : str, bytes or column
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
        If markdown-it-py is not installed.

    Notes
    -----
    CommonMark without extensions. Blocks are parted by a space, HTML and addresses of links are left out,
    descriptions of images are kept. Any text is Markdown, so nothing is refused; what lies more than
    100 containers deep is one paragraph, and after five million characters of labels, a paragraph has no more links.

    Examples
    --------
    >>> markdown_to_text("# Head\n\nline *one*\nline [two](https://example.org)")
    'Head line one line two'
    >>> markdown_to_text(["- a\n- b", None]).to_list()
    ['a b', None]
    """
    return markdown_to_text_with(texts, MarkdownOptions(), errors=errors, progress=progress)


@overload
def markdown_to_text_with(texts: Document, options: MarkdownOptions, /, *, errors: str = ...) -> str: ...
@overload
def markdown_to_text_with(
    texts: Texts, options: MarkdownOptions, /, *, errors: str = ..., progress: Progress = ...
) -> TextColumn: ...
def markdown_to_text_with(
    texts: Document | Texts, options: MarkdownOptions, /, *, errors: str = "strict", progress: Progress = False
) -> str | TextColumn:
    r"""Text of one Markdown document, or of a column.

    Parameters
    ----------
    texts : str, bytes or column
    options : MarkdownOptions
        What becomes text.
    errors, progress
        As in :func:`markdown_to_text`.

    Returns
    -------
    str, or TextColumn for a column

    Examples
    --------
    >>> text = "use `code` here\n\n```\nblock\n```\nend"
    >>> markdown_to_text_with(text, MarkdownOptions(include_code_blocks=False))
    'use code here end'
    """
    if not isinstance(options, MarkdownOptions):
        raise ConfigError(f"options must be MarkdownOptions, got {type(options).__name__}", argument="options")
    parser = _parser()
    return convert(texts, lambda text: _text_of(parser.parse(text), options), errors, progress)


@cache
def _parser() -> Any:
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise FeatureDisabledError("markup") from error
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING + _SPARE_LEVELS})
    first = parser.block.ruler.get_all_rules()[0]
    parser.block.ruler.before(first, "deep", _deep)
    helpers = parser.helpers

    def label_end(state: Any, start: int, *options: Any) -> int:
        steps = state.cache.get(_STEPS, 0)
        if steps > _MAX_STEPS:
            return -1
        end: int = helpers.parseLinkLabel(state, start, *options)
        state.cache[_STEPS] = steps + (end if end >= 0 else state.posMax) - start
        return end

    parser.helpers = SimpleNamespace(**{**vars(helpers), "parseLinkLabel": label_end})
    return parser


def _deep(state: Any, start: int, end: int, silent: bool) -> bool:
    """A rule of the parser: all lines of a container that is too deep are one paragraph."""
    if state.level < _MAX_NESTING:
        return False
    if silent:
        return True
    stop = start
    while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= state.blkIndent):
        stop += 1
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content = _MARKS.sub("", state.getLines(start, stop, state.blkIndent, False)).strip()
    token.children = []
    state.push("paragraph_close", "p", -1)
    state.line = stop
    return True


def _text_of(tokens: Iterable[Any], options: MarkdownOptions) -> str:
    writer = _Writer(options)
    for token in tokens:
        if token.type in ("fence", "code_block"):
            if options.include_code_blocks:
                writer.put(token.content)
            writer.break_line()
        elif token.type == "inline":
            writer.inline(token.children or ())
        elif token.type in _BREAKING and not token.hidden:
            writer.break_line()
    return "".join(writer.pieces).strip(WHITE_SPACE)


class _Writer:
    """Pieces of text; a space is never put at the begin, or after another one."""

    def __init__(self, options: MarkdownOptions) -> None:
        self.options = options
        self.pieces: list[str] = []

    def put(self, text: str) -> None:
        if text:
            self.pieces.append(text)

    def break_line(self) -> None:
        if self.options.break_to_space and self.pieces and not self.pieces[-1].endswith(" "):
            self.pieces.append(" ")

    def inline(self, tokens: Iterable[Any]) -> None:
        for token in tokens:
            if token.type == "text":
                self.put(token.content)
            elif token.type == "code_inline":
                if self.options.include_inline_code:
                    self.put(token.content)
            elif token.type in ("softbreak", "hardbreak"):
                self.break_line()
            elif token.type == "image":
                self.inline(token.children or ())
