import { adviceOn } from '../advice.js';
import { milliseconds } from '../format.js';
import { readable } from '../message.js';
import type { Facts, Run } from '../run.js';
import { busy, error, generates, mode, run, showIds, takeOver } from '../state.js';
import { Inspector } from './inspector.js';
import { openKeyDialog } from './key-dialog.js';
import { TokenList } from './token-list.js';

/** What came of the last run. */
export function Results() {
  const current = run.value;
  return (
    <section class="results" aria-label="Results">
      {error.value !== null && <ErrorCard error={error.value} />}
      {current?.prompt.value || current?.output.value.length ? (
        <Tokens run={current} />
      ) : (
        !error.value && <Empty />
      )}
    </section>
  );
}

function Empty() {
  const waiting = busy.value;
  return (
    <div class="empty-state">
      <p class="sample" aria-hidden="true">
        {['Tokens', ' in', ',', ' tokens', ' out', '.'].map((text, index) => (
          <span key={text} class={`token hue-${index % 5}`}>
            {text}
          </span>
        ))}
      </p>
      <p>
        {waiting
          ? 'Waiting for the server…'
          : 'The prompt’s tokens will be here, and below them each token as it is sampled, with what it could have been.'}
      </p>
    </div>
  );
}

function ErrorCard({ error }: { readonly error: unknown }) {
  const { title, message, remedy, requestId, wantsKey } = adviceOn(error);
  return (
    <div class="card error" role="alert">
      <h2>{title}</h2>
      <p class="said">{message}</p>
      <p>{remedy}</p>
      {wantsKey && (
        <button type="button" class="quiet" onClick={openKeyDialog}>
          Enter API key
        </button>
      )}
      {requestId && (
        <p class="note">
          Request <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

function Tokens({ run }: { readonly run: Run }) {
  const prompt = run.prompt.value;
  const output = run.output.value;
  const facts = run.facts.value;
  return (
    <div class="split">
      <div class="column">
        {prompt && (
          <section class="card" aria-labelledby="prompt-title">
            <header>
              <h2 id="prompt-title">
                Prompt <span class="count">{count(prompt.length)}</span>
              </h2>
              <IdsSwitch />
            </header>
            <TokenList name="prompt" label="Tokens of the prompt" tokens={prompt} />
          </section>
        )}
        {(output.length > 0 || facts.finishReason !== null || run.phase.value === 'generating') && (
          <section class="card" aria-labelledby="output-title">
            <header>
              <h2 id="output-title">
                Output <span class="count">{count(output.length)}</span>
              </h2>
              <Legend />
            </header>
            {output.length > 0 ? (
              <TokenList name="output" label="Tokens of the output" tokens={output} />
            ) : (
              <p class="note">
                {run.phase.value === 'generating' ? 'Waiting for the first token…' : 'No token was sampled.'}
              </p>
            )}
            <FactsRow facts={facts} running={run.phase.value === 'generating'} />
          </section>
        )}
        <MessageCard run={run} />
        {!generates.value && <p class="note">This server does not generate, so there is no output.</p>}
      </div>
      <Inspector />
    </div>
  );
}

function IdsSwitch() {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={showIds.value}
        onChange={(event) => {
          showIds.value = event.currentTarget.checked;
        }}
      />
      ids
    </label>
  );
}

function Legend() {
  return (
    <p class="legend">
      likely <span class="ramp" aria-hidden="true" /> surprising
    </p>
  );
}

function FactsRow({ facts, running }: { readonly facts: Facts; readonly running: boolean }) {
  const { finishReason, stopReason, versions, firstTokenMs, totalMs, tokensPerSecond } = facts;
  const reason =
    stopReason === null
      ? ''
      : ` (${typeof stopReason === 'string' ? JSON.stringify(stopReason) : `id ${stopReason}`})`;
  return (
    <dl class="facts">
      <Fact name="finish" value={finishReason ? finishReason + reason : running ? '…' : 'cut off'} />
      <Fact name="first token" value={firstTokenMs === null ? '…' : milliseconds(firstTokenMs)} />
      <Fact name="speed" value={tokensPerSecond === null ? '–' : `${tokensPerSecond.toFixed(1)} tokens/s`} />
      <Fact name="total" value={totalMs === null ? '…' : milliseconds(totalMs)} />
      <Fact
        name="weights"
        value={
          versions.length === 1
            ? versions[0]!.version
            : versions.map(({ version, start, end }) => `${version} ${start}–${end}`).join(', ') || '–'
        }
      />
    </dl>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function MessageCard({ run }: { readonly run: Run }) {
  const message = run.message.value;
  if (!message) return <PlainText run={run} />;
  const { reasoning, content, calls } = message;
  return (
    <section class="card message" aria-labelledby="message-title">
      <header>
        <h2 id="message-title">Message</h2>
        {!busy.value && mode.value === 'chat' && (
          <button type="button" class="quiet" onClick={() => takeOver(message)}>
            Go on with this
          </button>
        )}
      </header>
      {reasoning && (
        <details class="reasoning" open>
          <summary>Reasoning</summary>
          <p>{reasoning}</p>
        </details>
      )}
      {content && <p class="content">{content}</p>}
      {calls.map((call, index) => (
        <figure class="call" key={index}>
          <figcaption>
            calls <code>{call.name}</code>
          </figcaption>
          <pre>{readable(call.arguments)}</pre>
        </figure>
      ))}
      {!reasoning && !content && calls.length === 0 && <p class="note">Empty.</p>}
    </section>
  );
}

/** Of raw ids there is no message, but there is a text. */
function PlainText({ run }: { readonly run: Run }) {
  const text = run.output.value.map(({ text, special }) => (special ? '' : text)).join('');
  if (text === '') return null;
  return (
    <section class="card message" aria-labelledby="text-title">
      <header>
        <h2 id="text-title">Text</h2>
      </header>
      <p class="content">{text}</p>
    </section>
  );
}

const count = (tokens: number): string => `${tokens} ${tokens === 1 ? 'token' : 'tokens'}`;
