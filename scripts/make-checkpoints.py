"""Makes src/model/testing/checkpoints/: for each architecture a tiny random checkpoint as Hugging Face transformers
saves it, the same weights as GGUF, and the logits (and chosen experts) that transformers computes from them in float32.
The weights lie on a grid of a few values, so that the compressed files are small. Seeds are fixed.

    python3 -m venv .venv
    .venv/bin/pip install torch==2.15.0 transformers==5.24.0 safetensors==0.8.0 gguf==0.19.0
    .venv/bin/python scripts/make-checkpoints.py [NAME ...]
"""
import gzip
import json
import math
import pathlib
import shutil
import sys
import tempfile

import gguf
import numpy as np
import torch
import transformers
from safetensors import safe_open

TARGET = pathlib.Path(__file__).parent.parent / "src/model/testing/checkpoints"
LENGTHS = (3, 11, 26)
VOCAB = 96

COMMON = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, head_dim=16, max_position_embeddings=64, rms_norm_eps=1e-5, tie_word_embeddings=False,
    bos_token_id=1, eos_token_id=2, pad_token_id=0, hidden_act="silu", dtype="float32",
)


def rope(theta, kind="default", **more):
    return {"rope_type": kind, "rope_theta": theta, **more}


def ramp(first, last, count):
    return [round(first + (last - first) * i / (count - 1), 3) for i in range(count)]


EXPERTS = dict(moe_intermediate_size=32, num_experts=8, num_experts_per_tok=2)

# Name → what transformers builds, what GGUF calls it (None: GGUF has no such variant), and how it is saved.
VARIANTS = {
    "llama": dict(kind="Llama", gguf="llama", save="bfloat16", config=dict(
        vocab_size=260, rope_parameters=rope(10000.0, "llama3", factor=4.0, low_freq_factor=1.0,
                                             high_freq_factor=4.0, original_max_position_embeddings=16))),
    "mistral": dict(kind="Mistral", gguf=None, save="bfloat16", config=dict(
        sliding_window=8, rope_parameters=rope(10000.0))),
    "qwen2": dict(kind="Qwen2", gguf="qwen2", save="float16", config=dict(
        tie_word_embeddings=True, rope_parameters=rope(1000.0, "yarn", factor=4.0,
                                                        original_max_position_embeddings=16))),
    "qwen3": dict(kind="Qwen3", gguf="qwen3", save="bfloat16", config=dict(rope_parameters=rope(1000000.0))),
    "phi3": dict(kind="Phi3", gguf="phi3", save="bfloat16", lengths=(18, 21, 26), config=dict(
        head_dim=None, hidden_size=64, num_attention_heads=2, num_key_value_heads=1, partial_rotary_factor=0.5,
        original_max_position_embeddings=16, sliding_window=None, rope_parameters=rope(
            10000.0, "longrope", partial_rotary_factor=0.5, short_factor=ramp(1.0, 1.5, 8),
            long_factor=ramp(1.2, 6.0, 8), original_max_position_embeddings=16))),
    "gemma2": dict(kind="Gemma2", gguf="gemma2", save="bfloat16", config=dict(
        tie_word_embeddings=True, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=16, sliding_window=8,
        attn_logit_softcapping=5.0, final_logit_softcapping=8.0, rope_parameters=rope(10000.0))),
    "gemma3": dict(kind="Gemma3", model="Gemma3ForCausalLM", config_class="Gemma3TextConfig", gguf="gemma3",
                   save="bfloat16", config=dict(
        tie_word_embeddings=True, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=16, sliding_window=8,
        num_hidden_layers=6, intermediate_size=32, num_attention_heads=2, num_key_value_heads=1, rope_parameters={
            "full_attention": rope(1000000.0, "linear", factor=8.0), "sliding_attention": rope(10000.0)})),
    "smollm3": dict(kind="SmolLM3", gguf="smollm3", save="bfloat16", config=dict(
        tie_word_embeddings=True, num_hidden_layers=4, intermediate_size=32, use_sliding_window=False,
        rope_parameters=rope(2000000.0))),
    "granite": dict(kind="Granite", gguf="granite", save="bfloat16", config=dict(
        head_dim=None, num_attention_heads=2, num_key_value_heads=1, attention_multiplier=0.125, embedding_multiplier=2.0, residual_multiplier=0.5,
        logits_scaling=0.5, rope_parameters=rope(10000.0))),
    "olmo2": dict(kind="Olmo2", gguf="olmo2", save="float32", config=dict(
        head_dim=None, num_attention_heads=2, num_key_value_heads=1, rope_parameters=rope(500000.0))),
    "qwen3moe": dict(kind="Qwen3Moe", gguf="qwen3moe", save="bfloat16", config=dict(
        **EXPERTS, norm_topk_prob=True, decoder_sparse_step=1, mlp_only_layers=[],
        rope_parameters=rope(1000000.0))),
    "olmoe": dict(kind="Olmoe", gguf="olmoe", save="bfloat16", config=dict(
        **EXPERTS, head_dim=None, num_attention_heads=2, intermediate_size=32, norm_topk_prob=False,
        rope_parameters=rope(10000.0))),
    "mixtral": dict(kind="Mixtral", gguf="llama", save="bfloat16", shards="40KB", config=dict(
        num_local_experts=8, num_experts_per_tok=2, intermediate_size=32, sliding_window=None,
        rope_parameters=rope(1000000.0))),
}


def randomise(model, seed):
    """Every weight on a grid: matrices with a standard deviation that keeps activations of order one, norms near one."""
    generator = torch.Generator().manual_seed(seed)

    def grid(shape, step, reach):
        values = torch.randn(shape, generator=generator) * (reach / 2.5)
        return values.round().clamp(-reach, reach) * step

    for name, parameter in sorted(model.named_parameters()):
        if parameter.dim() == 1:
            plain = 0.0 if "bias" in name or "Gemma" in type(model).__name__ else 1.0
            parameter.data = plain + grid(parameter.shape, 1 / 16, 5)
        else:
            columns = parameter.shape[-1]
            gain = 1.0 if "embed" in name else 1.6 / math.sqrt(columns)
            step = 2.0 ** round(math.log2(gain / 1.6))
            parameter.data = grid(parameter.shape, step / 2, 6)


def prompt(length, seed, vocab):
    return torch.randint(3, vocab, (1, length), generator=torch.Generator().manual_seed(seed))


def recorded(model, lengths, seed, per_token):
    runs = []
    for index, length in enumerate(lengths):
        ids = prompt(length, seed + index, model.config.vocab_size)
        with torch.no_grad():
            more = dict(output_router_logits=True) if per_token else {}
            output = model(input_ids=ids, use_cache=False, **more)
        positions = sorted({0, length // 2, length - 1})
        run = dict(ids=ids[0].tolist(), positions=positions,
                   logits=[[round(value, 6) for value in output.logits[0, at].tolist()] for at in positions])
        if per_token:
            chosen = [logits.view(length, -1).float().softmax(-1).topk(per_token).indices
                      for logits in output.router_logits]
            run["experts"] = torch.stack(chosen, 1).tolist()
        runs.append(run)
    return runs


def tokenizer_json(vocab):
    """Bytes behind three special tokens; the last id is a token that no text gives."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = (byte for byte in range(256) if byte not in printable)
    others = {byte: 256 + index for index, byte in enumerate(rest)}
    tokens = ["<pad>", "<s>", "</s>"] + [chr(others.get(byte, byte)) for byte in range(256)]
    tokens += [f"<unused{index}>" for index in range(vocab - len(tokens))]
    added = [dict(id=index, content=tokens[index], single_word=False, lstrip=False, rstrip=False, normalized=False,
                  special=True) for index in range(3)]
    return dict(
        version="1.0", truncation=None, padding=None, added_tokens=added, normalizer=None,
        pre_tokenizer=dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=True),
        post_processor=None, decoder=dict(type="ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True),
        model=dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix="", end_of_word_suffix="",
                   fuse_unk=False, byte_fallback=False, ignore_merges=False,
                   vocab={token: index for index, token in enumerate(tokens)}, merges=[]))


TEMPLATE = ("{% for message in messages %}{{ '[' + message['role'] + ']' + message['content'] }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '[assistant]' }}{% endif %}")


def write_tokenizer(folder, vocab):
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json(vocab), ensure_ascii=False))
    (folder / "tokenizer_config.json").write_text(json.dumps(dict(
        bos_token="<s>", eos_token="</s>", pad_token="<pad>", chat_template=TEMPLATE)))


def tensors_of(folder):
    found = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            for name in file.keys():
                found[name] = file.get_tensor(name).float().numpy()
    return found


def pairs(matrix, heads):
    """The row order that GGUF gives query and key matrices of the llama family."""
    return matrix.reshape(heads, 2, matrix.shape[0] // heads // 2, *matrix.shape[1:]).swapaxes(1, 2).reshape(matrix.shape)


def llama3_factors(config):
    parameters = config.rope_parameters
    base, dim = parameters["rope_theta"], config.head_dim
    low = parameters["original_max_position_embeddings"] / parameters["low_freq_factor"]
    high = parameters["original_max_position_embeddings"] / parameters["high_freq_factor"]
    factors = []
    for index in range(dim // 2):
        wavelength = 2 * math.pi * base ** (2 * index / dim)
        smooth = (parameters["original_max_position_embeddings"] / wavelength - parameters["low_freq_factor"]) / (
            parameters["high_freq_factor"] - parameters["low_freq_factor"])
        between = 1 / ((1 - smooth) / parameters["factor"] + smooth)
        factors.append(1 if wavelength < high else parameters["factor"] if wavelength > low else between)
    return np.array(factors, dtype=np.float32)


def write_gguf(path, kind, config, tensors):
    """As llama.cpp's converter would: the gguf package's names for keys and tensors."""
    writer = gguf.GGUFWriter(path, kind)
    heads, head_dim = config.num_attention_heads, getattr(config, "head_dim", None)
    head_dim = head_dim or config.hidden_size // heads
    per_layer = config.rope_parameters if "rope_theta" in config.rope_parameters else config.rope_parameters["full_attention"]
    scaling = per_layer["rope_type"]
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(per_layer["rope_theta"])
    writer.add_rope_dimension_count(int(head_dim * per_layer.get("partial_rotary_factor", 1)))
    writer.add_vocab_size(config.vocab_size)
    if scaling in ("yarn", "linear"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(scaling))
        writer.add_rope_scaling_factor(per_layer["factor"])
        if scaling == "yarn":
            writer.add_rope_scaling_orig_ctx_len(per_layer["original_max_position_embeddings"])
    if kind == "phi3":
        ratio = config.max_position_embeddings / per_layer["original_max_position_embeddings"]
        writer.add_rope_scaling_orig_ctx_len(per_layer["original_max_position_embeddings"])
        writer.add_rope_scaling_attn_factors(
            math.sqrt(1 + math.log(ratio) / math.log(per_layer["original_max_position_embeddings"])))
        writer.add_tensor("rope_factors_long.weight", np.array(per_layer["long_factor"], dtype=np.float32))
        writer.add_tensor("rope_factors_short.weight", np.array(per_layer["short_factor"], dtype=np.float32))
    if scaling == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(config))
    if kind.startswith("gemma"):
        writer.add_sliding_window(config.sliding_window)
    if kind == "gemma2":
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if kind == "granite":
        writer.add_attention_scale(config.attention_multiplier)
        writer.add_embedding_scale(config.embedding_multiplier)
        writer.add_residual_scale(config.residual_multiplier)
        writer.add_logit_scale(config.logits_scaling)
    experts = getattr(config, "num_local_experts", None) or getattr(config, "num_experts", None)
    if experts:
        writer.add_expert_count(experts)
        writer.add_expert_used_count(config.num_experts_per_tok)
        if hasattr(config, "moe_intermediate_size"):
            writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    architecture = next(key for key, value in gguf.MODEL_ARCH_NAMES.items() if value == kind)
    names = gguf.get_tensor_name_map(architecture, config.num_hidden_layers)
    permuted = kind in ("llama", "granite", "smollm3")
    stacks = {}
    for name, values in sorted(tensors.items()):
        if ".experts." in name:
            before, after = name.split(".experts.")
            index, part = after.split(".", 1)
            stacks.setdefault(f"{before}.experts.{part}", {})[int(index)] = values
            continue
        if permuted and name.endswith("q_proj.weight"):
            values = pairs(values, heads)
        if permuted and name.endswith("k_proj.weight"):
            values = pairs(values, config.num_key_value_heads)
        if kind.startswith("gemma") and name.endswith("norm.weight"):
            values = values + 1
        writer.add_tensor(mapped(names, name), np.ascontiguousarray(values))
    for name, parts in stacks.items():
        writer.add_tensor(mapped(names, name), np.stack([parts[index] for index in range(len(parts))]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def mapped(names, name):
    found = names.get_name(name, try_suffixes=(".weight", ".bias"))
    if found is None:
        raise KeyError(name)
    return found


def compress(path):
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    path.unlink()


def make(name, seed):
    variant = VARIANTS[name]
    settings = {**COMMON, **variant["config"]}
    settings = {key: value for key, value in settings.items() if value is not None or key == "sliding_window"}
    config_class = getattr(transformers, variant.get("config_class", f"{variant['kind']}Config"))
    model_class = getattr(transformers, variant.get("model", f"{variant['kind']}ForCausalLM"))
    config = config_class(**settings)
    config._attn_implementation = "eager"
    model = model_class(config).eval()
    randomise(model, seed)
    model.tie_weights()
    folder = TARGET / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    runs = recorded(model, variant.get("lengths", LENGTHS), 1000 * seed, settings.get("num_experts_per_tok"))
    # The grid is exact in 16 bits. Rotary frequencies are not, which is why nothing is computed from here on.
    saved = model.to(getattr(torch, variant["save"]))
    saved.save_pretrained(folder, max_shard_size=variant.get("shards", "1GB"))
    (folder / "generation_config.json").unlink(missing_ok=True)
    if name == "llama":
        write_tokenizer(folder, config.vocab_size)
    (folder / "recorded.json").write_text(json.dumps(dict(runs=runs)) + "\n")
    tensors = tensors_of(folder)
    if variant["gguf"]:
        write_gguf(str(folder / "model.gguf"), variant["gguf"], config, tensors)
        compress(folder / "model.gguf")
    for path in folder.glob("*.safetensors"):
        compress(path)
    last = np.array(runs[-1]["logits"][-1])
    print(f"{name:10} {sum(value.size for value in tensors.values()):7} parameters, logits {last.min():.2f} … {last.max():.2f}, "
          f"deviation {last.std():.2f}, {sum(path.stat().st_size for path in folder.iterdir()) // 1024} KB")


if __name__ == "__main__":
    for number, wanted in enumerate(VARIANTS):
        if wanted in (sys.argv[1:] or VARIANTS):
            make(wanted, number + 1)
