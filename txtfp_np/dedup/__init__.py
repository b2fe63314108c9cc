"""Near-duplicates: finding them, verifying them, deciding which to keep.

=================  ==========================================================================
``api``            :func:`dedup`, the call that does all of it
``settings``       its options, checked
``pairs``          pairs that are alike; ``copies``: equal documents
``verify``         exact similarity of documents, by their sets of shingle hashes
``linkage``        from verified pairs to clusters; ``policies``: which document is kept
``result``         :class:`DedupResult`; ``show``: as HTML and as a picture
``explain``        what two documents share, and where they differ; ``words``: their words as written
=================  ==========================================================================
"""

from .api import dedup
from .explain import Explanation, Run, explain_texts
from .result import DedupResult
from .summary import Summary

__all__ = ["DedupResult", "Explanation", "Run", "Summary", "dedup", "explain_texts"]
