import type { Tool } from '../../../generated/types.js';
import { pythonText } from './json-call.js';
import type { AskedCalls, OwnCallSyntax } from './parser.js';
import {
  argumentsSchema,
  constant,
  listedCalls,
  oneOf,
  schemaFormat,
  sequence,
  tagFormat,
  textFormat,
  triggeredCalls,
} from './tag-formats.js';

const CALL = '<tool_call>';
const CALL_END = '</tool_call>';
const VALUE_END = '</arg_value>';
/** Texts that no value holds. */
const MARKERS = ['<think>', '</think>', CALL, CALL_END, '<arg_key>', '</arg_key>', '<arg_value>', VALUE_END];
/** Schemas with these are more than a list of properties. */
const COMBINED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties'];

type Schema = Readonly<Record<string, unknown>>;

/** GLM's calls. A tool that is not strict has its arguments' names and simple types held to all the same. */
export const glmSyntax: OwnCallSyntax = {
  isAlwaysHeld: true,
  format(asked) {
    const { tools, choice } = asked;
    const areStrict = tools.every(isStrict);
    const tags = tools.map(callFormat);
    if (choice === 'named' && areStrict) return tags[0]!;
    return choice === 'auto' || areStrict ? inText(tags, asked) : listedCalls(tags, asked);
  },
};

function inText(tags: readonly object[], asked: AskedCalls): object {
  const excludes = MARKERS.filter((marker) => marker !== CALL);
  return triggeredCalls(CALL, tags, asked, excludes);
}

function callFormat(tool: Tool): object {
  const properties = isStrict(tool) ? null : plainProperties(tool.function.parameters ?? {});
  const content = properties
    ? { type: 'star', content: oneOf(Object.entries(properties).map(argumentFormat)) }
    : schemaFormat(argumentsSchema(tool), 'glm_xml');
  return tagFormat(`${CALL}${tool.function.name}`, content, CALL_END);
}

function plainProperties(schema: Schema): Schema | null {
  const { properties, additionalProperties } = schema;
  if (!isSchema(properties) || Object.keys(properties).length === 0) return null;
  return additionalProperties === true || COMBINED.some((key) => key in schema) ? null : properties;
}

function argumentFormat([key, schema]: [string, unknown]): object {
  const begin = constant(`<arg_key>${key}</arg_key><arg_value>`);
  return sequence(begin, valueFormat(isSchema(schema) ? schema : {}), constant(VALUE_END));
}

function valueFormat({ type, enum: values }: Schema): object {
  if (Array.isArray(values)) {
    return oneOf(values.map((value) => constant(typeof value === 'string' ? value : pythonText(value))));
  }
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'string').map((one) => valueFormat({ type: one }));
    return oneOf(type.includes('string') ? [...others, textFormat(MARKERS)] : others);
  }
  return type === undefined || type === 'string' ? textFormat(MARKERS) : schemaFormat({ type });
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrict({ function: { strict } }: Tool): boolean {
  return strict === true;
}
