import type { DecoderShape } from '../architectures/architecture.js';
import type { WritableTensor } from '../gguf/gguf-writer.js';

/**
 * For tests: a llama decoder in plain loops and double precision, written from the definition alone. It takes the
 * tensors as GGUF stores them, where rotary pairs are neighbouring rows. Returns logits of every position.
 */
export function referenceLogits(
  shape: DecoderShape,
  tensors: readonly WritableTensor[],
  tokens: readonly number[],
): number[][] {
  const find = (name: string): WritableTensor | undefined => tensors.find((tensor) => tensor.name === name);
  const values = (name: string): Float32Array => find(name)!.values;
  const times = (name: string, x: readonly number[]): number[] => multiply(values(name), x);
  const embedding = values('token_embd.weight');
  const stream = tokens.map((token) => row(embedding, token, shape.hiddenSize));
  for (let layer = 0; layer < shape.layers; layer++) {
    const at = (part: string): string => `blk.${layer}.${part}.weight`;
    const normed = stream.map((x) => rmsNorm(x, values(at('attn_norm')), shape.normEpsilon));
    const queries = normed.map((x, position) => rotate(times(at('attn_q'), x), position, shape));
    const keys = normed.map((x, position) => rotate(times(at('attn_k'), x), position, shape));
    const attended = attend(
      shape,
      queries,
      keys,
      normed.map((x) => times(at('attn_v'), x)),
    );
    stream.forEach((x, position) => {
      addTo(x, times(at('attn_output'), attended[position]!));
      const feed = rmsNorm(x, values(at('ffn_norm')), shape.normEpsilon);
      const up = times(at('ffn_up'), feed);
      const gated = times(at('ffn_gate'), feed).map((gate, i) => (gate / (1 + Math.exp(-gate))) * up[i]!);
      addTo(x, times(at('ffn_down'), gated));
    });
  }
  const head = find('output.weight') ? 'output.weight' : 'token_embd.weight';
  return stream.map((x) => times(head, rmsNorm(x, values('output_norm.weight'), shape.normEpsilon)));
}

function attend(shape: DecoderShape, queries: number[][], keys: number[][], values: number[][]): number[][] {
  const { heads, kvHeads, headDim } = shape;
  return queries.map((query, position) =>
    Array.from({ length: heads }, (_, head) => {
      const from = Math.floor(head / (heads / kvHeads)) * headDim;
      const q = query.slice(head * headDim, (head + 1) * headDim);
      const seen = keys.slice(0, position + 1).map((key) => dot(q, key.slice(from, from + headDim)));
      const exponents = seen.map((score) => Math.exp(score / Math.sqrt(headDim)));
      const total = exponents.reduce((sum, value) => sum + value, 0);
      return Array.from({ length: headDim }, (_, i) =>
        exponents.reduce((sum, weight, past) => sum + (weight / total) * values[past]![from + i]!, 0),
      );
    }).flat(),
  );
}

/** Turn each pair (2j, 2j + 1) of each head by position · base^(−2j / headDim). */
function rotate(x: number[], position: number, { headDim, rotaryBase }: DecoderShape): number[] {
  return x.map((value, i) => {
    const pair = Math.floor((i % headDim) / 2);
    const angle = position * rotaryBase ** ((-2 * pair) / headDim);
    const other = i % 2 === 0 ? -x[i + 1]! : x[i - 1]!;
    return value * Math.cos(angle) + other * Math.sin(angle);
  });
}

function rmsNorm(x: readonly number[], weight: Float32Array, epsilon: number): number[] {
  const scale = 1 / Math.sqrt(dot(x, x) / x.length + epsilon);
  return x.map((value, i) => value * scale * weight[i]!);
}

function multiply(matrix: Float32Array, x: readonly number[]): number[] {
  return Array.from({ length: matrix.length / x.length }, (_, index) => dot(row(matrix, index, x.length), x));
}

function row(matrix: Float32Array, index: number, columns: number): number[] {
  return [...matrix.subarray(index * columns, (index + 1) * columns)];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

function addTo(target: number[], values: readonly number[]): void {
  values.forEach((value, i) => {
    target[i]! += value;
  });
}
