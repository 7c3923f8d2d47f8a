/** Defaults of sampling from a generation config. */
import { describe, expect, it } from 'vitest';
import { tinyServer } from './tiny-server.js';

const PROMPT = [40, 41, 42, 43];

describe('a generation config beside the model', () => {
  const tiny = tinyServer([], {
    beside: { 'generation_config.json': { max_new_tokens: 5, temperature: 0.01, eos_token_id: [2, 9] } },
  });

  it('bounds the output of requests without max_tokens, and only those', async () => {
    const length = async (max_tokens?: number): Promise<number> => {
      const sampling_params = { ignore_eos: true, ...(max_tokens && { max_tokens }) };
      const answer = await tiny.caller.generate({ token_ids: PROMPT, sampling_params });
      return answer.choices[0]!.token_ids!.length;
    };
    expect(await length()).toBe(5);
    expect(await length(7)).toBe(7);
  });

  it('leaves the temperature of token requests alone: they say themselves what they want', async () => {
    const outputs = await Promise.all(
      Array.from({ length: 8 }, (_, seed) =>
        tiny.caller.generate({ token_ids: PROMPT, sampling_params: { seed, ignore_eos: true } }),
      ),
    );
    expect(new Set(outputs.map(({ choices }) => choices[0]!.token_ids!.join())).size).toBeGreaterThan(1);
  });

  it('adds end ids: told as stop reasons, held back by min_tokens, passed over with ignore_eos', async () => {
    const ask = async (more: object): Promise<unknown> => {
      const sampling_params = { temperature: 0, max_tokens: 4, logit_bias: { '9': 100 }, ...more };
      return (await tiny.caller.generate({ token_ids: PROMPT, sampling_params })).choices[0];
    };
    expect(await ask({})).toMatchObject({ token_ids: [9], finish_reason: 'stop', stop_reason: 9 });
    const held = (await ask({ min_tokens: 3 })) as { token_ids: number[] };
    expect(held.token_ids.slice(0, 3)).not.toContain(9);
    expect(held.token_ids[3]).toBe(9);
    expect(await ask({ ignore_eos: true })).toMatchObject({
      token_ids: [9, 9, 9, 9],
      finish_reason: 'length',
    });
  });
});

describe('--override-generation-config', () => {
  const tiny = tinyServer(['--override-generation-config', '{"max_new_tokens": 3}']);

  it('wins over what the model says', async () => {
    const answer = await tiny.caller.generate({ token_ids: PROMPT, sampling_params: { ignore_eos: true } });
    expect(answer.choices[0]!.token_ids).toHaveLength(3);
  });
});
