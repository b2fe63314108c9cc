"""What the other side already has: other texts, or an index."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Progress, TextColumn
from ..errors import ConfigError, DimensionMismatchError, InvalidInputError, TokenizerError
from ..index import LshIndex
from .copies import equal_bytes
from .pairs import Found, Signed, Task, find_pairs, sign_rows
from .settings import Method, Settings, Verify
from .waves import Shares

Rows = NDArray[np.int64]

_PROBES_A_BLOCK = 1 << 14
_LAST_ID = np.iinfo(np.int64).max  # results name rows and ids in int64


class Known(NamedTuple):
    """What the other side has of each row.

    Attributes
    ----------
    match : int64 (n,)
        Row or id of the most similar document there, -1 if none is similar enough. Of equally similar texts
        it is the first one; of equally similar entries of an index, the one it names first.
    share : float64 (n,)
        How similar; NaN if none is.
    added : int64 (n,), optional
        Id under which a row was added to the index, -1 if it was not.
    """

    match: Rows
    share: Shares
    added: Rows | None = None

    def above(self, threshold: float) -> Known:
        """The same for a higher threshold."""
        enough = self.share >= threshold
        return Known(
            np.where(enough, self.match, -1), np.where(enough, self.share, self.share.dtype.type(np.nan)), self.added
        )


# ── texts ───────────────────────────────────────────────────────────────────────────────────────
def find_known(
    column: TextColumn, others: TextColumn, settings: Settings, threads: int | None, progress: Progress
) -> tuple[Found, Known]:
    """Pairs within a column, and what ``others`` has of each row."""
    n_known = len(others)
    both = TextColumn.concat([others, column])
    try:
        found = find_pairs(both, settings, threads, progress, n_known=n_known)
    except (TokenizerError, InvalidInputError) as error:  # a user's tokenizer, or hasher
        if error.row is not None:
            is_own = error.row >= n_known
            error.at_row(error.row - n_known if is_own else error.row, "texts" if is_own else "against")
        raise
    del both
    return split_known(found, n_known)


def split_known(found: Found, n_known: int) -> tuple[Found, Known]:
    """Pairs among the rows after the first ``n_known``, and what these first rows have of each of the others."""
    own, fresh = _own_part(found, n_known)
    best, share = _best_of_others(found, n_known, fresh)
    group = found.group[n_known:]
    known = Known(best[group], share[group])
    match = np.where(own.empty, -1, known.match)
    return own, Known(match, np.where(own.empty, share.dtype.type(np.nan), known.share))


def _own_part(found: Found, n_known: int) -> tuple[Found, Rows]:
    """The pairs as they are without the first rows; and the first new row of each group, -1 if it has none."""
    group, equal = found.group[n_known:], found.equal[n_known:]
    fresh = _first_places(group, len(found.group))
    i, j = fresh[found.i], fresh[found.j]
    inside = (i >= 0) & (j >= 0)
    i, j, share = i[inside], j[inside], found.share[inside]
    i, j = np.minimum(i, j), np.maximum(i, j)
    order = np.lexsort((j, i))
    equal = _first_places(equal, len(found.group))[equal]
    return Found(equal, fresh[group], found.empty[n_known:], i[order], j[order], share[order]), fresh


def _first_places(numbers: Rows, n: int) -> Rows:
    """Where each number from 0 to ``n`` comes first, -1 if it does not come."""
    places = np.full(n, -1)
    places[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # of several writes the last one stays
    return places


def _best_of_others(found: Found, n_known: int, fresh: Rows) -> tuple[Rows, Shares]:
    """The most similar known row of each group, by its first row."""
    best, share = np.full(len(fresh), -1), np.full(len(fresh), np.nan, found.share.dtype)
    # a group that the other side has a member of is named by that member, which is equal
    known = np.flatnonzero(found.group[:n_known] == np.arange(n_known))
    mine, other = (np.concatenate(sides) for sides in ((found.i, found.j, known), (found.j, found.i, known)))
    shares = np.concatenate([found.share, found.share, np.ones(len(known))])
    wanted = (fresh[mine] >= 0) & (other < n_known)
    mine, other, shares = mine[wanted], other[wanted], shares[wanted]
    order = np.lexsort((-other, shares, mine))  # the last one of each wins
    best[mine[order]], share[mine[order]] = other[order], shares[order]
    return best, share


# ── an index ────────────────────────────────────────────────────────────────────────────────────
def check_index(index: LshIndex, settings: Settings, verify: object) -> None:
    """Refuse what an index of signatures cannot answer."""
    if settings.method != Method.MINHASH or settings.scope != "resemblance":
        raise ConfigError("against an LshIndex takes method='minhash' and scope='resemblance'", argument="against")
    if verify is not None and settings.verify == Verify.EXACT:
        raise ConfigError(
            "against an LshIndex verify must be 'signature' or 'none', got 'exact'",
            argument="verify",
            advice="An index holds signatures, not texts. Give the texts themselves to have them compared exactly.",
        )
    if index.h != settings.fingerprinter.h:
        raise DimensionMismatchError(index.h, settings.fingerprinter.h, argument="against")


def find_indexed(
    column: TextColumn, index: LshIndex, settings: Settings, threads: int | None, progress: Progress, rank: Rows
) -> tuple[Found, Known, Signed]:
    """Pairs within a column, and what an index has of each row; the signatures of the rows, too.

    If there are very many pairs, those alone that decide a star of what the index does not have.
    """
    same = equal_bytes(column)
    rows = np.flatnonzero(same == np.arange(len(column)))
    signed = sign_rows(Task(column, rows, settings, threads, progress))
    live = np.flatnonzero(signed.ok)
    match, share = np.full(len(column), -1), np.full(len(column), np.nan)
    least = 0.0 if settings.verify == Verify.NONE else settings.threshold
    for begin in range(0, len(live), _PROBES_A_BLOCK):
        part = live[begin : begin + _PROBES_A_BLOCK]
        indptr, ids, shares = index.query_with_threshold(
            signed.records[part],
            least,
            k=1,
            return_similarity=True,
            threads=threads,
            config_hash=settings.fingerprinter.config_hash,
        )
        if ids.size and ids.max() > _LAST_ID:
            raise InvalidInputError("against holds ids above 2**63 - 1, which rows cannot name", argument="against")
        some = indptr[1:] > indptr[:-1]
        match[rows[part[some]]] = ids.astype(np.int64)
        share[rows[part[some]]] = np.rint(shares.astype(np.float64) * index.h) / index.h
    known = Known(match[same], share[same])
    found = find_pairs(column, settings, threads, signed=signed, rank=rank, dropped=known.match >= 0)
    return found, known, signed


def next_id(index: LshIndex, n: int) -> int:
    """The id that follows the highest one of an index; refuses one after which ``n`` rows cannot be named."""
    highest = index._highest_id()
    if highest + n > _LAST_ID:
        raise InvalidInputError(
            f"against must have room for {n:,} ids below 2**63 after its highest one, which is {highest}",
            argument="against",
            advice="update=True adds rows under the ids that follow. Index the documents under smaller ids.",
        )
    return highest + 1


def add_kept(
    index: LshIndex, keep: Rows, column: TextColumn, settings: Settings, signed: Signed, threads: int | None
) -> Rows:
    """Add kept rows under the ids that follow the highest one there; the id of each row, -1 if it was not added."""
    same = equal_bytes(column)
    place = np.full(len(column), -1)
    place[signed.rows] = np.where(signed.ok, np.arange(len(signed.rows)), -1)
    rows = keep[place[same[keep]] >= 0]
    ids = np.full(len(column), -1)
    first = next_id(index, len(rows))
    ids[rows] = np.arange(first, first + len(rows))
    records = signed.records[place[same[rows]]]
    index.insert(ids[rows], records, threads=threads, config_hash=settings.fingerprinter.config_hash)
    return ids
