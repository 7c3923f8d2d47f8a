/** Requests made from openapi.yaml's examples and then spoiled: each gets an answer of the contract, never a 5xx. */
import { afterAll, describe, expect, it } from 'vitest';
import { streamKey, uniform } from '../src/engine/random.js';
import { ContractDocument, type Json } from './document.js';
import { tinyServer } from './tiny-server.js';

const REQUESTS = 1000;
const AT_ONCE = 8;
const TAGS = ['generate', 'render', 'derender', 'completions', 'tokenizer'];
const ONLY_WITH_TOKENS_ONLY = 'POST /abort_requests';
const DEEP = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown;

/** What a field may become. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, -1, 0, 1, 2, 1.5, -0.5, 63, 319, 320, 1e308, 2 ** 53, -(2 ** 63)],
  ...[
    '',
    'x',
    '\ud800',
    '\u0000',
    'é'.repeat(5000),
    '__proto__',
    '{{ 1 / 0 }}',
    'a{1000}{1000}',
    '/etc/passwd',
  ],
  ...[[], {}, [null], [[5]], [-1], [5, 'x'], { a: 1 }, { type: 'x' }, { json: {} }, { regex: '(' }, DEEP],
];

interface Attempt {
  path: string;
  body: unknown;
}

const numbers = streamKey(1n, 0);
let drawn = 0;

/** A number in 0 … 1, below 1; the same ones each time. */
const draw = (): number => 1 - uniform(numbers, drawn++);
const pick = <T>(values: readonly T[]): T => values[Math.floor(draw() * values.length)]!;

const contract = new ContractDocument();

/** Examples of every operation that takes a JSON body, with the names of fields that its schema knows. */
const seeds = contract
  .operations()
  .filter(
    ({ name, definition }) =>
      name !== ONLY_WITH_TOKENS_ONLY && TAGS.includes((definition.tags as string[])[0]!),
  )
  .map(({ name, request }) => {
    const { examples, schema } = request.find(({ mediaType }) => mediaType === 'application/json')!;
    return { path: name.split(' ')[1]!, examples: Object.values(examples), fields: fieldsOf(schema) };
  });

/** Names of a schema's fields, at its top. */
function fieldsOf(schema: Json): string[] {
  const { properties, allOf, oneOf, anyOf } = contract.resolve(schema);
  const parts = [allOf, oneOf, anyOf].flatMap((list) => (list ?? []) as Json[]);
  return [...Object.keys((properties ?? {}) as object), ...parts.flatMap(fieldsOf)];
}

/** Objects and lists inside a value, the value itself first. */
function containersIn(value: unknown): Array<Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(containersIn)];
}

function spoil(body: unknown, fields: readonly string[]): void {
  const place = pick(containersIn(body));
  const key = pick([...Object.keys(place), ...(place === body ? fields : ['unknown'])]);
  if (key === undefined) return;
  if (draw() < 0.2) delete place[key];
  else place[key] = structuredClone(pick(VALUES));
}

function attempt(): Attempt {
  const { path, examples, fields } = pick(seeds);
  const body = structuredClone(pick(examples));
  for (let changes = pick([1, 2, 3]); changes > 0; changes--) spoil(body, fields);
  return { path, body };
}

describe(`${REQUESTS} mutated requests`, () => {
  const tiny = tinyServer([
    ...['--max-model-len', '256', '--enable-auto-tool-choice', '--tool-call-parser', 'hermes'],
    ...['--reasoning-parser', 'qwen3', '--trust-request-chat-template'],
  ]);
  const counts = new Map<number, number>();
  afterAll(async () => {
    expect(await tiny.caller.metric('vllm:num_requests_running')).toBe(0);
  });

  async function send({ path, body }: Attempt): Promise<void> {
    const response = await tiny.caller.post(path, body);
    const text = await response.text();
    const seen = `${path} ${JSON.stringify(body).slice(0, 2000)} → ${response.status} ${text.slice(0, 500)}`;
    counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
    expect(response.status, seen).toBeLessThan(500);
    expect(text, seen).not.toMatch(/<html|\n\s+at |\.js:\d+/i);
    if (response.status >= 400) {
      expect(JSON.parse(text), seen).toMatchObject({
        error: { message: expect.stringMatching(/./), code: response.status },
      });
    }
  }

  it('KF-32 never bring a 5xx or a stack', async () => {
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, attempt).map(send));
    }
    const { 200: fine = 0, 400: refused = 0 } = Object.fromEntries(counts);
    expect(fine, JSON.stringify([...counts])).toBeGreaterThan(REQUESTS / 10);
    expect(refused, JSON.stringify([...counts])).toBeGreaterThan(REQUESTS / 3);
  });
});
