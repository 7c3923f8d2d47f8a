/**
 * Chat completions over two servers: one renders (no weights), one generates (no tokenizer).
 *   node examples/gateway.mjs RENDER_URL GENERATE_URL [PORT]
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { ApiError, chat, chatStream, Tito } from '@titokens/client';

const [renderUrl, generateUrl, port = '8080'] = process.argv.slice(2);
const servers = { render: new Tito({ baseUrl: renderUrl }), generate: new Tito({ baseUrl: generateUrl }) };

/** The caller's own signal: whoever hangs up stops the generating. */
function signalOf(response) {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  return controller.signal;
}

async function answer(request, response) {
  const body = await json(request);
  const options = { signal: signalOf(response) };
  if (!body.stream) {
    const { completion } = await chat(servers, body, options);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(completion));
    return;
  }
  for await (const { chunk } of chatStream(servers, body, options)) {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

function fail(response, error) {
  const { message, type = 'InternalServerError', param = null } = error;
  const code = error instanceof ApiError ? error.status : 502;
  const body = JSON.stringify({ error: { message, type, param, code } });
  if (response.headersSent) response.end(`data: ${body}\n\ndata: [DONE]\n\n`);
  else response.writeHead(code, { 'content-type': 'application/json' }).end(body);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => fail(response, error));
});
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
