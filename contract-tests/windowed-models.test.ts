/** Models whose layers look back over a window: prompts prefilled together and in pieces give what each gives alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import { type RecordedRun, unpackCheckpoint } from '../src/model/testing/checkpoints.js';
import { Caller } from './client.js';
import { type RunningServer, startTito } from './own-server.js';

describe.each(['mistral', 'gemma2', 'gemma3'])('%s', (name) => {
  let folder: string;
  let run: RecordedRun;
  const servers: RunningServer[] = [];
  let callers: Caller[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tito-windows-'));
    const checkpoint = await unpackCheckpoint(name, folder);
    run = checkpoint.runs.at(-1)!;
    const args = [checkpoint.folder, '--enable-scale-out', '--tokens-only', '--dtype', 'float32'];
    for (const more of [
      ['--max-num-batched-tokens', '16'],
      ['--max-num-seqs', '1'],
    ])
      servers.push(await startTito([...args, ...more], { TITO_CACHE: folder }));
    callers = servers.map(({ url }) => new Caller(url));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true });
  });

  it('answers a crowd as it answers one', async () => {
    const requests = Array.from(
      { length: 12 },
      (_, i): GenerateRequest => ({
        token_ids: run.ids.slice(i % 3, 2 + i * 2),
        sampling_params: {
          temperature: 0,
          max_tokens: 12,
          ignore_eos: true,
          logprobs: 1,
          prompt_logprobs: 0,
        },
      }),
    );
    const [crowd, single] = callers as [Caller, Caller];
    const together = await Promise.all(requests.map((request) => crowd.generate(request)));
    for (const [i, request] of requests.entries()) {
      const { choices, prompt_logprobs } = await single.generate(request);
      expect(together[i]!.choices).toEqual(choices);
      expect(together[i]!.prompt_logprobs).toEqual(prompt_logprobs);
    }
  });
});
