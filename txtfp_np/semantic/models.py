"""What is known of models by their names on the Hugging Face hub: pooling and prefixes, as the crate has them."""

from __future__ import annotations

from .pooling import Pooling

_BGE = tuple(f"BAAI/bge-{size}-en-v1.5" for size in ("small", "base", "large"))
_E5 = (
    *(f"intfloat/multilingual-e5-{size}" for size in ("small", "base", "large")),
    *(f"intfloat/e5-{size}-v2" for size in ("small", "base", "large")),
)
_CLS = {*_BGE, "BAAI/bge-m3", "Snowflake/snowflake-arctic-embed-m", "mixedbread-ai/mxbai-embed-large-v1"}


def pooling_of(model_id: str) -> Pooling:
    """How the model was trained to be pooled; MEAN if it is not known.

    Examples
    --------
    >>> pooling_of("BAAI/bge-m3"), pooling_of("intfloat/e5-base-v2")
    (<Pooling.CLS: 'cls'>, <Pooling.MEAN: 'mean'>)
    """
    return Pooling.CLS if model_id in _CLS else Pooling.MEAN


def query_prefix_of(model_id: str) -> str:
    """What the model wants before a query.

    Examples
    --------
    >>> query_prefix_of("intfloat/e5-base-v2"), query_prefix_of("BAAI/bge-m3")
    ('query: ', '')
    """
    if model_id in _BGE:
        return "Represent this sentence for searching relevant passages: "
    return "query: " if model_id in _E5 else ""


def document_prefix_of(model_id: str) -> str:
    """What the model wants before a document."""
    return "passage: " if model_id in _E5 else ""
