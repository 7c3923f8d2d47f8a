import { StartupError } from '../../errors.js';
import type { Architecture } from './architecture.js';
import { gemma2 } from './gemma2.js';
import { gemma3 } from './gemma3.js';
import { granite } from './granite.js';
import { llama } from './llama.js';
import { olmo2 } from './olmo2.js';
import { olmoe } from './olmoe.js';
import { phi3 } from './phi3.js';
import { qwen2 } from './qwen2.js';
import { qwen3 } from './qwen3.js';
import { qwen3moe } from './qwen3moe.js';
import { smollm3 } from './smollm3.js';

export const ARCHITECTURES: readonly Architecture[] = [
  llama,
  qwen2,
  qwen3,
  qwen3moe,
  phi3,
  gemma2,
  gemma3,
  smollm3,
  granite,
  olmo2,
  olmoe,
];

/** The architecture of a GGUF file (`general.architecture`). Throws a StartupError that lists the supported ones. */
export function architectureNamed(name: string): Architecture {
  const found = ARCHITECTURES.find((architecture) => architecture.name === name);
  if (found) return found;
  const supported = ARCHITECTURES.map((architecture) => architecture.name).join(', ');
  throw new StartupError(`The model's architecture "${name}" is not supported. Supported: ${supported}.`);
}

/** The architecture of a config.json (`model_type`). Throws a StartupError that lists the supported ones. */
export function architectureOfType(modelType: string): Architecture {
  const found = ARCHITECTURES.find(({ checkpoint }) => checkpoint.modelTypes.includes(modelType));
  if (found) return found;
  const supported = ARCHITECTURES.flatMap(({ checkpoint }) => checkpoint.modelTypes).join(', ');
  throw new StartupError(
    `The model's architecture "${modelType}" is not supported. Supported: ${supported}.`,
  );
}
