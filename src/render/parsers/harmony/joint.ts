/** Where a text stands that several messages add to: nothing yet, within a message, or between two. */
export type Joint = 'none' | 'within' | 'between';

/** A piece of the text, after the line break that parts messages, and where the text then stands. */
export function joined(joint: Joint, piece: string): { text: string; joint: Joint } {
  if (piece === '') return { text: '', joint };
  return { text: joint === 'between' ? `\n${piece}` : piece, joint: 'within' };
}

/** A message begins. */
export function parted(joint: Joint): Joint {
  return joint === 'none' ? 'none' : 'between';
}
