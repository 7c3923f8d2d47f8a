import type { ChatCompletionRequest, GenerateRequest } from '../../generated/types.js';

/** What a run sends: a chat, or ids. */
export type Sent =
  | { readonly kind: 'chat'; readonly request: ChatCompletionRequest }
  | { readonly kind: 'ids'; readonly request: GenerateRequest };

const KEY_VARIABLE = 'TITO_API_KEY';

/** Shell commands that do what the page does. The key stays in a variable. `generates`: false stops after render. */
export function curl(sent: Sent, server: string, needsKey: boolean, generates: boolean): string {
  const call = (path: string, data: string, flags = '-sS'): string =>
    [
      `curl ${flags} ${quote(`${server}${path}`)}`,
      "-H 'Content-Type: application/json'",
      ...(needsKey ? [`-H "Authorization: Bearer $${KEY_VARIABLE}"`] : []),
      `-d ${data}`,
    ].join(' \\\n  ');
  const body = quote(JSON.stringify({ ...sent.request, stream: true }, null, 2));
  if (sent.kind === 'ids') return call('/inference/v1/generate', body, '-sSN');
  const render = call('/v1/chat/completions/render', body);
  return generates ? `${render} |\n${call('/inference/v1/generate', '@-', '-sSN')}` : render;
}

/** A program over the client package that does what the page does. */
export function typescript(sent: Sent, server: string, needsKey: boolean, generates: boolean): string {
  const key = needsKey ? `, apiKey: process.env.${KEY_VARIABLE}!` : '';
  const start = [
    "import { Tito } from '@titokens/client';",
    '',
    `const client = new Tito({ baseUrl: ${JSON.stringify(server)}${key} });`,
    `const request = ${JSON.stringify(sent.request, null, 2)};`,
  ];
  return [...start, ...(generates ? streaming(sent.kind) : rendering(sent.kind)), ''].join('\n');
}

function streaming(kind: Sent['kind']): string[] {
  return kind === 'chat'
    ? [
        'for await (const { chunk, generated } of client.chatStream(request)) {',
        '  console.log(generated.choices[0]?.token_ids, chunk.choices[0]?.delta);',
        '}',
      ]
    : [
        'for await (const chunk of client.stream(request)) {',
        '  console.log(chunk.choices[0]?.token_ids, chunk.choices[0]?.logprobs?.content);',
        '}',
      ];
}

function rendering(kind: Sent['kind']): string[] {
  return kind === 'chat'
    ? ['console.log(await client.renderChat(request));']
    : ['console.log(request.token_ids);'];
}

/** In single quotes for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
