/** How a family writes the arguments of a call in tags. */
export interface ArgumentTags {
  /** What begins an argument. Its named groups called `key…` hold the argument's name. */
  opening: TagPattern;
  /** What ends its value. */
  closing: TagPattern;
  /** What ends its value, too, and stays: the beginning of the next argument; null = nothing does. */
  nextOpening: TagPattern | null;
  /** White space around a name is no part of it, and a name can't be empty. */
  trimsKeys: boolean;
  /** One line break at either end of a value is markup. */
  trimsLineBreaks: boolean;
}

/** A tag, and what may yet become one. */
export interface TagPattern {
  /** Sticky. */
  whole: RegExp;
  /** Sticky; matches up to the end of the text. */
  partial: RegExp;
}

/** A tag of these parts in order, each a regular expression. */
export function tagOf(parts: readonly string[]): TagPattern {
  const beginnings = parts.reduceRight((rest, part) => `${part}(?:${rest})?`, '');
  return { whole: new RegExp(parts.join(''), 'y'), partial: new RegExp(`(?:${beginnings})$`, 'y') };
}

/** Each character of a text as a part of a tag. */
export function spelled(text: string): string[] {
  return [...text].map((character) => character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'));
}

const SPACE = '\\s*';
const CLOSING_PARAMETER = tagOf(['<', SPACE, '/', SPACE, ...spelled('parameter'), SPACE, '>']);

/** `<parameter=NAME>value</parameter>`. */
export const PARAMETER_TAGS: ArgumentTags = {
  opening: tagOf(['<', SPACE, ...spelled('parameter'), SPACE, '=', SPACE, '(?<key>[^>]*)', '>']),
  closing: CLOSING_PARAMETER,
  nextOpening: tagOf(['<', SPACE, ...spelled('parameter'), SPACE, '=']),
  trimsKeys: false,
  trimsLineBreaks: true,
};

/** `<arg_key>name</arg_key><arg_value>value</arg_value>`. */
export const KEY_VALUE_TAGS: ArgumentTags = {
  opening: tagOf([
    ...spelled('<arg_key>'),
    '(?<key>[^]*?)',
    ...spelled('</arg_key>'),
    SPACE,
    ...spelled('<arg_value>'),
  ]),
  closing: tagOf(spelled('</arg_value>')),
  nextOpening: null,
  trimsKeys: true,
  trimsLineBreaks: false,
};

const NAMED_PARAMETER = ['<', SPACE, ...spelled('parameter'), '\\s+', ...spelled('name'), SPACE, '='];
const QUOTED = '(?:"(?<keyDouble>[^"]*)"|\'(?<keySingle>[^\']*)\'|(?<keyBare>[^>\\s]+))';
const PARTLY_QUOTED = '(?:"[^"]*"?|\'[^\']*\'?|[^>\\s]+)';

/** `<parameter name="NAME">value</parameter>`. */
export const NAMED_PARAMETER_TAGS: ArgumentTags = {
  opening: {
    whole: tagOf([...NAMED_PARAMETER, SPACE, QUOTED, SPACE, '>']).whole,
    partial: tagOf([...NAMED_PARAMETER, SPACE, PARTLY_QUOTED, SPACE, '>']).partial,
  },
  closing: CLOSING_PARAMETER,
  nextOpening: tagOf(NAMED_PARAMETER),
  trimsKeys: true,
  trimsLineBreaks: false,
};
