import { Command } from 'commander';
import { examples } from './examples.js';

/** `tito pull`: what a first start would have to wait for. */
export function pullCommand(): Command {
  const command = new Command('pull')
    .description('Fetch a model and build its graph, without serving it. Prints where the graph is.')
    .argument('[model]', 'as for serve')
    .option('--revision <value>', 'as for serve')
    .action(async (model: string | undefined, given: { revision?: string }) => {
      const { loadModel } = await import('../model/load-model.js');
      const { terminalProgress } = await import('../model/terminal-progress.js');
      const { graphPath } = await loadModel(model, { ...given, progress: terminalProgress() });
      process.stdout.write(`${graphPath}\n`);
    });
  return examples(command, [
    ['In a container image, so that a start needs no network', 'tito pull'],
    ['A model of the Hugging Face hub, as it was at a commit', 'tito pull ORG/NAME --revision 0123abc'],
  ]);
}
