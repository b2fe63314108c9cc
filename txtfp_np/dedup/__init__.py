"""Near-duplicates: finding them, verifying them, deciding which to keep.

=================  ==========================================================================
``api``            :func:`dedup`, the call that does all of it
``settings``       its options, checked
``pairs``          pairs that are alike; ``copies``: equal documents; ``containment``: one in another
``against``        what the other side already has
``verify``         exact similarity of documents, by their sets of shingle hashes
``linkage``        from verified pairs to clusters; ``policies``: which document is kept
``result``         :class:`DedupResult`; ``show``: as HTML and as a picture
``report``         a page to look at; ``report_data``, ``report_plots``, ``report_runs``, ``report_page``: its parts
``explain``        what two documents share, and where they differ; ``words``: their words as written
=================  ==========================================================================
"""

import sys
from types import ModuleType
from typing import Any

from .api import dedup
from .explain import Explanation, Run, explain_texts
from .report import report_html, write_report
from .result import DedupResult
from .summary import Summary

__all__ = ["DedupResult", "Explanation", "Run", "Summary", "dedup", "explain_texts", "report_html", "write_report"]


class _Callable(ModuleType):
    """The package has the name of its main function, and a tool that imports it puts it in the function's place."""

    def __call__(self, *args: Any, **options: Any) -> DedupResult:
        return dedup(*args, **options)


sys.modules[__name__].__class__ = _Callable
