"""Text of HTML of any shape.

1. It is that of a walk over the tree that the parser makes of the page.
2. It is the same however a page is cut into pieces.
3. A page that is not deep is left as it is, and one that is gets no deeper than it may.
4. Formatting that is read as tags that do nothing leaves the words and their order.
"""

import random

import pytest
from oracles.html import text_of

from txtfp_np.markup import html_tags
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


FOREIGN = [
    "<svg><path d='x'/>",
    "<path/>",
    "</svg>",
    "<svg/>",
    "<desc>",
    "</desc>",
    "<foreignObject>",
    "</foreignObject>",
    "<![CDATA[ </div> ]]>",
    "<math><mi>",
    "</mi>",
    "</math>",
    "<div a='</div>'>",
    "<!-- </div> -->",
    "<script>'</div><b>'</script>",
    "<style/>",
    "<svg><title>x</title>",
    "<h1></h2>",
    "<svg><a>x</a>",
    "<svg><b>",
]


def page_with_pictures(generator, formatting):
    listed = [name for name in NAMES if name not in ("plaintext", "xmp", "textarea", "frameset")]
    if not formatting:
        listed = [name for name in listed if name not in html_tags._FORMATTING]
    html = broken_page(generator, listed, generator.randrange(1, 60))
    for _ in range(2):
        cut = generator.randrange(len(html) + 1)
        html = html[:cut] + generator.choice(FOREIGN if formatting else FOREIGN[:14] + FOREIGN[15:18]) + html[cut:]
    return html


def depth_of(html):
    nodes, deepest = [(lexbor.LexborHTMLParser(html).root, 1)], 0
    while nodes:
        node, depth = nodes.pop()
        deepest = max(deepest, depth)
        child = node.child
        while child is not None:
            nodes.append((child, depth + 1))
            child = child.next
    return deepest


@pytest.mark.parametrize(
    "unit",
    [
        "<div></x>",
        "<div a='</div>'>",
        "<div><!-- </div> -->",
        "<div><table></div></table>",
        "<x><p></x></p>",
        "<form><div></form>",
        "<svg><p></svg><x/>",
        "<svg><g/></x><p></g>",
        "<rt>",
        "<optgroup>",
        "<dd><li>",
        "<svg><col>",
        "<table><x></table></x>",
        "<p><b id={}>",
        "<b id={}></i>",
    ],
)
def test_end_tags_that_end_nothing_do_not_hide_depth(unit):
    """A parser goes deeper with each, and its time grows with the square."""
    html = "".join(unit.format(number) for number in range(3000))
    assert depth_of(html_tags.tamed(html)) < 1100


def test_depth_is_bounded(monkeypatch):
    generator = random.Random(11)
    monkeypatch.setattr(html_tags, "_SMALL", -1)
    n_deep = 0
    for _ in range(1000):
        html = page_with_pictures(generator, formatting=False)
        assert html_tags.tamed(html) == html
        monkeypatch.setattr(html_tags, "_MAX_DEPTH", 10)
        assert depth_of(html_tags.tamed(html * 50)) <= 40, html
        monkeypatch.undo()
        monkeypatch.setattr(html_tags, "_SMALL", -1)
        n_deep += depth_of(html * 50) > 100
    assert n_deep > 100


def test_formatting_that_does_nothing_keeps_words(monkeypatch):
    generator = random.Random(12)
    monkeypatch.setattr(html_tags, "_SMALL", -1)
    monkeypatch.setattr(html_tags, "_MAX_FORMATTING", -1)
    n_changed = 0
    for _ in range(1000):
        html = page_with_pictures(generator, formatting=True)
        for mark in ("hidden", "style='display:none'"):
            for name in html_tags._FORMATTING:  # where it is misnested, more is hidden
                html = html.replace(f"<{name} {mark}>", f"<{name}>")
        tamed = html_tags.tamed(html)
        n_changed += tamed != html
        page, expected = lexbor.LexborHTMLParser(tamed), text_of(lexbor.LexborHTMLParser(html), False)
        assert "".join(text_of(page, False).split()) == "".join(expected.split()), html
    assert n_changed > 100
