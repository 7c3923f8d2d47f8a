import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/package-info.js';

/** So that requests differ, and a prompt's text can not be found in any cache. */
const CHATS = 64;
const TURNS = 6;
const CHARACTERS_A_TURN = 560;

export interface ChatBody {
  messages: Array<{ role: string; content: string }>;
}

/** Chats of six turns of English, about 775 tokens each in a vocabulary of 49,152, cut from the licence at different places. */
export function someChats(): ChatBody[] {
  const text = readFileSync(join(packageRoot, 'LICENSE'), 'utf8').replace(/\s+/g, ' ');
  const places = text.length - CHARACTERS_A_TURN;
  const turn = (chat: number, at: number): { role: string; content: string } => {
    const from = (chat * 7919 + at * 104_729) % places;
    return { role: at % 2 === 0 ? 'user' : 'assistant', content: text.slice(from, from + CHARACTERS_A_TURN) };
  };
  return Array.from({ length: CHATS }, (_, chat) => ({
    messages: [
      ...Array.from({ length: TURNS }, (_, at) => turn(chat, at)),
      { role: 'user', content: 'Go on.' },
    ],
  }));
}
