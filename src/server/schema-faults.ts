import { type ApiError, schemaFault, valueFault } from '../errors.js';
import type { Contract, SpecObject } from './contract.js';

/** One finding of the validator. */
export interface Finding {
  /** JSON pointer from the request, such as `/body/token_ids/0`. */
  path: string;
  message: string;
  /** The schema keyword that failed, such as `minimum`. */
  keyword: string;
}

/** Keywords that say which values of a type may be used, rather than what the type is. */
const VALUE_KEYWORDS = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'enum',
  'pattern',
]);
/** Keywords that only say that no branch of a union fitted. */
const UNION_KEYWORDS = new Set(['oneOf', 'anyOf']);

/**
 * The error for a body that the validator refused. A value that can't be used names the field that `x-error-param`
 * gives its property (with `x-error-any`, a value of a wrong type does too); anything else is a fault of shape and
 * names the place.
 */
export function faultOf(
  findings: readonly Finding[],
  { schema: bodySchema, value }: { schema: SpecObject; value: unknown },
  contract: Contract,
): ApiError {
  for (const finding of findings) {
    const property = schemaAt(finding.path.split('/').slice(2), bodySchema, contract);
    if (!property || !('x-error-param' in property)) continue;
    if (VALUE_KEYWORDS.has(finding.keyword) || property['x-error-any'] === true) {
      const param = property['x-error-param'] as string | null;
      return valueFault(param, describe(finding));
    }
  }
  const finding = mostTelling(findings);
  const path = finding.path.split('/').slice(2);
  const isTuple =
    finding.keyword === 'minItems' && schemaAt(path, bodySchema, contract)?.['x-tuple'] === true;
  const list = /^\d+$/.test(path.at(-1) ?? '') ? schemaAt(path.slice(0, -1), bodySchema, contract) : null;
  const place = isTuple ? missingItem(path, value) : placeOf(finding, list?.['x-list-fault'] === true);
  return schemaFault(place, describe(finding));
}

/** The place of the first item that a tuple lacks. */
function missingItem(path: readonly string[], body: unknown): string {
  let tuple = body as unknown[];
  for (const key of path) tuple = (tuple as unknown as Record<string, unknown[]>)[key]!;
  return ['body', ...path, tuple.length].join('.');
}

/** What went wrong inside the deepest branch says more than that no branch fitted. */
function mostTelling(findings: readonly Finding[]): Finding {
  const specific = findings.filter(({ keyword }) => !UNION_KEYWORDS.has(keyword));
  return specific.find(({ keyword }) => keyword === 'required') ?? specific[0] ?? findings[0]!;
}

/** `sampling_params` is checked as one thing; an item out of range may be a fault of its list. */
function placeOf({ path, keyword }: Finding, namesList: boolean): string {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts[0] === 'body' && parts[1] === 'sampling_params' && parts.length > 2)
    return 'body.sampling_params';
  const isOutOfRange = keyword === 'minimum' || keyword === 'maximum';
  return (namesList && isOutOfRange ? parts.slice(0, -1) : parts).join('.');
}

function describe({ path, message }: Finding): string {
  return `${path.split('/').filter(Boolean).join('.')} ${message}.`;
}

/** The schema of the property at a path, through references and unions; null when none is found. */
function schemaAt(path: readonly string[], schema: SpecObject, contract: Contract): SpecObject | null {
  const resolved = contract.resolve(schema);
  const branches = [resolved.oneOf, resolved.anyOf, resolved.allOf].flatMap(
    (list) => (list as SpecObject[] | undefined) ?? [],
  );
  const [key, ...rest] = path;
  if (key === undefined) return closest(resolved, branches, contract);
  const next = childOf(resolved, key);
  const candidates = next ? [schemaAt(rest, next, contract)] : [];
  candidates.push(...branches.map((branch) => schemaAt(path, branch, contract)));
  return candidates.find((candidate) => candidate !== null) ?? null;
}

function closest(schema: SpecObject, branches: readonly SpecObject[], contract: Contract): SpecObject {
  if ('x-error-param' in schema) return schema;
  const resolved = branches.map((branch) => contract.resolve(branch));
  return resolved.find((branch) => 'x-error-param' in branch || 'x-tuple' in branch) ?? schema;
}

function childOf(schema: SpecObject, key: string): SpecObject | null {
  const property = (schema.properties as Record<string, SpecObject> | undefined)?.[key];
  if (property) return property;
  if (/^\d+$/.test(key) && schema.items) return schema.items as SpecObject;
  return typeof schema.additionalProperties === 'object' ? (schema.additionalProperties as SpecObject) : null;
}
