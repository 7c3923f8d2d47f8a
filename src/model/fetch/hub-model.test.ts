import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StartupError } from '../../errors.js';
import { FAKE_COMMIT, type FakeHub, type FakeRepository, fakeHub } from '../testing/fake-hub.js';
import { progressRecorder } from '../testing/progress-recorder.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { hubModel } from './hub-model.js';
import { parseHubName } from './hub-name.js';

const weights = (fill: string): Buffer => Buffer.alloc(300_000, fill);
const FOLDER: FakeRepository['files'] = {
  'README.md': '# a model',
  'config.json': '{"model_type":"llama"}',
  'tokenizer.json': '{"model":{}}',
  'chat_template.jinja': '{{ x }}',
  'generation_config.json': '{}',
  'model.safetensors': weights('a'),
  'pytorch_model.bin': weights('b'),
  'onnx/model.onnx': weights('c'),
  'runs/events.out': weights('d'),
};
const SHARDED = {
  'config.json': '{}',
  'model.safetensors.index.json': '{"weight_map":{"x":"model-1.safetensors","y":"model-2.safetensors"}}',
  'model-1.safetensors': weights('1'),
  'model-2.safetensors': weights('2'),
  'consolidated.safetensors': weights('3'),
};
const GGUFS = {
  'm-Q4_0.gguf': weights('4'),
  'm-Q4_K_M.gguf': weights('5'),
  'm-IQ4_K_M.gguf': weights('6'),
  'F16/m-F16-00001-of-00002.gguf': weights('7'),
  'F16/m-F16-00002-of-00002.gguf': weights('8'),
  'mmproj-m-F16.gguf': weights('9'),
};
const TOKEN = 'hf_secret';

let cacheDir: string;
let hub: FakeHub;
let seen: ReturnType<typeof progressRecorder>;

beforeEach(async () => {
  cacheDir = await temporaryFolder();
  seen = progressRecorder();
  hub = await fakeHub({
    'o/folder': { files: FOLDER },
    'o/sharded': { files: SHARDED },
    'o/ggufs': { files: GGUFS },
    'o/private': { files: FOLDER, tokens: [TOKEN] },
    'o/gated': { files: FOLDER, gated: true },
    'o/pickled': { files: { 'config.json': '{}', 'pytorch_model.bin': weights('p') } },
    'o/adapter': { files: { 'adapter_config.json': '{}', 'adapter_model.safetensors': weights('l') } },
    'o/lost': { files: { ...SHARDED, 'model.safetensors.index.json': '{"weight_map":{"x":"../../x"}}' } },
    'o/escape': { files: { ...FOLDER, '../config.json': '{}' } },
    'o/only': { files: { 'only.gguf': weights('o'), 'generation_config.json': '{}' } },
  });
});

interface Options {
  env?: NodeJS.ProcessEnv;
  revision?: string;
  weights?: boolean;
}

function load(
  name: string,
  { env = {}, revision = 'main', weights: wanted = true }: Options = {},
): Promise<string> {
  const job = { name: parseHubName(name)!, revision, cacheDir, weights: wanted, progress: seen.progress };
  return hubModel(job, { HF_ENDPOINT: hub.url, ...env });
}

async function failure(name: string, options?: Options): Promise<string> {
  const error = await load(name, options).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StartupError);
  return (error as Error).message;
}

const downloads = (): string[] =>
  hub.asked.filter((line) => line.includes('/resolve/') && !line.endsWith('=0-0'));

describe('a model of the hub', () => {
  it('comes with what it needs, once, in the layout that other programs share', async () => {
    const folder = await load('o/folder');
    expect(folder).toBe(join(cacheDir, 'models--o--folder', 'snapshots', FAKE_COMMIT));
    const needed = [
      'chat_template.jinja',
      'config.json',
      'generation_config.json',
      'model.safetensors',
      'tokenizer.json',
    ];
    expect((await readdir(folder)).sort()).toEqual(needed);
    expect(await readFile(join(folder, 'model.safetensors'))).toEqual(FOLDER['model.safetensors']);
    expect(await readFile(join(cacheDir, 'models--o--folder', 'refs', 'main'), 'utf8')).toBe(FAKE_COMMIT);
    expect(downloads()).toHaveLength(needed.length);
    const total = needed.reduce((sum, path) => sum + FOLDER[path]!.length, 0);
    expect(seen.bars).toEqual([{ label: 'Fetching o/folder', total, done: total, ended: true }]);
    expect(await load('o/folder')).toBe(folder);
    expect(downloads()).toHaveLength(needed.length);
    expect(seen.bars).toHaveLength(1);
  });

  it('comes without weights for a server that only renders', async () => {
    const folder = await load('o/folder', { weights: false });
    expect(await readdir(folder)).not.toContain('model.safetensors');
    await load('o/folder');
    expect(await readdir(folder)).toContain('model.safetensors');
  });

  it('comes in the shards that its index names', async () => {
    const folder = await load('o/sharded');
    const names = [
      'config.json',
      'model-1.safetensors',
      'model-2.safetensors',
      'model.safetensors.index.json',
    ];
    expect((await readdir(folder)).sort()).toEqual(names);
  });

  it.each([
    ['o/ggufs', 'm-Q4_K_M.gguf'],
    ['o/ggufs:Q4_0', 'm-Q4_0.gguf'],
    ['o/ggufs:q4_k_m', 'm-Q4_K_M.gguf'],
    ['o/ggufs:m-IQ4_K_M.gguf', 'm-IQ4_K_M.gguf'],
    ['o/only', 'only.gguf'],
  ])('%s is the file %s', async (name, file) => {
    const path = await load(name);
    expect(path.endsWith(`/${file}`)).toBe(true);
    expect((await readFile(path)).length).toBe(300_000);
  });

  it('is taken at a commit without asking, once it is here', async () => {
    const folder = await load('o/folder', { revision: FAKE_COMMIT });
    const before = hub.asked.length;
    expect(await load('o/folder', { revision: FAKE_COMMIT })).toBe(folder);
    expect(hub.asked).toHaveLength(before);
  });

  it('goes on where a broken connection ended', async () => {
    hub.breakAfter = { bytes: 100_000, times: 2 };
    const path = await load('o/only');
    expect(await readFile(path)).toEqual(weights('o'));
    const ranges = downloads()
      .filter((line) => line.includes('only.gguf'))
      .map((line) => line.split('=')[1]);
    expect(ranges).toHaveLength(3);
    expect(ranges[0]).toBeUndefined();
    expect(ranges[1]).toMatch(/^[1-9]\d{3,}-299999$/);
    expect(seen.bars[0]).toMatchObject({ done: seen.bars[0]!.total });
  });

  it('goes on where an earlier process ended', async () => {
    hub.breakAfter = { bytes: 0, times: 99 };
    expect(await failure('o/only')).toMatch(/only\.gguf of o\/only could not be fetched whole.*Start again/);
    hub.breakAfter = { bytes: 0, times: 0 };
    const blobs = join(cacheDir, 'models--o--only', 'blobs');
    const unfinished = (await readdir(blobs)).find((name) => name.endsWith('.partial'))!;
    await rm(join(blobs, unfinished));
    await writeFile(
      join(blobs, unfinished.replace(/\.\d+\./, '.999999999.')),
      weights('o').subarray(0, 123_456),
    );
    hub.asked.length = 0;
    expect(await readFile(await load('o/only'))).toEqual(weights('o'));
    expect(downloads().some((line) => line.endsWith('bytes=123456-299999'))).toBe(true);
    expect((await readdir(blobs)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('is refused when its content is not what the hub lists', async () => {
    const blobs = join(cacheDir, 'models--o--only', 'blobs');
    hub.breakAfter = { bytes: 0, times: 99 };
    await failure('o/only');
    hub.breakAfter = { bytes: 0, times: 0 };
    const unfinished = (await readdir(blobs)).find((name) => name.endsWith('.partial'))!;
    await writeFile(join(blobs, unfinished), weights('X').subarray(0, 100));
    expect(await failure('o/only')).toMatch(
      /only\.gguf came with other content than the hub lists.*Try again/,
    );
    expect(await readFile(await load('o/only'))).toEqual(weights('o'));
  });

  it('needs no hub once it is here', async () => {
    const folder = await load('o/folder');
    const file = await load('o/ggufs:Q4_0');
    hub.failing = 503;
    expect(await load('o/folder')).toBe(folder);
    await hub.close();
    expect(await load('o/folder')).toBe(folder);
    expect(seen.notes.at(-1)).toMatch(/can't be reached: fetch failed .*: o\/folder comes from the cache\./);
    expect(await load('o/ggufs:Q4_0')).toBe(file);
    expect(await failure('o/ggufs:Q4_K_M')).toMatch(/can't be reached.*no GGUF file "Q4_K_M"/);
    expect(await failure('o/sharded')).toMatch(/can't be reached.*revision "main" of o\/sharded is not in/);
  });

  it('is not asked for with HF_HUB_OFFLINE', async () => {
    const folder = await load('o/folder');
    const before = hub.asked.length;
    const env = { HF_HUB_OFFLINE: '1' };
    expect(await load('o/folder', { env })).toBe(folder);
    expect(await failure('o/sharded', { env })).toMatch(
      /^HF_HUB_OFFLINE is set, and revision "main" of o\/sharded/,
    );
    expect(hub.asked).toHaveLength(before);
    await rm(join(folder, 'model.safetensors'));
    expect(await failure('o/folder', { env })).toMatch(/not whole in .*no \.safetensors/);
  });

  it('takes a token from the environment, and never shows it', async () => {
    expect(await failure('o/private')).toMatch(
      /no model o\/private that can be seen without a token.*set HF_TOKEN/,
    );
    for (const env of [{ HF_TOKEN: TOKEN }, { HUGGING_FACE_HUB_TOKEN: TOKEN }]) {
      expect(await load('o/private', { env })).toContain('models--o--private');
    }
    expect(hub.tokens).toEqual(new Set([TOKEN]));
    const wrong = await failure('o/private', { env: { HF_TOKEN: 'hf_wrong' }, revision: 'main' });
    expect(wrong).toMatch(/can be seen with this token/);
    expect(wrong).not.toContain('hf_wrong');
    const malformed = await failure('o/private', { env: { HF_TOKEN: 'secret' } });
    expect(malformed).toMatch(/begin with hf_/);
    expect(malformed).not.toContain('secret');
    expect(JSON.stringify(seen)).not.toContain(TOKEN);
  });

  it.each([
    ['o/none', undefined, /no model o\/none that can be seen without a token/],
    ['o/folder', 'v9', /o\/folder has no revision "v9"/],
    ['o/gated', undefined, /o\/gated is gated\. Accept its terms at http.*o\/gated, then set HF_TOKEN/],
    ['o/ggufs:Q8_0', undefined, /no GGUF file "Q8_0".*There are: m-Q4_0\.gguf/],
    ['o/ggufs:F16', undefined, /split into parts.*llama-gguf-split --merge/],
    ['o/pickled', undefined, /Python pickles only/],
    ['o/adapter', undefined, /is an adapter \(LoRA\)/],
    ['o/lost', undefined, /names "\.\.\/\.\.\/x", which is not there/],
    ['o/escape', undefined, /lists a file "\.\.\/config\.json", which is no name/],
  ])('says what is wrong with %s at revision %s', async (name, revision, message) => {
    expect(await failure(name, revision === undefined ? {} : { revision })).toMatch(message);
  });

  it.each([429, 500])('says that the hub answers %i', async (status) => {
    hub.failing = status;
    expect(await failure('o/folder')).toMatch(new RegExp(`answers ${status}: Not now`));
  });
});

describe('parseHubName', () => {
  it.each([
    ['Qwen/Qwen3-0.6B', 'Qwen/Qwen3-0.6B', null],
    ['o/n:Q4_K_M', 'o/n', 'Q4_K_M'],
    ['o/n:sub/file.gguf', 'o/n', 'sub/file.gguf'],
  ])('%s', (text, repository, variant) => {
    expect(parseHubName(text)).toEqual({ repository, variant });
  });

  it.each(['', 'name', './o/n', '/o/n', 'a/b/c', '../x', 'o/', 'o/n:', 'models/m.gguf', 'o/..'])(
    'not %j',
    (text) => {
      expect(parseHubName(text)).toBeNull();
    },
  );
});
