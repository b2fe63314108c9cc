"""Three corpora from a folder of texts: ``ascii``, ``english`` and ``multi``; or from nothing at all.

The order is fixed: what is read next comes from the source (in ``multi``: the language) that has given
least so far, so a prefix of a corpus has about the same mixture, and a smaller ``--mb`` is a smaller
sample of it. ``multi`` ends where only the largest languages have anything left.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]

# Made-up text repeats a few words; more of it than this shows nothing new.
SYNTHETIC_BYTES = 4_000_000
# A document below this share of non-ASCII bytes is taken for English with some typography.
ENGLISH_SHARE = 0.05
# No language of ``multi`` gives more than this, however much there is of it.
LANGUAGE_BYTES = 1_200_000


@dataclass
class Corpus:
    """Documents, and where they are from."""

    name: str
    texts: list[str]
    sources: list[str]
    shares: dict[str, int] | None = None  # bytes by language, where that is known

    def __post_init__(self) -> None:
        encoded = [text.encode() for text in self.texts]
        self.nbytes = sum(map(len, encoded))
        self.not_ascii = sum(not text.isascii() for text in self.texts)
        self.high_bytes = sum(len(data) - len(data.decode("ascii", "ignore")) for data in encoded)

    @property
    def synthetic(self) -> bool:
        return self.sources == ["synthetic"]

    def as_dict(self) -> dict[str, Any]:
        return {
            "documents": len(self.texts),
            "bytes": self.nbytes,
            "documents_not_ascii": self.not_ascii,
            "bytes_not_ascii": self.high_bytes,
            "sources": self.sources,
            "bytes_by_language": self.shares,
        }

    def describe(self) -> str:
        share_documents, share_bytes = self.not_ascii / len(self.texts), self.high_bytes / self.nbytes
        languages = f"; {len(self.shares)} languages: {', '.join(sorted(self.shares))}" if self.shares else ""
        return (
            f"{self.name:8} {self.nbytes / 1e6:5.1f} MB  {len(self.texts):6,} documents  not ASCII: "
            f"{share_documents:4.0%} of documents, {share_bytes:4.0%} of bytes  "
            f"({', '.join(self.sources)}{languages})"
        )


def load(folder: Path | None, limit: int) -> list[Corpus]:
    """The three corpora, each of at most ``limit`` bytes; those that would be empty are left out."""
    if folder is not None and not folder.is_dir():
        print(f"note: there is no folder {folder}", file=sys.stderr)
        folder = None
    if folder is None:
        print("note: measuring made-up text; give real text with --data FOLDER", file=sys.stderr)
        return synthetic(min(limit, SYNTHETIC_BYTES))
    found = [_known(name, sources, folder, limit) for name, sources in KNOWN.items()]
    loaded = [corpus for corpus in found if corpus is not None]
    if not loaded:
        loaded = _any_folder(folder, limit)
    if not loaded:
        print(f"note: no text in {folder}; measuring made-up text instead", file=sys.stderr)
        loaded = synthetic(min(limit, SYNTHETIC_BYTES))
    return loaded


# ── the shared folder ───────────────────────────────────────────────────────────────────────────


def _every(row: Row) -> bool:
    return True


def _not_ascii(row: Row) -> bool:
    return not row.get("text", "").isascii()


def _english_base(row: Row) -> bool:
    return row["kind"] == "base" and row["lang"] == "en" and _not_ascii(row)


def _other_base(row: Row) -> bool:
    return row["kind"] == "base" and row["lang"] != "en"


# Corpus -> file -> the rows of it that are meant. English that happens to be plain ASCII is in ``ascii`` already:
# ``english`` is the documents with a curly quote, a dash or an accent somewhere.
KNOWN: dict[str, dict[str, Callable[[Row], bool]]] = {
    "ascii": {"exactj_en_docs": _every, "mccormick_docs": _every, "revisions_en": _every},
    "english": {
        "ladder": _english_base,
        "revisions_en": _not_ascii,
        "exactj_en_docs": _not_ascii,
        "licences_scancode": _not_ascii,
        "spdx_docs": _not_ascii,
    },
    "multi": {
        "revisions_multi": _every,
        "editions_ja_aozora": _every,
        "editions_ar_openiti": _every,
        "exactj_th_docs": _every,
        "ladder": _other_base,
        "pairs_lcqmc_zh": _every,
    },
}


def _known(name: str, sources: dict[str, Callable[[Row], bool]], folder: Path, limit: int) -> Corpus | None:
    files = {source: folder / f"{source}.jsonl.gz" for source in sources if (folder / f"{source}.jsonl.gz").is_file()}
    if name == "multi":
        by_language = _languages(files, sources)
        streams = {language: _capped(_fairly(parts)) for language, parts in by_language.items()}
    else:
        streams = {source: _texts(path, sources[source]) for source, path in files.items()}
    texts: list[str] = []
    shares = dict.fromkeys(streams, 0)
    total = 0
    for key, text in _fairly(streams):
        if name == "ascii":
            text = text.encode("ascii", "ignore").decode()
        size = len(text.encode())
        if total + size > limit and texts:
            break
        texts.append(text)
        shares[key] += size
        total += size
    return Corpus(name, texts, list(files), shares if name == "multi" else None) if texts else None


def _fairly(streams: dict[str, Iterator[str]]) -> Iterator[tuple[str, str]]:
    """Next comes whoever has given the fewest bytes."""
    given = dict.fromkeys(streams, 0)
    while given:
        key = min(given, key=given.__getitem__)
        text = next(streams[key], None)
        if text is None:
            del given[key]
            continue
        yield key, text
        given[key] += len(text.encode())


def _capped(texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    total = 0
    for _, text in texts:
        total += len(text.encode())
        if total > LANGUAGE_BYTES:
            return
        yield text


def _languages(
    files: dict[str, Path], sources: dict[str, Callable[[Row], bool]]
) -> dict[str, dict[str, Iterator[str]]]:
    """Language -> file -> texts. A row without a language has that at the end of the file's name."""
    found: dict[str, dict[str, list[str]]] = {}
    for source, path in files.items():
        for row in _rows(path):
            if sources[source](row):
                language = row.get("lang") or source.rpartition("_")[2]
                parts = found.setdefault(language, {}).setdefault(source, [])
                parts.extend(_fields(row))
    return {
        language: {source: iter(texts) for source, texts in parts.items()} for language, parts in sorted(found.items())
    }


def _rows(path: Path) -> Iterator[Row]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if isinstance(row, dict):
                yield row


def _fields(row: Row) -> Iterator[str]:
    """Texts of a row: of a document (``text``) or of a pair (``a`` and ``b``)."""
    values = (row.get(field) for field in ("text", "a", "b"))
    return (value for value in values if isinstance(value, str) and value)


def _texts(path: Path, wanted: Callable[[Row], bool]) -> Iterator[str]:
    for row in _rows(path):
        if wanted(row):
            yield from _fields(row)


# ── any other folder ────────────────────────────────────────────────────────────────────────────


def _any_folder(folder: Path, limit: int) -> list[Corpus]:
    texts: dict[str, list[str]] = {"ascii": [], "english": [], "multi": []}
    sizes = dict.fromkeys(texts, 0)

    def add(name: str, text: str) -> None:
        size = len(text.encode())
        if text and (sizes[name] + size <= limit or not texts[name]):
            texts[name].append(text)
            sizes[name] += size

    for text in _files(folder):
        plain = text.encode("ascii", "ignore").decode()
        if len(text.encode()) - len(plain) <= ENGLISH_SHARE * len(text.encode()):
            if not text.isascii():
                add("english", text)
            add("ascii", plain)
        else:
            add("multi", text)
        if min(sizes.values()) >= limit:
            break
    return [Corpus(name, documents, [str(folder)]) for name, documents in texts.items() if documents]


def _files(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.name.endswith((".jsonl", ".jsonl.gz")):
            yield from _texts(path, _every)
        elif path.suffix in (".txt", ".md"):
            yield path.read_text(encoding="utf-8", errors="replace")


# ── no folder ───────────────────────────────────────────────────────────────────────────────────

_PLAIN = "the of and a to in is was he for it with as his on be at by had are but from or have an they which one you"
_ENGLISH = f"{_PLAIN} don’t “quoted” café naïve — it’s Zürich …"
_OTHERS = [
    "быстрая коричневая лиса перепрыгнула через ленивую собаку и побежала дальше по дороге",
    "Über größere Straßen läuft ein schneller Fuchs müde zurück in den ruhigen Wald",
    "吾輩は 猫である。 名前は まだ無い。 どこで 生れたか とんと 見当が つかぬ。",
    "敏捷的 棕色 狐狸 跳过了 懒狗， 然后 沿着 小路 跑开。",
    "빠른 갈색 여우가 게으른 개를 뛰어넘어 길을 따라 달려갔다",
    "قفز الثعلب البني السريع فوق الكلب الكسول ثم ركض على الطريق",
    "तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर से कूदकर सड़क पर भाग गई",
    "สุนัขจิ้งจอก สีน้ำตาล กระโดดข้าม สุนัขขี้เกียจ แล้ววิ่ง ไปตามถนน",
]


def synthetic(limit: int) -> list[Corpus]:
    """Sentences of random words: enough to see that everything runs, not to quote."""
    vocabularies = {"ascii": [_PLAIN], "english": [_ENGLISH], "multi": _OTHERS}
    corpora = []
    for name, choices in vocabularies.items():
        source = random.Random(name)
        texts: list[str] = []
        total = 0
        while total < limit:
            words = source.choices(source.choice(choices).split(), k=source.randrange(5, 300))
            texts.append(f"{' '.join(words).capitalize()}.")
            total += len(texts[-1].encode())
        corpora.append(Corpus(name, texts, ["synthetic"]))
    return corpora
