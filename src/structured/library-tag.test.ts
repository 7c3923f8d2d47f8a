import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { libraryTag } from './library-tag.js';
import { loadGrammarLibrary } from './xgrammar.js';

interface Case {
  parser: string;
  tools: string;
  choice: string;
  expected: { format?: object } | null;
}

/** Structural tags that the reference sends for calls. */
const { cases } = JSON.parse(
  readFileSync(new URL('../render/parsers/testing/call-syntax.json', import.meta.url), 'utf8'),
) as { cases: Case[] };
const tags = cases.filter(({ expected }) => expected?.format !== undefined);

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const END = 0;

test.each(tags)(
  'the library reads the tag of $parser, $tools, $choice',
  async ({ parser, choice, expected }) => {
    expect(await matches(expected!, 'Hello')).toBe(choice === 'auto' && parser !== 'openai');
  },
);

const QWEN = '<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>';
const GLM = '<tool_call>f<arg_key>a</arg_key><arg_value>x y</arg_value></tool_call>';
const MINIMAX =
  '\n<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">x</parameter>\n</invoke>\n</minimax:tool_call>';
const GPT_OSS = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "x"}';

describe.each([
  ['qwen3_coder', 'mixed', 'required', QWEN, 'Hello'],
  ['qwen3_coder', 'mixed', 'named', QWEN, QWEN.replace('=f', '=g')],
  ['qwen3_coder', 'mixed', 'auto', `Hello ${QWEN}`, QWEN.replace('=f', '=h')],
  ['glm45', 'plain', 'named', GLM, 'Hello'],
  ['glm45', 'properties', 'required', GLM, GLM.replaceAll('arg_key>a', 'arg_key>b')],
  ['glm45', 'mixed', 'auto', `Hello ${GLM}`, GLM.replace('>f', '>h')],
  ['minimax_m2', 'mixed', 'required', MINIMAX, MINIMAX.replace('"a"', '"b"')],
  ['openai', 'mixed', 'named', GPT_OSS, GPT_OSS.replace('.f', '.g')],
  ['openai', 'mixed', 'named', `${GPT_OSS}<|end|>`, '<|channel|>final<|message|>Hello'],
  ['openai', 'mixed', 'auto', '<|channel|>final<|message|>Hello', 'Hello'],
  [
    'openai',
    'mixed',
    'auto',
    `<|channel|>analysis<|message|>Think<|end|><|start|>assistant${GPT_OSS}`,
    '<|channel|>analysis<|message|>Think',
  ],
])('%s, %s, %s', (parser, set, choice, right, wrong) => {
  const tag = tags.find((one) => one.parser === parser && one.tools === set && one.choice === choice)!;

  test('allows a call as it should be', async () => {
    expect(await matches(tag.expected!, right)).toBe(true);
  });

  test('allows nothing else', async () => {
    expect(await matches(tag.expected!, wrong)).toBe(false);
  });
});

test('tags without a separator are allowed one after the other', async () => {
  const tag = (name: string) => ({
    type: 'tag',
    begin: `<${name}>`,
    content: { type: 'json_schema', json_schema: { type: 'integer' } },
    end: '</>',
  });
  const list = {
    type: 'tags_with_separator',
    tags: [tag('a'), tag('ab')],
    separator: '',
    at_least_one: true,
  };
  expect(await matches({ format: { ...list, stop_after_first: false } }, '<a>1</><ab>2</>')).toBe(true);
  expect(await matches({ format: { ...list, stop_after_first: true } }, '<a>1</><ab>2</>')).toBe(false);
  expect(await matches({ format: list }, '')).toBe(false);
});

test('tags of the older form are left as they are', () => {
  const spec = { structures: [{ begin: '<a>', schema: {}, end: '</a>' }], triggers: ['<a>'] };
  expect(libraryTag(spec)).toBe(spec);
});

/** Whether a whole output keeps to a structural tag. */
async function matches(spec: object, text: string): Promise<boolean> {
  const library = loadGrammarLibrary();
  const info = await library.TokenizerInfo.createTokenizerInfo(ASCII, 'byte_level', false, 128, [END]);
  const compiler = await library.GrammarCompiler.createGrammarCompiler(info, false);
  const tag = libraryTag({ type: 'structural_tag' as const, ...spec });
  const grammar = await compiler.compileStructuralTag(tag as { type: 'structural_tag'; format: never });
  const matcher = await library.GrammarMatcher.createGrammarMatcher(grammar);
  return (
    [...text].every((character) => matcher.acceptToken(character.charCodeAt(0))) && matcher.acceptToken(END)
  );
}
