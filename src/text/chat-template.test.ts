import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { TINY_CHAT_TEMPLATE } from '../../scripts/tiny-vocabulary.js';
import { ApiError } from '../errors.js';
import { ChatTemplate } from './chat-template.js';

const plain = { tools: null, addGenerationPrompt: false };

function render(source: string, variables: Record<string, unknown> = {}): string {
  return new ChatTemplate(source, {}).render([], { ...plain, variables });
}

function failure(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('ChatTemplate', () => {
  it('renders messages, with or without the start of an answer', () => {
    const template = new ChatTemplate(TINY_CHAT_TEMPLATE, {});
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '日本 🎉' },
    ];
    const conversation = '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n日本 🎉<|im_end|>\n';
    expect(template.render(messages, plain)).toBe(conversation);
    expect(template.render(messages, { ...plain, addGenerationPrompt: true })).toBe(
      `${conversation}<|im_start|>assistant\n`,
    );
  });

  it('knows the special tokens, however the config writes them', () => {
    const template = new ChatTemplate('{{ bos_token }}|{{ eos_token }}|{{ pad_token }}|{{ unk_token }}', {
      bos_token: '<s>',
      eos_token: { content: '</s>' },
      pad_token: null,
    });
    expect(template.render([], plain)).toBe('<s>|</s>||');
    expect(template.render([], { ...plain, variables: { bos_token: 'B' } })).toBe('B|</s>||');
  });

  it('says that there are no tools with none', () => {
    const template = new ChatTemplate(
      '{% if tools is none %}none{% else %}{{ tools | length }}{% endif %}',
      {},
    );
    expect(template.render([], plain)).toBe('none');
    expect(template.render([], { ...plain, tools: [{}, {}] })).toBe('2');
  });

  it('lets variables replace functions, but neither words nor the conversation', () => {
    expect(render('{{ range }}', { range: 5 })).toBe('5');
    expect(render('{{ true }} {{ none }}', { true: 1, none: 2 })).toBe('True None');
    expect(render('{{ messages | length }}', { messages: [1, 2] })).toBe('0');
  });

  it('takes nothing from the prototype of an object', () => {
    expect(render('{{ constructor is defined }} {{ v.constructor is defined }}', { v: {} })).toBe(
      'False False',
    );
    const value = parse('{"__proto__": {"a": 1}, "constructor": 2}');
    expect(render('{{ v.constructor }}', { v: value })).toBe('2');
  });

  it('keeps nothing between two renderings', () => {
    const template = new ChatTemplate("{% if x is defined %}{{ x }}{% endif %}{% set x = 'left' %}", {});
    expect(template.render([], plain)).toBe('');
    expect(template.render([], plain)).toBe('');
  });
});

describe('a template that fails', () => {
  it.each([
    [
      "{{ raise_exception('Roles must alternate') }}",
      /^The chat template failed in line 1: Roles must alternate$/,
    ],
    ['{{ "a" | no_such_filter }}', /no_such_filter/],
    ['{{ messages[0].content }}', /undefined/],
    ['{{ nobody.name }}', /'nobody' is undefined/],
    ['{{ nobody.name is defined }}', /'nobody' is undefined/],
    ['{{ messages.go() }}', /not a function/],
    ['{{ range(1000000000) }}', /Range too big/],
    ['{{ range(5, 0, 0) }}', /range\(\)/],
    ['{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', /failed in line 1: \S/],
    ['{{ nobody | tojson }}', /Object of type Undefined is not JSON serializable/],
    ['{{ [nobody] | tojson }}', /Object of type Undefined is not JSON serializable/],
    ['{{ 1 | tojson(colour=2) }}', /unexpected argument 'colour'/],
    ['{{ 1 | tojson(separators=",") }}', /separators/],
    ['{{ 1 | tojson(indent=1.5) }}', /indent/],
    ['{% break %}', /failed in line 1: 'break' outside loop/],
  ])('%s answers 400 with its message', (source, message) => {
    const template = new ChatTemplate(source, {});
    const error = failure(() => template.render([], plain));
    expect(error).toMatchObject({ status: 400, type: 'BadRequestError', param: null });
    expect(error.message).toMatch(message);
  });

  it.each(['{{ 5', '{% if x %}', '{{ }}', '{% for x of y %}{% endfor %}'])(
    '%s is refused when it is read',
    (source) => {
      const error = failure(() => new ChatTemplate(source, {}));
      expect(error).toMatchObject({ status: 400, type: 'BadRequestError' });
      expect(error.message).toMatch(/^The chat template cannot be read in line 1: \S/);
    },
  );

  it('leaves the template fit for the next conversation', () => {
    const template = new ChatTemplate("{% if bad %}{{ raise_exception('no') }}{% endif %}fine", {});
    failure(() => template.render([], { ...plain, variables: { bad: true } }));
    expect(template.render([], plain)).toBe('fine');
  });
});

describe('printed values', () => {
  it.each([
    [
      '{{ v }}',
      '{"b": 1, "a": [1.0, null, true, "x\'y", "q\\"", ""]}',
      `{'b': 1, 'a': [1.0, None, True, "x'y", 'q"', '']}`,
    ],
    ['{{ v | string }}', '[false]', '[False]'],
    ['{{ v ~ v }}', 'null', 'NoneNone'],
    ['{{ v ~ "x" }}', '1.0', '1.0x'],
    ['{{ v }}', '12345678901234567890', '12345678901234567890'],
    ['{{ v }}', '["\\n\\\\\\u0001\\u2028😀é", "a\'b\\"c"]', `['\\n\\\\\\x01\\u2028😀é', 'a\\'b"c']`],
    ['{{ (v, 1) }}{{ [(v, none)] }}', '2', '(2, 1)[(2, None)]'],
    ['{{ v / 2 }} {{ v // 2 }} {{ v is none }}', '4', '2.0 2 False'],
    ['{% set x = v %}{{ x }}{# note #}{% if v %}{{ v }}{% endif %}', '1e400', 'infinf'],
    ['[{{ nobody }}]{{ "a" if v }}', '0', '[]'],
  ])('%s of %s', (source, json, text) => {
    expect(render(source, { v: parse(json) })).toBe(text);
  });
});

describe('tojson', () => {
  it.each([
    ['', '{"b":1,"a":"é/<&\'"}', '{"b": 1, "a": "é/<&\'"}'],
    [
      '',
      '{"x": 1.0, "y": {}, "z": [[], [1e5, 1E-7, -0.0, -0, 1e16, 100000000000000000001]]}',
      '{"x": 1.0, "y": {}, "z": [[], [100000.0, 1e-07, -0.0, 0, 1e+16, 100000000000000000001]]}',
    ],
    ['', '[true, false, null, "\\n\\u0000\\u007f\\"\\\\"]', '[true, false, null, "\\n\\u0000\u007f\\"\\\\"]'],
    ['(ensure_ascii=true)', '{"é": "😀\\u007f"}', '{"\\u00e9": "\\ud83d\\ude00\\u007f"}'],
    ['(indent=2)', '{"a": [1, {}], "b": []}', '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}'],
    ['(indent=0)', '[1, 2]', '[\n1,\n2\n]'],
    ['(indent=none)', '[1, 2]', '[1, 2]'],
    ['(indent="\\t")', '[1]', '[\n\t1\n]'],
    ['(separators=(",", ":"))', '{"a": [1, 2], "b": 3}', '{"a":[1,2],"b":3}'],
    ['(indent=1, separators=[";", "="])', '{"a": 1, "b": 2}', '{\n "a"=1;\n "b"=2\n}'],
    ['(sort_keys=true)', '{"\ue000": 1, "😀": 2, "Z": 3, "a": 4}', '{"Z": 3, "a": 4, "\ue000": 1, "😀": 2}'],
    ['(true, 1)', '["é"]', '[\n "\\u00e9"\n]'],
  ])('tojson%s of %s', (args, json, text) => {
    expect(render(`{{ v | tojson${args} }}`, { v: parse(json) })).toBe(text);
  });

  it('writes plain data and what the template made itself', () => {
    expect(render('{{ {"a": 4 / 2, "b": (1, x)} | tojson }}', { x: 1n })).toBe('{"a": 2.0, "b": [1, 1]}');
    expect(render('{{ v | tojson }}', { v: { a: undefined, b: 1.5, c: 2 } })).toBe('{"b": 1.5, "c": 2}');
  });

  it('keeps the order of keys that look like numbers when they come in a Map', () => {
    const v = new Map<string, unknown>([
      ['b', 1],
      ['10', new Map([['2', null]])],
      ['1', []],
    ]);
    expect(render('{{ v | tojson }}', { v })).toBe('{"b": 1, "10": {"2": null}, "1": []}');
  });
});
