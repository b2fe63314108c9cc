"""The exception tree: who is whose child, what each prints, what survives a process border."""

import copy
import pickle

import pytest

from txtfp_np import errors
from txtfp_np.errors import (
    ConfigError,
    DimensionMismatchError,
    EmptyEmbeddingError,
    FeatureDisabledError,
    HttpError,
    InvalidInputError,
    ModelMismatchError,
    OnnxError,
    SchemaMismatchError,
    TokenizerError,
    TxtfpError,
)

# class, other base, how to make one, the text the Rust crate prints (the last: ours, see test_feature_disabled)
TREE = [
    (InvalidInputError, ValueError, ("empty document",), "invalid input: empty document"),
    (ConfigError, ValueError, ("h must be >= 1",), "config error: h must be >= 1"),
    (ModelMismatchError, ValueError, ("m1", "m2"), "model id mismatch: a = m1, b = m2"),
    (DimensionMismatchError, ValueError, (3, 4), "dimension mismatch: a = 3, b = 4"),
    (SchemaMismatchError, ValueError, (1, 2), "schema version mismatch: expected 1, got 2"),
    (TokenizerError, None, ("gave an int",), "tokenizer error: gave an int"),
    (OnnxError, None, ("no such file",), "onnx error: no such file"),
    (HttpError, None, ("status 503",), "http error: status 503"),
    (EmptyEmbeddingError, None, (), "provider returned no embeddings"),
    (FeatureDisabledError, ImportError, ("arrow",), 'feature `arrow` is not installed: pip install "txtfp-np[arrow]"'),
]
every_error = pytest.mark.parametrize(("cls", "base", "given", "text"), TREE, ids=[row[0].__name__ for row in TREE])


def test_the_tree_is_complete():
    public = {
        value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception) and not name.startswith("_")
    }
    assert public == {row[0] for row in TREE} | {TxtfpError}
    assert errors.Error is TxtfpError


def test_the_drawing_names_every_class():
    for cls, *_ in TREE:
        assert cls.__name__ in errors.__doc__


@every_error
def test_bases(cls, base, given, text):
    assert issubclass(cls, TxtfpError)
    for other in (ValueError, ImportError):
        assert issubclass(cls, other) == (other is base)
    assert not issubclass(cls, OSError)


@every_error
def test_text_of_one_document(cls, base, given, text):
    error = cls(*given)
    assert str(error) == text
    assert error.row is None
    assert error.argument is None
    assert not hasattr(error, "__notes__")


@every_error
def test_text_of_a_column_names_the_row(cls, base, given, text):
    error = cls(*given, row=17, argument="texts")
    assert str(error) == f"{text} (row 17)"
    assert (error.row, error.argument) == (17, "texts")
    assert str(cls(*given, row=0)) == f"{text} (row 0)"


@every_error
def test_advice_is_a_note_and_not_text(cls, base, given, text):
    error = cls(*given, advice="try the other door")
    assert str(error) == text
    assert error.advice == "try the other door"
    assert error.__notes__ == ["try the other door"]


@every_error
def test_at_row(cls, base, given, text):
    error = cls(*given, argument="texts")
    assert error.at_row(3) is error
    assert str(error) == f"{text} (row 3)"
    assert error.argument == "texts"
    assert error.at_row(4, "other").argument == "other"


@every_error
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_round_trip(cls, base, given, text, protocol):
    error = cls(*given, row=5, argument="texts", advice="look at row 5")
    error.add_note("added later")
    back = pickle.loads(pickle.dumps(error, protocol))
    assert type(back) is cls
    assert str(back) == str(error)
    assert back.args == error.args
    assert vars(back) == vars(error)
    assert back.__notes__ == ["look at row 5", "added later"]


@every_error
def test_copy(cls, base, given, text):
    error = cls(*given, row=5)
    assert str(copy.copy(error)) == str(error)
    assert str(copy.deepcopy(error)) == str(error)


@every_error
def test_catching_the_base_catches_it(cls, base, given, text):
    with pytest.raises(TxtfpError) as caught:
        raise cls(*given)
    assert type(caught.value) is cls


def test_disagreements_carry_both_values():
    assert (ModelMismatchError("m1", "m2").a, ModelMismatchError("m1", "m2").b) == ("m1", "m2")
    assert (DimensionMismatchError(a=3, b=4).a, DimensionMismatchError(a=3, b=4).b) == (3, 4)
    error = SchemaMismatchError(expected=1, actual=2)
    assert (error.expected, error.actual) == (1, 2)


def test_feature_disabled_names_the_pip_line():
    # The crate speaks of compile time here; a Python user needs the line to type.
    error = FeatureDisabledError("arrow")
    assert error.feature == "arrow"
    assert 'pip install "txtfp-np[arrow]"' in str(error)


def test_message_with_braces_is_taken_as_it_is():
    assert str(ConfigError("got {x}")) == "config error: got {x}"
    assert str(ModelMismatchError("{0}", "{b}")) == "model id mismatch: a = {0}, b = {b}"
