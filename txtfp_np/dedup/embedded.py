"""Near-duplicates by embeddings: documents as vectors, and pairs of vectors that point nearly the same way."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Progress, TextColumn
from ..compare import cosine
from ..errors import ConfigError, InvalidInputError, TxtfpError
from ..index.cosine import TooManyPairs
from ..semantic import EmbeddingColumn, as_embeddings, check_same_model, embed_texts
from .against import Known, split_known
from .copies import equal_bytes, equal_vectors
from .pairs import Found, most_pairs, of_all_rows
from .settings import Settings
from .vectors import VectorSearch
from .waves import Matches, star_pairs

Rows = NDArray[np.int64]


class Side(NamedTuple):
    """Documents, and vectors of those that differ.

    ``same`` is the first row with an equal document (equal bytes; without texts, an equal vector). ``vectors`` are
    those of the rows that are their own first, and ``ok`` says of which there is a text, and a direction.
    """

    same: Rows
    embeddings: EmbeddingColumn
    ok: NDArray[np.bool_]

    @property
    def rows(self) -> Rows:
        """First rows of equal documents."""
        return np.flatnonzero(self.same == np.arange(len(self.same)))

    def similarity(self, i: int, j: int) -> float:
        """Cosine of the vectors of two documents."""
        places = np.searchsorted(self.rows, self.same[[i, j]])
        return float(cosine(*self.embeddings.vectors[places]))


def blank_rows(column: TextColumn) -> NDArray[np.bool_]:
    r"""Documents without anything but ASCII white space and control characters.

    Examples
    --------
    >>> blank_rows(TextColumn(["a", "", None, " \n", " b"]))
    array([False,  True,  True,  True, False])
    """
    blank = np.ones(len(column), np.bool_)
    filled = np.flatnonzero(column.offsets[1:] > column.offsets[:-1])
    if len(filled):
        is_ink = column.data[: column.offsets[-1]] > 0x20
        blank[filled] = ~np.logical_or.reduceat(is_ink, column.offsets[filled])
    return blank


def has_direction(embeddings: EmbeddingColumn) -> NDArray[np.bool_]:
    """Which are not zero."""
    zero: NDArray[np.bool_] = (embeddings.vectors == 0).all(axis=1)
    return ~zero


def given_side(column: TextColumn | None, given: Any, argument: str) -> Side:
    """Documents of which the embeddings are there already."""
    embeddings = as_embeddings(argument, given)
    if column is None:
        same = equal_vectors(embeddings.vectors)
    elif len(column) != len(embeddings):
        raise InvalidInputError(f"{len(embeddings)} embeddings for {len(column)} texts", argument=argument)
    else:
        same = equal_bytes(column)
    own = same == np.arange(len(same))
    if not own.all():
        embeddings = embeddings[own]
    ok = has_direction(embeddings)
    return Side(same, embeddings, ok if column is None else ok & ~blank_rows(column)[own])


def embedded_side(column: TextColumn, provider: Any, argument: str, progress: Progress) -> Side:
    """Documents that a provider makes embeddings of, each different one once."""
    same = equal_bytes(column)
    own = same == np.arange(len(same))
    filled = ~blank_rows(column)[own]
    asked = np.flatnonzero(own)[filled]
    try:
        made = embed_texts(provider, column.take(asked), progress=progress)
    except TxtfpError as error:
        if error.row is not None and error.row < len(asked):
            error.at_row(int(asked[error.row]), argument)
        raise
    vectors = np.zeros((len(filled), made.dim), np.float32)
    vectors[filled] = made.vectors
    whole = EmbeddingColumn(vectors, made.model_id)
    return Side(same, whole, has_direction(whole))


def find_near(
    side: Side, settings: Settings, threads: int, progress: Progress, n_known: int = 0, rank: Rows | None = None
) -> Found:
    """Pairs of documents by their vectors, but for those whose documents are both among the first ``n_known`` rows.

    If they are very many, and ``rank`` tells the keep order, those alone that decide a star.
    """
    rows, vectors, ok = side.rows, side.embeddings.vectors, side.ok
    own, live = np.arange(len(rows)), np.flatnonzero(ok)
    group = own.copy()
    group[live] = live[equal_vectors(vectors[live])]
    place = np.empty(len(side.same), np.int64)
    place[rows] = group
    place = place[side.same]
    of_interest = np.zeros(len(rows), np.bool_)
    of_interest[place[n_known:]] = True
    alone = ok & (group == own)
    probes, others = np.flatnonzero(alone & of_interest), np.flatnonzero(alone & ~of_interest)
    chosen = np.concatenate([probes, others])
    picked = vectors if len(probes) == len(rows) else np.ascontiguousarray(vectors[chosen])
    search = VectorSearch(picked, settings, threads)
    complete = True
    pairs: Matches
    if rank is None or settings.linkage != "star":
        pairs = search.all_pairs(len(probes), progress)
    else:
        try:
            pairs = search.all_pairs(len(probes), progress, most_pairs(len(rows)))
        except TooManyPairs:
            least = np.full(len(rows), len(rank))
            np.minimum.at(least, place, rank)
            pairs = star_pairs(search, np.argsort(least[chosen]))
            complete = False
    i, j, share = pairs
    found = Found(rows, rows[group], ~ok, rows[chosen[i]], rows[chosen[j]], share, complete)
    return of_all_rows(side.same, rows, found)


def find_near_known(
    side: Side, others: Side, settings: Settings, threads: int, progress: Progress
) -> tuple[Found, Known]:
    """Pairs within a column, and what the other side has of each row."""
    check_same_model(side.embeddings, others.embeddings, "against")
    n_known = len(others.same)
    vectors = np.concatenate([others.embeddings.vectors, side.embeddings.vectors])
    both = Side(
        np.concatenate([others.same, n_known + side.same]),
        EmbeddingColumn(vectors),
        np.concatenate([others.ok, side.ok]),
    )
    return split_known(find_near(both, settings, threads, progress, n_known), n_known)


def make_sides(
    column: TextColumn | None, embeddings: Any, provider: Any, against: Any, progress: Progress
) -> tuple[Side, Side | None]:
    """The documents, and those that are there already, as vectors; ``against`` is a TextColumn, embeddings or None."""
    if (embeddings is None) == (provider is None):
        got = "neither" if provider is None else "both"
        raise ConfigError(f"method='embedding' takes embeddings or a provider, got {got}", argument="embeddings")
    if embeddings is not None:
        if isinstance(against, TextColumn):
            raise ConfigError(
                "against must be embeddings where embeddings are given",
                argument="against",
                advice="Or give a provider in place of the embeddings: it makes them of both sides.",
            )
        side = given_side(column, embeddings, "embeddings")
    elif column is None:
        raise ConfigError("a provider makes embeddings of texts: texts are missing", argument="texts")
    else:
        side = embedded_side(column, provider, "texts", progress)
    if against is None:
        return side, None
    if isinstance(against, TextColumn):
        return side, embedded_side(against, provider, "against", progress)
    return side, given_side(None, against, "against")
