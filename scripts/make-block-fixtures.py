"""Makes src/model/gguf/block-fixtures.json: blocks of each tensor format and the weights that they stand for,
computed by the `gguf` Python package (pip install gguf). The seed is fixed; the same package gives the same file.

    python3 scripts/make-block-fixtures.py
"""
import base64
import json
import pathlib

import numpy as np
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Type
from gguf import quants

TARGET = pathlib.Path(__file__).parent.parent / "src/model/gguf/block-fixtures.json"
ROWS = 3


def text(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def half_bytes(values):
    return np.asarray(values, dtype="<f2").view(np.uint8).reshape(len(values), 2)


# Where the half-precision numbers of a block are, in the formats that the package can read, but not write.
HALVES = {
    Type.IQ4_NL: (0,),
    Type.Q2_K: (80, 82),
    Type.Q3_K: (108,),
    Type.Q4_K: (0, 2),
    Type.Q5_K: (0, 2),
    Type.Q6_K: (208,),
    Type.IQ4_XS: (0,),
}


def random_blocks(random, kind):
    """Blocks of any content but with sane scales."""
    blocks = random.integers(0, 256, (ROWS, GGML_QUANT_SIZES[kind][1]), dtype=np.uint8)
    for at in HALVES[kind]:
        blocks[:, at : at + 2] = half_bytes(random.uniform(0.001, 0.05, ROWS))
    return blocks


def fixtures():
    random = np.random.default_rng(20)
    weights = random.normal(0, 0.1, (ROWS, 64)).astype(np.float32)
    weights[0, :32] = 0
    made = {}
    for kind in (Type.F32, Type.F16, Type.BF16, Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1, Type.Q8_0):
        blocks = quants.quantize(weights, kind)
        made[kind.name] = {
            "source": text(weights),
            "blocks": text(blocks),
            "weights": text(quants.dequantize(blocks, kind).astype(np.float32)),
        }
    for kind in HALVES:
        blocks = random_blocks(random, kind)
        made[kind.name] = {"blocks": text(blocks), "weights": text(quants.dequantize(blocks, kind))}
    return made


TARGET.write_text(json.dumps(fixtures(), indent=1) + "\n")
