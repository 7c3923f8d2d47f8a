import type { ToolCallPiece, ToolPiece } from './parser.js';

/** Gathers what one push finds: content, then names and arguments of calls in order. */
export class CallPieces {
  #content = '';
  readonly #calls: Array<{ index: number; name: string | null; arguments: string | null }> = [];

  addContent(text: string): void {
    this.#content += text;
  }

  begin(index: number, name: string): void {
    this.#calls.push({ index, name, arguments: null });
  }

  addArguments(index: number, text: string): void {
    if (text === '') return;
    const last = this.#calls.at(-1);
    if (last && last.index === index && last.arguments !== null) last.arguments += text;
    else this.#calls.push({ index, name: null, arguments: text });
  }

  get piece(): ToolPiece {
    const toolCalls: readonly ToolCallPiece[] = this.#calls;
    return { content: this.#content === '' ? null : this.#content, toolCalls };
  }
}
