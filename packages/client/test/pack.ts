import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/package-info.js';

const CLIENT = join(packageRoot, 'packages', 'client');

/** Run npm without scripts and without the network. */
const npm = (args: readonly string[], cwd: string): string =>
  execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** The names of the files that the packed client holds. */
export function packedFiles(): string[] {
  const [packed] = JSON.parse(npm(['pack', '--dry-run', '--json'], CLIENT)) as {
    files: { path: string }[];
  }[];
  return packed!.files.map(({ path }) => path);
}

/**
 * Make `folder` an application that has the client installed from its tarball. The client's dependencies come as
 * tarballs of what is installed here, so that nothing is fetched.
 */
export function installPacked(folder: string): void {
  const tarballs = [CLIENT, ...dependenciesOf(CLIENT)].map((from) => pack(from, folder));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  npm(['install', '--offline', ...tarballs], folder);
}

function pack(from: string, to: string): string {
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', to], from)) as {
    filename: string;
  }[];
  return join(to, packed!.filename);
}

/** The folders of a package's dependencies, and of theirs. */
function dependenciesOf(folder: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  const direct = Object.keys(dependencies).map((name) => join(packageRoot, 'node_modules', name));
  return [...direct, ...direct.flatMap(dependenciesOf)];
}
