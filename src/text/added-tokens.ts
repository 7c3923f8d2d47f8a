import type { TokenizerSpec } from '../model/index.js';

type Json = Readonly<Record<string, unknown>>;

/** A token that is looked for in the text before anything else. */
export interface AddedToken {
  id: number;
  content: string;
  /** Left out of decoded text with `skip_special_tokens`. */
  special: boolean;
  /** Matches only where no letter, digit or underscore touches it. */
  singleWord: boolean;
  /** Takes white space before it along. */
  lstrip: boolean;
  /** Takes white space behind it along. */
  rstrip: boolean;
  /** Looked for in normalised text. */
  normalized: boolean;
}

const NAMED = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'].map((name) => `${name}_token`);

/**
 * The added tokens of a tokenizer: those of tokenizer.json, those that only tokenizer_config.json lists, and those
 * that it names as BOS, EOS and the like, which are special wherever they come from.
 */
export function addedTokens(
  { tokenizer, config }: TokenizerSpec,
  vocabulary: ReadonlyMap<string, number>,
): AddedToken[] {
  const found = new Map<string, AddedToken>();
  const add = (token: AddedToken): void => {
    if (!found.has(token.content)) found.set(token.content, token);
  };
  for (const entry of (tokenizer.added_tokens ?? []) as Json[]) add(read(entry, Number(entry.id)));
  for (const [id, entry] of Object.entries((config.added_tokens_decoder ?? {}) as Record<string, Json>)) {
    add(read(entry, Number(id)));
  }
  for (const content of specialNames(config)) {
    const known = found.get(content);
    const id = vocabulary.get(content);
    if (known) known.special = true;
    else if (id !== undefined) add(read({ content, special: true }, id));
  }
  return [...found.values()];
}

function read(entry: Json, id: number): AddedToken {
  const special = entry.special === true;
  return {
    id,
    content: String(entry.content),
    special,
    singleWord: entry.single_word === true,
    lstrip: entry.lstrip === true,
    rstrip: entry.rstrip === true,
    normalized: typeof entry.normalized === 'boolean' ? entry.normalized : !special,
  };
}

/** A special token is written as a string or as an object with `content`. */
function specialNames(config: Json): string[] {
  const listed = [config.additional_special_tokens, config.extra_special_tokens].flatMap((list) =>
    list !== null && typeof list === 'object' ? Object.values(list) : [],
  );
  return [...NAMED.map((name) => config[name]), ...listed].flatMap((token) => {
    const content = typeof token === 'string' ? token : (token as Json | null | undefined)?.content;
    return typeof content === 'string' ? [content] : [];
  });
}
