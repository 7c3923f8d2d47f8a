import type { Engine, PromptInfo } from '../engine/index.js';
import { type ChoiceNews, ChoiceReader } from './choice-reader.js';
import type { ParsedGenerate } from './parse-request.js';
import type { GenerateSettings } from './settings.js';

/** News of the sequences of a request, as they come; `prompt` is there once the prompt was computed. */
export interface Answer extends AsyncIterable<ChoiceNews> {
  readonly prompt: PromptInfo | null;
  /** Output ids told so far, of all sequences. */
  readonly completionTokens: number;
}

/**
 * Submit a request and read what comes. Throws an ApiError at once when the engine takes no requests. Leaving the
 * iteration early aborts the request.
 */
export function answerOf(
  parsed: ParsedGenerate,
  engine: Engine,
  settings: GenerateSettings,
  signal: AbortSignal,
): Answer {
  const { engineRequest, text } = parsed;
  const generation = engine.generate(engineRequest, signal);
  const readers = Array.from(
    { length: engineRequest.sampling.n },
    (_, index) => new ChoiceReader(index, engineRequest.tokenIds, text, settings.tokenizer),
  );
  const state: { prompt: PromptInfo | null; completionTokens: number } = {
    prompt: null,
    completionTokens: 0,
  };
  async function* news(): AsyncGenerator<ChoiceNews> {
    for await (const event of generation) {
      state.prompt ??= event.prompt;
      const choice = readers[event.index]!.read(event, generation);
      if (!choice) continue;
      state.completionTokens += choice.tokenIds.length;
      yield choice;
    }
  }
  return {
    get prompt() {
      return state.prompt;
    },
    get completionTokens() {
      return state.completionTokens;
    },
    [Symbol.asyncIterator]: news,
  };
}
