import type { GraphWriter } from './graph-writer.js';

/** Codes are −127 … 127, so that a code and its negative are both there. */
export const LARGEST_CODE = 127;
/** Activations are stored as unsigned bytes around this: the form that integer kernels take. */
const MIDDLE = 128;
/** Of a rotated row, which is spread like a bell curve, few numbers are beyond this many root mean squares; measured best. */
const REACH = 3.5;

/** Activations rounded to bytes: x = unit · (code − middle), times the row's scale where there is one. */
export interface Rounded {
  /** uint8 [T, columns] */
  codes: string;
  /** A scalar. */
  unit: string;
  /** A scalar, uint8. */
  middle: string;
}

/** Rounds activations in the graph. */
export class RoundedRows {
  private constants: Promise<Constants> | null = null;

  /** Rows of any size. `scales` [T, 1] is the largest magnitude of each. */
  async of(graph: GraphWriter, x: string): Promise<Rounded & { scales: string }> {
    this.constants ??= writeConstants(graph);
    const { smallest, largest, one, unit, middle } = await this.constants;
    const at = (part: string): string => `${x}.${part}`;
    const magnitudes = graph.node(at('magnitudes'), 'Abs', [x]);
    const peaks = graph.node(at('peaks'), 'ReduceMax', [magnitudes], {
      attributes: { axes: [-1], keepdims: 1 },
    });
    const scales = graph.node(at('peaks_above_zero'), 'Max', [peaks, smallest]);
    const factors = graph.node(at('factors'), 'Div', [largest, scales]);
    const scaled = graph.node(at('scaled'), 'Mul', [x, factors]);
    const codes = graph.node(at('codes'), 'QuantizeLinear', [scaled, one, middle]);
    return { codes, scales, unit, middle };
  }

  /** Rows whose root mean square is 1, as norms leave them: one scale does for all. */
  async ofUnitRows(graph: GraphWriter, x: string): Promise<Rounded> {
    this.constants ??= writeConstants(graph);
    const { step, middle } = await this.constants;
    return { codes: graph.node(`${x}.codes`, 'QuantizeLinear', [x, step, middle]), unit: step, middle };
  }
}

type Constants = Record<'smallest' | 'largest' | 'one' | 'unit' | 'step' | 'middle', string>;

async function writeConstants(graph: GraphWriter): Promise<Constants> {
  const scalar = (name: string, value: number): Promise<string> =>
    graph.constant(`rounding.${name}`, 'float32', [], Float32Array.of(value));
  return {
    // A row of zeros must not divide by zero.
    smallest: await scalar('smallest', 1e-30),
    largest: await scalar('largest', LARGEST_CODE),
    one: await scalar('one', 1),
    unit: await scalar('unit', 1 / LARGEST_CODE),
    step: await scalar('step', REACH / LARGEST_CODE),
    middle: await graph.constant('rounding.middle', 'uint8', [], Uint8Array.of(MIDDLE)),
  };
}
