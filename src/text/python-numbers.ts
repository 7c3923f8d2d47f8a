/** Python writes exponents from here on. */
const LARGEST_PLAIN_EXPONENT = 15;
const SMALLEST_PLAIN_EXPONENT = -4;

/**
 * A float as Python's `repr` and `json.dumps` write it: `1.0`, `1e+16`, `1e-05`; `Infinity`, `-Infinity` and `NaN`
 * as `json.dumps` does.
 */
export function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa, power] = value.toExponential().split('e') as [string, string];
  const exponent = Number(power);
  if (value !== 0 && (exponent > LARGEST_PLAIN_EXPONENT || exponent < SMALLEST_PLAIN_EXPONENT)) {
    const sign = exponent < 0 ? '-' : '+';
    return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
