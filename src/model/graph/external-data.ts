import { type FileHandle, open } from 'node:fs/promises';

/** Where a tensor lies in the external data file. */
export interface Extent {
  offset: number;
  length: number;
}

/** Cache-line aligned, so that kernels may use the mapped file as it is. */
const ALIGNMENT = 64;
/** Most bytes a single write can take. */
const WRITE_BYTES = 1 << 30;

/** The file of weights beside an ONNX graph, written from front to back. */
export class ExternalData {
  private position = 0;

  private constructor(
    /** File name as the graph refers to it. */
    readonly location: string,
    private readonly handle: FileHandle,
  ) {}

  /** Create the file; an existing one is replaced. */
  static async create(path: string, location: string): Promise<ExternalData> {
    return new ExternalData(location, await open(path, 'w'));
  }

  async append(data: NodeJS.ArrayBufferView): Promise<Extent> {
    const offset = Math.ceil(this.position / ALIGNMENT) * ALIGNMENT;
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    for (let written = 0; written < bytes.length; ) {
      const length = Math.min(bytes.length - written, WRITE_BYTES);
      written += (await this.handle.write(bytes, written, length, offset + written)).bytesWritten;
    }
    this.position = offset + bytes.length;
    return { offset, length: bytes.length };
  }

  /** Flush to the disk and close. */
  async close(): Promise<void> {
    try {
      await this.handle.sync();
    } finally {
      await this.handle.close();
    }
  }
}
