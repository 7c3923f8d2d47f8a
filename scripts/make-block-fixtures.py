"""Makes src/model/gguf/block-fixtures.json: blocks of each tensor format and the weights that they stand for,
computed by the `gguf` Python package (pip install gguf). The seed is fixed; the same package gives the same file.

    python3 scripts/make-block-fixtures.py
"""
import base64
import json
import pathlib

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import quants

TARGET = pathlib.Path(__file__).parent.parent / "src/model/gguf/block-fixtures.json"
ROWS = 3


def text(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def half_bytes(values):
    return np.asarray(values, dtype="<f2").view(np.uint8).reshape(len(values), 2)


def random_k_blocks(random, kind):
    """Blocks of any content but with sane scales; the package can read these formats, not write them."""
    blocks = random.integers(0, 256, (ROWS, 144 if kind == Type.Q4_K else 210), dtype=np.uint8)
    scales = half_bytes(random.uniform(0.001, 0.05, ROWS))
    if kind == Type.Q4_K:
        blocks[:, 0:2] = scales
        blocks[:, 2:4] = half_bytes(random.uniform(0.001, 0.05, ROWS))
    else:
        blocks[:, 208:210] = scales
    return blocks


def fixtures():
    random = np.random.default_rng(20)
    weights = random.normal(0, 0.1, (ROWS, 64)).astype(np.float32)
    weights[0, :32] = 0
    made = {}
    for kind in (Type.F32, Type.F16, Type.BF16, Type.Q4_0, Type.Q4_1, Type.Q8_0):
        blocks = quants.quantize(weights, kind)
        made[kind.name] = {
            "source": text(weights),
            "blocks": text(blocks),
            "weights": text(quants.dequantize(blocks, kind).astype(np.float32)),
        }
    for kind in (Type.Q4_K, Type.Q6_K):
        blocks = random_k_blocks(random, kind)
        made[kind.name] = {"blocks": text(blocks), "weights": text(quants.dequantize(blocks, kind))}
    return made


TARGET.write_text(json.dumps(fixtures(), indent=1) + "\n")
