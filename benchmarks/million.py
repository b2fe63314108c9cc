"""Files of a million documents: time and memory of dedup_files beside other ways to the same end.

The documents are made of sentences of the corpora, drawn at random: seven of ten are new, one is a copy of an
earlier one, two are edits of one (a few words in a hundred changed). One new document of twenty begins with one of
fifty boilerplates. The same seed gives the same bytes.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

DOCUMENTS = 1_000_000
SEED = 1

_SENTENCES = (4, 24)  # of a document
_WORDS = (8, 30)  # of a sentence that is used
_COPIES, _EDITS, _BOILERPLATE = 0.1, 0.2, 0.05
_CHANGED = (0.005, 0.08)  # share of the words of an edit
_RECENT = 100_000  # documents that copies and edits are made of


def sentences(texts: Sequence[str]) -> list[str]:
    """What texts consist of, cut where a sentence may end, or after so many words."""
    found: dict[str, None] = {}
    for text in texts:
        for part in re.split(r"(?<=[.!?;:])\s+|\n+", text):
            words = part.split()
            for first in range(0, len(words), _WORDS[1]):
                some = words[first : first + _WORDS[1]]
                if len(some) >= _WORDS[0]:
                    found[" ".join(some)] = None
    return list(found)


def documents(texts: Sequence[str], n: int = DOCUMENTS, seed: int = SEED) -> Iterator[str]:
    """The documents, one after another."""
    rng = random.Random(seed)
    pool = sentences(texts)
    words = list(dict.fromkeys(word for sentence in pool[:20_000] for word in sentence.split()))
    boilerplates = [" ".join(rng.choices(pool, k=3)) for _ in range(50)]
    recent: list[str] = []
    for number in range(n):
        kind = rng.random()
        if not recent or kind >= _COPIES + _EDITS:
            text = " ".join(rng.choices(pool, k=rng.randint(*_SENTENCES)))
            if rng.random() < _BOILERPLATE:
                text = f"{rng.choice(boilerplates)} {text}"
        elif kind < _COPIES:
            text = rng.choice(recent)
        else:
            text = _edited(rng.choice(recent), words, rng)
        if len(recent) < _RECENT:
            recent.append(text)
        else:
            recent[number % _RECENT] = text
        yield text


def _edited(text: str, words: Sequence[str], rng: random.Random) -> str:
    own = text.split(" ")
    for _ in range(max(1, round(len(own) * rng.uniform(*_CHANGED)))):
        place = rng.randrange(len(own))
        kind = rng.random()
        if kind < 0.6:
            own[place] = rng.choice(words)
        elif kind < 0.8:
            own.insert(place, rng.choice(words))
        elif len(own) > 1:
            del own[place]
    return " ".join(own)


def write_jsonl(path: Path, texts: Iterator[str]) -> int:
    """A line a document, with its number as ``id``; bytes written."""
    size = 0
    with path.open("w", encoding="utf-8", buffering=1 << 20) as file:
        for number, text in enumerate(texts):
            line = json.dumps({"id": number, "text": text}, ensure_ascii=False)
            size += len(line) + 1
            file.write(line + "\n")
    return size
