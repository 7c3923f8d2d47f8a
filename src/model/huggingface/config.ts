import { join } from 'node:path';
import { StartupError } from '../../errors.js';
import type { Architecture } from '../architectures/architecture.js';
import { Metadata, type MetadataValue } from '../gguf/metadata.js';
import { jsonFile } from '../json-file.js';
import { rotaryMetadata } from './rotary.js';

export const CONFIG_FILE = 'config.json';

/** The content of a config.json; what is not named here is checked where it is read. */
export interface Config extends Readonly<Record<string, unknown>> {
  model_type: string;
}

/** GGUF's key → names of the field, of which the first that is there and not null counts. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  embedding_length: ['hidden_size'],
  block_count: ['num_hidden_layers'],
  feed_forward_length: ['intermediate_size'],
  context_length: ['max_position_embeddings'],
  'attention.head_count': ['num_attention_heads'],
  'attention.head_count_kv': ['num_key_value_heads'],
  'attention.key_length': ['head_dim'],
  'attention.layer_norm_rms_epsilon': ['rms_norm_eps'],
  'attention.scale': ['attention_multiplier'],
  embedding_scale: ['embedding_multiplier'],
  residual_scale: ['residual_multiplier'],
  logit_scale: ['logits_scaling'],
  attn_logit_softcapping: ['attn_logit_softcapping'],
  final_logit_softcapping: ['final_logit_softcapping'],
  expert_count: ['num_local_experts', 'num_experts'],
  expert_used_count: ['num_experts_per_tok'],
  expert_feed_forward_length: ['moe_intermediate_size'],
  expert_weights_norm: ['norm_topk_prob'],
  'rope.layers': ['no_rope_layers'],
};

/** Fields that change what a model computes in a way that no graph here has; the value that does nothing. */
const NEUTRAL: Readonly<Record<string, (value: unknown) => boolean>> = {
  quantization_config: () => false,
  clip_qkv: () => false,
  attention_bias: isFalse,
  mlp_bias: isFalse,
  use_bidirectional_attention: isFalse,
  mlp_only_layers: (value) => Array.isArray(value) && value.length === 0,
  decoder_sparse_step: (value) => value === 1,
};

/** Model types whose windows are off unless `use_sliding_window` says otherwise. */
const WINDOWS_OFF = ['qwen2', 'qwen3', 'qwen3_moe', 'smollm3'];

function isFalse(value: unknown): boolean {
  return value === false;
}

/** Read a folder's config.json. Throws a StartupError when it isn't there, broken, or of no model. */
export async function readConfig(folder: string): Promise<Config> {
  const path = join(folder, CONFIG_FILE);
  const config = await jsonFile(path);
  if (!config) {
    throw new StartupError(
      `${folder} has no ${CONFIG_FILE}. A model's folder holds ${CONFIG_FILE} and .safetensors files; a GGUF file is given by its own path.`,
    );
  }
  if (typeof config.model_type !== 'string') throw new StartupError(`${path} names no model_type.`);
  return config as Config;
}

/**
 * A config.json as the metadata of the GGUF file that it would convert to. Messages name the config's own fields.
 * Throws a StartupError that names a field which the graph can't follow.
 */
export function configMetadata(path: string, config: Config, architecture: Architecture): Metadata {
  refuseOthers(config);
  const values: Record<string, MetadataValue> = { 'general.architecture': architecture.name };
  const names: Record<string, string> = {};
  const set = (part: string, field: string, value: unknown): void => {
    const key = `${architecture.name}.${part}`;
    names[key] = field;
    if (value !== undefined && value !== null) values[key] = value as MetadataValue;
  };
  for (const [part, fields] of Object.entries(FIELDS)) {
    const field = fields.find((name) => config[name] !== undefined && config[name] !== null) ?? fields[0]!;
    set(part, field, config[field]);
  }
  const { query_pre_attn_scalar: scalar } = config;
  if (typeof scalar === 'number') set('attention.scale', 'query_pre_attn_scalar', 1 / Math.sqrt(scalar));
  windows(config, set);
  rotaryMetadata(config, set);
  requireActivation(config, architecture);
  for (const field of ['vocab_size', 'bos_token_id']) names[field] = field;
  if (Number.isInteger(config.bos_token_id))
    values['tokenizer.ggml.bos_token_id'] = config.bos_token_id as number;
  return new Metadata(path, { ...values, vocab_size: config.vocab_size as MetadataValue }, names);
}

type Setter = (part: string, field: string, value: unknown) => void;

function windows(config: Config, set: Setter): void {
  const isOn = config.use_sliding_window ?? !WINDOWS_OFF.includes(config.model_type);
  if (isOn !== true) return;
  set('attention.sliding_window', 'sliding_window', config.sliding_window);
  const { layer_types: types } = config;
  if (!Array.isArray(types)) {
    set('attention.sliding_window_pattern', 'sliding_window_pattern', config.sliding_window_pattern);
    return;
  }
  const unknown = types.find((type) => type !== 'sliding_attention' && type !== 'full_attention');
  if (unknown !== undefined) {
    throw new StartupError(
      `Layers of type "${String(unknown)}" (layer_types) are not supported for ${config.model_type}.`,
    );
  }
  const flags = types.map((type) => type === 'sliding_attention');
  set('attention.sliding_window_pattern', 'layer_types', flags);
}

function refuseOthers(config: Config): void {
  for (const [field, isNeutral] of Object.entries(NEUTRAL)) {
    const value = config[field];
    if (value === undefined || value === null || isNeutral(value)) continue;
    const shown = JSON.stringify(value).slice(0, 80);
    throw new StartupError(`${field} ${shown} of ${config.model_type} models is not supported.`);
  }
}

/** transformers' names of the activations. */
const ACTIVATIONS = { silu: ['silu', 'swish'], 'gelu-tanh': ['gelu_pytorch_tanh', 'gelu_new'] } as const;

function requireActivation(config: Config, { activation = 'silu' }: Architecture): void {
  const field = config.hidden_activation ? 'hidden_activation' : 'hidden_act';
  const { [field]: named } = config;
  // Gemma's early configs name the exact GELU, but mean this one: transformers reads them so.
  if (activation === 'gelu-tanh' && field === 'hidden_act') return;
  if (named === undefined || (ACTIVATIONS[activation] as readonly unknown[]).includes(named)) return;
  throw new StartupError(`${field} "${String(named)}" of ${config.model_type} models is not supported.`);
}
