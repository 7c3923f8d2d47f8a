import { Command, Option as Flag } from 'commander';
import { positiveInteger } from './argument-checks.js';
import { examples } from './examples.js';
import type { InspectOptions } from './inspect.js';

/** `tito inspect`: what a model is, and what each precision keeps of it. */
export function inspectCommand(): Command {
  const command = new Command('inspect')
    .description(
      'Say what a model is: architecture, size, memory, tokenizer, template, and what of it is not supported. ' +
        'With --fidelity, how far each precision is from float32 of the same file.',
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
    .option(
      '--context <tokens>',
      "Tokens of a sequence, for memory. Default: the model's own.",
      positiveInteger,
    )
    .option('--batch <sequences>', 'Sequences at once, for memory.', positiveInteger, 1)
    .option('--json', 'Print JSON.', false)
    .action(async (model: string | undefined, given: InspectOptions) => {
      const { inspect } = await import('./inspect.js');
      process.stdout.write(await inspect(model, given));
    });
  return examples(command, [
    ['The default model', 'tito inspect'],
    ['Memory of 32 sequences of 4096 tokens', 'tito inspect model.gguf --context 4096 --batch 32'],
    ['What 4-bit weights cost, quickly', 'tito inspect model.gguf --fidelity --dtype int4 --tokens 2048'],
  ]);
}
