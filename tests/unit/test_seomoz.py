"""The text hash of seomoz' first generation against a plain-Python one."""

import numpy as np
import pytest
from oracles import seomoz as oracle

from txtfp_np.errors import InvalidInputError
from txtfp_np.sketch.seomoz import seomoz_simhash

TEXTS = [
    "",
    "1234 !? ",
    "a",
    "one two",
    "Zebra @[`{ azAZ",
    "Straße naïve 漢字 x" * 5,
    "abcdefghijkl abcdefghijklm abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM",
    "no end of words " * 100,
]


def test_matches_the_oracle():
    assert seomoz_simhash(TEXTS).tolist() == [oracle.simhash(text) for text in TEXTS]


@pytest.mark.parametrize("length", range(40))
def test_every_length_of_a_token(length):
    assert int(seomoz_simhash("q" * length)) == oracle.simhash("q" * length)


def test_one_document_is_a_row_of_a_column():
    result = seomoz_simhash(TEXTS[-1])
    assert isinstance(result, np.uint64)
    assert result == seomoz_simhash(TEXTS)[-1] == seomoz_simhash(TEXTS[-1].encode())


def test_columns():
    assert seomoz_simhash([]).dtype == np.uint64
    assert seomoz_simhash(["a", None]).tolist() == [oracle.simhash("a"), 0]
    assert np.array_equal(seomoz_simhash(iter(TEXTS), threads=3), seomoz_simhash(TEXTS, threads=1))


def test_invalid_bytes():
    with pytest.raises(InvalidInputError, match="UTF-8"):
        seomoz_simhash(b"\xff a")
    assert seomoz_simhash(b"\xff a", errors="replace") == seomoz_simhash("a")
