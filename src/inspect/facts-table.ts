import type { ModelFacts } from './model-facts.js';

/** Facts of a model as lines of a name and a value. */
export function factsTable(facts: ModelFacts): string {
  const rows: Array<readonly [string, string | null]> = [
    ['name', facts.name],
    ['source', facts.source],
    ['architecture', facts.architecture],
    ['shape', shape(facts)],
    [
      'parameters',
      facts.parameters === null ? 'unknown without the weights of a folder' : millions(facts.parameters),
    ],
    ['formats', formats(facts)],
    ['dtype', facts.dtype && `${facts.dtype} (--dtype auto)`],
    ['vocabulary', tokens(facts.vocab_size)],
    ['context length', tokens(facts.context_length)],
    ...memory(facts),
    ['tokenizer', tokenizer(facts)],
    ['chat template', facts.chat_template ? 'yes' : 'none'],
    ['ends with', facts.eos_ids.length > 0 ? facts.eos_ids.join(' ') : null],
    ...Object.entries(facts.special_tokens).map(
      ([role, { id, text }]) => [role.replaceAll('_', ' '), `${id} ${JSON.stringify(text)}`] as const,
    ),
    ...facts.unsupported.map((fault) => ['unsupported', fault] as const),
  ];
  return rows
    .flatMap(([name, value]) => (typeof value === 'string' ? [`${name.padEnd(18)}${value}\n`] : []))
    .join('');
}

function tokens(count: number | null): string | null {
  return count === null ? null : `${count} tokens`;
}

function shape(facts: ModelFacts): string | null {
  if (facts.layers === null) return null;
  return (
    `${facts.layers} layers of ${facts.hidden_size}, ${facts.attention_heads} heads of ${facts.head_dim} ` +
    `over ${facts.key_value_heads} of keys and values`
  );
}

function formats({ formats: shares }: ModelFacts): string | null {
  const shown = Object.entries(shares).map(([name, share]) => `${name} ${(share * 100).toFixed(1)} %`);
  return shown.length > 0 ? shown.join(', ') : null;
}

function memory({ memory: facts }: ModelFacts): Array<readonly [string, string]> {
  if (!facts) return [];
  const { stored_bytes, float32_bytes, position_bytes, context, batch, cache_bytes } = facts;
  const weights =
    stored_bytes > 0 ? `${megabytes(stored_bytes)} as stored, ${megabytes(float32_bytes)} in float32` : '';
  const sequences = batch === 1 ? 'one sequence' : `${batch} sequences`;
  return [
    ...(weights === '' ? [] : [['weights', weights] as const]),
    [
      'keys and values',
      `${position_bytes} bytes a token; ${megabytes(cache_bytes)} for ${sequences} of ${context} tokens`,
    ],
  ];
}

function tokenizer({ tokenizer: facts }: ModelFacts): string {
  return facts ? `${facts.kind}, ${facts.size} tokens, ${facts.special} of them special` : 'none';
}

function millions(count: number): string {
  return count >= 1e9 ? `${(count / 1e9).toFixed(2)} billion` : `${(count / 1e6).toFixed(1)} million`;
}

function megabytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
