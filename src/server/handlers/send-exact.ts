import type { Response } from 'express';
import { stringify } from 'lossless-json';

/** Answer 200 with JSON whose numbers keep the digits that they were sent with. */
export function sendExact(response: Response, body: object): void {
  response.status(200).type('application/json').send(stringify(body));
}
