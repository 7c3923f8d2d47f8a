import { StartupError } from '../../errors.js';
import type { Metadata } from '../gguf/metadata.js';
import type { Architecture, DecoderShape } from './architecture.js';
import { checkShape } from './check-shape.js';
import { rotaryScaling } from './rotary-scaling.js';

/** Read the shape of a model. Throws a StartupError for anything that the graph can't express. */
export function decoderShape(
  architecture: Architecture,
  metadata: Metadata,
  vocabSize: number,
): DecoderShape {
  const { name, activation } = architecture;
  const common = commonShape(name, metadata, vocabSize);
  const shape = {
    ...common,
    ...(activation ? { activation } : {}),
    ...architecture.variant?.(metadata, common),
  };
  refuseUnread(name, metadata, shape);
  checkShape(name, shape);
  return shape;
}

/** Throws a StartupError for what a file asks for and its architecture's module doesn't read. */
function refuseUnread(name: string, metadata: Metadata, shape: DecoderShape): void {
  const asked: ReadonlyArray<[key: string, isRead: boolean]> = [
    ['expert_count', shape.experts !== undefined],
    ['attention.sliding_window', shape.layerKinds?.some(({ window }) => window !== null) ?? false],
    ['attn_logit_softcapping', shape.attentionCap !== undefined],
    ['final_logit_softcapping', shape.logitCap !== undefined],
    ['attention.scale', shape.attentionScale !== undefined],
    ['embedding_scale', shape.embeddingScale !== undefined],
    ['residual_scale', shape.residualScale !== undefined],
    ['logit_scale', shape.logitDivisor !== undefined],
  ];
  for (const [part, isRead] of asked) {
    const key = `${name}.${part}`;
    if (isRead || (metadata.optionalNumber(key) ?? 0) === 0) continue;
    throw new StartupError(`${metadata.nameOf(key)} is not supported for architecture ${name}.`);
  }
}

function commonShape(name: string, metadata: Metadata, vocabSize: number): DecoderShape {
  const key = (part: string): string => `${name}.${part}`;
  const hiddenSize = metadata.count(key('embedding_length'));
  const heads = metadata.count(key('attention.head_count'));
  const headDim = metadata.optionalCount(key('attention.key_length')) ?? hiddenSize / heads;
  const valueDim = metadata.optionalCount(key('attention.value_length')) ?? headDim;
  if (valueDim !== headDim) {
    throw new StartupError(`Heads of ${headDim} dimensions with values of ${valueDim} are not supported.`);
  }
  const rotaryDim = metadata.optionalCount(key('rope.dimension_count')) ?? headDim;
  const scaling = rotaryScaling(metadata, name);
  return {
    vocabSize,
    hiddenSize,
    feedForwardSize: metadata.count(key('feed_forward_length')),
    layers: metadata.count(key('block_count')),
    heads,
    kvHeads: metadata.optionalCount(key('attention.head_count_kv')) ?? heads,
    headDim,
    contextLength: metadata.count(key('context_length')),
    normEpsilon: metadata.number(key('attention.layer_norm_rms_epsilon')),
    rotaryBase: metadata.optionalNumber(key('rope.freq_base')) ?? 10000,
    ...(rotaryDim === headDim ? {} : { rotaryDim }),
    ...(scaling ? { rotaryScaling: scaling } : {}),
  };
}
