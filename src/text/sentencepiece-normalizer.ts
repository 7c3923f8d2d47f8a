import { CharacterMap } from './character-map.js';

type Json = Readonly<Record<string, unknown>>;

const MARKER = '▁';

/**
 * SentencePiece's normaliser, as its `normalizer_spec` describes it: characters are replaced by a table
 * (`precompiled_charsmap`, base64), spaces at both ends go and runs of them become one (`remove_extra_whitespaces`),
 * one comes in front (`add_dummy_prefix`), and all become ▁.
 */
export function sentencePieceNormalizer(config: Json): (text: string) => string {
  const table = config.precompiled_charsmap;
  const map =
    typeof table === 'string' && table !== '' ? new CharacterMap(Buffer.from(table, 'base64')) : null;
  const trims = config.remove_extra_whitespaces === true;
  const prefix = config.add_dummy_prefix === true ? MARKER : '';
  return (text) => {
    const mapped = map ? map.apply(text) : text;
    const spaced = trims ? mapped.replace(/^ +| +$/g, '').replace(/ {2,}/g, ' ') : mapped;
    return spaced === '' ? '' : prefix + spaced.replaceAll(' ', MARKER);
  };
}
