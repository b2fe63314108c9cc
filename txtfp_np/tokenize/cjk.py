"""Words of Chinese, Japanese and Korean, by dictionaries. The engines come with the extra ``cjk``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from typing import Any

from ..errors import ConfigError, FeatureDisabledError, TokenizerError
from ..options import check_choice, check_flag
from .callables import _PythonTokenizer


class CjkSegmenter(StrEnum):
    """Engines: Chinese, Japanese, Korean."""

    JIEBA = "jieba"
    MECAB_IPADIC = "mecab-ipadic"
    KIWI = "kiwi"


_MODULES = {
    CjkSegmenter.JIEBA: ("rjieba",),
    CjkSegmenter.MECAB_IPADIC: ("fugashi", "ipadic"),
    CjkSegmenter.KIWI: ("kiwipiepy", "kiwipiepy_model"),
}

Split = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class CjkTokenizer(_PythonTokenizer):
    """Words of a language that is written without spaces, or with suffixes: by a dictionary.

    Parameters
    ----------
    segmenter : {"jieba", "mecab-ipadic", "kiwi"}
        ``"jieba"``: Chinese. ``"mecab-ipadic"``: Japanese, surface forms. ``"kiwi"``: Korean, morphemes in
        their dictionary spelling.
    hmm : bool
        With ``"jieba"``: whether words that are not in the dictionary are guessed.

    Raises
    ------
    FeatureDisabledError
        If the engine is not installed; nothing else is ever used in its place.

    Notes
    -----
    Segments of nothing but white space are dropped; unlike with :class:`WordTokenizer`, punctuation is
    kept. With ``"jieba"`` tokens are those of the Rust crate. The dictionary is loaded at the first text,
    once a process: jieba a fraction of a second, mecab less, kiwi some seconds. Documents run one after
    another; several threads may share one tokenizer.

    Kiwi's models are not frozen, so its name holds their version: another version is another tokenizer.

    Examples
    --------
    >>> tokenizer = CjkTokenizer("jieba")
    >>> tokenizer.tokens("我们中出了一个叛徒。")
    ['我们', '中', '出', '了', '一个', '叛徒', '。']
    >>> tokenizer.name, CjkTokenizer("jieba", hmm=True).name
    ('cjk-jieba', 'cjk-jieba-hmm')
    """

    segmenter: CjkSegmenter | str = CjkSegmenter.JIEBA
    hmm: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "segmenter", check_choice("segmenter", self.segmenter, CjkSegmenter))
        check_flag("hmm", self.hmm)
        if self.hmm and self.segmenter != CjkSegmenter.JIEBA:
            raise ConfigError(f"hmm=True goes with 'jieba' only, got {str(self.segmenter)!r}", argument="hmm")
        if any(find_spec(module) is None for module in _MODULES[CjkSegmenter(self.segmenter)]):
            raise FeatureDisabledError("cjk")

    @property
    def name(self) -> str:
        """``'cjk-jieba'``, ``'cjk-jieba-hmm'``, ``'cjk-mecab-ipadic'``, ``'cjk-kiwi-<version of its models>'``."""
        if self.segmenter == CjkSegmenter.KIWI:
            return f"cjk-kiwi-{_kiwi_version()}"
        return f"cjk-{self.segmenter}{'-hmm' if self.hmm else ''}"

    def _split(self, text: str) -> Iterable[str]:
        return _engine(CjkSegmenter(self.segmenter), self.hmm)(text)


_loading = threading.Lock()
_engines: dict[tuple[CjkSegmenter, bool], Split] = {}


def _engine(segmenter: CjkSegmenter, hmm: bool) -> Split:
    engine = _engines.get((segmenter, hmm))
    if engine is None:
        with _loading:  # two threads must not load the same dictionary
            engine = _engines.get((segmenter, hmm))
            if engine is None:
                try:
                    engine = _jieba(hmm) if segmenter == CjkSegmenter.JIEBA else _LOADERS[segmenter]()
                except ImportError as error:
                    raise FeatureDisabledError("cjk") from error
                _engines[segmenter, hmm] = engine
    return engine


@cache
def _jieba_dictionary() -> Any:
    import rjieba

    return rjieba.Jieba()


# What the crate's jieba makes of these with its model of unknown words; rjieba 0.2.2 leaves them whole.
_PROBE, _PROBED = "forty-two v1.2 我们", ["forty", "-", "two", " ", "v1.2", " ", "我们"]


def _check_jieba(segments: list[str]) -> None:
    if segments != _PROBED:
        from importlib.metadata import version

        raise TokenizerError(
            f"rjieba {version('rjieba')} splits otherwise than the crate's jieba does with hmm=True",
            advice='pip install "rjieba<0.2.2"',
        )


def _jieba(hmm: bool) -> Split:
    cut = _jieba_dictionary().cut
    if hmm:
        _check_jieba(cut(_PROBE, True))

    def split(text: str) -> list[str]:
        return [segment for segment in cut(text, hmm) if segment.strip()]

    return split


_MAX_LINE = 50_000  # characters; of 200,000, MeCab ends the process


def _mecab() -> Split:
    import fugashi
    import ipadic

    tagger, running = fugashi.GenericTagger(ipadic.MECAB_ARGS), threading.Lock()

    def split(text: str) -> list[str]:
        # Line by line: the lattice takes about a kilobyte a character. NUL ends a text for MeCab.
        lines = [part for line in text.split("\n") for part in line.split("\0") if part and not part.isspace()]
        with running:  # a tagger holds the lattice of the text that it is at
            return [
                node.surface for line in lines for part in _parts(line) for node in tagger(part) if node.surface.strip()
            ]

    return split


def _parts(line: str) -> Iterable[str]:
    """Of a line that MeCab would crash on, cut after a sentence where there is one."""
    begin = 0
    while len(line) - begin > _MAX_LINE:
        end = line.rfind("。", begin, begin + _MAX_LINE) + 1 or begin + _MAX_LINE
        yield line[begin:end]
        begin = end
    yield line[begin:]


def _kiwi() -> Split:
    import kiwipiepy

    kiwi, running = kiwipiepy.Kiwi(num_workers=1), threading.Lock()

    def split(text: str) -> list[str]:
        with running:
            return [token.form for token in kiwi.tokenize(text) if token.form.strip()]

    return split


_LOADERS = {CjkSegmenter.MECAB_IPADIC: _mecab, CjkSegmenter.KIWI: _kiwi}


@cache
def _kiwi_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("kiwipiepy_model")
    except PackageNotFoundError as error:
        raise FeatureDisabledError("cjk") from error
