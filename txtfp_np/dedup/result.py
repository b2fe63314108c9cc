"""What a deduplication gives back."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn, resolve_threads
from ..columns.checks import read_only
from ..columns.tables import make_table
from ..errors import ConfigError
from ..index.join import sort_in_place
from .against import Known
from .embedded import Side, find_near
from .linkage import link
from .pairs import Found, find_pairs
from .settings import Settings, check_similarity, with_limit
from .summary import Summary

if TYPE_CHECKING:
    from ..columns.tables import ArrowTable, PandasFrame, PolarsFrame
    from .explain import Explanation

Rows = NDArray[np.int64]

PAIRS = np.dtype([("i", "<i8"), ("j", "<i8"), ("similarity", "<f4")])
"""dtype of pairs of rows."""

REASONS = ("kept", "copy", "near", "empty", "against")


@dataclass(frozen=True, eq=False, repr=False)
class DedupResult:
    """Which documents to keep, and why.

    Made by :func:`~txtfp_np.dedup`; all arrays are read-only, one element a row.

    Attributes
    ----------
    keep : bool (n,)
        False marks what can go.
    cluster : int64 (n,)
        Number of the cluster, consecutive by first row; a row that is alone has one, too.
    representative : int64 (n,)
        The kept row that each row stands by, itself if it is kept; -1 if it was removed for what the other
        side has.
    similarity : float32 (n,)
        With the representative: 1 for itself, NaN if the two were not compared (``linkage="components"``) or
        there is none.
    threshold : float
        Least similarity of a pair.
    against : int64 (n,), or None
        Row or id of what is most similar on the other side, -1 if nothing is similar enough there.
    against_similarity : float32 (n,), or None
        How similar that is; NaN if nothing is.
    added : int64 (n,), or None
        With ``update=True`` the id that a row got in the index, -1 if it was not added.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2))
    >>> texts = ["to be or not to be", "To be, or not to be!", "to be or not to bee", "", "something else"]
    >>> result = tx.dedup(texts, 0.5, fingerprinter=fp)
    >>> result
    DedupResult(5 documents: 3 kept, 2 removed; threshold 0.5)
    >>> result.keep, result.representative
    (array([ True, False, False,  True,  True]), array([0, 0, 0, 3, 4]))
    >>> result.pairs.tolist()
    [(0, 1, 1.0), (0, 2, 0.800000011920929)]
    """

    keep: NDArray[np.bool_]
    cluster: Rows
    representative: Rows
    similarity: NDArray[np.float32]
    threshold: float
    against: Rows | None
    against_similarity: NDArray[np.float32] | None
    added: Rows | None
    _column: TextColumn | None
    _settings: Settings
    _rank: Rows
    _found: Found
    _known: Known | None
    _side: Side | None

    def __len__(self) -> int:
        return len(self.keep)

    def __repr__(self) -> str:
        counts = f"{len(self):,} documents: {int(self.keep.sum()):,} kept, {int((~self.keep).sum()):,} removed"
        return f"DedupResult({counts}; threshold {self.threshold:g})"

    def _repr_html_(self) -> str:
        from .show import result_html

        return result_html(self)

    @cached_property
    def pairs(self) -> NDArray[np.void]:
        """Pairs of rows that are alike: ``i <i8, j <i8, similarity <f4``, ``i < j``, in ascending order.

        Equal documents are there as stars: the first row of them with each other one, at similarity 1.
        Pairs of unequal documents name the first row of each. If there were too many to list (see
        :func:`~txtfp_np.dedup`), these are those of kept documents with what they may remove, and
        ``all_pairs`` is False.
        """
        found = self._found
        others = np.flatnonzero(found.group != np.arange(len(self)))
        i, j = np.concatenate([found.group[others], found.i]), np.concatenate([others, found.j])
        order = sort_in_place((i.astype(np.uint64) << np.uint64(32)) | j.astype(np.uint64))
        pairs = np.empty(len(i), PAIRS)
        pairs["i"], pairs["j"] = i[order], j[order]
        pairs["similarity"] = np.concatenate([np.ones(len(others)), found.share])[order]
        return read_only(pairs)

    @property
    def all_pairs(self) -> bool:
        """Whether ``pairs`` are all there are. False where these were too many: then they are those of kept rows."""
        return self._found.complete

    @property
    def reason(self) -> NDArray[np.object_]:
        """Why each row was kept or removed.

        ``"kept"``; ``"empty"``: kept, because it has no tokens; ``"copy"``: equal to its representative;
        ``"near"``: similar; ``"against"``: the other side has it.
        """
        return np.array(REASONS, object)[self._reasons]

    @cached_property
    def _reasons(self) -> NDArray[np.uint8]:
        """Positions in ``REASONS``."""
        found = self._found
        equal = found.equal == found.equal[self.representative]
        reasons = np.where(self.keep, 0, np.where(equal, 1, 2)).astype(np.uint8)
        reasons[found.empty] = 3
        reasons[self.representative < 0] = 4
        return reasons

    def summary(self) -> Summary:
        """How many documents there are of each sort.

        Returns
        -------
        Summary

        Examples
        --------
        >>> import txtfp_np as tx
        >>> print(tx.dedup(["one text", "one  TEXT", None, "one text"]).summary())
        4 documents: 2 kept, 2 removed (50.0%)
        removed: 2 equal, 0 similar
        clusters of two or more: 1, the largest of 3
        empty, and kept: 1
        """
        n = len(self)
        reasons = np.bincount(self._reasons, minlength=len(REASONS)).tolist()
        sizes = np.bincount(self.cluster, minlength=1)
        found = self._found
        return Summary(
            documents=n,
            kept=reasons[0] + reasons[3],
            removed=n - reasons[0] - reasons[3],
            copies=reasons[1],
            near=reasons[2],
            against=reasons[4],
            empty=reasons[3],
            clusters=int((sizes > 1).sum()),
            largest=int(sizes.max()),
            pairs=len(found.i) + int((found.group != np.arange(n)).sum()),
        )

    def explain(self, i: int, j: int) -> Explanation:
        """What two documents have in common and where they differ.

        Parameters
        ----------
        i, j : int
            Rows; they need not be a pair.

        Returns
        -------
        Explanation
            Prints as text, shows as coloured HTML in a notebook.

        Raises
        ------
        IndexError
            If there is no such row.
        ConfigError
            If embeddings were given without texts.

        Examples
        --------
        >>> import txtfp_np as tx
        >>> print(tx.dedup(["one small step", "One giant step"]).explain(0, 1))
        similarity 0.000: 2 words shared, 1 only in the first, 1 only in the second
        one [-small-] {+giant+} step
        """
        from .explain import explain_texts

        if self._column is None:
            raise ConfigError("explain shows texts: only their embeddings were given", argument="texts")
        explanation = explain_texts(self._column[i], self._column[j], self._settings.fingerprinter)
        if self._side is None:
            return explanation
        return dataclasses.replace(explanation, similarity=self._side.similarity(i, j))

    def with_threshold(self, threshold: float) -> DedupResult:
        """The result for a higher threshold, from the pairs that are known already.

        Parameters
        ----------
        threshold : float
            At least that of this result.

        Returns
        -------
        DedupResult
            What :func:`~txtfp_np.dedup` gives at that threshold, if it finds the same pairs: here they were
            found by the bands of the lower threshold, so more of them may have been. Without
            :attr:`all_pairs`, they are looked for again.

        Raises
        ------
        ConfigError
            If the threshold is below that of this result: such pairs were not looked for.

        Examples
        --------
        >>> import txtfp_np as tx
        >>> fp = tx.MinHashFingerprinter(tokenizer=tx.WordTokenizer())
        >>> low = tx.dedup(["a b c d", "a b c d e", "a b c d e f g"], 0.5, fingerprinter=fp)
        >>> low.keep, low.with_threshold(0.75).keep
        (array([ True, False, False]), array([ True, False,  True]))
        """
        limit = check_similarity("threshold", threshold)
        if limit < self.threshold:
            raise ConfigError(
                f"threshold must be at least that of the result, {self.threshold:g}; got {limit:g}",
                argument="threshold",
                advice="Pairs below it were not looked for: call dedup again with the lower threshold.",
            )
        found = self._found
        settings = with_limit(self._settings, limit)
        known = None if self._known is None else self._known.above(limit)
        if not found.complete and limit > self.threshold:
            if self._side is not None:
                again = find_near(self._side, settings, resolve_threads(None), False, rank=self._rank)
            else:
                assert self._column is not None
                dropped = None if known is None else known.match >= 0
                again = find_pairs(self._column, settings, None, rank=self._rank, dropped=dropped)
            return make_result(self._column, settings, self._rank, again, known, self._side)
        enough = found.share >= limit
        less = found._replace(i=found.i[enough], j=found.j[enough], share=found.share[enough])
        return make_result(self._column, settings, self._rank, less, known, self._side)

    # ── leaving the package ─────────────────────────────────────────────────────────────────────
    def _columns(self) -> dict[str, NDArray[Any]]:
        columns: dict[str, NDArray[Any]] = {
            "row": np.arange(len(self)),
            "keep": self.keep,
            "cluster": self.cluster,
            "representative": self.representative,
            "similarity": self.similarity,
            "reason": self.reason,
        }
        if self.against is not None and self.against_similarity is not None:
            columns |= {"against": self.against, "against_similarity": self.against_similarity}
        return columns

    def to_pandas(self) -> PandasFrame:
        """A row a document: row, keep, cluster, representative, similarity, reason.

        Raises
        ------
        FeatureDisabledError
            If pandas is not installed.
        """
        return make_table("pandas", self._columns())

    def to_polars(self) -> PolarsFrame:
        """As :meth:`to_pandas`, as a Polars data frame.

        Raises
        ------
        FeatureDisabledError
            If Polars is not installed.
        """
        return make_table("polars", self._columns())

    def to_arrow(self) -> ArrowTable:
        """As :meth:`to_pandas`, as a ``pyarrow.Table``.

        Raises
        ------
        FeatureDisabledError
            If pyarrow is not installed.
        """
        return make_table("arrow", self._columns())

    def plot(self, axes: Any = None) -> Any:
        """Draw similarities of the pairs with the band curve, and sizes of the clusters.

        Parameters
        ----------
        axes : two matplotlib Axes, optional
            Where to; new ones if not given.

        Returns
        -------
        array of two matplotlib Axes

        Raises
        ------
        FeatureDisabledError
            If matplotlib is not installed.
        """
        from .show import plot_result

        return plot_result(self, axes)


def make_result(
    column: TextColumn | None,
    settings: Settings,
    rank: Rows,
    found: Found,
    known: Known | None = None,
    side: Side | None = None,
) -> DedupResult:
    """Link the pairs, and say who stands by whom."""
    n = len(rank)
    i, j, share = found.i, found.j, found.share
    dropped = np.zeros(n, np.bool_) if known is None else known.match >= 0
    if dropped.any():
        stay = ~(dropped[i] | dropped[j])
        i, j, share = i[stay], j[stay], share[stay]
    cluster, representative, similarity = link(
        n, i, j, share.astype(np.float32), rank, settings.linkage, read_only(found.group)
    )
    if dropped.any():
        cluster = _without(dropped, representative)
        representative[dropped], similarity[dropped] = -1, np.nan
    return DedupResult(
        keep=read_only(representative == np.arange(n)),
        cluster=read_only(cluster),
        representative=read_only(representative),
        similarity=read_only(similarity),
        threshold=settings.threshold,
        against=None if known is None else read_only(known.match),
        against_similarity=None if known is None else read_only(known.share.astype(np.float32)),
        added=None if known is None or known.added is None else read_only(known.added),
        _column=column,
        _settings=settings,
        _rank=rank,
        _found=found,
        _known=known,
        _side=side,
    )


def _without(dropped: NDArray[np.bool_], representative: Rows) -> Rows:
    """Clusters where dropped rows are alone."""
    from ..kernels.linkage import label_rows

    alone = np.where(dropped, np.arange(len(dropped)), representative)
    labels = np.empty(len(dropped), np.int64)
    label_rows(read_only(alone), np.empty(len(dropped), np.int64), labels)
    return labels
