"""The one call that removes near-duplicates from a column."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..columns import Progress, TextColumn, Texts, as_text_column, is_single, resolve_threads
from ..columns.checks import check_errors_option
from ..errors import ConfigError, InvalidInputError
from ..index import LshIndex
from ..options import check_flag
from ..semantic import EmbeddingColumn, EmbeddingIndex, EmbeddingProvider
from ..sketch.base import SketchFingerprinter
from .against import add_kept, check_index, find_indexed, find_known, next_id
from .embedded import find_near, find_near_known, make_sides
from .pairs import find_pairs
from .policies import keep_order
from .result import DedupResult, make_result
from .settings import Method, Settings, Verify, check_settings, fingerprinter_of


def dedup(
    texts: Texts | EmbeddingColumn | None = None,
    threshold: float | None = None,
    *,
    method: str = "minhash",
    fingerprinter: SketchFingerprinter | None = None,
    scope: str = "resemblance",
    verify: str | None = None,
    linkage: str = "star",
    keep: str | ArrayLike = "first",
    recall: float = 0.99,
    max_distance: int | None = None,
    against: Texts | LshIndex | EmbeddingColumn | None = None,
    update: bool = False,
    embeddings: EmbeddingColumn | ArrayLike | None = None,
    provider: EmbeddingProvider | None = None,
    search: str | None = None,
    errors: str = "strict",
    threads: int | None = None,
    progress: Progress = False,
) -> DedupResult:
    """Find near-duplicates, and say which documents to keep.

    Parameters
    ----------
    texts : column
        Anything that :class:`TextColumn` takes. None, if there are embeddings; with ``method="embedding"`` an
        EmbeddingColumn, or an array of numbers (n, dim), may stand here in place of ``embeddings``.
    threshold : float, optional
        Similarity, above 0 and at most 1, from which two documents are near-duplicates. None: 0.7 for
        ``method="minhash"``, 0.9 for ``"embedding"``; refused for ``"simhash"``, which has ``max_distance``.
    method : {"minhash", "simhash", "embedding"}
        What pairs are found by. With MinHash the similarity is the Jaccard similarity of the
        sets of shingles. With SimHash it is ``1 - distance / bits``, and a pair is what differs in at most
        ``max_distance`` bits; none is missed. With embeddings it is :func:`~txtfp_np.cosine`, in single precision.
    fingerprinter : MinHashFingerprinter or SimHashFingerprinter, optional
        Canonicalises, tokenises and sketches. None: the defaults, for MinHash 128 slots over shingles of
        five words, but soft hyphens are dropped; with an index, those that fill it by default.
    scope : {"resemblance", "containment"}
        Shared shingles over those of both documents, or over those of the smaller one: for one text inside
        another. Containment is found exactly, without sketches; it takes some 50 bytes a shingle of memory.
    verify : {"exact", "signature", "none"}, optional
        What makes a candidate a pair: the exact similarity of the sets of shingle hashes (default for
        MinHash), the estimate from the signatures (SimHash knows no other), or nothing: then any two that share a
        band are a pair, however little alike.
    linkage : {"star", "components"}
        Star: in the order of ``keep``, each document that is not removed yet is kept and removes those
        that form a pair with it. So no removed document is further from the one it stands by than the threshold,
        and no two kept ones form a pair. Components: what hangs together by pairs is one cluster, of which one
        document is kept.
    keep : {"first", "last", "longest", "shortest"} or array (n,)
        Which of several to prefer; or a number for each, the highest being preferred. Lengths are bytes of
        UTF-8. Ties by position.
    recall : float
        Probability, below 1, that a pair at the threshold becomes a candidate; more similar ones do more often. For
        MinHash, and for embeddings by codes.
    max_distance : int, optional
        Bits in which SimHashes may differ; None: 3.
    against : column or LshIndex, optional
        Documents, or their signatures, that are there already: what is similar to one of them goes, too, and no other
        row stands by it. An index is asked by its own bands, and nothing is verified exactly then. With
        ``embeddings``, embeddings.
    update : bool
        Add the signatures of what is kept to the index, under the ids that follow the highest one there.
    embeddings : EmbeddingColumn or real numbers (n, d), optional
        For ``method="embedding"``: those of the documents. Texts, if they are given, too, tell which
        documents are equal or empty, and are what :meth:`DedupResult.explain` shows.
    provider : EmbeddingProvider, optional
        For ``method="embedding"``, in place of ``embeddings``: makes them, once for each distinct document.
    search : {"exact", "codes", "usearch"}, optional
        For ``method="embedding"``. Exact, the default: all cosines, by matrix products on the threads of NumPy's
        BLAS, a tile at a time; no pair is missed. Codes: only of vectors whose 256-bit codes (:class:`HyperplaneHash`)
        differ so little that ``recall`` of the pairs at the threshold are among them. usearch (extra ``ann``): of the
        64 neighbours that a graph names; with several threads what it misses may differ from run to run.
    errors : {"strict", "replace"}
        Whether bad UTF-8 is an error or becomes U+FFFD.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result, but for usearch.
    progress : bool or callable
        True: a line on stderr. A callable gets (documents done, documents in all).

    Returns
    -------
    DedupResult
        ``keep``, ``cluster``, ``representative``, ``pairs``, and more.

    Raises
    ------
    InvalidInputError
        If a document is not text or not UTF-8 (with ``.row``), or one ``str`` was given.
    ConfigError
        If an option has a value it cannot have, or that another one excludes.

    Notes
    -----
    Equal documents, that is of equal bytes or, with exact verification, of equal sets of shingles, are
    found first and cost no pairs; they never survive side by side. Documents without a single token are
    kept and belong to no cluster; for embeddings these are texts of white space alone, and vectors of zeros. The
    result holds on to the texts, for :meth:`DedupResult.explain`.

    Embeddings: time grows with the square of their number; memory is theirs, twice, 32 MB for tiles, and the pairs.

    Time grows with the text, and with the number of pairs. Memory is that of the texts, a signature (1032 bytes
    with 128 slots) a distinct document, and 44 bytes a pair; exact sets are made in portions. Where so many documents
    are alike that there are more than 16 million candidates, and more than 16 a document, a star is made without
    listing all pairs: the result is the same, but ``pairs`` holds only those of kept documents. This takes
    as much memory for signatures again; ``against`` texts, SimHash, containment and components always list all.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> texts = [
    ...     "the cat sat on the mat and looked at the dog that slept near the fire",
    ...     "The cat sat on the mat, and looked at the dog that slept near the fire.",
    ...     "the cat sat on the mat and looked at the dog that slept near the door",
    ...     "stock prices fell sharply on monday after the central bank raised its rates",
    ... ]
    >>> result = tx.dedup(texts, threshold=0.7)
    >>> result.keep
    array([ True, False, False,  True])
    >>> result.pairs.tolist()
    [(0, 1, 1.0), (0, 2, 0.8461538553237915)]
    >>> tx.dedup(texts, method="simhash", max_distance=10).keep
    array([ True, False, False,  True])

    By meaning, here with vectors of three dimensions:

    >>> vectors = np.array([[1, 2, 2], [1, 2, 2.2], [2, 1, -2], [0, 0, 0]])
    >>> near = tx.dedup(method="embedding", embeddings=vectors)
    >>> near.keep, near.pairs.tolist()
    (array([ True, False,  True,  True]), [(0, 1, 0.9988701939582825)])

    Daily increments: only what is not known yet is kept, and remembered.

    >>> index = tx.LshIndexBuilder.for_recall(0.7).build()
    >>> tx.dedup(texts[:2], against=index, update=True).keep, len(index)
    (array([ True, False]), 1)
    >>> today = tx.dedup(texts[2:], against=index, update=True)
    >>> today.keep, today.against, today.added
    (array([False,  True]), array([ 0, -1]), array([-1,  1]))
    """
    if method == Method.EMBEDDING:
        if embeddings is None and _are_vectors(texts):
            texts, embeddings = None, texts
        settings = check_settings(
            threshold, method, fingerprinter, scope, verify, linkage, recall, max_distance, search
        )
        if isinstance(against, (LshIndex, EmbeddingIndex)):
            got = type(against).__name__
            raise ConfigError(f"method='embedding' takes texts or embeddings as against, got {got}", argument="against")
        if check_flag("update", update):
            raise ConfigError(
                "update=True adds to an LshIndex given as against: method='embedding' takes none", argument="update"
            )
        check_errors_option(errors)
        return _dedup_embedded(texts, embeddings, provider, against, keep, settings, errors, threads, progress)
    for name, given in (("embeddings", embeddings), ("provider", provider)):
        if given is not None:
            raise ConfigError(f"{name} is for method='embedding', got method={method!r}", argument=name)
    if isinstance(against, LshIndex) and fingerprinter is None and method == "minhash":
        fingerprinter = fingerprinter_of(against)
    settings = check_settings(threshold, method, fingerprinter, scope, verify, linkage, recall, max_distance, search)
    if isinstance(against, LshIndex):
        check_index(against, settings, verify)
        if settings.verify == Verify.EXACT:
            settings = dataclasses.replace(settings, verify=Verify.SIGNATURE)
    if check_flag("update", update) and not isinstance(against, LshIndex):
        raise ConfigError("update=True adds to an index: against must be an LshIndex", argument="update")
    check_errors_option(errors)
    n_threads = resolve_threads(threads)
    if texts is None:
        raise InvalidInputError("texts must be a column of documents, got None", argument="texts")
    column = _as_column(texts, "texts", errors)
    rank = keep_order(keep, len(column), np.diff(column.offsets))
    if against is None:
        found = find_pairs(column, settings, n_threads, progress, rank=rank)
        return make_result(column, settings, rank, found)
    if not isinstance(against, LshIndex):
        others = _as_column(against, "against", errors)
        return make_result(column, settings, rank, *find_known(column, others, settings, n_threads, progress))
    if update:
        next_id(against, len(column))  # a refusal after the work would lose it
    found, known, signed = find_indexed(column, against, settings, n_threads, progress, rank)
    result = make_result(column, settings, rank, found, known)
    if update:
        kept = np.flatnonzero(result.keep)
        known = known._replace(added=add_kept(against, kept, column, settings, signed, n_threads))
        result = make_result(column, settings, rank, found, known)
    return result


def _dedup_embedded(
    texts: Texts | None,
    embeddings: Any,
    provider: Any,
    against: Any,
    keep: str | ArrayLike,
    settings: Settings,
    errors: str,
    threads: int | None,
    progress: Progress,
) -> DedupResult:
    n_threads = resolve_threads(threads)
    column = None if texts is None else _as_column(texts, "texts", errors)
    if against is not None and provider is not None and not isinstance(against, EmbeddingColumn):
        against = _as_column(against, "against", errors)
    side, others = make_sides(column, embeddings, provider, against, progress)
    rank = keep_order(keep, len(side.same), None if column is None else np.diff(column.offsets))
    if others is None:
        return make_result(column, settings, rank, find_near(side, settings, n_threads, progress, rank=rank), side=side)
    found, known = find_near_known(side, others, settings, n_threads, progress)
    return make_result(column, settings, rank, found, known, side=side)


def _are_vectors(texts: Any) -> bool:
    return isinstance(texts, EmbeddingColumn) or (
        isinstance(texts, np.ndarray) and texts.ndim == 2 and texts.dtype.kind in "fiu"
    )


def _as_column(texts: Texts, argument: str, errors: str) -> TextColumn:
    if is_single(texts):
        raise InvalidInputError(
            f"{argument} must be a column of documents, got one {type(texts).__name__}",
            argument=argument,
            advice="Pass a list of documents, or a column of a table.",
        )
    try:
        return as_text_column(texts, errors=errors)
    except InvalidInputError as error:
        error.argument = argument
        raise
