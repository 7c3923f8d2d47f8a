import { expect, it } from 'vitest';
import { strftime } from './strftime.js';

const morning = new Date(2024, 1, 9, 0, 5, 7);

it.each([
  ['%Y-%m-%d', '2024-02-09'],
  ['%d %b %Y', '09 Feb 2024'],
  ['%B %-d, %Y', 'February 9, 2024'],
  ['%A %a', 'Friday Fri'],
  ['%H:%M:%S', '00:05:07'],
  ['%-I %I %p', '12 12 AM'],
  ['%j %-j %y %e', '040 40 24  9'],
  ['%F %T', '2024-02-09 00:05:07'],
  ['100%% %Q %', '100% %Q %'],
])('%s', (format, text) => {
  expect(strftime(morning, format)).toBe(text);
});

it('tells the afternoon', () => {
  expect(strftime(new Date(2023, 11, 31, 13), '%I %p %j')).toBe('01 PM 365');
});
