/** `descr` of little-endian element types. */
function descriptor(values: Float32Array | Uint8Array | Uint16Array): '<f4' | '|u1' | '<u2' {
  if (values instanceof Float32Array) return '<f4';
  return values instanceof Uint8Array ? '|u1' : '<u2';
}

/**
 * An array in NumPy's .npy format, version 1.0 (numpy.lib.format), as base64. Row-major, little-endian.
 */
export function npyBase64(values: Float32Array | Uint8Array | Uint16Array, shape: readonly number[]): string {
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const dictionary = `{'descr': '${descriptor(values)}', 'fortran_order': False, 'shape': (${dims}), }`;
  const prefix = 10;
  const padded = Math.ceil((prefix + dictionary.length + 1) / 64) * 64 - prefix;
  const header = Buffer.alloc(prefix + padded, ' ');
  header.write('\x93NUMPY\x01\x00', 'latin1');
  header.writeUInt16LE(padded, 8);
  header.write(dictionary, prefix, 'latin1');
  header.write('\n', header.length - 1, 'latin1');
  // Every platform that ONNX Runtime is built for is little-endian.
  const data = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return Buffer.concat([header, data]).toString('base64');
}
