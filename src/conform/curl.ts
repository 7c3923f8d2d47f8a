import { bodyOf, type CaseRequest, headersOf } from './exchange.js';

/** A request as a curl command for a POSIX shell. The key stays out: `$TITO_API_KEY` stands for it. */
export function asCurl(url: string, request: CaseRequest, hasKey: boolean): string {
  const parts = ['curl', '-sS'];
  if (request.method !== 'GET') parts.push('-X', request.method);
  parts.push(quoted(url + request.path));
  for (const [name, value] of headersOf(request, hasKey ? 'KEY' : null)) {
    const isKey = name === 'authorization' && value === 'Bearer KEY';
    parts.push('-H', isKey ? '"Authorization: Bearer $TITO_API_KEY"' : quoted(`${name}: ${value}`));
  }
  const body = bodyOf(request);
  if (body !== null) parts.push('--data-raw', quoted(body));
  return parts.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
