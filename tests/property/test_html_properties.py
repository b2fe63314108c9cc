"""Text of HTML of any shape.

1. It is that of a walk over the tree that the parser makes of the page.
2. It is the same however a page is cut into pieces.
"""

import random

import pytest
from oracles.html import text_of

from txtfp_np.markup.html_layout import Layout, names
from txtfp_np.markup.html_pieces import pieces_of

lexbor = pytest.importorskip("selectolax.lexbor")

USUAL = sorted(
    names("p div li ul ol b i a span table tr td th tbody caption pre br hr h1 form nav main article header")
)
NAMES = USUAL + sorted(
    names(
        "footer textarea xmp noscript template svg option select button object title iframe style script dd dt "
        "font x-own section head body html frameset embed ruby rt marquee nobr input img image listing keygen param"
    )
)
ATTRIBUTES = [
    " hidden",
    " style='display:none'",
    ' style="color:red"',
    ' title="<p hidden>"',
    " role=main",
    " role='navigation'",
    " class=a",
    ' b"c=1',
    " =x",
    " data-hidden='&quot;'",
]
TEXTS = [
    "one",
    " two ",
    "\n",
    "  ",
    "&amp;",
    "&lt;p&gt;",
    "&nbsp;",
    "a\tb",
    "é",
    "\0",
    "x\r\ny",
    "]]>",
    "&#x110000;",
    "渡",
]
JUNK = [
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "<!-- <p> -->",
    "<![CDATA[x]]>",
    "<?x y?>",
    "<?x hidden=?>",
    "<!doctype html>",
    "</>",
    "</p>",
    '"',
    "<b",
]


def broken_page(generator, listed, n_parts):
    parts = []
    opened = []
    # Inside of svg these hold elements, of which a walk over the tree sees the ends of blocks.
    left_out = generator.choice([{"svg"}, {"template", "script", "style", "iframe"}])
    listed = [name for name in listed if name not in left_out]
    for _ in range(n_parts):
        kind = generator.random()
        if kind < 0.35:
            name = generator.choice(listed)
            attribute = generator.choice(ATTRIBUTES) if generator.random() < 0.15 else ""
            parts.append(f"<{name}{attribute}>")
            opened.append(name)
        elif kind < 0.65 and opened:
            last = opened.pop() if generator.random() < 0.9 else generator.choice(listed)
            parts.append(f"</{last}>")
        elif kind < 0.97:
            parts.append(generator.choice(TEXTS))
        else:
            parts.append(generator.choice(JUNK))
    return "".join(parts)


def laid_out(html, size, main_content):
    pieces = pieces_of(html, lexbor.LexborHTMLParser, size)
    layout = Layout(main_content, main_content and any(piece.has_main for piece in pieces))
    for piece in pieces:
        layout.add(piece.html)
    return layout.text(), len(pieces)


@pytest.mark.parametrize("main_content", [False, True])
@pytest.mark.parametrize("listed", [NAMES, USUAL], ids=["all", "usual"])
def test_text_is_that_of_the_tree(listed, main_content):
    generator = random.Random(7 + main_content)
    for _ in range(1000):
        html = broken_page(generator, listed, generator.randrange(1, 60))
        expected = text_of(lexbor.LexborHTMLParser(html), main_content)
        assert laid_out(html, len(html), main_content) == (expected, 1), html


@pytest.mark.parametrize("main_content", [False, True])
@pytest.mark.parametrize("listed", [NAMES, USUAL], ids=["all", "usual"])
def test_cuts_change_nothing(listed, main_content):
    generator = random.Random(9 + main_content)
    n_cut = 0
    for _ in range(1000):
        html = broken_page(generator, listed, generator.randrange(30, 120))
        expected = text_of(lexbor.LexborHTMLParser(html), main_content)
        text, n_pieces = laid_out(html, generator.randrange(20, 200), main_content)
        assert text == expected, html
        n_cut += n_pieces > 1
    assert n_cut > 100
