import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { packageRoot } from '../package-info.js';
import type { Answer, CaseRequest } from './exchange.js';

type Json = { readonly [key: string]: unknown };

/** Checks answers against openapi.yaml. */
export class Conformance {
  readonly #document: Json;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allowUnionTypes: true });

  constructor(file = join(packageRoot, 'openapi.yaml')) {
    this.#document = parse(readFileSync(file, 'utf8')) as Json;
    this.#ajv.addSchema(this.#document, 'contract');
  }

  /** What is wrong with an answer by the contract; empty when nothing is. */
  faults({ method, path }: CaseRequest, answer: Answer): string[] {
    const pathname = path.split('?')[0]!;
    const operation = this.#operation({ method, path });
    if (!operation) return this.#undocumented(pathname in (this.#document.paths as Json), answer);
    const responses = operation.responses as Record<string, Json>;
    const declared = responses[String(answer.status)];
    if (!declared) return [`status ${answer.status} is not in the contract of ${method} ${pathname}`];
    const response = this.#resolve(declared);
    const content = response.content as Record<string, Json> | undefined;
    if (!content || answer.text === '') return [];
    const media = content[answer.mediaType];
    if (!media) return [`media type ${answer.mediaType || '(none)'} is not in the contract`];
    return this.#contentFaults(media.schema as Json, answer);
  }

  /** The tag of a request's operation; null when the contract has no such operation. */
  tagOf(request: CaseRequest): string | null {
    return (this.#operation(request)?.tags as string[] | undefined)?.[0] ?? null;
  }

  #operation({ method, path }: CaseRequest): Json | undefined {
    const paths = this.#document.paths as Record<string, Json>;
    return paths[path.split('?')[0]!]?.[method.toLowerCase()] as Json | undefined;
  }

  #undocumented(pathIsKnown: boolean, answer: Answer): string[] {
    const expected = pathIsKnown ? 405 : 404;
    const fault =
      answer.status === expected ? [] : [`an undocumented request got ${answer.status}, not ${expected}`];
    return [...fault, ...this.#validate('NotFoundDetail', answer.json)];
  }

  #contentFaults(schema: Json, answer: Answer): string[] {
    if (answer.events) return this.#streamFaults(schema['x-chunk-schema'] as string, answer.events);
    if (answer.mediaType !== 'application/json') return [];
    const validate = this.#ajv.compile(this.#absolute(schema) as Json);
    return validate(answer.json) ? [] : [this.#ajv.errorsText(validate.errors)];
  }

  #streamFaults(chunkSchema: string, events: readonly unknown[]): string[] {
    const faults = events.at(-1) === '[DONE]' ? [] : ['the stream does not end in [DONE]'];
    const frames = events.slice(0, -1);
    if (frames.includes('[DONE]')) faults.push('[DONE] comes before the end');
    for (const frame of frames) {
      const isError = typeof frame === 'object' && frame !== null && 'error' in frame;
      faults.push(...this.#validate(isError ? 'ErrorResponse' : chunkSchema, frame));
    }
    return faults;
  }

  #validate(name: string, value: unknown): string[] {
    const validate = this.#ajv.compile({ $ref: `contract#/components/schemas/${name}` });
    return validate(value) ? [] : [`${name}: ${this.#ajv.errorsText(validate.errors)}`];
  }

  /** References of a part of the document, made to name the document. */
  #absolute(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#absolute(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === '$ref' && typeof inner === 'string'
          ? [key, `contract${inner}`]
          : [key, this.#absolute(inner)],
      ),
    );
  }

  #resolve(object: Json): Json {
    if (typeof object.$ref !== 'string') return object;
    let found: unknown = this.#document;
    for (const key of object.$ref.slice(2).split('/')) found = (found as Json)[key];
    return found as Json;
  }
}
