import { strftime } from './strftime.js';

/** The most numbers that one `range` may give, as in Jinja's sandbox. */
const LONGEST_RANGE = 100_000;

/** What every chat template can use; a variable of the same name wins. */
export const TEMPLATE_FUNCTIONS: Readonly<Record<string, unknown>> = {
  range,
  raise_exception: (message: unknown): never => {
    throw new Error(String(message));
  },
  strftime_now: (format: unknown) => strftime(new Date(), String(format)),
};

/** Words that are values in Jinja; no variable can change them. */
export const TEMPLATE_WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
};

function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (![start, stop, step].every(Number.isInteger) || step === 0) {
    throw new TypeError('range() takes integers, and a step that is not zero');
  }
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (count > LONGEST_RANGE) throw new RangeError(`Range too big: at most ${LONGEST_RANGE} numbers`);
  return Array.from({ length: count }, (_, i) => start + i * step);
}
