/** OpenAI's own client for JavaScript against a server of the tiny model. */
import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { tinyServer } from './tiny-server.js';

const tiny = tinyServer();
const messages = [{ role: 'user' as const, content: 'hello' }];
const SAMPLING = { max_tokens: 8, temperature: 0, seed: 7 };

let client: OpenAI;
let model = '';

beforeAll(async () => {
  client = new OpenAI({ baseURL: `${tiny.server.url}/v1`, apiKey: 'none', maxRetries: 0 });
  model = (await client.models.list()).data[0]!.id;
});

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe('models', () => {
  it('lists the one that is served', async () => {
    const { data } = await client.models.list();
    expect(data).toMatchObject([{ id: model, object: 'model' }]);
    expect(model).not.toBe('');
  });
});

describe('chat.completions', () => {
  it('streams what it answers whole, and the usage last', async () => {
    const request = { model, messages, ...SAMPLING };
    const whole = await client.chat.completions.create(request);
    const [choice] = whole.choices;
    expect(whole.object).toBe('chat.completion');
    expect(whole.usage!.total_tokens).toBe(whole.usage!.prompt_tokens + whole.usage!.completion_tokens);

    const stream = { stream: true as const, stream_options: { include_usage: true } };
    const chunks = await all(await client.chat.completions.create({ ...request, ...stream }));
    const choices = chunks.flatMap((chunk) => chunk.choices);
    expect(choices[0]!.delta.role).toBe('assistant');
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe(choice!.message.content);
    expect(choices.at(-1)!.finish_reason).toBe(choice!.finish_reason);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { ...whole.usage } });
    expect(chunks.slice(0, -1).every(({ usage }) => !usage)).toBe(true);
  });

  it('is put together by its stream helper', async () => {
    const request = { model, messages, ...SAMPLING };
    const whole = await client.chat.completions.create(request);
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]!.message.content).toBe(whole.choices[0]!.message.content);
  });
});

describe('completions', () => {
  it('stream what they answer whole', async () => {
    const request = { model, prompt: 'the ', ...SAMPLING };
    const whole = await client.completions.create(request);
    expect(whole.object).toBe('text_completion');
    expect(whole.usage!.completion_tokens).toBeGreaterThan(0);
    const chunks = await all(await client.completions.create({ ...request, stream: true }));
    const choices = chunks.flatMap((chunk) => chunk.choices);
    expect(choices.map(({ text }) => text).join('')).toBe(whole.choices[0]!.text);
    expect(choices.at(-1)!.finish_reason).toBe(whole.choices[0]!.finish_reason);
  });
});

describe('errors', () => {
  it('of an unknown model say what is not there', async () => {
    const failure = client.chat.completions.create({ model: 'nobody', messages });
    await expect(failure).rejects.toBeInstanceOf(NotFoundError);
    await expect(failure).rejects.toMatchObject({ status: 404, message: expect.stringContaining('nobody') });
  });

  it('of a field come before the stream', async () => {
    const failure = client.chat.completions.create({ model, messages, temperature: -1, stream: true });
    await expect(failure).rejects.toBeInstanceOf(BadRequestError);
    await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('temperature') });
  });
});
