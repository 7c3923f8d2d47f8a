import type { StructuredOutputs } from '../../generated/types.js';
import { valueFault } from '../errors.js';
import type { StructuredOutput } from '../structured/index.js';

const MAX_NESTING = 64;
const MAX_TEXT = 64 * 1024;
const KINDS = ['json', 'json_object', 'regex', 'choice', 'grammar', 'structural_tag'] as const;

/** The one shape that a request asks for. Throws a 400 when it names none or several, or one that can't be. */
export function structuredOf(sent: StructuredOutputs): StructuredOutput {
  const given = KINDS.filter((kind) => sent[kind] !== undefined && sent[kind] !== null);
  const [kind] = given;
  if (!kind || given.length > 1) {
    const count = given.length === 0 ? 'none' : given.join(', ');
    throw fault(`structured_outputs must name exactly one of ${KINDS.join(', ')}; it names ${count}.`);
  }
  const shape = shapeOf(kind, sent);
  if (JSON.stringify(shape).length > MAX_TEXT) {
    throw fault(`structured_outputs may have at most ${MAX_TEXT} characters.`);
  }
  return shape;
}

function shapeOf(kind: (typeof KINDS)[number], sent: StructuredOutputs): StructuredOutput {
  const anyWhitespace = !(sent.disable_any_whitespace ?? false);
  switch (kind) {
    case 'json':
      return { kind, schema: JSON.stringify(schemaOf(sent.json!)), anyWhitespace };
    case 'json_object':
      if (!sent.json_object) throw fault('structured_outputs.json_object must be true, or absent.');
      return { kind, anyWhitespace };
    case 'regex':
      if (sent.regex!.includes('\0')) throw fault('structured_outputs.regex may hold no NUL character.');
      return { kind, pattern: sent.regex! };
    case 'choice':
      if (sent.choice!.length === 0) throw fault('structured_outputs.choice needs at least one text.');
      return { kind, choices: sent.choice! };
    case 'grammar':
      return { kind, grammar: notBlank(kind, sent.grammar!) };
    case 'structural_tag':
      return { kind, spec: JSON.stringify(parsed(kind, notBlank(kind, sent.structural_tag!))) };
  }
}

function schemaOf(json: NonNullable<StructuredOutputs['json']>): unknown {
  const schema = typeof json === 'string' ? parsed('json', notBlank('json', json)) : json;
  if (depthOf(schema) > MAX_NESTING) {
    throw fault(`The JSON schema is nested too deeply: at most ${MAX_NESTING} levels.`);
  }
  return schema;
}

function parsed(kind: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fault(`structured_outputs.${kind} is not JSON.`);
  }
}

function notBlank(kind: string, text: string): string {
  if (text.trim() === '') throw fault(`structured_outputs.${kind} is empty.`);
  return text;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const fault = (message: string): Error => valueFault(null, message);
