import type { OperationContext } from '../../../generated/server/operation.js';
import { answerOf } from '../../tokens/answer.js';
import { fullResponse } from '../../tokens/full-response.js';
import { type ParsedGenerate, parseGenerateRequest } from '../../tokens/parse-request.js';
import { streamResponse } from '../../tokens/stream-response.js';
import { envelope, toApiError } from '../error-exit.js';
import { exactInteger } from '../exact-numbers.js';
import { EventStream } from '../sse.js';
import { type LoadedModel, requireLoaded, type ServerState } from '../state.js';
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
    if (parsed.stream) await stream(state, context, parsed, answer, loaded);
    else await whole(context, parsed, answer, loaded);
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

/** Nothing is written before there is something to say, so that an early error keeps its status. */
async function stream(
  state: ServerState,
  context: Context,
  parsed: ParsedGenerate,
  answer: Observed,
  loaded: LoadedModel,
): Promise<void> {
  const chunks = streamResponse(parsed, answer, loaded.settings);
  let next = await chunks.next();
  const events = new EventStream(context.response);
  try {
    for (; !next.done; next = await chunks.next()) await events.send(next.value);
  } catch (error) {
    state.log.error({ err: error, requestId: parsed.requestId }, 'stream failed');
    await events.send(envelope(toApiError(error, state.config.maxBodySize ?? 0)));
  } finally {
    await events.done();
  }
}
