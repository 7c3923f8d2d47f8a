import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { terminalProgress } from './terminal-progress.js';

function output(isTTY: boolean): { stream: PassThrough; text: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 120, cursorTo() {}, clearLine() {} });
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { stream, text: () => text };
}

describe('terminalProgress', () => {
  it('draws a bar on a terminal', async () => {
    const { stream, text } = output(true);
    const bar = terminalProgress(stream).start('Fetching x', 98_000_000, 'bytes');
    bar.advance(49_000_000);
    bar.end();
    await new Promise(setImmediate);
    expect(text()).toMatch(/Fetching x .*50% \| 49\.0 of 98\.0 MB/s);
  });

  it('writes one line a task elsewhere', async () => {
    const { stream, text } = output(false);
    const progress = terminalProgress(stream);
    const bar = progress.start('Building the graph', 31, 'layers');
    for (let i = 0; i < 31; i++) bar.advance(1);
    bar.end();
    progress.note('Done.');
    await new Promise(setImmediate);
    expect(text()).toBe('Building the graph …\nDone.\n');
  });
});
