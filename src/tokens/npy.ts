/**
 * A float32 array in NumPy's .npy format, version 1.0 (numpy.lib.format), as base64. Row-major, little-endian.
 */
export function npyBase64(values: Float32Array, shape: readonly number[]): string {
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const dictionary = `{'descr': '<f4', 'fortran_order': False, 'shape': (${dims}), }`;
  const prefix = 10;
  const padded = Math.ceil((prefix + dictionary.length + 1) / 64) * 64 - prefix;
  const header = Buffer.alloc(prefix + padded, ' ');
  header.write('\x93NUMPY\x01\x00', 'latin1');
  header.writeUInt16LE(padded, 8);
  header.write(dictionary, prefix, 'latin1');
  header.write('\n', header.length - 1, 'latin1');
  const data = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => {
    data.writeFloatLE(value, i * 4);
  });
  return Buffer.concat([header, data]).toString('base64');
}
