"""Reads the weights of a Whisper model from CTranslate2's file.

The format is that of CTranslate2's python/ctranslate2/specs/model_spec.py, `_serialize`: version 6.
"""

import struct
from pathlib import Path

import numpy as np

DTYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}


def read_variables(path: Path) -> dict[str, np.ndarray]:
    """The variables of a CTranslate2 model by name, as float32; exits if the format is unknown."""
    data = path.read_bytes()
    at = 0

    def take(form: str):
        nonlocal at
        (value,) = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return value

    def text() -> str:
        nonlocal at
        length = take("H")
        value = data[at : at + length - 1].decode()
        at += length
        return value

    version, spec, _revision = take("I"), text(), take("I")
    if version != 6 or spec != "WhisperSpec":
        raise SystemExit(f"{path}: version {version} of {spec}; this program reads version 6 of WhisperSpec")
    variables: dict[str, np.ndarray] = {}
    for _ in range(take("I")):
        name = text()
        shape = [take("I") for _ in range(take("B"))]
        dtype, size = take("B"), take("I")
        if dtype not in DTYPES:
            raise SystemExit(f"{path}: {name} has the unknown type {dtype}")
        variables[name] = np.frombuffer(data, DTYPES[dtype], size // np.dtype(DTYPES[dtype]).itemsize, at).reshape(shape)
        at += size
    for _ in range(take("I")):
        alias = text()
        variables[alias] = variables[text()]
    if at != len(data):
        raise SystemExit(f"{path}: {len(data) - at} bytes too many")
    for name in [name for name in variables if name.endswith("/weight_scale")]:
        weight = name.removesuffix("_scale")
        scale = variables.pop(name).astype(np.float32)
        variables[weight] = variables[weight].astype(np.float32) / scale.reshape(-1, *[1] * (variables[weight].ndim - 1))
    return variables
