import type { TokenizerApi } from '../../../generated/server/tokenizer.js';
import { detokenize, tokenize } from '../../render/tokenize.js';
import { bodyWithExactNumbers } from '../exact-numbers.js';
import { requireRender, type ServerState } from '../state.js';

/** `/tokenize` and `/detokenize`. */
export function tokenizerHandlers(state: ServerState): TokenizerApi {
  return {
    tokenize: async ({ request, reply, body }) =>
      reply(200, await tokenize(bodyWithExactNumbers(request, body), requireRender(state))),
    detokenize: ({ reply, body }) => reply(200, detokenize(body, requireRender(state))),
  };
}
