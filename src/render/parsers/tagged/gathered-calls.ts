import type { Tool } from '../../../../generated/types.js';
import type { ParsedToolCall } from '../parser.js';
import { strip } from '../python-space.js';
import type { CallSink } from './call-sink.js';
import { jsonText } from './json-text.js';
import { typesOfArgument } from './schema-types.js';
import { typedValue } from './typed-value.js';

/**
 * Takes a whole output's calls. Of arguments that come twice, the last counts; those without an end do not. Text after
 * the first call is not part of the message.
 */
export class GatheredCalls implements CallSink {
  #content = '';
  /** Length of the content before the first call, or what looked like one. */
  #contentBefore: number | null = null;
  #name = '';
  #arguments = new Map<string, string>();
  #argument = '';
  #value = '';
  readonly #calls: ParsedToolCall[] = [];

  constructor(
    private readonly tools: readonly Tool[],
    private readonly isCallable: (name: string) => boolean,
  ) {}

  get found(): { content: string | null; toolCalls: readonly ParsedToolCall[] } {
    return { content: this.#shownContent || null, toolCalls: this.#calls };
  }

  /** Next to calls, content has no white space around it. */
  get #shownContent(): string {
    if (this.#contentBefore === null) return this.#content;
    if (this.#calls.length > 0) return strip(this.#content.slice(0, this.#contentBefore));
    return strip(this.#content) && this.#content;
  }

  content(text: string): void {
    this.#content += text;
  }

  leaveContent(): void {
    this.#contentBefore ??= this.#content.length;
  }

  beginCall(): void {
    this.#name = '';
    this.#arguments = new Map();
  }

  name(text: string): void {
    this.#name += text;
  }

  beginArguments(): void {}

  beginValue(argument: string): void {
    this.#argument = argument;
    this.#value = '';
  }

  value(text: string): void {
    this.#value += text;
  }

  endValue(isClosed: boolean): void {
    if (isClosed) this.#arguments.set(this.#argument, this.#value);
  }

  endCall(): void {
    const name = strip(this.#name);
    if (!this.isCallable(name)) return;
    const fields = Array.from(this.#arguments, ([argument, value]) => {
      return `${jsonText(argument)}: ${typedValue(value, typesOfArgument(this.tools, name, argument))}`;
    });
    this.#calls.push({ name, arguments: `{${fields.join(', ')}}` });
  }
}
