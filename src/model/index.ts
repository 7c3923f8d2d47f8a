/** A model without its weights: what is needed to speak it. */
export interface ModelDescription {
  /** Where the weights are: a file or a folder. */
  source: string;
  /** What it is called unless told otherwise: its name on the hub, or that of its file or folder. */
  name: string;
  config: Pick<ModelConfig, 'vocabSize' | 'contextLength' | 'eosIds'>;
  tokenizer: TokenizerSpec | null;
  /** Jinja text, or null when the model brings none. */
  chatTemplate: string | null;
}

/** A model as the rest of tito sees it: a built graph on disk and what is needed to run and speak it. */
export interface ModelArtifact extends ModelDescription {
  /** ONNX file; its external data lies beside it. */
  graphPath: string;
  config: ModelConfig;
}

export interface ModelConfig {
  architecture: string;
  vocabSize: number;
  hiddenSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  /** Longest sequence the model was trained for; rotary tables reach this far. */
  contextLength: number;
  bosId: number | null;
  /** The first is the primary EOS; any of them ends a sequence. */
  eosIds: number[];
  dtype: ModelDtype;
  /** Of mixtures of experts, whose every layer has them. */
  experts?: { count: number; used: number };
}

export type ModelDtype = 'float32' | 'int4' | 'int8';

/** The content of a tokenizer.json and of tokenizer_config.json, as @huggingface/tokenizers takes them. */
export interface TokenizerSpec {
  tokenizer: Readonly<Record<string, unknown>>;
  config: Readonly<Record<string, unknown>>;
}

/**
 * The graph's inputs and outputs, fixed for every architecture and precision. S = new tokens a row,
 * B = rows, R = rows of scores wanted, at least one (TopK divides by it).
 *
 * inputs:  input_ids int64 [B, S] · seqlens_k int32 [B] (tokens incl. the new ones, minus 1) ·
 *          total_sequence_length int32 [1] (max over rows, incl. the new ones) ·
 *          logit_rows int64 [R] (indices into the B·S flattened positions) ·
 *          inverse_temperature float32 [R, 1] (1 / temperature, for probabilities) ·
 *          past_key_values.{i}.key / .value float32 [B, kvHeads, capacity, headDim]
 * outputs: logits, logprobs, probabilities float32 [R, vocab] · top_logits float32 and top_ids int32
 *          [R, min(TOP_COUNT, vocab)], best first, equal values by id · present.{i}.key / .value (same buffers as the inputs)
 *          · of mixtures of experts: routed_experts int32 [B·S, layers, experts a position], best first
 */
export const GRAPH = {
  inputIds: 'input_ids',
  seqlensK: 'seqlens_k',
  totalSequenceLength: 'total_sequence_length',
  logitRows: 'logit_rows',
  inverseTemperature: 'inverse_temperature',
  logits: 'logits',
  logprobs: 'logprobs',
  probabilities: 'probabilities',
  topLogits: 'top_logits',
  topIds: 'top_ids',
  routedExperts: 'routed_experts',
  pastKey: (layer: number): string => `past_key_values.${layer}.key`,
  pastValue: (layer: number): string => `past_key_values.${layer}.value`,
  presentKey: (layer: number): string => `present.${layer}.key`,
  presentValue: (layer: number): string => `present.${layer}.value`,
} as const;

/** Entries of `top_logits` and `top_ids`, or the vocabulary's size when that is smaller. */
export const TOP_COUNT = 64;
