import { parse, type TemplateNode, type TemplateToken, tokenize } from './jinja-engine.js';
import { faultAt, TemplateFault } from './template-fault.js';
import { linesOfNodes, type TemplateTag, tagNumbers, tagsOf } from './template-lines.js';

/** A template that was read. */
export interface TemplateProgram {
  root: TemplateNode;
  /** Lines of the nodes that stand for tags, as the source counts them. */
  lines: WeakMap<TemplateNode, number>;
}

/** Blocks take the white space before them and the line break after them along, as chat templates expect. */
const SPACE = { lstrip_blocks: true, trim_blocks: true };

/** Read a template. Throws a `TemplateFault` for text that the engine can't read. */
export function readTemplate(source: string): TemplateProgram {
  const tags = tagsOf(source);
  const tokens = tokensOf(source, tags);
  const root = programOf(tokens, tags);
  return { root, lines: linesOfNodes(root, tokens, tags) };
}

function tokensOf(source: string, tags: readonly TemplateTag[]): readonly TemplateToken[] {
  try {
    return tokenize(source, SPACE);
  } catch (error) {
    throw faultAt(error, firstUnreadable(source, tags));
  }
}

/** The engine doesn't say where it stopped, so this finds the shortest beginning that it can't read. */
function firstUnreadable(source: string, tags: readonly TemplateTag[]): number | null {
  let [from, to] = [0, tags.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (canRead(source.slice(0, tags[middle]!.end))) from = middle + 1;
    else to = middle;
  }
  return tags[from]?.line ?? null;
}

function canRead(source: string): boolean {
  try {
    tokenize(source, SPACE);
    return true;
  } catch {
    return false;
  }
}

function programOf(tokens: readonly TemplateToken[], tags: readonly TemplateTag[]): TemplateNode {
  let furthest = 0;
  const watched = new Proxy(tokens, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) furthest = Math.max(furthest, Number(key));
      return Reflect.get(target, key);
    },
  });
  try {
    return parse(watched);
  } catch (error) {
    const isOver = furthest >= tokens.length;
    const tag = tagNumbers(tokens)[Math.min(furthest, tokens.length - 1)] ?? -1;
    const line = tags[tag]?.line ?? null;
    throw isOver ? new TemplateFault('The template ends inside a tag or block', line) : faultAt(error, line);
  }
}
