"""One self-contained HTML page: everything is inside, nothing is fetched, no text of a document becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from html import escape
from string import Template
from typing import Any

from .report_data import Group, ReportData
from .report_plots import Plot, similarity_plot, sizes_plot
from .report_runs import compare, shorten

PAGE_BYTES = 12_000_000
"""Of clusters; more of them are left out, and the page says so."""

# Comparing takes about a second for a million characters: so many of each document, and of all pairs together.
_COMPARED = 200_000
_COMPARED_IN_ALL = 30_000_000
_TILES = (
    ("documents", "documents"),
    ("kept", "kept"),
    ("removed", "removed"),
    ("copies", "equal to a kept one"),
    ("near", "similar to a kept one"),
    ("against", "known on the other side"),
    ("empty", "empty, and kept"),
    ("clusters", "clusters"),
    ("largest", "in the largest"),
)
_OPTIONAL = {"against", "empty"}  # nothing to say when they are 0
_SEPARATORS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def page_html(data: ReportData, max_characters: int) -> str:
    """The page.

    Parameters
    ----------
    data : ReportData
        What is to be shown.
    max_characters : int
        Of text shown for one pair of documents.

    Returns
    -------
    str
    """
    style, script = _part("report.css"), _part("report.js")
    encoded, n_shown = _clusters(data, max_characters)
    title = _visible(data.title)
    return Template(_part("report.html")).substitute(
        policy=f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'",
        title=escape(title),
        lead=_lead(data),
        tiles=_tiles(data.counts),
        plots=_plots(data),
        left_out=_left_out(data, n_shown),
        foot=_foot(data),
        style=style,
        script=script,
        clusters=encoded,
    )


def _part(name: str) -> str:
    from importlib.resources import files  # slow to import

    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What a content security policy calls the one script, or the one style, that may be used."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _visible(text: str) -> str:
    """Text without characters that would reorder or end what stands around them."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def json_for_html(value: Any) -> str:
    r"""JSON that stays data inside an element ``script``, and has no character that hides or reorders others.

    Examples
    --------
    >>> print(json_for_html("</script>\u202e"))
    "\u003c/script\u003e\u202e"
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_SEPARATORS)
    if text.isprintable():
        return text
    # what is left are characters inside strings: JSON's own whitespace is not written
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(c: str) -> str:
    units = c.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _clusters(data: ReportData, max_characters: int) -> tuple[str, int]:
    """Clusters as JSON, as many as there is room for."""
    parts: list[str] = []
    room = PAGE_BYTES
    n_pairs = sum(len(group.members) for group in data.groups)
    limit = max(2 * max_characters, min(_COMPARED, _COMPARED_IN_ALL // max(n_pairs, 1)))
    for group in data.groups:
        part = json_for_html(_cluster(group, data.fingerprinter, max_characters, limit))
        room -= len(part.encode())
        if room < 0 and parts:
            break
        parts.append(part)
    return f"[{','.join(parts)}]", len(parts)


def _cluster(group: Group, fingerprinter: Any, max_characters: int, limit: int) -> dict[str, Any]:
    members = []
    for member in group.members:
        if member.text == group.text:
            runs: list[Any] = []
        else:
            compared, rest = compare(group.text, member.text, fingerprinter, limit)
            runs = shorten(compared, max_characters, rest)
        known = not math.isnan(member.similarity)
        members.append(
            {
                "id": member.id,
                "similarity": round(float(member.similarity), 4) if known else None,
                "reason": member.reason,
                "length": len(member.text),
                "runs": runs,
            }
        )
    return {
        "id": group.id,
        "size": group.size,
        "length": len(group.text),
        "text": group.text[:max_characters],
        "members": members,
    }


def _lead(data: ReportData) -> str:
    counts = data.counts
    share = f" ({counts['removed'] / counts['documents']:.1%})" if counts["documents"] else ""
    return (
        f"Of {counts['documents']:,} documents, {counts['removed']:,}{share} are near-duplicates of one that is kept: "
        f"similarity {data.threshold:g} or above."
    )


def _tiles(counts: dict[str, int]) -> str:
    return "".join(
        f'<div class="tile {key}"><dt>{name}</dt><dd>{counts[key]:,}</dd></div>'
        for key, name in _TILES
        if key in counts and (counts[key] or key not in _OPTIONAL)
    )


def _plots(data: ReportData) -> str:
    equal = int((data.similarities >= 1).sum())
    text = f"Similarities of {data.measured}. "
    text += f"Not drawn: {equal:,} of equal documents. " if equal else ""
    text += '<span class="key threshold">threshold</span>'
    if data.bands is not None:
        at = float(data.bands.collision_probability(data.threshold))
        text += (
            f' <span class="key curve">probability that a pair is found</span>: {at:.2%} at the threshold, '
            f"by {data.bands.bands} bands of {data.bands.rows} slots"
        )
    first = _figure(similarity_plot(data.similarities, data.threshold, data.bands), text + ".")
    clusters = f"Clusters of two documents or more, by their size: {len(data.sizes):,} in all."
    return first + _figure(sizes_plot(data.sizes), clusters)


def _figure(plot: Plot, text: str) -> str:
    rows = "".join(f"<tr><th scope=row>{name}<td>{value}" for name, value in plot.rows)
    heads = "".join(f"<th scope=col>{head}" for head in plot.heads)
    table = f"<details><summary>numbers</summary><table><tr>{heads}{rows}</table></details>" if plot.rows else ""
    return f"<figure>{plot.svg}<figcaption>{text}</figcaption>{table}</figure>"


def _left_out(data: ReportData, n_shown: int) -> str:
    """What the page does not show, in words."""
    sentences = []
    if n_shown < len(data.sizes):
        sentences.append(f"Shown are the {n_shown:,} largest of {len(data.sizes):,} clusters.")
    cut = sum(len(group.members) < group.size - 1 for group in data.groups[:n_shown])
    if cut:
        sentences.append(
            f"In {cut:,} of those shown there are only the removed documents that are least like the kept one."
        )
    return escape(" ".join(sentences))


def _foot(data: ReportData) -> str:
    fp = data.fingerprinter
    stages = f"text {fp.canonicalizer.config_string()}, tokens {fp.tokenizer.name}, {fp.algorithm}"
    return f"Made with txtfp_np: {escape(stages)}; config_hash {fp.config_hash:016x}."
