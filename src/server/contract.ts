import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../package-info.js';

/** A JSON schema or another object of the contract, read by key. */
export type SpecObject = { readonly [key: string]: unknown };

export interface Operation {
  operationId: string;
  tag: string;
  method: string;
  path: string;
  /** Null when it takes no JSON body. */
  body: { schema: SpecObject; required: boolean; faultsNameNoParam: boolean } | null;
  takesQuery: boolean;
  /** Takes a file, too, as application/octet-stream. */
  takesFile: boolean;
}

/** openapi.yaml as the server reads it, from the JSON form in generated/: parsing YAML takes a quarter of a second. */
export class Contract {
  readonly document: SpecObject;
  readonly operations: readonly Operation[];

  constructor() {
    this.document = JSON.parse(
      readFileSync(join(packageRoot, 'generated', 'openapi.json'), 'utf8'),
    ) as SpecObject;
    const paths = this.document.paths as Record<string, Record<string, SpecObject>>;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => this.#operation(path, method, operation)),
    );
  }

  /** Follow `$ref`s to the object that they name. */
  resolve(object: SpecObject): SpecObject {
    const { $ref: reference } = object;
    if (typeof reference !== 'string') return object;
    let found: unknown = this.document;
    for (const key of reference.slice(2).split('/')) found = (found as SpecObject)[key];
    return this.resolve(found as SpecObject);
  }

  #parameters({ parameters }: SpecObject): SpecObject[] {
    return ((parameters ?? []) as SpecObject[]).map((parameter) => this.resolve(parameter));
  }

  #operation(path: string, method: string, operation: SpecObject): Operation {
    const body = operation.requestBody ? this.resolve(operation.requestBody as SpecObject) : null;
    const json = (body?.content as Record<string, SpecObject> | undefined)?.['application/json'];
    return {
      operationId: operation.operationId as string,
      tag: (operation.tags as string[])[0]!,
      method,
      path,
      takesQuery: this.#parameters(operation).some(({ in: place }) => place === 'query'),
      takesFile: 'application/octet-stream' in ((body?.content ?? {}) as object),
      body:
        body && json
          ? {
              schema: json.schema as SpecObject,
              required: body.required === true,
              faultsNameNoParam: 'x-error-param' in body,
            }
          : null,
    };
  }
}
