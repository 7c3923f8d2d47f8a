import type { ChatCompletionRequest, StructuredOutputs, Tool } from '../../generated/types.js';
import { valueFault } from '../errors.js';
import type { AskedCalls, CallSyntax, OwnCallSyntax } from './parsers/parser.js';
import {
  argumentsSchema,
  listedCalls,
  schemaFormat,
  tagFormat,
  triggeredCalls,
} from './parsers/tag-formats.js';
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
  syntax: CallSyntax | OwnCallSyntax | null;
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

function taggedCalls(
  { tools, choice, parallel }: Forcing,
  syntax: CallSyntax | OwnCallSyntax,
): StructuredOutputs | null {
  const isAlwaysHeld = 'format' in syntax && syntax.isAlwaysHeld;
  if (choice === 'auto' && parallel && !isAlwaysHeld && !tools.some(isStrict)) return null;
  const isNamed = typeof choice !== 'string';
  const asked: AskedCalls = {
    tools: isNamed ? [named(tools, choice)] : tools,
    choice: isNamed ? 'named' : (choice as 'auto' | 'required'),
    isSingle: !parallel,
  };
  const format = 'format' in syntax ? syntax.format(asked) : envelopedCalls(asked, syntax);
  return { structural_tag: tagText({ type: 'structural_tag', format }) };
}

function envelopedCalls(asked: AskedCalls, { trigger, envelopes }: CallSyntax): object {
  const tags = asked.tools.flatMap((tool) =>
    envelopes(tool.function.name).map(({ begin, end }) =>
      tagFormat(begin, schemaFormat(argumentsSchema(tool)), end),
    ),
  );
  return asked.choice === 'auto' ? triggeredCalls(trigger, tags, asked, []) : listedCalls(tags, asked);
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
