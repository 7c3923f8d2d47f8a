import type { Config } from '../config.js';
import type { Operation } from './contract.js';
import type { Availability } from './routing.js';

const SCALE_OUT_TAGS = ['generate', 'render', 'derender'];
/** What a server without weights has. */
const RENDER_TAGS = ['render', 'derender', 'tokenizer', 'operations'];

/** Which operations the flags turn on. */
export function availabilityOf({ tag, operationId }: Operation, config: Config): Availability {
  const { enableScaleOut, tokensOnly, enableRlControl, renderOnly } = config;
  if (renderOnly) return RENDER_TAGS.includes(tag) ? 'on' : 'absent';
  if (operationId === 'abortRequestsLegacy') return tokensOnly || enableRlControl ? 'on' : 'absent';
  if (tag === 'control') return enableRlControl ? 'on' : 'absent';
  if (SCALE_OUT_TAGS.includes(tag)) return enableScaleOut || tokensOnly ? 'on' : 'disabled';
  return 'on';
}
