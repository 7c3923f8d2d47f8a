import { describe, expect, it } from 'vitest';
import { eventually } from '../../../contract-tests/client.js';
import { tinyServer } from '../../../contract-tests/tiny-server.js';
import { BadRequestError, NotFoundError, Tito } from '../src/index.js';

const tiny = tinyServer();
const client = (): Tito => new Tito({ baseUrl: tiny.server.url });
const prompt = {
  token_ids: [1, 90, 91, 92],
  sampling_params: { temperature: 0, max_tokens: 24, ignore_eos: true },
};
const endless = { ...prompt, sampling_params: { ...prompt.sampling_params, max_tokens: 1900 } };
const chatRequest = {
  messages: [{ role: 'user', content: 'the cat' }],
  temperature: 0,
  max_tokens: 12,
  ignore_eos: true,
};
const isIdle = async (): Promise<boolean> => (await tiny.caller.metric('vllm:num_requests_running')) === 0;

describe('against a server', () => {
  it('a stream merges to the whole answer', async () => {
    const asked = { ...prompt, sampling_params: { ...prompt.sampling_params, logprobs: 2 } };
    const whole = await client().generate(asked);
    const stream = client().stream({
      ...asked,
      return_token_ids: true,
      stream_options: { include_usage: true },
    });
    const [choice] = await stream.result();
    expect(choice).toEqual(whole.choices[0]);
    expect(choice!.token_ids!.length).toBe(24);
    expect(stream.promptTokenIds).toEqual(prompt.token_ids);
    expect(stream.usage).toEqual(whole.usage);
  });

  it('the models, and the texts of ids', async () => {
    const [model] = (await client().models()).data;
    expect(model!.max_model_len).toBe(2048);
    const { tokens } = (await (await tiny.caller.post('/tokenize', { prompt: 'the cat' })).json()) as {
      tokens: number[];
    };
    const logprobs = { content: tokens.map((token_id) => ({ token_id, logprob: 0 })) };
    const choices = [{ index: 0, token_ids: tokens, logprobs, finish_reason: 'length' as const }];
    const [text] = (await client().derenderCompletion({ generate_responses: [{ choices }] })).choices;
    expect(text!.text).toBe('the cat');
    expect(text!.logprobs!.tokens!.join('')).toBe('the cat');
    expect(text!.logprobs!.tokens!.length).toBe(tokens.length);
  });

  it('break frees the server', async () => {
    for await (const _ of client().stream(endless)) break;
    await eventually(isIdle, 2000);
  });

  it('the signal ends a stream with the last chunk of the server', async () => {
    const controller = new AbortController();
    const stream = client().stream(endless, { signal: controller.signal });
    for await (const _ of stream) if (stream.choices[0]!.token_ids!.length >= 3) controller.abort();
    const [choice] = stream.choices;
    expect(choice!.finish_reason).toBe('abort');
    expect(choice!.weight_versions).toEqual([
      { version: 'default', start: 0, end: choice!.token_ids!.length },
    ]);
    await eventually(isIdle, 2000);
  });

  it('the signal ends a call with the ids so far', async () => {
    const controller = new AbortController();
    const answering = client().generate(endless, { signal: controller.signal });
    await eventually(async () => !(await isIdle()), 2000);
    controller.abort();
    const [choice] = (await answering).choices;
    expect(choice!.finish_reason).toBe('abort');
    expect(choice!.token_ids!.length).toBeLessThan(1900);
  });

  it('errors say what the server says', async () => {
    const hot = { ...prompt, sampling_params: { temperature: 9 } };
    await expect(client().generate(hot)).rejects.toThrow(BadRequestError);
    await expect(client().stream(hot).result()).rejects.toThrow(BadRequestError);
    await expect(client().generate({ ...prompt, model: 'no' })).rejects.toThrow(NotFoundError);
  });

  it('a chat is rendered, generated and derendered', async () => {
    const { rendered, generated, completion } = await client().chat(chatRequest);
    expect(rendered.token_ids.length).toBeGreaterThan(5);
    const ids = generated.choices[0]!.token_ids!;
    expect(ids.length).toBe(12);
    const text = await client().http.POST('/detokenize', { body: { tokens: ids } });
    expect(completion.choices[0]!.message.content).toBe(text.data!.prompt.replaceAll(/<\|[a-z_]+\|>/g, ''));
    expect(completion.usage).toMatchObject({
      prompt_tokens: rendered.token_ids.length,
      completion_tokens: 12,
    });
  });

  it('a streamed chat says the same as the whole one, for each sequence', async () => {
    const asked = { ...chatRequest, temperature: 1, seed: 3, n: 2 };
    const { completion, generated } = await client().chat(asked);
    const texts = ['', ''];
    const ids: number[][] = [[], []];
    for await (const piece of client().chatStream(asked)) {
      for (const { index, delta } of piece.chunk.choices) texts[index] += delta.content ?? '';
      for (const { index, token_ids } of piece.generated.choices) ids[index]!.push(...(token_ids ?? []));
    }
    expect(ids).toEqual(generated.choices.map(({ token_ids }) => token_ids));
    expect(texts).toEqual(completion.choices.map(({ message }) => message.content));
    expect(texts[0]).not.toBe(texts[1]);
  });
});
