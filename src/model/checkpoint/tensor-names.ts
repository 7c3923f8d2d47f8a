import type { Architecture } from '../architectures/architecture.js';

/** Hugging Face's names of tensors, as GGUF names the same tensors. */
const WHOLE: Readonly<Record<string, string>> = {
  'model.embed_tokens.weight': 'token_embd.weight',
  'model.norm.weight': 'output_norm.weight',
  'lm_head.weight': 'output.weight',
};

const LAYER: Readonly<Record<string, string>> = {
  'input_layernorm.weight': 'attn_norm.weight',
  'self_attn.q_proj.weight': 'attn_q.weight',
  'self_attn.k_proj.weight': 'attn_k.weight',
  'self_attn.v_proj.weight': 'attn_v.weight',
  'self_attn.qkv_proj.weight': 'attn_qkv.weight',
  'self_attn.q_proj.bias': 'attn_q.bias',
  'self_attn.k_proj.bias': 'attn_k.bias',
  'self_attn.v_proj.bias': 'attn_v.bias',
  'self_attn.q_norm.weight': 'attn_q_norm.weight',
  'self_attn.k_norm.weight': 'attn_k_norm.weight',
  'self_attn.o_proj.weight': 'attn_output.weight',
  'post_attention_layernorm.weight': 'ffn_norm.weight',
  'mlp.gate_proj.weight': 'ffn_gate.weight',
  'mlp.up_proj.weight': 'ffn_up.weight',
  'mlp.gate_up_proj.weight': 'ffn_up.weight',
  'mlp.down_proj.weight': 'ffn_down.weight',
  'mlp.gate.weight': 'ffn_gate_inp.weight',
  'block_sparse_moe.gate.weight': 'ffn_gate_inp.weight',
};

const EXPERT: Readonly<Record<string, string>> = {
  gate_proj: 'ffn_gate_exps.weight',
  up_proj: 'ffn_up_exps.weight',
  down_proj: 'ffn_down_exps.weight',
  w1: 'ffn_gate_exps.weight',
  w3: 'ffn_up_exps.weight',
  w2: 'ffn_down_exps.weight',
};

/** Where a checkpoint's tensor belongs. */
export interface Target {
  /** GGUF's name. */
  name: string;
  /** Index of the expert, where GGUF has those of a layer in one tensor. */
  expert?: number;
  /** Whether 1 is to be added to the values. */
  fromZero?: boolean;
}

/** Where a tensor of an architecture's checkpoint belongs; null for one that the architecture does not have. */
export function targetOf({ checkpoint }: Architecture, name: string): Target | null {
  const bare = name.startsWith('model.') || name === 'lm_head.weight' ? name : `model.${name}`;
  const fromZero = checkpoint.normsFromZero && bare.endsWith('norm.weight') ? { fromZero: true } : {};
  if (Object.hasOwn(WHOLE, bare)) return { name: WHOLE[bare]!, ...fromZero };
  const [, layer, part = ''] = /^model\.layers\.(0|[1-9]\d{0,5})\.(.+)$/.exec(bare) ?? [];
  if (layer === undefined) return null;
  const names = { ...LAYER, ...checkpoint.names };
  if (Object.hasOwn(names, part)) return { name: `blk.${layer}.${names[part]}`, ...fromZero };
  const [, index, matrix = ''] =
    /^(?:mlp|block_sparse_moe)\.experts\.(0|[1-9]\d{0,5})\.(\w+)\.weight$/.exec(part) ?? [];
  if (index === undefined || !Object.hasOwn(EXPERT, matrix)) return null;
  return { name: `blk.${layer}.${EXPERT[matrix]}`, expert: Number(index) };
}

/** Tensors that checkpoints may bring and nobody needs: tables that are computed. */
export function isComputed(name: string): boolean {
  return name.endsWith('rotary_emb.inv_freq');
}
