import { addressOf, callAsync, check, create, type OrtApi, ortLibrary, type Pointer } from './ort-library.js';
import type { Binding, BoundRun, Session, SessionOptions } from './session.js';
import { sessionConfig } from './session-config.js';
import { ELEMENT_TYPE, elementCount, elementTypeOf, type TensorData } from './tensor-view.js';

const ALL_OPTIMIZATIONS = 99;

/** Load a graph through the C API, on a worker thread. The library maps the external data beside it. */
export async function openCApiSession(graphPath: string, options: SessionOptions): Promise<Session> {
  const { api, env } = ortLibrary();
  const settings = createSessionOptions(api, options);
  const out: [Pointer | null] = [null];
  try {
    check(api, await callAsync(api.createSession, env, graphPath, settings, out), `load ${graphPath}`);
  } finally {
    api.releaseSessionOptions(settings);
  }
  if (out[0] === null) throw new Error(`ONNX Runtime failed to load ${graphPath}: no handle came back`);
  return new CApiSession(api, out[0]);
}

function createSessionOptions(api: OrtApi, { threads }: SessionOptions): Pointer {
  const settings = create(api, 'create session options', (out) => api.createSessionOptions(out));
  check(api, api.setGraphOptimizationLevel(settings, ALL_OPTIMIZATIONS), 'set the optimization level');
  check(api, api.setIntraOpThreads(settings, threads), 'set the number of threads');
  for (const [key, value] of Object.entries(sessionConfig())) {
    check(api, api.addSessionConfigEntry(settings, `session.${key}`, value), `set ${key}`);
  }
  return settings;
}

class CApiSession implements Session {
  readonly backend = 'c-api';
  readonly #api: OrtApi;
  readonly #session: Pointer;
  readonly #runOptions: Pointer;

  constructor(api: OrtApi, session: Pointer) {
    this.#api = api;
    this.#session = session;
    this.#runOptions = create(api, 'create run options', (out) => api.createRunOptions(out));
  }

  bind(binding: Binding): BoundRun {
    return new CApiBoundRun(this.#api, this.#session, this.#runOptions, binding);
  }

  async close(): Promise<void> {
    this.#api.releaseRunOptions(this.#runOptions);
    this.#api.releaseSession(this.#session);
  }
}

class CApiBoundRun implements BoundRun {
  readonly #api: OrtApi;
  readonly #session: Pointer;
  readonly #runOptions: Pointer;
  readonly #ioBinding: Pointer;
  readonly #values: Pointer[] = [];
  /** Native code holds bare addresses into these arrays. */
  readonly #arrays: Binding;

  constructor(api: OrtApi, session: Pointer, runOptions: Pointer, binding: Binding) {
    this.#api = api;
    this.#session = session;
    this.#runOptions = runOptions;
    this.#arrays = binding;
    this.#ioBinding = create(api, 'create a binding', (out) => api.createIoBinding(session, out));
    for (const { name, data, dims } of binding.inputs) this.#input(name, this.#value(data, dims));
    for (const { name, data, dims } of binding.outputs) this.#output(name, this.#value(data, dims));
    for (const { input, output, data, dims } of binding.inPlace) {
      const shared = this.#value(data, dims);
      this.#input(input, shared);
      this.#output(output, shared);
    }
  }

  async run(): Promise<void> {
    const { runWithBinding } = this.#api;
    const status = await callAsync(runWithBinding, this.#session, this.#runOptions, this.#ioBinding);
    check(this.#api, status, `run a step of ${this.#arrays.inputs[0]?.dims.join('×')} tokens`);
  }

  release(): void {
    this.#api.releaseIoBinding(this.#ioBinding);
    for (const value of this.#values.splice(0)) this.#api.releaseValue(value);
  }

  #value(data: TensorData, dims: readonly number[]): Pointer {
    const { cpuMemory } = ortLibrary();
    const bytes = elementCount(dims) * data.BYTES_PER_ELEMENT;
    if (bytes > data.byteLength)
      throw new RangeError(`a ${dims.join('×')} tensor needs ${bytes} bytes, got ${data.byteLength}`);
    const shape = BigInt64Array.from(dims, BigInt);
    const type = ELEMENT_TYPE[elementTypeOf(data)];
    const value = create(this.#api, 'wrap a tensor', (out) =>
      this.#api.createTensor(cpuMemory, addressOf(data), bytes, shape, dims.length, type, out),
    );
    this.#values.push(value);
    return value;
  }

  #input(name: string, value: Pointer): void {
    check(this.#api, this.#api.bindInput(this.#ioBinding, name, value), `bind input ${name}`);
  }

  #output(name: string, value: Pointer): void {
    check(this.#api, this.#api.bindOutput(this.#ioBinding, name, value), `bind output ${name}`);
  }
}
