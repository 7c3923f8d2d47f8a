import type { ChatCompletionRequest, StructuredOutputs, Tool } from '../../generated/types.js';
import { valueFault } from '../errors.js';
import type { CallSyntax } from './parsers/parser.js';
import type { OutputParsers } from './settings.js';
import { tagText } from './structured-outputs.js';

/** What a chat may, must or must not call; `auto` only when there are tools. */
export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

type Asked = Pick<ChatCompletionRequest, 'tools' | 'tool_choice'>;

/** Throws a 400 when a choice does not go with the tools. */
export function toolChoiceOf({ tools, tool_choice: asked }: Asked): ToolChoice {
  if (asked === undefined || asked === null) return asked === undefined && tools?.length ? 'auto' : 'none';
  if (asked === 'none') return 'none';
  if (!tools) throw valueFault('tool_choice', 'tool_choice needs tools.');
  if (typeof asked === 'string') return asked;
  const { name } = asked.function;
  if (!tools.some((tool) => tool.function.name === name)) {
    throw valueFault('tool_choice', `tool_choice names "${name}", which is not among the tools.`);
  }
  return { name };
}

/** Throws a 400 when this server can't find the calls that are asked for. */
export function checkParsersFor(choice: ToolChoice, { tool, autoToolChoice }: OutputParsers): void {
  if (tool || choice === 'none') return;
  if (choice === 'auto') {
    if (autoToolChoice) return;
    throw valueFault(
      null,
      'tool_choice "auto" needs a server with --enable-auto-tool-choice and --tool-call-parser.',
    );
  }
  const shown = typeof choice === 'string' ? `"${choice}"` : `function "${choice.name}"`;
  throw valueFault(null, `tool_choice ${shown} needs a server with --tool-call-parser.`);
}

interface Forcing {
  tools: readonly Tool[];
  choice: ToolChoice;
  /** False allows one call. */
  parallel: boolean;
  syntax: CallSyntax | null;
}

/**
 * The shape that makes the output hold the calls that are asked for; null when any output will do. Arguments keep
 * to their schema only where the tool is `strict`.
 */
export function forcedCalls(forcing: Forcing): StructuredOutputs | null {
  const { tools, choice, syntax } = forcing;
  if (choice === 'none' || tools.length === 0) return null;
  if (syntax) return taggedCalls(forcing, syntax);
  if (choice === 'auto') return null;
  return { json: choice === 'required' ? listOfCalls(forcing) : argumentsOf(named(tools, choice)) };
}

function taggedCalls({ tools, choice, parallel }: Forcing, syntax: CallSyntax): StructuredOutputs | null {
  const isNeeded = choice !== 'auto' || !parallel || tools.some(isStrict);
  if (!isNeeded) return null;
  const callable = typeof choice === 'string' ? tools : [named(tools, choice)];
  const tags = callable.flatMap((tool) =>
    syntax.envelopes(tool.function.name).map(({ begin, end }) => ({
      type: 'tag',
      begin,
      content: jsonOf(isStrict(tool) ? (tool.function.parameters ?? true) : true),
      end,
    })),
  );
  const stop_after_first = !parallel || typeof choice !== 'string';
  const format =
    choice === 'auto'
      ? {
          type: 'triggered_tags',
          triggers: [syntax.trigger],
          tags,
          at_least_one: false,
          stop_after_first,
          excludes: [],
        }
      : { type: 'tags_with_separator', tags, separator: '', at_least_one: true, stop_after_first };
  return { structural_tag: tagText({ type: 'structural_tag', format }) };
}

function jsonOf(json_schema: unknown): object {
  return {
    type: 'json_schema',
    json_schema,
    style: 'json',
    any_order: false,
    max_whitespace_cnt: null,
    excludes: [],
  };
}

function listOfCalls({ tools, parallel }: Forcing): Record<string, unknown> {
  const calls = tools.map((tool) => ({
    properties: { name: { type: 'string', enum: [tool.function.name] }, parameters: argumentsOf(tool) },
    required: ['name', 'parameters'],
  }));
  return {
    type: 'array',
    minItems: 1,
    items: { type: 'object', anyOf: calls },
    ...(parallel ? {} : { maxItems: 1 }),
  };
}

function argumentsOf({ function: { parameters } }: Tool): Record<string, unknown> {
  return parameters ?? { type: 'object', properties: {} };
}

function named(tools: readonly Tool[], { name }: { name: string }): Tool {
  return tools.find((tool) => tool.function.name === name)!;
}

function isStrict({ function: { strict } }: Tool): boolean {
  return strict === true;
}
