import { percent, quoted } from '../format.js';
import type { Alternative, SampledToken } from '../run.js';
import { inspected, run } from '../state.js';

/** All that is known of the token under the pointer, or of the chosen one. */
export function Inspector() {
  const found = inspected.value;
  if (!found) {
    return (
      <aside class="inspector empty" aria-label="Token">
        <p>
          Point at a token, or choose one with the arrow keys, to see what it is and what it could have been.
        </p>
      </aside>
    );
  }
  const { spot, token } = found;
  const sampled = 'alternatives' in token ? token : null;
  return (
    <aside class="inspector" aria-label="Token">
      <p class="inspected">
        <code class={token.special ? 'special' : ''}>{token.text === '' ? '·' : quoted(token.text)}</code>
      </p>
      <dl class="details">
        <Detail name="id" value={String(token.id)} />
        <Detail name={spot.list} value={`token ${spot.index}`} />
        <Detail
          name="characters"
          value={token.start === token.end ? `at ${token.start}` : `${token.start}–${token.end}`}
        />
        {sampled?.logprob != null && <Detail name="probability" value={percent(sampled.logprob)} />}
        {sampled?.logprob != null && <Detail name="logprob" value={sampled.logprob.toFixed(4)} />}
        {sampled?.rank != null && <Detail name="rank" value={String(sampled.rank)} />}
        {sampled && <Detail name="weights" value={versionAt(spot.index)} />}
      </dl>
      {token.special && <p class="note">A special token: texts leave it out.</p>}
      {token.text === '' && <p class="note">A piece of a character, or an id without a text.</p>}
      {sampled && sampled.alternatives.length > 0 && <Alternatives sampled={sampled} />}
    </aside>
  );
}

function Detail({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Alternatives({ sampled }: { readonly sampled: SampledToken }) {
  return (
    <div class="alternatives">
      <h3>Likeliest here</h3>
      <ol>
        {sampled.alternatives.map((entry) => (
          <Bar key={entry.id} entry={entry} taken={entry.id === sampled.id} />
        ))}
      </ol>
    </div>
  );
}

function Bar({ entry, taken }: { readonly entry: Alternative; readonly taken: boolean }) {
  const share = `${Math.min(100, Math.exp(entry.logprob) * 100)}%`;
  return (
    <li class={taken ? 'taken' : ''}>
      <span class="bar" style={{ width: share }} />
      <code class={entry.special ? 'special' : ''} title={`id ${entry.id}`}>
        {entry.text ? quoted(entry.text) : `id ${entry.id}`}
      </code>
      <span class="share">
        {percent(entry.logprob)}
        {taken && <span class="visually-hidden">, sampled</span>}
      </span>
    </li>
  );
}

/** The label of the weights that sampled an output token. */
function versionAt(index: number): string {
  const spans = run.value?.facts.value.versions ?? [];
  return spans.find(({ start, end }) => start <= index && index < end)?.version ?? '–';
}
