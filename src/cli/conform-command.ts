import { Command, Option as Flag } from 'commander';
import { positiveInteger } from './argument-checks.js';
import { examples } from './examples.js';

interface Given {
  apiKey?: string;
  junit?: string;
  differences?: string;
  only?: string;
  control: boolean;
  mock: boolean;
  timeout: number;
}

/** `tito conform`: the contract tests against any server. */
export function conformCommand(): Command {
  const command = new Command('conform')
    .description(
      'Try the contract tests against a running server: what passed, what failed (with the request as curl), what it ' +
        'does not have. Needs no model here. Ends with 0 when something passed and nothing failed.',
    )
    .argument('<url>', 'such as http://localhost:8000')
    .addOption(new Flag('--api-key <value>', 'The key to bring. (env: TITO_API_KEY)').env('TITO_API_KEY'))
    .option('--only <text>', 'Only cases whose suite or name contains this.')
    .option('--junit <file>', 'Write the results as JUnit XML, too.')
    .option('--differences <file>', 'YAML of case names to leave out, each with the reason.')
    .option('--control', 'Try the paths that stop or change the server, too.', false)
    .option('--mock', 'Check status and shape alone, as examples can do no more.', false)
    .option('--timeout <seconds>', 'Longest wait for an answer.', positiveInteger, 60)
    .action(async (url: string, given: Given) => {
      const { conform } = await import('../conform/conform.js');
      process.exitCode = await conform(url, given, process.stdout);
    });
  return examples(command, [
    ['A server on this machine', 'tito conform http://localhost:8000'],
    ['In CI', 'tito conform $URL --api-key $KEY --junit conform.xml'],
    ['Everything about streams', 'tito conform http://localhost:8000 --only stream'],
  ]);
}
