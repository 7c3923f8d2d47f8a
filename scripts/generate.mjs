/**
 * Writes generated/ from openapi.yaml: wire types (openapi-typescript), server stubs (openapi-generator with
 * templates/), the client, and the contract as JSON, which a server reads faster at its start. `--check` writes into a
 * temporary folder instead, and fails on any difference.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);
const HEADER = '// Generated from openapi.yaml by `make generate`; do not edit.\n';

if (process.argv.includes('--check')) check();
else generate(at('generated'));

function check() {
  const fresh = mkdtempSync(join(tmpdir(), 'tito-generate-'));
  try {
    generate(fresh);
    const differing = differences(fresh, at('generated'));
    if (differing.length === 0) return console.log('generated/ is what openapi.yaml gives');
    console.error(
      `generated/ differs from what openapi.yaml gives; run \`make generate\`:\n  ${differing.join('\n  ')}`,
    );
    process.exitCode = 1;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function generate(target) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, 'server'), { recursive: true });
  writeTypes(join(target, 'types.ts'));
  writeStubs(join(target, 'server'));
  cpSync(at('templates', 'operation.ts'), join(target, 'server', 'operation.ts'));
  cpSync(at('templates', 'client.ts'), join(target, 'client.ts'));
  writeFileSync(
    join(target, 'openapi.json'),
    JSON.stringify(parse(readFileSync(at('openapi.yaml'), 'utf8'))),
  );
  writeFileSync(join(target, '.stats.yml'), stats());
}

function writeTypes(file) {
  const flags = [
    '--default-non-nullable=false',
    '--root-types',
    '--root-types-no-schema-prefix',
    '--alphabetize',
  ];
  run('openapi-typescript', [at('openapi.yaml'), ...flags, '--output', file]);
  writeFileSync(file, HEADER + readFileSync(file, 'utf8'));
}

function writeStubs(folder) {
  const scratch = mkdtempSync(join(tmpdir(), 'tito-stubs-'));
  try {
    const options = [
      '-g',
      'typescript-fetch',
      '-i',
      at('openapi.yaml'),
      '-t',
      at('templates'),
      '-o',
      scratch,
    ];
    const apisOnly = [
      '--global-property',
      'apis,models=false,supportingFiles=false,apiDocs=false,apiTests=false',
    ];
    run('openapi-generator-cli', ['generate', ...options, ...apisOnly]);
    const apis = join(scratch, 'apis');
    for (const name of readdirSync(apis)) {
      cpSync(join(apis, name), join(folder, `${kebab(name.replace(/Api\.ts$/, ''))}.ts`));
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(tool, args) {
  try {
    execFileSync(at('node_modules', '.bin', tool), args, { cwd: root, stdio: 'pipe' });
  } catch (error) {
    throw new Error(
      `${tool} failed:\n${error.stdout ?? ''}${error.stderr ?? ''}\nRegenerating needs Java 11 or newer.`,
    );
  }
}

function stats() {
  const hash = (file) =>
    createHash('sha256')
      .update(readFileSync(at(file)))
      .digest('hex')
      .slice(0, 16);
  const version = (name) =>
    JSON.parse(readFileSync(at('node_modules', name, 'package.json'), 'utf8')).version;
  const generator = JSON.parse(readFileSync(at('openapitools.json'), 'utf8'))['generator-cli'].version;
  const lines = [
    `openapi.yaml: ${hash('openapi.yaml')}`,
    ...readdirSync(at('templates'))
      .sort()
      .map((name) => `templates/${name}: ${hash(join('templates', name))}`),
    `openapi-typescript: ${version('openapi-typescript')}`,
    `openapi-generator: ${generator}`,
  ];
  return `${lines.join('\n')}\n`;
}

function differences(fresh, committed) {
  const files = (folder) =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
      : [];
  const read = (folder, name) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null;
  const names = [...new Set([...files(fresh), ...files(committed)])].sort();
  return names.filter((name) => read(fresh, name) !== read(committed, name));
}

function kebab(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}
