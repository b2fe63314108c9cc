"""The services: names, addresses, limits, and how they want to be asked."""

from __future__ import annotations

from typing import Any, ClassVar

from .cloud import CloudProvider, _by_index


class OpenAiProvider(CloudProvider):
    """Embeddings of OpenAI, or of a server that speaks its protocol.

    Parameters
    ----------
    api_key : str
        Never shown in a ``repr``, an error or a log.
    model : str, optional
        Default: ``text-embedding-3-small``.
    base_url : str, optional
        Default: ``https://api.openai.com/v1``.
    dimension : int, optional
        Number of elements; None: what is known of the model. Other answers are refused.
    timeout : float
        Seconds for one request.
    retry : RetryPolicy, optional
        When failures are tried again that may pass: 408, 425, 429, 500, 502, 503, 504, broken connections.

    Raises
    ------
    FeatureDisabledError
        If httpx is not installed.

    Notes
    -----
    A request holds at most 2,048 texts and 300,000 bytes (the limit is in tokens, and a token has a byte
    at least). An answer must have one embedding a text. ``with`` closes connections; threads may share it.

    Examples
    --------
    >>> provider = OpenAiProvider("sk-...")
    >>> provider, provider.dimension
    (OpenAiProvider(model='text-embedding-3-small', base_url='https://api.openai.com/v1'), 1536)
    """

    _name = "OpenAI"
    _base_url = "https://api.openai.com/v1"
    _path = "embeddings"
    _model = "text-embedding-3-small"
    _dimensions: ClassVar = {
        "text-embedding-3-small": 1536,
        "text-embedding-3-large": 3072,
        "text-embedding-ada-002": 1536,
    }
    _other_dimension = 1536
    _max_texts = 2048
    _max_bytes = 300_000

    def _body(self, texts: list[str], input_type: str | None) -> dict[str, Any]:
        return {"model": self.model_id, "input": texts}

    def _vectors(self, answer: Any) -> list[Any]:
        return _by_index(answer["data"])


class VoyageProvider(CloudProvider):
    """Embeddings of Voyage AI; ``input_type`` is ``"document"`` (default) or ``"query"``.

    Parameters
    ----------
    api_key, base_url, dimension, timeout, retry
        As with :class:`OpenAiProvider`.
    model : str, optional
        Default: ``voyage-3-lite``.

    Notes
    -----
    A request holds at most 1,000 texts and 120,000 bytes, which are within the limits of all its models
    (120,000 tokens or more), the prompts that the service puts before texts counted in.

    Examples
    --------
    >>> VoyageProvider("pa-...").with_model("voyage-3").dimension
    1024
    """

    _name = "Voyage"
    _base_url = "https://api.voyageai.com/v1"
    _path = "embeddings"
    _model = "voyage-3-lite"
    _dimensions: ClassVar = {"voyage-3-lite": 512, "voyage-3": 1024, "voyage-large-2": 1536, "voyage-code-2": 1536}
    _other_dimension = 1024
    _max_texts = 1000
    _max_bytes = 120_000
    _bytes_around = 64  # "Represent the query for retrieving supporting documents: " and what closes a text
    _input_types = ("document", "query")
    _query_type = "query"

    def _body(self, texts: list[str], input_type: str | None) -> dict[str, Any]:
        return {"model": self.model_id, "input": texts, "input_type": input_type}

    def _vectors(self, answer: Any) -> list[Any]:
        return _by_index(answer["data"])


class CohereProvider(CloudProvider):
    """Embeddings of Cohere (API version 1).

    ``input_type`` is ``"search_document"`` (default), ``"search_query"``, ``"classification"`` or
    ``"clustering"``.

    Parameters
    ----------
    api_key, base_url, dimension, timeout, retry
        As with :class:`OpenAiProvider`.
    model : str, optional
        Default: ``embed-english-v3.0``.

    Notes
    -----
    A request holds at most 96 texts. The order of its answers is trusted: they carry no numbers.

    Examples
    --------
    >>> CohereProvider("...").with_model("embed-multilingual-light-v3.0").dimension
    384
    """

    _name = "Cohere"
    _base_url = "https://api.cohere.com/v1"
    _path = "embed"
    _model = "embed-english-v3.0"
    _dimensions: ClassVar = {
        "embed-english-v3.0": 1024,
        "embed-multilingual-v3.0": 1024,
        "embed-english-light-v3.0": 384,
        "embed-multilingual-light-v3.0": 384,
    }
    _other_dimension = 1024
    _max_texts = 96
    _max_bytes = 1 << 22
    _input_types = ("search_document", "search_query", "classification", "clustering")
    _query_type = "search_query"

    def _body(self, texts: list[str], input_type: str | None) -> dict[str, Any]:
        return {"model": self.model_id, "texts": texts, "input_type": input_type}

    def _vectors(self, answer: Any) -> list[Any]:
        vectors: list[Any] = answer["embeddings"]
        return vectors
