import { Interpreter, type Scope, type TemplateNode, type TemplateValue } from './jinja-engine.js';
import { jsonArguments, jsonStyle } from './json-filter.js';
import { pythonJson } from './python-json.js';
import { pythonText } from './python-text.js';
import { faultAt, TemplateFault } from './template-fault.js';
import type { TemplateProgram } from './template-program.js';
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

interface ForNode extends TemplateNode {
  body: readonly TemplateNode[];
}

interface MemberNode extends TemplateNode {
  object: TemplateNode & { value?: unknown };
}

/** Nodes whose value is not printed unless it is text. */
const STATEMENTS = new Set(['Set', 'Macro', 'Comment', 'If', 'For', 'CallStatement', 'FilterStatement']);

/** On its way out of an iteration, with what the iteration printed. */
class LoopExit extends TemplateFault {
  text = '';

  constructor(
    readonly kind: 'Break' | 'Continue',
    /** What the engine throws and catches for it. */
    readonly engines: unknown,
    line: number | null,
  ) {
    super(`'${kind.toLowerCase()}' outside loop`, line);
  }
}

/**
 * Runs templates and writes values as Jinja does under Python, where the engine would write JavaScript's: printed
 * values, the `string` filter, `~` and `tojson`. Reading an attribute of something undefined is an error; errors are
 * `TemplateFault`s. An iteration that is left early keeps what it printed.
 */
export class TemplateInterpreter extends Interpreter {
  readonly #lines: TemplateProgram['lines'];
  readonly #loopBodies = new WeakSet<readonly TemplateNode[]>();
  /** Scopes of loops that were left. */
  readonly #left = new WeakMap<Scope, LoopExit>();

  constructor(scope: Scope, lines: TemplateProgram['lines']) {
    super(scope);
    this.#lines = lines;
  }

  override evaluate(node: TemplateNode | undefined, scope: Scope): TemplateValue {
    switch (node?.type) {
      case 'FilterExpression':
        return this.#filter(node as FilterNode, scope);
      case 'BinaryExpression':
        return this.#binary(node as BinaryNode, scope);
      case 'MemberExpression':
        return this.#member(node as MemberNode, scope);
      case 'For':
        this.#loopBodies.add((node as ForNode).body);
        return super.evaluate(node, scope);
      case 'Break':
      case 'Continue':
        return this.#exit(node, scope);
      default:
        return super.evaluate(node, scope);
    }
  }

  override evaluateBlock(nodes: readonly TemplateNode[], scope: Scope): TemplateValue {
    const left = this.#left.get(scope);
    const isLoopBody = this.#loopBodies.has(nodes);
    if (left && isLoopBody) throw left.engines;
    let text = '';
    for (const node of nodes) {
      try {
        text += this.#printed(node, scope);
      } catch (error) {
        if (!(error instanceof LoopExit)) throw faultAt(error, this.#lines.get(node) ?? null);
        error.text = text + error.text;
        if (!isLoopBody) throw error;
        // The engine would forget this iteration's text: it ends as any other, and the next one doesn't begin.
        if (error.kind === 'Break') this.#left.set(scope, error);
        return new StringValue(error.text);
      }
    }
    return new StringValue(text);
  }

  #printed(node: TemplateNode, scope: Scope): string {
    const value = this.evaluate(node, scope);
    const isSilent = STATEMENTS.has(node.type) && value.type !== 'StringValue';
    return isSilent ? '' : pythonText(value);
  }

  #exit(node: TemplateNode, scope: Scope): never {
    const kind = node.type as LoopExit['kind'];
    try {
      super.evaluate(node, scope);
    } catch (error) {
      throw new LoopExit(kind, error, this.#lines.get(node) ?? null);
    }
    throw new TypeError(`the engine passes over '${kind}'`);
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
