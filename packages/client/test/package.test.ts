import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/package-info.js';
import { chunkOf, type FakeServer, fakeServer, frame, GENERATE, startStream } from './fake-server.js';
import { installPacked, packedFiles } from './pack.js';

const TSC = join(packageRoot, 'node_modules', '.bin', 'tsc');
const APP = `
import { ApiError, type GenerateChoice, Tito } from '@titokens/client';

const client = new Tito({ baseUrl: globalThis.SERVER });
const stream = client.stream({ token_ids: [1], sampling_params: { max_tokens: 2 } });
const ids: number[] = [];
for await (const chunk of stream) ids.push(...(chunk.choices[0]?.token_ids ?? []));
const [choice]: GenerateChoice[] = stream.choices;
globalThis.report({ ids, reason: choice?.finish_reason, isClass: ApiError.prototype instanceof Error });
`;
const GLOBALS = `
declare global { var SERVER: string; function report(result: unknown): void }
export {};
`;

let folder: string;
let server: FakeServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-app-'));
  installPacked(folder);
  writeFileSync(join(folder, 'app.ts'), APP);
  writeFileSync(join(folder, 'globals.d.ts'), GLOBALS);
  server = await fakeServer({
    [GENERATE]: (response) => {
      startStream(response);
      response.end(frame(chunkOf([5])) + frame(chunkOf([6], 'length')) + frame('[DONE]'));
    },
  });
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

/** Type-check the application, strictly and with the client's declarations; writes app.js. */
function compile(module: string, moduleResolution: string): void {
  const strictness = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
  const compilerOptions = {
    ...strictness,
    module,
    moduleResolution,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['app.ts', 'globals.d.ts'] }),
  );
  const { status, stdout } = spawnSync(TSC, [], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
}

describe('the packed client', () => {
  it('holds what runs, its types and its licence, and nothing else', () => {
    const files = packedFiles();
    expect(files).toContain('LICENSE');
    expect(files).toContain('dist/packages/client/src/index.js');
    expect(
      files.filter((name) => !/^(dist\/.+\.(js|d\.ts)|LICENSE|NOTICE|package\.json|README\.md)$/.test(name)),
    ).toEqual([]);
  });

  it('has at most two dependencies', () => {
    const { dependencies } = JSON.parse(
      readFileSync(join(folder, 'node_modules/@titokens/client/package.json'), 'utf8'),
    ) as { dependencies: object };
    expect(Object.keys(dependencies)).toEqual(['eventsource-parser', 'openapi-fetch']);
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('type-checks in an application of module %s, and runs in Node', async (module, resolution) => {
    compile(module, resolution);
    const start = `globalThis.SERVER = ${JSON.stringify(server.url)}; globalThis.report = (r) => console.log(JSON.stringify(r)); await import('./app.js');`;
    writeFileSync(join(folder, 'start.mjs'), start);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'start.mjs')]);
    expect(JSON.parse(stdout)).toEqual({ ids: [5, 6], reason: 'length', isClass: true });
  });

  it('bundles for a browser without a module of Node, and runs with what browsers have', async () => {
    compile('esnext', 'bundler');
    const bundle = await rolldown({ cwd: folder, input: 'app.js', platform: 'browser', logLevel: 'silent' });
    const { output } = await bundle.generate({ format: 'es' });
    expect(output.length).toBe(1);
    expect(output[0].imports).toEqual([]);
    expect(output[0].moduleIds.join('\n')).toContain('eventsource-parser');
    expect(builtinModules.filter((name) => output[0].code.includes(`'node:${name}'`))).toEqual([]);
    expect(await runInBrowserLike(output[0].code)).toEqual({ ids: [5, 6], reason: 'length', isClass: true });
  });
});

/** Run a bundle where `process`, `Buffer` and `require` are missing; resolves with what it reports. */
function runInBrowserLike(code: string): Promise<unknown> {
  const web = {
    fetch,
    Request,
    Response,
    Headers,
    URL,
    URLSearchParams,
    FormData,
    AbortController,
    TextDecoder,
  };
  const more = { crypto, setTimeout, clearTimeout, structuredClone, SERVER: server.url };
  return new Promise((report, reject) => {
    const context = createContext({ ...web, ...more, report });
    runInContext(`(async () => {${code}\n})()`, context).catch(reject);
  });
}
