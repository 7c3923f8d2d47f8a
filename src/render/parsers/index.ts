import { StartupError } from '../../errors.js';
import { deepseekR1 } from './deepseek-r1.js';
import { deepseekV3Calls, deepseekV31Calls } from './framed/deepseek.js';
import { kimiK2Calls } from './framed/kimi-k2.js';
import { mistralCalls } from './framed/mistral.js';
import { glm45Calls } from './glm45.js';
import { harmonyCalls } from './harmony/calls.js';
import { harmonyReasoning } from './harmony/reasoning.js';
import { hermes } from './hermes.js';
import { graniteCalls, jambaCalls, phi4MiniCalls } from './listed/families.js';
import { llama3Json } from './listed/llama3.js';
import { mimoCalls } from './mimo.js';
import { minimaxM2Calls } from './minimax-m2.js';
import type { ReasoningParser, ToolParser } from './parser.js';
import { llama4PythonicCalls, pythonicCalls } from './pythonic/pythonic.js';
import { qwen3Coder, seedOssCalls } from './qwen3-coder.js';
import { ernie45 } from './thinking/ernie45.js';
import { hunyuanA13b } from './thinking/hunyuan-a13b.js';
import { deepseekV3, holo2, olmo3, step3 } from './thinking/plain.js';
import { minimaxM2AppendThink } from './thinking/unopened.js';
import { glm45, kimiK2, minimaxM2, qwen3, seedOss, step3p5 } from './thinking/with-calls.js';

/** Tool parsers by the names that the reference gives them. */
export const TOOL_PARSERS: Readonly<Record<string, ToolParser>> = {
  deepseek_v3: erased(deepseekV3Calls),
  deepseek_v31: erased(deepseekV31Calls),
  granite: erased(graniteCalls),
  hermes: erased(hermes),
  jamba: erased(jambaCalls),
  kimi_k2: erased(kimiK2Calls),
  llama3_json: erased(llama3Json),
  llama4_pythonic: erased(llama4PythonicCalls),
  llama4_json: erased(llama3Json),
  mistral: erased(mistralCalls),
  phi4_mini_json: erased(phi4MiniCalls),
  pythonic: erased(pythonicCalls),
  qwen3_coder: erased(qwen3Coder),
  qwen3_xml: erased(qwen3Coder),
  step3p5: erased(qwen3Coder),
  seed_oss: erased(seedOssCalls),
  glm45: erased(glm45Calls),
  glm47: erased(glm45Calls),
  mimo: erased(mimoCalls),
  minimax_m2: erased(minimaxM2Calls),
  openai: erased(harmonyCalls),
};

/** Reasoning parsers by the names that the reference gives them. */
export const REASONING_PARSERS: Readonly<Record<string, ReasoningParser>> = {
  deepseek_r1: erased(deepseekR1),
  deepseek_v3: deepseekV3,
  ernie45: erased(ernie45),
  glm45,
  glm47: glm45,
  holo2,
  hunyuan_a13b: erased(hunyuanA13b),
  kimi_k2: kimiK2,
  mimo: qwen3,
  minimax_m2: minimaxM2,
  minimax_m2_append_think: erased(minimaxM2AppendThink),
  olmo3,
  openai_gptoss: erased(harmonyReasoning),
  qwen3,
  seed_oss: seedOss,
  step3,
  step3p5,
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
