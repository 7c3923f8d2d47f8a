import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import protobuf from 'onnx-proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from './open-session.js';
import type { RuntimeBackend, Session } from './session.js';

const { onnx } = protobuf;
const FLOAT = 1;

/** y = a · b, present = past + a (elementwise, so past and present may share a buffer). */
function tinyGraph(): Uint8Array {
  const tensor = (name: string): object => ({
    name,
    type: { tensorType: { elemType: FLOAT, shape: { dim: [{ dimParam: 'rows' }, { dimValue: 2 }] } } },
  });
  const graph = {
    name: 'tiny',
    node: [
      { opType: 'Mul', input: ['a', 'b'], output: ['y'] },
      { opType: 'Add', input: ['past', 'a'], output: ['present'] },
    ],
    input: ['a', 'b', 'past'].map(tensor),
    output: ['y', 'present'].map(tensor),
  };
  const model = { irVersion: 9, opsetImport: [{ domain: '', version: 17 }], graph };
  return onnx.ModelProto.encode(onnx.ModelProto.fromObject(model)).finish();
}

let folder = '';
let path = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tito-runtime-'));
  path = join(folder, 'tiny.onnx');
  writeFileSync(path, tinyGraph());
});
afterAll(() => rmSync(folder, { recursive: true }));

const arrays = (rows: number): { a: Float32Array; b: Float32Array; y: Float32Array; past: Float32Array } => ({
  a: new Float32Array(rows * 2).fill(3),
  b: new Float32Array(rows * 2).map((_, i) => i),
  y: new Float32Array(rows * 2),
  past: new Float32Array(rows * 2).fill(10),
});

function bindTiny(session: Session, rows: number, data: ReturnType<typeof arrays>) {
  const dims = [rows, 2];
  return session.bind({
    inputs: [
      { name: 'a', data: data.a, dims },
      { name: 'b', data: data.b, dims },
    ],
    outputs: [{ name: 'y', data: data.y, dims }],
    inPlace: [{ input: 'past', output: 'present', data: data.past, dims }],
  });
}

describe.each<RuntimeBackend>(['c-api', 'node'])('a session over %s', (backend) => {
  it('reads the bound arrays anew on each run and writes the outputs', async () => {
    const session = await openSession(path, { backend, threads: 1 });
    const data = arrays(3);
    const bound = bindTiny(session, 3, data);
    await bound.run();
    expect([...data.y]).toEqual([0, 3, 6, 9, 12, 15]);
    data.a.fill(1);
    await bound.run();
    expect([...data.y]).toEqual([0, 1, 2, 3, 4, 5]);
    bound.release();
    await session.close();
  });

  it('updates an in-place tensor through a view at an offset, and nothing beside it', async () => {
    const session = await openSession(path, { backend, threads: 1 });
    const whole = new Float32Array(8).fill(10);
    const data = { ...arrays(1), past: whole.subarray(4, 6) };
    const bound = bindTiny(session, 1, data);
    for (let i = 0; i < 3; i++) await bound.run();
    expect([...whole]).toEqual([10, 10, 10, 10, 19, 19, 10, 10]);
    bound.release();
    await session.close();
  });

  it("rejects with ONNX Runtime's words when the graph can't be loaded", async () => {
    const broken = join(folder, 'broken.onnx');
    writeFileSync(broken, 'not a graph');
    await expect(openSession(broken, { backend, threads: 1 })).rejects.toThrow(/protobuf|failed/i);
    await expect(openSession(join(folder, 'missing.onnx'), { backend, threads: 1 })).rejects.toThrow(
      /exist/i,
    );
  });
});

describe('the C API', () => {
  it('refuses a tensor larger than its array', async () => {
    const session = await openSession(path, { backend: 'c-api', threads: 1 });
    expect(() => bindTiny(session, 2, arrays(1))).toThrow(RangeError);
    await session.close();
  });

  it('survives garbage collection between binding and running', async () => {
    const session = await openSession(path, { backend: 'c-api', threads: 1 });
    const bound = bindTiny(session, 1000, arrays(1000));
    for (let i = 0; i < 50; i++) {
      new Float32Array(1 << 20).fill(i);
      await bound.run();
    }
    bound.release();
    await session.close();
  });
});
