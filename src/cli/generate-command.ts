import { Command, Option as Flag } from 'commander';
import { notNegative, positiveInteger, tokenIds } from './argument-checks.js';
import { examples } from './examples.js';
import type { GenerateOptions } from './generate.js';

/**
 * `tito generate`: a prompt in, tokens out, on a terminal. It asks a server that runs, and starts none: loading a model
 * for each prompt would take longer than the answer, and what is tried here is then what programs get.
 */
export function generateCommand(): Command {
  const command = new Command('generate')
    .description(
      'Generate from a text, a chat message or token ids, on a server that runs. Ctrl-C ends it there, too.',
    )
    .argument('[text...]', 'the prompt; read from standard input when there is neither text nor --ids')
    .option('--chat', "Take the text as a user's message, through the model's chat template.", false)
    .option('--ids <ids>', 'Token ids as the prompt, such as 504,3575,282.', tokenIds)
    .addOption(
      new Flag('--output <form>', 'What to print: text, token ids, or the whole answer as JSON.')
        .choices(['text', 'tokens', 'json'])
        .default('text'),
    )
    .option('--max-tokens <value>', 'Most tokens to generate.', positiveInteger, 256)
    .option(
      '--temperature <value>',
      "0 takes the likeliest token each time. Default: the model's.",
      notNegative,
    )
    .option('--sampling <json>', 'Further sampling parameters, such as {"seed": 7, "logprobs": 1}.')
    .addOption(
      new Flag('--url <url>', 'The server. (env: TITO_URL)').env('TITO_URL').default('http://127.0.0.1:8000'),
    )
    .addOption(new Flag('--api-key <value>', 'The key to bring. (env: TITO_API_KEY)').env('TITO_API_KEY'))
    .action(async (text: string[], given: GenerateOptions) => {
      const { generate } = await import('./generate.js');
      await generate(text.join(' '), given, process.stdout);
    });
  return examples(command, [
    ['A text, continued', 'tito generate "The capital of France is" --temperature 0'],
    ['A question to a chat model', 'tito generate --chat "What is the capital of France?"'],
    ['Ids in, ids out', 'tito generate --ids 504,3575,282 --output tokens --max-tokens 8'],
    ['From a file, with logprobs', `tito generate --output json --sampling '{"logprobs": 1}' < prompt.txt`],
  ]);
}
