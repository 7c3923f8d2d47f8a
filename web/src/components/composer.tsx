import { signal } from '@preact/signals';
import type { Draft, Role, SamplingFields } from '../form.js';
import { apiKey, baseUrl } from '../server.js';
import { curl, typescript } from '../snippets.js';
import {
  addDraft,
  announced,
  busy,
  changeDraft,
  drafts,
  fields,
  formError,
  generates,
  idsText,
  type Mode,
  mode,
  removeDraft,
  setField,
  start,
  stop,
  tools,
  toSend,
} from '../state.js';

const ROLES: readonly Role[] = ['system', 'user', 'assistant', 'tool'];

/** What to send, and the buttons that send it. */
export function Composer() {
  return (
    <form
      class="composer"
      aria-label="Request"
      onSubmit={(event) => {
        event.preventDefault();
        void start(generates.value);
      }}
    >
      <ModeSwitch />
      {mode.value === 'chat' ? <ChatFields /> : <IdsField />}
      <SamplingSet />
      <Buttons />
      <CopyButtons />
    </form>
  );
}

function ModeSwitch() {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">Input</legend>
      <Segment value="chat" label="Chat" />
      <Segment value="ids" label="Token ids" />
    </fieldset>
  );
}

function Segment({ value, label }: { readonly value: Mode; readonly label: string }) {
  return (
    <label>
      <input
        type="radio"
        name="mode"
        value={value}
        checked={mode.value === value}
        onChange={() => {
          mode.value = value;
        }}
      />
      <span>{label}</span>
    </label>
  );
}

function ChatFields() {
  return (
    <div class="chat">
      {drafts.value.map((draft, index) => (
        <Turn key={draft.key} draft={draft} place={index + 1} />
      ))}
      <button type="button" class="quiet add" onClick={addDraft}>
        + Add a turn
      </button>
      <details class="tools">
        <summary>Tools</summary>
        <label>
          <span class="visually-hidden">Tools, as a JSON list</span>
          <textarea
            rows={6}
            spellcheck={false}
            class="mono"
            placeholder={'[{"type": "function", "function": {"name": "weather", "parameters": {}}}]'}
            value={tools.value}
            onInput={(event) => {
              tools.value = event.currentTarget.value;
            }}
          />
        </label>
      </details>
    </div>
  );
}

function Turn({ draft, place }: { readonly draft: Draft; readonly place: number }) {
  const { key, role, content, callId, more } = draft;
  const calls = more?.tool_calls?.length ?? 0;
  return (
    <fieldset class="turn">
      <legend class="visually-hidden">Turn {place}</legend>
      <div class="turn-head">
        <select
          aria-label={`Role of turn ${place}`}
          value={role}
          onChange={(event) => changeDraft(key, { role: event.currentTarget.value as Role })}
        >
          {ROLES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        {calls > 0 && <span class="note">{calls === 1 ? 'with a call' : `with ${calls} calls`}</span>}
        {drafts.value.length > 1 && (
          <button
            type="button"
            class="icon"
            aria-label={`Remove turn ${place}`}
            onClick={() => removeDraft(key)}
          >
            ×
          </button>
        )}
      </div>
      {role === 'tool' && (
        <input
          class="mono"
          aria-label={`Call that turn ${place} answers`}
          placeholder="tool_call_id"
          value={callId ?? ''}
          onInput={(event) => changeDraft(key, { callId: event.currentTarget.value })}
        />
      )}
      <textarea
        data-first-input={place === 1 ? '' : undefined}
        aria-label={`Text of turn ${place}`}
        rows={Math.min(12, Math.max(2, content.split('\n').length))}
        value={content}
        onInput={(event) => changeDraft(key, { content: event.currentTarget.value })}
      />
    </fieldset>
  );
}

function IdsField() {
  return (
    <label class="ids">
      Token ids
      <textarea
        data-first-input=""
        rows={6}
        spellcheck={false}
        class="mono"
        aria-describedby="ids-help"
        value={idsText.value}
        onInput={(event) => {
          idsText.value = event.currentTarget.value;
        }}
      />
      <span class="note" id="ids-help">
        Sent as they are, with nothing in front or behind.
      </span>
    </label>
  );
}

function SamplingSet() {
  return (
    <fieldset class="sampling">
      <legend>Sampling</legend>
      <NumberField name="temperature" label="Temperature" step="0.1" min="0" max="2" />
      <NumberField name="maxTokens" label="Max tokens" step="1" min="1" />
      <NumberField name="alternatives" label="Alternatives" step="1" min="0" max="20" />
      <NumberField name="topP" label="Top p" step="0.05" min="0" max="1" />
      <NumberField name="seed" label="Seed" step="1" />
      <label>
        Stop texts
        <textarea
          rows={1}
          class="mono"
          placeholder="one a line"
          spellcheck={false}
          value={fields.value.stop}
          onInput={(event) => setField('stop', event.currentTarget.value)}
        />
      </label>
    </fieldset>
  );
}

interface NumberProps {
  readonly name: keyof SamplingFields;
  readonly label: string;
  readonly step: string;
  readonly min?: string;
  readonly max?: string;
}

/** No `type=number`: browsers hide what was typed wrong, and the server says what it takes. */
function NumberField({ name, label, step, min, max }: NumberProps) {
  const nudge = (event: KeyboardEvent, sign: number): void => {
    event.preventDefault();
    const digits = step.split('.')[1]?.length ?? 0;
    const next = (Number(fields.value[name]) || 0) + sign * Number(step);
    setField(
      name,
      Math.min(Number(max ?? Infinity), Math.max(Number(min ?? -Infinity), next)).toFixed(digits),
    );
  };
  return (
    <label>
      {label}
      <input
        inputMode="decimal"
        autocomplete="off"
        placeholder="default"
        value={fields.value[name]}
        onInput={(event) => setField(name, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowUp') nudge(event, 1);
          if (event.key === 'ArrowDown') nudge(event, -1);
        }}
      />
    </label>
  );
}

function Buttons() {
  const running = busy.value;
  return (
    <div class="buttons">
      {running ? (
        <button type="button" class="primary stop" onClick={stop}>
          Stop <kbd>Esc</kbd>
        </button>
      ) : (
        <button type="submit" class="primary" disabled={!generates.value}>
          Generate <kbd>{isApple ? '⌘' : 'Ctrl'} ↵</kbd>
        </button>
      )}
      <button type="button" class="secondary" disabled={running} onClick={() => void start(false)}>
        Show tokens
      </button>
    </div>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

const copied = signal('');

function CopyButtons() {
  return (
    <p class="copy">
      Copy as{' '}
      <button type="button" class="link" onClick={() => void copy('curl')}>
        curl
      </button>{' '}
      or{' '}
      <button type="button" class="link" onClick={() => void copy('TypeScript')}>
        TypeScript
      </button>
      <span class="note">{copied.value}</span>
    </p>
  );
}

async function copy(language: 'curl' | 'TypeScript'): Promise<void> {
  try {
    formError.value = null;
    const write = language === 'curl' ? curl : typescript;
    await toClipboard(write(toSend(), baseUrl, apiKey.value !== '', generates.value));
    copied.value = 'copied';
    announced.value = `Copied as ${language}.`;
    setTimeout(() => {
      copied.value = '';
    }, 2000);
  } catch (error) {
    formError.value = error;
  }
}

/** Pages without https have no clipboard of their own; the older way needs a selection. */
async function toClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
