/** Writes docs/options.md from the option table: `node dist/scripts/write-options-page.js`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environmentNames, OPTIONS, type Option } from '../src/config.js';
import { packageRoot } from '../src/package-info.js';

/** The page's text. */
export function optionsPage(): string {
  const rows = Object.values<Option>(OPTIONS).map(row);
  return [
    '# Options of `tito serve`',
    '',
    'Made from `src/config.ts`; `make options` writes it anew. A flag wins over the environment (`TITO_…` over other',
    'names), and that over the file of `--config FILE`: YAML whose keys are the flags without dashes in front, and `model`.',
    'A switch is on with `1` or `true`.',
    '',
    '```yaml',
    'model: model.gguf',
    'port: 9000',
    'enable-scale-out: true',
    'served-model-name: [small, default]',
    '```',
    '',
    '| flag | environment | default | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function row(option: Option): string {
  const { flag, help } = option;
  const names = environmentNames(option)
    .map((name) => `\`${name}\``)
    .join(' ');
  const choices = option.kind === 'text' && option.choices ? ` One of ${option.choices.join(', ')}.` : '';
  const value = option.kind === 'list' || option.default === null ? '' : `\`${option.default}\``;
  return `| \`--${flag}\` | ${names} | ${value} | ${help}${choices} |`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(join(packageRoot, 'docs', 'options.md'), optionsPage());
}
