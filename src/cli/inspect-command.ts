import { Command, Option as Flag } from 'commander';
import { positiveInteger } from './argument-checks.js';
import { examples } from './examples.js';
import type { InspectOptions } from './inspect.js';

/** `tito inspect`: what a model is, and what each precision keeps of it. */
export function inspectCommand(): Command {
  const command = new Command('inspect')
    .description(
      'Say what a model is. With --fidelity, how far each precision is from float32 of the same file.',
    )
    .argument('[model]', 'as for serve')
    .option('--fidelity', 'Measure precisions over public-domain prose; takes minutes.', false)
    .addOption(
      new Flag('--dtype <value...>', 'What --fidelity measures.')
        .choices(['int4', 'int8'])
        .default(['int4', 'int8']),
    )
    .option(
      '--tokens <value>',
      'How much prose --fidelity reads, in windows of 256.',
      positiveInteger,
      20_000,
    )
    .option('--revision <value>', 'as for serve')
    .option('--json', 'Print JSON.', false)
    .action(async (model: string | undefined, given: InspectOptions) => {
      const { inspect } = await import('./inspect.js');
      process.stdout.write(await inspect(model, given));
    });
  return examples(command, [
    ['The default model', 'tito inspect'],
    ['What 4-bit weights cost, quickly', 'tito inspect model.gguf --fidelity --dtype int4 --tokens 2048'],
  ]);
}
