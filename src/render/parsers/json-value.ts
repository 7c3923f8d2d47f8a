/** Where the reading of one JSON value stands; JSON itself, and of fixed size. */
export type ValueScan = Readonly<{
  kind: 'none' | 'bracketed' | 'string' | 'scalar';
  /** Open brackets. */
  depth: number;
  inString: boolean;
  /** The character before was a backslash. */
  escaped: boolean;
}>;

export const VALUE_START: ValueScan = { kind: 'none', depth: 0, inString: false, escaped: false };

/** Characters of `text` that belong to the value, and whether it ends with them. One step a character. */
export function scanValue(
  from: ValueScan,
  text: string,
): { length: number; ended: boolean; scan: ValueScan } {
  let scan = from;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (scan.kind === 'scalar' && /[\s,}\]]/.test(character)) return { length: at, ended: true, scan };
    scan = scan.inString ? withinString(scan, character) : outside(scan, character);
    if (isWhole(scan)) return { length: at + 1, ended: true, scan };
  }
  return { length: text.length, ended: false, scan };
}

function isWhole({ kind, depth, inString }: ValueScan): boolean {
  return !inString && (kind === 'string' || (kind === 'bracketed' && depth <= 0));
}

function withinString(scan: ValueScan, character: string): ValueScan {
  if (scan.escaped) return { ...scan, escaped: false };
  if (character === '\\') return { ...scan, escaped: true };
  return character === '"' ? { ...scan, inString: false } : scan;
}

function outside(scan: ValueScan, character: string): ValueScan {
  const begins = scan.kind === 'none';
  switch (character) {
    case '"':
      return { ...scan, inString: true, kind: begins ? 'string' : scan.kind };
    case '{':
    case '[':
      return { ...scan, depth: scan.depth + 1, kind: begins ? 'bracketed' : scan.kind };
    case '}':
    case ']':
      return { ...scan, depth: scan.depth - 1 };
    default:
      return begins && !/\s/.test(character) ? { ...scan, kind: 'scalar' } : scan;
  }
}
