import type { Metadata } from '../gguf/metadata.js';
import type { RotaryScaling } from './rotary-scaling.js';

/** What of a layer's attention differs between the layers of a model. */
export interface LayerKind {
  /** Positions that a query sees, itself included; null = all before it. */
  window: number | null;
  /** Which rotary table turns queries and keys; none = positions are not encoded. */
  rotary: 'global' | 'local' | 'none';
}

/** A feed-forward layer that sends each position to a few of many small ones. */
export interface ExpertShape {
  count: number;
  /** Experts a position. */
  used: number;
  feedForwardSize: number;
  /** Whether the weights of the chosen experts are scaled to a sum of 1. */
  normalised: boolean;
}

export type Activation = 'silu' | 'gelu-tanh';

/** The numbers that fix a decoder's graph. What is left out is as in Llama 2. */
export interface DecoderShape {
  vocabSize: number;
  hiddenSize: number;
  feedForwardSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  contextLength: number;
  normEpsilon: number;
  /** Base of the rotary frequencies. */
  rotaryBase: number;
  /** Dimensions of a head that are rotated. Default: all. */
  rotaryDim?: number;
  rotaryScaling?: RotaryScaling;
  /** Base of the table that `local` layers use; it is never scaled. */
  localRotaryBase?: number;
  /** Default: every layer sees everything and is rotated by the global table. */
  layerKinds?: readonly LayerKind[];
  /** Factor of attention scores. Default: 1 / √headDim. */
  attentionScale?: number;
  /** Scores become cap · tanh(score / cap). */
  attentionCap?: number;
  logitCap?: number;
  embeddingScale?: number;
  /** Factor of what each half of a block adds to the residual stream. */
  residualScale?: number;
  /** Logits are divided by it. */
  logitDivisor?: number;
  /** Default: silu. */
  activation?: Activation;
  experts?: ExpertShape;
}

/** Which tensors a block has. */
export interface BlockForm {
  /** Where RMSNorm is: before attention and feed-forward layer, on what they give, or both. */
  norms: 'before' | 'after' | 'around';
  /** RMSNorm of queries and keys before they are rotated: of each head, or of all heads together. */
  headNorms?: 'each' | 'all';
  /** Queries, keys and values have biases. */
  biases?: boolean;
  /** Queries, keys and values are one matrix, gate and up another. */
  fused?: boolean;
}

/** What is peculiar to an architecture's checkpoints in the form of Hugging Face transformers. */
export interface CheckpointForm {
  /** `model_type` of config.json. */
  modelTypes: readonly string[];
  /** Norms are stored as their difference from 1, which GGUF files have added. */
  normsFromZero?: boolean;
  /** Part of a layer's tensor name → GGUF's, where it is not the usual one. */
  names?: Readonly<Record<string, string>>;
}

/** A decoder family: what its tensors are and what its metadata means. Adding one is a module and a line in index.ts. */
export interface Architecture {
  /** `general.architecture` of GGUF files. */
  name: string;
  block: BlockForm;
  /** How GGUF stores the rows of a query or key head: rotated halves after one another, or pair by pair. */
  rotaryRows: 'halves' | 'pairs';
  checkpoint: CheckpointForm;
  /** Default: silu. */
  activation?: Activation;
  /**
   * What the shape has beyond what all architectures read alike. Throws a StartupError for anything that the graph
   * can't express.
   */
  variant?(metadata: Metadata, common: DecoderShape): Partial<DecoderShape>;
}

/** Names of tensors that are no layer's. A model without a head uses the embedding. */
export const EMBEDDING = 'token_embd.weight';
export const FINAL_NORM = 'output_norm.weight';
export const HEAD = 'output.weight';
