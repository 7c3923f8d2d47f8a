import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type RunningServer, startRenderServer, startTito } from '../contract-tests/own-server.js';
import { tinyServer } from '../contract-tests/tiny-server.js';
import { packageRoot } from '../src/package-info.js';

const run = async (program: string, name: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, [join(packageRoot, 'examples', name), ...args])).stdout;

const tiny = tinyServer(['--enable-rl-control', '--served-model-name', 'tiny']);
const question = {
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
  temperature: 0,
  max_tokens: 32,
};

interface Sample {
  prompt: number[];
  ids: number[];
  logprobs: number[];
  weight_versions: { version: string; start: number; end: number }[];
  advantage: number;
}

async function expectedIds(): Promise<number[]> {
  const rendered = await (await tiny.caller.post('/v1/chat/completions/render', question)).json();
  return (await tiny.caller.generate(rendered as { token_ids: number[]; sampling_params: object }))
    .choices[0]!.token_ids!;
}

describe('the examples', () => {
  it('quickstart prints the answer and its ids', async () => {
    const out = await run(process.execPath, 'quickstart.mjs', tiny.server.url);
    expect(JSON.parse(out.trimEnd().split('\n').at(-1)!)).toEqual(await expectedIds());
  });

  it('client.py prints the ids', async () => {
    const out = await run('python3', 'client.py', tiny.server.url);
    expect(out.trim().split(/\s+/).map(Number)).toEqual(await expectedIds());
  });

  it('rollout-worker finishes a group over a change of weights', async () => {
    const out = await run(process.execPath, 'rollout-worker.mjs', tiny.server.url);
    const samples = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Sample);
    expect(samples.length).toBe(4);
    for (const { ids, logprobs, weight_versions } of samples) {
      expect(logprobs.length).toBe(ids.length);
      expect(weight_versions.map(({ version }) => version)).toEqual(['default', 'step-1']);
      expect(weight_versions[0]!.start).toBe(0);
      expect(weight_versions[1]!.start).toBe(weight_versions[0]!.end);
      expect(weight_versions[1]!.end).toBe(ids.length);
    }
    expect(samples.reduce((sum, { advantage }) => sum + advantage, 0)).toBeCloseTo(0);
  });

  it('gateway answers as one server does, whole, streamed and with its errors', async () => {
    const model = join(tiny.folder, 'tiny-F32-1.gguf');
    const name = ['--served-model-name', 'tiny'];
    const cache = { TITO_CACHE: tiny.folder };
    const servers: RunningServer[] = await Promise.all([
      startRenderServer([model, ...name], cache),
      startTito([model, '--tokens-only', ...name], cache),
    ]);
    const args = [join(packageRoot, 'examples', 'gateway.mjs'), ...servers.map(({ url }) => url), '0'];
    const gateway = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [url] = (await once(createInterface(gateway.stdout), 'line')) as [string];
      const post = async (body: unknown): Promise<Response> =>
        fetch(url, { method: 'POST', body: JSON.stringify(body) });
      const one = (await (await tiny.caller.post('/v1/chat/completions', question)).json()) as Answer;
      const two = (await (await post(question)).json()) as Answer;
      expect(two.choices[0]!.message).toEqual(one.choices[0]!.message);
      const streamed = await (await post({ ...question, stream: true })).text();
      const frames = streamed.split('\n\n').filter((text) => text.startsWith('data: {'));
      const pieces = frames.map(
        (text) => (JSON.parse(text.slice(6)) as Piece).choices[0]?.delta.content ?? '',
      );
      expect(pieces.join('')).toBe(one.choices[0]!.message.content);
      expect(streamed.endsWith('data: [DONE]\n\n')).toBe(true);
      const wrong = await post({ ...question, temperature: 9 });
      expect(wrong.status).toBe(400);
      expect(await wrong.json()).toMatchObject({ error: { code: 400 } });
    } finally {
      gateway.kill();
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
});

interface Answer {
  choices: { message: { content: string } }[];
}
interface Piece {
  choices: { delta: { content?: string | null } }[];
}
