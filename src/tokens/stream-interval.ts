import { type ChoiceNews, joinNews } from './choice-reader.js';

/**
 * News of each sequence gathered until `interval` ids came, or it ended. The first id of a sequence is told at once.
 */
export async function* spaced(news: AsyncIterable<ChoiceNews>, interval: number): AsyncGenerator<ChoiceNews> {
  const held = new Map<number, ChoiceNews>();
  const begun = new Set<number>();
  for await (const fresh of news) {
    const { index } = fresh;
    const gathered = joinNews(held.get(index), fresh);
    if (begun.has(index) && !gathered.finish && gathered.tokenIds.length < interval) {
      held.set(index, gathered);
      continue;
    }
    begun.add(index);
    held.delete(index);
    yield gathered;
  }
}
