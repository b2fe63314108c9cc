"""A small encoder in ONNX form with a real tokenizer, made anew for the tests, and the same encoder in NumPy."""

import numpy as np

TEXT = "the a ferry left harbour gulls little after six lamps query passage : captain used to say more words"
WORDS = TEXT.split()
DIM = 8
N_POSITIONS = 12  # that a graph with position_ids knows


def write_tokenizer(path, special=True, words=WORDS):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words, "##s", "##ing", "sing"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
        )
    tokenizer.enable_padding(pad_id=0, length=16)  # as files on the hub have it; it must not be used
    tokenizer.save(str(path))
    return len(tokens)


def weights(vocabulary):
    generator = np.random.default_rng(11)
    return (
        generator.normal(size=(vocabulary, DIM)).astype(np.float32),
        generator.normal(size=(2, DIM)).astype(np.float32),
        generator.normal(size=(DIM, DIM)).astype(np.float32),
    )


def position_vectors():
    return np.random.default_rng(12).normal(size=(N_POSITIONS, DIM)).astype(np.float32)


def write_graph(
    path,
    vocabulary,
    *,
    output="last_hidden_state",
    rank=3,
    inputs=("input_ids", "attention_mask", "token_type_ids"),
    kind="INT64",
    fp16=False,
    symbolic=False,
    extra_output=None,
):
    """Word and type vectors, one layer of attention that obeys the mask; a vector a token, or their masked sum."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    words, types, projection = weights(vocabulary)
    integer = getattr(TensorProto, kind)
    nodes = [helper.make_node("Gather", ["words", "input_ids"], ["word_vectors"])]
    hidden = "word_vectors"
    if "token_type_ids" in inputs:
        nodes.append(helper.make_node("Gather", ["types", "token_type_ids"], ["type_vectors"]))
        nodes.append(helper.make_node("Add", [hidden, "type_vectors"], ["summed"]))
        hidden = "summed"
    if "position_ids" in inputs:
        nodes.append(helper.make_node("Gather", ["positions", "position_ids"], ["position_vectors"]))
        nodes.append(helper.make_node("Add", [hidden, "position_vectors"], ["placed"]))
        hidden = "placed"
    nodes += [
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", [hidden, "projection"], ["keys"]),
        helper.make_node("Transpose", ["keys"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("MatMul", [hidden, "turned"], ["scores"]),
        helper.make_node("Sub", ["one", "mask"], ["masked"]),
        helper.make_node("Mul", ["masked", "far"], ["penalty"]),
        helper.make_node("Unsqueeze", ["penalty", "axis"], ["penalties"]),
        helper.make_node("Add", ["scores", "penalties"], ["allowed"]),
        helper.make_node("Softmax", ["allowed"], ["attention"], axis=-1),
        helper.make_node("MatMul", ["attention", hidden], ["attended"]),
    ]
    last = "attended"
    if rank == 2:
        nodes.append(helper.make_node("Unsqueeze", ["mask", "minus"], ["column"]))
        nodes.append(helper.make_node("Mul", [last, "column"], ["kept"]))
        nodes.append(helper.make_node("ReduceSum", ["kept", "axis"], ["text_vectors"], keepdims=0))
        last = "text_vectors"
    float_type = TensorProto.FLOAT16 if fp16 else TensorProto.FLOAT
    nodes.append(helper.make_node("Cast", [last], [output], to=float_type))
    width = "width" if symbolic else DIM
    shape = ["batch", "length", width] if rank == 3 else ["batch", width]
    outputs = [helper.make_tensor_value_info(output, float_type, shape)]
    if extra_output:
        nodes.append(helper.make_node("Cast", ["attended"], [extra_output], to=TensorProto.FLOAT))
        first = helper.make_tensor_value_info(extra_output, TensorProto.FLOAT, ["batch", "length", DIM])
        outputs.insert(0, first)
    constants = {
        "words": words,
        "types": types,
        "projection": projection,
        "one": np.float32(1),
        "far": np.float32(-1e9),
        "axis": np.array([1], np.int64),
        "minus": np.array([-1], np.int64),
    }
    if "position_ids" in inputs:
        constants["positions"] = position_vectors()
    graph = helper.make_graph(
        nodes,
        "encoder",
        [helper.make_tensor_value_info(name, integer, ["batch", "length"]) for name in inputs],
        outputs,
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))


def encode(ids, vocabulary, positions=False):
    """The vectors of one text's tokens, without any padding."""
    words, types, projection = (array.astype(np.float64) for array in weights(vocabulary))
    hidden = words[ids] + types[0] + (position_vectors()[: len(ids)] if positions else 0)
    scores = hidden @ (hidden @ projection).T
    attention = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return attention / attention.sum(axis=-1, keepdims=True) @ hidden
