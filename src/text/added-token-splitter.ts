import type { AddedToken } from './added-tokens.js';

/** A part of the text between added tokens, or one of them. `start` and `end` are UTF-16 offsets. */
export interface Section {
  start: number;
  end: number;
  token: AddedToken | null;
}

const WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]/u;
const SPACE = /\p{White_Space}/u;

/** Finds added tokens in a text: leftmost first, longest among those that start at one place. */
export class AddedTokenSplitter {
  /** By first UTF-16 unit, longest first. */
  readonly #candidates = new Map<string, Array<readonly [pattern: string, token: AddedToken]>>();
  /** Finds the next place where a token could begin; null when there are no tokens. */
  readonly #begin: RegExp | null;

  /** `patterns`: what to look for, which is the token's content or that content normalised. */
  constructor(patterns: ReadonlyArray<readonly [pattern: string, token: AddedToken]>) {
    for (const entry of patterns) {
      const first = entry[0].charAt(0);
      if (first === '') continue;
      const list = this.#candidates.get(first) ?? [];
      this.#candidates.set(
        first,
        [...list, entry].sort((a, b) => b[0].length - a[0].length),
      );
    }
    const units = [...this.#candidates.keys()].map(
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    this.#begin = units.length > 0 ? new RegExp(`[${units.join('')}]`, 'g') : null;
  }

  /** Cut a text; sections are not empty and come in order. */
  split(text: string): Section[] {
    const sections: Section[] = [];
    let end = 0;
    const gap = (to: number): void => {
      if (to > end) sections.push({ start: end, end: to, token: null });
    };
    for (let match = this.#next(text, 0); match; match = this.#next(text, match.end)) {
      const start = Math.max(match.start, end);
      gap(start);
      sections.push({ ...match, start });
      end = match.end;
    }
    gap(text.length);
    return sections;
  }

  #next(text: string, from: number): Section | null {
    const begin = this.#begin;
    if (!begin) return null;
    begin.lastIndex = from;
    for (let found = begin.exec(text); found; found = begin.exec(text)) {
      const token = this.#at(text, found.index);
      if (token) return token;
    }
    return null;
  }

  #at(text: string, start: number): Section | null {
    for (const [pattern, token] of this.#candidates.get(text.charAt(start)) ?? []) {
      if (!text.startsWith(pattern, start)) continue;
      const end = start + pattern.length;
      if (token.singleWord && (isWordBefore(text, start) || isWordAt(text, end))) return null;
      return {
        start: token.lstrip ? skipBack(text, start) : start,
        end: token.rstrip ? skip(text, end) : end,
        token,
      };
    }
    return null;
  }
}

function isWordBefore(text: string, at: number): boolean {
  const low = text.charCodeAt(at - 1);
  const isLow = low >= 0xdc00 && low <= 0xdfff;
  return at > 0 && WORD.test(text.slice(at - (isLow ? 2 : 1), at));
}

function isWordAt(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  return code !== undefined && WORD.test(String.fromCodePoint(code));
}

function skipBack(text: string, at: number): number {
  let start = at;
  while (start > 0 && SPACE.test(text.charAt(start - 1))) start--;
  return start;
}

function skip(text: string, at: number): number {
  let end = at;
  while (end < text.length && SPACE.test(text.charAt(end))) end++;
  return end;
}
