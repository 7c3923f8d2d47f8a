import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from './package-info.js';

/** What each layer may import, beside itself and the files at the top of src/. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  cli: ['server', 'model', 'inspect', 'conform'],
  conform: [],
  server: ['openai', 'tokens', 'render', 'text', 'structured', 'engine', 'model', 'observe', 'runtime'],
  inspect: ['engine', 'text', 'model', 'runtime'],
  openai: ['tokens', 'render', 'text'],
  tokens: ['engine', 'text', 'structured'],
  render: ['text'],
  observe: ['engine'],
  engine: ['structured', 'model', 'runtime'],
  structured: ['model'],
  model: ['runtime'],
  text: ['model'],
  runtime: [],
};

/** Borders inside those layers: types of the engine's interface and of a model artifact, not their workings. */
const ONLY_INDEX: ReadonlyArray<readonly [from: string, to: string]> = [
  ['tokens', 'engine'],
  ['observe', 'engine'],
  ['text', 'model'],
];

const source = join(packageRoot, 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing/'))
  .map((name) => join(source, name));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path]) =>
    resolve(dirname(file), path!),
  );

const layerOf = (file: string): string => {
  const parts = relative(source, file).split('/');
  return parts.length > 1 && parts[0] !== '..' ? parts[0]! : 'top';
};

describe('imports', () => {
  it.each(Object.keys(ALLOWED))('of %s point down', (layer) => {
    const wrong = files
      .filter((file) => layerOf(file) === layer)
      .flatMap((file) =>
        importsOf(file)
          .map((path) => [relative(source, file), layerOf(path), relative(source, path)] as const)
          .filter(([, to]) => to !== layer && to !== 'top' && !ALLOWED[layer]!.includes(to)),
      );
    expect(wrong).toEqual([]);
  });

  it.each(ONLY_INDEX)('of %s see only the interface of %s', (from, to) => {
    const wrong = files
      .filter((file) => layerOf(file) === from)
      .flatMap((file) => importsOf(file).filter((path) => layerOf(path) === to))
      .map((path) => relative(source, path))
      .filter((path) => path !== `${to}/index.js`);
    expect(wrong).toEqual([]);
  });

  it('of ONNX Runtime happen in runtime/ alone', () => {
    const wrong = files
      .filter((file) => /from '(onnxruntime-node|koffi)'/.test(readFileSync(file, 'utf8')))
      .filter((file) => layerOf(file) !== 'runtime');
    expect(wrong).toEqual([]);
  });

  it('of the client package stay in it and in generated/', () => {
    const folder = join(packageRoot, 'packages', 'client', 'src');
    const paths = readdirSync(folder).flatMap((name) => importsOf(join(folder, name)));
    expect(paths.length).toBeGreaterThan(20);
    const allowed = [
      `${folder}/`,
      join(packageRoot, 'generated', 'types.js'),
      join(packageRoot, 'generated', 'client.js'),
    ];
    expect(paths.filter((path) => !allowed.some((start) => path.startsWith(start)))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it('names files that exist', () => {
    const text = readFileSync(join(packageRoot, 'docs', 'architecture.md'), 'utf8');
    const named = [...text.matchAll(/\b(?:src|generated)\/[\w/.-]+\.ts/g)].map(([path]) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
  });
});
