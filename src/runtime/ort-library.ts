/**
 * The C API of the ONNX Runtime shared library that onnxruntime-node ships, called through koffi.
 *
 * `OrtGetApiBase()->GetApi(version)` returns a table of function pointers that only ever grows, so an index is
 * stable once published (onnxruntime_c_api.h). Everything native code may touch stays referenced from module
 * scope: a collected library handle would unload the library under a running session.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import koffi from 'koffi';
import { StartupError } from '../errors.js';

/** A native address. */
export type Pointer = bigint;

/** The table version asked for: the first that holds every entry used here. */
const API_VERSION = 16;
const API_BASE = koffi.struct('OrtApiBase', { GetApi: 'void *', GetVersionString: 'void *' });

/** Index in `OrtApi` and C signature of each entry used. Status results are null on success. */
const ENTRIES = {
  getErrorMessage: [2, 'const char *OrtGetErrorMessage(void *status)'],
  createEnv: [3, 'void *OrtCreateEnv(int level, const char *id, _Out_ void **out)'],
  createSession: [7, 'void *OrtCreateSession(void *env, const char *path, void *options, _Out_ void **out)'],
  createSessionOptions: [10, 'void *OrtCreateSessionOptions(_Out_ void **out)'],
  setGraphOptimizationLevel: [23, 'void *OrtSetGraphOptimizationLevel(void *options, int level)'],
  setIntraOpThreads: [24, 'void *OrtSetIntraOpThreads(void *options, int threads)'],
  createRunOptions: [39, 'void *OrtCreateRunOptions(_Out_ void **out)'],
  createTensor: [
    49,
    'void *OrtCreateTensor(void *memory, void *data, size_t bytes, const int64_t *dims, size_t rank, int type, _Out_ void **out)',
  ],
  createCpuMemoryInfo: [69, 'void *OrtCreateCpuMemoryInfo(int allocator, int kind, _Out_ void **out)'],
  releaseStatus: [93, 'void OrtReleaseStatus(void *status)'],
  releaseSession: [95, 'void OrtReleaseSession(void *session)'],
  releaseValue: [96, 'void OrtReleaseValue(void *value)'],
  releaseRunOptions: [97, 'void OrtReleaseRunOptions(void *options)'],
  releaseSessionOptions: [100, 'void OrtReleaseSessionOptions(void *options)'],
  addSessionConfigEntry: [
    130,
    'void *OrtAddSessionConfigEntry(void *options, const char *key, const char *value)',
  ],
  runWithBinding: [133, 'void *OrtRunWithBinding(void *session, void *options, void *binding)'],
  createIoBinding: [134, 'void *OrtCreateIoBinding(void *session, _Out_ void **out)'],
  releaseIoBinding: [135, 'void OrtReleaseIoBinding(void *binding)'],
  bindInput: [136, 'void *OrtBindInput(void *binding, const char *name, void *value)'],
  bindOutput: [137, 'void *OrtBindOutput(void *binding, const char *name, void *value)'],
} as const satisfies Record<string, readonly [number, string]>;

type EntryName = keyof typeof ENTRIES;
type NativeFunction = ReturnType<typeof loadEntry>;

/** The entries by name; each throws nothing: check status results with `check`. */
export type OrtApi = Readonly<Record<EntryName, NativeFunction>>;

interface OrtLibrary {
  api: OrtApi;
  /** Version of the shared library, such as "1.30.0". */
  version: string;
  env: Pointer;
  cpuMemory: Pointer;
}

let library: OrtLibrary | null = null;
/** Koffi objects that must outlive every call. */
const keepAlive: unknown[] = [API_BASE];

/** Load the shared library once; later calls return the same. Throws a StartupError when it can't be loaded. */
export function ortLibrary(): OrtLibrary {
  library ??= loadLibrary();
  return library;
}

/** Throw ONNX Runtime's own message when a call returned a status. */
export function check(api: OrtApi, status: Pointer | null, doing: string): void {
  if (status === null) return;
  const message = String(api.getErrorMessage(status));
  api.releaseStatus(status);
  throw new Error(`ONNX Runtime failed to ${doing}: ${message}`);
}

/** Call an entry that returns a status and writes one pointer. */
export function create(api: OrtApi, doing: string, call: (out: [Pointer | null]) => Pointer | null): Pointer {
  const out: [Pointer | null] = [null];
  check(api, call(out), doing);
  if (out[0] === null) throw new Error(`ONNX Runtime failed to ${doing}: no handle came back`);
  return out[0];
}

function loadLibrary(): OrtLibrary {
  const handle = openSharedLibrary();
  const base = koffi.decode(handle.func('void *OrtGetApiBase()')(), API_BASE) as Record<string, Pointer>;
  const getApi = koffi.decode(base.GetApi!, koffi.proto('void *OrtGetApi(uint32_t version)'));
  const getVersion = koffi.decode(base.GetVersionString!, koffi.proto('const char *OrtGetVersionString()'));
  const table = getApi(API_VERSION) as Pointer | null;
  if (table === null) throw new StartupError(`ONNX Runtime ${String(getVersion())} is too old for tito.`);
  const api = Object.fromEntries(
    Object.entries(ENTRIES).map(([name, [index, signature]]) => [name, loadEntry(table, index, signature)]),
  ) as OrtApi;
  const env = create(api, 'create its environment', (out) => api.createEnv(3, 'tito', out));
  const cpuMemory = create(api, 'describe CPU memory', (out) => api.createCpuMemoryInfo(1, 0, out));
  keepAlive.push(handle, getApi, getVersion);
  return { api, version: String(getVersion()), env, cpuMemory };
}

function loadEntry(table: Pointer, index: number, signature: string): (...args: unknown[]) => Pointer | null {
  const pointer = koffi.decode(table + BigInt(index * koffi.sizeof('void *')), 'void *') as Pointer;
  const type = koffi.proto(signature);
  const entry = koffi.decode(pointer, type);
  keepAlive.push(type, entry);
  return entry;
}

function openSharedLibrary(): ReturnType<typeof koffi.load> {
  const path = sharedLibraryPath();
  try {
    return koffi.load(path);
  } catch (error) {
    throw new StartupError(
      `The ONNX Runtime library ${path} can't be loaded (${(error as Error).message}). ` +
        'Run `make install` again, or start with --runtime node to use the stock binding.',
    );
  }
}

const LIBRARY_NAMES: Readonly<Record<string, string>> = {
  linux: 'libonnxruntime.so.1',
  darwin: 'libonnxruntime.1.dylib',
  win32: 'onnxruntime.dll',
};

function sharedLibraryPath(): string {
  const name = LIBRARY_NAMES[process.platform] ?? 'libonnxruntime.so.1';
  const packageJson = createRequire(import.meta.url).resolve('onnxruntime-node/package.json');
  return join(dirname(packageJson), 'bin', 'napi-v6', process.platform, process.arch, name);
}

/** Run an entry on a worker thread; resolves with its status. */
export function callAsync(entry: NativeFunction, ...args: unknown[]): Promise<Pointer | null> {
  const asynchronous = (entry as unknown as { async: (...all: unknown[]) => void }).async;
  return new Promise((resolve, reject) => {
    asynchronous(...args, (error: Error | null, status: Pointer | null) =>
      error ? reject(error) : resolve(status),
    );
  });
}

/** The address of a typed array's first element. The array must not be backed by V8's heap: allocate its ArrayBuffer first. */
export function addressOf(data: ArrayBufferView): Pointer {
  return koffi.address(data.buffer as ArrayBuffer) + BigInt(data.byteOffset);
}
