"""Collections of papers with judged candidates for each query: CSFCube and RELISH, as they are released."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInputError

FACETS = ("background", "method", "result")
RELEVANT = 2  # a grade of at least this counts as relevant, in both collections
_MOST_GRADE = 1 << 20
_LAYOUT = (
    "CSFCube is test-pid2anns-csfcube-background.json, -method.json and -result.json with csfcube.jsonl.gz or "
    "abstracts-csfcube-preds.jsonl; RELISH is test-pid2anns-relish.json, relish-evaluation_splits.json and "
    "abstracts-relish.jsonl. They lie in the folder itself, or in a folder csfcube or relish within."
)
_FACET_OF = {
    "background_label": "background",
    "objective_label": "background",
    "method_label": "method",
    "result_label": "result",
}


class Paper(NamedTuple):
    """A title, and the abstract as sentences with the facet of each (None: of none)."""

    title: str
    sentences: list[str]
    facets: list[str | None]

    @property
    def whole(self) -> str:
        """Title and abstract."""
        return " ".join([self.title, *self.sentences])

    def text_of(self, facet: str | None) -> str:
        """Sentences of a facet; of all facets if there are none of that one, or if none is asked for."""
        chosen = [text for text, own in zip(self.sentences, self.facets, strict=True) if own == facet]
        return " ".join(chosen if facet is not None and chosen else self.sentences)


class Unit(NamedTuple):
    """A query under a facet, with the papers that were judged for it."""

    query: str
    facet: str | None
    split: str
    candidates: list[str]
    relevance: NDArray[np.int64]


@dataclass(frozen=True)
class Collection:
    """Papers by name, queries with judged candidates, and what was left out.

    Attributes
    ----------
    name : str
    papers : dict of str to Paper
    units : list of Unit
    skipped : dict of str to int
        What was left out, and how often.
    """

    name: str
    papers: dict[str, Paper]
    units: list[Unit]
    skipped: dict[str, int]

    @property
    def groups(self) -> list[str]:
        """Names of the groups of units that are reported: facets, or splits; then all of them."""
        kinds = [self._group(unit) for unit in self.units]
        return [*dict.fromkeys(kinds), "all"]

    def members(self, group: str) -> NDArray[np.bool_]:
        """Which units belong to a group."""
        return np.array([group in ("all", self._group(unit)) for unit in self.units])

    def _group(self, unit: Unit) -> str:
        return unit.split if unit.facet is None else unit.facet


def read_collection(folder: Path | str) -> Collection:
    """CSFCube or RELISH from the folder that holds its files, or from a folder with a folder ``csfcube`` or ``relish``.

    Parameters
    ----------
    folder : path
        With ``test-pid2anns-csfcube-<facet>.json`` and ``csfcube.jsonl.gz`` or ``abstracts-csfcube-preds.jsonl``; or
        with ``test-pid2anns-relish.json``, ``abstracts-relish.jsonl`` and ``relish-evaluation_splits.json``.

    Returns
    -------
    Collection
        Without what cannot be judged, which ``skipped`` counts: papers without a title, a text or a name, lines that
        are no JSON, candidates without a paper or a grade, and queries without a paper, candidates or a split.

    Raises
    ------
    InvalidInputError
        If there is no collection in the folder, a file of it is missing or broken, or nothing is left of it.
    """
    place = Path(folder)
    for within in (place, place / "csfcube", place / "relish"):
        if (within / "test-pid2anns-csfcube-background.json").is_file():
            return _checked(_read_csfcube(within), within)
        if (within / "test-pid2anns-relish.json").is_file():
            return _checked(_read_relish(within), within)
    raise InvalidInputError(
        f"there is neither CSFCube nor RELISH in {place}",
        argument="data",
        advice=_LAYOUT,
    )


def _checked(collection: Collection, folder: Path) -> Collection:
    if not collection.units:
        raise InvalidInputError(f"no query of {folder} has a text and judged candidates", argument="data")
    return collection


def _read_csfcube(folder: Path) -> Collection:
    skipped: dict[str, int] = {}
    names = ("csfcube.jsonl.gz", "csfcube.jsonl", "abstracts-csfcube-preds.jsonl", "abstracts-csfcube.jsonl")
    papers = _read_papers(_first_file(folder, names), skipped)
    units = []
    for facet in FACETS:
        pools = _read_json(_first_file(folder, (f"test-pid2anns-csfcube-{facet}.json",)))
        units += _units(pools, papers, facet, dict.fromkeys(pools, "test"), skipped)
    return Collection("csfcube", papers, units, skipped)


def _read_relish(folder: Path) -> Collection:
    skipped: dict[str, int] = {}
    papers = _read_papers(_first_file(folder, ("abstracts-relish.jsonl", "abstracts-relish.jsonl.gz")), skipped)
    place = _first_file(folder, ("relish-evaluation_splits.json",))
    splits = _read_json(place)
    if not all(isinstance(queries, list) for queries in splits.values()):
        raise InvalidInputError(f"{place} must hold a list of queries for each split", argument="data")
    split_of = {str(query): split for split, queries in splits.items() for query in queries}
    pools = _read_json(folder / "test-pid2anns-relish.json")
    _count(skipped, "queries of a split that were not judged", len(split_of.keys() - pools.keys()))
    units = _units(pools, papers, None, split_of, skipped)
    return Collection("relish", papers, sorted(units, key=lambda unit: unit.split), skipped)


def _first_file(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InvalidInputError(f"there is no {' or '.join(names)} in {folder}", argument="data", advice=_LAYOUT)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{path} is not JSON: {error}", argument="data") from None
    if not isinstance(found, dict):
        raise InvalidInputError(f"{path} must hold a JSON object, got {type(found).__name__}", argument="data")
    return found


def _lines(path: Path) -> Iterator[bytes]:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as lines:
        try:
            yield from lines
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:  # what is wrong is in the file, not with reading it
            raise InvalidInputError(f"{path} is no whole gzip file: {error}", argument="data") from None


def _read_papers(path: Path, skipped: dict[str, int]) -> dict[str, Paper]:
    papers = {}
    for line in _lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):  # also of bytes that are no UTF-8
            _count(skipped, "lines that are not JSON")
            continue
        found = _paper(record)
        if found is None:
            _count(skipped, "incomplete papers")
        else:
            papers[found[0]] = found[1]
    return papers


def _paper(record: Any) -> tuple[str, Paper] | None:
    """Name and paper of a record; None if something is missing."""
    if not isinstance(record, dict):
        return None
    name, title = record.get("id", record.get("paper_id")), record.get("title")
    sentences: Any = record.get("sentences", record.get("abstract"))
    labels: Any = record.get("labels", record.get("pred_labels"))
    if not isinstance(name, (str, int)) or not isinstance(title, str) or not isinstance(sentences, list):
        return None
    if not all(isinstance(sentence, str) for sentence in sentences) or not "".join(sentences).strip():
        return None
    if labels is None:
        labels = [""] * len(sentences)
    if not isinstance(labels, list) or len(labels) != len(sentences):
        return None
    return str(name), Paper(title, sentences, [_FACET_OF.get(str(label)) for label in labels])


def _units(
    pools: dict[str, Any],
    papers: dict[str, Paper],
    facet: str | None,
    split_of: dict[str, str],
    skipped: dict[str, int],
) -> list[Unit]:
    units = []
    for query, pool in pools.items():
        candidates, grades = (_list_of(pool, key) for key in ("cands", "relevance_adju"))
        judged = [
            (str(candidate), int(grade))
            for candidate, grade in zip(candidates, grades, strict=False)
            if str(candidate) in papers and isinstance(grade, (int, float)) and 0 <= grade <= _MOST_GRADE
        ]
        _count(skipped, "candidates without a paper or a grade", max(len(candidates), len(grades)) - len(judged))
        if query not in papers or query not in split_of or not judged:
            _count(skipped, "queries without a paper, candidates or a split")
            continue
        names, relevance = zip(*judged, strict=True)
        units.append(Unit(query, facet, split_of[query], list(names), np.array(relevance, np.int64)))
    return units


def _list_of(pool: Any, key: str) -> list[Any]:
    found = pool.get(key) if isinstance(pool, dict) else None
    return found if isinstance(found, list) else []


def _count(skipped: dict[str, int], what: str, n: int = 1) -> None:
    if n:
        skipped[what] = skipped.get(what, 0) + n
