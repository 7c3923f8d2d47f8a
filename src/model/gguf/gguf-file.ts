import { type FileHandle, open } from 'node:fs/promises';
import { GGMLQuantizationType, gguf } from '@huggingface/gguf';
import { StartupError } from '../../errors.js';
import type { TensorInfo, TensorSource } from '../weights.js';
import { BLOCK_FORMATS, blockFormat } from './block-formats.js';
import { Metadata, type MetadataValue } from './metadata.js';

/** Most bytes a single read can take. */
const READ_BYTES = 1 << 30;

/** An open GGUF file: its metadata and its tensors, read one at a time. */
export class GgufFile implements TensorSource {
  private constructor(
    readonly path: string,
    readonly metadata: Metadata,
    readonly tensors: ReadonlyMap<string, TensorInfo>,
    private readonly offsets: ReadonlyMap<string, number>,
    private readonly handle: FileHandle,
  ) {}

  /**
   * Read header, metadata and tensor table. Throws a StartupError that says what is wrong when the file can't be
   * opened, isn't GGUF, is cut short, or holds a tensor format that tito can't read.
   */
  static async open(path: string): Promise<GgufFile> {
    const handle = await openForReading(path);
    try {
      const header = await readHeader(path);
      const { tensors, offsets } = tensorTable(path, header, (await handle.stat()).size);
      const metadata = new Metadata(path, header.metadata as unknown as Record<string, MetadataValue>);
      return new GgufFile(path, metadata, tensors, offsets, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The tensor's bytes as stored. Throws a StartupError when the file ends early. */
  async read(name: string): Promise<Uint8Array> {
    const bytes = new Uint8Array(this.tensors.get(name)!.byteLength);
    const start = this.offsets.get(name)!;
    for (let done = 0; done < bytes.length; ) {
      const length = Math.min(bytes.length - done, READ_BYTES);
      const { bytesRead } = await this.handle.read(bytes, done, length, start + done);
      if (bytesRead === 0) {
        throw new StartupError(`${this.path} is cut short: tensor ${name} can't be read whole.`);
      }
      done += bytesRead;
    }
    return bytes;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

async function openForReading(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw new StartupError(`${path} can't be read: ${(error as Error).message}`);
  }
}

async function readHeader(path: string): ReturnType<typeof gguf> {
  try {
    return await gguf(path, { allowLocalFile: true });
  } catch (error) {
    throw new StartupError(`${path} is not a GGUF file, or a broken one: ${(error as Error).message}`);
  }
}

function tensorTable(
  path: string,
  header: Awaited<ReturnType<typeof gguf>>,
  size: number,
): { tensors: Map<string, TensorInfo>; offsets: Map<string, number> } {
  if (!header.littleEndian) throw new StartupError(`${path} is big-endian, which tito can't read.`);
  if (header.tensorInfoByteRange[1] > size || header.tensorInfos.length === 0) {
    throw new StartupError(
      `${path} is cut short or empty: it holds no whole table of tensors. Fetch it again.`,
    );
  }
  const tensors = new Map<string, TensorInfo>();
  const offsets = new Map<string, number>();
  for (const { name, shape, dtype, offset } of header.tensorInfos) {
    const info = tensorInfo(path, name, shape.map(Number), dtype);
    const start = Number(header.tensorDataOffset + offset);
    const end = start + info.byteLength;
    if (end > size) {
      throw new StartupError(
        `${path} is cut short: tensor ${name} ends at byte ${end}, the file at ${size}. Fetch it again.`,
      );
    }
    tensors.set(name, info);
    offsets.set(name, start);
  }
  return { tensors, offsets };
}

function tensorInfo(path: string, name: string, shape: number[], type: number): TensorInfo {
  const format = blockFormat(type);
  if (!format) {
    const supported = BLOCK_FORMATS.map((known) => known.name).join(', ');
    throw new StartupError(
      `${path}: tensor ${name} is stored as ${GGMLQuantizationType[type] ?? `type ${type}`}. Supported: ${supported}.`,
    );
  }
  const columns = shape[0] ?? 0;
  const elements = shape.reduce((product, size) => product * size, 1);
  if (columns === 0 || columns % format.weights !== 0 || !Number.isSafeInteger(elements)) {
    throw new StartupError(
      `${path}: tensor ${name} has shape [${shape.join(', ')}], which ${format.name} can't hold.`,
    );
  }
  return { name, shape, format, byteLength: (elements / format.weights) * format.bytes };
}
