/** The default model, fetched when it is not cached: its known answers, and that company changes nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Caller, framesOf, idsOf } from './client.js';
import { type RunningServer, startTito } from './own-server.js';

const CHAT = [1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 47, 2, 198, 1, 520, 9531, 198];
const ANSWER = [504, 3575, 282, 4649, 314, 7042, 30, 2];

describe.each(['float32', 'auto', 'int8'])('the default model, --dtype %s', (dtype) => {
  let server: RunningServer;
  let caller: Caller;

  beforeAll(async () => {
    server = await startTito(['--enable-scale-out', '--dtype', dtype, '--max-model-len', '2048']);
    caller = new Caller(server.url);
  }, 600_000);
  afterAll(() => server?.stop());

  it('answers the question of the README', async () => {
    const request = {
      token_ids: CHAT,
      sampling_params: { temperature: 0, max_tokens: 32 },
      output_mode: 'text' as const,
    };
    const { choices, usage } = await caller.generate(request);
    expect(choices[0]).toMatchObject({
      token_ids: ANSWER,
      finish_reason: 'stop',
      stop_reason: null,
      text: 'The capital of France is Paris.',
    });
    expect(usage).toMatchObject({ prompt_tokens: 16, completion_tokens: 8, total_tokens: 24 });
  });

  it('gives 32 streams of different lengths at once what each gives alone', async () => {
    const requests = Array.from({ length: 32 }, (_, i) => ({
      token_ids: Array.from({ length: 2 + i * 5 }, (_, j) => 100 + ((i * 31 + j * 7919) % 40_000)),
      sampling_params: { temperature: 0, ignore_eos: true, max_tokens: 8 + (i >> 1), logprobs: 1 },
    }));
    const together = await Promise.all(requests.map((request) => framesOf(caller.stream(request))));
    for (const [i, request] of requests.entries()) {
      const alone = await framesOf(caller.stream(request));
      expect(idsOf(together[i]!)).toEqual(idsOf(alone));
      expect(logprobsOf(together[i]!)).toEqual(logprobsOf(alone));
    }
    // About 5,000 tokens of prompts and 1,000 decoded, half of them one at a time, while other tests run.
  }, 240_000);
});

function logprobsOf(frames: Awaited<ReturnType<typeof framesOf>>): unknown[] {
  return frames.flatMap((frame) =>
    'chunk' in frame ? frame.chunk.choices.map(({ logprobs }) => logprobs) : [],
  );
}
