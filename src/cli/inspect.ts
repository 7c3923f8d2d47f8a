import type { Fidelity } from '../inspect/fidelity.js';
import type { ModelDescription, ModelDtype } from '../model/index.js';
import { describeSource } from '../model/load-model.js';
import { terminalProgress } from '../model/terminal-progress.js';

export interface InspectOptions {
  fidelity: boolean;
  dtype: ModelDtype[];
  /** Of prose. */
  tokens: number;
  json: boolean;
  revision?: string;
}

/** What to print of a model. Throws a StartupError as loading does. */
export async function inspect(model: string | undefined, options: InspectOptions): Promise<string> {
  const progress = terminalProgress();
  const { dtype: dtypes, tokens, revision } = options;
  const where = { progress, ...(revision === undefined ? {} : { revision }) };
  if (!options.fidelity) {
    const facts = factsOf(await describeSource(model, where));
    return options.json ? `${JSON.stringify(facts, null, 2)}\n` : lines(facts);
  }
  const { measureFidelity } = await import('../inspect/fidelity.js');
  const rows = await measureFidelity({ model, dtypes, tokens, ...where });
  return options.json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows);
}

type Facts = Readonly<Record<string, unknown>>;

function factsOf({ source, config, tokenizer, chatTemplate }: ModelDescription): Facts {
  return {
    source,
    vocab_size: config.vocabSize,
    context_length: config.contextLength,
    eos_ids: config.eosIds,
    tokenizer: tokenizer !== null,
    chat_template: chatTemplate !== null,
  };
}

function lines(facts: Facts): string {
  const texts = Object.entries(facts).map(([name, value]) => {
    const shown = typeof value === 'boolean' ? (value ? 'yes' : 'none') : String(value).replaceAll(',', ' ');
    return `${name.replaceAll('_', ' ').padEnd(16)}${shown}\n`;
  });
  return texts.join('');
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
