"""A user's own tokenizers: a function with a name, or any object that meets the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..columns import Scratch
from ..columns.checks import read_only
from ..errors import ConfigError, TokenizerError
from .base import BlockTokenizer, Bytes, Offsets, Spans, Tokenizer


class _PythonTokenizer(BlockTokenizer):
    """Runs Python code document by document, on the calling thread."""

    _threadable = False
    _in_place = False

    def _split(self, text: str) -> Iterable[str]:
        raise TypeError  # pragma: no cover - both subclasses define it

    def _block(self, data: Bytes, offsets: Offsets, scratch: Scratch, key: str = "") -> Spans:
        raw, bounds = data[offsets[0] : offsets[-1]].tobytes(), (offsets - offsets[0]).tolist()
        encoded: list[bytes] = []
        counts = [0]
        for row in range(len(bounds) - 1):
            encoded += self._encoded(raw[bounds[row] : bounds[row + 1]].decode(), row)
            counts.append(len(encoded))
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        ends = np.cumsum(lengths)
        if len(ends) and ends[-1] > np.iinfo(np.int32).max:
            raise TokenizerError(f"{self.name} gave more than 2 GiB of tokens for one block of text")
        return Spans(
            read_only(np.frombuffer(b"".join(encoded), np.uint8)),
            0,
            read_only((ends - lengths).astype(np.int32)),
            read_only(ends.astype(np.int32)),
            read_only(np.array(counts, np.int64)),
        )

    def _encoded(self, text: str, row: int) -> list[bytes]:
        try:
            tokens = list(self._split(text))
        except Exception as error:
            raise TokenizerError(f"{self.name} failed: {error!r}", row=row, argument="texts") from error
        try:
            return [str.encode(token) for token in tokens]
        except (TypeError, UnicodeEncodeError) as error:
            culprit = next(token for token in tokens if not isinstance(token, str) or not _is_text(token))
            raise TokenizerError(
                f"{self.name} gave {culprit!r}, which is not a str of valid text",
                row=row,
                argument="texts",
                advice="a tokenizer gives an iterable of str, without lone surrogates",
            ) from error


def _is_text(token: str) -> bool:
    return not any(0xD800 <= ord(character) < 0xE000 for character in token)


@dataclass(frozen=True)
class CallableTokenizer(_PythonTokenizer):
    """Any function from a ``str`` to its tokens.

    Works everywhere a tokenizer does, at the speed of Python: one call a document, on one thread.

    Parameters
    ----------
    f : callable
        ``str -> iterable of str``.
    name : str
        Required, because it is part of the identity of every signature: change it whenever the
        function changes its mind about a token.

    Examples
    --------
    >>> tokenizer = CallableTokenizer(str.split, name="white-space-v1")
    >>> tokenizer.tokens("a-b  c")
    ['a-b', 'c']
    """

    f: Callable[[str], Iterable[str]]
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.f):
            raise ConfigError(f"f must be callable, got {type(self.f).__name__}", argument="f")
        if not isinstance(self.name, str) or not self.name:
            raise ConfigError(
                f"name must be a non-empty str, got {self.name!r}",
                argument="name",
                advice="it goes into the config hash; a version in it helps: name='my-tokens-v1'",
            )

    def _split(self, text: str) -> Iterable[str]:
        return self.f(text)


@dataclass(frozen=True)
class PluggedTokenizer(_PythonTokenizer):
    """An object that meets the :class:`Tokenizer` protocol, wherever it comes from."""

    tokenizer: Tokenizer

    @property
    def name(self) -> str:
        """The name that the object gives itself."""
        return self.tokenizer.name

    def _split(self, text: str) -> Iterable[str]:
        return self.tokenizer.tokens(text)


def as_block_tokenizer(tokenizer: Tokenizer) -> BlockTokenizer:
    """``tokenizer`` itself, or a wrapper around one that a user wrote."""
    return tokenizer if isinstance(tokenizer, BlockTokenizer) else PluggedTokenizer(tokenizer)


def check_tokenizer(argument: str, tokenizer: object) -> None:
    """Refuse what does not meet the protocol."""
    if isinstance(tokenizer, type) or not isinstance(tokenizer, Tokenizer):
        given = f"the class {tokenizer.__name__}" if isinstance(tokenizer, type) else type(tokenizer).__name__
        raise ConfigError(
            f"{argument} must be a tokenizer, got {given}",
            argument=argument,
            advice='wrap a function: CallableTokenizer(f, name="my-tokens-v1")',
        )
