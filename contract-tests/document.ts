import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** An object of the contract, read by key. */
export type Json = { readonly [key: string]: unknown };

/** One media type of a request or an answer, with the place where the contract declares it. */
export interface Content {
  place: string;
  mediaType: string;
  schema: Json;
  examples: Record<string, unknown>;
}

export interface DocumentedOperation {
  name: string;
  definition: Json;
  request: readonly Content[];
  responses: ReadonlyArray<{ status: string; definition: Json; content: readonly Content[] }>;
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace']);

/** openapi.yaml as the tests read it: references followed, operations and their examples listed. */
export class ContractDocument {
  readonly root: Json;

  constructor(file = 'openapi.yaml') {
    this.root = parse(readFileSync(file, 'utf8')) as Json;
  }

  /** The value that a `#/…` reference names; undefined when there is none. */
  find(reference: string): unknown {
    let found: unknown = this.root;
    for (const key of reference.slice(2).split('/')) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      found = (found as Json | undefined)?.[name];
    }
    return found;
  }

  resolve(object: Json): Json {
    return typeof object.$ref === 'string' ? this.resolve(this.find(object.$ref) as Json) : object;
  }

  operations(): DocumentedOperation[] {
    const paths = this.root.paths as Record<string, Record<string, Json>>;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => METHODS.has(method))
        .map(([method, definition]) => this.#operation(`${method.toUpperCase()} ${path}`, definition)),
    );
  }

  #operation(name: string, definition: Json): DocumentedOperation {
    const body = definition.requestBody ? this.resolve(definition.requestBody as Json) : {};
    const responses = Object.entries(definition.responses as Record<string, Json>);
    return {
      name,
      definition,
      request: this.#contents(`${name} request`, body),
      responses: responses.map(([status, response]) => {
        const resolved = this.resolve(response);
        return { status, definition: resolved, content: this.#contents(`${name} ${status}`, resolved) };
      }),
    };
  }

  #contents(place: string, holder: Json): Content[] {
    const content = (holder.content ?? {}) as Record<string, Json>;
    return Object.entries(content).map(([mediaType, media]) => ({
      place: `${place} ${mediaType}`,
      mediaType,
      schema: media.schema as Json,
      examples: this.#examples(media),
    }));
  }

  #examples(media: Json): Record<string, unknown> {
    const named = Object.entries((media.examples ?? {}) as Record<string, Json>).map(
      ([name, example]) => [name, this.resolve(example).value] as const,
    );
    const single = 'example' in media ? ([['example', media.example]] as const) : [];
    return Object.fromEntries([...named, ...single]);
  }
}
