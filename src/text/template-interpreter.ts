import { Interpreter, type Scope, type TemplateNode, type TemplateValue } from './jinja-engine.js';
import { jsonArguments, jsonStyle } from './json-filter.js';
import { pythonJson } from './python-json.js';
import { pythonText } from './python-text.js';
import { StringValue } from './template-values.js';

interface FilterNode extends TemplateNode {
  operand: TemplateNode;
  filter: { type: string; value?: string; callee?: { value?: string }; args?: TemplateNode[] };
}

interface BinaryNode extends TemplateNode {
  operator: { value: string };
  left: TemplateNode;
  right: TemplateNode;
}

interface MemberNode extends TemplateNode {
  object: TemplateNode & { value?: unknown };
}

/** Nodes whose value is not printed unless it is text. */
const STATEMENTS = new Set(['Set', 'Macro', 'Comment', 'If', 'For', 'CallStatement', 'FilterStatement']);

/**
 * Runs templates and writes values as Jinja does under Python, where the engine would write JavaScript's: printed
 * values, the `string` filter, `~` and `tojson`. Reading an attribute of something undefined is an error.
 */
export class TemplateInterpreter extends Interpreter {
  override evaluate(node: TemplateNode | undefined, scope: Scope): TemplateValue {
    switch (node?.type) {
      case 'FilterExpression':
        return this.#filter(node as FilterNode, scope);
      case 'BinaryExpression':
        return this.#binary(node as BinaryNode, scope);
      case 'MemberExpression':
        return this.#member(node as MemberNode, scope);
      default:
        return super.evaluate(node, scope);
    }
  }

  override evaluateBlock(nodes: readonly TemplateNode[], scope: Scope): TemplateValue {
    let text = '';
    for (const node of nodes) {
      const value = this.evaluate(node, scope);
      const isSilent = STATEMENTS.has(node.type) && value.type !== 'StringValue';
      if (!isSilent) text += pythonText(value);
    }
    return new StringValue(text);
  }

  #filter(node: FilterNode, scope: Scope): TemplateValue {
    const { operand, filter } = node;
    switch (filter.type === 'CallExpression' ? filter.callee?.value : filter.value) {
      case 'tojson': {
        const options = jsonArguments(filter.args ?? [], (argument) => this.evaluate(argument, scope));
        return new StringValue(pythonJson(this.evaluate(operand, scope), jsonStyle(options)));
      }
      case 'string':
        return new StringValue(pythonText(this.evaluate(operand, scope)));
      default:
        return super.evaluate(node, scope);
    }
  }

  #binary(node: BinaryNode, scope: Scope): TemplateValue {
    if (node.operator.value !== '~') return super.evaluate(node, scope);
    const [left, right] = [this.evaluate(node.left, scope), this.evaluate(node.right, scope)];
    return new StringValue(pythonText(left) + pythonText(right));
  }

  /** Something undefined has only undefined attributes, so only then is it looked at again. */
  #member(node: MemberNode, scope: Scope): TemplateValue {
    const value = super.evaluate(node, scope);
    if (value.type !== 'UndefinedValue') return value;
    if (this.evaluate(node.object, scope).type === 'UndefinedValue') {
      const name = node.object.type === 'Identifier' ? `'${String(node.object.value)}'` : 'A value';
      throw new ReferenceError(`${name} is undefined`);
    }
    return value;
  }
}
