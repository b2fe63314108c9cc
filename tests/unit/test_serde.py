"""JSON: the text that the crate writes, and what its reader accepts or refuses."""

import json

import numpy as np
import pytest

from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.schema import Embedding, as_signatures, empty_signature, from_json, to_json

MAX = 2**64 - 1


def refusal(text, **options):
    with pytest.raises(InvalidInputError) as caught:
        from_json(text, **options)
    assert caught.value.argument == "text"
    return str(caught.value).removeprefix("invalid input: ")


# ── MinHash ─────────────────────────────────────────────────────────────────────────────────────
def test_minhash_round_trip():
    sigs = as_signatures(np.array([[1, 0, MAX], [1, 5, 6]], np.uint64), 2)
    assert to_json(sigs[0]) == '{"schema":1,"hashes":[0,18446744073709551615]}'
    assert to_json(sigs) == '[{"schema":1,"hashes":[0,18446744073709551615]},{"schema":1,"hashes":[5,6]}]'
    one = from_json(to_json(sigs[0]), h=2)
    assert isinstance(one, np.void)
    assert one.tobytes() == sigs[0].tobytes()
    many = from_json(to_json(sigs), h=2)
    assert many.dtype == sigs.dtype
    assert many.tobytes() == sigs.tobytes()


def test_minhash_of_the_default_size():
    sig = empty_signature(128)
    assert from_json(to_json(sig)) == sig
    assert from_json(to_json(sig).encode()) == sig


def test_minhash_arrays_of_other_layouts():
    sigs = as_signatures(np.arange(12, dtype=np.uint64).reshape(4, 3) * 0 + np.array([1, 7, 8], np.uint64), 2)
    swapped = sigs.astype(sigs.dtype.newbyteorder())
    assert to_json(swapped) == to_json(sigs)
    assert to_json(sigs[::2]) == to_json(sigs[:2])
    assert to_json(sigs[:0]) == "[]"
    assert from_json("[]", h=2).shape == (0,)


def test_padding_is_left_out_and_zero_when_read():
    sig = empty_signature(1)
    sig["_pad"] = 9
    assert to_json(sig) == '{"schema":1,"hashes":[18446744073709551615]}'
    assert from_json(to_json(sig), h=1) == empty_signature(1)


@pytest.mark.parametrize("schema", [0, 1, 7, 65535])
def test_any_schema_is_accepted(schema):
    text = f'{{"schema":{schema},"hashes":[1]}}'
    assert from_json(text, h=1)["schema"] == schema
    assert to_json(from_json(text, h=1)) == text


def test_accepted_forms():
    plain = from_json('{"schema":1,"hashes":[3,4]}', h=2)
    for text in (
        ' { "hashes" : [ 3 , 4 ] ,\n\t"schema" : 1 } ',
        '{"schema":9,"hashes":[8,8],"hashes":[3,4],"schema":1}',
        '{"sch\\u0065ma":1,"hashes":[3,4]}',
    ):
        assert from_json(text, h=2) == plain


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"schema":1}', "missing field `hashes`"),
        ('{"hashes":[1,2]}', "missing field `schema`"),
        ("{}", "missing field `schema`"),
        ('{"schema":1,"hashes":[1,2],"x":3}', "unknown field `x`, expected `schema` or `hashes`"),
        ('{"_pad":0,"schema":1,"hashes":[1,2]}', "unknown field `_pad`, expected `schema` or `hashes`"),
        ('{"Schema":1}', "unknown field `Schema`, expected `schema` or `hashes`"),
        ('{"schema":1,"hashes":[]}', "invalid length 0, expected an array of exactly 2 u64 hash slots"),
        ('{"schema":1,"hashes":[1]}', "invalid length 1, expected an array of exactly 2 u64 hash slots"),
        ('{"schema":1,"hashes":[1,2,3]}', "invalid length 3, expected an array of exactly 2 u64 hash slots"),
        ('{"schema":1,"hashes":[1,2,3,4]}', "invalid length 3, expected an array of exactly 2 u64 hash slots"),
        ('{"schema":1,"hashes":[1,2,"x"]}', 'invalid type: string "x", expected u64'),
        ('{"schema":1,"hashes":[-1,2]}', "invalid value: integer `-1`, expected u64"),
        ('{"schema":1,"hashes":[1.0,2]}', "invalid type: floating point `1.0`, expected u64"),
        ('{"schema":1,"hashes":[1e2,2]}', "invalid type: floating point `100.0`, expected u64"),
        ('{"schema":1,"hashes":[-0,2]}', "invalid type: floating point `-0.0`, expected u64"),
        (
            '{"schema":1,"hashes":[18446744073709551616,2]}',
            "invalid type: floating point `1.8446744073709552e19`, expected u64",
        ),
        ('{"schema":1,"hashes":[true,2]}', "invalid type: boolean `true`, expected u64"),
        ('{"schema":1,"hashes":[null,2]}', "invalid type: null, expected u64"),
        ('{"schema":1,"hashes":["1",2]}', 'invalid type: string "1", expected u64'),
        ('{"schema":1,"hashes":[[1],2]}', "invalid type: sequence, expected u64"),
        ('{"schema":1,"hashes":[{},2]}', "invalid type: map, expected u64"),
        ('{"schema":1,"hashes":3}', "invalid type: integer `3`, expected an array of exactly 2 u64 hash slots"),
        ('{"schema":1,"hashes":{}}', "invalid type: map, expected an array of exactly 2 u64 hash slots"),
        ('{"schema":1,"hashes":null}', "invalid type: null, expected an array of exactly 2 u64 hash slots"),
        ('{"schema":65536,"hashes":[1,2]}', "invalid value: integer `65536`, expected u16"),
        ('{"schema":-1,"hashes":[1,2]}', "invalid value: integer `-1`, expected u16"),
        ('{"schema":1.5,"hashes":[1,2]}', "invalid type: floating point `1.5`, expected u16"),
        ('{"schema":false,"hashes":[1,2]}', "invalid type: boolean `false`, expected u16"),
        ('{"schema":"1","hashes":[1,2]}', 'invalid type: string "1", expected u16'),
        # an earlier value of a repeated key is looked at, too
        ('{"schema":-1,"schema":1,"hashes":[1,2]}', "invalid value: integer `-1`, expected u16"),
        ("7", "invalid type: integer `7`, expected a MinHashSig<2> struct"),
        ("null", "invalid type: null, expected a MinHashSig<2> struct"),
        ('"x"', 'invalid type: string "x", expected a MinHashSig<2> struct'),
    ],
)
def test_minhash_refusals(text, message):
    assert refusal(text, h=2) == message


def test_the_array_form_of_one_signature_is_refused():
    assert refusal("[1,[1,2]]", h=2) == "invalid type: integer `1`, expected a MinHashSig<2> struct (row 0)"


def test_refusals_in_an_array_name_the_row():
    message = refusal('[{"schema":1,"hashes":[1]},{"schema":1}]', h=1)
    assert message == "missing field `hashes` (row 1)"


@pytest.mark.parametrize(
    "text", ["", "{", '{"schema":1,}', "[1,2", "{'schema':1}", "NaN", "Infinity", "-Infinity", "1 2", "\ufeff1", "01"]
)
@pytest.mark.parametrize("kind", ["minhash", "simhash", "embedding"])
def test_what_is_not_json(text, kind):
    assert refusal(text, kind=kind).startswith("not JSON")


def test_other_refusals():
    assert refusal(b"\xff") == "not JSON: invalid UTF-8 at byte 0"
    assert refusal("1e400", kind="simhash") == "number out of range"
    assert refusal("9" * 5000, kind="simhash") == "number out of range"
    assert refusal("[" * 100_000) == "recursion limit exceeded"
    assert refusal(7) == "JSON must be a str or bytes, got int"


@pytest.mark.parametrize("kind", ["tlsh", None, 7])
def test_kind_is_checked(kind):
    with pytest.raises(ConfigError, match="kind must be 'minhash', 'simhash' or 'embedding', got"):
        from_json("1", kind=kind)


# ── SimHash ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("value", [0, 7, MAX])
def test_simhash_round_trip(value):
    assert to_json(value) == to_json(np.uint64(value)) == to_json(np.array(value, np.uint64)) == str(value)
    back = from_json(str(value), kind="simhash")
    assert back == value
    assert isinstance(back, np.uint64)


def test_simhash_array_round_trip():
    values = np.array([0, 7, MAX], np.uint64)
    back = from_json(to_json(values), kind="simhash")
    assert back.dtype == np.uint64
    np.testing.assert_array_equal(back, values)
    assert from_json("[]", kind="simhash").dtype == np.uint64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-1", "invalid value: integer `-1`, expected u64"),
        ("1.5", "invalid type: floating point `1.5`, expected u64"),
        ("true", "invalid type: boolean `true`, expected u64"),
        ("null", "invalid type: null, expected u64"),
        ("{}", "invalid type: map, expected u64"),
        ("[1,-2]", "invalid value: integer `-2`, expected u64 (row 1)"),
    ],
)
def test_simhash_refusals(text, message):
    assert refusal(text, kind="simhash") == message


# ── embedding ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1.0"),
        (0, "0.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (-2.5, "-2.5"),
        (16777216, "16777216.0"),
        (123456790, "123456790.0"),
        (1e12, "1000000000000.0"),
        (1e13, "1e13"),
        (1.5e13, "1.5e13"),
        (1e-5, "0.00001"),
        (1e-6, "0.000001"),
        (1.25e-6, "0.00000125"),
        (1e-7, "1e-7"),
        (1.25e-7, "1.25e-7"),
        (3.4028235e38, "3.4028235e38"),
        (1e-45, "1e-45"),
    ],
)
def test_numbers_are_written_as_rust_does(value, text):
    assert to_json(Embedding([value])) == f'{{"vector":[{text}],"model_id":null}}'
    back = from_json(to_json(Embedding([value])), kind="embedding")
    assert back.vector.tobytes() == np.float32(value).tobytes()


def test_embedding_round_trip():
    vector = np.random.default_rng(0).standard_normal(100).astype(np.float32)
    embedding = Embedding(vector, model_id='a "b" é\n😀')
    assert '"model_id":"a \\"b\\" é\\n😀"}' in to_json(embedding)
    assert from_json(to_json(embedding), kind="embedding") == embedding
    assert list(json.loads(to_json(embedding))) == ["vector", "model_id"]


@pytest.mark.parametrize(
    ("text", "vector", "model"),
    [
        ('{"vector":[1,2.5]}', [1, 2.5], None),
        ('{"vector":[1],"model_id":null}', [1], None),
        ('{"model_id":"m","vector":[1],"more":{"x":[]}}', [1], "m"),
        ('{"vector":[]}', [], None),  # the derived reader checks nothing
        ('{"vector":[1e39,-1e39]}', [np.inf, -np.inf], None),
        ('{"vector":[18446744073709551615]}', [2**64], None),
        ('[[1,2],"m"]', [1, 2], "m"),
        ("[[1,2],null]", [1, 2], None),
    ],
)
def test_accepted_embeddings(text, vector, model):
    embedding = from_json(text, kind="embedding")
    assert embedding.vector.dtype == np.float32
    assert embedding.vector.tolist() == vector
    assert embedding.model_id == model


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "missing field `vector`"),
        ('{"model_id":"m"}', "missing field `vector`"),
        ('{"vector":[1],"vector":[1]}', "duplicate field `vector`"),
        ('{"vector":[1],"model_id":"a","model_id":"b"}', "duplicate field `model_id`"),
        ('{"vector":[true]}', "invalid type: boolean `true`, expected f32"),
        ('{"vector":["1"]}', 'invalid type: string "1", expected f32'),
        ('{"vector":[null]}', "invalid type: null, expected f32"),
        ('{"vector":1}', "invalid type: integer `1`, expected a sequence"),
        ('{"vector":[1],"model_id":1}', "invalid type: integer `1`, expected a string"),
        ('{"vector":[1],"model_id":"\\ud800"}', "lone surrogate in a string"),
        ("7", "invalid type: integer `7`, expected struct Embedding"),
        ("[[1]]", "invalid length 1, expected struct Embedding with 2 elements"),
        ("[]", "invalid length 0, expected struct Embedding with 2 elements"),
        ('[[1],"m",3]', "trailing characters"),
    ],
)
def test_embedding_refusals(text, message):
    assert refusal(text, kind="embedding") == message


# ── writing ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "value",
    [
        None,
        "x",
        1.5,
        True,
        -1,
        2**64,
        [1],
        np.zeros(2),
        np.zeros((2, 2), np.uint64),
        np.zeros(2, np.int64),
        np.bool_(1),
    ],
    ids=repr,
)
def test_what_cannot_be_written(value):
    with pytest.raises(InvalidInputError):
        to_json(value)


def test_vectors_that_bypassed_the_checks_are_written_as_the_crate_does():
    assert to_json(from_json('{"vector":[1e39,1]}', kind="embedding")) == '{"vector":[null,1.0],"model_id":null}'
