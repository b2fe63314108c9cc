"""Near-duplicates out of files, in bounded memory; a job that was killed goes on where it was."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..columns import Progress, resolve_threads
from ..columns.checks import check_errors_option
from ..dedup.policies import POLICIES
from ..dedup.settings import check_settings
from ..errors import ConfigError, InvalidInputError
from ..options import check_flag
from ..sketch import MinHashFingerprinter
from .batches import Wanted
from .ids import check_ids
from .inputs import Inputs, SourceFile, find_files
from .job import Job, check_memory, give_back
from .linking import link_rows
from .outputs import Targets, check_schemas, check_targets, find_targets, publish, temporary, write_outputs
from .pairing import find_candidates, find_copies
from .readers import Input
from .scan import scan
from .verifying import make_sets, verify
from .work import WorkFolder, open_work, peek, remove_path

_STATUS = Path("/proc/self/status")

STAGES = ("scan", "copies", "candidates", "sets", "verify", "link", "output")


@dataclass(frozen=True)
class FileReport:
    """What a job has done.

    Attributes
    ----------
    documents, kept, removed : int
        Rows read, and what became of them.
    copies, near : int
        Removed rows that are equal to the row they stand by, and those that are similar.
    empty : int
        Kept rows without a single token.
    skipped : int
        Bad rows, which are not documents and were not written.
    clusters, largest : int
        Clusters of two rows or more, and rows of the largest one.
    pairs : int
        Pairs found, equal documents counted as stars. In a star, of documents that share a bucket with more than
        512 others: those that decided.
    bands, rows : int
        How candidates were found.
    seconds : dict
        By stage, in this run: what an earlier one had done took none.
    peak_bytes : int
        Memory of the process at its most.
    outputs : tuple of str
        Files that were written.
    removed_table : str or None
        Table of what was removed.
    """

    documents: int
    kept: int
    removed: int
    copies: int
    near: int
    empty: int
    skipped: int
    clusters: int
    largest: int
    pairs: int
    bands: int
    rows: int
    seconds: dict[str, float]
    peak_bytes: int
    outputs: tuple[str, ...]
    removed_table: str | None

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {**dataclasses.asdict(self), "outputs": list(self.outputs)}

    def __str__(self) -> str:
        share = f" ({self.removed / self.documents:.1%})" if self.documents else ""
        lines = [
            f"{self.documents:,} documents: {self.kept:,} kept, {self.removed:,} removed{share}",
            f"removed: {self.copies:,} equal, {self.near:,} similar",
            f"clusters of two or more: {self.clusters:,}, the largest of {self.largest:,}",
        ]
        if self.empty:
            lines.append(f"empty, and kept: {self.empty:,}")
        if self.skipped:
            lines.append(f"bad rows, left out: {self.skipped:,}")
        return "\n".join(lines)


def dedup_files(
    inputs: Inputs,
    output: str | os.PathLike[str],
    *,
    column: str = "text",
    id_column: str | None = None,
    threshold: float = 0.7,
    fingerprinter: MinHashFingerprinter | None = None,
    verify: str = "exact",
    linkage: str = "star",
    keep: str = "first",
    recall: float = 0.99,
    removed: str | os.PathLike[str] | None = None,
    work_dir: str | os.PathLike[str] | None = None,
    memory: int | str | None = None,
    errors: str = "strict",
    skip_bad: bool = False,
    overwrite: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> FileReport:
    r"""Remove near-duplicates from files, in bounded memory.

    Parameters
    ----------
    inputs : str, path, or several of them
        As for :func:`open_input`; several files are one corpus.
    output : str or path
        File for the rows that are kept, in the format of the inputs, compressed as its name says. A folder
        (which exists, or whose name ends in ``/``): a file for each input, of the same name. For a folder of text
        files it is a folder, new or empty.
    column : str
        Which column holds the texts.
    id_column : str, optional
        Which column holds ids, for the table of removed rows; they must differ. Without it, rows have
        numbers, counted from 0 over all inputs, and files of folders their names.
    threshold, fingerprinter, verify, linkage, recall
        As for :func:`txtfp_np.dedup`, which finds the same.
    keep : {"first", "last", "longest", "shortest"} or "column:NAME"
        Which row to prefer; the last: that with the highest number in a column. Ties by position.
    removed : str or path, optional
        Table to write of what was removed: id, kept_id, similarity, reason (``copy`` or ``near``). The
        name says its format: ``.jsonl``, ``.csv``, ``.tsv`` (also ``.gz``, ``.zst``), ``.parquet``, ``.arrow``.
    work_dir : str or path, optional
        Folder for intermediate files, about 1.2 kB a document; it is removed at the end. None:
        ``.txtfp-<name of the output>`` beside the output. A job that was stopped goes on from there when
        it is started again.
    memory : int or str, optional
        Bytes that the process may use, about, as ``"4GB"``. None: as fast as can be, with 256 MB and 40
        bytes a document.
    errors : {"strict", "replace"}
        About bytes that are not UTF-8. They are written as they are.
    skip_bad : bool
        Leave out lines that are no records, and count them.
    overwrite : bool
        Replace files that exist.
    threads : int, optional
        None: every core this process may use.
    progress : bool or callable
        True writes a line to stderr; a callable is called as ``progress(done, total)``, in every stage
        anew. If it has a method ``stage``, this is called with the name of each before it begins.

    Returns
    -------
    FileReport

    Raises
    ------
    InvalidInputError
        If inputs or outputs cannot be used; then nothing has been written.
    ConfigError
        If an option has a value it cannot have, or memory does not suffice.

    Notes
    -----
    The inputs are read three times: to sign all documents, to compare candidates exactly, and to write.
    Results do not depend on memory, threads, nor on how often the job was stopped.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> temporary = tempfile.TemporaryDirectory()
    >>> folder = pathlib.Path(temporary.name)
    >>> texts = ["the same words in one order", "The same words, in one order!", "other words altogether"]
    >>> _ = (folder / "texts.txt").write_text("\n".join(texts))
    >>> report = dedup_files(folder / "texts.txt", folder / "kept.txt", removed=folder / "removed.csv")
    >>> print(report)
    3 documents: 2 kept, 1 removed (33.3%)
    removed: 1 equal, 0 similar
    clusters of two or more: 1, the largest of 2
    >>> print((folder / "removed.csv").read_text().strip())
    id,kept_id,similarity,reason
    1,0,1.0,copy
    >>> temporary.cleanup()
    """
    settings = check_settings(threshold, "minhash", fingerprinter, "resemblance", verify, linkage, recall, None)
    check_errors_option(errors)
    for name, value in (("skip_bad", skip_bad), ("overwrite", overwrite)):
        check_flag(name, value)
    job = Job(settings, settings.bands, resolve_threads(threads), check_memory(memory))
    job.check_memory(0)
    priority = _priority(keep)
    files = find_files(inputs)
    wanted = Wanted(column, id_column, priority, errors=errors, skip_bad=skip_bad, batch_bytes=job.batch_bytes)
    source = Input(files, wanted)
    source.check_columns()
    targets = find_targets(files, output, removed)
    folder = Path(work_dir) if work_dir is not None else _beside(Path(output))
    key = _key(job, source, keep, targets)
    check_targets(targets, files, overwrite or _publishing(folder, key))
    check_schemas(files, targets)
    run = _Run(source, targets, job, keep, progress)
    with open_work(folder, key) as work:
        try:
            return run.all_stages(work)
        except InvalidInputError:
            if run.is_in_vain:  # else it may be hours of work, and the reason may be gone next time
                for path in targets.all:
                    remove_path(temporary(path, work))
                work.remove()
            raise


def _priority(keep: object) -> str | None:
    if isinstance(keep, str) and keep.startswith("column:") and keep != "column:":
        return keep.removeprefix("column:")
    if not isinstance(keep, str) or keep not in POLICIES:
        listed = ", ".join(map(repr, POLICIES))
        raise ConfigError(f"keep must be {listed} or 'column:NAME', got {keep!r}", argument="keep")
    return None


def _beside(output: Path) -> Path:
    return output.absolute().parent / f".txtfp-{output.name}"


def _key(job: Job, source: Input, keep: str, targets: Targets) -> str:
    """Digest of all that decides the results."""
    settings, wanted = job.settings, source.wanted

    def identity(file: SourceFile) -> list[Any]:
        return [str(file.path.absolute()), file.kind, file.compression, file.size, file.changed]

    content = [
        sys.modules["txtfp_np"].VERSION,
        settings.fingerprinter.config_hash,
        [settings.threshold, str(settings.verify), settings.linkage, settings.recall, keep],
        [wanted.column, wanted.id_column, wanted.errors, wanted.skip_bad],
        [identity(file) for file in source.files],
        [str(path.absolute()) for path in targets.all],
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _publishing(folder: Path, key: str) -> bool:
    """Whether an earlier run of this job was stopped while it named its outputs."""
    state = peek(folder, key)
    return state is not None and bool(state.get("publishing"))


class _Run:
    """One run of a job, from whatever stage it has reached."""

    def __init__(self, source: Input, targets: Targets, job: Job, keep: str, progress: Progress) -> None:
        self.source, self.targets, self.job, self.keep, self.progress = source, targets, job, keep, progress
        self.seconds: dict[str, float] = {}
        self.is_in_vain = True  # until the inputs have been found good: the same command would fail again

    def all_stages(self, work: WorkFolder) -> FileReport:
        source, job, progress = self.source, self.job, self.progress
        said = progress if callable(progress) else _ignore
        if work.state.get("publishing"):
            self.is_in_vain = False
        else:
            self.stage("scan", lambda: scan(source, work, job, progress, self.total(work)))
            job.check_memory(work.state["scan"]["rows"])
            self.stage("copies", lambda: self.copies(work))
            self.stage("candidates", lambda: find_candidates(work, job, said))
            if job.settings.verify == "exact":
                self.stage("sets", lambda: make_sets(source, work, job, progress))
                self.stage("verify", lambda: verify(work, job, said))
            self.stage("link", lambda: link_rows(work, job, self.keep))
            self.stage("output", lambda: write_outputs(source, work, job, self.targets, said))
            self.check_inputs()
            work.state["publishing"] = True
            work.save()
        publish(work, self.targets)
        counts = {**work.state["counts"], "skipped": work.state["scan"]["skipped"]}
        work.remove()
        return FileReport(
            **counts,
            bands=0 if job.bands is None else job.bands.bands,
            rows=0 if job.bands is None else job.bands.rows,
            seconds=self.seconds,
            peak_bytes=_peak_bytes(),
            outputs=tuple(map(str, self.targets.outputs)),
            removed_table=None if self.targets.removed is None else str(self.targets.removed),
        )

    def stage(self, name: str, run: Callable[[], object]) -> None:
        """Run one stage on unchanged inputs, and keep its time."""
        self.check_inputs()
        announce = getattr(self.progress, "stage", None)
        if announce is not None:
            announce(name)
        begin = time.perf_counter()
        try:
            run()
        except Exception:
            self.check_inputs()  # says more than whatever followed from a change
            raise
        give_back()
        self.seconds[name] = round(time.perf_counter() - begin, 3)

    def copies(self, work: WorkFolder) -> None:
        check_ids(work, self.job.sort_bytes(work.state["scan"]["rows"]))
        self.is_in_vain = False
        find_copies(work, self.job)

    def check_inputs(self) -> None:
        try:
            for file in self.source.files:
                file.check_unchanged()
        except InvalidInputError:  # nobody has a use for work on what is no longer there
            self.is_in_vain = True
            raise

    def total(self, work: WorkFolder) -> int | None:
        total = self.source.total
        return None if total is None else total - work.state.get("scan", {}).get("rows", 0)


def _ignore(done: int, total: int | None) -> None:
    pass


def _peak_bytes() -> int:
    status = _STATUS
    if status.exists():  # Linux hands the other figure down from the process that started this one
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        if "VmHWM" in fields:  # some sandboxes leave it out
            return int(fields["VmHWM"].split()[0]) * 1024
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
