import express, { type ErrorRequestHandler } from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '../errors.js';
import { Contract } from './contract.js';
import { Validator } from './validate.js';

const contract = new Contract();
const app = express();
app.use(express.json());
const validator = new Validator(contract);
for (const operation of contract.operations) {
  if (!operation.body) continue;
  app.post(operation.path, validator.of(operation), (_request, response) => void response.json(null));
}
const answer: ErrorRequestHandler = (error: ApiError, _request, response, _next) => {
  response.status(400).json([error.type, error.param]);
};
app.use(answer);

/** Type and param of the error that a body gets; null when it is let through. */
async function fault(path: string, body: object): Promise<unknown> {
  return (await request(app).post(path).send(body)).body;
}

const user = { role: 'user', content: 'hi' };

describe('generate', () => {
  const generate = (body: object) => fault('/inference/v1/generate', body);
  const sampling = (params: object) => generate({ token_ids: [1], sampling_params: params });

  it.each([
    [{ token_ids: ['1'], sampling_params: {} }, 'Bad Request', 'body.token_ids.0'],
    [{ token_ids: [1.5], sampling_params: {} }, 'Bad Request', 'body.token_ids.0'],
    [{ token_ids: [-1], sampling_params: {} }, 'Bad Request', 'body.token_ids'],
    [{ token_ids: [], sampling_params: {} }, 'Bad Request', 'body.token_ids'],
    [{ sampling_params: {} }, 'Bad Request', 'body.token_ids'],
    [{ token_ids: [1] }, 'Bad Request', 'body.sampling_params'],
    [{ token_ids: [1], sampling_params: {}, output_mode: 'x' }, 'Bad Request', 'body.output_mode'],
    [{ token_ids: [1], sampling_params: {}, cache_salt: 5 }, 'BadRequestError', 'cache_salt'],
    [{ token_ids: [1], sampling_params: {}, cache_salt: '' }, 'BadRequestError', 'cache_salt'],
    [{ token_ids: [1], sampling_params: {}, cache_salt: 'a@b' }, 'BadRequestError', 'cache_salt'],
    [{ token_ids: [1], sampling_params: {}, cache_salt: 'a\\b' }, 'BadRequestError', 'cache_salt'],
  ])('%j is a %s of %s', async (body, type, param) => {
    expect(await generate(body)).toEqual([type, param]);
  });

  it.each([
    [{ temperature: 3 }, 'BadRequestError', 'temperature'],
    [{ temperature: 'hot' }, 'Bad Request', 'body.sampling_params'],
    [{ temperature: null }, 'Bad Request', 'body.sampling_params'],
    [{ min_p: -1 }, 'BadRequestError', null],
    [{ max_tokens: 0 }, 'BadRequestError', 'max_tokens'],
    [{ stop: [''] }, 'BadRequestError', null],
    [{ seed: 1e30 }, 'BadRequestError', null],
    [{ stop_token_ids: ['2'] }, 'Bad Request', 'body.sampling_params'],
  ])('sampling_params %j is a %s of %s', async (params, type, param) => {
    expect(await sampling(params)).toEqual([type, param]);
  });

  it.each([
    {},
    { unheard_of: 1 },
    { max_tokens: null, stop: null, seed: null },
    { max_tokens: 3.0, seed: -(2 ** 63) },
  ])('sampling_params %j pass', async (params) => expect(await sampling(params)).toBeNull());
});

describe('chats and texts', () => {
  it.each([
    [{ messages: [] }, 'BadRequestError', null],
    [{ messages: 'hi' }, 'Bad Request', 'body.messages'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'Bad Request', 'body.messages.0.content'],
    [{ messages: [{ content: 'hi' }] }, 'Bad Request', 'body.messages.0.role'],
    [{ messages: [user], max_tokens: 0 }, 'BadRequestError', 'max_tokens'],
    [{ messages: [user], temperature: 2.5 }, 'BadRequestError', 'temperature'],
    [{ messages: [user], tools: [] }, 'BadRequestError', 'tools'],
    [{ messages: [user], tool_choice: 'bogus' }, 'BadRequestError', 'tool_choice'],
    [{ messages: [user], response_format: { type: 'x' } }, 'Bad Request', 'body.response_format.type'],
  ])('chat %j is a %s of %s', async (body, type, param) => {
    expect(await fault('/v1/chat/completions/render', body)).toEqual([type, param]);
  });

  it.each([
    [{ prompt: ['a', [5]] }, 'Bad Request', 'body.prompt.0'],
    [{ prompt: [-3] }, 'Bad Request', 'body.prompt.0'],
    [{ prompt: 5 }, 'Bad Request', 'body.prompt'],
    [{ prompt: 'a', max_tokens: 0 }, 'BadRequestError', 'max_tokens'],
  ])('completion %j is a %s of %s', async (body, type, param) => {
    expect(await fault('/v1/completions/render', body)).toEqual([type, param]);
  });

  it.each(['a', ['a', 'b'], [1, 2], [[1], [2, 3]]])('prompt %j passes', async (prompt) => {
    expect(await fault('/v1/completions/render', { prompt, temperature: null, n: 2 })).toBeNull();
  });

  it('ids out of range name the item', async () => {
    expect(await fault('/detokenize', { tokens: [1, -1] })).toEqual(['Bad Request', 'body.tokens.1']);
  });
});
