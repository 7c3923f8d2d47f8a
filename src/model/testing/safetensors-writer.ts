import { writeFile } from 'node:fs/promises';
import type { WritableTensor } from '../gguf/gguf-writer.js';

/** Write tensors of a llama-family GGUF file as a safetensors file with Hugging Face's names and row order, in float32. */
export async function writeSafetensors(
  path: string,
  tensors: readonly WritableTensor[],
  headDim: number,
): Promise<void> {
  const header: Record<string, unknown> = {};
  const data: Buffer[] = [];
  let offset = 0;
  for (const tensor of tensors) {
    const values = isRotated(tensor.name) ? pairsToHalves(tensor, headDim) : tensor.values;
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    const shape = [...tensor.shape].reverse();
    header[checkpointName(tensor.name)] = {
      dtype: 'F32',
      shape,
      data_offsets: [offset, offset + bytes.length],
    };
    data.push(bytes);
    offset += bytes.length;
  }
  await writeFile(path, safetensorsBytes(header, Buffer.concat(data)));
}

/** A file of this header and data, whether they agree or not. */
export function safetensorsBytes(header: object, data: Uint8Array): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, data]);
}

const PARTS: Readonly<Record<string, string>> = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};

/** The name that Hugging Face gives a tensor. */
export function checkpointName(name: string): string {
  const [, layer, part] = /^blk\.(\d+)\.(\w+)\.weight$/.exec(name) ?? [];
  if (part !== undefined) return `model.layers.${layer}.${PARTS[part]}.weight`;
  if (name === 'token_embd.weight') return 'model.embed_tokens.weight';
  return name === 'output.weight' ? 'lm_head.weight' : 'model.norm.weight';
}

function isRotated(name: string): boolean {
  return /attn_[qk]\./.test(name);
}

/** Rows of each head from pair order to halves, written out plainly. */
function pairsToHalves({ shape, values }: WritableTensor, headDim: number): Float32Array {
  const [columns, rows] = shape as [number, number];
  const ordered = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    const head = Math.floor(row / headDim);
    const within = row % headDim;
    const to = head * headDim + (within % 2) * (headDim / 2) + Math.floor(within / 2);
    ordered.set(values.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return ordered;
}
