import { valueFault } from '../errors.js';
import type { EncodedText } from '../text/text-encoding.js';
import type { TokenOffset } from '../text/token-places.js';
import type { RenderSettings, TextTools } from './settings.js';

/** How a prompt is turned into ids, as chats and completions say it. */
export interface PromptOptions {
  addSpecialTokens: boolean;
  withOffsets: boolean;
  /** Keep this many tokens; -1 = as many as leave room for an output; null = all. */
  truncateTo: number | null;
  /** Which end is cut off; `left` keeps the last tokens. */
  truncationSide: 'left' | 'right';
  /** Tokens that the request wants to output, and the field that says so. */
  outputTokens: { count: number; field: string } | null;
}

export interface RenderedPrompt {
  ids: number[];
  offsets: TokenOffset[] | null;
}

/** The tokenizer, or a 400 on a server that has none. */
export function textTools({ text }: RenderSettings): TextTools {
  if (!text) {
    throw valueFault(null, 'This server loads no tokenizer: it can only render and decode token ids.');
  }
  return text;
}

/** A text's ids, cut and checked. Throws a 400. */
export async function promptOfText(
  text: string,
  options: PromptOptions,
  settings: RenderSettings,
): Promise<RenderedPrompt> {
  const { tokenizer, encoder } = textTools(settings);
  checkOutputTokens(options, settings);
  const longest = settings.maxModelLen * tokenizer.longestToken;
  if (options.truncateTo === null && text.length > longest) {
    throw valueFault(
      'input_text',
      `The prompt has ${text.length} characters; a prompt of ${settings.maxModelLen} tokens has at most ${longest}. ` +
        'Shorten it.',
    );
  }
  return fitted(await encoder.encode(text, options), options, settings);
}

/** Ids as they are, cut and checked. Throws a 400. */
export function promptOfIds(
  ids: readonly number[],
  options: PromptOptions,
  settings: RenderSettings,
): RenderedPrompt {
  checkOutputTokens(options, settings);
  return fitted({ ids: [...ids], offsets: null }, options, settings);
}

function fitted(
  { ids, offsets }: EncodedText,
  options: PromptOptions,
  { maxModelLen }: RenderSettings,
): RenderedPrompt {
  const kept = sliceOf(ids.length, options, maxModelLen);
  const cut = { ids: ids.slice(...kept), offsets: offsets?.slice(...kept) ?? null };
  if (cut.ids.length > maxModelLen) {
    throw valueFault(
      'input_tokens',
      `The prompt has ${cut.ids.length} tokens; the model's length is ${maxModelLen}. Shorten it, or set ` +
        'truncate_prompt_tokens.',
    );
  }
  if (cut.ids.length === 0) throw valueFault(null, 'The prompt has no tokens.');
  return cut;
}

function sliceOf(length: number, options: PromptOptions, maxModelLen: number): [start: number, end: number] {
  const { truncateTo, truncationSide, outputTokens } = options;
  if (truncateTo !== null && truncateTo > maxModelLen) {
    throw valueFault(
      'truncate_prompt_tokens',
      `truncate_prompt_tokens is ${truncateTo}, more than the model's length of ${maxModelLen}.`,
    );
  }
  // A prompt cut to the whole length would leave nothing for the output.
  const most = truncateTo === -1 ? maxModelLen - (outputTokens ? 1 : 0) : truncateTo;
  if (most === null || most >= length) return [0, length];
  return truncationSide === 'left' ? [length - most, length] : [0, most];
}

function checkOutputTokens({ outputTokens }: PromptOptions, { maxModelLen }: RenderSettings): void {
  if (outputTokens && outputTokens.count > maxModelLen) {
    throw valueFault(
      outputTokens.field,
      `${outputTokens.field} is ${outputTokens.count}, more than the model's length of ${maxModelLen}.`,
    );
  }
}
