import { StartupError } from '../../errors.js';

/** The file that says which of several safetensors files holds a tensor. */
export const SHARD_INDEX = 'model.safetensors.index.json';

/**
 * The shards that an index names, each one of the `listed` names. Throws a StartupError for an index that is broken or
 * names something else, so that no path leads out of the folder; `where` is for messages.
 */
export function shardsOf(index: string, listed: readonly string[], where: string): string[] {
  const shards = new Set(Object.values(weightMap(index, where)));
  for (const shard of shards) {
    if (typeof shard !== 'string' || !listed.includes(shard)) {
      const shown = (JSON.stringify(shard) ?? '').slice(0, 200);
      throw new StartupError(`${SHARD_INDEX} of ${where} names ${shown}, which is not there.`);
    }
  }
  if (shards.size === 0) throw new StartupError(`${SHARD_INDEX} of ${where} names no files.`);
  return [...(shards as Set<string>)];
}

function weightMap(index: string, where: string): Readonly<Record<string, unknown>> {
  try {
    const { weight_map: map } = JSON.parse(index) as { weight_map?: unknown };
    if (typeof map === 'object' && map !== null) return map as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new StartupError(`${SHARD_INDEX} of ${where} has no weight_map.`);
}
