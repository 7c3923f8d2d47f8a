import type { Fidelity } from '../inspect/fidelity.js';
import type { ModelDtype } from '../model/index.js';
import { terminalProgress } from '../model/terminal-progress.js';

export interface InspectOptions {
  fidelity: boolean;
  dtype: ModelDtype[];
  /** Of prose. */
  tokens: number;
  json: boolean;
  revision?: string;
  /** Positions that memory is told for; undefined = the model's own length. */
  context?: number;
  /** Sequences that memory is told for. */
  batch: number;
}

/** What to print of a model; one that can't run makes the command fail. Throws a StartupError as loading does. */
export async function inspect(model: string | undefined, options: InspectOptions): Promise<string> {
  const progress = terminalProgress();
  const { dtype: dtypes, tokens, revision } = options;
  const where = { progress, ...(revision === undefined ? {} : { revision }) };
  if (!options.fidelity) {
    const { modelFacts } = await import('../inspect/model-facts.js');
    const { context, batch } = options;
    const facts = await modelFacts(model, { revision, cacheDir: undefined, progress, context, batch });
    if (facts.layers === null) process.exitCode = 1;
    const { factsTable } = await import('../inspect/facts-table.js');
    return options.json ? `${JSON.stringify(facts, null, 2)}\n` : factsTable(facts);
  }
  const { measureFidelity } = await import('../inspect/fidelity.js');
  const rows = await measureFidelity({ model, dtypes, tokens, ...where });
  return options.json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows);
}

function table(rows: readonly Fidelity[]): string {
  const exact = rows[0] ? [`float32    ${rows[0].exactPerplexity.toFixed(2).padStart(10)}\n`] : [];
  const measured = rows.map(({ dtype, perplexity, divergence, equalArgmax }) =>
    [
      dtype.padEnd(11),
      perplexity.toFixed(2).padStart(10),
      divergence.toFixed(4).padStart(12),
      `${(equalArgmax * 100).toFixed(1)} %\n`.padStart(16),
    ].join(''),
  );
  return ['precision  perplexity  divergence  same argmax\n', ...exact, ...measured].join('');
}
