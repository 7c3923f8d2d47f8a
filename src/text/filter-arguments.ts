import type { TemplateNode, TemplateValue } from './jinja-engine.js';

/** An argument by name; arguments by position are plain expressions. */
interface NamedArgument extends TemplateNode {
  key: { value: string };
  value: TemplateNode;
}

/** The arguments of a filter, by position or by name. Throws for a name that it doesn't have. */
export function filterArguments<Option extends string>(
  filter: string,
  options: readonly Option[],
  nodes: readonly TemplateNode[],
  evaluate: (node: TemplateNode) => TemplateValue,
): Map<Option, TemplateValue> {
  const found = new Map<Option, TemplateValue>();
  for (const [position, node] of nodes.entries()) {
    const named = node.type === 'KeywordArgumentExpression' ? (node as NamedArgument) : null;
    const name = named ? options.find((option) => option === named.key.value) : options[position];
    if (!name)
      throw new TypeError(`${filter}() got an unexpected argument '${named?.key.value ?? position}'`);
    found.set(name, evaluate(named?.value ?? node));
  }
  return found;
}
