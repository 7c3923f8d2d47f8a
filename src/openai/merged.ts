/** Values of several sources as they come, each with the place of its source. Leaving early leaves every source. */
export async function* merged<T>(
  sources: ReadonlyArray<AsyncGenerator<T>>,
): AsyncGenerator<{ from: number; value: T }> {
  const step = async (from: number) => ({ from, result: await sources[from]!.next() });
  const pending = new Map(sources.map((_, from) => [from, step(from)]));
  try {
    while (pending.size > 0) {
      const { from, result } = await Promise.race(pending.values());
      if (result.done) {
        pending.delete(from);
        continue;
      }
      pending.set(from, step(from));
      yield { from, value: result.value };
    }
  } finally {
    await Promise.allSettled(sources.map((source) => source.return(undefined)));
  }
}
