import type { OperationContext } from '../../../generated/server/operation.js';
import { schemaFault } from '../../errors.js';
import type { ServerState } from '../state.js';

/** POST /inference/v1/abort_requests: end requests by their ids, in the background. */
export function abortRequests(
  { inFlight }: ServerState,
  { body, response }: OperationContext<'abortRequests' | 'abortRequestsLegacy'>,
): void {
  if (!body.request_ids)
    throw schemaFault(null, "Missing 'request_ids' in request body: give a list of ids.");
  inFlight.abort(body.request_ids);
  response.status(200).end();
}

/** POST /abort_requests: the same; with RL control, an empty body ends everything. */
export function abortRequestsLegacy(
  state: ServerState,
  context: OperationContext<'abortRequestsLegacy'>,
): void {
  if (state.config.enableRlControl && !context.body.request_ids) {
    context.reply(200, { status: 'aborted', aborted: state.inFlight.abortAll() });
    return;
  }
  abortRequests(state, context);
}
