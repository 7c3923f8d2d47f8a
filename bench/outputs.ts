import { postJson } from './json-http.js';

/** What an output goes on with, once it began: each is another place in the parsers. */
export type Part = 'reasoning' | 'content' | 'arguments';

const WORDS = 'The quick onyx goblin jumps over the lazy dwarf while seven wizards watch. ';
const BEGINNINGS: Record<Part, string> = {
  reasoning: '<think>',
  content: '<think>Short.</think>\n\n',
  arguments:
    '<think>Short.</think>\n\n<tool_call>\n{"name": "write_note", "arguments": {"title": "Wizards", "text": "',
};

/** The request that these outputs answer. */
export const OUTPUT_REQUEST = {
  messages: [{ role: 'user', content: 'Write a note about wizards.' }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'write_note',
        parameters: {
          type: 'object',
          properties: { title: { type: 'string' }, text: { type: 'string' } },
          required: ['title', 'text'],
        },
      },
    },
  ],
};

/** The ids of an output of `length` tokens that stays in one part of the message. The server must have the model's tokenizer. */
export async function outputIds(url: string, part: Part, length: number): Promise<number[]> {
  const text = BEGINNINGS[part] + WORDS.repeat(Math.ceil(length / WORDS.split(' ').length) + 1);
  const { answer } = await postJson<{ tokens: number[] }>(`${url}/tokenize`, {
    prompt: text,
    add_special_tokens: false,
  });
  if (answer.tokens.length < length) throw new Error('the text is too short');
  return answer.tokens.slice(0, length);
}
