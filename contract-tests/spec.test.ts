import { Ajv2020 } from 'ajv/dist/2020.js';
import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { type Content, ContractDocument, type Json } from './document.js';

const contract = new ContractDocument();
const operations = contract.operations();
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(contract.root, 'contract');

describe('references', () => {
  const references = [...strings(contract.root, '$ref')];

  it('are there to be checked', () => expect(references.length).toBeGreaterThan(100));

  it.each([...new Set(references)])('%s names something', (reference) => {
    expect(reference.startsWith('#/')).toBe(true);
    expect(contract.find(reference)).toBeDefined();
  });
});

describe('operations', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s is described',
    (_, { definition }) => {
      for (const key of ['operationId', 'summary', 'description']) expect(definition[key], key).toBeTruthy();
      expect(definition.tags).toHaveLength(1);
    },
  );

  it('have names of their own', () => {
    const names = operations.map(({ definition }) => definition.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s has an example of each answer with a body',
    (_, { responses }) => {
      expect(responses.some(({ status }) => status.startsWith('2'))).toBe(true);
      expect(responses.some(({ status }) => status.startsWith('4'))).toBe(true);
      for (const { content } of responses) {
        for (const { place, examples } of content) expect(Object.keys(examples), place).not.toHaveLength(0);
      }
    },
  );

  it.each(
    operations
      .filter(({ request }) => request.length > 0)
      .map((operation) => [operation.name, operation] as const),
  )('%s has an example of its request', (_, { request }) => {
    const json = request.find(({ mediaType }) => mediaType === 'application/json')!;
    expect(Object.keys(json.examples)).not.toHaveLength(0);
  });
});

describe('schemas', () => {
  const schemas = Object.entries((contract.root.components as Json).schemas as Record<string, Json>);

  it.each(schemas)('%s and each property of it say what they mean', (name, schema) => {
    expect(schema.description).toBeTruthy();
    expect(undescribed(schema, name)).toEqual([]);
  });

  it.each(schemas)('%s bounds its integers', (name, schema) => {
    expect(unbounded(schema, name)).toEqual([]);
  });

  it('leave the name Error to the language', () => {
    expect(schemas.map(([name]) => name)).not.toContain('Error');
  });
});

const contents = operations.flatMap(({ request, responses }) => [
  ...request,
  ...responses.flatMap(({ content }) => content),
]);
const isStream = ({ mediaType }: Content) => mediaType === 'text/event-stream';

describe('examples', () => {
  const cases = contents
    .filter((content) => !isStream(content))
    .flatMap(({ place, schema, examples }) =>
      Object.entries(examples).map(([name, value]) => [`${place}: ${name}`, schema, value] as const),
    );

  it.each(cases)('%s fits its schema', (_, schema, value) => {
    const validate = ajv.compile(absolute(schema) as Json);
    validate(value);
    expect(validate.errors ?? []).toEqual([]);
  });
});

describe('streams', () => {
  const cases = contents
    .filter(isStream)
    .flatMap(({ place, schema, examples }) =>
      Object.entries(examples).map(([name, value]) => [`${place}: ${name}`, schema, value] as const),
    );

  it.each(cases)('%s has frames of its chunk schema and ends in [DONE]', (_, schema, text) => {
    const frames = framesOf(text as string);
    expect(frames.pop()).toBe('[DONE]');
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) {
      const value = JSON.parse(frame) as Json;
      const name = 'error' in value ? 'ErrorResponse' : (schema['x-chunk-schema'] as string);
      const validate = ajv.compile({ $ref: `contract#/components/schemas/${name}` });
      validate(value);
      expect(validate.errors ?? [], frame).toEqual([]);
    }
  });
});

/** Every string under a key, anywhere below a value. */
function* strings(value: unknown, key: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === key && typeof inner === 'string') yield inner;
    else yield* strings(inner, key);
  }
}

/** Places of properties without a description of their own or of the schema that they refer to. */
function undescribed(schema: Json, place: string): string[] {
  if (typeof schema.$ref === 'string') return [];
  const here = schema.properties ? Object.entries(schema.properties as Record<string, Json>) : [];
  const missing = here
    .filter(([, property]) => !property.description && !contract.resolve(property).description)
    .map(([name]) => `${place}.${name}`);
  const below = children(schema, place).flatMap(([inner, at]) => undescribed(inner, at));
  return [...missing, ...below];
}

/** Places of integers without a minimum and a maximum, which validators need to tell integers from floats. */
function unbounded(schema: Json, place: string): string[] {
  const isInteger = [schema.type].flat().includes('integer');
  const isBounded = 'minimum' in schema && 'maximum' in schema;
  const here = isInteger && !isBounded && !('enum' in schema) && !('const' in schema) ? [place] : [];
  return [...here, ...children(schema, place).flatMap(([inner, at]) => unbounded(inner, at))];
}

function children(schema: Json, place: string): Array<[Json, string]> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const branches = [schema.oneOf, schema.anyOf, schema.allOf].flatMap((list) => (list ?? []) as Json[]);
  const items = [schema.items, schema.additionalProperties].filter(
    (inner): inner is Json => typeof inner === 'object' && inner !== null,
  );
  return [
    ...properties.map(([name, inner]): [Json, string] => [inner, `${place}.${name}`]),
    ...branches.map((inner): [Json, string] => [inner, place]),
    ...items.map((inner): [Json, string] => [inner, `${place}[]`]),
  ];
}

/** The data of each event of a text/event-stream. */
function framesOf(text: string): string[] {
  const frames: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void frames.push(data) });
  parser.feed(text);
  return frames;
}

/** References made to name the document, so that a part of it can be compiled alone. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string' ? [key, `contract${inner}`] : [key, absolute(inner)],
    ),
  );
}
