/** Where the engine would do as JavaScript does, and real templates rely on what Python does. */
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { ChatTemplate } from './chat-template.js';

function render(source: string, json = 'null'): string {
  const options = { tools: null, addGenerationPrompt: false, variables: { v: parse(json) } };
  return new ChatTemplate(source, {}).render([], options);
}

describe('comparisons', () => {
  it.each([
    ["v == ''", '[]', 'False'],
    ["v == '1'", '1', 'False'],
    ['v == 1', '1.0', 'True'],
    ['v == true', '1', 'True'],
    ['v == none', 'null', 'True'],
    ['nobody == none', 'null', 'False'],
    ['v == [1, [2, none]]', '[1, [2, null]]', 'True'],
    ['v == [1]', '[1, 2]', 'False'],
    ["v == {'a': 1, 'b': [2]}", '{"b": [2], "a": 1}', 'True'],
    ["v != {'a': 1}", '{"a": 2}', 'True'],
    ["v in [none, '']", 'null', 'True'],
    ["v not in ['low', 'high']", 'null', 'True'],
    ["nobody in ['a']", 'null', 'False'],
    ["'a' in v", '{"a": null}', 'True'],
    ["'b' in v", '"abc"', 'True'],
    ['[1] in v', '[[1], 2]', 'True'],
    ["v < 'b'", '"a"', 'True'],
    ["v >= '3.0'", '"2.9"', 'False'],
  ])('%s of %s is %s', (expression, json, expected) => {
    expect(render(`{{ ${expression} }}`, json)).toBe(expected);
  });

  it('evaluate a long chain of operators in no time', () => {
    const chain = Array.from({ length: 200 }, () => "'a'").join(' + ');
    expect(render(`{{ ${chain} }}`)).toBe('a'.repeat(200));
  });
});

describe('texts', () => {
  it.each([
    ["{{ 'a' + v }}", '[1]', /can only concatenate str \(not "list"\) to str/],
    ["{{ 'a' + v }}", 'null', /can only concatenate str \(not "NoneType"\) to str/],
    ["{{ v + 'a' }}", '1', /unsupported operand types for \+: 'int' and 'str'/],
    ["{{ v * 'a' }}", '1', /failed in line 1/],
    ['{{ v * 100000000 }}', '"ab"', /too long/],
  ])('%s with %s fails', (source, json, message) => {
    expect(() => render(source, json)).toThrow(message);
  });

  it.each([
    ["{{ 'ab' * 3 }}[{{ 'ab' * v }}]", '-1', 'ababab[]'],
    ['{{ v | trim }}', '[" a "]', "[' a ']"],
    ['{{ v | upper }}', 'null', 'NONE'],
    ['[{{ nobody | trim }}]', 'null', '[]'],
    ["{{ v | replace('1', '2') }}", '11', '22'],
  ])('%s with %s is %s', (source, json, text) => {
    expect(render(source, json)).toBe(text);
  });
});

describe('filters of lists', () => {
  it.each([
    ["{{ v | reject('equalto', 'b') | join(', ') }}", '["a", "b", "c"]', 'a, c'],
    ["{{ v | select('in', ['a', 'c']) | join }}", '["a", "b", "c"]', 'ac'],
    ["{{ v | select('string') | list }}", '["a", 1, null]', "['a']"],
    ['{{ v | select | list }}', '[0, 1, "", "x"]', "[1, 'x']"],
    ["{{ v | map('upper') | join }}", '["a", "b"]', 'AB'],
    ["{{ v | map('replace', 'a', 'x') | list }}", '["a", "ba"]', "['x', 'bx']"],
    ["{{ v | map(attribute='n') | list }}", '[{"n": 1}, {"n": 2}]', '[1, 2]'],
    ["{{ v | selectattr('n', 'equalto', 'x') | list | length }}", '[{"n": "x"}, {"n": "y"}]', '1'],
    ["{{ v | selectattr('n') | list | length }}", 'null', '0'],
    ["{{ nobody | map('upper') | list }}", 'null', '[]'],
  ])('%s of %s is %s', (source, json, text) => {
    expect(render(source, json)).toBe(text);
  });

  it('name a test or filter that does not exist', () => {
    expect(() => render("{{ [1] | select('prime') | list }}")).toThrow(/Unknown test: prime/);
    expect(() => render("{{ ['a'] | map('shout') | list }}")).toThrow(/shout/);
  });
});

describe('loops', () => {
  it.each([
    ['{% for x in v %}{{ x }}{% if x == 2 %}!{% break %}{% endif %},{% endfor %}', '[1, 2, 3]', '1,2!'],
    ['{% for x in v %}{{ x }}{% if x == 2 %}{% continue %}{% endif %},{% endfor %}', '[1, 2, 3]', '1,23,'],
    ['{% for x in v %}{% continue %}{% else %}none{% endfor %}', '[1]', ''],
    ['{% for x in v %}{% for y in v %}{{ y }}{% break %}{% endfor %}.{% endfor %}', '[1, 2]', '1.1.'],
    ["{% for a, b in [('x', 1), ('y', 2)] %}{{ a }}{{ b }}{% endfor %}", 'null', 'x1y2'],
    ["{% for a, b in [('x', 1), ('y', 2)] if b > 1 %}{{ a }}{% endfor %}", 'null', 'y'],
    ['{% for key, value in v.items() %}{{ key }}={{ value }};{% endfor %}', '{"a": 1}', 'a=1;'],
  ])('%s over %s is %s', (source, json, text) => {
    expect(render(source, json)).toBe(text);
  });
});

describe('dicts', () => {
  const shown = (filter: string): string =>
    `{% for key, value in v | ${filter} %}{{ key }}={{ value }};{% endfor %}`;

  it.each([
    [
      "{% for k, v in {1024: 'b', 512: 'a'} | dictsort %}{{ k + 1 }}{{ v }};{% endfor %}",
      'null',
      '513a;1025b;',
    ],
    ["{% set d = {0: 1, 16384: 2} %}{{ d[16384] }},{{ d[v] }},{{ d['0'] }}", '0', '2,1,'],
    ["{{ v in {0: 1} }},{{ '0' in {0: 1} }},{{ {1: 0} == {'1': 0} }}", '0', 'True,False,False'],
    ["{% set d = {1: 'a'} %}[{{ d[2] }}]{{ d[2] is defined }}{{ d | length }}", 'null', '[]False1'],
    ["{{ {2: 'a'}.get(2) }},{{ {2: 'a'}.get(3) }},{{ {2: 'a'}.get('2', 'no') }}", 'null', 'a,None,no'],
    ["{{ {-1: 'a'}[-1] }}{{ {1: {2: 'deep'}}[1][2] }}", 'null', 'adeep'],
    ['{% for k in {2: 0, 1: 0} %}{{ k * 2 }},{% endfor %}', 'null', '4,2,'],
    ["{% for k, v in {2: 'a'}.items() %}{{ k + 1 }}{{ v }}{% endfor %}", 'null', '3a'],
    ["{% for k, v in {2: 'a'} | items %}{{ k + 1 }}{{ v }}{% endfor %}", 'null', '3a'],
    ["{{ {1: 'a', 'x': [none]} }}{{ {1: 'a'} | tojson }}", 'null', `{1: 'a', 'x': [None]}{"1": "a"}`],
    ['{{ {10: 1, 9: 2} | tojson(sort_keys=true) }}', 'null', '{"9": 2, "10": 1}'],
    [shown('dictsort'), '{"b": 1, "A": 2, "a": 0, "C": 3}', 'A=2;a=0;b=1;C=3;'],
    [shown('dictsort(true)'), '{"b": 1, "A": 2, "a": 0}', 'A=2;a=0;b=1;'],
    [shown("dictsort(by='value', reverse=true)"), '{"b": 1, "A": 2.5}', 'A=2.5;b=1;'],
    [shown("dictsort(false, 'value')"), '{"b": "y", "a": "X"}', 'a=X;b=y;'],
  ])('%s of %s is %s', (source, json, text) => {
    expect(render(source, json)).toBe(text);
  });

  it.each([
    ["{{ {1: 'a', 'b': 2} | dictsort }}", /'<' not supported between instances of 'str' and 'int'/],
    ["{{ {'a': 1} | dictsort(by='size') }}", /either "key" or "value"/],
    ["{{ {'a': 1} | dictsort(up=true) }}", /unexpected argument 'up'/],
    ["{{ {1.5: 'a'} }}", /texts and integers/],
  ])('%s fails', (source, message) => {
    expect(() => render(source)).toThrow(message);
  });
});
