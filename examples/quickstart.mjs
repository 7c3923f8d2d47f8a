/** A chat, streamed, with the ids behind the words: node examples/quickstart.mjs [URL] */
import { Tito } from '@titokens/client';

const client = new Tito({ baseUrl: process.argv[2] ?? 'http://localhost:8000' });
const messages = [{ role: 'user', content: 'What is the capital of France?' }];

const ids = [];
for await (const { chunk, generated } of client.chatStream({ messages, temperature: 0, max_tokens: 32 })) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  ids.push(...(generated.choices[0]?.token_ids ?? []));
}
process.stdout.write(`\n${JSON.stringify(ids)}\n`);
