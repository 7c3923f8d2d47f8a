/**
 * Writes dist/web: the pages for people, their scripts bundled, each file named after its content. Run after the client
 * package was compiled.
 *
 *   node dist/scripts/build-web.js
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { packageRoot } from '../src/package-info.js';

const SOURCE = join(packageRoot, 'web');
const TARGET = join(packageRoot, 'dist', 'web');
const ASSETS = join(TARGET, 'assets');
const STYLES = ['theme.css', 'layout.css', 'controls.css', 'tokens.css'];
/** Whose code the pages ship, beside tito's own. */
const BUNDLED = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'openapi-fetch',
  'eventsource-parser',
  '@scalar/api-reference',
];

const folderOf = (name: string): string => join(packageRoot, 'node_modules', name);
const reference = join(folderOf('@scalar/api-reference'), 'dist', 'browser', 'standalone.js');

/** Bundle a script of web/src for browsers. */
async function bundle(entry: string): Promise<string> {
  const build = await rolldown({
    input: join(SOURCE, 'src', entry),
    platform: 'browser',
    tsconfig: join(SOURCE, 'tsconfig.json'),
    // The package as it is published, not its source.
    resolve: {
      alias: { '@titokens/client': join(packageRoot, 'packages/client/dist/packages/client/src/index.js') },
    },
  });
  const { output } = await build.generate({ format: 'es', minify: true });
  if (output.length !== 1) throw new Error(`${entry} became ${output.length} files, not one`);
  return output[0].code;
}

/** Write a file under a name with a hash of its content; returns the name. */
function writeAsset(name: string, content: string): string {
  const extension = extname(name);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
  const hashed = `${name.slice(0, -extension.length)}-${hash}${extension}`;
  writeFileSync(join(ASSETS, hashed), content);
  return hashed;
}

/** The page with `{{name}}` replaced by the name that the file was written under. */
function writePage(name: string, assets: ReadonlyMap<string, string>): void {
  const html = readFileSync(join(SOURCE, name), 'utf8').replace(/\{\{(.+?)\}\}/g, (_, file: string) => {
    const found = assets.get(file);
    if (!found) throw new Error(`${name} names ${file}, which nothing writes`);
    return found;
  });
  writeFileSync(join(TARGET, name), html);
}

/** The licences of what is bundled, which copies have to carry. */
function licences(): string {
  return BUNDLED.map((name) => {
    const { version, license } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')) as {
      version: string;
      license: string;
    };
    return `${name} ${version} (${license})\n\n${licenceOf(name)}\n`;
  }).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(name: string): string {
  const file = readdirSync(folderOf(name)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file) return readFileSync(join(folderOf(name), file), 'utf8').trim();
  // Its package names the licence without the text, which is preact's but for the holder.
  if (name !== '@scalar/api-reference') throw new Error(`${name} has no licence file`);
  return licenceOf('preact').replace(/Copyright .*/, 'Copyright (c) 2023-present Scalar');
}

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(ASSETS, { recursive: true });
const assets = new Map([
  ['playground.js', writeAsset('playground.js', await bundle('playground.tsx'))],
  ['docs.js', writeAsset('docs.js', await bundle('docs.ts'))],
  ['reference.js', writeAsset('reference.js', readFileSync(reference, 'utf8'))],
  [
    'playground.css',
    writeAsset(
      'playground.css',
      STYLES.map((name) => readFileSync(join(SOURCE, 'styles', name), 'utf8')).join('\n'),
    ),
  ],
  ['icon.svg', writeAsset('icon.svg', readFileSync(join(SOURCE, 'icon.svg'), 'utf8'))],
]);
writePage('playground.html', assets);
writePage('docs.html', assets);
writeFileSync(join(TARGET, 'LICENSES.txt'), licences());
