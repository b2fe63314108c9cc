"""Embedding services: one POST a batch, answers checked, failures tried again."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..columns import Progress, Scratch, TextColumn, Texts, as_text_column, block_bounds, is_single, run_blocks
from ..errors import (
    ConfigError,
    DimensionMismatchError,
    EmptyEmbeddingError,
    FeatureDisabledError,
    HttpError,
    InvalidInputError,
    TxtfpError,
)
from ..options import check_count
from ..schema import Embedding
from .column import EmbeddingColumn
from .deadline import Deadline
from .retry import RETRIED, RetryPolicy

# Answers are a few KB an embedding: this is a thousand times the largest batch's.
_MAX_ANSWER = 1 << 30
_EXCERPT = 300


class _Key:
    """A secret that no ``repr`` shows, and no listing of local variables either."""

    __slots__ = ("reveal",)
    reveal: Callable[[], str]

    def __init__(self, key: str) -> None:
        self.reveal = lambda: key

    def is_usable(self) -> bool:
        """Whether it fits a header as it stands: spaces and line ends come with keys read from files."""
        key = self.reveal()
        return isinstance(key, str) and key != "" and all("!" <= character <= "~" for character in key)

    def hide(self, said: bytes) -> bytes:
        """Without the key, be it plain or as JSON has it: some services repeat the key they refuse."""
        key = self.reveal()
        return said.replace(key.encode(), b"<key>").replace(json.dumps(key)[1:-1].encode(), b"<key>")

    def __repr__(self) -> str:
        return "<key>"


class CloudProvider(ABC):
    """What the services have in common; see the subclasses."""

    _name: ClassVar[str]
    _base_url: ClassVar[str]
    _path: ClassVar[str]
    _model: ClassVar[str]
    _dimensions: ClassVar[dict[str, int]]
    _other_dimension: ClassVar[int]
    _max_texts: ClassVar[int]
    _max_bytes: ClassVar[int]
    _bytes_around: ClassVar[int] = 0  # what the service puts around each text, and counts
    _input_types: ClassVar[tuple[str, ...]] = ()
    _query_type: ClassVar[str | None] = None

    # For the ``repr`` of one whose options are refused.
    model_id: str = ""
    base_url: str = ""

    def __init__(
        self,
        api_key: str,
        *,
        model: str | None = None,
        base_url: str | None = None,
        dimension: int | None = None,
        timeout: float = 30.0,
        retry: RetryPolicy | None = None,
    ) -> None:
        self._key = _Key(api_key)
        del api_key  # a traceback with local variables would show it
        if not self._key.is_usable():
            raise ConfigError(
                "api_key must be a non-empty str of printable ASCII characters without spaces", argument="api_key"
            )
        for argument, value in (("model", model), ("base_url", base_url)):
            if value is not None and (not isinstance(value, str) or not value):
                raise ConfigError(f"{argument} must be a non-empty str, got {value!r}", argument=argument)
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < float("inf"):
            raise ConfigError(f"timeout must be a finite number > 0, got {timeout!r}", argument="timeout")
        if retry is not None and not isinstance(retry, RetryPolicy):
            raise ConfigError(f"retry must be a RetryPolicy, got {type(retry).__name__}", argument="retry")
        self._given_dimension = None if dimension is None else check_count("dimension", dimension, 1)
        self.model_id = model or self._model
        self.base_url = _checked_url(base_url or self._base_url)
        self.timeout = timeout
        self.retry = retry or RetryPolicy()
        self._deadline = Deadline(self.retry.monotonic, _too_late)
        self._client: Any = None
        self._opening = threading.Lock()

    @property
    def dimension(self) -> int:
        """Number of elements of an embedding: as given, or as known of the model."""
        return self._known_dimension() or self._other_dimension

    def _known_dimension(self) -> int | None:
        return self._given_dimension or self._dimensions.get(self.model_id)

    def with_model(self, model: str, *, dimension: int | None = None) -> Self:
        """The same service and key with another model.

        Examples
        --------
        >>> from txtfp_np import OpenAiProvider
        >>> OpenAiProvider("sk-...").with_model("text-embedding-3-large")
        OpenAiProvider(model='text-embedding-3-large', base_url='https://api.openai.com/v1')
        """
        return self._replaced(model=model, dimension=dimension)

    def with_base_url(self, base_url: str) -> Self:
        """The same model and key at another address: a proxy, or a server that speaks the same protocol."""
        return self._replaced(model=self.model_id, dimension=self._given_dimension, base_url=base_url)

    def _replaced(self, *, model: str, dimension: int | None, base_url: str | None = None) -> Self:
        return type(self)(
            self._key.reveal(),
            model=model,
            base_url=base_url or self.base_url,
            dimension=dimension,
            timeout=self.timeout,
            retry=self.retry,
        )

    def embed(self, text: str, /) -> Embedding:
        """Embedding of one text, as a document.

        Parameters
        ----------
        text : str
            Not empty.

        Returns
        -------
        Embedding

        Raises
        ------
        HttpError
            If the service cannot be reached, refuses, or answers what is no answer.
        EmptyEmbeddingError
            If it answers without embeddings.
        """
        if not is_single(text):
            raise InvalidInputError(f"expected one text, got {type(text).__name__}", argument="text")
        try:
            return self.embed_batch([text])[0]
        except TxtfpError as error:
            error.row = None  # there is one text
            raise

    def embed_batch(
        self, texts: Texts, /, input_type: str | None = None, *, progress: Progress = False
    ) -> EmbeddingColumn:
        """Embeddings of a column, in as many requests as the service's limits ask for.

        Parameters
        ----------
        texts : column
            None of them empty.
        input_type : str, optional
            What the texts are, for services that make a difference; None: documents.
        progress : bool or callable
            True: a line on stderr. A callable gets (texts done, texts in all).

        Returns
        -------
        EmbeddingColumn
            In the order of the texts. No texts: no request.

        Raises
        ------
        InvalidInputError
            If a text is empty (with ``.row``); nothing has been sent then.
        HttpError, EmptyEmbeddingError
            As with :meth:`embed`.
        DimensionMismatchError
            If the embeddings are not as long as is known of the model.
        """
        if is_single(texts):
            raise InvalidInputError("texts must be a column: [text]", argument="texts")
        kind = self._checked_type(input_type)
        column = as_text_column(texts)
        if (np.diff(column.offsets) == 0).any():
            row = int((np.diff(column.offsets) == 0).argmax())
            raise InvalidInputError("empty document", row=row, argument="texts")
        parts: list[NDArray[np.float32]] = []

        def work(batch: list[str], scratch: Scratch) -> NDArray[np.float32]:
            try:
                return self._request(batch, kind)
            except TxtfpError as error:
                if error.row is not None:
                    error.row += sum(map(len, parts))  # one thread: all batches before this one are there
                raise

        run_blocks(self._batches(column), work, parts.append, threads=1, progress=progress, total=len(column))
        for part in parts:
            if part.shape[1] != parts[0].shape[1]:
                raise DimensionMismatchError(parts[0].shape[1], part.shape[1])
        vectors = np.concatenate(parts) if parts else np.empty((0, self.dimension), np.float32)
        return EmbeddingColumn(vectors, self.model_id)

    def close(self) -> None:
        """Close connections that are kept open; the provider may be used again."""
        with self._opening:
            if self._client is not None:
                self._client.close()
                self._client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model_id!r}, base_url={self.base_url!r})"

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} holds a key and is not pickled: make it where it is used")

    # ── what differs ────────────────────────────────────────────────────────────────────────────
    @abstractmethod
    def _body(self, texts: list[str], input_type: str | None) -> dict[str, Any]:
        """What is sent."""

    @abstractmethod
    def _vectors(self, answer: Any) -> list[Any]:
        """Embeddings of an answer in the order of the texts; KeyError and the like if it is no answer."""

    def _checked_type(self, input_type: str | None) -> str | None:
        if input_type is None:
            return self._input_types[0] if self._input_types else None
        if input_type not in self._input_types:
            known = " or ".join(map(repr, self._input_types)) or "None"
            raise ConfigError(f"input_type must be {known}, got {input_type!r}", argument="input_type")
        return input_type

    def _batches(self, column: TextColumn) -> Iterator[list[str]]:
        """Rows in order; a text that is too long by itself is sent by itself, for the service to say so."""
        weighed = column.offsets + self._bytes_around * np.arange(len(column.offsets))
        for first, last in block_bounds(weighed, self._max_bytes, self._max_texts):
            yield list(column[first:last])

    # ── requests ────────────────────────────────────────────────────────────────────────────────
    def _request(self, texts: list[str], input_type: str | None) -> NDArray[np.float32]:
        httpx = _httpx()
        # Others than these, such as content that cannot be unpacked, would be the same next time.
        may_pass = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError)
        body = json.dumps(self._body(texts, input_type)).encode()
        for wait in self.retry.attempts():
            failure: Exception | None = None
            try:
                status, retry_after, answer = self._post(body)
            except httpx.RequestError as error:
                # The error itself holds the request and its frames, and they the key: it is made anew.
                said = self._key.hide(str(error).encode()).decode() or type(error).__name__
                failure = type(error)(said)
            if failure is not None:
                if isinstance(failure, may_pass) and wait(None):
                    continue
                raise HttpError(f"{self._name} send: {failure}") from failure
            if status == HTTPStatus.OK:
                return self._checked(answer, len(texts))
            if status not in RETRIED or not wait(retry_after):
                raise self._refusal(status, retry_after, answer)
        raise HttpError(f"{self._name} send: no time left")

    def _post(self, body: bytes) -> tuple[int, str | None, bytes]:
        """Status, ``Retry-After`` and content of the answer, all within the time for one request."""
        client, url = self._opened(), f"{self.base_url}/{self._path}"
        content = bytearray()
        self._deadline.start(self.timeout)
        with client.stream("POST", url, content=body, extensions={"trace": self._deadline.watch}) as response:
            for chunk in response.iter_bytes():
                content += chunk
                self._deadline.left()
                if len(content) > _MAX_ANSWER:
                    raise HttpError(f"{self._name} answered more than {_MAX_ANSWER} bytes")
            retry_after = response.headers.get("retry-after")
            if retry_after is not None:
                retry_after = self._key.hide(retry_after.encode()).decode()
            return response.status_code, retry_after, self._key.hide(bytes(content))

    def _opened(self) -> Any:
        with self._opening:
            if self._client is None:
                headers = {"content-type": "application/json", "accept": "application/json"}
                self._client = _httpx().Client(auth=self._authorize, timeout=self.timeout, headers=headers)
            return self._client

    def _authorize(self, request: Any) -> Any:
        request.headers["authorization"] = f"Bearer {self._key.reveal()}"
        return request

    def _refusal(self, status: int, retry_after: str | None, answer: bytes) -> HttpError:
        phrase = HTTPStatus(status).phrase if status in HTTPStatus.__members__.values() else ""
        asked = "" if retry_after is None else f" (Retry-After {retry_after[:40]})"
        return HttpError(f"{self._name} returned {status} {phrase}".rstrip() + asked, advice=_said(answer))

    def _checked(self, answer: bytes, n_texts: int) -> NDArray[np.float32]:
        try:
            vectors = self._vectors(json.loads(answer))
            if vectors is not None and not isinstance(vectors, list):
                raise TypeError(f"{type(vectors).__name__} instead of a list of embeddings")
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            raise HttpError(
                f"{self._name} answered something else than embeddings: {error!r}", advice=_said(answer)
            ) from error
        if not vectors:
            raise EmptyEmbeddingError()
        if len(vectors) != n_texts:
            raise HttpError(f"{self._name} answered {len(vectors)} embeddings for {n_texts} texts")
        try:
            matrix = EmbeddingColumn(vectors).vectors
        except InvalidInputError as error:
            raise HttpError(
                f"{self._name} answered something else than embeddings: {error.message}", row=error.row
            ) from error
        known = self._known_dimension()
        if known is not None and matrix.shape[1] != known:
            raise DimensionMismatchError(known, matrix.shape[1])
        return matrix


def _httpx() -> Any:
    try:
        import httpx
    except ImportError as error:
        raise FeatureDisabledError("cloud") from error
    return httpx


def _too_late() -> Exception:
    late: Exception = _httpx().ReadTimeout("the answer takes too long")
    return late


def _said(answer: bytes) -> str | None:
    said = answer[:_EXCERPT].decode("utf-8", "replace").strip()
    return f"The service says: {said}" if said else None


def _checked_url(base_url: str) -> str:
    """Without a slash at its end. It is shown in a ``repr``, so it may hold no password."""
    httpx = _httpx()
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise ConfigError(f"base_url must be an address, got {base_url!r}: {error}", argument="base_url") from None
    if url.userinfo or url.query or url.fragment:
        raise ConfigError(
            "base_url must hold neither a user, nor a password, nor anything after ? or #", argument="base_url"
        )
    if url.scheme not in ("http", "https") or not url.host or not 0 <= (url.port or 0) < 1 << 16:
        raise ConfigError(f"base_url must be http:// or https:// and a host, got {base_url!r}", argument="base_url")
    return base_url.rstrip("/")


def _by_index(items: list[Any]) -> list[Any]:
    """``embedding`` of each item in the order of ``index``, which must name every place once."""
    ordered: list[Any] = [None] * len(items)
    for position, item in enumerate(items):
        index = item.get("index", position)
        if not 0 <= index < len(items) or ordered[index] is not None:
            raise ValueError(f"index {index} of {len(items)} embeddings")
        ordered[index] = item["embedding"]
    return ordered
