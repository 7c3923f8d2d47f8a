import { StartupError } from '../../errors.js';
import {
  LONG_FACTORS,
  ROTARY_FACTORS,
  SHORT_FACTORS,
  yarnMagnitude,
} from '../architectures/rotary-scaling.js';
import { F32 } from '../gguf/block-formats.js';
import type { TensorInfo, TensorSource } from '../weights.js';
import type { Config } from './config.js';

type Fields = Readonly<Record<string, unknown>>;

interface Rotary {
  kind: string;
  base: unknown;
  /** Base of windowed layers, where they have their own. */
  localBase: unknown;
  /** Where `kind` is from, for messages. */
  field: string;
  parameters: Fields;
}

/**
 * How a config describes rotary positions: `rope_parameters` as transformers 5 writes them, for all layers or by their type,
 * or `rope_theta` and `rope_scaling` as before.
 */
function rotaryOf(config: Config): Rotary {
  const { rope_parameters: current } = config;
  if (isFields(current)) {
    const byType = isFields(current.full_attention) ? current.full_attention : current;
    const local = isFields(current.sliding_attention) ? current.sliding_attention : {};
    if ((local.rope_type ?? 'default') !== 'default') {
      throw new StartupError(
        `rope_type "${String(local.rope_type)}" of windowed layers (rope_parameters) is not supported.`,
      );
    }
    const base = byType.rope_theta ?? config.rope_theta;
    const field = 'rope_parameters.rope_type';
    return { ...scaling(byType), base, localBase: local.rope_theta, field, parameters: byType };
  }
  const parameters = isFields(config.rope_scaling) ? config.rope_scaling : {};
  const field = 'rope_scaling.rope_type';
  const { rope_theta: base, rope_local_base_freq: localBase } = config;
  return { ...scaling(parameters), base, localBase, field, parameters };
}

function scaling(parameters: Fields): { kind: string } {
  const kind = String(parameters.rope_type ?? parameters.type ?? 'default');
  return { kind: kind === 'su' ? 'longrope' : kind };
}

/** What a config says of rotary positions, as GGUF metadata. Throws a StartupError that names what is not supported. */
export function rotaryMetadata(
  config: Config,
  set: (part: string, field: string, value: unknown) => void,
): void {
  const { kind, base, localBase, field, parameters } = rotaryOf(config);
  set('rope.freq_base', 'rope_theta', base);
  set('rope.freq_base_swa', 'rope_local_base_freq', localBase);
  const partial = config.partial_rotary_factor ?? parameters.partial_rotary_factor;
  if (typeof partial === 'number') {
    set('rope.dimension_count', 'partial_rotary_factor', Math.trunc(headDim(config) * partial));
  }
  if (kind === 'default' || kind === 'llama3') return;
  set('rope.scaling.type', field, kind);
  if (kind === 'linear') set('rope.scaling.factor', 'factor', parameters.factor);
  if (kind === 'yarn') setYarn(config, parameters, set);
  if (kind === 'longrope') setLongRope(config, parameters, set);
}

function setYarn(
  config: Config,
  parameters: Fields,
  set: (part: string, field: string, value: unknown) => void,
): void {
  for (const field of ['mscale', 'mscale_all_dim']) {
    if (typeof parameters[field] === 'number')
      throw new StartupError(`${field} of YaRN (rope_scaling) is not supported.`);
  }
  if (parameters.truncate === false) {
    throw new StartupError('truncate false of YaRN (rope_scaling) is not supported.');
  }
  const { factor, attention_factor: magnitude } = parameters;
  set('rope.scaling.factor', 'factor', factor);
  set('rope.scaling.original_context_length', 'original_max_position_embeddings', originalContext(config));
  set('rope.scaling.yarn_beta_fast', 'beta_fast', parameters.beta_fast);
  set('rope.scaling.yarn_beta_slow', 'beta_slow', parameters.beta_slow);
  if (typeof magnitude === 'number' && typeof factor === 'number') {
    set('rope.scaling.attn_factor', 'attention_factor', magnitude / yarnMagnitude(factor));
  }
}

/** Cosines and sines are multiplied by √(1 + ln(longer) / ln(original)), unless the config says by what. */
function setLongRope(
  config: Config,
  parameters: Fields,
  set: (part: string, field: string, value: unknown) => void,
): void {
  const original = originalContext(config);
  const longer = Number(parameters.factor ?? Number(config.max_position_embeddings) / original);
  const usual = longer <= 1 ? 1 : Math.sqrt(1 + Math.log(longer) / Math.log(original));
  set('rope.scaling.original_context_length', 'original_max_position_embeddings', original);
  set('rope.scaling.attn_factor', 'attention_factor', parameters.attention_factor ?? usual);
}

function originalContext(config: Config): number {
  const { parameters } = rotaryOf(config);
  return Number(
    parameters.original_max_position_embeddings ??
      config.original_max_position_embeddings ??
      config.max_position_embeddings,
  );
}

/** The factors that GGUF files have as tensors, and configs as lists or formulas. Throws a StartupError for broken lists. */
export function rotaryFactors(path: string, config: Config): TensorSource {
  const { kind, parameters } = rotaryOf(config);
  const found = new Map<string, Float32Array>();
  if (kind === 'llama3') found.set(ROTARY_FACTORS, llama3Factors(config));
  if (kind === 'longrope') {
    found.set(LONG_FACTORS, listed(parameters, 'long_factor'));
    found.set(SHORT_FACTORS, listed(parameters, 'short_factor'));
  }
  const infos = [...found].map(([name, { length, byteLength }]): [string, TensorInfo] => [
    name,
    { name, shape: [length], format: F32, byteLength },
  ]);
  return {
    path,
    tensors: new Map(infos),
    read: async (name) => new Uint8Array(found.get(name)!.slice().buffer),
  };
}

/** Frequencies that turn seldom within the original context are divided by the factor, those between by less (Llama 3.1). */
function llama3Factors(config: Config): Float32Array {
  const { base, parameters } = rotaryOf(config);
  const number = (field: string): number => numberOf(parameters, field);
  const [factor, low, high] = [number('factor'), number('low_freq_factor'), number('high_freq_factor')];
  const original = originalContext(config);
  const dim = headDim(config);
  return Float32Array.from({ length: dim / 2 }, (_, i) => {
    const turns = original / (2 * Math.PI * Number(base ?? 10_000) ** ((2 * i) / dim));
    const kept = Math.min(1, Math.max(0, (turns - low) / (high - low)));
    return 1 / ((1 - kept) / factor + kept);
  });
}

function headDim(config: Config): number {
  return Number(config.head_dim ?? Number(config.hidden_size) / Number(config.num_attention_heads));
}

function listed(parameters: Fields, field: string): Float32Array {
  const { [field]: values } = parameters;
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'number' && value > 0)) {
    throw new StartupError(`${field} of rope_scaling is not a list of positive numbers.`);
  }
  return Float32Array.from(values as number[]);
}

function numberOf(parameters: Fields, field: string): number {
  const { [field]: value } = parameters;
  if (typeof value !== 'number' || !(value > 0)) {
    throw new StartupError(`${field} of rope_scaling is not a positive number.`);
  }
  return value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
