import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.js';
import { ChatTemplate } from './chat-template.js';

/** The line that the error names; it stands in the template as `HERE`, which is taken out. */
function lines(marked: string): { named: number | null; meant: number } {
  const meant = marked.slice(0, marked.indexOf('HERE')).split('\n').length;
  const source = marked.replace('HERE', '');
  try {
    new ChatTemplate(source, {}).render([{ role: 'user', content: 'hi' }], {
      tools: null,
      addGenerationPrompt: true,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const named = / in line (\d+): /.exec(error.message)?.[1];
    return { named: named === undefined ? null : Number(named), meant };
  }
  throw new Error('nothing was thrown');
}

const RAISE = "{{ HEREraise_exception('no') }}";

describe('an error while a template runs names the line of the tag', () => {
  it.each([
    ['after text of several lines', `one\ntwo\n\n${RAISE}\nfive`],
    ['after line breaks that blocks take along', `{% set a = 1 %}\n{# note\nover lines #}\n\n${RAISE}`],
    [
      'where white space is cut',
      `a\n\n   {%- if true -%}\n\n\n  {{- HEREraise_exception('no') -}}\n{% endif %}`,
    ],
    ['in a loop', `{% for m in messages %}\n{{ m.role }}\n${RAISE}\n{% endfor %}\n`],
    ['in the second branch', `{% if false %}\n{{ a }}\n{% elif true %}\n{{ b }}\n${RAISE}\n{% endif %}`],
    ['in the condition of a second branch', '{% if false %}\nx\n{% elif HEREnobody.name %}\n{% endif %}'],
    ['in the last branch', `{% if false %}{{ a }}{% elif false %}\n{% else %}\n{{ b }}\n${RAISE}{% endif %}`],
    ['in what a loop without turns prints', `{% for x in [] %}\n{{ x }}\n{% else %}\n${RAISE}\n{% endfor %}`],
    ['in a macro', `{% macro f(x) %}\n\n${RAISE}\n{% endmacro %}\n\n{{ f(1) }}`],
    ['in the arguments of a macro', '{% macro f(x) %}\n{{ x }}\n{% endmacro %}\n\n{{ HEREf(nobody.name) }}'],
    ['in a block that is set', `{% set x %}\nabc\n${RAISE}\n{% endset %}{{ x }}`],
    [
      'in a call block',
      `{% macro f() %}\n{{ caller() }}{% endmacro %}\n{% call f() %}\n${RAISE}\n{% endcall %}`,
    ],
    ['in a filter block', `{% filter upper %}\nabc\n${RAISE}\n{% endfilter %}`],
    ['after strings that look like tags', `{{ '}} {% {{ "' }}\n{{ "%} \\" {#" }}\n${RAISE}`],
    ['after comments that look like tags', `{# {{ {% ' #}\n{#- " -#}\n${RAISE}`],
    ['after nested braces', `{{ {'a': {'b': 1}}['a'] }}\n{% set x = {'}}': {}} %}\n${RAISE}`],
    ['after single braces', `{ } {a} {\n{ %}\n${RAISE}`],
    ['after marks for training', `{% generation %}\nx\n{%- endgeneration -%}\n\n${RAISE}`],
    ['in a tag over several lines', "{{ HEREraise_exception(\n  'no'\n) }}"],
    ['when a loop goes through nothing', '\n\n{% for x in HEREnobody %}\n{{ x }}\n{% endfor %}'],
    ['when a loop is left outside of one', '\n{% if true %}\n{% HEREbreak %}{% endif %}'],
  ])('%s', (_, marked) => {
    const { named, meant } = lines(marked);
    expect(named).toBe(meant);
  });
});

describe('an error while a template is read names the line of the tag', () => {
  it.each([
    ['an expression that breaks off', 'one\n{{ a }}\n{{ HERE5 + }}\n{{ b }}'],
    ['a statement that does not exist', '{% if a %}\n{# x #}\n{% HEREmake %}\n{% endif %}'],
    ['a branch without its block', 'a\n\n{{ b }}{% HEREelse %}\n{{ c }}'],
    ['a character that means nothing', '{{ a }}\n\n{% if HERE$ %}\n{% endif %}\n{{ b }}'],
    ['a string without its end', "{{ 'a' }}\n{{ 'b' }}\n\n{{ HERE'c }}\n{{ d }}"],
    ['a comment without its end', '{{ a }}\n\n{#HERE {{ b }}\n{{ c }}'],
    ['a block without its end', '{% if a %}\n{{ b }}\n{{ HEREc }}\n\n'],
    ['a tag without its end', '{{ a }}\n{{ HEREb\n'],
    ['an escape that does not exist', '\n\n{{ HERE"\\q" }}\n{{ c }}'],
  ])('%s', (_, marked) => {
    const { named, meant } = lines(marked);
    expect(named).toBe(meant);
  });
});
