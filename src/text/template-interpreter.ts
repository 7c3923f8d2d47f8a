import { filterArguments } from './filter-arguments.js';
import { Interpreter, type Scope, type TemplateNode, type TemplateValue } from './jinja-engine.js';
import { jsonArguments, jsonStyle } from './json-filter.js';
import { pythonJson } from './python-json.js';
import { pythonText } from './python-text.js';
import { DICTSORT_OPTIONS, dictOf, dictSorted, itemAt, itemsOf } from './template-dicts.js';
import { faultAt, TemplateFault } from './template-fault.js';
import { isNothing, LIST_FILTERS, mapped, selected } from './template-filters.js';
import { compared, repeated } from './template-operators.js';
import type { TemplateProgram } from './template-program.js';
import { ArrayValue, StringValue, templateValue } from './template-values.js';

interface FilterNode extends TemplateNode {
  operand: TemplateNode;
  filter: { type: string; value?: string; callee?: { value?: string }; args?: TemplateNode[] };
}

interface BinaryNode extends TemplateNode {
  operator: { value: string };
  left: TemplateNode;
  right: TemplateNode;
}

/** A value that was computed already. */
interface ValueNode extends TemplateNode {
  is: TemplateValue;
}

interface ForNode extends TemplateNode {
  loopvar: TemplateNode;
  iterable: TemplateNode & { lhs?: TemplateNode };
  body: readonly TemplateNode[];
}

interface MemberNode extends TemplateNode {
  object: TemplateNode & { value?: unknown };
  property: TemplateNode;
  /** Whether the property is an expression in brackets. */
  computed: boolean;
}

interface DictNode extends TemplateNode {
  value: ReadonlyMap<TemplateNode, TemplateNode>;
}

function valueNode(is: TemplateValue): ValueNode {
  return { type: 'Value', is };
}

/** Filters that take the text of whatever they are given. */
const TEXT_FILTERS = new Set(['trim', 'lower', 'upper', 'capitalize', 'title', 'replace']);

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
 * Runs templates as Jinja does under Python, where the engine would do as JavaScript does: printed values, the
 * `string` filter, `~`, `tojson` and comparisons. Reading an attribute of something undefined is an error; errors are
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
      case 'Value':
        return (node as ValueNode).is;
      case 'MemberExpression':
        return this.#member(node as MemberNode, scope);
      case 'ObjectLiteral':
        return this.#dict(node as DictNode, scope);
      case 'For':
        return this.#loop(node as ForNode, scope);
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
    const name = (filter.type === 'CallExpression' ? filter.callee?.value : filter.value) ?? '';
    if (name === 'tojson') {
      const options = jsonArguments(filter.args ?? [], (argument) => this.evaluate(argument, scope));
      return new StringValue(pythonJson(this.evaluate(operand, scope), jsonStyle(options)));
    }
    if (name === 'dictsort' || name === 'items') return this.#dictFilter(node, name, scope);
    if (LIST_FILTERS.has(name)) return this.#listFilter(node, name, scope);
    if (name !== 'string' && !TEXT_FILTERS.has(name)) return super.evaluate(node, scope);
    const text = new StringValue(pythonText(this.evaluate(operand, scope)));
    return name === 'string'
      ? text
      : super.evaluate({ ...node, operand: valueNode(text) } as FilterNode, scope);
  }

  #dictFilter(node: FilterNode, name: 'dictsort' | 'items', scope: Scope): TemplateValue {
    const operand = this.evaluate(node.operand, scope);
    if (operand.type !== 'ObjectValue') {
      return super.evaluate({ ...node, operand: valueNode(operand) } as FilterNode, scope);
    }
    if (name === 'items') return itemsOf(operand);
    const evaluate = (argument: TemplateNode): TemplateValue => this.evaluate(argument, scope);
    return dictSorted(operand, filterArguments(name, DICTSORT_OPTIONS, node.filter.args ?? [], evaluate));
  }

  #listFilter(node: FilterNode, name: string, scope: Scope): TemplateValue {
    const operand = this.evaluate(node.operand, scope);
    if (isNothing(operand)) return new ArrayValue([]);
    const computed = { ...node, operand: valueNode(operand) } as FilterNode;
    const args = node.filter.args ?? [];
    const isByPlace = args.length > 0 && args.every(({ type }) => type !== 'KeywordArgumentExpression');
    const isList = operand.type === 'ArrayValue' || operand.type === 'TupleValue';
    if (!isList || name.endsWith('attr') || (name === 'map' && !isByPlace))
      return super.evaluate(computed, scope);
    const values = args.map((argument) => this.evaluate(argument, scope));
    if (name !== 'map') return selected(operand.value, values, name === 'select', scope);
    return mapped(operand.value, values, (item, filter, rest) => {
      const call = {
        type: 'CallExpression',
        callee: { type: 'Identifier', value: filter },
        args: rest.map(valueNode),
      };
      const named = rest.length > 0 ? call : call.callee;
      return this.#filter({ type: 'FilterExpression', operand: valueNode(item), filter: named }, scope);
    });
  }

  #dict({ value }: DictNode, scope: Scope): TemplateValue {
    return dictOf([...value].map(([key, item]) => [this.evaluate(key, scope), this.evaluate(item, scope)]));
  }

  /** The engine takes lists apart into several variables, but not tuples. */
  #loop(node: ForNode, scope: Scope): TemplateValue {
    this.#loopBodies.add(node.body);
    if (node.loopvar.type !== 'TupleLiteral') return super.evaluate(node, scope);
    const { iterable } = node;
    const source = iterable.type === 'SelectExpression' ? iterable.lhs! : iterable;
    const items = valueNode(withoutTuples(this.evaluate(source, scope)));
    const from = source === iterable ? items : { ...iterable, lhs: items };
    return super.evaluate({ ...node, iterable: from } as ForNode, scope);
  }

  #binary(node: BinaryNode, scope: Scope): TemplateValue {
    const operator = node.operator.value;
    if (operator === 'and' || operator === 'or') return super.evaluate(node, scope);
    const [left, right] = [this.evaluate(node.left, scope), this.evaluate(node.right, scope)];
    if (operator === '~') return new StringValue(pythonText(left) + pythonText(right));
    if (operator === '*' && left.type === 'StringValue' && right.type === 'IntegerValue') {
      return new StringValue(repeated(left.value, right.value));
    }
    const truth = compared(operator, left, right);
    if (truth !== null) return templateValue(truth);
    return super.evaluate({ ...node, left: valueNode(left), right: valueNode(right) } as BinaryNode, scope);
  }

  #member(node: MemberNode, scope: Scope): TemplateValue {
    const object = this.evaluate(node.object, scope);
    const isKey = node.computed && node.property.type !== 'SliceExpression';
    const key = isKey ? this.evaluate(node.property, scope) : null;
    if (key && key.type !== 'StringValue' && object.type === 'ObjectValue') {
      return itemAt(object, key) ?? templateValue(undefined);
    }
    const computed = { ...node, object: valueNode(object), property: key ? valueNode(key) : node.property };
    const value = super.evaluate(computed as MemberNode, scope);
    if (object.type !== 'UndefinedValue') return value;
    const name = node.object.type === 'Identifier' ? `'${String(node.object.value)}'` : 'A value';
    throw new ReferenceError(`${name} is undefined`);
  }
}

/** A list whose tuples are lists. */
function withoutTuples(list: TemplateValue): TemplateValue {
  if (list.type !== 'ArrayValue' && list.type !== 'TupleValue') return list;
  return new ArrayValue(
    list.value.map((item) => (item.type === 'TupleValue' ? new ArrayValue(item.value) : item)),
  );
}
