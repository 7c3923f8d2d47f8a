import { Command } from 'commander';
import { OPTIONS, type OptionName, resolveConfig } from '../config.js';
import { examples } from './examples.js';
import { addOptions, givenOptions } from './option-flags.js';

/** What decides which graph `tito serve` would look for. */
const DECIDING: ReadonlySet<string> = new Set<OptionName>(['dtype', 'revision']);
const OTHERS = new Set((Object.keys(OPTIONS) as OptionName[]).filter((name) => !DECIDING.has(name)));

/** `tito pull`: what a first start would have to wait for. */
export function pullCommand(): Command {
  const command = new Command('pull')
    .description('Fetch a model and build its graph, without serving it. Prints where the graph is.')
    .argument('[model]', 'as for serve')
    .action(async (model: string | undefined, given: Record<string, unknown>) => {
      const config = resolveConfig(model ?? null, givenOptions(command, given), process.env);
      const { prepareModel } = await import('../server/load-model.js');
      const { graphPath } = await prepareModel(config);
      process.stdout.write(`${graphPath}\n`);
    });
  addOptions(command, OTHERS);
  return examples(command, [
    ['In a container image, so that a start needs no network', 'tito pull'],
    ['For a start with --dtype int8', 'tito pull model.gguf --dtype int8'],
    ['A model of the Hugging Face hub, as it was at a commit', 'tito pull ORG/NAME --revision 0123abc'],
  ]);
}
