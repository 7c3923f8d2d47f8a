/** Hugging Face's names of a llama-family checkpoint, as GGUF names the same tensors. */
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
  'self_attn.o_proj.weight': 'attn_output.weight',
  'post_attention_layernorm.weight': 'ffn_norm.weight',
  'mlp.gate_proj.weight': 'ffn_gate.weight',
  'mlp.up_proj.weight': 'ffn_up.weight',
  'mlp.down_proj.weight': 'ffn_down.weight',
};

/** The GGUF name of a tensor; null for one that the family does not have. */
export function ggufName(name: string): string | null {
  const bare = name.startsWith('model.') || name === 'lm_head.weight' ? name : `model.${name}`;
  if (Object.hasOwn(WHOLE, bare)) return WHOLE[bare]!;
  const [, layer, part = ''] = /^model\.layers\.(0|[1-9]\d{0,5})\.(.+)$/.exec(bare) ?? [];
  return layer !== undefined && Object.hasOwn(LAYER, part) ? `blk.${layer}.${LAYER[part]}` : null;
}

/** Tensors that checkpoints may bring and nobody needs: tables that are computed. */
export function isComputed(name: string): boolean {
  return name.endsWith('rotary_emb.inv_freq');
}
