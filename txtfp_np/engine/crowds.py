"""Buckets so large that their pairs are not listed: in a star, those of kept rows alone are ever asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .job import Job
from .work import RowFile, WorkFolder, read_rows

Rows32 = NDArray[np.uint32]

LEAST_CROWD = 1 << 9
"""Rows above which a bucket is one."""


def crowd_file(band: int) -> str:
    """Name of the file of a band's crowds: how many rows, and which, again and again, ``uint32``."""
    return f"crowds-{band:03}"


def write_crowd(file: RowFile, rows: Rows32) -> None:
    """Append a crowd."""
    file.append(np.array([len(rows)], np.uint32))
    file.append(rows)


def crowds_of(work: WorkFolder, job: Job) -> Iterator[Rows32]:
    """Rows of each crowd, of one band after another."""
    for band in range(0 if job.bands is None else job.bands.bands):
        path = work.path(crowd_file(band))
        at, end = 0, path.stat().st_size // 4
        while at < end:
            size = int(read_rows(path, np.uint32, at, 1)[0])
            yield read_rows(path, np.uint32, at + 1, size)
            at += 1 + size


class CrowdFile:
    """All crowds one after another, in a file that a star linkage may overwrite.

    Attributes
    ----------
    members : uint32 (m,)
    bounds : int64 (n, 2)
        Begin and end of each.
    """

    def __init__(self, work: WorkFolder, job: Job) -> None:
        path, sizes = work.path("crowds"), []
        file = RowFile(path, np.uint32)
        try:
            for rows in crowds_of(work, job):
                file.append(rows)
                sizes.append(len(rows))
        finally:
            file.close()
        ends = np.cumsum(np.array(sizes, np.int64))
        self.bounds = np.column_stack((ends - np.array(sizes, np.int64), ends))
        self.members: Rows32 = np.asarray(np.memmap(path, np.uint32, "r+")) if sizes else np.empty(0, np.uint32)

    def __len__(self) -> int:
        return len(self.bounds)
