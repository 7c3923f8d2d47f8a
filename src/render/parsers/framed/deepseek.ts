import { framedCalls } from './framed-calls.js';
import { type Section, sectionSyntax } from './section-syntax.js';

const CALL = '<｜tool▁call▁begin｜>';
const CALL_END = '<｜tool▁call▁end｜>';
const SEPARATOR = '<｜tool▁sep｜>';
const FENCE = '\n```json\n';
const FENCE_END = '\n```';

const SECTION = {
  begin: '<｜tool▁calls▁begin｜>',
  end: '<｜tool▁calls▁end｜>',
  excludes: ['<think>', '</think>'],
} satisfies Partial<Section>;

/** DeepSeek V3 and R1: a type, the name, then arguments in a fenced block. */
export const deepseekV3Calls = framedCalls({
  section: SECTION.begin,
  call: CALL,
  separator: FENCE,
  bracesSeparate: false,
  ends: [FENCE_END + CALL_END],
  nameOf: (header) => header.slice(header.indexOf(SEPARATOR) + SEPARATOR.length),
  needsSpecialTokens: true,
  callSyntax: sectionSyntax({
    ...SECTION,
    separator: '\n',
    call: (name) => ({ begin: `${CALL}function${SEPARATOR}${name}${FENCE}`, content: (format) => format }),
    callEnd: FENCE_END + CALL_END,
  }),
});

/** DeepSeek V3.1: the name, then arguments. */
export const deepseekV31Calls = framedCalls({
  section: SECTION.begin,
  call: CALL,
  separator: SEPARATOR,
  bracesSeparate: false,
  ends: [CALL_END],
  nameOf: (header) => header,
  needsSpecialTokens: true,
  callSyntax: sectionSyntax({
    ...SECTION,
    separator: '',
    call: (name) => ({ begin: `${CALL}${name}${SEPARATOR}`, content: (format) => format }),
    callEnd: CALL_END,
  }),
});
