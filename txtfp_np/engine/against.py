"""Drop from files what other files, or an index, have already."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import Progress, TextColumn
from ..dedup import DedupResult, dedup
from ..errors import ConfigError
from ..index import LshIndex
from ..index.storage import Store
from ..sketch import MinHashFingerprinter
from .batches import Wanted
from .inputs import Inputs, find_files
from .outputs import check_schemas, check_targets, find_targets
from .readers import Input
from .work import remove_path
from .writers import closing_all, open_removed, open_writer

Ids = list[str] | list[int]


@dataclass(frozen=True)
class Corpus:
    """Documents of files in memory.

    Attributes
    ----------
    source : Input
        Where they are from.
    texts : TextColumn
        All of them.
    ids : list
        As a column says, else names of files, else rows.
    keep : str or float64 (n,)
        Which to keep: a policy, or the numbers of a column.
    """

    source: Input
    texts: TextColumn
    ids: Ids
    keep: str | NDArray[np.float64]

    @property
    def has_numeric_ids(self) -> bool:
        """Whether all ids are whole numbers."""
        return all(isinstance(one, int) for one in self.ids)


def read_corpus(
    inputs: Inputs,
    column: str = "text",
    id_column: str | None = None,
    *,
    keep: str = "first",
    skip_bad: bool = False,
) -> Corpus:
    """All documents of files at once.

    Parameters
    ----------
    inputs, column, id_column, skip_bad
        As for :func:`open_input`.
    keep : {"first", "last", "longest", "shortest"} or "column:NAME"
        Which of several to prefer; the last: that with the highest number in a column.

    Returns
    -------
    Corpus
    """
    priority = keep.removeprefix("column:") if keep.startswith("column:") else None
    source = Input(find_files(inputs), Wanted(column, id_column, priority, skip_bad=skip_bad))
    source.check_columns()
    texts: list[TextColumn] = []
    ids: list[Any] = []
    priorities: list[NDArray[np.float64]] = []
    for batch in source:
        texts.append(batch.texts)
        ids += batch.id_list()
        if batch.priorities is not None:
            priorities.append(batch.priorities)
    order = keep if priority is None else np.concatenate([np.empty(0), *priorities])
    return Corpus(source, TextColumn.concat(texts), ids, order)


def is_index(path: str | os.PathLike[str]) -> bool:
    """Whether a folder holds an index."""
    return Store(path, "lsh").exists()


def drop_known(
    new: Corpus,
    against: Corpus | str,
    output: str | os.PathLike[str],
    *,
    removed: str | os.PathLike[str] | None = None,
    update: bool = False,
    overwrite: bool = False,
    progress: Progress = False,
    **options: Any,
) -> DedupResult:
    """Write the documents that the other side does not have, each of them once.

    Parameters
    ----------
    new : Corpus
        From :func:`read_corpus`.
    against : Corpus or path of an LSH index
        What is there already. With an index, similarities are estimates.
    output, removed, overwrite
        As for :func:`dedup_files`. Reasons of removed rows may also be ``against``: then the kept id is one of
        the other side.
    update : bool
        Add to the index what is kept, under numbers that follow the highest one there, and save it.
    progress : bool or callable
        As for :func:`txtfp_np.dedup`.
    options
        Others of :func:`txtfp_np.dedup`. With an index, ``verify`` cannot be ``"exact"``: it has no texts.

    Returns
    -------
    DedupResult
    """
    source = new.source
    targets = find_targets(source.files, output, removed)
    others = [Path(against)] if isinstance(against, str) else [file.path for file in against.source.files]
    check_targets(targets, source.files, overwrite, others)
    check_schemas(source.files, targets)
    index = LshIndex.open(against) if isinstance(against, str) else None
    if index is not None:
        fp = options.get("fingerprinter")
        if isinstance(fp, MinHashFingerprinter) and fp.h != index.h:
            options["fingerprinter"] = fp.replace(h=index.h)
    elif update:
        raise ConfigError("update needs an index as the other side", argument="update")
    other = index if index is not None else against.texts  # type: ignore[union-attr]
    result = dedup(new.texts, against=other, keep=new.keep, update=update, progress=progress, **options)
    known = None if isinstance(against, str) else against.ids
    _write(new, result, targets.outputs, targets.removed, known)
    if index is not None and update:
        index.save(str(against))
    return result


def _write(
    new: Corpus, result: DedupResult, outputs: tuple[Path, ...], removed: Path | None, known: Ids | None
) -> None:
    """Kept rows and the table of removed ones: complete, or not there. Without ``known``, matches are ids."""
    source = new.source
    targets = outputs if removed is None else (*outputs, removed)
    named = {path: path.parent / f".{path.name}.{os.getpid()}.tmp" for path in targets}
    writers: dict[Path, Any] = {}
    try:
        with closing_all(writers):
            for batch in source.batches(whole=True):
                target = outputs[batch.file if len(outputs) > 1 else 0]
                target.absolute().parent.mkdir(exist_ok=True)
                if target not in writers:
                    writers[target] = open_writer(named[target], target, source.files[batch.file])
                rows = slice(batch.first_row, batch.first_row + len(batch))
                if len(batch):
                    writers[target].write(source.files[batch.file], batch, result.keep[rows])
            for number, target in enumerate(outputs):  # inputs without any row
                if target not in writers:
                    writers[target] = open_writer(named[target], target, source.files[number])
            if removed is not None:
                numeric = new.has_numeric_ids and all(isinstance(one, int) for one in known or ())
                writers[removed] = open_removed(named[removed], removed, numeric)
                writers[removed].write(*_removed_rows(new, result, known, numeric))
        for path, written in named.items():
            written.replace(path)
    except BaseException:
        for written in named.values():
            remove_path(written)
        raise


def _removed_rows(new: Corpus, result: DedupResult, known: Ids | None, numeric: bool) -> tuple[list[Any], ...]:
    rows = np.flatnonzero(~result.keep)
    against, similar = result.against, result.against_similarity
    ids, kept, shares = [], [], []
    for row in rows.tolist():
        stands_by = int(result.representative[row])
        ids.append(new.ids[row])
        if stands_by >= 0 or against is None or similar is None:
            kept.append(new.ids[stands_by])
            shares.append(float(result.similarity[row]))
        else:
            match = int(against[row])
            kept.append(match if known is None else known[match])
            shares.append(float(similar[row]))
    if not numeric:
        ids, kept = list(map(str, ids)), list(map(str, kept))
    return ids, kept, shares, list(result.reason[rows])
