import type { CompiledGrammar, GrammarCompiler as Compiler } from '@mlc-ai/web-xgrammar';
import { choiceGrammar } from './choice-grammar.js';
import type { GrammarVocabulary, StructuredOutput } from './index.js';
import { libraryTag } from './library-tag.js';
import { SequenceGrammar } from './sequence-grammar.js';
import { type GrammarLibrary, loadGrammarLibrary } from './xgrammar.js';

const ANY_OBJECT = '{"type":"object"}';
/** Compiled grammars kept for requests that ask for the same shape again. */
const KEPT = 32;

interface Loaded {
  library: GrammarLibrary;
  compiler: Compiler;
}

/** Compiles shapes for one vocabulary. The library is loaded and told the vocabulary at the first. */
export class GrammarCompiler {
  readonly #compiled = new Map<string, Promise<CompiledGrammar>>();
  #ready: Promise<Loaded> | null = null;

  constructor(private readonly vocabulary: GrammarVocabulary) {}

  /** Compile a shape; rejects when it can't be read, and this compiler is of no use afterwards. */
  async compile(shape: StructuredOutput): Promise<void> {
    await this.#grammarOf(shape);
  }

  /** A matcher at the beginning of an output. */
  async begin(shape: StructuredOutput): Promise<SequenceGrammar> {
    const grammar = await this.#grammarOf(shape);
    const { library } = await this.#load();
    return new SequenceGrammar(await library.GrammarMatcher.createGrammarMatcher(grammar));
  }

  #grammarOf(shape: StructuredOutput): Promise<CompiledGrammar> {
    const key = JSON.stringify(shape);
    const kept = this.#compiled.get(key) ?? this.#load().then(({ compiler }) => compileWith(compiler, shape));
    this.#compiled.delete(key);
    this.#compiled.set(key, kept);
    this.#dropOldest();
    return kept;
  }

  #dropOldest(): void {
    if (this.#compiled.size <= KEPT) return;
    const [key, grammar] = this.#compiled.entries().next().value!;
    this.#compiled.delete(key);
    // Matchers that still use it hold a reference of their own.
    grammar.then((compiled) => compiled.dispose()).catch(() => {});
  }

  #load(): Promise<Loaded> {
    this.#ready ??= this.#start();
    return this.#ready;
  }

  async #start(): Promise<Loaded> {
    const library = loadGrammarLibrary();
    const { tokens, endIds } = this.vocabulary;
    const info = await library.TokenizerInfo.createTokenizerInfo(
      [...tokens],
      'byte_level',
      false,
      tokens.length,
      [...endIds],
    );
    return { library, compiler: await library.GrammarCompiler.createGrammarCompiler(info, false) };
  }
}

function compileWith(compiler: Compiler, shape: StructuredOutput): Promise<CompiledGrammar> {
  switch (shape.kind) {
    case 'json':
      return compiler.compileJSONSchema(shape.schema, shape.anyWhitespace);
    case 'json_object':
      return compiler.compileJSONSchema(ANY_OBJECT, shape.anyWhitespace);
    case 'regex':
      // The library's converter takes no empty expression.
      if (shape.pattern === '') return compiler.compileGrammar(choiceGrammar(['']));
      return compiler.compileStructuralTag({
        type: 'structural_tag',
        format: { type: 'regex', pattern: shape.pattern },
      });
    case 'choice':
      return compiler.compileGrammar(choiceGrammar(shape.choices));
    case 'grammar':
      return compiler.compileGrammar(shape.grammar);
    case 'structural_tag':
      return compiler.compileStructuralTag(libraryTag(JSON.parse(shape.spec)));
  }
}
