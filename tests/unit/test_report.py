"""The report page: what is in it, what is not, and what it does in a real browser."""

import json
import re
from html import unescape
from html.parser import HTMLParser

import browser
import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.dedup import report_page
from txtfp_np.dedup.explain import Run, explain_texts
from txtfp_np.dedup.report import report_html, write_report
from txtfp_np.dedup.report_data import choose_groups
from txtfp_np.dedup.report_plots import similarity_plot, sizes_plot
from txtfp_np.dedup.report_runs import BOTH, GAP_A, GAP_B, GAP_BOTH, ONLY_A, ONLY_B, REST, compare, shorten

HOSTILE = [
    "</script><script>document.title = 'hacked'</script> and four more words here",
    "<img src=x onerror=\"document.title='hacked'\"> <!-- <script> ]]> &amp; &lt;",
    "quotes \" and ' and `ticks` with ${title} and $title and $$ and \\u0041 \\",
    "a NUL \x00, an escape \x1b[31m, a bell \x07 and a \u2028 separator",
    "reordered \u202etxet desrever\u202c and \u2066isolated\u2069 and a joiner \u200d and a mark \ufeff",
    "astral 😀 and a tag \U000e0041 and a surrogate pair 𝒳",
]


def words(seed, n):
    return " ".join(f"w{value}" for value in np.random.default_rng(seed).integers(0, 10_000, n).tolist())


@pytest.fixture(scope="module")
def many():
    """25 clusters: of cluster c, c + 2 documents; the last word of each copy differs."""
    texts, ids = [], []
    for c in range(25):
        base = words(c, 60)
        texts += [f"{base} cluster{c}", *(f"{base} cluster{c} copy{i}" for i in range(c + 1))]
        ids += [f"{c}-{i}" for i in range(c + 2)]
    return texts, ids, tx.dedup(texts)


@pytest.fixture(scope="module")
def page(many):
    texts, ids, result = many
    return report_html(texts, result, ids=ids, title="Many")


def clusters_of(page):
    found = re.search(r'<script type="application/json" id="clusters">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


class Tags(HTMLParser):
    """Names and attributes of all elements, and all text outside of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self._raw = [], [], 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._raw = tag in ("script", "style")

    def handle_endtag(self, tag):
        self._raw = False

    def handle_data(self, data):
        if not self._raw:
            self.text.append(data)


def listed(dom):
    """Numbers of the clusters in the list, and which one is chosen."""
    buttons = re.findall(r'<button type="button" data-cluster="(\d+)"( aria-current="true")?', dom)
    return [int(number) for number, _ in buttons], [int(number) for number, chosen in buttons if chosen]


def text_of(dom):
    return " ".join("".join(Tags(dom).text).split())


# ── what is in the page ─────────────────────────────────────────────────────────────────────────────
def test_nothing_is_fetched(page):
    tags = Tags(page).tags
    assert {"html", "body", "svg", "script"} <= {tag for tag, _ in tags}
    assert not [tag for tag, _ in tags if tag in ("link", "img", "iframe", "object", "embed", "base", "form")]
    assert not [(tag, attributes) for tag, attributes in tags if {"src", "href", "style"} & attributes.keys()]
    policy = next(attributes["content"] for _, attributes in tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http://" not in page
    assert "https://" not in page


def test_counts_and_clusters_are_those_of_the_result(many, page):
    texts, ids, result = many
    summary = result.summary()
    text = text_of(page)
    assert summary.removed == sum(range(1, 26))
    assert f"Of {summary.documents:,} documents, {summary.removed:,}" in text
    shown = clusters_of(page)
    assert [cluster["size"] for cluster in shown] == list(range(26, 1, -1))
    for cluster in shown:
        kept = ids.index(cluster["id"])
        assert result.keep[kept]
        assert cluster["text"] == texts[kept]
        for member in cluster["members"]:
            row = ids.index(member["id"])
            assert result.representative[row] == kept
            assert member["similarity"] == pytest.approx(float(result.similarity[row]), abs=1e-4)
            assert rebuilt(member["runs"], ONLY_A, GAP_A) == len(texts[kept])
            assert rebuilt(member["runs"], ONLY_B, GAP_B) == len(texts[row])


def rebuilt(runs, own, gap):
    """Characters of one side, shown or counted."""
    lengths = 0
    for kind, content, *other in runs:
        mine = other[0] if other and own == ONLY_B else content
        if kind in (BOTH, own):
            lengths += len(mine)
        elif kind in (GAP_BOTH, gap):
            lengths += mine
    return lengths


def test_what_is_left_out_is_said(many):
    texts, _, result = many
    small = report_html(texts, result, max_clusters=3, max_members=4)
    shown = clusters_of(small)
    assert [len(cluster["members"]) for cluster in shown] == [4, 4, 4]
    assert [cluster["size"] for cluster in shown] == [26, 25, 24]
    assert "Shown are the 3 largest of 25 clusters. In 3 of those" in text_of(small)
    assert clusters_of(report_html(texts, result, max_clusters=0)) == []


def test_a_page_has_a_bounded_size(many, monkeypatch):
    texts, _, result = many
    monkeypatch.setattr(report_page, "PAGE_BYTES", 20_000)
    small = report_html(texts, result)
    n = len(clusters_of(small))
    assert 0 < n < 25
    assert f"Shown are the {n} largest of 25 clusters." in text_of(small)
    assert len(small) < len(report_html(texts, result, max_clusters=0)) + 20_000


def test_texts_stay_texts():
    base = words(1, 80)
    texts = [text for hostile in HOSTILE for text in (f"{base} {hostile}", f"{base} {hostile} more")]
    result = tx.dedup(texts, 0.5)
    page = report_html(texts, result, ids=[f"<b>{i}</b>\x00" for i in range(len(texts))], title="<i>$title\u202e</i>")
    assert "hacked'</script>" not in page
    assert "<img" not in page
    assert "&lt;i&gt;$title\\u202e&lt;/i&gt;" in page
    assert [c for c in page if not c.isprintable() and c != "\n"] == []
    members = [member for cluster in clusters_of(page) for member in cluster["members"]]
    shown = "".join(run[-1] for member in members for run in member["runs"] if run[0] in (BOTH, ONLY_B))
    for hostile in HOSTILE:
        assert hostile.split()[-1] in shown
    assert "\x00" in shown


@pytest.mark.parametrize("texts", [[], ["alone"], ["", None, ""], ["same", "same"]])
def test_small_corpora(texts):
    page = report_html(texts, tx.dedup(texts))
    assert len(clusters_of(page)) == (texts == ["same", "same"])
    assert f"Of {len(texts)} documents" in page


def test_simhash_and_components(many):
    texts, _, _ = many
    near = report_html(texts, tx.dedup(texts, method="simhash", max_distance=3))
    assert "probability that a pair is found" not in near
    chain = [" ".join(f"w{i}" for i in range(start, start + 40)) for start in range(0, 30, 3)]
    result = tx.dedup(chain, 0.6, linkage="components")
    assert np.isnan(result.similarity).any()
    members = clusters_of(report_html(chain, result))[0]["members"]
    assert members[0]["similarity"] is None


def test_what_the_other_side_has_is_counted(many):
    texts, ids, _ = many
    result = tx.dedup(texts[:30], against=texts[:5])
    page = report_html(texts[:30], result, ids=ids[:30])
    assert re.search(r"<dt>known on the other side</dt><dd>5</dd>", page)
    assert sum(cluster["size"] - 1 for cluster in clusters_of(page)) == result.summary().near


def test_lengths_must_agree(many):
    texts, ids, result = many
    with pytest.raises(tx.InvalidInputError, match="texts must be as long as the result"):
        report_html(texts[1:], result)
    with pytest.raises(tx.InvalidInputError, match="ids must be as long"):
        report_html(texts, result, ids=ids[1:])
    with pytest.raises(tx.ConfigError, match="max_members"):
        report_html(texts, result, max_members=0)


def test_the_file_is_complete_or_not_there(many, tmp_path):
    texts, ids, result = many
    path = tmp_path / "report.html"
    path.write_text("old")
    write_report(path, texts, result, ids=ids, title="Many")
    assert path.read_text(encoding="utf-8") == report_html(texts, result, ids=ids, title="Many")
    with pytest.raises(OSError, match="no-such-folder"):
        write_report(tmp_path / "no-such-folder" / "report.html", texts, result)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_report(tmp_path / "folder", texts, result)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "report.html"]


# ── its parts ───────────────────────────────────────────────────────────────────────────────────────
def test_groups_are_the_largest_and_begin_with_the_least_similar():
    random = np.random.default_rng(5)
    for n in (0, 1, 7, 300):
        kept = random.integers(0, 40, n)
        similarity = np.where(random.random(n) < 0.2, np.nan, random.random(n))
        chosen, sizes = choose_groups(kept, similarity, 5, 3)
        by_kept = {}
        for position, row in enumerate(kept.tolist()):
            by_kept.setdefault(row, []).append(position)
        assert sorted(sizes.tolist()) == sorted(len(group) + 1 for group in by_kept.values())
        expected = sorted(by_kept, key=lambda row: (-len(by_kept[row]), row))[:5]
        assert [group.kept for group in chosen] == expected
        for group in chosen:
            key = [(-1 if np.isnan(similarity[p]) else similarity[p], p) for p in by_kept[group.kept]]
            assert group.positions.tolist() == [p for _, p in sorted(key)[:3]]
            assert group.size == len(key) + 1


def test_long_runs_are_shortened_and_nothing_is_lost():
    same, own = words(2, 500), words(3, 800)
    a, b = f"{same} apple {own} end", f"{same} pear end"
    runs = explain_texts(a, b, tx.MinHashFingerprinter()).runs
    shown = shorten(runs, 5000)
    assert rebuilt(shown, ONLY_A, GAP_A) == len(a)
    assert rebuilt(shown, ONLY_B, GAP_B) == len(b)
    assert {GAP_BOTH, GAP_A} <= {run[0] for run in shown}
    assert sum(len(run[1]) for run in shown if isinstance(run[1], str)) < 1500
    little = shorten(runs, 50)
    assert little[-1][0] == REST
    assert sum(len(run[1]) for run in little if isinstance(run[1], str)) < 50 + 30
    assert shorten([Run("both", "Same.", "same")], 100) == [(BOTH, "Same.", "same")]
    assert shorten([], 100) == []


def test_very_long_documents_are_compared_at_their_beginnings():
    a = words(7, 50_000)
    b = a.replace(a[1000:1060], "another passage ", 1) + words(8, 50_000)
    begin = 3 * 5000
    runs, rest = compare(a, b, tx.MinHashFingerprinter(), begin)
    assert sum(len(run.text) for run in runs if run.kind != "b") <= begin
    assert [run.kind for run in runs].count("both") == 2
    assert runs[-1].kind == "both"
    assert rest >= len(a) + len(b) - 2 * begin
    page = report_html([a, a + " end", b], tx.dedup([a, a + " end", b], 0.3), max_characters=1000)
    members = clusters_of(page)[0]["members"]
    assert all(member["runs"][-1][0] == REST for member in members)
    assert len(page) < 100_000


def test_plots_count_what_they_draw():
    similarities = np.array([0.7, 0.701, 0.72, 0.995, 1.0, 1.0, np.nan])
    plot = similarity_plot(similarities, 0.7, tx.LshIndexBuilder.for_recall(0.7, 128))
    assert plot.rows == [("0.70 to 0.72", "2"), ("0.72 to 0.74", "1"), ("0.98 to 1.00", "1")]
    assert plot.svg.count("<rect") == 3
    assert plot.svg.count("<polyline") == 1
    assert "<polyline" not in similarity_plot(np.empty(0), 1.0, None).svg
    sizes = sizes_plot(np.array([2, 2, 3, 5, 8, 9, 1000]))
    assert sizes.rows == [("2", "2"), ("3", "1"), ("5–8", "2"), ("9–16", "1"), ("513–1024", "1")]
    assert sizes_plot(np.empty(0, np.int64)).rows == []


# ── in a browser ────────────────────────────────────────────────────────────────────────────────────
def test_the_page_opens_on_the_largest_cluster(page, tmp_path):
    dom = browser.dump(page, tmp_path)
    assert listed(dom) == (list(range(1, 11)), [1])
    text = text_of(dom)
    assert "1–10 of 25" in text
    assert "Cluster 1: document 24-0 kept, 25 removed" in text
    assert "13 more removed documents are not in this page." in text
    assert re.search(r'<mark class="b">copy\d+</mark>', dom)
    assert 'id="explorer"' in dom
    assert " hidden" not in dom[dom.index('<section id="explorer"') :][:80]


def test_search_and_paging_by_address(page, tmp_path):
    dom = browser.dump(page, tmp_path, "page=3")
    assert listed(dom) == ([21, 22, 23, 24, 25], [21])
    assert "21–25 of 25" in text_of(dom)
    dom = browser.dump(page, tmp_path, "q=cluster7")
    assert listed(dom) == ([18], [18])
    assert "1–1 of 1 found" in text_of(dom)
    dom = browser.dump(page, tmp_path, "q=%3Cno+such+word%3E&page=9&cluster=zzz&member=77&junk=1")
    assert listed(dom) == ([], [])
    assert "Nothing that is shown here has these words." in text_of(dom)


def test_search_paging_and_keys_by_hand(page, tmp_path):
    script = """
      const press = (key) => dispatchEvent(new KeyboardEvent("keydown", { key }));
      const log = [];
      const note = () => log.push([document.querySelector("h3").textContent.match(/\\d+/)[0],
        document.querySelector("tr[aria-selected=true] button").dataset.member, location.hash]);
      press("j"); press("j"); press("k"); note();
      press("n"); press("n"); press("p"); note();
      document.getElementById("next-page").click(); note();
      document.getElementById("previous-page").click(); note();
      document.getElementById("order").value = "least";
      document.getElementById("order").dispatchEvent(new Event("change")); note();
      const query = document.getElementById("query");
      press("/"); log.push(document.activeElement === query);
      query.value = "CLUSTER3 copy2"; query.dispatchEvent(new Event("input")); note();
      press("v"); log.push(document.querySelectorAll(".hunk").length);
      document.title = JSON.stringify(log);
    """
    start, moved, turned, back, least, focused, found, hunks = logged(browser.dump(page, tmp_path, script=script))
    assert start == ["2", "1", "#cluster=2"]
    assert moved == ["2", "2", "#cluster=2&member=2"]
    assert turned == ["11", "1", "#page=2&cluster=11"]
    assert back == ["1", "1", ""]
    assert least[2].startswith("#order=least")
    assert focused is True
    assert found[0] == "22"
    assert "q=CLUSTER3+copy2" in found[2]
    assert hunks == 0


def test_light_dark_and_as_the_system(page, tmp_path):
    script = """
      const log = [];
      for (let i = 0; i < 4; i++) {
        const root = document.documentElement;
        log.push([root.dataset.theme ?? "auto", getComputedStyle(document.body).backgroundColor]);
        document.getElementById("theme").click();
      }
      document.title = JSON.stringify(log);
    """
    seen = logged(browser.dump(page, tmp_path, script=script))
    assert [name for name, _ in seen] == ["auto", "light", "dark", "auto"]
    colours = dict(seen)
    assert colours["light"] != colours["dark"]
    assert colours["auto"] in (colours["light"], colours["dark"])


def test_hostile_texts_do_nothing_in_a_browser(tmp_path):
    base = words(1, 80)
    texts = [text for hostile in HOSTILE for text in (f"{base} {hostile}", f"{base} {hostile} more")]
    ids = [f"<img src=x onerror=\"document.title='hacked'\">{i}" for i in range(len(texts))]
    page = report_html(texts, tx.dedup(texts, 0.5), ids=ids, title="</title><script>alert(1)</script>")
    # every member is opened, one after the other, and all that was drawn is kept in the page
    script = """
      for (let i = 0; i < 20; i++) {
        document.querySelector("footer").append(document.getElementById("detail").cloneNode(true));
        dispatchEvent(new KeyboardEvent("keydown", { key: "n" }));
      }
    """
    for dom in (browser.dump(page, tmp_path), browser.dump(page, tmp_path, script=script)):
        assert "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>" in dom
        assert "img" not in {tag for tag, _ in Tags(dom).tags}
        body = "".join(Tags(dom).text)
        assert not {"\x00", "\x1b", "\u202e", "\u2066"} & set(body)
    for shown in ("</script><script>document.title", "<img src=x onerror", "${title}", "U+0000", "U+001B", "U+202E"):
        assert shown in body


def logged(dom):
    """What a script of a test left in the title."""
    return json.loads(unescape(re.search("<title>(.*?)</title>", dom)[1]))
