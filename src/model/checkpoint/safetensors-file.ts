import { type FileHandle, open } from 'node:fs/promises';
import { StartupError } from '../../errors.js';
import type { BlockFormat } from '../gguf/block-format.js';
import { BF16, F16, F32 } from '../gguf/block-formats.js';
import type { TensorInfo, TensorSource } from '../weights.js';

const FORMATS: Readonly<Record<string, BlockFormat>> = { F32, F16, BF16 };
const LENGTH_BYTES = 8;
/** The most that the format's own library takes. */
const MAX_HEADER_BYTES = 100_000_000;

interface Place {
  info: TensorInfo;
  start: number;
}

/** An open safetensors file: its tensors under the names in its header, read one at a time. */
export class SafetensorsFile implements TensorSource {
  readonly tensors: ReadonlyMap<string, TensorInfo>;

  private constructor(
    readonly path: string,
    private readonly places: ReadonlyMap<string, Place>,
    private readonly handle: FileHandle,
  ) {
    this.tensors = new Map([...places].map(([name, { info }]) => [name, info]));
  }

  /** Read and check the header. Throws a StartupError that says what is wrong with the file. */
  static async open(path: string): Promise<SafetensorsFile> {
    const handle = await open(path, 'r').catch((error: Error) => {
      throw new StartupError(`${path} can't be read: ${error.message}`);
    });
    try {
      return new SafetensorsFile(path, await readPlaces(path, handle), handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The tensor's bytes as stored. Throws a StartupError when the file ends early. */
  read(name: string): Promise<Uint8Array> {
    const { info, start } = this.places.get(name)!;
    return readWhole(this.path, this.handle, start, info.byteLength);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

async function readPlaces(path: string, handle: FileHandle): Promise<Map<string, Place>> {
  const { size } = await handle.stat();
  if (size < LENGTH_BYTES) throw new StartupError(`${path} is not a safetensors file: it is too short.`);
  const prefix = await readWhole(path, handle, 0, LENGTH_BYTES);
  const length = new DataView(prefix.buffer).getBigUint64(0, true);
  if (length > BigInt(Math.min(MAX_HEADER_BYTES, size - LENGTH_BYTES))) {
    throw new StartupError(`${path} is cut short or not a safetensors file: its header can't be read whole.`);
  }
  const text = await readWhole(path, handle, LENGTH_BYTES, Number(length));
  const dataStart = LENGTH_BYTES + Number(length);
  const places = Object.entries(parseHeader(path, text))
    .filter(([name]) => name !== '__metadata__')
    .map(([name, entry]) => place(path, name, entry, dataStart));
  refuseGaps(path, places, dataStart, size);
  return new Map(places.map((found) => [found.info.name, found]));
}

function parseHeader(path: string, bytes: Uint8Array): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof header === 'object' && header !== null && !Array.isArray(header)) {
      return header as Record<string, unknown>;
    }
  } catch {
    // Said below.
  }
  throw new StartupError(`${path} is not a safetensors file: its header is not a JSON object.`);
}

function place(path: string, name: string, entry: unknown, dataStart: number): Place {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
  if (!isSizes(shape) || !isSizes(offsets) || offsets.length !== 2) {
    throw new StartupError(`${path}: the shape or the offsets of tensor ${name} are not whole numbers.`);
  }
  const format = formatNamed(path, name, dtype);
  const byteLength = shape.reduce((product, size) => product * size, format.bytes);
  const [start, end] = offsets as [number, number];
  if (!Number.isSafeInteger(byteLength) || byteLength === 0 || end - start !== byteLength) {
    throw new StartupError(
      `${path}: tensor ${name} of shape [${shape.join(', ')}] doesn't fill its bytes ${start} to ${end}.`,
    );
  }
  return { info: { name, shape: shape.toReversed(), format, byteLength }, start: dataStart + start };
}

function formatNamed(path: string, name: string, dtype: unknown): BlockFormat {
  if (typeof dtype === 'string' && Object.hasOwn(FORMATS, dtype)) return FORMATS[dtype]!;
  const supported = Object.keys(FORMATS).join(', ');
  const shown = typeof dtype === 'string' ? dtype.slice(0, 40) : 'something that is no format';
  throw new StartupError(`${path}: tensor ${name} is stored as ${shown}. Supported: ${supported}.`);
}

const isSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);

/** The format wants tensors side by side, to the file's last byte. */
function refuseGaps(path: string, places: readonly Place[], dataStart: number, size: number): void {
  let end = dataStart;
  for (const { info, start } of places.toSorted((a, b) => a.start - b.start)) {
    if (start !== end) {
      throw new StartupError(`${path}: tensor ${info.name} overlaps another or leaves a gap before it.`);
    }
    end += info.byteLength;
  }
  if (places.length === 0) throw new StartupError(`${path} holds no tensors.`);
  if (end !== size) throw new StartupError(`${path}: its tensors end at byte ${end}, the file at ${size}.`);
}

async function readWhole(
  path: string,
  handle: FileHandle,
  start: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(length - done, 1 << 30), start + done);
    if (bytesRead === 0) throw new StartupError(`${path} is cut short.`);
    done += bytesRead;
  }
  return bytes;
}
