#!/usr/bin/env node
import { Command, Option as Flag } from 'commander';
import {
  ENGINE_ONLY,
  type GivenOptions,
  OPTIONS,
  type Option,
  type OptionName,
  resolveConfig,
} from './config.js';
import { StartupError } from './errors.js';
import { loadModel } from './model/load-model.js';
import { terminalProgress } from './model/terminal-progress.js';
import { version } from './package-info.js';
import { serve } from './server/listen.js';

const program = new Command('tito')
  .description('Tokens in, tokens out: an inference server that speaks the scale-out API of vLLM.')
  .version(version);

const serveCommand = program
  .command('serve')
  .description('Serve a model over HTTP.')
  .argument('[model]', 'a .gguf file; default: SmolLM2-135M-Instruct, fetched when it is not cached')
  .action(async (model: string | undefined, given: Record<string, unknown>) => {
    await serve(resolveConfig(model ?? null, byName(serveCommand, given), process.env));
  });

const renderCommand = program
  .command('render-server')
  .description('Serve render, derender and the tokenizer alone: no weights, no engine.')
  .argument('[model]', 'as for serve')
  .action(async (model: string | undefined, given: Record<string, unknown>) => {
    await serve(resolveConfig(model ?? null, byName(renderCommand, given), process.env, true));
  });

for (const [name, option] of Object.entries<Option>(OPTIONS)) {
  const commands = ENGINE_ONLY.has(name as OptionName) ? [serveCommand] : [serveCommand, renderCommand];
  for (const command of commands) for (const flag of flagsOf(option)) command.addOption(flag);
}

program
  .command('pull')
  .description('Fetch a model and build its graph, without serving it.')
  .argument('[model]', 'as for serve')
  .action(async (model: string | undefined) => {
    const { graphPath } = await loadModel(model, { progress: terminalProgress() });
    process.stdout.write(`${graphPath}\n`);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`tito: ${error.message}\n`);
  process.exitCode = 1;
}

function flagsOf(option: Option): Flag[] {
  const help = `${option.help}${option.kind !== 'list' && option.default !== null ? ` (default: ${option.default})` : ''}`;
  switch (option.kind) {
    case 'switch': {
      const on = new Flag(`--${option.flag}`, help);
      return option.default ? [on, new Flag(`--no-${option.flag}`, 'The opposite.')] : [on];
    }
    case 'list':
      return [new Flag(`--${option.flag} <value...>`, help)];
    default:
      return [new Flag(`--${option.flag} <value>`, help)];
  }
}

/** Commander's names are made from flags; the option table has names of its own. Flags not given are left out. */
function byName(command: Command, given: Record<string, unknown>): GivenOptions {
  const entries = Object.entries<Option>(OPTIONS).flatMap(([name, { flag }]) => {
    const key = flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return command.getOptionValueSource(key) === 'cli' ? [[name, given[key]]] : [];
  });
  return Object.fromEntries(entries) as GivenOptions;
}
