"""The canonicaliser's configuration and its door."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import overload

import numpy as np

from ..columns import (
    Appender,
    Document,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    document_bytes,
    is_single,
    iter_text_blocks,
    known_length,
    resolve_threads,
    run_blocks,
)
from ..columns.checks import check_errors_option, read_only
from ..errors import ConfigError
from ..options import check_choice, check_flag
from .pipeline import Pass, canonicalize_block


class Normalization(StrEnum):
    """Unicode normal forms."""

    NFKC = "nfkc"
    NFC = "nfc"
    NONE = "none"


class CaseFold(StrEnum):
    """Case folding. ``SIMPLE`` is the crate's name for what is the full default fold (``ß`` to ``ss``)."""

    SIMPLE = "simple"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Canonicalizer:
    r"""Bring texts that look or read the same to the same code points.

    In this order, whatever is switched on: drop invisible code points, normalise, fold case,
    normalise again, replace confusable characters by their prototypes.

    Parameters
    ----------
    normalization : {"nfkc", "nfc", "none"}
        Unicode normal form.
    case_fold : {"simple", "none"}
        Full default case folding, or none.
    strip_bidi : bool
        Drop the bidirectional controls U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
    strip_format : bool
        Drop these and zero-width spaces and joiners, variation selectors, tags, the byte-order mark.
    apply_confusable : bool
        UTS #39 skeleton as the last step: homoglyphs become equal. The result is decomposed and may
        hold upper case again (``"0"`` becomes ``"O"``).
    strip_soft_hyphen : bool
        Drop U+00AD, too, which the crate keeps: a word that may be broken at a line's end is the same word.
        Needs ``strip_format``.

    Raises
    ------
    ConfigError
        If an option has a value it cannot have.

    Notes
    -----
    Unicode is frozen (17.0, folding and confusables 16.0): the result never depends on what is
    installed. Except with ``apply_confusable`` a second application changes nothing.

    Plain ASCII runs at memory speed; other text at about 2 ns a code point.

    References
    ----------
    UAX #15 (normalisation), UTS #39 section 4 (skeletons).

    Examples
    --------
    >>> canon = Canonicalizer()
    >>> canon.canonicalize("Hello\u200bWorld")
    'helloworld'
    >>> canon.canonicalize(["Straße", "ＦＵＬＬ", None]).to_list()
    ['strasse', 'full', None]
    >>> canon.config_string()
    'nfkc-cf-simple-bidi-fmt'
    """

    normalization: Normalization | str = Normalization.NFKC
    case_fold: CaseFold | str = CaseFold.SIMPLE
    strip_bidi: bool = True
    strip_format: bool = True
    apply_confusable: bool = False
    strip_soft_hyphen: bool = False

    def __post_init__(self) -> None:
        set_field = object.__setattr__  # frozen: only here
        set_field(self, "normalization", check_choice("normalization", self.normalization, Normalization))
        set_field(self, "case_fold", check_choice("case_fold", self.case_fold, CaseFold))
        for name in ("strip_bidi", "strip_format", "apply_confusable", "strip_soft_hyphen"):
            set_field(self, name, check_flag(name, getattr(self, name)))
        if self.strip_soft_hyphen and not self.strip_format:
            raise ConfigError("strip_soft_hyphen needs strip_format=True", argument="strip_soft_hyphen")

    def config_string(self) -> str:
        """Text that names this configuration, part of every config hash.

        Examples
        --------
        >>> Canonicalizer(normalization="nfc", strip_bidi=False, apply_confusable=True).config_string()
        'nfc-cf-simple-fmt-conf'
        """
        flags = (
            ("bidi", self.strip_bidi),
            ("fmt", self.strip_format),
            ("shy", self.strip_soft_hyphen),
            ("conf", self.apply_confusable),
        )
        return "-".join([f"{self.normalization}-cf-{self.case_fold}", *(name for name, on in flags if on)])

    @cached_property
    def passes(self) -> tuple[Pass, ...]:
        """The kernel runs that this configuration takes."""
        fold = "-fold" if self.case_fold == CaseFold.SIMPLE else ""
        first = Pass(f"{self.normalization}{fold}", self.strip_format, self.strip_bidi, self.strip_soft_hyphen)
        return (first, Pass("skeleton")) if self.apply_confusable else (first,)

    @overload
    def canonicalize(self, texts: Document, *, errors: str = ...) -> str: ...
    @overload
    def canonicalize(
        self, texts: Texts, *, errors: str = ..., threads: int | None = ..., progress: Progress = ...
    ) -> TextColumn: ...
    def canonicalize(
        self,
        texts: Document | Texts,
        *,
        errors: str = "strict",
        threads: int | None = None,
        progress: Progress = False,
    ) -> str | TextColumn:
        """Canonical text of one document or of a column.

        Parameters
        ----------
        texts : str, bytes or column
            One document, or anything that :class:`TextColumn` takes.
        errors : {"strict", "replace"}
            Whether bad UTF-8 is an error or becomes U+FFFD.
        threads : int, optional
            Threads to use; None: every core this process may use.
        progress : bool or callable
            True: a line on stderr. A callable gets (documents done, documents in all or None).

        Returns
        -------
        str or TextColumn
            A ``str`` for one document. Nulls of a column stay nulls.

        Raises
        ------
        InvalidInputError
            If something is not text, or not UTF-8 (with ``.row``).

        Examples
        --------
        >>> Canonicalizer(case_fold="none").canonicalize("ﬁne Ⅷ")
        'fine VIII'
        """
        if threads is not None:
            resolve_threads(threads)  # refuse nonsense even where one thread is enough
        if is_single(texts):
            return self._canonicalize_one(texts, errors)  # type: ignore[arg-type]
        n_threads = resolve_threads(threads)
        total = known_length(texts)
        parts = _Parts(texts)
        run_blocks(
            iter_text_blocks(texts, errors=errors),
            self._canonicalize_block,
            parts.add,
            threads=n_threads,
            progress=progress,
            total=total,
        )
        return parts.column()

    def _canonicalize_one(self, text: Document, errors: str) -> str:
        check_errors_option(errors)
        if isinstance(text, str) and text.isascii() and not self.apply_confusable:
            return text.lower() if self.case_fold == CaseFold.SIMPLE else str(text)
        data = read_only(np.frombuffer(document_bytes(text, errors), np.uint8))
        offsets = read_only(np.array([0, len(data)], np.int64))
        out, _ = canonicalize_block(data, offsets, self.passes, Scratch())
        return out.tobytes().decode()

    def _canonicalize_block(self, block: TextColumn, scratch: Scratch) -> TextColumn:
        data, offsets = canonicalize_block(block.data, block.offsets, self.passes, scratch)
        return TextColumn._trusted(data, offsets, block.validity)


def check_canonicalizer(value: object) -> None:
    """Refuse anything but a :class:`Canonicalizer`."""
    if not isinstance(value, Canonicalizer):
        raise ConfigError(
            f"canonicalizer must be a Canonicalizer, got {type(value).__name__}", argument="canonicalizer"
        )


class _Parts:
    """Blocks of canonical text on their way into one column."""

    def __init__(self, texts: object) -> None:
        expected = texts.nbytes if isinstance(texts, TextColumn) else 0
        self.data = Appender(np.uint8, expected + expected // 64)
        self.ends = Appender(np.int64, known_length(texts) or 0)
        self.validity = Appender(np.bool_, 0)

    def add(self, block: TextColumn) -> None:
        if block.validity is not None or len(self.validity):
            missing = len(self.ends) - len(self.validity)  # blocks before the first null
            self.validity.append(np.ones(missing, np.bool_))
            self.validity.append(~block.is_null)
        self.ends.append(block.offsets[1:] + len(self.data))
        self.data.append(block.data)

    def column(self) -> TextColumn:
        ends = self.ends.finish()
        offsets = np.concatenate([np.zeros(1, np.int64), ends])
        validity = self.validity.finish() if len(self.validity) else None
        return TextColumn._trusted(self.data.finish(), offsets, validity)
