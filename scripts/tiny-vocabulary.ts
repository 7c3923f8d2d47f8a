/** The vocabulary of the tiny test model: three specials, the 256 bytes, and merges of common English pieces. */

export const TINY_CHAT_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

const SPECIALS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'] as const;
const NORMAL = 1;
const CONTROL = 3;

/** Pairs in the order of merging; Ġ stands for a space, as in every byte-level vocabulary. */
const MERGES =
  'Ġ t,Ġ a,h e,i n,r e,o n,Ġt he,e r,Ġ s,a t,Ġ c,e n,o r,Ġ o,Ġ w,i s,n d,i t,e s,a l,Ġ f,Ġ p,in g,Ġ b,o u,Ġo f,a n,' +
  'Ġa nd,Ġ d,Ġ m,Ġt o,a r,i on,Ġ in,e d,Ġ h,a s,l e,i c,Ġ n,r o,Ġ l,e l,Ġ re,s t,l o,u s,er s,Ġ g,Ġ e,at ion,o m,a d,' +
  'Ġb e,i d,Ġw h,v e,c h,Ġf or,u t,o t';

export interface TinyVocabulary {
  tokens: string[];
  /** As `tokenizer.ggml.token_type`. */
  types: number[];
  merges: string[];
}

/** Throws when the pieces don't come to exactly `size` tokens. */
export function tinyVocabulary(size: number): TinyVocabulary {
  const merges = MERGES.split(',');
  const tokens = [...SPECIALS, ...byteCharacters(), ...merges.map((merge) => merge.replace(' ', ''))];
  if (tokens.length !== size || new Set(tokens).size !== size) {
    throw new RangeError(`the tiny vocabulary has ${new Set(tokens).size} tokens, not ${size}`);
  }
  return { tokens, types: tokens.map((_, id) => (id < SPECIALS.length ? CONTROL : NORMAL)), merges };
}

/** The printable character that byte-level vocabularies write for each byte: itself, or one above 255. */
function byteCharacters(): string[] {
  let next = 256;
  const printable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
}
