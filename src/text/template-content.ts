import type { TemplateNode } from './jinja-engine.js';

/**
 * Whether a template goes through the parts of a message's content, rather than printing it as one text: a loop
 * over `message.content`, a variable set from it, or a macro's parameter named `content`.
 */
export function loopsOverContent(program: TemplateNode): boolean {
  const names = new Set(['content']);
  const nodes = [...nodesOf(program)];
  for (const node of nodes) {
    const { assignee, value } = node as { assignee?: TemplateNode; value?: unknown };
    if (node.type === 'Set' && isContent(value as TemplateNode | null, names)) {
      const name = (assignee as { value?: unknown } | undefined)?.value;
      if (typeof name === 'string') names.add(name);
    }
  }
  return nodes.some(
    (node) => node.type === 'For' && isContent((node as { iterable?: TemplateNode }).iterable ?? null, names),
  );
}

/** `x.content`, `x['content']`, or a name that stands for it, filtered or selected from. */
function isContent(node: TemplateNode | null, names: ReadonlySet<string>): boolean {
  if (!node) return false;
  const fields = node as TemplateNode & Readonly<Record<string, TemplateNode | undefined>>;
  switch (node.type) {
    case 'Identifier':
      return names.has(textOfNode(node));
    case 'MemberExpression':
      return textOfNode(fields.property) === 'content';
    case 'FilterExpression':
      return isContent(fields.operand ?? null, names);
    case 'SelectExpression':
      return isContent(fields.lhs ?? null, names);
    default:
      return false;
  }
}

function textOfNode(node: TemplateNode | undefined): string {
  return String((node as { value?: unknown } | undefined)?.value);
}

function* nodesOf(value: unknown): Generator<TemplateNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item);
  } else if (value !== null && typeof value === 'object') {
    if (typeof (value as TemplateNode).type === 'string') yield value as TemplateNode;
    for (const inner of Object.values(value)) yield* nodesOf(inner);
  }
}
