import { notImplemented } from '../../errors.js';

/** For operations of the contract that this release does not have: a 501 rather than a pretence. */
export function notYet(): never {
  throw notImplemented('This release of tito does not have this operation yet.');
}
