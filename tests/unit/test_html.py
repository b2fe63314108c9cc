"""HTML: what shows, how it is laid out, and pages made to hurt."""

import random

import pytest

import txtfp_np as tx

pytest.importorskip("selectolax")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("<p>One.</p><p>Two&nbsp;three &amp; four &#x41; &hellip;</p>", "One.\n\nTwo\xa0three & four A …"),
        ("a<b>b</b>c <i> d</i>", "abc d"),
        ("a\n  b\t c", "a b c"),
        ("one<br>two<br/>three<br><br><br>four", "one\ntwo\nthree\n\nfour"),
        ("<div>a<div>b</div>c</div>d", "a\nb\nc\n\nd"),
        ("<div>a<p></p>b</div>", "a\n\nb"),
        ("<ul><li>a<li>b<ul><li>c</ul>d</ul>e", "a\nb\n\nc\nd\n\ne"),
        ("<table><tr><td>a<td>b<tr><th>c</th><td><b>d</b> e</td></tr></table>", "a\tb\nc\td e"),
        ("x<pre>  a\n   b  </pre>y", "x\n\n  a\n   b  \n\ny"),
        ("<SCRIPT>if (a < b) x('<p>')</SCRIPT>after<style>y</style>", "after"),
        ("<script>never closed <p>lost", ""),
        ("<styled-x>kept</styled-x>", "kept"),
        ("<template><p>x</p></template>z<noscript>y</noscript>", "z"),
        ("<head><title>t</title></head><body>b", "b"),
        ("<!-- a <p>comment</p> -->b<!-- open", "b"),
        ('<p hidden>x</p><p style="color:red; DISPLAY : none">y</p><p style="visibility:hidden">w</p>z', "z"),
        ('<div hidden><p>x<b>y</b></p></div><span title="<p>">z</span>', "z"),
        ('<p style="-webkit-backface-visibility:hidden;backface-visibility: hidden">x</p>', "x"),
        ('<p style="color:red;content-visibility:hidden">x</p><p style="a:b;visibility:hidden">y</p>z', "z"),
        ("<svg><text>x</text></svg><iframe>y</iframe>z", "z"),
        ("<p>a<p>b</div></span>c<b><i>d</b>e</i>", "a\n\nbcde"),
        ("< p >a</ p>b &bogus; &lt;p&gt;", "< p >ab &bogus; <p>"),
        ("a\0b", "ab"),
        ("\ufeff<!DOCTYPE html><html><body><p>a\ufeffb</body></html>", "a\ufeffb"),  # as some editors begin a file
        ("<textarea> a\n b</textarea>", " a\n b"),
        ("x<xmp> <p>a&amp;\n</xmp>y", "x <p>a&amp;\ny"),
        ("<plaintext><p>a</plaintext>&amp;<!--", "<p>a</plaintext>&amp;<!--"),
        ("<xmp hidden>x</xmp><b hidden>x<b>y</b></b><b>z</b>", "z"),
        ("<script><!-- <script> </script> x --></script>y", "y"),
        ("<b<p hidden>x</b<p>y<i a<b>z", "yz"),
        ("&#x110000;&#xD800;&#99999999999999999999;&#0;&#x80;&amp;amp", "\ufffd\ufffd\ufffd\ufffd€&amp"),
        ("<div hidden><div hidden><template><p>x</template></div><!-- </div> -->x</div>y", "y"),
    ],
)
def test_text(html, text):
    assert tx.html_to_text(html) == text


PAGE = """
<header>Logo</header><nav><a href=/>Home</a></nav><div role=navigation>More</div>
<article><header><h1>Title</h1></header><p>Story.</p><aside>Advert</aside><footer>By me</footer></article>
<form>Search</form><footer>Imprint</footer>
"""


def test_main_content():
    assert tx.html_to_text(PAGE, main_content=True) == "Title\n\nStory.\n\nBy me"
    assert tx.html_to_text(f"<p>Before</p><main>{PAGE}</main>", main_content=True).startswith("Logo\n\nTitle")
    assert "Before" not in tx.html_to_text(f"<p>Before</p><div role=main>{PAGE}</div>", main_content=True)
    for word in ("Logo", "Home", "More", "Advert", "Search", "Imprint"):
        assert word in tx.html_to_text(PAGE)


def test_columns():
    column = tx.html_to_text(["<p>a", None, b"<p>\xc3\xa9", ""])
    assert isinstance(column, tx.TextColumn)
    assert column.to_list() == ["a", None, "é", ""]
    assert tx.html_to_text([]).to_list() == []
    seen = []
    tx.html_to_text(["a"] * 3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(3, 3)]


def test_errors():
    with pytest.raises(tx.InvalidInputError, match=r"html input \(9 bytes\) exceeds 8-byte cap \(row 1\)") as caught:
        tx.html_to_text(["a", "<p>é</p>"], max_bytes=8)
    assert caught.value.row == 1
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.html_to_text(["a", b"\xff"])
    assert caught.value.row == 1
    assert tx.html_to_text(b"\xff", errors="replace") == "\ufffd"
    with pytest.raises(tx.ConfigError, match="main_content must be True or False"):
        tx.html_to_text("a", main_content=1)


DEEP = ["div", "b", "font", "a", "table><tr><td", "ul><li", "blockquote", "x-own", "section"]


def test_end_tags_that_end_nothing_are_no_depth():
    from txtfp_np.markup.html_tags import _MAX_DEPTH, tamed

    stray, opened = "</b>" * 3, "<b>" * _MAX_DEPTH
    assert tamed(f"{stray}{opened}x") == f"{stray}{opened}x"
    assert tamed(f"{stray}{opened}<b>x") == f"{stray}{opened}<br>x"


@pytest.mark.parametrize("tag", DEEP)
def test_deep_nesting_costs_no_square(tag):
    """As it stands, 100,000 open elements take the parser half a minute and more."""
    opened = f"<{tag}>" * 100_000
    closed = "".join(f"</{name}>" for name in reversed(tag.split("><"))) * 100_000
    text = tx.html_to_text(f"before{opened}deep{closed}after")
    assert "".join(text.split()) == "beforedeepafter"
    assert tx.html_to_text(f"{opened}deep") == "deep"


def test_formatting_that_stays_open_is_not_multiplied():
    """69 KB that a parser makes eight million elements of."""
    resource = pytest.importorskip("resource")
    opened = "".join(f"<b id={number}>" for number in range(500))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    html = f"<p>{opened}" + "<p>x" * 16_000
    assert tx.html_to_text(html) == "\n\n".join("x" * 16_000)
    assert tx.html_to_text(f"<p>{opened}" + "<p>x" * 16_000 + "</b>" * 500) == "\n\n".join("x" * 16_000)
    hidden = html + "</p><b hidden>no</b><textarea></b></textarea><a>y</a>"
    assert tx.html_to_text(hidden).endswith("x\n\n</b>y")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # KB


def test_attributes_cost_no_square():
    """As it stands, a million attributes of one tag take the parser half an hour."""
    attributes = " ".join(f"a{number}='>'" for number in range(1_000_000))
    assert tx.html_to_text(f"<p hidden {attributes}>no</p>yes") == "yes"
    assert tx.html_to_text("".join(f"<body a{number}>" for number in range(300_000)) + "yes") == "yes"


def test_pictures_are_not_depth():
    """Elements of SVG that close themselves: they are in nearly all pages."""
    icon = '<svg viewBox="0 0 1 1"><title>Icon</title><path d="M0 0"/><use href="#x" /></svg>'
    html = icon * 1000 + "<p>one <b>two</b> three<span hidden>no</span><pre>a\n b</pre>"
    assert tx.html_to_text(html) == "one two three\n\na\n b"
    quoted = "<p title='<div><div>'><script>'<div><div>'</script><!-- <div><div> -->x" * 500
    assert tx.html_to_text(f"{quoted}<p>one <b>two").endswith("x\n\none two")


def test_flattening_keeps_text_and_lines():
    html = "".join(f"<div>{i}" for i in range(1000))
    assert tx.html_to_text(html) == "\n".join(map(str, range(1000)))
    shallow = "<p>x</p><div>y</div><br>z <b>w</b>" * 1000  # many tags, none deep
    assert tx.html_to_text(shallow).count("w") == 1000


def test_any_text_is_html():
    generator = random.Random(1)
    parts = [
        "<",
        ">",
        "/",
        "p",
        "div",
        "b",
        "!--",
        "--",
        "=",
        '"',
        "&",
        ";",
        "amp",
        "table",
        "\0",
        " ",
        "é",
        "script",
        "]]>",
    ]
    for _ in range(3000):
        html = "".join(generator.choices(parts, k=generator.randrange(30)))
        assert isinstance(tx.html_to_text(html, main_content=generator.random() < 0.5), str)


@pytest.mark.slow
def test_a_large_page():
    rows = "<tr><td>cell <b>one</b></td><td>cell two &amp; more</td></tr>\n"
    page = f"<table>{rows * 150_000}</table>"
    assert len(page) > 9_000_000
    assert tx.html_to_text(page) == "\n".join(["cell one\tcell two & more"] * 150_000)


@pytest.mark.data
def test_wrapped_copies_are_found(shared_data):
    """Copies with tags around their lines and paragraphs, among 2,006 documents in 9 languages."""
    import gzip
    import json

    import numpy as np

    with gzip.open(shared_data / "ladder.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    number = {row["id"]: place for place, row in enumerate(row for row in rows if row["kind"] == "base")}
    wrapped = [row for row in rows if row["kind"] == "html"]
    assert len(wrapped) == len(number) == 2006
    fp = tx.MinHashFingerprinter()
    index = tx.LshIndexBuilder.for_recall(0.7, 128, recall=0.99).build()
    index.insert(np.arange(len(number)), fp.fingerprint([row["text"] for row in rows if row["kind"] == "base"]))
    signatures = fp.fingerprint(tx.html_to_text([row["text"] for row in wrapped]))
    bounds, found = index.query_with_threshold(signatures, 0.7)
    hits = [number[row["base_id"]] in found[a:b] for row, a, b in zip(wrapped, bounds[:-1], bounds[1:], strict=True)]
    assert np.mean(hits) >= 0.97
