// Copied from templates/client.ts by `make generate`; do not edit.
import createFetchClient, { type Client, type ClientOptions } from 'openapi-fetch';
import type { paths } from './types.js';

export type TitoClient = Client<paths>;

/** A typed client of the API: `client.POST('/inference/v1/generate', { body })`. */
export function createClient(options: ClientOptions = {}): TitoClient {
  return createFetchClient<paths>(options);
}
