import type { CompletionsApi } from '../../../generated/server/completions.js';
import type { OperationContext } from '../../../generated/server/operation.js';
import type { GenerateRequest } from '../../../generated/types.js';
import { ChatAnswer } from '../../openai/chat-answer.js';
import { TextAnswer } from '../../openai/text-answer.js';
import { renderChat } from '../../render/chat-request.js';
import { renderCompletion } from '../../render/completion-request.js';
import { answerOf } from '../../tokens/answer.js';
import { type ParsedGenerate, parseGenerateRequest } from '../../tokens/parse-request.js';
import { bodyWithExactNumbers, exactInteger } from '../exact-numbers.js';
import { type LoadedModel, requireLoaded, requireRender, type ServerState } from '../state.js';
import { eventAnswer } from './event-answer.js';
import { observed } from './observed.js';

type Context = OperationContext<'chatCompletion'> | OperationContext<'completion'>;
type Request = Context['request'];

/** `/v1/chat/completions` and `/v1/completions`: render → generate → derender inside one process. */
export function completionsHandlers(state: ServerState): CompletionsApi {
  return {
    chatCompletion: (context) => chatCompletion(state, context),
    completion: (context) => completion(state, context),
  };
}

async function chatCompletion(
  state: ServerState,
  context: OperationContext<'chatCompletion'>,
): Promise<void> {
  const loaded = requireLoaded(state);
  const render = requireRender(state);
  const body = exactBut(context.request, context.body);
  const rendered = await renderChat(body, { requestId: context.request.get('x-request-id') }, render);
  const parsed = await parse(rendered, context, loaded);
  await state.inFlight.run(parsed.requestId, context.response, async (signal) => {
    const answer = observed(answerOf(parsed, loaded.engine, loaded.settings, signal), parsed, state);
    const chat = new ChatAnswer(body, parsed, loaded.settings, render);
    if (parsed.stream) return eventAnswer(state, context.response, parsed.requestId, chat.chunks(answer));
    const whole = await chat.whole(answer);
    if (!context.response.destroyed) context.reply(200, whole);
  });
}

async function completion(state: ServerState, context: OperationContext<'completion'>): Promise<void> {
  const loaded = requireLoaded(state);
  const body = exactBut(context.request, context.body);
  const headers = { requestId: context.request.get('x-request-id') };
  const rendered = await renderCompletion(body, headers, requireRender(state));
  const parsed: ParsedGenerate[] = [];
  for (const one of rendered) parsed.push(await parse(one, context, loaded));
  const id = rendered.length === 1 ? rendered[0]!.request_id! : rendered[0]!.request_id!.replace(/-0$/, '');
  await state.inFlight.run(id, context.response, async (signal) => {
    const prompts = parsed.map((one) => ({
      parsed: one,
      answer: observed(answerOf(one, loaded.engine, loaded.settings, signal), one, state),
    }));
    const text = new TextAnswer(body, id, prompts, loaded.settings);
    if (body.stream) return eventAnswer(state, context.response, id, text.chunks());
    const whole = await text.whole();
    if (!context.response.destroyed) context.reply(200, whole);
  });
}

/** The body with exact numbers where a template prints them; the seed goes its own way. */
function exactBut<Body extends { seed?: number | null }>(request: Request, body: Body): Body {
  const exact = bodyWithExactNumbers(request, body);
  return body.seed === undefined ? exact : { ...exact, seed: body.seed };
}

/** The rendered request as generate understands it, in the mode `text`, under its own id. Throws a 400. */
async function parse(
  { request_id, ...rendered }: GenerateRequest,
  { request }: Context,
  { settings }: LoadedModel,
): Promise<ParsedGenerate> {
  const headers = { requestId: undefined, dataParallelRank: request.get('x-data-parallel-rank') };
  const exact = { seed: exactInteger(request, ['seed']) };
  const parsed = parseGenerateRequest({ ...rendered, output_mode: 'text' }, headers, exact, settings);
  const { structuredOutput } = parsed.engineRequest.sampling;
  if (structuredOutput) await settings.grammars?.check(structuredOutput);
  return { ...parsed, requestId: request_id! };
}
