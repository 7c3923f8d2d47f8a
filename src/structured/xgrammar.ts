import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import type * as XGrammar from '@mlc-ai/web-xgrammar';

/** The grammar library. One instance dies with the first grammar that it can't read; make another. */
export type GrammarLibrary = typeof XGrammar;

interface CompilingModule extends Module {
  _compile(source: string, filename: string): void;
}

/**
 * A fresh instance of the library with a WebAssembly memory of its own. Its package is a UMD file that calls itself
 * an ES module, so that neither `import` nor `require` can load it: it is compiled as CommonJS here.
 */
export function loadGrammarLibrary(): GrammarLibrary {
  const path = createRequire(import.meta.url).resolve('@mlc-ai/web-xgrammar');
  const module = new Module(path) as CompilingModule;
  module.filename = path;
  module._compile(readFileSync(path, 'utf8'), path.replace(/\.js$/, '.cjs'));
  return module.exports as GrammarLibrary;
}
