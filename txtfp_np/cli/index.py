"""``txtfp index``: signatures in a folder, asked for what is similar."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..errors import ConfigError, InvalidInputError
from .options import add_inputs, add_run, add_sketch, minhash_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    import txtfp_np as tx

    from ..engine import Batch

EXAMPLES = """\
examples:
  txtfp index build seen pages.jsonl --id-column number --threshold 0.7
  txtfp index add seen more.jsonl --id-column number
  txtfp index query seen new.jsonl --threshold 0.8
  txtfp index query seen new.jsonl --best 1 --tsv -o matches.tsv
"""

_BUILD = """\
examples:
  txtfp index build seen pages.jsonl
  txtfp index build seen 'part-*.parquet' --id-column number --threshold 0.8
"""
_ADD = """\
examples:
  txtfp index add seen more.jsonl
"""
_QUERY = """\
examples:
  txtfp index query seen new.jsonl --threshold 0.8
  txtfp index query seen new.jsonl --best 1 --tsv -o matches.tsv
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "index",
        help="signatures in a folder, asked for what is similar",
        description="An index of MinHash signatures in a folder. It is mapped, not read: opening takes no time. "
        "It must be added to and queried with the -k and --slots that it was built with.",
        epilog=EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="action")
    raw = argparse.RawDescriptionHelpFormatter
    build = actions.add_parser(
        "build", help="make an index of files", description="Make an index.", epilog=_BUILD, formatter_class=raw
    )
    _add_common(build, "folder to make")
    build.add_argument(
        "-t", "--threshold", type=float, default=0.7, help="similarity that it is to find (default: %(default)s)"
    )
    build.add_argument("--recall", type=float, default=0.99, help="of pairs at the threshold (default: %(default)s)")
    add = actions.add_parser(
        "add",
        help="add the documents of files",
        description="Add documents. Ids that are there already are refused, unless --replace is given; without "
        "--id-column, numbers follow the highest one there.",
        epilog=_ADD,
        formatter_class=raw,
    )
    _add_common(add, "folder of the index")
    add.add_argument("--replace", action="store_true", help="put documents in the place of those with the same id")
    query = actions.add_parser(
        "query",
        help="find what is similar to the documents of files",
        description="One line a match: row and id of the document that asks, id of what is similar to it, and the "
        "similarity estimated from the signatures.",
        epilog=_QUERY,
        formatter_class=raw,
    )
    _add_common(query, "folder of the index")
    query.add_argument("-t", "--threshold", type=float, default=0.7, help="least similarity (default: %(default)s)")
    query.add_argument("--best", type=int, metavar="N", help="only the N most similar of each")
    query.add_argument("--tsv", action="store_true", help="tab-separated, with a head line (default: JSON lines)")
    query.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")
    query.add_argument("--overwrite", action="store_true", help="replace the output if it exists")
    return parser


def _add_common(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help=help)
    add_inputs(parser)
    add_sketch(parser)
    add_run(parser)
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Build, add or query."""
    return {"build": _build, "add": _add, "query": _query}[options.action](options)


def _build(options: argparse.Namespace) -> int:
    import txtfp_np as tx

    if options.folder.exists() and (not options.folder.is_dir() or any(options.folder.iterdir())):
        raise InvalidInputError(
            f"{options.folder} exists", argument="folder", advice="Use txtfp index add, or name a new folder."
        )
    fp = minhash_of(options)
    bands = tx.LshIndexBuilder.for_recall(options.threshold, fp.h, recall=options.recall)
    return _insert(options, bands.build(fp.config_hash), fp)


def _add(options: argparse.Namespace) -> int:
    index, fp = _opened(options)
    return _insert(options, index, fp)


def _insert(options: argparse.Namespace, index: tx.LshIndex, fp: tx.MinHashFingerprinter) -> int:
    import numpy as np

    from ..engine import open_input
    from ..engine.outputs import check_apart
    from .terminal import batches, progress_bar

    source = open_input(options.inputs, options.column, options.id_column, skip_bad=options.skip_bad)
    check_apart([(options.folder, "folder")], [file.path for file in source.files])
    first = max(index, default=-1) + 1 if options.id_column is None else 0
    known = np.sort(np.fromiter(index, np.uint64, len(index)))
    may_replace = getattr(options, "replace", False)
    documents = added = replaced = 0
    seen: list[NDArray[np.uint64]] = []
    with progress_bar() as bar:
        for batch in batches(source, bar):
            signatures, ok = fp.fingerprint(batch.texts, on_empty="mask", threads=options.threads)
            ids = _numbers(batch, options.id_column, first)
            there = ok & np.isin(ids, known, kind="sort")
            if there.any() and not may_replace:
                row = int(there.argmax())
                raise InvalidInputError(
                    f"row {batch.first_row + row} has the id {ids[row]}, which is in {options.folder} already",
                    argument="id_column",
                    advice="Give --replace to put new documents in the place of old ones.",
                )
            index.insert(ids[ok], signatures[ok], threads=options.threads, config_hash=fp.config_hash)
            seen.append(ids)
            documents += len(batch)
            replaced += int(np.count_nonzero(there))
            added += int(np.count_nonzero(ok & ~there))
    _check_distinct(seen)
    empty = documents - added - replaced
    index.save(options.folder, threads=options.threads)
    facts = {
        "documents": documents,
        "added": added,
        "replaced": replaced,
        "empty": empty,
        "skipped": source.skipped,
        "signatures": len(index),
        "bands": index.bands,
        "rows": index.rows,
        "index": str(options.folder),
    }
    if options.json:
        print(json.dumps(facts))
        return 0
    done = f"{added:,} documents added" + (f", {replaced:,} replaced" if may_replace else "")
    print(f"{done} ({empty:,} empty ones left out, {source.skipped:,} lines skipped)")
    print(f"{options.folder}: {len(index):,} signatures, {index.bands} bands of {index.rows} slots")
    return 0


def _check_distinct(batches: list[NDArray[np.uint64]]) -> None:
    """Refuse an id that two rows have: only one of them would be in the index."""
    import numpy as np

    ids = np.concatenate([np.empty(0, np.uint64), *batches])
    order = np.argsort(ids, kind="stable")
    twice = np.flatnonzero(ids[order[1:]] == ids[order[:-1]])
    if len(twice):
        first, second = order[twice[0] : twice[0] + 2].tolist()
        raise InvalidInputError(
            f"rows {first} and {second} have the same id {ids[first]}",
            argument="id_column",
            advice="Ids must differ; leave --id-column out to have rows numbered.",
        )


def _numbers(batch: Batch, id_column: str | None, first: int) -> Any:
    """Ids as an index has them: whole numbers."""
    import numpy as np

    if id_column is None:
        begin = first + batch.first_row
        return np.arange(begin, begin + len(batch), dtype=np.uint64)
    ids = batch.id_list()
    try:
        return np.array([int(one) for one in ids], np.uint64)
    except (ValueError, OverflowError):
        odd = next(one for one in ids if not str(one).isdecimal() or int(one) >= 1 << 64)
        raise InvalidInputError(
            f"ids of an index must be whole numbers from 0 to 2**64 - 1, got {odd!r}",
            argument="id_column",
            advice="Leave --id-column out to have rows numbered.",
        ) from None


def _opened(options: argparse.Namespace) -> tuple[tx.LshIndex, tx.MinHashFingerprinter]:
    import txtfp_np as tx

    from ..engine.against import is_index

    if not is_index(options.folder):
        raise InvalidInputError(
            f"{options.folder} is no index", argument="folder", advice="Make one with: txtfp index build FOLDER INPUT"
        )
    index = tx.LshIndex.open(options.folder)
    options.slots = index.h
    fp = minhash_of(options)
    if index.config_hash not in (None, fp.config_hash):
        raise ConfigError(
            f"{options.folder} was built with other options than -k {options.k}",
            argument="k",
            advice="Give the -k that it was built with.",
        )
    return index, fp


def _query(options: argparse.Namespace) -> int:
    from ..engine import open_input
    from ..engine.outputs import check_apart
    from .files import check_output
    from .terminal import batches, progress_bar

    if not 0 <= options.threshold <= 1:
        raise ConfigError(f"threshold must be a number in [0.0, 1.0], got {options.threshold!r}", argument="threshold")
    if options.output is not None:
        check_output(options.output, options.overwrite)
    index, fp = _opened(options)
    source = open_input(options.inputs, options.column, options.id_column, skip_bad=options.skip_bad)
    if options.output is not None:
        check_apart([(options.output, "output")], [options.folder, *(file.path for file in source.files)])
    documents = found = matches = 0
    with _lines(options) as file, progress_bar() as bar:
        if options.tsv:
            file.write("row\tid\tmatch\tsimilarity\n")
        for batch in batches(source, bar if options.output is not None else False):
            signatures, ok = fp.fingerprint(batch.texts, on_empty="mask", threads=options.threads)
            indptr, ids, shares = index.query_with_threshold(
                signatures[ok], options.threshold, k=options.best, return_similarity=True, threads=options.threads
            )
            file.writelines(_matches(options, batch, ok, indptr, ids, shares))
            documents, matches = documents + len(batch), matches + len(ids)
            found += int((indptr[1:] > indptr[:-1]).sum())
    facts = {"documents": documents, "found": found, "matches": matches, "skipped": source.skipped}
    if options.json:
        print(json.dumps(facts), file=sys.stdout if options.output is not None else sys.stderr)
    elif options.output is not None:
        print(f"{documents:,} documents asked, {found:,} found, {matches:,} matches: {options.output}")
    return 0


@contextmanager
def _lines(options: argparse.Namespace) -> Iterator[IO[str]]:
    """Where matches go: a file that is complete or not there, or standard output."""
    if options.output is None:
        yield sys.stdout
        return
    from .files import new_file

    with new_file(options.output) as file:
        yield file


def _matches(options: argparse.Namespace, batch: Batch, ok: Any, indptr: Any, ids: Any, shares: Any) -> Iterator[str]:
    import numpy as np

    rows = np.repeat(np.flatnonzero(ok), np.diff(indptr)).tolist()
    names = batch.id_list()
    for place, match, share in zip(rows, ids.tolist(), shares.tolist(), strict=True):
        row, name, similarity = batch.first_row + place, names[place], round(share, 6)
        if options.tsv:
            clean = str(name).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
            yield f"{row}\t{clean}\t{match}\t{similarity}\n"
        else:
            line = {"row": row, "id": name, "match": match, "similarity": similarity}
            yield json.dumps(line, ensure_ascii=False) + "\n"
