import { text as readAll } from 'node:stream/consumers';
import type { GenerateRequest, SamplingParams } from '../../generated/types.js';
import { Tito } from '../../packages/client/src/client.js';
import { ApiError, AuthenticationError, ConnectionError } from '../../packages/client/src/errors.js';
import { apiErrorOf } from '../../packages/client/src/transport.js';
import { StartupError } from '../errors.js';

export interface GenerateOptions {
  chat: boolean;
  ids?: number[];
  output: 'text' | 'tokens' | 'json';
  maxTokens: number;
  temperature?: number;
  /** JSON of sampling parameters. */
  sampling?: string;
  url: string;
  apiKey?: string;
}

/** Render the prompt, generate from it and print what comes, as it comes. Throws a StartupError that says what to do. */
export async function generate(
  text: string,
  options: GenerateOptions,
  out: NodeJS.WritableStream,
): Promise<void> {
  const { url: baseUrl, apiKey } = options;
  const sampling = samplingOf(options);
  const client = new Tito({ baseUrl, ...(apiKey === undefined ? {} : { apiKey }) });
  try {
    const rendered = await requestOf(client, text, options);
    const request = { ...rendered, sampling_params: { ...rendered.sampling_params, ...sampling } };
    await print(client, request, options.output, out);
  } catch (error) {
    throw explained(error, options);
  }
}

function samplingOf({ maxTokens, temperature, sampling }: GenerateOptions): SamplingParams {
  const more = sampling === undefined ? {} : jsonObject(sampling);
  return { max_tokens: maxTokens, ...(temperature === undefined ? {} : { temperature }), ...more };
}

function jsonObject(text: string): SamplingParams {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw new StartupError(`--sampling is not a JSON object: ${text}. Such as '{"seed": 7}', in quotes.`);
}

/** The prompt as ids: those given, or the server's rendering of the text. */
async function requestOf(
  client: Tito,
  given: string,
  { ids, chat }: GenerateOptions,
): Promise<GenerateRequest> {
  if (ids) return { token_ids: ids, sampling_params: {} };
  const text = given !== '' ? given : await fromInput();
  if (chat) return client.renderChat({ messages: [{ role: 'user', content: text }] });
  const { data, error, response } = await client.http.POST('/v1/completions/render', {
    body: { prompt: text },
  });
  if (data) return data[0]!;
  throw apiErrorOf(response, error);
}

async function fromInput(): Promise<string> {
  const text = process.stdin.isTTY ? '' : await readAll(process.stdin);
  if (text === '') {
    throw new StartupError(
      'No prompt. Give a text, token ids with --ids, or pipe a text in. See tito generate --help.',
    );
  }
  return text;
}

async function print(
  client: Tito,
  request: GenerateRequest,
  output: GenerateOptions['output'],
  out: NodeJS.WritableStream,
): Promise<void> {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  const { signal } = stopping;
  if (output === 'json') {
    out.write(`${JSON.stringify(await client.generate(request, { signal }), null, 2)}\n`);
    return;
  }
  const mode = output === 'text' ? { output_mode: 'text' as const } : {};
  let isFirst = true;
  for await (const { choices } of client.stream({ ...request, ...mode, stream: true }, { signal })) {
    // One sequence at a time can be read on a terminal.
    const choice = choices.find(({ index }) => index === 0);
    if (!choice) continue;
    const ids = choice.token_ids ?? [];
    if (output === 'text') out.write(choice.text ?? '');
    else if (ids.length > 0) out.write(`${isFirst ? '' : ' '}${ids.join(' ')}`);
    isFirst &&= ids.length === 0;
  }
  out.write('\n');
}

/** The server's own words, and what to do about them. */
function explained(error: unknown, { url, apiKey }: GenerateOptions): unknown {
  if (error instanceof ConnectionError || error instanceof TypeError) {
    return new StartupError(
      `Nothing answers at ${url}. Start a server with tito serve --enable-scale-out, or name one with --url.`,
    );
  }
  if (error instanceof AuthenticationError || (error instanceof ApiError && error.status === 401)) {
    return new StartupError(
      apiKey === undefined
        ? 'The server wants a key: give it with --api-key or TITO_API_KEY.'
        : 'The server refuses this key. Look at --api-key and TITO_API_KEY.',
    );
  }
  return error instanceof ApiError ? new StartupError(`${error.message} (${error.status})`) : error;
}
