import { ApiError, valueFault } from '../errors.js';
import type { TokenizerSpec } from '../model/index.js';
import { Environment } from './jinja-engine.js';
import { loopsOverContent } from './template-content.js';
import { faultAt } from './template-fault.js';
import { TEMPLATE_FUNCTIONS, TEMPLATE_WORDS } from './template-globals.js';
import { TemplateInterpreter } from './template-interpreter.js';
import { readTemplate, type TemplateProgram } from './template-program.js';
import { templateValue } from './template-values.js';

/** What a chat template sees beside the messages. */
export interface ChatTemplateOptions {
  /** Tool definitions, in the order of keys in which they shall be printed; none is null, not an empty list. */
  tools: readonly unknown[] | null;
  addGenerationPrompt: boolean;
  /** Further variables, such as `enable_thinking`. They win over the special tokens, not over the two above. */
  variables?: Readonly<Record<string, unknown>>;
}

/** The model's tokens by their names in a template. */
const TOKEN_NAMES = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'].map((name) => `${name}_token`);

/** A Jinja chat template, compiled once. Holds no state of a request. */
export class ChatTemplate {
  readonly #program: TemplateProgram;
  readonly #tokens: Readonly<Record<string, string>>;
  /** It goes through the parts of a message's content, so content is to be a list. */
  readonly wantsContentParts: boolean;
  /** It tells the role `developer` from `system`. */
  readonly knowsDeveloper: boolean;

  /**
   * `source`: Jinja text; `config`: the content of tokenizer_config.json, for the names of special tokens.
   * Throws a 400 with the engine's message and the line when the text is not a template that the engine can read.
   */
  constructor(source: string, config: TokenizerSpec['config']) {
    this.#program = failingAs('The chat template cannot be read', () => readTemplate(source));
    this.#tokens = namedTokens(config);
    this.wantsContentParts = loopsOverContent(this.#program.root);
    this.knowsDeveloper = /["']developer["']/.test(source);
  }

  /**
   * The prompt of a conversation. Messages and variables are JSON data; numbers read by lossless-json print as
   * they would in Python. Throws a 400 with the template's own message and the line when it raises or can't be run.
   */
  render(messages: readonly unknown[], options: ChatTemplateOptions): string {
    return failingAs('The chat template failed', () => {
      const { tools, addGenerationPrompt, variables } = options;
      const scope = new Environment();
      for (const [name, value] of Object.entries(TEMPLATE_FUNCTIONS)) scope.set(name, value);
      const given = {
        documents: null,
        ...this.#tokens,
        ...variables,
        messages,
        tools,
        add_generation_prompt: addGenerationPrompt,
      };
      for (const [name, value] of Object.entries(given)) scope.setVariable(name, templateValue(value));
      for (const [name, value] of Object.entries(TEMPLATE_WORDS))
        scope.setVariable(name, templateValue(value));
      const { root, lines } = this.#program;
      return String(new TemplateInterpreter(scope, lines).run(root).value);
    });
  }
}

function failingAs<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { message, line } = faultAt(error, null);
    throw valueFault(null, `${what}${line === null ? '' : ` in line ${line}`}: ${message}`);
  }
}

/** A special token is written as a string or as an object with `content`. */
function namedTokens(config: TokenizerSpec['config']): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of TOKEN_NAMES) {
    const token = config[name] as { content?: unknown } | string | null | undefined;
    const content = typeof token === 'string' ? token : token?.content;
    if (typeof content === 'string') found[name] = content;
  }
  return found;
}
