/**
 * The parts of @huggingface/jinja that are used here, with types: the package's own are lost, since its declaration
 * files import one another without file extensions.
 */
import * as jinja from '@huggingface/jinja';

interface ValueOf<Type extends string, Value> {
  readonly type: Type;
  readonly value: Value;
  toString(): string;
  /** Whether Python would take it as true. */
  __bool__(): { value: boolean };
}

/** A key of a dict: a text or an integer. */
export type TemplateKey = string | number;

export type TemplateDict = ValueOf<'ObjectValue', Map<TemplateKey, TemplateValue>>;

/** A value while a template runs. */
export type TemplateValue =
  | ValueOf<'StringValue', string>
  | ValueOf<'IntegerValue' | 'FloatValue', number>
  | ValueOf<'BooleanValue', boolean>
  | ValueOf<'NullValue' | 'UndefinedValue', undefined>
  | ValueOf<'ArrayValue' | 'TupleValue', TemplateValue[]>
  | TemplateDict
  | ValueOf<'NamespaceValue' | 'KeywordArgumentsValue', Map<string, TemplateValue>>
  | ValueOf<'FunctionValue', (args: TemplateValue[], scope: Scope) => TemplateValue>;

/** A node of a parsed template. */
export interface TemplateNode {
  readonly type: string;
}

/** A token of a template. */
export interface TemplateToken {
  readonly type: string;
  readonly value: string;
}

/** Variables by name. */
export interface Scope {
  readonly tests: ReadonlyMap<string, (...values: TemplateValue[]) => boolean>;
  /** Declare a variable as JSON data or a function; throws when it is declared already. */
  set(name: string, value: unknown): TemplateValue;
  /** Declare a variable, or give it another value. */
  setVariable(name: string, value: TemplateValue): TemplateValue;
}

interface InterpreterClass {
  new (
    scope: Scope,
  ): {
    run(program: TemplateNode): TemplateValue;
    evaluate(node: TemplateNode | undefined, scope: Scope): TemplateValue;
    /** The text of statements and printed expressions; not declared public by the package. */
    evaluateBlock(nodes: readonly TemplateNode[], scope: Scope): TemplateValue;
  };
}

interface Engine {
  Environment: new () => Scope;
  Interpreter: InterpreterClass;
  tokenize(source: string, options: { lstrip_blocks: boolean; trim_blocks: boolean }): TemplateToken[];
  parse(tokens: readonly TemplateToken[]): TemplateNode;
}

export const { Environment, Interpreter, tokenize, parse } = jinja as unknown as Engine;
