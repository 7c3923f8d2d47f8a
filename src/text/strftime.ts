const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(
  ',',
);

const padded = (value: number, width = 2): string => String(value).padStart(width, '0');
const halfDayHour = (date: Date): number => date.getHours() % 12 || 12;

const DIRECTIVES: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => padded(date.getFullYear(), 4),
  y: (date) => padded(date.getFullYear() % 100),
  m: (date) => padded(date.getMonth() + 1),
  d: (date) => padded(date.getDate()),
  e: (date) => String(date.getDate()).padStart(2),
  b: (date) => MONTHS[date.getMonth()]!.slice(0, 3),
  B: (date) => MONTHS[date.getMonth()]!,
  a: (date) => DAYS[date.getDay()]!.slice(0, 3),
  A: (date) => DAYS[date.getDay()]!,
  j: (date) => padded(dayOfYear(date), 3),
  H: (date) => padded(date.getHours()),
  I: (date) => padded(halfDayHour(date)),
  M: (date) => padded(date.getMinutes()),
  S: (date) => padded(date.getSeconds()),
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  F: (date) => `${DIRECTIVES.Y!(date)}-${DIRECTIVES.m!(date)}-${DIRECTIVES.d!(date)}`,
  T: (date) => `${DIRECTIVES.H!(date)}:${DIRECTIVES.M!(date)}:${DIRECTIVES.S!(date)}`,
  '%': () => '%',
};

/**
 * A local time in the terms of C's `strftime`, with English names; `%-d` drops leading zeros. Directives that are
 * not known stay as they are.
 */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (directive, bare: string, letter: string) => {
    const text = Object.hasOwn(DIRECTIVES, letter) ? DIRECTIVES[letter]!(date) : null;
    if (text === null) return directive;
    return bare ? text.replace(/^[0 ]+(?=\d)/, '') : text;
  });
}

function dayOfYear(date: Date): number {
  const year = date.getFullYear();
  return (Date.UTC(year, date.getMonth(), date.getDate()) - Date.UTC(year, 0, 0)) / 86_400_000;
}
