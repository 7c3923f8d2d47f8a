import type { Tool } from '../../../generated/types.js';
import type { AskedCalls } from './parser.js';

/** How arguments that keep to a JSON schema are written. */
export type ArgumentStyle = 'json' | 'qwen_xml' | 'glm_xml' | 'minimax_xml';

/** XGrammar's format of a value that keeps to a schema; `true` = any. */
export function schemaFormat(json_schema: unknown, style: ArgumentStyle = 'json'): object {
  return {
    type: 'json_schema',
    json_schema,
    style,
    any_order: false,
    max_whitespace_cnt: null,
    excludes: [],
  };
}

/** What a call's arguments have to keep to: their schema only where the tool is `strict`. */
export function argumentsSchema({ function: { strict, parameters } }: Tool): unknown {
  return strict === true ? (parameters ?? true) : true;
}

/** Text without these texts in it. */
export function textFormat(excludes: readonly string[]): object {
  return { type: 'any_text', excludes, max_tokens: null, max_chars: null };
}

/** A text, what is in it, and the text after. */
export function tagFormat(begin: string, content: object, end: string | readonly string[]): object {
  return { type: 'tag', begin, content, end };
}

export function constant(value: string): object {
  return { type: 'const_string', value };
}

export function sequence(...elements: readonly object[]): object {
  return { type: 'sequence', elements };
}

/** One of several; a single one is itself. */
export function oneOf(elements: readonly object[]): object {
  return elements.length === 1 ? elements[0]! : { type: 'or', elements };
}

/** Text in which calls begin with a trigger. */
export function triggeredCalls(
  trigger: string,
  tags: readonly object[],
  { choice, isSingle }: AskedCalls,
  excludes: readonly string[],
): object {
  return {
    type: 'triggered_tags',
    triggers: [trigger],
    tags,
    at_least_one: choice !== 'auto',
    stop_after_first: isSingle,
    excludes,
  };
}

/** Calls one after the other, and nothing else. */
export function listedCalls(tags: readonly object[], { choice, isSingle }: AskedCalls): object {
  return {
    type: 'tags_with_separator',
    tags,
    separator: '',
    at_least_one: true,
    stop_after_first: isSingle || choice === 'named',
  };
}
