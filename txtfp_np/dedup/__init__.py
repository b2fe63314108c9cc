"""Near-duplicates: finding them, verifying them, deciding which to keep.

=================  ==========================================================================
``verify``         exact similarity of documents, by their sets of shingle hashes
``linkage``        from verified pairs to clusters; ``policies``: which document is kept
=================  ==========================================================================
"""
