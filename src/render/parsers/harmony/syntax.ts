import type { OwnCallSyntax } from '../parser.js';
import { argumentsSchema, constant, schemaFormat, sequence, tagFormat, textFormat } from '../tag-formats.js';

const CHANNELS = ['<|channel|>commentary', '<|channel|>analysis', '<|channel|>final'];
const JSON_TYPES = [' json', ' <|constrain|>json'];
/** A message ends with its mark, or with the output: stop tokens are no part of a grammar. */
const ENDS = ['<|end|>', ''];

/** gpt-oss: reasoning and a word to the user, either of which may be missing, and then a call or an answer. */
export const harmonySyntax: OwnCallSyntax = {
  format({ tools, choice }) {
    const calls = tools.flatMap((tool) =>
      headers(tool.function.name).map((header) =>
        tagFormat(`${header}<|message|>`, schemaFormat(argumentsSchema(tool)), ENDS),
      ),
    );
    const answers = [...JSON_TYPES, ''].map((type) =>
      tagFormat(`<|channel|>final${type}<|message|>`, textFormat([]), ENDS),
    );
    const last = { type: 'or', elements: choice === 'auto' ? [...calls, ...answers] : calls };
    return sequence(maybe('analysis'), maybe('commentary'), last);
  },
};

function headers(name: string): string[] {
  const to = ` to=functions.${name}`;
  return [
    ...JSON_TYPES.flatMap((type) => CHANNELS.map((channel) => `${to}${channel}${type}`)),
    ...JSON_TYPES.flatMap((type) => CHANNELS.map((channel) => `${channel}${to}${type}`)),
  ];
}

function maybe(channel: string): object {
  const message = tagFormat(`<|channel|>${channel}<|message|>`, textFormat([]), '<|end|>');
  return { type: 'optional', content: sequence(message, constant('<|start|>assistant')) };
}
