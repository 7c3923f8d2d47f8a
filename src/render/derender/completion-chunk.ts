import { randomBytes } from 'node:crypto';
import type {
  CompletionChunk,
  CompletionRequest,
  DerenderableChunk,
  DerenderCompletionChunkResponse,
  DerenderCompletionRequest,
} from '../../../generated/types.js';
import { schemaFault, valueFault } from '../../errors.js';
import { checkServed } from '../request-fields.js';
import type { RenderSettings } from '../settings.js';
import { checkPromptLength } from './bounds.js';
import { completionDecoding, topOf } from './completion.js';
import type { Decoding } from './decoding.js';
import { chatLogprobs, completionLogprobs } from './logprobs.js';
import { SequenceStream } from './sequence-stream.js';
import { type StreamState, wireState } from './stream-state.js';
import { chunkUsage } from './usage.js';

/** One chunk of generate to one chunk of a text completion, and the state for the next (`derenderCompletion`). Throws a 400 or 404. */
export function derenderCompletionChunk(
  body: DerenderCompletionRequest,
  settings: RenderSettings,
): DerenderCompletionChunkResponse {
  const { generate_chunk: chunk, completion_request: request, stream_state: wire = null } = body;
  if (!chunk) throw schemaFault('body.generate_chunk', 'generate_chunk is needed with stream: true.');
  const given = onePrompt(body.prompt_token_ids);
  checkServed(body.model, settings);
  checkPromptLength(given, settings.maxModelLen);
  if (request?.stop?.length) {
    throw valueFault(
      'stop',
      'Stop strings can not be found one chunk at a time: derender the whole answer, or generate with output_mode text.',
    );
  }
  const stream = new CompletionStream(request ?? null, settings);
  const promptIds = given ?? chunk.prompt_token_ids ?? null;
  const promptTokens = typeof body.prompt_tokens === 'number' ? body.prompt_tokens : null;
  const { chunk: derendered, state } = stream.derender(chunk, stream.begin({ wire, promptIds }), {
    model: body.model || settings.servedModelNames[0]!,
    promptTokens,
  });
  return { chunk: derendered, stream_state: wireState(state) };
}

function onePrompt(ids: DerenderCompletionRequest['prompt_token_ids']): number[] | null {
  if (!ids) return null;
  if (ids.some((id) => typeof id !== 'number')) {
    throw schemaFault('body.prompt_token_ids', 'With stream: true, prompt_token_ids is one list of ids.');
  }
  return ids as number[];
}

/** A text completion that is derendered chunk by chunk, one state a sequence. */
export class CompletionStream {
  readonly #decoding: Decoding;
  readonly #sequence: SequenceStream;

  constructor(
    private readonly request: CompletionRequest | null,
    settings: RenderSettings,
  ) {
    this.#decoding = completionDecoding(request, settings);
    this.#sequence = new SequenceStream(this.#decoding, null, settings);
  }

  /** The state that a call begins with. Throws a 400. */
  begin(input: Parameters<SequenceStream['begin']>[0]): StreamState {
    return this.#sequence.begin(input);
  }

  /** One chunk of generate. Throws a 400 for more than one choice. */
  derender(
    chunk: DerenderableChunk,
    before: StreamState,
    shown: { model: string; promptTokens: number | null },
  ): { chunk: CompletionChunk; state: StreamState } {
    if (chunk.choices.length > 1) throw valueFault(null, 'generate_chunk may hold one choice at most.');
    const news = chunk.choices.map((choice) => {
      const { text, state } = this.#sequence.add(before, choice);
      const { tokenizer } = this.#decoding;
      const described = chatLogprobs(tokenizer, choice.logprobs, before.context, topOf(this.request));
      return {
        state,
        choice: {
          index: choice.index,
          text,
          logprobs: completionLogprobs(described, before.offset),
          finish_reason: choice.finish_reason ?? null,
          stop_reason: choice.stop_reason ?? null,
        },
      };
    });
    return {
      chunk: {
        id: chunk.request_id ?? randomBytes(8).toString('hex'),
        object: 'text_completion',
        created: Math.floor(Date.now() / 1000),
        model: shown.model,
        choices: news.map(({ choice }) => choice),
        usage: chunkUsage(chunk.usage, shown.promptTokens),
        metrics: chunk.metrics ?? null,
      },
      state: news[0]?.state ?? before,
    };
  }
}
