"""Recognises recordings with openai-whisper and the weights of a CTranslate2 folder, for comparison.

    python3 openai_peer.py CTRANSLATE2_FOLDER SIZE LANGUAGE BEAM RECORDING ...

Prints what peer.py prints. The weights are 16-bit floats, computed here in 32 bits on two threads. Needs
openai-whisper, and with it PyTorch, whose package brings several gigabytes for graphics cards.
"""

import sys
import time
from pathlib import Path

import torch
import whisper
from ctranslate2_weights import read_variables
from heard import print_heard
from whisper.model import ModelDimensions, Whisper


def state_of(folder: Path) -> tuple[ModelDimensions, dict[str, torch.Tensor]]:
    """The dimensions and weights of a CTranslate2 model under the names that openai-whisper gives them."""
    from_file = read_variables(folder / "model.bin")
    get = lambda name: torch.from_numpy(from_file[name].astype("float32"))  # noqa: E731
    state: dict[str, torch.Tensor] = {}

    def linear(ours: str, name: str) -> None:
        state[f"{ours}.weight"], state[f"{ours}.bias"] = get(f"{name}/weight"), get(f"{name}/bias")

    def norm(ours: str, name: str) -> None:
        state[f"{ours}.weight"], state[f"{ours}.bias"] = get(f"{name}/gamma"), get(f"{name}/beta")

    def parts(names: list[str], name: str) -> None:
        """Layers that CTranslate2 stores as one; openai-whisper's keys have no bias."""
        for ours, weight, bias in zip(names, get(f"{name}/weight").chunk(len(names)), get(f"{name}/bias").chunk(len(names))):
            state[f"{ours}.weight"] = weight.clone()
            if not ours.endswith(".key"):
                state[f"{ours}.bias"] = bias.clone()

    def block(ours: str, at: str, crosses: bool) -> None:
        norm(f"{ours}.attn_ln", f"{at}/self_attention/layer_norm")
        parts([f"{ours}.attn.{part}" for part in ("query", "key", "value")], f"{at}/self_attention/linear_0")
        linear(f"{ours}.attn.out", f"{at}/self_attention/linear_1")
        if crosses:
            norm(f"{ours}.cross_attn_ln", f"{at}/attention/layer_norm")
            linear(f"{ours}.cross_attn.query", f"{at}/attention/linear_0")
            parts([f"{ours}.cross_attn.{part}" for part in ("key", "value")], f"{at}/attention/linear_1")
            linear(f"{ours}.cross_attn.out", f"{at}/attention/linear_2")
        norm(f"{ours}.mlp_ln", f"{at}/ffn/layer_norm")
        linear(f"{ours}.mlp.0", f"{at}/ffn/linear_0")
        linear(f"{ours}.mlp.2", f"{at}/ffn/linear_1")

    count = {side: sum(f"{side}/layer_{at}/ffn/linear_0/weight" in from_file for at in range(64)) for side in ("encoder", "decoder")}
    for conv in ("conv1", "conv2"):
        linear(f"encoder.{conv}", f"encoder/{conv}")
    state["encoder.positional_embedding"] = get("encoder/position_encodings/encodings")
    state["decoder.positional_embedding"] = get("decoder/position_encodings/encodings")
    state["decoder.token_embedding.weight"] = get("decoder/embeddings/weight")
    norm("encoder.ln_post", "encoder/layer_norm")
    norm("decoder.ln", "decoder/layer_norm")
    for side, layers in count.items():
        for at in range(layers):
            block(f"{side}.blocks.{at}", f"{side}/layer_{at}", side == "decoder")
    width = state["encoder.ln_post.weight"].shape[0]
    dimensions = ModelDimensions(
        n_mels=state["encoder.conv1.weight"].shape[1],
        n_audio_ctx=state["encoder.positional_embedding"].shape[0],
        n_audio_state=width,
        n_audio_head=int(from_file["encoder/num_heads"]),
        n_audio_layer=count["encoder"],
        n_vocab=state["decoder.token_embedding.weight"].shape[0],
        n_text_ctx=state["decoder.positional_embedding"].shape[0],
        n_text_state=width,
        n_text_head=int(from_file["decoder/num_heads"]),
        n_text_layer=count["decoder"],
    )
    return dimensions, state


folder, size, language, beam, *recordings = sys.argv[1:]
torch.set_num_threads(2)
dimensions, state = state_of(Path(folder))
model = Whisper(dimensions)
model.load_state_dict(state)
model.eval()
model.set_alignment_heads(whisper._ALIGNMENT_HEADS[size])
for recording in recordings:
    began = time.monotonic()
    heard = model.transcribe(
        recording, language=language, beam_size=None if beam == "1" else int(beam), word_timestamps=True, fp16=False
    )
    words = [
        {"text": word["word"].strip(), "start": float(word["start"]), "end": float(word["end"])}
        for segment in heard["segments"]
        for word in segment["words"]
    ]
    print_heard(words, began)
