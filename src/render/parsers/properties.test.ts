import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../generated/types.js';
import { REASONING_PARSERS, TOOL_PARSERS } from './index.js';
import { streamedCalls, streamedReasoning } from './testing/streamed.js';

const TOOLS: Tool[] = [
  {
    type: 'function',
    function: {
      name: 'f',
      parameters: {
        properties: {
          text: { type: 'string' },
          count: { type: 'integer' },
          list: { type: ['array', 'null'] },
          any: {},
          maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      },
    },
  },
  { type: 'function', function: { name: 'g' } },
];

/** Text with much in it that looks like markup, and no marker of any family. */
const text = fc
  .array(
    fc.constantFrom(
      'a',
      'null',
      '12',
      ' ',
      '\n',
      '<',
      '</',
      '>',
      '<t',
      '<|',
      '"',
      '\\',
      '{"x": ',
      '[1]',
      'é',
      '😀',
      '=',
      "'",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const content = text.map((said) => said.trimStart());
const name = fc.constantFrom('f', 'g');
const argumentsOf = fc.uniqueArray(
  fc.tuple(fc.constantFrom('text', 'count', 'list', 'any', 'maybe', 'other'), text),
  {
    selector: ([key]) => key,
    maxLength: 4,
  },
);
const space = fc.constantFrom('', '\n');

type Written = (name: string, fields: ReadonlyArray<readonly [string, string]>, space: string) => string;

/** Well-formed outputs of a family: content, and then calls. */
function outputs(family: string, write: Written): fc.Arbitrary<string> {
  const call = fc.tuple(name, argumentsOf, space).map((parts) => write(...parts));
  return fc.tuple(content, fc.array(call, { maxLength: 3 }), space).map(([said, calls, between]) => {
    // Hermes' parser drops what may be the beginning of a call at an output's end, as the reference's does.
    const end = family === 'hermes' && calls.length === 0 ? '.' : '';
    return said + end + calls.join(between);
  });
}

const functionCall: Written = (called, fields, between) =>
  [
    '<tool_call>',
    `<function=${called}>`,
    ...fields.map(([key, value]) => `<parameter=${key}>${between}${value}${between}</parameter>`),
    '</function>',
    '</tool_call>',
  ].join(between);

/** Arguments as these families write them. */
function jsonOf(fields: ReadonlyArray<readonly [string, string]>): string {
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(', ')}}`;
}

const WRITERS: Readonly<Record<string, Written>> = {
  hermes: (called, fields) =>
    `<tool_call>\n{"name": "${called}", "arguments": ${jsonOf(fields)}}\n</tool_call>`,
  mistral: (called, fields) => `[TOOL_CALLS]${called}[ARGS]${jsonOf(fields)}`,
  qwen3_coder: functionCall,
  seed_oss: (...call) => functionCall(...call).replaceAll('tool_call>', 'seed:tool_call>'),
  glm45: (called, fields, between) => {
    const pairs = fields.map(
      ([key, value]) => `<arg_key>${key}</arg_key>${between}<arg_value>${value}</arg_value>`,
    );
    return `<tool_call>${[called, ...pairs].join(between)}${between}</tool_call>`;
  },
  minimax_m2: (called, fields, between) => {
    const parameters = fields.map(([key, value]) => `<parameter name="${key}">${value}</parameter>`);
    const invoke = [`<invoke name="${called}">`, ...parameters, '</invoke>'].join(between);
    return `<minimax:tool_call>${between}${invoke}${between}</minimax:tool_call>`;
  },
};

const message = fc
  .tuple(
    fc.constantFrom('analysis', 'commentary', 'final', 'commentary to=functions.f <|constrain|>json'),
    text,
  )
  .map(([channel, said]) => {
    const body = channel.includes('to=') ? JSON.stringify({ said, list: [1.5, null] }) : said;
    return `<|channel|>${channel}<|message|>${body}<|end|>`;
  });
const harmony = fc.array(message, { maxLength: 4 }).map((messages) => messages.join('<|start|>assistant'));

/** How a family marks its calls, and writes one of them. */
const SECTIONS: Readonly<
  Record<string, readonly [begin: string, end: string, between: string, write: Written]>
> = {
  deepseek_v3: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
    '\n',
    (called, fields) =>
      `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${called}\n\`\`\`json\n${jsonOf(fields)}\n\`\`\`<｜tool▁call▁end｜>`,
  ],
  deepseek_v31: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
    '',
    (called, fields) => `<｜tool▁call▁begin｜>${called}<｜tool▁sep｜>${jsonOf(fields)}<｜tool▁call▁end｜>`,
  ],
  kimi_k2: [
    '<|tool_calls_section_begin|>',
    '<|tool_calls_section_end|>',
    '',
    (called, fields) =>
      `<|tool_call_begin|>functions.${called}:0<|tool_call_argument_begin|>${jsonOf(fields)}<|tool_call_end|>`,
  ],
  granite: ['<|tool_call|>[', ']', ', ', objectCall],
  jamba: ['<tool_calls>[\n', '\n]</tool_calls>', ',\n', objectCall],
  phi4_mini_json: ['functools[', ']', ', ', objectCall],
};

function objectCall(called: string, fields: ReadonlyArray<readonly [string, string]>): string {
  return `{"name": "${called}", "arguments": ${jsonOf(fields)}}`;
}

function sections([begin, end, between, write]: (typeof SECTIONS)[string]): fc.Arbitrary<string> {
  const call = fc.tuple(name, argumentsOf, space).map((parts) => write(...parts));
  return fc
    .tuple(content, fc.array(call, { maxLength: 3 }))
    .map(([said, calls]) => (calls.length > 0 ? said + begin + calls.join(between) + end : said));
}

/** Calls in Python, with any kind of value. */
const pythonValue = fc.letrec<Record<'value', string>>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('None', 'true', '-1', '0x1F', '1_000.50', '1e5', '007.5', "''", '(1, 2)', '{}', '()'),
    fc
      .tuple(text, fc.constantFrom('"', "'", '"""'))
      .map(([said, quotes]) => quotes + pythonEscaped(said) + quotes),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc.array(tie('value'), { minLength: 2, maxLength: 3 }).map((items) => `(${items.join(' ,')},)`),
    fc
      .array(tie('value'), { maxLength: 3 })
      .map((items) => `{${items.map((item, at) => `"${at}": ${item}`)}}`),
  ),
})).value;

function pythonEscaped(said: string): string {
  return JSON.stringify(said).slice(1, -1).replaceAll("'", "\\'");
}

const pythonCall = fc
  .tuple(
    name,
    fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b_c', 'd1'), pythonValue), { selector: ([key]) => key }),
  )
  .map(([called, fields]) => `${called}(${fields.map(([key, value]) => `${key}=${value}`).join(', ')})`);
const pythonic = fc.oneof(
  fc.array(pythonCall, { minLength: 1, maxLength: 3 }).map((calls) => `[${calls.join(', ')}]`),
  fc.tuple(content, fc.constantFrom('.', 'a')).map(([said, end]) => end + said),
);

/** Calls alone, or content alone. */
const llama3 = fc.oneof(
  fc
    .array(fc.tuple(name, argumentsOf), { minLength: 1, maxLength: 3 })
    .map((calls) => calls.map((call) => objectCall(...call)).join('; ')),
  fc.tuple(content, fc.constantFrom('.', 'a')).map(([said, end]) => `${end}${said.replaceAll('{', '(')}`),
);

const OUTPUTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...Object.fromEntries(Object.entries(WRITERS).map(([family, write]) => [family, outputs(family, write)])),
  ...Object.fromEntries(Object.entries(SECTIONS).map(([family, section]) => [family, sections(section)])),
  llama3_json: llama3,
  pythonic,
  llama4_pythonic: pythonic,
  openai: harmony,
};

const TAGS: Readonly<Record<string, readonly [open: string, close: string]>> = {
  ...Object.fromEntries(
    ['qwen3', 'mimo', 'step3p5', 'glm45', 'kimi_k2', 'minimax_m2', 'deepseek_v3', 'holo2', 'olmo3'].map(
      (family) => [family, ['<think>', '</think>'] as const],
    ),
  ),
  seed_oss: ['<seed:think>', '</seed:think>'],
  step3: ['', '</think>'],
  hunyuan_a13b: ['<think>\n', '\n</think>\n<answer>\n'],
  ernie45: ['', '</think>\n\n'],
};

const THOUGHTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...Object.fromEntries(
    Object.entries(TAGS).map(([family, [open, close]]) => [
      family,
      fc.tuple(text, content).map(([thought, rest]) => `${open}${thought}${close}${rest}`),
    ]),
  ),
  openai_gptoss: harmony,
};

/** Pieces of a text, cut anywhere between characters. */
function cut(whole: string, places: readonly number[]): string[] {
  const characters = [...whole];
  const at = [...new Set(places.map((place) => place % (characters.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => characters.slice(from, at[index]).join(''));
}

const places = fc.array(fc.nat(400), { maxLength: 30 });

/** What may come in an output that went wrong. */
const rubble = fc
  .array(
    fc.oneof(
      text,
      fc.constantFrom(
        ...['<tool_call>', '</tool_call>', '<function=', 'f>', '</function>', '<parameter=', '</parameter>'],
        ...[
          '<arg_key>',
          '</arg_key>',
          '<arg_value>',
          '</arg_value>',
          '<minimax:tool_call>',
          '<invoke name="f">',
        ],
        ...[
          '<parameter name="text">',
          '</invoke>',
          '<|channel|>',
          'final',
          '<|message|>',
          '<|start|>assistant',
        ],
        ...Object.values(SECTIONS).flatMap(([...parts]) => parts.slice(0, 2) as string[]),
        ...[
          '<｜tool▁call▁begin｜>',
          '<｜tool▁sep｜>',
          '\n```json\n',
          '\n```',
          '<｜tool▁call▁end｜>',
          '[TOOL_CALLS]',
          '[ARGS]',
        ],
        ...['<|tool_call_begin|>', '<|tool_call_argument_begin|>', '<|python_tag|>', '{"name": "g"}', '; '],
        ...['[f(', 'a=', '1,', '"""', '(', ')]', '<|python_start|>'],
        ...['<|end|>', ' to=functions.f', '{"name": "f", "arguments": ', '<think>', '</think>', '<response>'],
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

describe.each(Object.keys(OUTPUTS))('calls in %s', (family) => {
  const parser = TOOL_PARSERS[family]!;

  test('are the same in pieces and whole', () => {
    fc.assert(
      fc.property(OUTPUTS[family]!, places, (output, at) => {
        const { content: said, toolCalls } = parser.whole(output, TOOLS);
        expect(streamedCalls(parser, cut(output, at), TOOLS)).toEqual({ content: said || null, toolCalls });
      }),
    );
  });
});

describe.each(Object.keys(THOUGHTS))('reasoning of %s', (family) => {
  const parser = REASONING_PARSERS[family]!;
  const context = { prompt: '', templateKwargs: { thinking: true } };

  test('is the same in pieces and whole', () => {
    fc.assert(
      fc.property(THOUGHTS[family]!, places, (output, at) => {
        expect(streamedReasoning(parser, cut(output, at), context)).toEqual(parser.whole(output, context));
      }),
    );
  });
});

test.each(Object.keys(TOOL_PARSERS))('%s reads calls in anything', (family) => {
  fc.assert(
    fc.property(rubble, places, (output, at) => {
      TOOL_PARSERS[family]!.whole(output, TOOLS);
      streamedCalls(TOOL_PARSERS[family]!, cut(output, at), TOOLS);
    }),
  );
});

test.each(Object.keys(REASONING_PARSERS))('%s reads reasoning in anything', (family) => {
  const context = { prompt: '', templateKwargs: { thinking: true } };
  fc.assert(
    fc.property(rubble, places, (output, at) => {
      REASONING_PARSERS[family]!.whole(output, context);
      streamedReasoning(REASONING_PARSERS[family]!, cut(output, at), context);
    }),
  );
});
