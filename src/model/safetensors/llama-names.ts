import { StartupError } from '../../errors.js';
import type { DecoderShape } from '../architectures/architecture.js';
import type { TensorInfo, TensorSource } from '../weights.js';

const OUTSIDE_LAYERS: Readonly<Record<string, string>> = {
  'model.embed_tokens.weight': 'token_embd.weight',
  'model.norm.weight': 'output_norm.weight',
  'lm_head.weight': 'output.weight',
};
const IN_LAYERS: Readonly<Record<string, string>> = {
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  post_attention_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};
const ROTATED = /\.attn_[qk]\.weight$/;

/**
 * A llama checkpoint with the names and the row order of its GGUF conversion: there the rows of a query or key head
 * lie pair by pair, here as rotated halves. Throws a StartupError for a tensor that the family does not have.
 */
export function asGgufTensors(file: TensorSource, { headDim }: DecoderShape): TensorSource {
  const stored = new Map<string, TensorInfo>();
  for (const info of file.tensors.values()) stored.set(ggufName(file.path, info.name), info);
  return {
    path: file.path,
    tensors: new Map([...stored].map(([name, info]) => [name, { ...info, name }])),
    read: async (name) => {
      const info = stored.get(name)!;
      const bytes = await file.read(info.name);
      return ROTATED.test(name) ? halvesToPairs(bytes, info, headDim) : bytes;
    },
  };
}

function ggufName(path: string, name: string): string {
  const outside = Object.hasOwn(OUTSIDE_LAYERS, name) ? OUTSIDE_LAYERS[name] : undefined;
  if (outside) return outside;
  const [, layer, part = ''] = /^model\.layers\.(0|[1-9]\d{0,5})\.(.+)\.weight$/.exec(name) ?? [];
  if (layer !== undefined && Object.hasOwn(IN_LAYERS, part)) return `blk.${layer}.${IN_LAYERS[part]}.weight`;
  throw new StartupError(`${path} holds tensor ${name}, which a llama model does not have.`);
}

function halvesToPairs(bytes: Uint8Array, { shape, format }: TensorInfo, headDim: number): Uint8Array {
  const [columns = 0, rows = 0] = shape;
  const rowBytes = columns * format.bytes;
  const half = headDim / 2;
  const ordered = new Uint8Array(bytes.length);
  for (let row = 0; row < rows; row++) {
    const within = row % headDim;
    const to = row - within + 2 * (within % half) + Math.floor(within / half);
    ordered.set(bytes.subarray(row * rowBytes, (row + 1) * rowBytes), to * rowBytes);
  }
  return ordered;
}
