/**
 * Time of a streamed derender call by how much was said before, with a tool and a reasoning parser, beside the reference.
 *
 *   node dist/bench/derender.js [--model FILE] [--reference URL] [--rounds 3] [--lengths 10,100,1000,10000]
 *
 * A stream goes through an output one token a call, as a client does that derenders each token; the time at a length
 * is the median of the calls that follow. The reference has to run with the same model and parsers (docs/performance.md),
 * and is asked up to `--reference-longest` tokens.
 */
import { parseArgs } from 'node:util';
import { type Contender, contenders, inRounds } from './contenders.js';
import { type Answered, postJson } from './json-http.js';
import { withLongerModel } from './longer-model.js';
import { OUTPUT_REQUEST, outputIds, type Part } from './outputs.js';
import { withServer } from './own-server.js';
import { median } from './quantile.js';
import { printTable, withSpread } from './table.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    reference: { type: 'string' },
    'reference-longest': { type: 'string', default: '1000' },
    lengths: { type: 'string', default: '10,100,1000,10000' },
    parts: { type: 'string', default: 'reasoning,content,arguments' },
    rounds: { type: 'string', default: '3' },
    'reasoning-parser': { type: 'string', default: 'qwen3' },
    'tool-call-parser': { type: 'string', default: 'hermes' },
  },
});

/** Calls that are timed at each length. */
const WINDOW = 50;
const PROMPT_IDS = [1, 9690, 198];
const lengths = values.lengths.split(',').map(Number);
const parts = values.parts.split(',') as Part[];
const longest = Math.max(...lengths) + WINDOW;
const parsers = [
  '--enable-auto-tool-choice',
  ...['--tool-call-parser', values['tool-call-parser']],
  ...['--reasoning-parser', values['reasoning-parser']],
];

/** Milliseconds of each call of a stream, and the bytes of the last state. */
interface Walk {
  times: number[];
  stateBytes: number;
}

interface Derendered {
  stream_state: object;
}

async function walk(url: string, ids: readonly number[]): Promise<Walk> {
  const times: number[] = [];
  let stream_state = {};
  for (const [at, id] of ids.entries()) {
    const body = {
      stream: true,
      generate_chunk: { request_id: 'bench', choices: [{ index: 0, token_ids: [id], finish_reason: null }] },
      prompt_tokens: PROMPT_IDS.length,
      prompt_token_ids: PROMPT_IDS,
      chat_request: OUTPUT_REQUEST,
      ...(at > 0 && { stream_state }),
    };
    const { answer, ms }: Answered<Derendered> = await postJson(`${url}/v1/chat/completions/derender`, body);
    stream_state = answer.stream_state;
    times.push(ms);
  }
  return { times, stateBytes: JSON.stringify(stream_state).length };
}

const lengthsFor = ({ name }: Contender): number[] =>
  lengths.filter((length) => name === 'tito' || length <= Number(values['reference-longest']));

async function measure(among: readonly Contender[], part: Part, ids: readonly number[]): Promise<void> {
  const results = await inRounds(among, Number(values.rounds), (contender) =>
    walk(contender.url, ids.slice(0, Math.max(...lengthsFor(contender)) + WINDOW)),
  );
  for (const [contender, walks] of results) {
    const cells = lengthsFor(contender).map((length) =>
      withSpread(
        walks.map(({ times }) => median(times.slice(length, length + WINDOW))),
        2,
      ),
    );
    rows.push([contender.name, part, ...lengths.map((_, i) => cells[i] ?? '-'), walks[0]!.stateBytes]);
  }
}

const rows: unknown[][] = [];
await withLongerModel(values.model, longest + PROMPT_IDS.length, (model) =>
  withServer('render-server', [model, ...parsers], async (own) => {
    const among = contenders(own, values.reference);
    for (const { url } of among) await walk(url, await outputIds(own, 'content', WINDOW));
    for (const part of parts) await measure(among, part, await outputIds(own, part, longest));
  }),
);

process.stdout.write(
  `${values['tool-call-parser']} and ${values['reasoning-parser']}, one token a call, milliseconds over HTTP: medians of ` +
    `${values.rounds} rounds of ${WINDOW} calls (and the least and most of a round)\n\n`,
);
printTable(
  ['server', 'output in', ...lengths.map((n) => `after ${n} tokens`), 'state at the end, bytes'],
  rows,
);
