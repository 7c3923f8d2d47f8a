import type { GraphWriter } from './graph-writer.js';

const SIGN_BIT = 0x80;

/** Stores the codes of matrices as signed bytes, or as unsigned ones around 128. */
export class StoredCodes {
  private zero: Promise<string> | null = null;

  constructor(private readonly bytes: 'int8' | 'uint8') {}

  /** The constant, and what stands for zero in it: null for 0 itself. */
  async of(
    graph: GraphWriter,
    name: string,
    dims: readonly number[],
    codes: Int8Array,
  ): Promise<{ codes: string; middle: string | null }> {
    if (this.bytes === 'int8')
      return { codes: await graph.constant(name, 'int8', dims, codes), middle: null };
    this.zero ??= graph.constant('codes.middle', 'uint8', [], Uint8Array.of(SIGN_BIT));
    const unsigned = Uint8Array.from(codes, (code) => (code & 0xff) ^ SIGN_BIT);
    return { codes: await graph.constant(name, 'uint8', dims, unsigned), middle: await this.zero };
  }
}
