/** How a kind of server is asked for tokens, and how many a chunk of its answer brings. */
export interface Wire {
  path: string;
  /** A streamed request for exactly `outputTokens` sampled tokens. */
  body(prompt: readonly number[], outputTokens: number): object;
  /** Tokens that a chunk brings. A server of texts may hold some back, so that not every token has a chunk. */
  tokensOf(chunk: unknown): number;
}

interface TitoChunk {
  choices?: Array<{ token_ids?: number[] | null }>;
}

/** POST /inference/v1/generate: ids in, ids out. */
export const tokensInTokensOut: Wire = {
  path: '/inference/v1/generate',
  body: (token_ids, outputTokens) => ({
    token_ids,
    stream: true,
    sampling_params: { max_tokens: outputTokens, ignore_eos: true, temperature: 1 },
  }),
  tokensOf: (chunk) => (chunk as TitoChunk).choices?.[0]?.token_ids?.length ?? 0,
};

interface CompletionChunk {
  choices?: Array<{ text?: string; finish_reason?: string | null }>;
}

/** A last chunk that only says why may follow that of the last token. */
const bringsToken = ({ choices }: CompletionChunk): boolean => {
  const choice = choices?.[0];
  return choice !== undefined && (choice.text !== '' || choice.finish_reason === null);
};

/** POST /v1/completions with a prompt of ids. */
export function openAiCompletions(model: string): Wire {
  return {
    path: '/v1/completions',
    body: (prompt, outputTokens) => ({
      model,
      prompt,
      stream: true,
      max_tokens: outputTokens,
      ignore_eos: true,
      temperature: 1,
      cache_prompt: false,
    }),
    tokensOf: (chunk) => (bringsToken(chunk as CompletionChunk) ? 1 : 0),
  };
}
