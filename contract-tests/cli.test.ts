/** The command line as its users have it: a process, pipes, and a server of the tiny model. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { GenerateResponse } from '../generated/types.js';
import { eventually } from './client.js';
import { startMock } from './own-server.js';
import { tinyServer } from './tiny-server.js';
import { type Ended, tito } from './tito.js';

const KEY = 'cli-key';
const tiny = tinyServer(['--api-key', KEY]);

/** With the server's address and key in the environment. */
const asking = (args: readonly string[], input = ''): Promise<Ended> =>
  tito(args, { TITO_URL: tiny.server.url, TITO_API_KEY: KEY }, input);
const GREEDY = ['--temperature', '0', '--max-tokens', '6', '--sampling', '{"ignore_eos": true}'];

describe('tito generate', () => {
  it('prints text, ids and the whole answer, all of the same tokens', async () => {
    const text = await asking(['generate', 'the cat', ...GREEDY]);
    const ids = await asking(['generate', 'the cat', ...GREEDY, '--output', 'tokens']);
    const json = await asking(['generate', 'the cat', ...GREEDY, '--output', 'json']);
    expect([text.code, ids.code, json.code, text.errors + ids.errors + json.errors]).toEqual([0, 0, 0, '']);
    const { token_ids } = (JSON.parse(json.out) as GenerateResponse).choices[0]!;
    expect(token_ids).toHaveLength(6);
    expect(ids.out).toBe(`${token_ids!.join(' ')}\n`);
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ tokens: token_ids });
    const shown = await fetch(`${tiny.server.url}/detokenize`, { ...asked, body });
    expect(text.out).toBe(`${((await shown.json()) as { prompt: string }).prompt}\n`);
  });

  it('takes the prompt from a pipe, or as ids', async () => {
    const [given, piped] = await Promise.all([
      asking(['generate', 'the cat', ...GREEDY]),
      asking(['generate', ...GREEDY], 'the cat'),
    ]);
    expect(piped).toEqual(given);
    const { code, out } = await asking(['generate', '--ids', '[5, 6,7]', ...GREEDY, '--output', 'json']);
    expect([code, (JSON.parse(out) as GenerateResponse).usage?.prompt_tokens]).toEqual([0, 3]);
  });

  it.each([
    ['no prompt', ['generate'], /No prompt\. Give a text, token ids with --ids, or pipe/],
    [
      'no server',
      ['generate', 'a', '--url', 'http://127.0.0.1:9'],
      /Nothing answers at http:\/\/127.0.0.1:9\. Start/,
    ],
    ['a wrong key', ['generate', 'a', '--api-key', 'x'], /refuses this key.*TITO_API_KEY/],
    ['sampling that is none', ['generate', 'a', '--sampling', '{'], /--sampling is not a JSON object/],
    [
      'a temperature that is none',
      ['generate', 'a', '--temperature', 'hot'],
      /must be a number of at least 0/,
    ],
    ['ids that are none', ['generate', '--ids', '1,x'], /Token ids are integers/],
    ['a length of 0', ['generate', 'a', '--max-tokens', '0'], /integer of at least 1/],
    ['an id beyond the vocabulary', ['generate', '--ids', '99999'], /99999.*\(400\)/],
  ])('%s: says what to do', async (_, args, message) => {
    const { code, out, errors } = await asking(args);
    expect(errors).toMatch(message);
    expect(errors).not.toMatch(/\n\s+at /);
    expect([code, out]).toEqual([1, '']);
  });

  it('ends the request at the server when its reader has enough', async () => {
    const long = ['--max-tokens', '1500', '--sampling', '{"ignore_eos": true}'];
    const cli = join('dist', 'src', 'cli.js');
    const line = [
      '"$0"',
      cli,
      'generate',
      'a',
      ...long.map((arg) => `'${arg}'`),
      '--output tokens | head -c 1',
    ];
    const env = { ...process.env, TITO_URL: tiny.server.url, TITO_API_KEY: KEY };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', line.join(' '), process.execPath], {
      env,
    });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^\d$/), '']);
    await eventually(async () => (await tiny.caller.metric('vllm:num_requests_running')) === 0, 5_000);
  });
});

describe('tito conform', () => {
  it('passes on a server of our own, and writes JUnit', async () => {
    const junit = join(tiny.folder, 'conform.xml');
    const { code, out, errors } = await asking(['conform', tiny.server.url, '--junit', junit]);
    expect(stripVTControlCharacters(out)).toBe(out);
    expect(out).not.toContain('✗');
    expect(out).toMatch(/\d+ left out: paths that stop or change the server are tried with --control/);
    const [, passed] = /(\d+) passed, 0 failed, 0 unsupported/.exec(out)!;
    expect(Number(passed)).toBeGreaterThan(45);
    expect([code, errors]).toEqual([0, '']);
    expect(readFileSync(junit, 'utf8')).toMatch(/<testsuites name="tito conform" tests="\d+" failures="0"/);
  });

  it('shows what another server gets wrong, with a request that shows it again', async () => {
    const version = { version: 7 };
    const other = createServer((request, response) => {
      const known = request.url === '/version';
      response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(known ? version : { detail: 'Not Found' }));
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, out } = await tito(['conform', url]);
    expect(out).toMatch(/✗ failed {6}version\n {6}.*must be string/);
    expect(out).toMatch(/– unsupported models: the server has no such path/);
    expect(code).toBe(1);
    const [curl] = /curl .*\/version'.*/.exec(out)!;
    const { stdout } = await promisify(execFile)('sh', ['-c', curl]);
    other.close();
    expect(JSON.parse(stdout)).toEqual(version);
  });

  it('leaves out what is named as known, and tries what is asked for', async () => {
    const differences = join(tiny.folder, 'known.yaml');
    writeFileSync(differences, 'version: not today\n');
    const args = ['conform', tiny.server.url, '--only', 'version', '--differences', differences];
    const { out, code } = await asking(args);
    expect(out).toMatch(
      /1 left out: not today\n0 passed, 0 failed, 0 unsupported, 1 left out\nNothing of this API/,
    );
    expect(code).toBe(1);
  });

  it.each([
    ['no server', ['http://127.0.0.1:9'], /Nothing answers at http:\/\/127.0.0.1:9/],
    ['no address', ['localhost'], /is not an address/],
    ['no such case', ['URL', '--only', 'zzz'], /No case has "zzz"/],
    ['a wrong key', ['URL', '--api-key', 'x'], /refuses this key/],
    [
      'differences that are not there',
      ['URL', '--differences', '/no/such'],
      /Can't read --differences \/no\/such/,
    ],
  ])('%s: says what to do', async (_, args, message) => {
    const { code, errors } = await asking([
      'conform',
      ...args.map((arg) => (arg === 'URL' ? tiny.server.url : arg)),
    ]);
    expect(errors).toMatch(message);
    expect(code).toBe(1);
  });
});

describe('the other commands', () => {
  it('suggest what was meant', async () => {
    expect((await tito(['srve'])).errors).toMatch(/Did you mean serve\?/);
    expect((await tito(['serve', '--prot', '1'])).errors).toMatch(/Did you mean --port\?/);
    expect((await tito(['serve'], { TITO_CONFIG: '/no/such.yaml' })).errors).toMatch(/Can't read --config/);
  });

  it('inspect says what a model is', async () => {
    const model = join(tiny.folder, 'no.gguf');
    expect((await tito(['inspect', model])).errors).toMatch(/no\.gguf/);
    const { out } = await asking(['inspect', await modelPath(), '--json']);
    expect(JSON.parse(out)).toMatchObject({
      architecture: 'llama',
      context_length: 2048,
      tokenizer: { kind: 'BPE' },
      unsupported: [],
    });
    expect((await asking(['inspect', await modelPath(), '--batch', '32'])).out).toMatch(
      /^keys and values +\d+ bytes a token; [\d.]+ [MG]B for 32 sequences of 2048 tokens$/m,
    );
  });

  it('pull builds the graph that serve would look for', async () => {
    const model = await modelPath();
    const flagged = await tito(['pull', model, '--dtype', 'int8']);
    const fromEnvironment = await tito(['pull', model], { TITO_DTYPE: 'int8' });
    const float32 = await tito(['pull', model, '--dtype', 'float32']);
    expect([flagged.code, fromEnvironment]).toEqual([0, { ...flagged, errors: '' }]);
    expect(float32.out).not.toBe(flagged.out);
    expect(existsSync(flagged.out.trim())).toBe(true);
    expect((await tito(['pull', model, '--dtype', 'int3'])).errors).toMatch(/--dtype must be one of auto/);
  });

  it('complete commands and options', async () => {
    expect((await tito(['complete', '--', 'con'])).out).toMatch(/^conform\t/m);
    expect((await tito(['complete', '--', 'serve', '--enable-s'])).out).toMatch(/^--enable-scale-out\t/m);
    expect((await tito(['complete', 'bash'])).out).toMatch(/complete .*tito/);
  });

  it('mock serves the examples of the contract, until it is told to stop', async () => {
    const mock = await startMock();
    const { code, out } = await tito([
      'conform',
      mock.url,
      '--mock',
      '--api-key',
      'any',
      '--only',
      'generate',
    ]);
    await mock.stop();
    expect(out).toMatch(/\n[1-9]\d* passed, 0 failed/);
    expect(code).toBe(0);
    await expect(fetch(mock.url)).rejects.toThrow();
    expect((await tito(['mock', '--port', 'none'])).errors).toMatch(
      /'--port <value>' argument 'none' is invalid/,
    );
  });
});

async function modelPath(): Promise<string> {
  const answer = await fetch(`${tiny.server.url}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } });
  return ((await answer.json()) as { data: Array<{ root: string }> }).data[0]!.root;
}
