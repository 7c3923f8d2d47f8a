import { StartupError } from '../errors.js';
import { SequencePostProcessor } from './huggingface.js';

type Json = Readonly<Record<string, unknown>>;

/** Ids that the tokenizer puts around a text, such as BOS. */
export interface SpecialFrame {
  before: readonly number[];
  after: readonly number[];
}

/** Stands for the text; no vocabulary has it. */
const TEXT = '\0text';

/** What the post-processor of a tokenizer.json adds. Throws a StartupError when it can't be used. */
export function specialFrame(config: Json | null, vocabulary: ReadonlyMap<string, number>): SpecialFrame {
  if (!config) return { before: [], after: [] };
  const tokens = framed(config);
  const at = tokens.indexOf(TEXT);
  const ids = (part: readonly string[]): number[] =>
    part.map((token) => {
      const id = vocabulary.get(token);
      if (id === undefined) {
        throw new StartupError(
          `The tokenizer adds the token "${token}", which its vocabulary does not have.`,
        );
      }
      return id;
    });
  return { before: ids(tokens.slice(0, at)), after: ids(tokens.slice(at + 1)) };
}

function framed(config: Json): string[] {
  try {
    const steps = new SequencePostProcessor({ processors: [config] });
    return steps.post_process([TEXT], null, true).tokens;
  } catch (error) {
    throw new StartupError(`The tokenizer's post-processor can't be used: ${(error as Error).message}`);
  }
}
