import { StartupError } from '../../errors.js';
import { deepseekR1 } from './deepseek-r1.js';
import { hermes } from './hermes.js';
import type { ReasoningParser, ToolParser } from './parser.js';
import { qwen3 } from './qwen3.js';

/** Tool parsers by the names that the reference gives them. */
export const TOOL_PARSERS: Readonly<Record<string, ToolParser>> = { hermes: erased(hermes) };

/** Reasoning parsers by the names that the reference gives them. */
export const REASONING_PARSERS: Readonly<Record<string, ReasoningParser>> = {
  qwen3: erased(qwen3),
  deepseek_r1: erased(deepseekR1),
};

/** The parser of this name. Throws a StartupError that names those there are. */
export function toolParser(name: string): ToolParser {
  return named('--tool-call-parser', name, TOOL_PARSERS);
}

/** The parser of this name. Throws a StartupError that names those there are. */
export function reasoningParser(name: string): ReasoningParser {
  return named('--reasoning-parser', name, REASONING_PARSERS);
}

function named<Parser>(flag: string, name: string, parsers: Readonly<Record<string, Parser>>): Parser {
  const found = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
  if (found) return found;
  throw new StartupError(`${flag} ${name} is not known. Known: ${Object.keys(parsers).join(', ')}.`);
}

/** States are a parser's own: whoever carries them does not look inside. */
function erased<Parser>(parser: unknown): Parser {
  return parser as Parser;
}
