import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../config.js';
import { ApiError, StartupError } from '../errors.js';
import type { GenerationConfig } from '../model/generation-config.js';
import type { ModelDescription, TokenizerSpec } from '../model/index.js';
import { reasoningParser, toolParser } from '../render/parsers/index.js';
import type { ContentFormat, RenderSettings, Templates, TextTools } from '../render/settings.js';
import { BackgroundEncoder } from '../text/background-encoder.js';
import { ChatTemplate } from '../text/chat-template.js';
import { createTokenizer, type Tokenizer } from '../text/tokenizer.js';

/** The reference gives this to every template, and tells it in `reasoning_parser_kwargs`. */
const USUAL_VARIABLES = { cohere_format: 'cmd4' };

/** What render and derender need to know of a model and the flags. Throws a StartupError. */
export function renderSettings(
  config: Config,
  model: ModelDescription,
  generation: GenerationConfig,
): RenderSettings {
  return {
    text: hasText(config, model) ? textTools(config, model, model.tokenizer) : null,
    servedModelNames: config.servedModelName.length > 0 ? config.servedModelName : [model.name],
    maxModelLen: maxModelLen(config, model),
    defaultSampling: generation.sampling,
    maxTokensLimit: generation.maxTokensLimit,
    eosId: model.config.eosIds[0] ?? null,
    maxLogprobs: config.maxLogprobs ?? 20,
    parsers: {
      tool: config.toolCallParser === null ? null : toolParser(config.toolCallParser),
      autoToolChoice: config.enableAutoToolChoice,
      reasoning: config.reasoningParser === null ? null : reasoningParser(config.reasoningParser),
    },
  };
}

/** Longest prompt and output together: the model's own length, or less. Throws a StartupError for more. */
export function maxModelLen(config: Config, { config: { contextLength } }: ModelDescription): number {
  const asked = config.maxModelLen ?? contextLength;
  if (asked <= contextLength) return asked;
  throw new StartupError(`--max-model-len is ${asked}, but the model's own length is ${contextLength}.`);
}

/** Whether a server of this model reads and writes text. */
export function hasText(
  config: Config,
  model: ModelDescription,
): model is ModelDescription & { tokenizer: TokenizerSpec } {
  return model.tokenizer !== null && !config.tokensOnly && !config.skipTokenizerInit;
}

function textTools(config: Config, model: ModelDescription, spec: TokenizerSpec): TextTools {
  const tokenizer = createTokenizer(spec);
  return {
    tokenizer,
    encoder: new BackgroundEncoder(spec, tokenizer),
    templates: templates(config, model),
    hiddenIds: hiddenIds(tokenizer, model),
  };
}

/**
 * Special tokens with a role: those that the tokenizer names, such as its EOS, and those that the chat template writes.
 * Others, such as `<repo_name>`, are text, as the reference has it.
 */
function hiddenIds(tokenizer: Tokenizer, { tokenizer: spec, chatTemplate }: ModelDescription): Set<number> {
  const named = new Set(Object.values(spec?.config ?? {}).flat());
  const hidden = new Set<number>();
  for (let id = 0; id < tokenizer.vocabSize; id++) {
    const token = tokenizer.isSpecial(id) ? tokenizer.idToToken(id) : undefined;
    if (token !== undefined && (named.has(token) || chatTemplate?.includes(token))) hidden.add(id);
  }
  return hidden;
}

function templates(config: Config, { tokenizer, chatTemplate }: ModelDescription): Templates {
  const compile = (source: string): ChatTemplate => new ChatTemplate(source, tokenizer?.config ?? {});
  const given = config.chatTemplate === null ? null : templateText(config.chatTemplate);
  return {
    own: given === null ? ownTemplate(chatTemplate, compile) : startingWith(given, compile),
    compile,
    trustRequests: config.trustRequestChatTemplate,
    contentFormat:
      config.chatTemplateContentFormat === 'auto'
        ? null
        : (config.chatTemplateContentFormat as ContentFormat),
    variables: { ...USUAL_VARIABLES, ...templateVariables(config.defaultChatTemplateKwargs) },
  };
}

/** A template of the model that can't be read is only missed by those who send chats. */
function ownTemplate(source: string | null, compile: (source: string) => ChatTemplate): ChatTemplate | null {
  if (source === null) return null;
  try {
    return compile(source);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function startingWith(source: string, compile: (source: string) => ChatTemplate): ChatTemplate {
  try {
    return compile(source);
  } catch (error) {
    throw new StartupError(`--chat-template: ${(error as Error).message}`);
  }
}

function templateText(option: string): string {
  if (existsSync(option)) return readFileSync(option, 'utf8');
  if (/[{}\n]/.test(option)) return option;
  throw new StartupError(`--chat-template: there is no file ${option}, and it is no template either.`);
}

function templateVariables(json: string | null): Readonly<Record<string, unknown>> {
  if (json === null) return {};
  try {
    const value: unknown = JSON.parse(json);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Falls through to the same message.
  }
  throw new StartupError('--default-chat-template-kwargs must be a JSON object.');
}
