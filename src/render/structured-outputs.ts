import type { ResponseFormat, StructuredOutputs } from '../../generated/types.js';
import { valueFault } from '../errors.js';
import { PLAIN_STYLE, pythonJson } from '../text/python-json.js';
import { templateValue } from '../text/template-values.js';

/** What a response format asks of the output; it wins over `structured_outputs`. Throws a 400. */
export function structuredOutputsOf(
  structured: StructuredOutputs | null | undefined,
  format: ResponseFormat | null | undefined,
): StructuredOutputs | null {
  const sent = structured ?? null;
  switch (format?.type) {
    case undefined:
    case 'text':
      return sent;
    case 'json_object':
      return { ...sent, json_object: true };
    case 'json_schema': {
      if (!format.json_schema) {
        throw valueFault(
          'response_format',
          'response_format of type json_schema needs the field json_schema.',
        );
      }
      return { ...sent, json: format.json_schema.schema ?? {} };
    }
    case 'structural_tag':
      return { ...sent, structural_tag: tagText(format) };
  }
}

/** A structural tag as JSON text, spelled as the reference spells it. */
export function tagText(tag: object): string {
  return pythonJson(templateValue(tag), { ...PLAIN_STYLE, ensureAscii: true });
}
