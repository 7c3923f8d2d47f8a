import type { TemplateNode, TemplateToken } from './jinja-engine.js';

/** How tags begin and end. */
const OPENING: Readonly<Record<string, string>> = { '{{': '}}', '{%': '%}', '{#': '#}' };
const STRING = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'/y;
/** Marks for training that the engine takes out before it reads the template. */
const GENERATION = /\{%-?\s*(?:end)?generation\s*-?%\}/y;

/** A piece of a template that is not text: an expression, a statement or a comment. */
export interface TemplateTag {
  /** Counted from 1. */
  line: number;
  /** Where it ends in the source, in characters. */
  end: number;
}

/** Every tag of a template's source, in order, without the marks that the engine takes out. */
export function tagsOf(source: string): TemplateTag[] {
  const tags: TemplateTag[] = [];
  let line = 1;
  let counted = 0;
  for (let at = source.indexOf('{'); at >= 0; at = source.indexOf('{', at)) {
    const close = OPENING[source.slice(at, at + 2)];
    if (close === undefined) {
      at++;
      continue;
    }
    const end = endOf(source, at + 2, close);
    for (; counted < at; counted++) if (source[counted] === '\n') line++;
    if (!matches(GENERATION, source, at)) tags.push({ line, end });
    at = end;
  }
  return tags;
}

/** The line of each node that stands for a tag of its own; empty when tags and tokens don't go together. */
export function linesOfNodes(
  program: TemplateNode,
  tokens: readonly TemplateToken[],
  tags: readonly TemplateTag[],
): WeakMap<TemplateNode, number> {
  const lines = new WeakMap<TemplateNode, number>();
  const tagOf = tagNumbers(tokens);
  if (tagOf.at(-1) !== tags.length - 1) return lines;
  const nodes = blockNodes(program);
  for (const [at, token] of tokens.entries()) {
    if (!beginsNode(token, tokens[at + 1])) continue;
    const { value: node } = nodes.next();
    if (node && token.type !== 'Text') lines.set(node, tags[tagOf[at]!]!.line);
  }
  return lines;
}

/** For each token the place of its tag among all tags; text has that of the tag before, or -1. */
export function tagNumbers(tokens: readonly TemplateToken[]): number[] {
  let tag = -1;
  return tokens.map(({ type }) => {
    if (type === 'OpenStatement' || type === 'OpenExpression' || type === 'Comment') tag++;
    return tag;
  });
}

function endOf(source: string, start: number, close: string): number {
  if (close === '#}') {
    const end = source.indexOf(close, start);
    return end < 0 ? source.length : end + 2;
  }
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const char = source[at];
    if (char === '"' || char === "'") {
      if (!matches(STRING, source, at)) return source.length;
      at = STRING.lastIndex - 1;
    } else if (depth === 0 && source.startsWith(close, at)) return at + 2;
    else if (char === '{') depth++;
    else if (char === '}') depth--;
  }
  return source.length;
}

function matches(pattern: RegExp, source: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(source);
}

/** Whether a node of a block begins with this token; `else` and ends of blocks have none. */
function beginsNode({ type }: TemplateToken, next: TemplateToken | undefined): boolean {
  if (type === 'Text' || type === 'Comment' || type === 'OpenExpression') return true;
  return type === 'OpenStatement' && !/^(?:else|end\w+)$/.test(next?.value ?? '');
}

/** Nodes of a program's blocks in the order in which the source has them. */
function* blockNodes(node: TemplateNode): Generator<TemplateNode, undefined> {
  const { body, alternate, defaultBlock } = node as BlockNode;
  for (const inner of [body, alternate, defaultBlock].flatMap((block) => block ?? [])) {
    yield inner;
    yield* blockNodes(inner);
  }
}

type BlockNode = TemplateNode & {
  readonly [block in 'body' | 'alternate' | 'defaultBlock']?: readonly TemplateNode[];
};
