import onnxProto, { type onnx } from 'onnx-proto';
import type { Extent, ExternalData } from './external-data.js';

const { onnx: proto } = onnxProto;

/** Operators of ONNX Runtime that are not in the ONNX standard. */
export const MICROSOFT = 'com.microsoft';
const ONNX_OPSET = 17;
/** Tensors below this stay in the graph file. */
const INLINE_BYTES = 1024;

const ELEMENT = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7 } as const;
export type ElementType = keyof typeof ELEMENT;
/** A number, or the name of a dimension that is free. */
export type Dimension = number | string;
type Attribute = number | { float: number } | readonly number[];
type TensorBytes = Float32Array | Uint8Array | Int8Array | Int32Array | BigInt64Array;

interface NodeOptions {
  domain?: string;
  attributes?: Readonly<Record<string, Attribute>>;
  /** Names of the outputs; the first is returned. Default: one, named after the node. */
  outputs?: readonly string[];
}

/** Collects an ONNX graph node by node; weights go straight to the external data file. */
export class GraphWriter {
  private readonly nodes: onnx.INodeProto[] = [];
  private readonly initializers: onnx.ITensorProto[] = [];
  private readonly inputs: onnx.IValueInfoProto[] = [];
  private readonly outputs: onnx.IValueInfoProto[] = [];

  constructor(private readonly data: ExternalData) {}

  input(name: string, type: ElementType, dims: readonly Dimension[]): string {
    this.inputs.push(valueInfo(name, type, dims));
    return name;
  }

  output(name: string, type: ElementType, dims: readonly Dimension[]): void {
    this.outputs.push(valueInfo(name, type, dims));
  }

  /** Add a node. An empty input name leaves that optional input out. Returns its first output's name. */
  node(name: string, operator: string, inputs: readonly string[], options: NodeOptions = {}): string {
    const outputs = options.outputs ?? [name];
    this.nodes.push({
      name,
      opType: operator,
      domain: options.domain ?? '',
      input: [...inputs],
      output: [...outputs],
      attribute: Object.entries(options.attributes ?? {}).map(([key, value]) => attribute(key, value)),
    });
    return outputs[0]!;
  }

  /** Add a constant tensor, row-major. Large ones are written out at once. */
  async constant(
    name: string,
    type: ElementType,
    dims: readonly number[],
    values: TensorBytes,
  ): Promise<string> {
    if (values.byteLength >= INLINE_BYTES) return this.stored(name, type, dims, await this.store(values));
    const rawData = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.initializers.push({ name, dataType: ELEMENT[type], dims: [...dims], rawData });
    return name;
  }

  /** Write bytes out, for one or more constants over them. */
  store(values: TensorBytes): Promise<Extent> {
    return this.data.append(values);
  }

  /** Add a constant tensor over stored bytes. */
  stored(name: string, type: ElementType, dims: readonly number[], { offset, length }: Extent): string {
    this.initializers.push({
      name,
      dataType: ELEMENT[type],
      dims: [...dims],
      dataLocation: proto.TensorProto.DataLocation.EXTERNAL,
      externalData: [
        { key: 'location', value: this.data.location },
        { key: 'offset', value: String(offset) },
        { key: 'length', value: String(length) },
      ],
    });
    return name;
  }

  /** Put what was collected into another graph, behind what it has. */
  appendTo(graph: onnx.IGraphProto): void {
    graph.node = [...(graph.node ?? []), ...this.nodes];
    graph.initializer = [...(graph.initializer ?? []), ...this.initializers];
    graph.input = [...(graph.input ?? []), ...this.inputs];
    graph.output = [...(graph.output ?? []), ...this.outputs];
  }

  /** The graph as the content of an .onnx file. */
  serialize(producerVersion: string): Uint8Array {
    return proto.ModelProto.encode({
      irVersion: 8,
      producerName: 'tito',
      producerVersion,
      opsetImport: [
        { domain: '', version: ONNX_OPSET },
        { domain: MICROSOFT, version: 1 },
      ],
      graph: {
        name: 'decoder',
        node: this.nodes,
        initializer: this.initializers,
        input: this.inputs,
        output: this.outputs,
      },
    }).finish();
  }
}

function valueInfo(name: string, type: ElementType, dims: readonly Dimension[]): onnx.IValueInfoProto {
  const dim = dims.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType: ELEMENT[type], shape: { dim } } } };
}

function attribute(name: string, value: Attribute): onnx.IAttributeProto {
  const { AttributeType } = proto.AttributeProto;
  if (typeof value === 'number') return { name, type: AttributeType.INT, i: value };
  if ('float' in value) return { name, type: AttributeType.FLOAT, f: value.float };
  return { name, type: AttributeType.INTS, ints: [...value] };
}
