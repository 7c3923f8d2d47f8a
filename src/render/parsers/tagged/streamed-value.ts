import { escaped } from './json-text.js';
import { RESPELLING_START, type Respelling, respell } from './respelled-json.js';
import type { Types } from './schema-types.js';
import { typedValue } from './typed-value.js';

/** Text is held until it is long enough to tell what it is. */
const LONGEST_HELD = 2048;

/**
 * A value on its way. `text`: sent as a JSON string; `json`: as JSON, respelled; `raw`: as JSON that went wrong; `held`:
 * not decided on.
 */
export type ValueState = Readonly<
  { as: 'held'; text: string } | { as: 'text' } | { as: 'raw' } | { as: 'json'; respelling: Respelling }
>;

export const VALUE_START: ValueState = { as: 'held', text: '' };

interface Sent {
  json: string;
  state: ValueState;
}

/** JSON of the next piece of a value, as much of it as is certain. */
export function pushValue(state: ValueState, piece: string, types: Types | null): Sent {
  switch (state.as) {
    case 'text':
      return { json: escaped(piece), state };
    case 'raw':
      return { json: piece, state };
    case 'json':
      return asJson(state.respelling, piece) ?? { json: piece, state: { as: 'raw' } };
    case 'held': {
      const text = state.text + piece;
      if (isText(text, types)) return { json: `"${escaped(text)}`, state: { as: 'text' } };
      if (text.length <= LONGEST_HELD) return { json: '', state: { as: 'held', text } };
      const json = types && !isOnlyScalar(types) ? asJson(RESPELLING_START, text) : null;
      return json ?? { json: `"${escaped(text)}`, state: { as: 'text' } };
    }
  }
}

/** JSON of what is left of a value that has ended. */
export function endValue(state: ValueState, types: Types | null): string {
  switch (state.as) {
    case 'held':
      return typedValue(state.text, types);
    case 'text':
      return '"';
    case 'raw':
      return '';
    case 'json':
      return respell(state.respelling, '', true)?.text ?? '';
  }
}

function asJson(from: Respelling, piece: string): Sent | null {
  const step = respell(from, piece, false);
  if (step === null) return null;
  return { json: step.text, state: { as: 'json', respelling: step.state } };
}

/** Whether a value is text however it goes on. */
function isText(beginning: string, types: Types | null): boolean {
  if (types === null) return true;
  const others = [...types].filter((type) => type !== 'string');
  if (!types.has('string') || others.some((type) => type !== 'null')) return false;
  return others.length === 0 || !'null'.startsWith(beginning.toLowerCase());
}

/** Whether a long value can only be text: numbers and words are short. */
function isOnlyScalar(types: Types): boolean {
  return types.has('string') && !types.has('object') && !types.has('array');
}
