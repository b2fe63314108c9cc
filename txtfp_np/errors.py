"""Every exception the package raises.

::

    TxtfpError (alias Error)
    ├── InvalidInputError        also ValueError      the data: an empty document, bad UTF-8, a number among texts
    ├── ConfigError              also ValueError      the options: an unknown name, a size out of range
    ├── ModelMismatchError       also ValueError      two embeddings of different models (.a, .b)
    ├── DimensionMismatchError   also ValueError      two vectors of different length (.a, .b)
    ├── SchemaMismatchError      also ValueError      a signature of another schema version (.expected, .actual)
    ├── TokenizerError                                a tokenizer failed
    ├── OnnxError                                     a local model could not be loaded or run
    ├── HttpError                                     an embedding service could not be reached or refused
    ├── EmptyEmbeddingError                           a service answered without embeddings
    └── FeatureDisabledError     also ImportError     an extra is not installed (.feature)

``str(error)`` is the text that the Rust crate prints; for a column ``" (row 17)"`` follows it. What to
do about it stands in an exception note, so that the first line stays comparable. ``OSError`` is
never wrapped.
"""

from __future__ import annotations

from typing import Any, Self


class TxtfpError(Exception):
    """Base of every exception of this package.

    Parameters
    ----------
    message : str
        What is wrong, without the prefix of the class.
    row : int, optional
        Position of the offending document in the column that was given.
    argument : str, optional
        Name of the argument that carried the offending value.
    advice : str, optional
        What to do about it; attached as an exception note (:meth:`BaseException.add_note`).

    Examples
    --------
    >>> error = InvalidInputError("empty document", row=17, argument="texts")
    >>> str(error), error.row, error.argument
    ('invalid input: empty document (row 17)', 17, 'texts')
    """

    prefix = ""

    def __init__(
        self,
        message: str = "",
        *,
        row: int | None = None,
        argument: str | None = None,
        advice: str | None = None,
    ) -> None:
        self.message = message
        self.row = row
        self.argument = argument
        self.advice = advice
        super().__init__(message)
        if advice is not None:
            self.add_note(advice)

    def __str__(self) -> str:
        place = "" if self.row is None else f" (row {self.row})"
        return f"{self.prefix}{self.message}{place}"

    def at_row(self, row: int, argument: str | None = None) -> Self:
        """Name the row, and the argument, once the caller of a single-document routine knows them."""
        self.row = row
        self.argument = argument if argument is not None else self.argument
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only arguments and notes are lost by the default; errors cross process borders.
        return (_rebuild, (type(self), self.args, dict(self.__dict__)))


def _rebuild(cls: type[TxtfpError], args: tuple[Any, ...], state: dict[str, Any]) -> TxtfpError:
    error = cls.__new__(cls, *args)
    Exception.__init__(error, *args)
    error.__dict__.update(state)
    return error


class InvalidInputError(TxtfpError, ValueError):
    """The data cannot be used: empty document, invalid UTF-8, a value that is not text."""

    prefix = "invalid input: "


class ConfigError(TxtfpError, ValueError):
    """An option has a value it cannot have."""

    prefix = "config error: "


class TokenizerError(TxtfpError):
    """A tokenizer failed or gave something that is not a token."""

    prefix = "tokenizer error: "


class OnnxError(TxtfpError):
    """A local embedding model could not be loaded or run."""

    prefix = "onnx error: "


class HttpError(TxtfpError):
    """An embedding service could not be reached, or refused."""

    prefix = "http error: "


class EmptyEmbeddingError(TxtfpError):
    """An embedding service answered without any embedding.

    Examples
    --------
    >>> str(EmptyEmbeddingError())
    'provider returned no embeddings'
    """

    def __init__(self, message: str = "provider returned no embeddings", **where: Any) -> None:
        super().__init__(message, **where)


class _Disagreement(TxtfpError, ValueError):
    """Two values that should be equal are not; ``pattern`` prints both."""

    pattern = ""

    def __init__(self, first: object, second: object, **where: Any) -> None:
        super().__init__(self.pattern.format(first, second), **where)
        self.args = (first, second)


class ModelMismatchError(_Disagreement):
    """Two embeddings come from different models.

    Examples
    --------
    >>> str(ModelMismatchError("minilm", "bge"))
    'model id mismatch: a = minilm, b = bge'
    """

    pattern = "model id mismatch: a = {}, b = {}"

    def __init__(self, a: object, b: object, **where: Any) -> None:
        super().__init__(a, b, **where)
        self.a, self.b = a, b


class DimensionMismatchError(_Disagreement):
    """Two vectors have different lengths.

    Examples
    --------
    >>> str(DimensionMismatchError(384, 768))
    'dimension mismatch: a = 384, b = 768'
    """

    pattern = "dimension mismatch: a = {}, b = {}"

    def __init__(self, a: object, b: object, **where: Any) -> None:
        super().__init__(a, b, **where)
        self.a, self.b = a, b


class SchemaMismatchError(_Disagreement):
    """A stored signature has another schema version than this package writes.

    Examples
    --------
    >>> str(SchemaMismatchError(expected=1, actual=2))
    'schema version mismatch: expected 1, got 2'
    """

    pattern = "schema version mismatch: expected {}, got {}"

    def __init__(self, expected: object, actual: object, **where: Any) -> None:
        super().__init__(expected, actual, **where)
        self.expected, self.actual = expected, actual


class FeatureDisabledError(TxtfpError, ImportError):
    """Something optional is needed and not installed.

    Parameters
    ----------
    feature : str
        Name of the extra that brings it.

    Examples
    --------
    >>> error = FeatureDisabledError("arrow")
    >>> str(error)
    'feature `arrow` is not installed: pip install "txtfp-np[arrow]"'
    """

    def __init__(self, feature: str, **where: Any) -> None:
        super().__init__(f'feature `{feature}` is not installed: pip install "txtfp-np[{feature}]"', **where)
        self.args = (feature,)
        self.feature = feature


Error = TxtfpError
