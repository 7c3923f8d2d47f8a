import type { OperationContext } from '../../../generated/server/operation.js';
import { answerOf } from '../../tokens/answer.js';
import { fullResponse } from '../../tokens/full-response.js';
import { type ParsedGenerate, parseGenerateRequest } from '../../tokens/parse-request.js';
import { streamResponse } from '../../tokens/stream-response.js';
import { exactInteger } from '../exact-numbers.js';
import { type LoadedModel, requireLoaded, type ServerState } from '../state.js';
import { eventAnswer } from './event-answer.js';
import { type Observed, observed } from './observed.js';

type Context = OperationContext<'generate'>;

/** POST /inference/v1/generate: parse → engine → one body, or chunks. */
export async function generate(state: ServerState, context: Context): Promise<void> {
  const loaded = requireLoaded(state);
  const { request, response } = context;
  const headers = {
    requestId: request.get('x-request-id'),
    dataParallelRank: request.get('x-data-parallel-rank'),
  };
  const exact = { seed: exactInteger(request, ['sampling_params', 'seed']) };
  const parsed = parseGenerateRequest(context.body, headers, exact, loaded.settings);
  const { structuredOutput } = parsed.engineRequest.sampling;
  if (structuredOutput) await loaded.settings.grammars?.check(structuredOutput);
  await state.inFlight.run(parsed.requestId, response, async (signal) => {
    const answer = observed(answerOf(parsed, loaded.engine, loaded.settings, signal), parsed, state);
    if (parsed.stream) {
      const chunks = streamResponse(parsed, answer, loaded.settings);
      await eventAnswer(state, response, parsed.requestId, chunks);
    } else await whole(context, parsed, answer, loaded);
  });
}

async function whole(
  context: Context,
  parsed: ParsedGenerate,
  answer: Observed,
  loaded: LoadedModel,
): Promise<void> {
  const body = await fullResponse(parsed, answer, loaded.settings);
  if (!context.response.destroyed) context.reply(200, body);
}
