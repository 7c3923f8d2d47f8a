import { memo } from 'preact/compat';
import { breaksAfter, percent, visible } from '../format.js';
import type { PlacedToken, SampledToken } from '../run.js';
import { hovered, type ListName, pinned, showIds } from '../state.js';

/** Hues that follow each other, so that neighbours differ. */
const HUES = 5;

interface Props {
  readonly name: ListName;
  readonly label: string;
  readonly tokens: readonly (PlacedToken | SampledToken)[];
}

/** Tokens in a row. One stop of the Tab key; arrows go from token to token. */
export function TokenList({ name, label, tokens }: Props) {
  const chosen = pinned.value?.list === name ? pinned.value.index : null;
  const choose = (index: number): void => {
    pinned.value = { list: name, index };
    document.getElementById(idOf(name, index))?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div
      class="tokens"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={chosen === null ? undefined : idOf(name, chosen)}
      onFocus={() => chosen === null && tokens.length > 0 && choose(0)}
      onKeyDown={(event) => {
        const to = target(event, chosen ?? 0, tokens.length);
        if (to === null) return;
        event.preventDefault();
        choose(to);
      }}
      onPointerOver={(event) => hover(name, event)}
      onPointerLeave={() => {
        hovered.value = null;
      }}
      onClick={(event) => {
        const index = indexOf(event);
        if (index !== null) choose(index);
      }}
    >
      {tokens.map((token, index) => (
        <Token
          key={index}
          name={name}
          index={index}
          token={token}
          ids={showIds.value}
          chosen={index === chosen}
          last={index === tokens.length - 1}
        />
      ))}
    </div>
  );
}

interface TokenProps {
  readonly name: ListName;
  readonly index: number;
  readonly token: PlacedToken | SampledToken;
  readonly ids: boolean;
  readonly chosen: boolean;
  readonly last: boolean;
}

const Token = memo(({ name, index, token, ids, chosen, last }: TokenProps) => {
  const logprob = 'logprob' in token ? token.logprob : null;
  const share = logprob === null ? '' : `, ${percent(logprob)}`;
  return (
    <>
      {/* biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names its active option. */}
      <span
        id={idOf(name, index)}
        role="option"
        aria-selected={chosen}
        aria-label={`${visible(token.text)} ${token.id}${share}`}
        data-id={token.id}
        data-index={index}
        class={`token ${token.special ? 'special' : ''} ${name === 'prompt' ? `hue-${index % HUES}` : 'shaded'}`}
        style={logprob === null ? undefined : { '--surprise': String(surprise(logprob)) }}
      >
        {visible(token.text)}
        {ids && <small> {token.id}</small>}
      </span>
      {!last && breaksAfter(token.text)}
    </>
  );
});

/** 0 for what was certain, 1 for what had a thousandth; in between as the logarithm goes. */
function surprise(logprob: number): number {
  return Math.min(1, Math.max(0, -logprob / Math.log(1000)));
}

function hover(name: ListName, event: Event): void {
  const index = indexOf(event);
  if (index !== null) hovered.value = { list: name, index };
}

function indexOf({ target }: Event): number | null {
  const index = (target as HTMLElement).dataset.index;
  return index === undefined ? null : Number(index);
}

const idOf = (name: ListName, index: number): string => `${name}-${index}`;

/** Where a key leads; null when it leads nowhere. */
function target({ key }: KeyboardEvent, from: number, count: number): number | null {
  const last = count - 1;
  if (last < 0) return null;
  if (key === 'ArrowRight' || key === 'ArrowDown') return Math.min(last, from + 1);
  if (key === 'ArrowLeft' || key === 'ArrowUp') return Math.max(0, from - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : null;
}
