import { StartupError } from '../../errors.js';
import type { Architecture } from './architecture.js';
import { llama } from './llama.js';

const ARCHITECTURES: readonly Architecture[] = [llama];

/** The architecture of this name. Throws a StartupError that lists the supported ones. */
export function architectureNamed(name: string): Architecture {
  const found = ARCHITECTURES.find((architecture) => architecture.name === name);
  if (found) return found;
  const supported = ARCHITECTURES.map((architecture) => architecture.name).join(', ');
  throw new StartupError(`The model's architecture "${name}" is not supported. Supported: ${supported}.`);
}
