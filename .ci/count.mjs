// Prints "PASSED FAILED": the sum of what the test runners in a log say of themselves.
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

let passed = 0;
let failed = 0;
for (const line of stripVTControlCharacters(readFileSync(process.argv[2], 'utf8')).split('\n')) {
  const isSummary =
    /^\s*Tests\s+\d/.test(line) || /^\d+ passed, \d+ failed(, \d+ [a-z ]+)*$/.test(line.trim());
  if (!isSummary) continue;
  passed += Number(/(\d+) passed/.exec(line)?.[1] ?? 0);
  failed += Number(/(\d+) failed/.exec(line)?.[1] ?? 0);
}
console.log(passed, failed);
